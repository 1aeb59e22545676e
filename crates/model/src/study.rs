//! Studies of schedulability, in a file: which random task sets are drawn, and which tests judge
//! them.
//!
//! A study draws many sets for each utilisation *cap* and counts how many of them a test accepts
//! (Baker, "Comparison of empirical success rates of global vs. partitioned fixed-priority and EDF
//! scheduling for hard real time", 2005; Brandenburg and Anderson, "On the implementation of global
//! real-time schedulers", RTSS 2009; Gracioli, Fröhlich, Pellizzoni and Fischmeister,
//! "Implementation and evaluation of global and partitioned scheduling in a real-time OS",
//! Real-Time Systems 49, 2013). `flyball sweep` makes one, and `docs/sweep.md` describes the file
//! for users.

mod distribution;
pub(crate) mod simulations;

pub use distribution::{Mode, Periods, Shape, Utilisations};
pub use simulations::{
    MOST_POLICIES, MOST_SEEDS, MOST_SIMULATED_JOBS, Measure, Phases, Simulations,
};

use crate::error::{Kind, ModelError};
use crate::measured::{OverheadFile, Statistic, read_overheads};
use crate::read::read_text;
use crate::source::Source;
use crate::toml;
use core::fmt;
use std::path::Path;

/// Most sets of a cap.
pub const MOST_SETS: u32 = 1_000_000;

/// A study.
#[derive(Clone, PartialEq, Debug)]
pub struct Study {
    /// What it is called.
    pub name: String,
    /// What all sets are drawn from: others with another seed.
    pub seed: u64,
    /// The number of CPUs that sets are to hold on, 1 to [`MOST_CPUS`](crate::MOST_CPUS).
    pub cpus: u8,
    /// The utilisations that sets come up to, in rising order.
    pub caps: Vec<Cap>,
    /// How many sets are drawn for each cap of each scenario, 1 to [`MOST_SETS`].
    pub sets: u32,
    /// How many of them are judged in one piece of work, whose results are one file.
    pub batch: u32,
    /// What sets are like.
    pub scenarios: Vec<Scenario>,
    /// What judges them; may be empty if there are simulations.
    pub tests: Vec<Column>,
    /// What is simulated with each of them, if anything is.
    pub simulate: Option<Simulations>,
    /// What the kernel's work costs, beside nothing at all.
    pub charges: Vec<Charge>,
}

/// The names that a study may use.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Known<'n> {
    /// Those of tests.
    pub tests: Vec<&'n str>,
    /// The policies. `None`: any name may be one, as in a study that was checked before.
    pub policies: Option<Vec<KnownPolicy<'n>>>,
}

/// A policy that a study may use.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct KnownPolicy<'n> {
    /// All its names, its own first. They are found in upper or lower case.
    pub names: Vec<&'n str>,
    /// What tells it from another policy of its name, if it does not come with Flyball: see
    /// [`Simulations::sources`].
    pub source: Option<&'n str>,
}

/// A utilisation in thousandths of a CPU. Written as a decimal fraction: `7.5`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Cap(pub u32);

/// What the sets of a scenario are like.
#[derive(Clone, PartialEq, Debug)]
pub struct Scenario {
    /// The periods of tasks.
    pub periods: Periods,
    /// The utilisations of tasks.
    pub utilisations: Utilisations,
    /// By how much a set's utilisation may stay below its cap.
    pub slack: Cap,
}

/// A test, or several of which one has to accept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Column {
    /// What it is called.
    pub name: String,
    /// The tests.
    pub any: Vec<String>,
}

/// Overheads that are charged to tasks before they are judged.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Charge {
    /// The name of the overheads.
    pub name: String,
    /// Where they were measured.
    pub file: OverheadFile,
    /// Which of the measured numbers is charged.
    pub statistic: Statistic,
    /// How they are charged.
    pub accounting: Accounting,
    /// The working sets of tasks in bytes, in rising order: a cache-related delay is charged for
    /// each of them in turn. Empty: none is.
    pub working_sets: Vec<u32>,
}

