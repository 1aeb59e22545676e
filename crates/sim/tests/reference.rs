//! The simulator against a scheduler that could not be simpler: it goes from one unit of time to
//! the next, looks at all jobs, and runs the first by the order of the policy.

use flyball_catalogue::{Clustered, Edf, Fifo, Fp, NpEdf, Rm, Rr};
use flyball_model::{Jitter, OnMiss, Platform, Task, TaskSet};
use flyball_sim::{Options, Scheduler, simulate};
use flyball_trace::{Duration, Event, Kind, Time};
use proptest::prelude::*;

/// One unit of time.
const UNIT: u64 = 1_000;

#[derive(Clone, Debug)]
struct Small {
    phase: u64,
    period: u64,
    deadline: u64,
    wcet: u64,
    priority: u8,
    on_miss: OnMiss,
    /// Of which all is used until all first jobs can be there, and none from then on.
    jitter: u64,
}

impl Small {
    /// Which jobs are released at `now`, by when they arrived. They arrive together with that of
    /// the task with the most phase and jitter.
    fn released(&self, now: u64, together: u64) -> Vec<u64> {
        let arrivals = (self.phase..=now).step_by(usize::try_from(self.period).unwrap());
        let release = |arrival: u64| arrival.max((arrival + self.jitter).min(together));
        arrivals
            .filter(|&arrival| release(arrival) == now)
            .collect()
    }
}

fn task() -> impl Strategy<Value = Small> {
    let on_miss = prop_oneof![
        Just(OnMiss::Continue),
        Just(OnMiss::Skip),
        Just(OnMiss::Abort),
        Just(OnMiss::Latest)
    ];
    (0u64..8, 2u64..14, 1u64..20, 1u64..6, 0u8..3, on_miss).prop_map(
        |(phase, period, deadline, wcet, priority, on_miss)| Small {
            phase,
            period,
            deadline,
            wcet,
            priority,
            on_miss,
            jitter: 0,
        },
    )
}

fn units(units: u64) -> Duration {
    Duration::from_nanos(units * UNIT)
}

fn set(tasks: &[Small]) -> TaskSet {
    let task = |(number, small): (usize, &Small)| Task {
        phase: units(small.phase),
        deadline: Some(units(small.deadline)),
        priority: Some(small.priority),
        on_miss: small.on_miss,
        jitter: units(small.jitter),
        ..Task::periodic(format!("t{number}"), units(small.period), units(small.wcet))
    };
    TaskSet {
        tasks: tasks.iter().enumerate().map(task).collect(),
        platform: Platform {
            jitter: Jitter::Worst,
            ..Platform::default()
        },
        ..TaskSet::default()
    }
}

/// A job under way in the reference.
struct Job {
    task: usize,
    number: u32,
    release: u64,
    left: u64,
    late: bool,
    /// When it came to where it is in the order among equals.
    place: i64,
    /// What is left of its turn.
    turn: u64,
}

/// What happened in a schedule: which task ran in each unit, what was missed, and what was left
/// out.
#[derive(PartialEq, Debug, Default)]
struct Schedule {
    /// On all CPUs, by rising number.
    ran: Vec<Vec<usize>>,
    misses: Vec<(u64, usize, u32)>,
    skips: Vec<(u64, usize, u32)>,
}

/// The deadlines of a task that have passed; its late jobs are given up if it wants that.
fn misses(
    jobs: &mut Vec<Job>,
    (task, small): (usize, &Small),
    now: u64,
    quantum: Option<u64>,
    last_place: &mut i64,
) -> Vec<(u64, usize, u32)> {
    let mut misses = Vec::new();
    while let Some(at) = jobs
        .iter()
        .position(|job| job.task == task && !job.late && job.release + small.deadline <= now)
    {
        jobs[at].late = true;
        misses.push((now, task, jobs[at].number));
        if small.on_miss == OnMiss::Abort {
            jobs.remove(at);
            if let Some(next) = jobs.iter_mut().find(|job| job.task == task) {
                *last_place += 1;
                next.place = *last_place;
                next.turn = quantum.unwrap_or(0);
            }
        }
    }
    misses
}

/// Runs the reference. `key`: smaller runs first; equal keys in the order of their places.
fn reference(
    tasks: &[Small],
    cpus: usize,
    until: u64,
    quantum: Option<u64>,
    key: impl Fn(&Small, u64) -> u64,
) -> Schedule {
    reference_with(tasks, cpus, until, quantum, |task, release, _| {
        key(task, release)
    })
}

