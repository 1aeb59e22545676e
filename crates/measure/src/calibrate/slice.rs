//! How long time slices really are, where tasks take turns.
//!
//! How long a time slice is meant to be is a setting, and is never read off. What is read off is
//! what the kernel's work does to it. What the simulator charges at the end of a time slice
//! (scheduling, and perhaps a switch) covers the ways into the kernel and out of it. On a machine,
//! however, the clock is read inside of them: they are part of the time slice, and the task does so
//! much less in it. The timer's latency makes a time slice longer instead. Both are some tenths of
//! a microsecond, but a busy interval may have hundreds of time slices, all of which end at a fixed
//! distance from each other, whatever the tasks compute. So the simulator is given the length that
//! makes this distance right:
//!
//! ```text
//!   burst end    entry   dispatch                                    burst end
//!   ----|--------------------|-----------------------------------------------|---  time
//!       scheduling + switch         the slice: what is left of the distance
//! ```
//!
//! It is also what a task gets done in it, since the entry and the ways are what is charged for.
//!
//! Tasks may have time slices of different lengths. What the kernel does to one does not depend on
//! its length, so the differences of all are averaged.
//!
//! Only whole time slices count. A task that was preempted goes on with the rest of its slice, and
//! an order that compares again after each event begins a new one, without an event that says so.
//! Such a distance differs from the setting by more than one kernel entry takes, and
//! is left out. Each CPU has a timer of its own, so distances are those between two ends on the
//! same CPU.

use flyball_model::Overheads;
use flyball_trace::file::Trace;
use flyball_trace::{Duration, Kind, TaskId, Time};

/// The length that a time slice of `quantum`, which is the policy's setting, has in `measured`,
/// where the kernel's work took `overheads`. `meant` tells how long the slices of a task are meant
/// to be, if it has any. They differ from that by at most what one entry takes: a call, a release,
/// scheduling and a switch. `quantum` itself if no whole time slice can be seen. O(events ·
/// log(events)).
pub fn time_slice(
    measured: &Trace,
    overheads: &Overheads,
    quantum: Duration,
    meant: impl Fn(TaskId) -> Option<Duration>,
) -> Duration {
    let tasks = measured.header.tasks.len();
    let scheduling = overheads.scheduling.at(tasks);
    let switch = overheads.context_switch.at(tasks);
    let entry = overheads.call.at(tasks) + overheads.release.at(tasks) + scheduling + switch;
    let nanoseconds = |length: Duration| i128::from(length.as_nanos());
    let is_whole = |off: &i128| off.abs() <= nanoseconds(entry);
    // By how much slices are longer than they are meant to be, in nanoseconds.
    let mut slices: Vec<i128> = Vec::new();
    // On each CPU the last end of a slice, and whether another task was dispatched then; `None`:
    // something else has happened there since, which takes time, too.
    let mut last: Vec<Option<(Time, bool)>> = vec![None; usize::from(measured.header.cpus.max(1))];
    for event in &measured.events {
        let now = event.time;
        let Some(last) = last.get_mut(event.cpu.index()) else {
            continue;
        };
        *last = match (event.kind, *last) {
            (Kind::BurstEnd { task, .. }, last) => {
                slices.extend(last.and_then(|(began, switched)| {
                    let charged = scheduling + switch * u64::from(switched);
                    let slice = now.since(began).saturating_sub(charged);
                    Some(nanoseconds(slice) - nanoseconds(meant(task)?))
                }));
                Some((now, false))
            }
            (Kind::Preempt { .. }, Some((began, _))) if began == now => *last,
            (Kind::Dispatch { .. }, Some((began, false))) => Some((began, true)),
            _ => None,
        };
    }
    slices.retain(is_whole);
    let off = middle(slices).unwrap_or(0);
    u64::try_from(nanoseconds(quantum) + off).map_or(quantum, Duration::from_nanos)
}

/// The mean of the middle half, rounded down: a call that leaves no event makes a slice longer, and
/// the mean, not the median, is what adds up right.
fn middle(mut slices: Vec<i128>) -> Option<i128> {
    slices.sort_unstable();
    let quarter = slices.len() / 4;
    let half = &slices[quarter..slices.len() - quarter];
    let count = i128::try_from(half.len()).ok().filter(|&count| count > 0)?;
    Some(half.iter().sum::<i128>().div_euclid(count))
}

#[cfg(test)]
mod tests {
    use super::*;
    use flyball_model::Cost;
    use flyball_trace::file::Header;
    use flyball_trace::{CpuId, Event};

    const QUANTUM: Duration = Duration::from_nanos(1_000);

