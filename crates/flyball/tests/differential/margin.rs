//! Why two schedules part: a hair, as a rule that can fail.
//!
//! The simulation charges one cost for all calls and one for all releases, so it is some tenths of
//! a microsecond off in each kernel entry, and more where CPUs wait for each other at
//! the kernel's lock. Where a job's call and the timer (a release, a deadline, the end of a time
//! slice), or the calls of jobs on two CPUs, come nearer to each other than what these add up to,
//! either may come first, and neither the simulation nor the kernel is wrong.
//!
//! That is no excuse for everything. If a hair is the reason then the simulation itself does what
//! the machine did once its computations are off by so little: the set is simulated again and again
//! with each computation, time slice, budget and cost of the kernel a little smaller or larger, until one
//! of these schedules parts from the expected one at the same event, and by the same event that the
//! machine had there instead. If none does, simulation and machine disagree, and one of them is
//! wrong.
//!
//! One thing has another reason: two releases so near to each other that the machine makes both in
//! one [entry](is_joined) of its kernel.
//!
//! Where both schedules are the same, what the simulation is off by in each entry still
//! [adds up](adds_up) for as long as the CPU has something to do.

use flyball_model::arrivals::{Arrivals, Lateness};
use flyball_model::random::Random;
use flyball_model::{Cost, Length, Step, TaskSet, Value};
use flyball_sim::Options;
use flyball_study::compare::{Difference, compare};
use flyball_study::{Entry, Recorder, Registry, SideBySide, Theory, Values};
use flyball_trace::file::Trace;
use flyball_trace::metrics::Metrics;
use flyball_trace::{CpuId, Duration, Event, Kind, Time};
use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

/// By how much the length of a time slice may be off, in nanoseconds: some tens, which add up, and
/// more where several CPUs want the kernel's lock at its end.
const SLICES: [u64; 3] = [40, 200, 1_000];

/// By how much a budget may be off, in nanoseconds: what the simulation is off by in each entry is on the
/// budget, and jobs leave to the next ones what they have not used.
const BUDGETS: [u64; 3] = [1_000, 4_000, 16_000];

/// Releases that are nearer to each other come in one entry of the machine's kernel: its clock may
/// count 100 ns, and the way in takes some of these.
const GRAIN: Duration = Duration::from_nanos(400);

/// How many times a set is simulated with random errors. Each hair before the one that counts has
/// to fall as it did on the machine, which it does half of the time.
const TRIES: u64 = 4_000;

/// Whether some simulation of the set parts from `side.simulated` as the machine did, with
/// computations that are off by at most `doubt`. Returns the number of the first that does.
pub(crate) fn hair(
    entry: &Entry,
    values: &Values,
    set: &TaskSet,
    options: &Options,
    doubt: Duration,
    side: &SideBySide,
) -> Option<u64> {
    let wanted = alike(side.comparison.difference?);
    let mut set = set.clone();
    set.platform.overheads = side.overheads.clone();
    let draws = set.tasks.iter().any(|task| {
        let by_itself = task.comes_with_the_clock() || task.trigger().is_some();
        !by_itself || draws(&task.behaviour)
    });
    (0..TRIES).find(|&number| {
        let mut random = Random::new(options.seed, number);
        // Larger errors than needed let other things part before.
        let doubt = Duration::from_nanos(doubt.as_nanos() * (1 + number % 4) / 4);
        let mut other = set.clone();
        for task in &mut other.tasks {
            if draws {
                // The lengths of its jobs come from the seed, so all are off by as much.
                shift(&mut task.behaviour, &mut |length| {
                    let error = random.uniform(Duration::ZERO, doubt * 2);
                    let off = |length: Duration| (length + error).saturating_sub(doubt);
                    match length {
                        Length::Fixed(length) => *length = off(*length),
                        Length::Uniform { min, max } => (*min, *max) = (off(*min), off(*max)),
                        Length::OneOf(lengths) => {
                            for one in lengths {
                                *one = off(*one);
                            }
                        }
                        Length::Empirical(seen) => {
                            for (one, _) in seen {
                                *one = off(*one);
                            }
                        }
                        Length::Normal { mean, min, max, .. } => {
                            (*mean, *min, *max) = (off(*mean), off(*min), off(*max));
                        }
                    }
                });
            } else {
                shift(&mut task.behaviour, &mut |length| {
                    let fixed = length.longest();
                    *length = Length::Uniform {
                        min: fixed.saturating_sub(doubt),
                        max: fixed + doubt,
                    };
                });
            }
        }
        // What the kernel takes is a mean: it shifts when the time slices of different CPUs begin.
        if number % 2 == 1 {
            let overheads = &mut other.platform.overheads;
            let tasks = set.tasks.len();
            for cost in [
                &mut overheads.scheduling,
                &mut overheads.release,
                &mut overheads.ipi,
                &mut overheads.call,
            ] {
                let mean = cost.at(tasks);
                *cost = Cost::fixed(random.uniform(Duration::ZERO, mean * 2));
            }
        }
        let mut options = *options;
        if !draws {
            options.seed = number;
        }
        let mut values = values.clone();
        let allowance = other
            .policies
            .get_mut(entry.name)
            .and_then(|policy| policy.values.get_mut("allowance"));
        if let Some(Value::Duration(allowance)) = allowance.map(|it| &mut it.value) {
            let most = Duration::from_nanos(one_of(BUDGETS, number));
            let off = random.uniform(Duration::ZERO, most * 2);
            *allowance = (*allowance + off).saturating_sub(most);
            values = entry.values("random.toml", &other).expect("it fitted");
        }
        // Slots are by the clock, and exact.
        let has_slots = matches!(entry.theory, Theory::Fair);
        if let Some(slice) = side.slice.filter(|_| !has_slots) {
            let most = Duration::from_nanos(one_of(SLICES, number));
            let off = random.uniform(Duration::ZERO, most * 2);
            values = entry.with_slice(&values, &mut other, (slice + off).saturating_sub(most));
        }
        let simulated = simulate(entry, &values, &other, &options);
        let found = compare(&side.simulated, &simulated, set.platform.cpus);
        found.difference.map(alike) == Some(wanted)
    })
}