/// The same with keys that may depend on whether the job has just run.
fn reference_with(
    tasks: &[Small],
    cpus: usize,
    until: u64,
    quantum: Option<u64>,
    key: impl Fn(&Small, u64, bool) -> u64,
) -> Schedule {
    let mut schedule = Schedule::default();
    let mut jobs: Vec<Job> = Vec::new();
    let mut numbers = vec![0; tasks.len()];
    let mut skipping = vec![false; tasks.len()];
    let mut last_place = 0;
    let mut running: Vec<(usize, u32)> = Vec::new();
    let together = tasks.iter().map(|task| task.phase + task.jitter).max();
    // The first job of each task is the one that counts; the others wait for it.
    let is_first =
        |jobs: &[Job], at: usize| jobs.iter().position(|j| j.task == jobs[at].task) == Some(at);
    for now in 0..=until {
        // The job that ran is done, or its turn is over (but releases of this instant come before
        // it among its equals).
        let mut over = Vec::new();
        for &ran in &running {
            let Some(at) = jobs.iter().position(|job| (job.task, job.number) == ran) else {
                continue;
            };
            if jobs[at].left == 0 {
                let task = jobs.remove(at).task;
                // The task's next job comes behind its equals.
                if let Some(next) = jobs.iter_mut().find(|job| job.task == task) {
                    last_place += 1;
                    next.place = last_place;
                    next.turn = quantum.unwrap_or(0);
                }
            } else if quantum.is_some() && jobs[at].turn == 0 {
                over.push(ran);
            }
        }
        // By task: deadlines before releases.
        for (task, small) in tasks.iter().enumerate() {
            let mut miss = |jobs: &mut Vec<Job>, last_place: &mut i64| {
                let misses = misses(jobs, (task, small), now, quantum, last_place);
                schedule.misses.extend(misses);
            };
            // The kernel hears of jobs with jitter before its timer tells it of deadlines.
            if small.jitter == 0 {
                miss(&mut jobs, &mut last_place);
            }
            let comes = small.released(now, together.unwrap_or(0));
            for release in comes.into_iter().filter(|_| now < until) {
                numbers[task] += 1;
                let mine: Vec<&Job> = jobs.iter().filter(|job| job.task == task).collect();
                let late = mine.iter().any(|job| job.late);
                if small.on_miss == OnMiss::Skip {
                    skipping[task] = !mine.is_empty() && (late || skipping[task] && mine.len() > 1);
                }
                if skipping[task] {
                    schedule.skips.push((now, task, numbers[task]));
                    continue;
                }
                if small.on_miss == OnMiss::Latest {
                    let mut mine = (0..jobs.len()).filter(|&at| jobs[at].task == task);
                    if let Some(waits) = mine.nth(1).filter(|&at| jobs[at].late) {
                        let lost = jobs.remove(waits);
                        schedule.skips.push((now, task, lost.number));
                    }
                }
                last_place += 1;
                jobs.push(Job {
                    task,
                    number: numbers[task],
                    release,
                    left: small.wcet,
                    late: false,
                    place: last_place,
                    turn: quantum.unwrap_or(0),
                });
            }
            // A job may be released after its deadline.
            miss(&mut jobs, &mut last_place);
        }
        for over in over {
            let Some(job) = jobs.iter_mut().find(|job| (job.task, job.number) == over) else {
                continue;
            };
            last_place += 1;
            job.place = last_place;
            job.turn = quantum.unwrap_or(0);
        }
        if now == until {
            break;
        }
        let mut ready: Vec<usize> = (0..jobs.len()).filter(|&at| is_first(&jobs, at)).collect();
        let runs = |job: &Job| running.contains(&(job.task, job.number));
        let rank = |job: &Job| (key(&tasks[job.task], job.release, runs(job)), job.place);
        ready.sort_by_key(|&at| rank(&jobs[at]));
        ready.truncate(cpus);
        running = ready
            .iter()
            .map(|&at| (jobs[at].task, jobs[at].number))
            .collect();
        let mut ran: Vec<usize> = running.iter().map(|&(task, _)| task).collect();
        ran.sort_unstable();
        schedule.ran.push(ran);
        for at in ready {
            jobs[at].left -= 1;
            jobs[at].turn = jobs[at].turn.saturating_sub(1);
        }
    }
    schedule
}

