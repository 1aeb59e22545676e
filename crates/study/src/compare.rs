//! A simulated schedule and a measured one, side by side.
//!
//! Both are the same vocabulary of events, so they can be compared event by event: *what* happened,
//! in which order; and then *when*. A kernel on a machine takes time for its own work and the
//! simulated one takes what it was told that the machine takes, so the instants differ a little;
//! the order should not.
//!
//! What is compared is what is decided: releases, dispatches, blocking and waking, mutexes, misses
//! and completions, on each CPU in order; between CPUs there is none, but for the instants. Ticks
//! and what the kernel spends are not; neither is what happens so shortly before the end that only
//! one of the two schedules still shows it. O(events).

use flyball_model::Overheads;
use flyball_trace::file::Trace;
use flyball_trace::metrics::Summary;
use flyball_trace::{CpuId, Duration, Event, Kind, TaskId, Time};
use std::collections::HashMap;

mod hair;

pub use hair::{HAIR, Hair};

/// A schedule that a machine made, and its simulation.
#[derive(Clone, Debug)]
pub struct SideBySide {
    /// What the machine's kernel was seen to spend, and the simulation charged.
    pub overheads: Overheads,
    /// The policy's setting `quantum`, if it has one.
    pub quantum: Option<Duration>,
    /// The quantum as the simulation had it: the setting, corrected by what the machine's kernel
    /// does to each time slice.
    pub slice: Option<Duration>,
    /// What is the same, and what is not.
    pub comparison: Comparison,
    /// The schedule that was simulated.
    pub simulated: Trace,
    /// Its numbers.
    pub simulated_summary: Summary,
    /// The schedule that was measured.
    pub measured: Trace,
    /// Its numbers.
    pub measured_summary: Summary,
    /// What is the same where the simulation [follows](flyball_sim::Seen) what each entry of the machine's kernel took; `None`:
    /// the order is the same already, or CPUs share a kernel.
    pub followed: Option<Comparison>,
    /// Why they part, where they do and a reason is known.
    pub reason: Option<Parting>,
}

impl SideBySide {
    /// Whether the order is the same, by means or where the simulation [follows](SideBySide::followed) what entries of the
    /// machine's kernel took.
    pub fn is_same_order(&self) -> bool {
        let followed = self.followed.as_ref();
        self.comparison.is_same_order() || followed.is_some_and(Comparison::is_same_order)
    }

    /// How many events are the same.
    pub fn agree(&self) -> usize {
        let followed = self.followed.as_ref().map(|followed| followed.agree);
        followed.unwrap_or(0).max(self.comparison.agree)
    }

    /// Whether nothing speaks against the simulation: the order is the same, or it is known [why](Parting)
    /// it is not.
    pub fn agrees(&self) -> bool {
        self.comparison.is_same_order() || self.reason.is_some()
    }
}

/// Why a schedule and its simulation part, though neither is wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parting {
    /// What the kernel does takes more or less than the mean, which was simulated: where it takes what it took on the machine,
    /// entry by entry, the order is the same [to the end](SideBySide::followed).
    Costs,
    /// Two things come so near to each other that either may come first: the simulation parts in the
    /// same way, once what it cannot know exactly (computations, budgets, the kernel's costs) is off by
    /// a few microseconds.
    Hair,
    /// Two releases come so near to each other that the machine makes both in one entry of its kernel,
    /// and decides once.
    OneEntry,
    /// The last call of a job lets a more urgent task run, which on the machine does so before the job
    /// ends; in the simulation that call takes no time.
    LastCall,
    /// The machine has no room for another job of a task whose jobs wait for earlier ones, and skips it.
    NoRoom,
}

/// What came of comparing two schedules.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Comparison {
    /// How many events happened in both, in the same order.
    pub agree: usize,
    /// The first events that are not the same, if there are any.
    pub difference: Option<Difference>,
    /// Two things that happen at nearly the same time and come in different orders in the two
    /// schedules, the last ones before they part: the reason, where there are any.
    pub hair: Option<Hair>,
    /// By task: how its completions differ.
    pub completions: Vec<Completions>,
}

/// The first place where two schedules part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Difference {
    /// What the simulation does there.
    pub simulated: Event,
    /// What the machine did.
    pub measured: Event,
}

impl Difference {
    /// How far the two events are from each other, if that is less than [`HAIR`].
    pub fn near(&self) -> Option<Duration> {
        let (simulated, measured) = (self.simulated.time, self.measured.time);
        let apart = simulated.since(measured).max(measured.since(simulated));
        Some(apart).filter(|&apart| apart < HAIR)
    }
}

/// How the completions of a task's jobs differ between the two schedules.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Completions {
    /// Jobs that were completed in both.
    pub jobs: u64,
    /// The largest difference between the instants of completion.
    pub largest: Duration,
    /// The largest ratio of such a difference to the measured response time, in millionths.
    pub largest_ppm: u64,
    /// Jobs that differ by more than [`NOTABLE`] and by more than a hundredth of their response
    /// time.
    pub notable: u64,
}

/// A difference that is notable if it is more than a hundredth of the response time, too.
pub const NOTABLE: Duration = Duration::from_micros(20);

impl Comparison {
    /// Whether all events that were compared are the same, in the same order.
    pub fn is_same_order(&self) -> bool {
        self.difference.is_none()
    }

    /// How many jobs differ notably.
    pub fn notable(&self) -> u64 {
        self.completions.iter().map(|task| task.notable).sum()
    }

    /// The largest difference between the instants of completion of a job.
    pub fn largest(&self) -> Duration {
        let largest = self.completions.iter().map(|task| task.largest).max();
        largest.unwrap_or_default()
    }
}

