//! What the kernel costs: instructions of an emulated Cortex-M3, and bytes.
//!
//! It builds the images in `apps/` (`costs`, `minimal`, `one-stack`, `thread-metric`) and C and C++ programs (`sdk/tests/costs.cc`, `benches/c`), runs them in the
//! emulator, prints tables beside the figures of other kernels (`benches/kernel-peers.toml`), and
//! writes all to `target/bench/kernel.json`, and a figure of the queues beside it. Everything is counted, nothing is timed, so two runs
//! give the same.

mod beside;
mod c;
mod costs;
mod error;
mod figure;
mod image;
mod metric;
mod one_stack;
mod peers;
mod sizes;
mod tables;

use c::C;
use costs::Costs;
use error::BenchError;
use metric::ThreadMetric;
use one_stack::Experiment;
use peers::Peers;
use serde::Serialize;
use sizes::Sizes;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What the numbers are. They must not be taken for anything else.
const NOTE: &str = "instructions of an emulated Cortex-M3 (QEMU mps2-an385, -icount), not times of \
                    any hardware; an exception's entry and exit count for none";

/// All that was measured.
#[derive(Serialize)]
struct Report {
    schema: u32,
    note: &'static str,
    costs: Costs,
    one_stack: Experiment,
    thread_metric: ThreadMetric,
    sizes: Sizes,
    c: C,
    peers: Peers,
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), BenchError> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let peers = Peers::read(&root.join("benches/kernel-peers.toml"))?;
    let report = Report {
        schema: 1,
        note: NOTE,
        costs: Costs::measure()?,
        one_stack: Experiment::measure()?,
        thread_metric: ThreadMetric::measure()?,
        sizes: Sizes::measure()?,
        c: C::measure(&root)?,
        peers,
    };
    print!("{}", tables::all(&report));
    let path = write(&root, &report)?;
    println!("\nAll figures: {}", path.display());
    println!(
        "The queues by size: {}",
        path.with_file_name("queues.svg").display()
    );
    Ok(())
}

fn write(root: &Path, report: &Report) -> Result<PathBuf, BenchError> {
    let folder = root.join("target/bench");
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |error| BenchError::File { path, error }
    };
    fs::create_dir_all(&folder).map_err(failed(&folder))?;
    let path = folder.join("kernel.json");
    let mut text = serde_json::to_string_pretty(report).map_err(BenchError::Json)?;
    text.push('\n');
    fs::write(&path, text).map_err(failed(&path))?;
    let picture = folder.join("queues.svg");
    fs::write(&picture, figure::queues(&report.costs)).map_err(failed(&picture))?;
    Ok(path.canonicalize().unwrap_or(path))
}
