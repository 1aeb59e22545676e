//! Overheads that were measured, in a file: what a kernel's work costs under each policy, and what
//! a preemption does to a working set.
//!
//! `flyball overheads` writes such files, and `flyball simulate --overheads` reads them. A table of
//! overheads in one is the table that a task set has as `[platform.overheads]`. The format is
//! described for users in `docs/overheads.md`.

use crate::error::{Kind, ModelError};
use crate::read::read_text;
use crate::source::Source;
use crate::taskset::{Cost, Overheads};
use crate::toml;
use flyball_trace::Duration;
use std::path::Path;

/// Overheads that were measured.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct OverheadFile {
    /// Where they come from.
    pub provenance: Provenance,
    /// The overheads of policies.
    pub entries: Vec<Entry>,
    /// Cache-related delays.
    pub delays: Vec<Delays>,
}

/// Where measurements come from. There is no date in it: the same measurement makes the same file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Provenance {
    /// The processor.
    pub processor: String,
    /// The operating system; empty: there was none.
    pub system: String,
    /// How it was measured.
    pub method: String,
    /// The number of CPUs that policies had.
    pub cpus: u8,
    /// How often each quantity was measured.
    pub repetitions: u64,
}

/// The overheads of a policy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The policy's name.
    pub policy: String,
    /// The name of its queue.
    pub queue: String,
    /// Which number of many measured ones each cost is.
    pub statistic: Statistic,
    /// The overheads.
    pub overheads: Overheads,
}

/// How much longer a job computes after an interference, by its working set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Delays {
    /// What the interference was: `preemption` or `migration`.
    pub after: After,
    /// Which number of many measured ones each delay is.
    pub statistic: Statistic,
    /// The delays by the working set in bytes.
    pub by_working_set: Cost,
}

/// What delays a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum After {
    /// Another job ran meanwhile.
    Preemption,
    /// It went on on another CPU.
    Migration,
}

/// One number for many.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Statistic {
    /// The mean.
    Mean,
    /// The median.
    Median,
    /// What 99.9 % are not above.
    #[default]
    P999,
    /// The largest.
    Worst,
}

impl Statistic {
    /// All of them, from the least to the largest, as a rule.
    pub const ALL: [Statistic; 4] = [
        Statistic::Median,
        Statistic::Mean,
        Statistic::P999,
        Statistic::Worst,
    ];

    /// Its name in files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Statistic::Mean => "mean",
            Statistic::Median => "median",
            Statistic::P999 => "p999",
            Statistic::Worst => "worst",
        }
    }
}

impl After {
    /// Its name in files.
    pub const fn name(self) -> &'static str {
        match self {
            After::Preemption => "preemption",
            After::Migration => "migration",
        }
    }
}

/// Reads overheads from a file.
///
/// # Errors
/// If the file cannot be read, or holds something else; the error says where and why.
pub fn read_overheads(path: impl AsRef<Path>) -> Result<OverheadFile, ModelError> {
    let path = path.as_ref();
    let name = &*path.to_string_lossy();
    OverheadFile::read(&read_text(path, name, "measure less at once")?, name)
}

impl OverheadFile {
    /// Reads overheads from a text; `name` stands for the file in messages.
    ///
    /// # Errors
    /// If the text is something else; the error says where and why.
    pub fn read(text: &str, name: &str) -> Result<OverheadFile, ModelError> {
        if text.trim().is_empty() {
            let error = ModelError::new(Kind::Missing, "the file is empty").in_file(name);
            return Err(error.help("make one with `flyball overheads --out FILE`"));
        }
        toml::read_measured(&Source::new(name, text))
    }

    /// Writes them. Reading the result gives the same again, if every entry has a cost.
    pub fn to_toml(&self) -> String {
        toml::write_measured(self)
    }

    /// What the work for a policy costs, with the queue that stands first in the file. Where all
    /// CPUs have queues of their own, the policy is that of one CPU: `edf` is `p-edf`.
    pub fn overheads(&self, policy: &str, statistic: Statistic) -> Option<&Overheads> {
        let is_it = |entry: &&Entry| {
            let name = entry.policy.as_str();
            entry.statistic == statistic
                && (name == policy || name.strip_prefix("p-") == Some(policy))
        };
        self.entries
            .iter()
            .find(is_it)
            .map(|entry| &entry.overheads)
    }

    /// The names of the policies, in the order of the file.
    pub fn policies(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for entry in &self.entries {
            if !names.contains(&entry.policy.as_str()) {
                names.push(&entry.policy);
            }
        }
        names
    }

    /// By how much a job with a working set of so many bytes is delayed after a preemption or a
    /// migration, whichever is worse: the delay of the smallest measured working set that is not
    /// below it. `None`: none so large was measured.
    pub fn delay(&self, working_set: u32, statistic: Statistic) -> Option<Duration> {
        let delays = self
            .delays
            .iter()
            .filter(|delays| delays.statistic == statistic);
        let delays = delays.map(|delays| {
            let points = delays.by_working_set.points().iter();
            let mut points = points.filter(|&&(bytes, _)| bytes >= working_set);
            points.next().map(|&(_, delay)| delay)
        });
        // Where one of the two is not known, neither is which is worse.
        let delays: Option<Vec<_>> = delays.collect();
        delays?.into_iter().max()
    }
}
