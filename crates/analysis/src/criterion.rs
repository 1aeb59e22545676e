//! The tests for several CPUs, by their short names.
//!
//! | name | what is tested |
//! |---|---|
//! | `GFB` … `BAR`, `RTALC` | global EDF, by a [sufficient test](crate::gedf) |
//! | `FFD` `BFD` `WFD` | partitioned EDF: tasks by falling utilisation, [first, best or worst fit](crate::partitioned) |
//! | `BB` | partitioned EDF: [all ways](mod@crate::any_partition) to divide up to 40 tasks; what it rejects, no partition holds |
//! | `DA-LC` `RTA-LC` | global fixed priorities, the [best ones](crate::gfp::test_best) that are known |
//! | `FFD-FP` `BFD-FP` `WFD-FP` | partitioned fixed priorities: the same fits, D-monotonic, with [exact response times](crate::fixed_priority) |
//! | `BB-FP` | the same, D-monotonic; what it rejects, no partition holds |
//! | `C-EDF/2` `/4` `/8` `/16` | clusters of so many CPUs: tasks by falling utilisation, worst fit or else first fit; global EDF in each, by any of the [nine](crate::gedf::Test::CLASSIC) |
//! | `EDF-WM` `C=D` | semi-partitioned EDF, with [windows](crate::edf_wm) or with [parts that have no time to spare](crate::c_equals_d) |
//! | `PD2` | [PD²](crate::fair), in whole slots of 1000 units: a job waits for the next one, unless all periods are whole slots |
//!
//! All are sufficient: what they accept never misses a deadline under that policy, and the two for
//! all partitions are [exact](Criterion::is_exact). (Where all
//! periods are whole slots, PD² is asked about arrivals at the beginnings of slots, as in the
//! literature.)

use crate::gedf::{self, Set, accepted_by};
use crate::partitioned::sporadic;
use crate::{
    Answer, Fit, InvalidTask, Level, NoRoom, Sequence, SporadicTask, Stop, WorkLimit, c_equals_d,
    edf_wm, fair, gfp, partition, partitioned, priority,
};
use core::fmt;
use flyball_trace::Duration;

/// A test for several CPUs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Criterion {
    /// A sufficient test of global EDF.
    Global(gedf::Test),
    /// Partitioned EDF, tasks by falling utilisation.
    Partitioned(Fit),
    /// A sufficient test of global fixed priorities, with the best ones that are known.
    GlobalFixed(gfp::Test),
    /// Partitioned fixed priorities, tasks by falling utilisation, and D-monotonic on each CPU.
    PartitionedFixed(Fit),
    /// Partitioned EDF, tasks in any way.
    AnyPartition,
    /// Partitioned fixed priorities, tasks in any way, and D-monotonic on each CPU.
    AnyPartitionFixed,
    /// EDF in clusters of this size.
    Clustered(Cluster),
    /// Semi-partitioned EDF: jobs of some tasks have a window on each of several CPUs.
    EdfWm,
    /// Semi-partitioned EDF: parts of some tasks have no time to spare.
    CEqualsD,
    /// Proportionate fairness.
    Fair,
}

/// How many CPUs are in a cluster; in the last one there may be fewer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Cluster {
    /// Two.
    Two,
    /// Four.
    Four,
    /// Eight.
    Eight,
    /// Sixteen.
    Sixteen,
}

/// A slot of PD²: a millisecond, if a unit is a microsecond.
const SLOT: Duration = Duration::from_nanos(1000);

/// The fits that comparisons in the literature are made of.
pub(crate) const FITS: [Fit; 3] = [Fit::First, Fit::Best, Fit::Worst];

impl Cluster {
    /// All sizes.
    pub const ALL: [Cluster; 4] = [
        Cluster::Two,
        Cluster::Four,
        Cluster::Eight,
        Cluster::Sixteen,
    ];

    /// How many CPUs.
    pub const fn cpus(self) -> u32 {
        match self {
            Cluster::Two => 2,
            Cluster::Four => 4,
            Cluster::Eight => 8,
            Cluster::Sixteen => 16,
        }
    }
}

impl Criterion {
    /// All of them, [the usual ones](Criterion::usual) first.
    pub fn all() -> impl Iterator<Item = Criterion> {
        let newer = gedf::Test::ALL
            .into_iter()
            .skip(gedf::Test::CLASSIC.len())
            .map(Criterion::Global);
        Criterion::usual()
            .chain(newer)
            .chain(gfp::Test::ALL.map(Criterion::GlobalFixed))
            .chain(FITS.map(Criterion::PartitionedFixed))
            .chain(Cluster::ALL.map(Criterion::Clustered))
            .chain([Criterion::EdfWm, Criterion::CEqualsD, Criterion::Fair])
            .chain([Criterion::AnyPartition, Criterion::AnyPartitionFixed])
    }

