//! Figures as files.

use crate::args::PictureArgs;
use crate::failure::Failure;
use flyball_report::reproduction::Figure;
use std::path::{Path, PathBuf};

/// The files of some figures in a folder, to be written: SVG and CSV of each, and PNG if that is
/// asked for. Characters that PNG cannot have are a note.
pub(crate) fn files<'a>(
    figures: impl IntoIterator<Item = &'a Figure>,
    folder: &Path,
    args: &PictureArgs,
    quiet: bool,
) -> Result<Vec<(PathBuf, Vec<u8>)>, Failure> {
    let mut files = Vec::new();
    let mut pictures = pictures(args, quiet);
    for figure in figures {
        let own = figure.files();
        files.extend(own.map(|(name, bytes)| (folder.join(name), bytes)));
        files.extend(pictures(figure, folder.join(figure.file("png")))?);
    }
    Ok(files)
}

/// A file that is to be written, if there is one.
type File = Option<(PathBuf, Vec<u8>)>;

/// Makes a figure a PNG, if that is asked for.
#[cfg(feature = "png")]
fn pictures(
    args: &PictureArgs,
    quiet: bool,
) -> impl FnMut(&Figure, PathBuf) -> Result<File, Failure> {
    let renderer = args.png.then(flyball_raster::Renderer::new);
    let scale = args.scale;
    move |figure, path| {
        let Some(renderer) = &renderer else {
            return Ok(None);
        };
        let picture = renderer.draw(figure, scale).map_err(|error| {
            let help = "choose a smaller --scale, or leave --png out";
            Failure::file(&path, format!("cannot be drawn: {error}"), Some(help))
        })?;
        if !picture.missing.is_empty() {
            let missing: String = picture.missing.iter().collect();
            let path = path.display();
            crate::output::note(
                quiet,
                &format!(
                    "{path}: the font for PNG has no {missing}, so there are boxes; the SVG has them"
                ),
            );
        }
        Ok(Some((path, picture.png)))
    }
}

/// There is no PNG without the feature.
#[cfg(not(feature = "png"))]
fn pictures(_: &PictureArgs, _: bool) -> impl FnMut(&Figure, PathBuf) -> Result<File, Failure> {
    |_, _| Ok(None)
}
