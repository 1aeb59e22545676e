//! Figures as PNG, for slides and for programs that cannot read SVG.
//!
//! A figure is drawn from its SVG ([`svg::on_paper`]) by [resvg](https://docs.rs/resvg), so there
//! is one description of what it looks like. What a browser would bring comes from here:
//!
//! * **Colours** are the light ones on white, as on paper, whatever the reader's system is.
//! * **Letters** are Noto Sans, which is a part of this crate. The machine's fonts are not looked
//!   for, so a machine that has none draws the same picture, and every run gives the same bytes.
//!
//! It is a crate of its own, since few who use `flyball-report` want a renderer and a font with it.

use flyball_report::reproduction::{Figure, svg};
use resvg::tiny_skia::{Color, Pixmap, Transform};
use resvg::usvg::{self, Group, Node, fontdb};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

mod scale;
#[cfg(test)]
mod tests;

pub use scale::{Scale, ScaleError};

const FONT: &str = "Noto Sans";

/// Draws figures. It has read its fonts, so one is enough for any number of figures.
pub struct Renderer {
    options: usvg::Options<'static>,
}

/// A figure, drawn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Picture {
    /// The file: opaque RGB, 8 bits a channel, with the figure's title and with the density at
    /// which it is as large as the SVG.
    pub png: Vec<u8>,
    /// Pixels to the right.
    pub width: u32,
    /// Pixels downwards.
    pub height: u32,
    /// Characters that the font does not have, each drawn as an empty box.
    pub missing: BTreeSet<char>,
}

/// Why a figure cannot be drawn.
#[derive(Debug)]
pub enum RasterError {
    /// The figure's SVG is none. That would be a fault of the figure or of this library.
    Svg(usvg::Error),
    /// There is no memory for so many pixels.
    Size {
        /// Pixels to the right.
        width: u32,
        /// Pixels downwards.
        height: u32,
    },
    /// The picture cannot be encoded.
    Png(png::EncodingError),
}

impl Default for Renderer {
    fn default() -> Renderer {
        Renderer::new()
    }
}

impl Renderer {
    /// One with its own fonts, and no others.
    pub fn new() -> Renderer {
        let mut fonts = fontdb::Database::new();
        for face in [notosans::REGULAR_TTF, notosans::BOLD_TTF] {
            fonts.load_font_source(fontdb::Source::Binary(Arc::new(face)));
        }
        // Whatever family is asked for, it is this one in the end.
        fonts.set_sans_serif_family(FONT);
        fonts.set_serif_family(FONT);
        Renderer {
            options: usvg::Options {
                font_family: FONT.into(),
                fontdb: Arc::new(fonts),
                ..usvg::Options::default()
            },
        }
    }

    /// Draws a figure, `scale` times as large as the SVG. O(pixels + points).
    ///
    /// # Errors
    ///
    /// [`RasterError::Size`] if there is no memory for so large a picture; the others would be
    /// faults of this library or of a text in the figure that XML cannot have (a control
    /// character).
    pub fn draw(&self, figure: &Figure, scale: Scale) -> Result<Picture, RasterError> {
        let tree = self.tree(figure).map_err(RasterError::Svg)?;
        let factor = scale.factor();
        let (width, height) = scale.of(tree.size().width(), tree.size().height());
        let mut pixels = Pixmap::new(width, height).ok_or(RasterError::Size { width, height })?;
        pixels.fill(Color::WHITE);
        let transform = Transform::from_scale(factor, factor);
        resvg::render(&tree, transform, &mut pixels.as_mut());
        let mut missing = BTreeSet::new();
        find_missing(tree.root(), &mut missing);
        Ok(Picture {
            png: encode(&pixels, &figure.title, scale).map_err(RasterError::Png)?,
            width,
            height,
            missing,
        })
    }

    /// The shapes that a figure is made of, letters included.
    fn tree(&self, figure: &Figure) -> Result<usvg::Tree, usvg::Error> {
        usvg::Tree::from_str(&svg::on_paper(figure), &self.options)
    }
}

/// Characters that were drawn as glyph 0, which every font has for what it does not have.
fn find_missing(group: &Group, missing: &mut BTreeSet<char>) {
    for node in group.children() {
        match node {
            Node::Group(group) => find_missing(group, missing),
            Node::Text(text) => {
                let spans = text.layouted().iter();
                let glyphs = spans.flat_map(|span| &span.positioned_glyphs);
                let lost = glyphs.filter(|glyph| glyph.id.0 == 0);
                missing.extend(lost.flat_map(|glyph| glyph.text.chars()));
            }
            Node::Path(_) | Node::Image(_) => {}
        }
    }
}

fn encode(pixels: &Pixmap, title: &str, scale: Scale) -> Result<Vec<u8>, png::EncodingError> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, pixels.width(), pixels.height());
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Balanced);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    encoder.set_pixel_dims(Some(png::PixelDimensions {
        xppu: scale.per_metre(),
        yppu: scale.per_metre(),
        unit: png::Unit::Meter,
    }));
    encoder.add_itxt_chunk("Title".into(), title.into())?;
    let mut writer = encoder.write_header()?;
    // All is on white, so nothing is transparent.
    let rgb = pixels.pixels().iter();
    let rgb = rgb.flat_map(|pixel| [pixel.red(), pixel.green(), pixel.blue()]);
    writer.write_image_data(&rgb.collect::<Vec<_>>())?;
    writer.finish()?;
    Ok(file)
}

impl fmt::Display for RasterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RasterError::Svg(error) => write!(f, "its SVG cannot be read: {error}"),
            RasterError::Size { width, height } => {
                write!(f, "{width} × {height} pixels are too many")
            }
            RasterError::Png(error) => write!(f, "it cannot be encoded: {error}"),
        }
    }
}

impl std::error::Error for RasterError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            RasterError::Svg(error) => Some(error),
            RasterError::Png(error) => Some(error),
            RasterError::Size { .. } => None,
        }
    }
}
