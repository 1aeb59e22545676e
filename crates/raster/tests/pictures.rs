//! What pictures look like.

use flyball_raster::{Picture, Renderer, Scale};
use flyball_report::reproduction::{Axis, Figure, Panel, Role, Series, Shape};
use std::collections::BTreeMap;

/// The first colours of figures, as `colours.css` of flyball-report has them, and that of ink.
const COLOURS: [[u8; 3]; 4] = [
    [0x2f, 0x74, 0xb8],
    [0xb8, 0x6b, 0x00],
    [0x1c, 0x85, 0x67],
    [0xb0, 0x56, 0x8f],
];
const INK: [u8; 3] = [0x1d, 0x21, 0x27];
const WHITE: [u8; 3] = [0xff; 3];

fn panel(title: &str, series: Vec<Series>) -> Panel {
    Panel {
        title: title.into(),
        y: Axis::range("accepted", 0.0, 1.0),
        series,
    }
}

fn figure(panels: Vec<Panel>) -> Figure {
    Figure {
        name: "a-figure".into(),
        title: "A figure – β".into(),
        caption: String::new(),
        x: Axis::numbers("cap (CPUs)"),
        panels,
    }
}

fn rising(name: &str, shape: Shape, colour: u8) -> Series {
    let points = [[0.0, 0.1], [1.0, 0.4], [2.0, 0.9]];
    Series::ours(name, shape, colour, points.to_vec())
}

/// Two panels with every shape.
fn everything() -> Figure {
    let published = rising("published", Shape::Points, 9).with_role(Role::Published);
    let around = [[0.0, 0.0, 0.2], [2.0, 0.8, 1.0]];
    figure(vec![
        panel(
            "lines",
            vec![
                Series::interval("a line", 0, &around),
                rising("a line", Shape::Line, 0),
                rising("steps", Shape::Steps, 1),
                published,
            ],
        ),
        panel(
            "bars",
            vec![
                rising("bars", Shape::Bars, 2),
                rising("dashes", Shape::Dashes, 3),
            ],
        ),
    ])
}

fn draw(figure: &Figure, scale: f32) -> Picture {
    let scale = Scale::new(scale).unwrap();
    Renderer::new().draw(figure, scale).unwrap()
}

/// A file, read again.
struct Read {
    width: u32,
    height: u32,
    /// Row by row.
    pixels: Vec<[u8; 3]>,
    /// Pixels a metre.
    density: u32,
    title: String,
}

fn read(png: &[u8]) -> Read {
    let mut reader = png::Decoder::new(std::io::Cursor::new(png))
        .read_info()
        .unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let frame = reader.next_frame(&mut bytes).unwrap();
    assert_eq!(frame.color_type, png::ColorType::Rgb);
    let info = reader.info();
    Read {
        width: frame.width,
        height: frame.height,
        pixels: bytes
            .chunks_exact(3)
            .map(|rgb| [rgb[0], rgb[1], rgb[2]])
            .collect(),
        density: info.pixel_dims.unwrap().xppu,
        title: info.utf8_text[0].get_text().unwrap(),
    }
}

fn count(picture: &Picture) -> BTreeMap<[u8; 3], usize> {
    let mut counts = BTreeMap::new();
    for pixel in read(&picture.png).pixels {
        *counts.entry(pixel).or_insert(0) += 1;
    }
    counts
}

#[test]
fn a_picture_is_as_large_as_it_is_asked_to_be() {
    let once = draw(&everything(), 1.0);
    assert_eq!(once.width, 880);
    // Two panels of 190 pixels, and what is around them.
    assert!((400..600).contains(&once.height), "{}", once.height);
    for scale in [1_u32, 2, 5] {
        let factor = f32::from(u8::try_from(scale).unwrap());
        let picture = draw(&everything(), factor);
        let read = read(&picture.png);
        assert_eq!(
            [read.width, read.height],
            [880 * scale, once.height * scale]
        );
        assert_eq!([picture.width, picture.height], [read.width, read.height]);
        // On paper it is as large as ever: 880 pixels are 9.17 inches.
        let inches = f64::from(read.width) / f64::from(read.density) / 0.0254;
        assert!((inches - 880.0 / 96.0).abs() < 0.002, "{inches}");
        assert_eq!(read.title, "A figure – β");
    }
}

