//! Valgrind's cachegrind: what a program's instructions do in simulated caches.

use crate::failure::Failure;
use flyball_measure::overheads::Generator;
use std::process::{Command, Stdio};

/// What cachegrind has counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Counts {
    pub(super) instructions: u64,
    /// Of the first caches, for instructions and data.
    pub(super) first_misses: u64,
    /// Of the last cache.
    pub(super) requests: u64,
}

/// The caches are the same on each computer: 32 KiB for instructions, as much for data, and 1 MiB behind
/// these, in lines of 64 bytes.
const CACHES: [&str; 3] = ["--I1=32768,8,64", "--D1=32768,8,64", "--LL=1048576,16,64"];

/// What cachegrind counts while this very program runs a generator; what it takes besides is left out.
///
/// # Errors
/// Says that valgrind is missing, or what went wrong.
pub(super) fn count(generator: Generator, why: &str) -> Result<Counts, Failure> {
    let [all, around] = [generator, Generator::Nothing].map(|generator| run(generator, why));
    let (all, around) = (all?, around?);
    Ok(Counts {
        instructions: all.instructions.saturating_sub(around.instructions),
        first_misses: all.first_misses.saturating_sub(around.first_misses),
        requests: all.requests.saturating_sub(around.requests),
    })
}

/// What cachegrind counts of this program and a generator. `why` the processor does not count itself.
fn run(generator: Generator, why: &str) -> Result<Counts, Failure> {
    let failed =
        |what: String| Failure::Usage(format!("{why}, and cachegrind cannot count: {what}"));
    let program = std::env::current_exe().map_err(|error| failed(error.to_string()))?;
    let output = Command::new("valgrind")
        .args(["--tool=cachegrind", "--cache-sim=yes", "--log-file=/dev/null"])
        .args(CACHES)
        // The program itself prints nothing.
        .arg("--cachegrind-out-file=/dev/stdout")
        .arg(program)
        .args(["--quiet", "overheads", "--generate", generator.name()])
        .stdin(Stdio::null())
        .output()
        .map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => Failure::Usage(format!(
                "{why}, and valgrind, which could count instead, is not installed: install the package \
                 valgrind"
            )),
            _ => failed(error.to_string()),
        })?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(failed(format!("{}: {}", output.status, said.trim())));
    }
    let counts = parse(&String::from_utf8_lossy(&output.stdout));
    counts.ok_or_else(|| failed("its file has no summary of instructions and misses".into()))
}

/// The line `summary:`, whose columns the line `events:` names.
fn parse(text: &str) -> Option<Counts> {
    let line = |name: &str| text.lines().find_map(|line| line.strip_prefix(name));
    let names = line("events:")?.split_whitespace();
    let numbers = line("summary:")?.split_whitespace();
    let mut counts = Counts::default();
    let mut seen = 0;
    for (name, number) in names.zip(numbers) {
        let number: u64 = number.parse().ok()?;
        let counted = match name {
            "Ir" => &mut counts.instructions,
            "I1mr" | "D1mr" | "D1mw" => &mut counts.first_misses,
            "ILmr" | "DLmr" | "DLmw" => &mut counts.requests,
            _ => continue,
        };
        *counted += number;
        seen += 1;
    }
    (seen == 7).then_some(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_is_added_up() {
        let text = "events: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw\nfn=f\n1 2 3\nsummary: 100 1 2 50 3 4 20 5 6\n";
        let counts = Counts {
            instructions: 100,
            first_misses: 9,
            requests: 12,
        };
        assert_eq!(parse(text), Some(counts));
        assert_eq!(parse("events: Ir\nsummary: 100\n"), None);
        assert_eq!(parse(""), None);
    }
}