fn simulated<S: Scheduler>(tasks: &[Small], until: u64, scheduler: &S) -> Schedule {
    simulated_on(tasks, 1, until, scheduler)
}

fn simulated_on<S: Scheduler>(tasks: &[Small], cpus: u8, until: u64, scheduler: &S) -> Schedule {
    simulated_set(set(tasks), cpus, until, scheduler)
}

fn simulated_set<S: Scheduler>(mut set: TaskSet, cpus: u8, until: u64, scheduler: &S) -> Schedule {
    set.platform.cpus = cpus;
    let mut events: Vec<Event> = Vec::new();
    let options = Options::until(units(until));
    let outcome = simulate(&set, scheduler, &options, &mut events).unwrap();
    let mut schedule = Schedule::default();
    let unit = |time: Time| {
        // Deadlines may lie a few nanoseconds behind.
        assert!(
            time.as_nanos() % UNIT <= set.tasks.len() as u64,
            "something happened between two units"
        );
        time.as_nanos() / UNIT
    };
    let mut running = vec![None; cpus.into()];
    let ran = |running: &[Option<usize>]| {
        let mut ran: Vec<usize> = running.iter().copied().flatten().collect();
        ran.sort_unstable();
        ran
    };
    for event in &events {
        let now = unit(event.time);
        while (schedule.ran.len() as u64) < now {
            schedule.ran.push(ran(&running));
        }
        match event.kind {
            Kind::Dispatch { task, .. } => running[event.cpu.index()] = Some(task.index()),
            Kind::Idle => running[event.cpu.index()] = None,
            Kind::Miss { task, job } => schedule.misses.push((now, task.index(), job)),
            Kind::Skip { task, job } => schedule.skips.push((now, task.index(), job)),
            _ => {}
        }
    }
    while (schedule.ran.len() as u64) < until {
        schedule.ran.push(ran(&running));
    }
    let busy: usize = schedule.ran.iter().map(Vec::len).sum();
    let idle: u64 = outcome.idle.iter().map(|idle| idle.as_nanos()).sum();
    assert_eq!(idle, (until * u64::from(cpus) - busy as u64) * UNIT);
    assert_eq!(outcome.misses, schedule.misses.len() as u64);
    schedule
}

