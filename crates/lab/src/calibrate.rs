//! What a machine's kernel spends, read off a measured schedule.
//!
//! All events of one passage through the kernel carry the instant at which it began, but for the last
//! one: who is dispatched (or that the CPU idles) is said when the passage ends. So each decision
//! tells what the passage took:
//!
//! ```text
//!   complete, release × n   dispatch
//!   --------|-------------------|-----------  time
//!           \ n·release + scheduling + switch
//! ```
//!
//! Passages without a release that end in idleness give the cost of scheduling, those that end with
//! another task that of a context switch besides, and the others what each release adds. What happens
//! before and after a passage (the way to the interrupt handler, saving registers, the interpreter of
//! the script) shows as a job that takes longer than it computes; it is counted to the context switch.
//! Medians, so that the rare long way round counts for nothing.

use flyball_model::{Cost, Overheads, TaskSet};
use flyball_trace::file::Trace;
use flyball_trace::{Duration, Event, Kind, Time};

/// The overheads of the machine that `measured` was recorded on. Zero where it shows none.
pub fn calibrate(set: &TaskSet, measured: &Trace) -> Overheads {
    let passages: Vec<Passage> = passages(&measured.events);
    let plain = |idle: bool| {
        let costs = passages
            .iter()
            .filter(|passage| passage.releases == 0 && passage.idle == idle)
            .map(|passage| passage.length);
        median(costs.collect())
    };
    let switching = plain(false);
    // A system that never idles does not tell the two apart; it need not.
    let scheduling = plain(true)
        .unwrap_or_default()
        .min(switching.unwrap_or(Duration::MAX));
    let switch = switching.unwrap_or_default().saturating_sub(scheduling);
    let base = |idle: bool| {
        if idle {
            scheduling
        } else {
            scheduling + switch
        }
    };
    let releases = passages
        .iter()
        .filter(|passage| passage.releases > 0)
        .map(|passage| {
            let more = passage.length.saturating_sub(base(passage.idle));
            Duration::from_nanos(more / Duration::from_nanos(u64::from(passage.releases)))
        });
    let release = median(releases.collect()).unwrap_or_default();
    Overheads {
        release: Cost::fixed(release),
        scheduling: Cost::fixed(scheduling),
        context_switch: Cost::fixed(switch + around(set, &measured.events)),
        ..Overheads::default()
    }
}

/// A passage that ended with a decision.
struct Passage {
    length: Duration,
    /// Releases and wake-ups in it.
    releases: u32,
    idle: bool,
}

fn passages(events: &[Event]) -> Vec<Passage> {
    let mut found = Vec::new();
    let (mut began, mut releases) = (Time::ZERO, 0);
    for event in events {
        match event.kind {
            Kind::Dispatch { .. } | Kind::Idle => {
                // The first decision of all has no beginning.
                if !began.since(Time::ZERO).is_zero() {
                    found.push(Passage {
                        length: event.time.since(began),
                        releases,
                        idle: event.kind == Kind::Idle,
                    });
                }
                releases = 0;
            }
            kind => {
                if event.time != began {
                    (began, releases) = (event.time, 0);
                }
                releases += u32::from(matches!(kind, Kind::Release { .. } | Kind::Wake { .. }));
            }
        }
    }
    found
}

/// By how much a job that nobody interrupts takes longer than it computes. Only of tasks that do
/// nothing but compute, always for the same time.
fn around(set: &TaskSet, events: &[Event]) -> Duration {
    let mut extra = Vec::new();
    for pair in events.windows(2) {
        if let (
            Kind::Dispatch { task, job },
            Kind::Complete {
                task: same,
                job: its,
            },
        ) = (pair[0].kind, pair[1].kind)
            && (task, job) == (same, its)
            && let Some(task) = set.tasks.get(task.index())
            && let [flyball_model::Step::Compute(flyball_model::Length::Fixed(length))] =
                task.behaviour[..]
            && let ran = pair[1].time.since(pair[0].time)
            && ran >= length
        {
            extra.push(ran.saturating_sub(length));
        }
    }
    median(extra).unwrap_or_default()
}

fn median(mut lengths: Vec<Duration>) -> Option<Duration> {
    lengths.sort_unstable();
    lengths.get(lengths.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use flyball_model::Task;
    use flyball_trace::CpuId;
    use flyball_trace::TaskId;
    use flyball_trace::file::Header;

    #[test]
    fn costs_are_read_off_a_small_schedule() {
        let us = Duration::from_micros;
        let set = TaskSet {
            tasks: vec![
                Task::periodic("a", us(100), us(10)),
                Task::periodic("b", us(100), us(20)),
            ],
            ..TaskSet::default()
        };
        let task = |number| TaskId(number);
        let release = |number| Kind::Release {
            task: task(number),
            job: 1,
            deadline: Time::NEVER,
        };
        let dispatch = |number| Kind::Dispatch {
            task: task(number),
            job: 1,
        };
        let complete = |number| Kind::Complete {
            task: task(number),
            job: 1,
        };
        // Two releases at 100 ns each, scheduling 300 ns, a switch 200 ns, 50 ns around each job.
        let events = [
            (1_000, release(0)),
            (1_000, release(1)),
            (1_700, dispatch(0)),
            (11_750, complete(0)),
            (12_250, dispatch(1)),
            (32_300, complete(1)),
            (32_600, Kind::Idle),
        ];
        let events = events.map(|(time, kind)| Event {
            time: Time::from_nanos(time),
            cpu: CpuId(0),
            kind,
        });
        let trace = Trace {
            header: Header::default(),
            events: events.into(),
        };
        let overheads = calibrate(&set, &trace);
        let ns = Duration::from_nanos;
        assert_eq!(overheads.release.at(2), ns(100));
        assert_eq!(overheads.scheduling.at(2), ns(300));
        assert_eq!(overheads.context_switch.at(2), ns(250));
    }
}
