//! What C and C++ programs pay: instructions of calls, and bytes of small programs.

use crate::Report;
use crate::error::BenchError;
use crate::tables::Table;
use flyball_board::image::{self, SHIFT};
use serde::Serialize;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;

/// Kernels that programs are linked with: that of fixed priorities, and the same in fewer bytes.
const KERNELS: [&str; 2] = ["fp-rr", "fp-rr-small"];
/// Programs whose size counts, and the most bytes of code that were wanted.
const PROGRAMS: [(&str, &str, u32); 3] = [
    ("threads", "two threads", 12 * 1024),
    ("puts", "puts", 20 * 1024),
    ("printf", "printf(\"%f\")", 52 * 1024),
];
/// A row of the table.
struct Row {
    name: &'static str,
    /// What it adds up.
    calls: &'static [&'static str],
    /// The most instructions that were wanted.
    wanted: Option<u32>,
    /// The native calls of other kernels beside them.
    others: &'static [&'static str],
}

const fn row(
    name: &'static str,
    calls: &'static [&'static str],
    wanted: Option<u32>,
    others: &'static [&'static str],
) -> Row {
    Row {
        name,
        calls,
        wanted,
        others,
    }
}

/// Locking and unlocking under an immediate ceiling, which C programs have.
pub(crate) const CEILING: [&str; 2] = ["lock_ceiling", "unlock_ceiling"];

const ROWS: [Row; 9] = [
    row(
        "pthread_mutex_lock + unlock, free",
        &["lock", "unlock"],
        Some(32),
        &["lock", "unlock"],
    ),
    row(
        "… with priority inheritance",
        &["lock_inheriting", "unlock_inheriting"],
        Some(32),
        &["lock", "unlock"],
    ),
    row("… with an immediate ceiling", &CEILING, Some(16), &[]),
    row(
        "… recursive, its owner again",
        &["lock_again", "unlock_again"],
        Some(44),
        &[],
    ),
    row(
        "sem_post + sem_wait, no thread waits",
        &["sem_post", "sem_wait"],
        Some(26),
        &["signal", "take"],
    ),
    row(
        "pthread_cond_signal, no thread waits",
        &["cond_signal"],
        Some(8),
        &[],
    ),
    row("pthread_create", &["create"], None, &[]),
    row(
        "… and pthread_join, which runs it",
        &["create_join"],
        None,
        &[],
    ),
    row(
        "throw and catch, one function between",
        &["throw_catch"],
        None,
        &[],
    ),
];

/// All of it.
#[derive(Serialize)]
pub(crate) struct C {
    /// Instructions by call.
    calls: BTreeMap<String, u32>,
    /// Bytes of code, constants and what variables begin with, by program and kernel.
    bytes: BTreeMap<&'static str, BTreeMap<&'static str, u64>>,
}

impl C {
    /// Installs what compilers need, and builds and runs the programs.
    pub(crate) fn measure(root: &Path) -> Result<C, BenchError> {
        let folder = root.join("target/bench/sdk");
        eprintln!("installing libraries for C and C++");
        let mut install = Command::new(root.join("sdk/install"));
        run(install.arg("arm").arg(&folder).args(KERNELS))?;
        let build = |compiler: &str, options: &[&str], source: &Path, kernel: &str| {
            let specs = folder.join(format!("lib/flyball-{kernel}.specs"));
            let program = folder.join("program.elf");
            let mut compile = Command::new(format!("arm-none-eabi-{compiler}"));
            compile
                .arg(format!("-specs={}", specs.display()))
                .args(options);
            run(compile.arg(source).arg("-o").arg(&program)).map(|()| program)
        };

        let costs = build(
            "g++",
            &["-O2", "-std=c++20"],
            &root.join("sdk/tests/costs.cc"),
            KERNELS[0],
        )?;
        let printed = image::run(&costs, SHIFT, &[], &mut |_| ControlFlow::Continue(()))?;
        let figure = |line: &str| {
            let (name, figure) = line.split_once(' ')?;
            Some((name.to_owned(), figure.trim().parse().ok()?))
        };
        let figure = |line: &str| figure(line).ok_or_else(|| BenchError::Figure(line.to_owned()));
        let calls = printed.lines().map(figure).collect::<Result<_, _>>()?;

        let mut bytes = BTreeMap::<_, BTreeMap<_, _>>::new();
        for (name, _, _) in PROGRAMS {
            for kernel in KERNELS {
                let source = root.join(format!("benches/c/{name}.c"));
                let size = image::size(&build("gcc", &["-Os"], &source, kernel)?)?;
                bytes.entry(name).or_default().insert(kernel, size.code);
            }
        }
        Ok(C { calls, bytes })
    }