    /// The time slice where scheduling takes 100 ns and a switch 50 ns.
    fn slice_of(events: &[(u64, Kind)]) -> u64 {
        let on_first = |&(time, kind): &(u64, Kind)| (time, 0, kind);
        slice_on_several(&events.iter().map(on_first).collect::<Vec<_>>())
    }

    /// The same where each event has its CPU.
    fn slice_on_several(events: &[(u64, u8, Kind)]) -> u64 {
        let event = |&(time, cpu, kind): &(u64, u8, Kind)| Event {
            time: Time::from_nanos(time),
            cpu: CpuId(cpu),
            kind,
        };
        let trace = Trace {
            header: Header {
                cpus: 2,
                ..Header::default()
            },
            events: events.iter().map(event).collect(),
        };
        let cost = |ns| Cost::fixed(Duration::from_nanos(ns));
        let overheads = Overheads {
            scheduling: cost(100),
            context_switch: cost(50),
            ..Overheads::default()
        };
        // The third task has a quantum of its own, and the fourth has none.
        let meant = |TaskId(task)| match task {
            2 => Some(QUANTUM * 2),
            3 => None,
            _ => Some(QUANTUM),
        };
        time_slice(&trace, &overheads, QUANTUM, meant).as_nanos()
    }

    fn end(task: u16) -> Kind {
        let task = TaskId(task);
        Kind::BurstEnd { task, job: 1 }
    }

    fn preempt(task: u16) -> Kind {
        let task = TaskId(task);
        Kind::Preempt { task, job: 1 }
    }

    fn dispatch(task: u16) -> Kind {
        let task = TaskId(task);
        Kind::Dispatch { task, job: 1 }
    }

    #[test]
    fn what_is_charged_between_two_ends_is_no_part_of_the_slice() {
        let switched = [
            (5_000, end(0)),
            (5_000, preempt(0)),
            (5_120, dispatch(1)),
            (6_090, end(1)),
        ];
        assert_eq!(slice_of(&switched), 940);
        let alone = [(5_000, end(0)), (6_040, end(0)), (7_090, end(0))];
        assert_eq!(slice_of(&alone), 945);
    }

    #[test]
    fn slices_in_which_something_else_happens_do_not_count() {
        assert_eq!(slice_of(&[]), 1_000);
        assert_eq!(slice_of(&[(5_000, end(0))]), 1_000);
        let release = Kind::Release {
            task: TaskId(1),
            job: 2,
            deadline: Time::NEVER,
        };
        let disturbed = [(5_000, end(0)), (5_300, release), (6_500, end(0))];
        assert_eq!(slice_of(&disturbed), 1_000);
        let resumed = [
            (5_000, end(0)),
            (5_300, preempt(0)),
            (5_400, dispatch(1)),
            (6_500, end(1)),
        ];
        assert_eq!(slice_of(&resumed), 1_000);
    }

    #[test]
    fn each_slice_is_beside_what_it_is_meant_to_be() {
        // 60 ns less than 2000 with what is charged, and 55 less than 1000.
        let own = [(5_000, end(0)), (7_040, end(2)), (8_085, end(0))];
        assert_eq!(slice_of(&own), 942);
        // What ends the burst of a task without slices is no slice.
        assert_eq!(slice_of(&[(5_000, end(0)), (6_090, end(3))]), 1_000);
    }

    #[test]
    fn each_cpu_has_slices_of_its_own() {
        // Alternately on two CPUs, 400 and 640 ns apart.
        let ends = [5_000, 5_400, 6_040, 6_440, 7_080, 7_480, 8_120, 8_520];
        let cpus = [0, 1].into_iter().cycle();
        let events = ends.into_iter().zip(cpus);
        let events: Vec<_> = events.map(|(at, cpu)| (at, cpu, end(cpu.into()))).collect();
        assert_eq!(slice_on_several(&events), 940);
    }

    #[test]
    fn what_is_left_of_a_slice_is_not_how_long_slices_are() {
        // Tasks that were preempted go on with the rest of their slices, again and again.
        let mut at = 5_000;
        let mut events = vec![(at, end(0))];
        for task in 1..9 {
            at += 500;
            events.push((at, end(task)));
        }
        assert_eq!(slice_of(&events), 1_000);
    }

    #[test]
    fn the_rare_long_way_round_counts_for_nothing() {
        let mut at = 5_000;
        let mut events = vec![(at, end(0))];
        for slice in [1_040, 1_060, 1_040, 9_000, 1_060, 400, 1_040, 1_060] {
            at += slice;
            events.push((at, end(0)));
        }
        assert_eq!(slice_of(&events), 950);
    }
}
