//! `flyball images FOLDER`

use crate::args::FolderArgs;
use crate::failure::Failure;
use crate::progress::Spinner;
use std::process::ExitCode;

pub(crate) fn run(args: &FolderArgs, quiet: bool) -> Result<ExitCode, Failure> {
    let mut spinner = Spinner::new(quiet);
    flyball_board::elf::install(&args.folder, &mut |_| {
        spinner.show(|| "building the images".to_owned())
    })?;
    Ok(ExitCode::SUCCESS)
}