    /// Those that comparisons in the literature are made of, and that are asked if none is named:
    /// the [nine](gedf::Test::CLASSIC) of global EDF, and partitioned EDF.
    pub fn usual() -> impl Iterator<Item = Criterion> {
        let global = gedf::Test::CLASSIC.into_iter().map(Criterion::Global);
        global.chain(FITS.map(Criterion::Partitioned))
    }

    /// Its name, as in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Criterion::Global(test) => test.name(),
            Criterion::Partitioned(Fit::First) => "FFD",
            Criterion::Partitioned(Fit::Best) => "BFD",
            Criterion::Partitioned(Fit::Worst) => "WFD",
            Criterion::Partitioned(Fit::Next) => "NFD",
            Criterion::GlobalFixed(test) => test.name(),
            Criterion::PartitionedFixed(Fit::First) => "FFD-FP",
            Criterion::PartitionedFixed(Fit::Best) => "BFD-FP",
            Criterion::PartitionedFixed(Fit::Worst) => "WFD-FP",
            Criterion::PartitionedFixed(Fit::Next) => "NFD-FP",
            Criterion::AnyPartition => "BB",
            Criterion::AnyPartitionFixed => "BB-FP",
            Criterion::Clustered(Cluster::Two) => "C-EDF/2",
            Criterion::Clustered(Cluster::Four) => "C-EDF/4",
            Criterion::Clustered(Cluster::Eight) => "C-EDF/8",
            Criterion::Clustered(Cluster::Sixteen) => "C-EDF/16",
            Criterion::EdfWm => "EDF-WM",
            Criterion::CEqualsD => "C=D",
            Criterion::Fair => "PD2",
        }
    }

    /// The test with this name, in upper or lower case.
    pub fn find(name: &str) -> Option<Criterion> {
        Criterion::all().find(|criterion| criterion.name().eq_ignore_ascii_case(name))
    }

    /// The policy under which what it accepts holds.
    pub const fn policy(self) -> Policy {
        match self {
            Criterion::Global(_) => Policy::GlobalEdf,
            Criterion::Partitioned(_) | Criterion::AnyPartition => Policy::PartitionedEdf,
            Criterion::GlobalFixed(_) => Policy::GlobalFp,
            Criterion::PartitionedFixed(_) | Criterion::AnyPartitionFixed => Policy::PartitionedFp,
            Criterion::Clustered(_) => Policy::ClusteredEdf,
            Criterion::EdfWm => Policy::EdfWm,
            Criterion::CEqualsD => Policy::CEqualsD,
            Criterion::Fair => Policy::Fair,
        }
    }

    /// Whether what it rejects misses a deadline under its policy, however tasks are divided, with
    /// some arrivals of sporadic tasks. Where it chooses priorities for tasks with release jitter, they may not be
    /// the best ones.
    pub const fn is_exact(self) -> bool {
        matches!(self, Criterion::AnyPartition | Criterion::AnyPartitionFixed)
    }

    /// What it says about a set on so many CPUs. It takes at most `limit` steps, or so many for
    /// each CPU and each place that is tried for a task.
    pub fn ask(self, set: &Set, cpus: u32, limit: WorkLimit) -> Answer {
        match self {
            Criterion::Global(which) => gedf::test(which, set, cpus, limit),
            Criterion::Partitioned(fit) => partitioned::test(set, cpus, fit, limit),
            Criterion::GlobalFixed(which) => {
                gfp::test_best(which, &set.within_periods(), cpus, limit)
            }
            _ => self.ask_tasks(&sporadic(set), cpus, limit),
        }
    }

    /// The same of tasks, with a nanosecond for a unit, whose times may be longer than those of a
    /// set. The tests of global policies do not count these, and say [`Stop::TimeRange`].
    pub fn ask_tasks(self, tasks: &[SporadicTask], cpus: u32, limit: WorkLimit) -> Answer {
        match self {
            Criterion::Global(_) | Criterion::GlobalFixed(_) => match Set::of(tasks) {
                Ok(set) => self.ask(&set, cpus, limit),
                Err(error) => not_taken(error),
            },
            Criterion::Fair => fair(tasks, cpus),
            Criterion::AnyPartition => partitioned::any(tasks, cpus as usize, limit),
            Criterion::AnyPartitionFixed => {
                partitioned::any_by_levels(tasks, &monotonic(tasks), cpus as usize, limit)
            }
            Criterion::Partitioned(_)
            | Criterion::PartitionedFixed(_)
            | Criterion::Clustered(_)
            | Criterion::EdfWm
            | Criterion::CEqualsD => {
                let divided = self.divide(tasks, cpus, limit);
                divided.map_or_else(Answer::from, |()| Answer::Accepts)
            }
        }
    }

    /// The first task that there is no room for, where tasks are divided among CPUs or clusters;
    /// `None` if there is for all, or the test divides nothing. Limits are those of
    /// [`Criterion::ask`].
    pub fn first_without_room(
        self,
        tasks: &[SporadicTask],
        cpus: u32,
        limit: WorkLimit,
    ) -> Option<NoRoom> {
        self.divide(tasks, cpus, limit).err()
    }

    /// Whether there is room for all.
    fn divide(self, tasks: &[SporadicTask], cpus: u32, limit: WorkLimit) -> Result<(), NoRoom> {
        let many = cpus as usize;
        match self {
            Criterion::Partitioned(fit) => {
                let holds = |_: usize, here: &[usize]| {
                    let here: Vec<_> = here.iter().map(|&task| tasks[task]).collect();
                    partitioned::hold(&here, limit)
                };
                partition(tasks, many, fit, Sequence::Utilisation, holds).map(drop)
            }
            Criterion::PartitionedFixed(fit) => {
                partitioned::by_levels(tasks, &monotonic(tasks), many, fit, limit).map(drop)
            }
            Criterion::Clustered(size) => {
                let place = |fit| clustered(tasks, cpus, size.cpus(), fit, limit);
                // What the other fit leaves over is no worse a reason, and what one has left open
                // stays open.
                place(Fit::Worst).or_else(|worst| {
                    place(Fit::First).map_err(|first| NoRoom {
                        stopped: first.stopped.or(worst.stopped),
                        ..first
                    })
                })
            }
            Criterion::EdfWm => edf_wm::split(tasks, many, limit, |_| true).map(drop),
            Criterion::CEqualsD => c_equals_d::split(tasks, many, limit, |_| true).map(drop),
            Criterion::Global(_)
            | Criterion::GlobalFixed(_)
            | Criterion::AnyPartition
            | Criterion::AnyPartitionFixed
            | Criterion::Fair => Ok(()),
        }
    }
}