/// Compares two schedules of the same task set, whose tasks have the same numbers. `cluster` CPUs
/// share a kernel: what happens in different clusters has nothing to do with each other.
pub fn compare(simulated: &Trace, measured: &Trace, cluster: u8) -> Comparison {
    let mut comparison = Comparison::default();
    for cpu in 0..simulated.header.cpus.max(1) {
        let cpu = CpuId(cpu);
        for (simulated, measured) in decided(simulated, cpu).zip(decided(measured, cpu)) {
            if what(&simulated) != what(&measured) {
                let first = comparison.difference;
                if first.is_none_or(|first| simulated.time < first.simulated.time) {
                    comparison.difference = Some(Difference {
                        simulated,
                        measured,
                    });
                }
                break;
            }
            comparison.agree += 1;
        }
    }
    let difference = comparison.difference.as_ref();
    comparison.hair =
        difference.and_then(|difference| hair::find(simulated, measured, difference, cluster));
    comparison.completions = completions(simulated, measured);
    comparison
}

/// The events that are compared.
fn decided(trace: &Trace, cpu: CpuId) -> impl Iterator<Item = Event> + '_ {
    let events = trace.events.iter().copied();
    events.filter(move |event| event.cpu == cpu && is_compared(event))
}

/// Whether an event of one schedule has to be in the other. What a server has is not: it is made of
/// times, and what the server did with it is seen in its tasks. So is what a task is entitled to.
pub fn is_compared(event: &Event) -> bool {
    !event.kind.is_of_reservation()
        && !matches!(
            event.kind,
            Kind::Overhead { .. } | Kind::Tick | Kind::Start { .. }
        )
}

/// What an event says, but for its time. (The deadline of a release is a time, too.)
fn what(event: &Event) -> Kind {
    match event.kind {
        Kind::Release { task, job, .. } => Kind::Release {
            task,
            job,
            deadline: Time::ZERO,
        },
        kind => kind,
    }
}

fn completions(simulated: &Trace, measured: &Trace) -> Vec<Completions> {
    let mut tasks = vec![Completions::default(); simulated.header.tasks.len()];
    let ends = |trace: &Trace| -> HashMap<(TaskId, u32), Time> {
        let end = |event: &Event| match event.kind {
            Kind::Complete { task, job } => Some(((task, job), event.time)),
            _ => None,
        };
        trace.events.iter().filter_map(end).collect()
    };
    let simulated = ends(simulated);
    let measured_ends = ends(measured);
    for event in &measured.events {
        let Kind::Release { task, job, .. } = event.kind else {
            continue;
        };
        let (Some(&here), Some(&there)) =
            (measured_ends.get(&(task, job)), simulated.get(&(task, job)))
        else {
            continue;
        };
        let Some(sums) = tasks.get_mut(task.index()) else {
            continue;
        };
        let difference = here.since(there).max(there.since(here));
        let response = here.since(event.time).as_nanos().max(1);
        let ppm = u128::from(difference.as_nanos()) * 1_000_000 / u128::from(response);
        sums.jobs += 1;
        sums.notable += u64::from(difference > NOTABLE && ppm > 10_000);
        sums.largest = sums.largest.max(difference);
        sums.largest_ppm = sums.largest_ppm.max(u64::try_from(ppm).unwrap_or(u64::MAX));
    }
    tasks
}

#[cfg(test)]
mod tests {
    use super::*;
    use flyball_trace::file::Header;
    use flyball_trace::metrics::TaskInfo;

    fn trace(events: &[(u64, Kind)]) -> Trace {
        let event = |&(time, kind): &(u64, Kind)| Event {
            time: Time::from_nanos(time),
            cpu: CpuId(0),
            kind,
        };
        Trace {
            header: Header {
                tasks: vec![TaskInfo::default(); 2],
                cpus: 1,
                ..Header::default()
            },
            events: events.iter().map(event).collect(),
        }
    }

    fn release(task: u16, deadline: u64) -> Kind {
        Kind::Release {
            task: TaskId(task),
            job: 1,
            deadline: Time::from_nanos(deadline),
        }
    }

    fn dispatch(task: u16) -> Kind {
        let task = TaskId(task);
        Kind::Dispatch { task, job: 1 }
    }

    fn complete(task: u16) -> Kind {
        let task = TaskId(task);
        Kind::Complete { task, job: 1 }
    }

    #[test]
    fn the_same_order_at_other_instants_is_the_same() {
        let simulated = trace(&[
            (0, release(0, 50)),
            (0, dispatch(0)),
            (10, complete(0)),
            (10, Kind::Idle),
            (20, release(1, 99)),
        ]);
        let measured = trace(&[
            (1, release(0, 51)),
            (2, Kind::Tick),
            (3, dispatch(0)),
            (14, complete(0)),
            (15, Kind::Idle),
        ]);
        let comparison = compare(&simulated, &measured, 1);
        assert!(comparison.is_same_order());
        assert_eq!(comparison.agree, 4);
        let ns = Duration::from_nanos;
        assert_eq!(comparison.largest(), ns(4));
        // 4 of the 13 ns from 1 to 14.
        assert_eq!(comparison.completions[0].largest_ppm, 307_692);
        assert_eq!(comparison.completions[1], Completions::default());
    }

    #[test]
    fn the_first_difference_is_told() {
        let simulated = trace(&[(0, release(0, 9)), (0, release(1, 9)), (0, dispatch(1))]);
        let measured = trace(&[(0, release(0, 9)), (0, release(1, 9)), (1, dispatch(0))]);
        let comparison = compare(&simulated, &measured, 1);
        assert_eq!(comparison.agree, 2);
        let difference = comparison.difference.expect("they differ");
        assert_eq!(difference.simulated.kind, dispatch(1));
        assert_eq!(difference.measured.kind, dispatch(0));
    }
}