/// Every series is there in its colour, on white, and about as much of it as there should be.
#[test]
fn curves_have_their_colours() {
    let counts = count(&draw(&everything(), 2.0));
    let pixels = |colour: [u8; 3]| counts.get(&colour).copied().unwrap_or_default();
    let all: usize = counts.values().sum();
    assert!(pixels(WHITE) > all / 2 && pixels(WHITE) < all);
    // A line of 800 by 152 pixels, four pixels wide less its soft edges; steps are longer; three
    // bars of 104 pixels and more by up to 171; dashes are shorter than a line.
    let [line, steps, bars, dashes] = COLOURS.map(pixels);
    assert!((2000..8000).contains(&line), "{line}");
    assert!((2000..12000).contains(&steps), "{steps}");
    assert!(bars > 50_000, "{bars}");
    assert!((1000..line).contains(&dashes), "{dashes}");
    assert!(pixels(INK) > 500, "letters and marks");
    // What is between the bounds is drawn over white: 18 % of the colour.
    let shade = COLOURS[0].map(|part| {
        let part = f64::from(part);
        (255.0 + (part - 255.0) * 0.18).round()
    });
    let near = |colour: &[u8; 3]| {
        let parts = colour.iter().zip(shade);
        parts
            .map(|(&part, shade)| (f64::from(part) - shade).abs())
            .fold(0.0, f64::max)
            <= 1.0
    };
    let shaded: usize = counts
        .iter()
        .filter(|(colour, _)| near(colour))
        .map(|(_, n)| n)
        .sum();
    assert!(shaded > 50_000, "{shaded}");
}

/// Without a series its colour is not there: the test above can fail.
#[test]
fn what_is_not_drawn_is_not_there() {
    let counts = count(&draw(
        &figure(vec![panel("", vec![rising("a", Shape::Line, 0)])]),
        2.0,
    ));
    assert!(counts.contains_key(&COLOURS[0]));
    for colour in &COLOURS[1..] {
        assert!(!counts.contains_key(colour), "{colour:?}");
    }
}

#[test]
fn two_runs_draw_the_same() {
    assert_eq!(draw(&everything(), 2.0), draw(&everything(), 2.0));
    // And one renderer does so for any number of figures, in any order.
    let renderer = Renderer::new();
    let scale = Scale::default();
    let other = figure(vec![panel("x", vec![rising("b", Shape::Dots, 5)])]);
    let one = renderer.draw(&everything(), scale).unwrap();
    renderer.draw(&other, scale).unwrap();
    assert_eq!(renderer.draw(&everything(), scale).unwrap(), one);
    assert_eq!(one, draw(&everything(), 2.0));
}

/// The letters are there, without any font of the machine, regular and bold.
#[test]
fn texts_are_drawn() {
    let without = figure(vec![panel("", vec![rising("", Shape::Line, 0)])]);
    let mut with = without.clone();
    with.panels[0].series[0].name = "MMMMMMMM".into();
    let ink = |figure: &Figure| count(&draw(figure, 2.0)).remove(&INK).unwrap_or_default();
    assert_eq!(ink(&without), 0);
    let letters = ink(&with);
    assert!(letters > 400, "{letters}");
    // A panel's title is in ink, too, and bold.
    let mut titled = figure(vec![panel("MMMMMMMM", vec![rising("", Shape::Line, 0)])]);
    let bold = ink(&titled);
    assert!(bold > letters + letters / 4, "{bold} {letters}");
    // Minutes, units and formulas: whatever figures have been seen to use is there.
    titled.panels[0].title = "α β µ Σ × · – — ≤ ≥ ± → … ² % é".into();
    assert_eq!(draw(&titled, 1.0).missing.len(), 0);
}

#[test]
fn characters_that_the_font_lacks_are_named() {
    let mut lacking = everything();
    lacking.panels[1].title = "四 CPUs".into();
    lacking.panels[0].series[1].name = "a 🐢".into();
    let picture = draw(&lacking, 1.0);
    assert_eq!(picture.missing.into_iter().collect::<String>(), "四🐢");
    assert!(draw(&everything(), 1.0).missing.is_empty());
}