    /// Instructions of several calls together.
    pub(crate) fn sum(&self, calls: &[&str]) -> Option<f64> {
        let one = |&call: &&str| Some(f64::from(*self.calls.get(call)?));
        calls.iter().map(one).sum()
    }
}

/// Runs a command that prints nothing when it works.
fn run(command: &mut Command) -> Result<(), BenchError> {
    let name = command.get_program().to_string_lossy().into_owned();
    match command.output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            Err(BenchError::Command(format!("{name}: {}", said.trim_end())))
        }
        Err(error) => Err(BenchError::Command(format!(
            "{name} cannot be started: {error}"
        ))),
    }
}

/// The tables, as text.
pub(crate) fn table(report: &Report) -> String {
    let Report { c, peers, .. } = report;
    let names = peers.kernels.iter().map(String::as_str);
    let columns = ["Flyball", "wanted"].into_iter().chain(names);
    let mut calls = Table::new("C AND C++, BESIDE OTHER KERNELS' OWN CALLS", columns);
    for row in ROWS {
        let others = if row.others.is_empty() {
            Vec::new()
        } else {
            peers.sum(row.others)
        };
        let cells = [c.sum(row.calls), row.wanted.map(f64::from)].into_iter();
        calls.row(row.name, cells.chain(others.into_iter().map(Some)));
    }
    let columns = KERNELS.into_iter().chain(["wanted"]);
    let mut bytes = Table::new("BYTES OF C PROGRAMS, WITH THE LIBRARY", columns);
    for (program, name, wanted) in PROGRAMS {
        let size = |kernel| u32::try_from(*c.bytes.get(program)?.get(kernel)?).ok();
        let cells = KERNELS.map(size).into_iter().chain([Some(wanted)]);
        bytes.row(name, cells.map(|bytes| bytes.map(f64::from)));
    }
    calls.0 + &bytes.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What programs have today, and a little more: text and tables of the library come and go.
    const MOST: [(&str, [u64; 2]); 3] = [
        ("threads", [72_500, 49_000]),
        ("puts", [74_000, 52_500]),
        ("printf", [107_500, 86_000]),
    ];

    /// Rows that take more than is wanted, and what they take today.
    const MISSED: [(&[&str], f64); 1] = [(&CEILING, 110.0)];

    #[test]
    fn programs_do_not_grow() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        if !root.join("target/sdk/arm/lib").is_dir() {
            eprintln!("skipped: the C library has not been built");
            return;
        }
        let c = C::measure(&root).unwrap();
        assert!(
            ROWS.iter().all(|row| c.sum(row.calls).is_some()),
            "{:?}",
            c.calls
        );
        for row in ROWS {
            let missed = MISSED.iter().find(|(calls, _)| *calls == row.calls);
            let wanted = row.wanted.map_or(f64::INFINITY, f64::from);
            assert!(
                c.sum(row.calls) <= Some(missed.map_or(wanted, |&(_, most)| most)),
                "{}: {:?}",
                row.name,
                c.sum(row.calls)
            );
        }
        for (name, most) in MOST {
            let found = KERNELS.map(|kernel| c.bytes[name][kernel]);
            assert!(
                found[0] <= most[0] && found[1] <= most[1],
                "{name}: {found:?}"
            );
        }
    }
}
