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
//! another task that of a context switch besides, and the others what each release adds.
//!
//! What happens before and after a passage (the way to the interrupt handler, saving registers, the
//! interpreter of the script) and what calls take that change nobody shows as a job that takes longer
//! than it computes: of jobs that make calls each call is counted to `call`, and what jobs without calls
//! take longer to the context switch. Medians, so that the rare long way round counts for nothing.

use flyball_model::{Cost, Overheads, TaskSet};
use flyball_sim::program::{Call, Program};
use flyball_trace::file::Trace;
use flyball_trace::{Duration, Event, Kind, Time};
use std::collections::{BTreeMap, HashSet};

/// The overheads of the machine that `measured` was recorded on. Zero where it shows none.
pub fn calibrate(set: &TaskSet, measured: &Trace) -> Overheads {
    let passages: Vec<Passage> = passages(&measured.events);
    let Around { job, call } = around(set, &measured.events);
    let plain = |idle: bool| {
        let costs = passages
            .iter()
            .filter(|passage| passage.releases == 0 && passage.idle == idle)
            .map(|passage| passage.length.saturating_sub(call));
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
        call: Cost::fixed(call),
        scheduling: Cost::fixed(scheduling),
        context_switch: Cost::fixed(switch + job),
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

/// By how much jobs take longer than they compute.
#[derive(Default)]
struct Around {
    /// Each job.
    job: Duration,
    /// Each call besides.
    call: Duration,
}

/// Of jobs that nobody interrupts and that never wait, and of tasks that always do the same.
fn around(set: &TaskSet, events: &[Event]) -> Around {
    let scripts: Vec<Option<(Duration, u64)>> = set.tasks.iter().map(script).collect();
    // By number of calls: by how much jobs took longer.
    let mut longer: BTreeMap<u64, Vec<Duration>> = BTreeMap::new();
    let mut begun = HashSet::new();
    let mut running = None;
    for event in events {
        match event.kind {
            Kind::Dispatch { task, job } => {
                running = begun.insert((task, job)).then_some((task, job, event.time));
            }
            Kind::Complete { task, job } => {
                if let Some((its, number, since)) = running.take()
                    && (its, number) == (task, job)
                    && let Some(&Some((compute, calls))) = scripts.get(task.index())
                {
                    let ran = event.time.since(since);
                    longer
                        .entry(calls)
                        .or_default()
                        .push(ran.saturating_sub(compute));
                }
            }
            Kind::Lock { .. } | Kind::Unlock { .. } => {}
            _ => running = None,
        }
    }
    let job = longer.remove(&0).and_then(median).unwrap_or_default();
    let calls = longer.into_iter().flat_map(|(calls, longer)| {
        let each = move |longer: Duration| longer.saturating_sub(job) / Duration::from_nanos(calls);
        longer.into_iter().map(each).map(Duration::from_nanos)
    });
    Around {
        job,
        call: median(calls.collect()).unwrap_or_default(),
    }
}

/// How long each job of `task` computes, and how many calls it makes before its end.
fn script(task: &flyball_model::Task) -> Option<(Duration, u64)> {
    if !flyball_sim::is_fixed(&task.behaviour) {
        return None;
    }
    let compute = flyball_model::behaviour::demand(&task.behaviour)
        .ok()?
        .compute;
    let mut program = Program::new(task, 0, 0);
    let mut calls = 0;
    while calls < 1_000 {
        match program.step() {
            Call::End => return Some((compute, calls)),
            Call::Compute(_) => {}
            _ => calls += 1,
        }
    }
    None
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