/// One after the other.
fn one_of(lengths: [u64; 3], number: u64) -> u64 {
    lengths[usize::try_from(number % 3).unwrap_or_default()]
}

/// Whether the schedules part because the machine makes two releases in one entry of its kernel
/// that the simulation makes in two: the instants are less than [`GRAIN`] apart, and the simulation
/// decides after the first.
pub(crate) fn is_joined(set: &TaskSet, seed: u64, side: &SideBySide) -> bool {
    let release = |event: &Event| {
        let Kind::Release {
            task,
            job,
            deadline,
        } = event.kind
        else {
            return None;
        };
        let (number, task) = (task.index(), &set.tasks[task.index()]);
        let start = Time::ZERO + task.phase;
        match Arrivals::of(task, number, start, Lateness::of(set), seed) {
            Some(mut arrivals) => {
                let job = arrivals.nth(usize::try_from(job).ok()?.checked_sub(1)?)?;
                Some(job.release.since(Time::ZERO))
            }
            None => Some(deadline.since(Time::ZERO + task.deadline?)),
        }
    };
    let Some(Difference {
        simulated,
        measured,
    }) = side.comparison.difference
    else {
        return false;
    };
    let Some(second) = release(&measured) else {
        return false;
    };
    let together = side.measured.events.iter();
    let together =
        together.filter(|event| (event.cpu, event.time) == (measured.cpu, measured.time));
    let mut firsts = together.filter_map(release);
    let is_near = |first: Duration| first < second && second.saturating_sub(first) < GRAIN;
    !matches!(simulated.kind, Kind::Release { .. }) && firsts.any(is_near)
}

/// Whether the schedules part because a job's last call releases or wakes a more urgent task, which
/// on the machine preempts the job before it can end. In a simulation whose calls were found to take no
/// time it ends at once.
pub(crate) fn ends_with_a_call(side: &SideBySide) -> bool {
    let is_call = |kind| matches!(kind, Kind::Arrive { .. } | Kind::Wake { .. });
    side.comparison.difference.is_some_and(|it| {
        let (
            Kind::Complete { task, job },
            Kind::Preempt {
                task: other,
                job: same,
            },
        ) = (it.simulated.kind, it.measured.kind)
        else {
            return false;
        };
        let mut events = side.measured.events.iter();
        (task, job) == (other, same)
            && events.any(|event| {
                is_call(event.kind)
                    && (event.cpu, event.time) == (it.measured.cpu, it.measured.time)
            })
    })
}

/// What the simulation may be off by in an entry of a kernel that does not wait for its lock: the
/// end of a time slice takes the machine 1.2 us longer than the mean of all entries, that is what is
/// simulated.
const ENTRY: Duration = Duration::from_micros(2);