/// How overheads become a part of tasks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Accounting {
    /// Gracioli et al.'s: a sum that is added to each execution time.
    #[default]
    PerJob,
    /// Brandenburg's, which charges interrupts to whomever they may delay.
    Interrupts,
}

impl Accounting {
    /// All of them.
    pub const ALL: [Accounting; 2] = [Accounting::PerJob, Accounting::Interrupts];

    /// Its name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Accounting::PerJob => "per-job",
            Accounting::Interrupts => "interrupts",
        }
    }
}

impl Scenario {
    /// Its name, which is one of a folder, too: `short-uniform-light`.
    pub fn name(&self) -> String {
        format!("{}-{}", self.periods.name, self.utilisations.name)
    }
}

impl Study {
    /// Reads a study from a text. `name` stands for the file in messages, and is its name if it has
    /// none of its own; `known` are the names of the tests and of the policies that there are;
    /// `overheads` reads the files of overheads that it names.
    ///
    /// # Errors
    /// If the text is no study; the error says where and why.
    pub fn read(
        text: &str,
        name: &str,
        known: &Known<'_>,
        overheads: impl Fn(&str) -> Result<OverheadFile, ModelError>,
    ) -> Result<Study, ModelError> {
        if text.trim().is_empty() {
            let error = ModelError::new(Kind::Missing, "the file is empty").in_file(name);
            return Err(error.help("`docs/sweep.md` has a study to begin with"));
        }
        toml::read_study(&Source::new(name, text), known, &overheads)
    }

    /// Writes it: the study itself, and the files of overheads that it names. The same studies give
    /// the same texts, whatever files they come from.
    pub fn to_toml(&self) -> (String, Vec<(String, String)>) {
        toml::write_study(self)
    }
}

/// Reads a study from a file; files of overheads are looked for from the folder that it is in.
/// `known` are the names of the tests and of the policies that there are.
///
/// # Errors
/// If the file cannot be read, or holds something else; the error says where and why.
pub fn read_study(path: impl AsRef<Path>, known: &Known<'_>) -> Result<Study, ModelError> {
    let path = path.as_ref();
    let name = &*path.to_string_lossy();
    let text = read_text(path, name, "make several studies of it")?;
    let folder = path.parent().unwrap_or(Path::new(""));
    Study::read(&text, name, known, |file| read_overheads(folder.join(file)))
}

impl Cap {
    /// It as a number of CPUs.
    pub fn cpus(self) -> f64 {
        f64::from(self.0) / 1e3
    }

    /// Reads a decimal fraction with at most three digits behind the point.
    pub(crate) fn parse(text: &str) -> Option<Cap> {
        let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
        let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        if !are_digits(whole) || !are_digits(part) || part.len() > 3 {
            return None;
        }
        let thousandths = format!("{part:0<3}").parse::<u32>().ok()?;
        let whole = whole.parse::<u32>().ok()?.checked_mul(1_000)?;
        whole.checked_add(thousandths).map(Cap)
    }
}

impl fmt::Display for Cap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, part) = (self.0 / 1_000, format!("{:03}", self.0 % 1_000));
        match part.trim_end_matches('0') {
            "" => f.pad(&format!("{whole}.0")),
            part => f.pad(&format!("{whole}.{part}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caps_are_read_as_they_are_written() {
        for (text, thousandths) in [
            ("2.0", 2_000),
            ("7.95", 7_950),
            ("0.001", 1),
            ("100.0", 100_000),
        ] {
            assert_eq!(Cap::parse(text), Some(Cap(thousandths)));
            assert_eq!(Cap(thousandths).to_string(), text);
        }
        assert_eq!(Cap::parse("2"), Some(Cap(2_000)));
        for wrong in ["", ".5", "1.", "-1", "1e3", "0.0001", "4294968"] {
            assert_eq!(Cap::parse(wrong), None, "{wrong}");
        }
    }
}
