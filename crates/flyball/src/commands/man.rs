//! `flyball man FOLDER`

use crate::args::{Args, FolderArgs};
use crate::failure::Failure;
use crate::output;
use clap::CommandFactory;
use std::fs;
use std::process::ExitCode;

pub(crate) fn run(args: &FolderArgs, quiet: bool) -> Result<ExitCode, Failure> {
    let folder = &args.folder;
    let written = fs::create_dir_all(folder);
    written
        .and_then(|()| clap_mangen::generate_to(Args::command(), folder))
        .map_err(|error| Failure::file(folder, error, Some("choose another folder")))?;
    output::note(
        quiet,
        &format!("To read: man -l {}/flyball.1", folder.display()),
    );
    Ok(ExitCode::SUCCESS)
}