/// Whether all instants of completion differ by no more than the [entries](ENTRY) since the CPU was
/// last idle add up to. (A CPU that has more to do than it can is never idle. Where a job that has begun waits
/// meanwhile, as for the next budget of its server, it has yet to do what it was late with.)
pub(crate) fn adds_up(side: &SideBySide) -> bool {
    let mut ends = HashMap::new();
    for event in &side.simulated.events {
        if let Kind::Complete { task, job } = event.kind {
            ends.insert((task, job), event.time);
        }
    }
    let mut begun = HashSet::new();
    let mut entries = vec![(0, Time::ZERO); usize::from(side.measured.header.cpus)];
    side.measured.events.iter().all(|event| {
        let (since_idle, last) = &mut entries[event.cpu.index()];
        *since_idle += u64::from(*last != event.time);
        *last = event.time;
        match event.kind {
            Kind::Idle if begun.is_empty() => *since_idle = 0,
            Kind::Dispatch { task, .. } => {
                begun.insert(task);
            }
            Kind::Abort { task, .. } => {
                begun.remove(&task);
            }
            Kind::Complete { task, job } => {
                begun.remove(&task);
                let Some(&there) = ends.get(&(task, job)) else {
                    return true;
                };
                let here = event.time;
                return here.since(there).max(there.since(here)) <= ENTRY * *since_idle;
            }
            _ => {}
        }
        true
    })
}

/// The two events where schedules part, but for their times.
fn alike(difference: Difference) -> [(CpuId, Kind); 2] {
    [difference.simulated, difference.measured].map(|event| {
        let kind = match event.kind {
            Kind::Release { task, job, .. } => Kind::Release {
                task,
                job,
                deadline: Time::ZERO,
            },
            kind => kind,
        };
        (event.cpu, kind)
    })
}

/// Whether a behaviour has random lengths.
fn draws(steps: &[Step]) -> bool {
    steps.iter().any(|step| match step {
        Step::Compute(length) | Step::Suspend(length) => !length.is_fixed(),
        Step::Result(results) => results.windows(2).any(|two| two[0] != two[1]),
        Step::Repeat { body, .. } => draws(body),
        _ => false,
    })
}

/// Changes how long computations take.
fn shift(steps: &mut [Step], other: &mut dyn FnMut(&mut Length)) {
    for step in steps {
        match step {
            Step::Compute(length) => other(length),
            Step::Repeat { body, .. } => shift(body, other),
            _ => {}
        }
    }
}

/// The schedule that a set has.
fn simulate(entry: &Entry, values: &Values, set: &TaskSet, options: &Options) -> Trace {
    let mut recorder = Recorder::new(set, set.platform.cpus, entry.name, usize::MAX);
    let mut watch = |_| ControlFlow::Continue(());
    let outcome = entry.simulate(values, set, options, &mut recorder, &mut watch);
    let outcome = outcome.expect("a random set can be simulated");
    recorder.finish(outcome.ended).1
}

/// The rules can fail: what another policy does is explained by no hair, and by no sum.
#[test]
fn another_policy_is_no_hair() {
    let registry = Registry::standard();
    let [entry, other] = ["g-edf", "g-fp"].map(|name| registry.find(name).expect("it is ours"));
    let options = Options {
        until: Duration::from_millis(60),
        stop_at_miss: false,
        seed: 0,
    };
    for seed in 1..=3 {
        let set = crate::read(&crate::sets::four_cpus(seed));
        let values = entry.values("random.toml", &set).expect("it fits");
        let simulated = simulate(entry, &values, &set, &options);
        let measured = simulate(other, &values, &set, &options);
        let side = SideBySide {
            overheads: set.platform.overheads.clone(),
            quantum: None,
            slice: None,
            comparison: compare(&simulated, &measured, set.platform.cpus),
            simulated,
            simulated_summary: Metrics::new(&[], 0).finish(Time::ZERO),
            measured,
            measured_summary: Metrics::new(&[], 0).finish(Time::ZERO),
        };
        assert!(side.comparison.difference.is_some(), "{seed}");
        let doubt = Duration::from_micros(4);
        assert_eq!(
            hair(entry, &values, &set, &options, doubt, &side),
            None,
            "{seed}"
        );
        assert!(!is_joined(&set, seed, &side), "{seed}");
        assert!(!adds_up(&side), "{seed}");
    }
}
