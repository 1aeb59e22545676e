//! Why a measured schedule and its simulation part: reasons that can be tested.
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
//! Where CPUs have kernels of their own there is something better than to shake: a simulation in which each entry of the
//! kernel takes what it took on the machine ([`Seen`](flyball_sim::Seen)). If that does the same to the end then all is explained.
//!
//! Three things have other reasons: releases so near to each other that the machine makes both in
//! one entry of its kernel, a job whose last call lets a more urgent task run, and a job for which the
//! machine has no room.

use crate::measured::Measurement;
use flyball_model::arrivals::{Arrivals, Lateness};
use flyball_model::random::Random;
use flyball_model::{Cost, Length, OnMiss, Step, TaskSet, Value};
use flyball_sim::Options;
use flyball_study::Theory;
use flyball_study::compare::{Comparison, Difference, Parting, SideBySide, compare};
use flyball_trace::{CpuId, Duration, Event, Kind, TaskId, Time};

/// By how much a computation may be off; the second where there are several CPUs.
const COMPUTATIONS: [Duration; 2] = [Duration::from_micros(1), Duration::from_micros(4)];

/// By how much a cost of the kernel may be off, at most.
const COST: Duration = Duration::from_micros(5);

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

/// How much longer than until the schedules part is simulated: what happens shortly before the end
/// is not compared.
const LONGER: Duration = Duration::from_millis(1);

impl Measurement<'_> {
    /// Why the two schedules part, if they do and one of the [reasons](Parting) holds.
    pub(crate) fn reason(&self, side: &SideBySide, options: &Options) -> Option<Parting> {
        let difference = side.comparison.difference?;
        let is_same = Comparison::is_same_order;
        if side.followed.as_ref().is_some_and(is_same) {
            Some(Parting::Costs)
        } else if is_joined(&self.set, options.seed, side) {
            Some(Parting::OneEntry)
        } else if ends_with_a_call(side) {
            Some(Parting::LastCall)
        } else if self.has_no_room(difference) {
            Some(Parting::NoRoom)
        } else {
            let is_hair = self.is_hair(side, difference, options);
            is_hair.then_some(Parting::Hair)
        }
    }

    /// Whether the machine skips a job that its task would keep for later.
    fn has_no_room(&self, difference: Difference) -> bool {
        let (
            Kind::Release { task, job, .. },
            Kind::Skip {
                task: same,
                job: skipped,
            },
        ) = (difference.simulated.kind, difference.measured.kind)
        else {
            return false;
        };
        let skips = |task: TaskId| {
            let task = self.set.tasks.get(task.index());
            task.is_none_or(|task| task.on_miss == OnMiss::Skip)
        };
        (task, job) == (same, skipped) && !skips(task)
    }

    /// Whether some simulation of the set parts from `side.simulated` as the machine did. A simulation as
    /// long as until they part, for each try.
    fn is_hair(&self, side: &SideBySide, difference: Difference, whole: &Options) -> bool {
        let seed = whole.seed;
        let wanted = alike(difference);
        let several = self.set.platform.cpus > 1;
        let doubt = COMPUTATIONS[usize::from(several)];
        let parts = difference.simulated.time.max(difference.measured.time);
        let until = (parts.since(Time::ZERO) + LONGER).min(whole.until);
        let mut set = self.set.clone();
        set.platform.overheads = side.overheads.clone();
        let draws = set.tasks.iter().any(|task| {
            let by_itself = task.comes_with_the_clock() || task.trigger().is_some();
            !by_itself || draws(&task.behaviour)
        });
        (0..TRIES).any(|number| {
            let mut random = Random::new(seed, number);
            // Larger errors than needed let other things part before.
            let doubt = Duration::from_nanos(doubt.as_nanos() * (1 + number % 4) / 4);
            let mut other = set.clone();
            for task in &mut other.tasks {
                if draws {
                    // The lengths of its jobs come from the seed, so all are off by as much.
                    each_length(&mut task.behaviour, &mut |length| {
                        let error = random.uniform(Duration::ZERO, doubt * 2);
                        shift(length, |length| (length + error).saturating_sub(doubt));
                    });
                } else {
                    each_length(&mut task.behaviour, &mut |length| {
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
                    let most = mean.min(COST);
                    let off = random.uniform(Duration::ZERO, most * 2);
                    *cost = Cost::fixed((mean + off).saturating_sub(most));
                }
            }
            let options = Options {
                until,
                stop_at_miss: false,
                seed: if draws { seed } else { number },
            };
            let off = |length: Duration, most: [u64; 3], random: &mut Random| {
                let most = Duration::from_nanos(most[(number % 3) as usize]);
                (length + random.uniform(Duration::ZERO, most * 2)).saturating_sub(most)
            };
            let mut values = self.values.clone();
            let allowance = other
                .policies
                .get_mut(self.entry.name)
                .and_then(|policy| policy.values.get_mut("allowance"));
            if let Some(Value::Duration(allowance)) = allowance.map(|it| &mut it.value) {
                *allowance = off(*allowance, BUDGETS, &mut random);
                let Ok(changed) = self.entry.values(&self.file, &other) else {
                    return false;
                };
                values = changed;
            }
            // Slots are by the clock, and exact.
            let has_slots = matches!(self.entry.theory, Theory::Fair);
            if let Some(slice) = side.slice.filter(|_| !has_slots) {
                let slice = off(slice, SLICES, &mut random);
                values = self.entry.with_slice(&values, &mut other, slice);
            }
            self.simulated(&values, &other.into(), &options)
                .is_ok_and(|(_, simulated)| {
                    let found = compare(&side.simulated, &simulated, self.sharing());
                    found.difference.map(alike) == Some(wanted)
                })
        })
    }
}

/// Whether the schedules part because the machine makes two releases in one entry of its kernel
/// that the simulation makes in two: the instants are less than [`GRAIN`] apart, and the simulation
/// decides after the first.
fn is_joined(set: &TaskSet, seed: u64, side: &SideBySide) -> bool {
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
fn ends_with_a_call(side: &SideBySide) -> bool {
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

/// Tells how long each computation takes, to change it.
fn each_length(steps: &mut [Step], tell: &mut dyn FnMut(&mut Length)) {
    for step in steps {
        match step {
            Step::Compute(length) => tell(length),
            Step::Repeat { body, .. } => each_length(body, tell),
            _ => {}
        }
    }
}

/// Changes all lengths that a computation may have.
fn shift(length: &mut Length, off: impl Fn(Duration) -> Duration) {
    match length {
        Length::Fixed(length) => *length = off(*length),
        Length::Uniform { min, max } => (*min, *max) = (off(*min), off(*max)),
        Length::OneOf(lengths) | Length::Cycle { lengths, .. } => {
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
}
