//! How long turns really are, where tasks take turns.
//!
//! What the simulator charges at the end of a turn (scheduling, and perhaps a switch) covers the ways
//! into the kernel and out of it. On a machine, however, the clock is read inside of them: they are
//! part of the turn, and the task does so much less in it. The timer's latency makes a turn longer
//! instead. Both are some tenths of a microsecond, but a busy interval may have hundreds of turns, all
//! of which end at a fixed distance from each other, whatever the tasks compute. So the simulator is
//! to be told the turn that makes this distance right:
//!
//! ```text
//!   burst end    passage   dispatch                                    burst end
//!   ----|--------------------|-----------------------------------------------|---  time
//!       scheduling + switch         the turn: what is left of the distance
//! ```
//!
//! It is also what a task gets done in it, since the passage and the ways are what is charged for.

use flyball_model::Overheads;
use flyball_trace::file::Trace;
use flyball_trace::{Duration, Kind, Time};

/// How long the turns were in `measured`, where the kernel's work took `overheads` and a whole turn
/// was meant to be `quantum`; if none can be seen, that. O(events · log(events)).
pub fn turn(measured: &Trace, overheads: &Overheads, quantum: Duration) -> Duration {
    let tasks = measured.header.tasks.len();
    let scheduling = overheads.scheduling.at(tasks);
    let switch = overheads.context_switch.at(tasks);
    let mut turns = Vec::new();
    // The last end of a turn, and whether somebody else was dispatched then; `None`: something else
    // has happened since, which takes time, too.
    let mut last: Option<(Time, bool)> = None;
    for event in &measured.events {
        let now = event.time;
        last = match (event.kind, last) {
            (Kind::BurstEnd { .. }, last) => {
                turns.extend(last.map(|(began, switched)| {
                    let charged = scheduling + switch * u64::from(switched);
                    now.since(began).saturating_sub(charged)
                }));
                Some((now, false))
            }
            (Kind::Preempt { .. }, Some((began, _))) if began == now => last,
            (Kind::Dispatch { .. }, Some((began, false))) => Some((began, true)),
            _ => None,
        };
    }
    middle(turns).unwrap_or(quantum)
}

/// The mean of the middle half: a call that leaves no event makes a turn longer, and the mean, not the
/// median, is what adds up right.
fn middle(mut turns: Vec<Duration>) -> Option<Duration> {
    turns.sort_unstable();
    let quarter = turns.len() / 4;
    let half = &turns[quarter..turns.len() - quarter];
    // No two turns overlap, so the sum is no longer than the schedule.
    let sum: u64 = half.iter().map(|turn| turn.as_nanos()).sum();
    sum.checked_div(half.len() as u64).map(Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flyball_model::Cost;
    use flyball_trace::file::Header;
    use flyball_trace::{CpuId, Event, TaskId};

    const QUANTUM: Duration = Duration::from_nanos(1_000);

    /// The turn where scheduling takes 100 ns and a switch 50 ns.
    fn turn_of(events: &[(u64, Kind)]) -> u64 {
        let event = |&(time, kind): &(u64, Kind)| Event {
            time: Time::from_nanos(time),
            cpu: CpuId(0),
            kind,
        };
        let trace = Trace {
            header: Header::default(),
            events: events.iter().map(event).collect(),
        };
        let cost = |ns| Cost::fixed(Duration::from_nanos(ns));
        let overheads = Overheads {
            scheduling: cost(100),
            context_switch: cost(50),
            ..Overheads::default()
        };
        turn(&trace, &overheads, QUANTUM).as_nanos()
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
    fn what_is_charged_between_two_ends_is_no_part_of_the_turn() {
        let switched = [
            (5_000, end(0)),
            (5_000, preempt(0)),
            (5_120, dispatch(1)),
            (6_090, end(1)),
        ];
        assert_eq!(turn_of(&switched), 940);
        let alone = [(5_000, end(0)), (6_040, end(0)), (7_090, end(0))];
        assert_eq!(turn_of(&alone), 945);
    }

    #[test]
    fn turns_in_which_something_else_happens_do_not_count() {
        assert_eq!(turn_of(&[]), 1_000);
        assert_eq!(turn_of(&[(5_000, end(0))]), 1_000);
        let release = Kind::Release {
            task: TaskId(1),
            job: 2,
            deadline: Time::NEVER,
        };
        let disturbed = [(5_000, end(0)), (5_300, release), (6_500, end(0))];
        assert_eq!(turn_of(&disturbed), 1_000);
        let resumed = [
            (5_000, end(0)),
            (5_300, preempt(0)),
            (5_400, dispatch(1)),
            (6_500, end(1)),
        ];
        assert_eq!(turn_of(&resumed), 1_000);
    }

    #[test]
    fn the_rare_long_way_round_counts_for_nothing() {
        let mut at = 5_000;
        let mut events = vec![(at, end(0))];
        for turn in [1_040, 1_060, 1_040, 9_000, 1_060, 400, 1_040, 1_060] {
            at += turn;
            events.push((at, end(0)));
        }
        assert_eq!(turn_of(&events), 950);
    }
}