/// D-monotonic levels, all of them different.
fn monotonic(tasks: &[SporadicTask]) -> Vec<Level> {
    priority::distinct(&priority::deadline_monotonic(tasks))
}

/// A policy for several CPUs that there are tests of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Policy {
    /// All CPUs serve one queue, the earliest deadline first.
    GlobalEdf,
    /// Each CPU serves the tasks that it was given for good, the earliest deadline first.
    PartitionedEdf,
    /// A few CPUs each serve a queue, the earliest deadline first.
    ClusteredEdf,
    /// All CPUs serve one queue by fixed priorities.
    GlobalFp,
    /// Each CPU serves the tasks that it was given for good by fixed priorities.
    PartitionedFp,
    /// As partitioned EDF, but some tasks are split, with a window for each part.
    EdfWm,
    /// As partitioned EDF, but some tasks are split, and all parts but one have no time to spare.
    CEqualsD,
    /// Each task gets its part of every stretch of time.
    Fair,
}

/// The overheads that a policy pays.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Payer {
    /// Those of a queue for all CPUs.
    Global,
    /// Those of queues of their own.
    Partitioned,
}

impl Payer {
    /// Both.
    pub const ALL: [Payer; 2] = [Payer::Global, Payer::Partitioned];

    /// The policy whose overheads are measured for it, as files of overheads name it.
    pub const fn name(self) -> &'static str {
        match self {
            Payer::Global => "g-edf",
            Payer::Partitioned => "p-edf",
        }
    }
}

impl Policy {
    /// All of them.
    pub const ALL: [Policy; 8] = [
        Policy::GlobalEdf,
        Policy::PartitionedEdf,
        Policy::ClusteredEdf,
        Policy::GlobalFp,
        Policy::PartitionedFp,
        Policy::EdfWm,
        Policy::CEqualsD,
        Policy::Fair,
    ];

