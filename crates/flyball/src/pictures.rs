//! Figures as files.

use crate::args::PictureArgs;
use crate::failure::Failure;
use crate::output;
use flyball_raster::Renderer;
use flyball_report::reproduction::{Figure, svg, table};
use std::path::{Path, PathBuf};

/// The files of some figures in a folder, to be written: SVG and CSV of each, and PNG if that is asked
/// for. Characters that PNG cannot have are a note.
pub(crate) fn files<'a>(
    figures: impl IntoIterator<Item = &'a Figure>,
    folder: &Path,
    args: &PictureArgs,
    quiet: bool,
) -> Result<Vec<(PathBuf, Vec<u8>)>, Failure> {
    let renderer = args.png.then(Renderer::new);
    let mut files = Vec::new();
    for figure in figures {
        let path = |ending| folder.join(figure.file(ending));
        files.push((path("svg"), svg::file(figure).into_bytes()));
        files.push((path("csv"), table::figure(figure).into_bytes()));
        let Some(renderer) = &renderer else {
            continue;
        };
        let path = path("png");
        let picture = renderer.draw(figure, args.scale).map_err(|error| {
            let help = "choose a smaller --scale, or leave --png out";
            Failure::file(&path, format!("cannot be drawn: {error}"), Some(help))
        })?;
        if !picture.missing.is_empty() {
            let missing: String = picture.missing.iter().collect();
            let path = path.display();
            output::note(
                quiet,
                &format!(
                    "{path}: the font for PNG has no {missing}, so there are boxes; the SVG has them"
                ),
            );
        }
        files.push((path, picture.png));
    }
    Ok(files)
}
