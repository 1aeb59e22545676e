//! `flyball images FOLDER`

use crate::args::FolderArgs;
use crate::failure::Failure;
use crate::progress::Spinner;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

pub(crate) fn run(args: &FolderArgs, quiet: bool) -> Result<ExitCode, Failure> {
    let mut spinner = Spinner::new(quiet);
    let images =
        flyball_board::elf::to_install(&mut |_| spinner.show(|| "building the images".to_owned()))?;
    for (image, place) in images {
        let copy = args.folder.join(place);
        let folder = copy.parent().unwrap_or(Path::new("."));
        let written = fs::create_dir_all(folder).and_then(|()| fs::copy(image, &copy));
        written.map_err(|error| Failure::file(&copy, error, Some("choose another folder")))?;
    }
    Ok(ExitCode::SUCCESS)
}