    /// Its name on command lines: `g-edf` and so on.
    pub const fn name(self) -> &'static str {
        match self {
            Policy::GlobalEdf => "g-edf",
            Policy::PartitionedEdf => "p-edf",
            Policy::ClusteredEdf => "c-edf",
            Policy::GlobalFp => "g-fp",
            Policy::PartitionedFp => "p-fp",
            Policy::EdfWm => "edf-wm",
            Policy::CEqualsD => "c=d",
            Policy::Fair => "pd2",
        }
    }

    /// Its name in tables: `G-EDF` and so on.
    pub const fn title(self) -> &'static str {
        match self {
            Policy::GlobalEdf => "G-EDF",
            Policy::PartitionedEdf => "P-EDF",
            Policy::ClusteredEdf => "C-EDF",
            Policy::GlobalFp => "G-FP",
            Policy::PartitionedFp => "P-FP",
            Policy::EdfWm => "EDF-WM",
            Policy::CEqualsD => "C=D",
            Policy::Fair => "PD2",
        }
    }

    /// Its tests.
    pub fn criteria(self) -> impl Iterator<Item = Criterion> {
        Criterion::all().filter(move |criterion| criterion.policy() == self)
    }

    /// The overheads that it pays.
    ///
    /// What a queue costs hardly depends on what it is sorted by, so fixed priorities have those of
    /// EDF. A cluster has those of one queue for all CPUs, which is to the safe side. `None`: jobs
    /// of split tasks, and all jobs under PD², begin more than once, which nothing here charges.
    pub const fn payer(self) -> Option<Payer> {
        match self {
            Policy::GlobalEdf | Policy::ClusteredEdf | Policy::GlobalFp => Some(Payer::Global),
            Policy::PartitionedEdf | Policy::PartitionedFp => Some(Payer::Partitioned),
            Policy::EdfWm | Policy::CEqualsD | Policy::Fair => None,
        }
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.title())
    }
}

impl fmt::Display for Criterion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What tests of several CPUs say of tasks that make no set.
fn not_taken(error: InvalidTask) -> Answer {
    match error {
        InvalidTask::Endless(_) | InvalidTask::TooLong(_) => Answer::Stopped(Stop::TimeRange),
        InvalidTask::Zero(_) | InvalidTask::NotCovered(_) => Answer::Rejects,
    }
}

/// PD² in slots of [`SLOT`].
fn fair(tasks: &[SporadicTask], cpus: u32) -> Answer {
    if tasks.iter().any(|task| task.j() > 0) {
        return Answer::Rejects;
    }
    let is_whole = |task: &SporadicTask| task.t().is_multiple_of(SLOT.as_nanos());
    if tasks.iter().all(is_whole) {
        return Answer::from(&fair::test(tasks, SLOT, cpus));
    }
    // Up to the next slot: that is not without end, so all tasks take it.
    let wait = SLOT.saturating_sub(Duration::from_nanos(1));
    let waits = tasks.iter().map(|task| task.with_jitter(wait));
    let waiting: Result<Vec<_>, _> = waits.collect();
    waiting.map_or(Answer::Rejects, |waiting| {
        Answer::from(&fair::test(&waiting, SLOT, cpus))
    })
}

/// Whether there is room for all tasks in clusters of so many CPUs.
fn clustered(
    tasks: &[SporadicTask],
    cpus: u32,
    size: u32,
    fit: Fit,
    limit: WorkLimit,
) -> Result<(), NoRoom> {
    let firsts = (0..cpus).step_by(size as usize);
    let sizes: Vec<u32> = firsts.map(|first| size.min(cpus - first)).collect();
    let holds = |cluster: usize, here: &[usize]| {
        let here: Vec<_> = here.iter().map(|&task| tasks[task]).collect();
        let members = match Set::of(&here) {
            Ok(members) => members,
            Err(error) => return not_taken(error),
        };
        let accepted = accepted_by(&gedf::Test::CLASSIC, &members, sizes[cluster], limit);
        Answer::from(accepted.map(|by| by.is_some()))
    };
    partition(tasks, sizes.len(), fit, Sequence::Utilisation, holds).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_test_is_of_one_policy() {
        let all: Vec<_> = Policy::ALL.into_iter().flat_map(Policy::criteria).collect();
        assert_eq!(all.len(), Criterion::all().count());
        for criterion in Criterion::all() {
            assert_eq!(Criterion::find(criterion.name()), Some(criterion));
            assert!(all.contains(&criterion));
        }
        assert_eq!(Criterion::find("G-EDF"), None);
    }
}
