//! `flyball plot RESULTS`: what a sweep found, as figures.

use super::sweep::found;
use crate::args::PlotArgs;
use crate::failure::Failure;
use crate::files;
use crate::output;
use crate::pictures;
use flyball_report::reproduction::gallery;
use flyball_sweep::{Results, figure};
use std::path::Path;
use std::process::ExitCode;

pub(crate) fn run(args: &PlotArgs, quiet: bool) -> Result<ExitCode, Failure> {
    let folders: Vec<&Path> = args.results.iter().map(AsRef::as_ref).collect();
    let results = Results::read(&folders)?;
    let gallery = figure::gallery(&results);
    let at = |name: &str, text: String| (args.out.join(name), text.into_bytes());
    let mut all = vec![at("report.html", gallery::html(&gallery))];
    let tables = figure::tables(&results).into_iter();
    all.extend(tables.map(|(name, text)| at(name, text)));
    all.extend(pictures::files(
        &gallery.figures,
        &args.out,
        &args.pictures,
        quiet,
    )?);
    files::make_folder(&args.out)?;
    files::write_all(&all)?;
    let (finished, of) = results.finished();
    let figures = gallery.figures.len();
    let compared = found::comparison(&results);
    output::print(&format!(
        "{finished} of {of} units, {figures} figures\n{compared}\nReport: {}\n",
        files::shown(&args.out.join("report.html"))
    ))?;
    Ok(ExitCode::SUCCESS)
}