/// Several deadlines of one instant may be noticed in any order.
fn sorted(mut schedule: Schedule) -> Schedule {
    schedule.misses.sort_unstable();
    schedule.skips.sort_unstable();
    schedule
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn rate_monotonic(tasks in proptest::collection::vec(task(), 1..6)) {
        let expected = reference(&tasks, 1, 120, None, |task, _| task.period);
        prop_assert_eq!(sorted(simulated(&tasks, 120, &Rm)), sorted(expected));
    }

    #[test]
    fn fixed_priority(tasks in proptest::collection::vec(task(), 1..6)) {
        let expected = reference(&tasks, 1, 120, None, |task, _| 255 - u64::from(task.priority));
        prop_assert_eq!(sorted(simulated(&tasks, 120, &Fp)), sorted(expected));
    }

    #[test]
    fn earliest_deadline(tasks in proptest::collection::vec(task(), 1..6)) {
        let expected = reference(&tasks, 1, 120, None, |task, release| release + task.deadline);
        prop_assert_eq!(sorted(simulated(&tasks, 120, &Edf)), sorted(expected));
    }

    #[test]
    fn non_preemptive_earliest_deadline(tasks in proptest::collection::vec(task(), 1..6)) {
        // A job that has run keeps the CPU.
        let key = |task: &Small, release, runs| {
            if runs { 0 } else { 1 + release + task.deadline }
        };
        let expected = reference_with(&tasks, 1, 120, None, key);
        prop_assert_eq!(sorted(simulated(&tasks, 120, &NpEdf)), sorted(expected));
    }

    #[test]
    fn first_in_first_out(tasks in proptest::collection::vec(task(), 1..6)) {
        // All are equal; the running job keeps the CPU, as it came first.
        let expected = reference(&tasks, 1, 120, None, |_, _| 0);
        prop_assert_eq!(sorted(simulated(&tasks, 120, &Fifo)), sorted(expected));
    }

    #[test]
    fn round_robin(tasks in proptest::collection::vec(task(), 1..6), quantum in 1u64..5) {
        let expected = reference(&tasks, 1, 120, Some(quantum), |_, _| 0);
        let rr = Rr { quantum: units(quantum) };
        prop_assert_eq!(sorted(simulated(&tasks, 120, &rr)), sorted(expected));
    }

    /// All priorities differ: which of several equals runs depends on the order of the CPUs.
    #[test]
    fn global_fixed_priority(
        mut tasks in proptest::collection::vec(task(), 1..9),
        cpus in 1_u8..5,
    ) {
        for (priority, task) in (1..).zip(&mut tasks) {
            task.priority = priority;
        }
        let key = |task: &Small, _| 255 - u64::from(task.priority);
        let expected = reference(&tasks, cpus.into(), 120, None, key);
        let found = simulated_on(&tasks, cpus, 120, &Clustered::global(Fp));
        prop_assert_eq!(sorted(found), sorted(expected));
    }

    /// All priorities differ: of equals, those with jitter come before those that the clock releases.
    #[test]
    fn release_jitter(
        mut tasks in proptest::collection::vec(task(), 1..6),
        jitters in proptest::collection::vec(0_u64..16, 6),
        cpus in 1_u8..3,
    ) {
        for ((priority, task), jitter) in (1..).zip(&mut tasks).zip(jitters) {
            (task.priority, task.jitter) = (priority, jitter);
        }
        let key = |task: &Small, _| 255 - u64::from(task.priority);
        let expected = reference(&tasks, cpus.into(), 120, None, key);
        let found = simulated_on(&tasks, cpus, 120, &Clustered::global(Fp));
        prop_assert_eq!(sorted(found), sorted(expected));
    }

    /// No two deadlines are the same: of those that are, the one of the task with the lower number
    /// comes first, by a nanosecond.
    #[test]
    fn global_earliest_deadline(
        mut tasks in proptest::collection::vec(task(), 1..9),
        cpus in 1_u8..5,
    ) {
        for (priority, task) in (1..).zip(&mut tasks) {
            task.priority = priority;
            task.on_miss = OnMiss::Continue;
        }
        let key = |task: &Small, release| 16 * (release + task.deadline) + u64::from(task.priority);
        let expected = reference(&tasks, cpus.into(), 120, None, key);
        let mut set = set(&tasks);
        for (later, task) in (1..).zip(&mut set.tasks) {
            task.deadline = task.deadline.map(|deadline| deadline + Duration::from_nanos(later));
        }
        // A deadline at the very end comes too late to be seen.
        let seen = |mut schedule: Schedule| {
            schedule.misses.retain(|miss| miss.0 < 120);
            sorted(schedule)
        };
        let found = simulated_set(set, cpus, 120, &Clustered::global(Edf));
        prop_assert_eq!(seen(found), seen(expected));
    }

    #[test]
    fn two_cpus_are_two_machines(tasks in proptest::collection::vec((task(), 0u8..2), 1..8)) {
        let smalls: Vec<Small> = tasks.iter().map(|(small, _)| small.clone()).collect();
        let mut both = set(&smalls);
        both.platform.cpus = 2;
        for (task, &(_, cpu)) in both.tasks.iter_mut().zip(&tasks) {
            task.cpu = Some(cpu);
        }
        let mut events: Vec<Event> = Vec::new();
        let options = Options::until(units(120));
        simulate(&both, &Edf, &options, &mut events).unwrap();
        for cpu in 0..2 {
            let here = |task: &Task| task.cpu == Some(cpu);
            let mut alone = both.clone();
            alone.platform.cpus = 1;
            alone.tasks.retain(here);
            for task in &mut alone.tasks {
                task.cpu = None;
            }
            let names: Vec<usize> =
                (0..both.tasks.len()).filter(|&task| here(&both.tasks[task])).collect();
            let mut expected: Vec<Event> = Vec::new();
            simulate(&alone, &Edf, &options, &mut expected).unwrap();
            let mine = events.iter().filter(|event| event.cpu.0 == cpu).map(ToString::to_string);
            let expected = expected.iter().map(|event| {
                let name = |task: flyball_trace::TaskId| {
                    flyball_trace::TaskId(u16::try_from(names[task.index()]).unwrap())
                };
                Event { cpu: flyball_trace::CpuId(cpu), kind: event.kind.renamed(name), ..*event }
                    .to_string()
            });
            prop_assert!(mine.eq(expected));
        }
        let order = events.windows(2).all(|pair| pair[0].time <= pair[1].time);
        prop_assert!(order, "the trace of both goes back in time");
    }
}
