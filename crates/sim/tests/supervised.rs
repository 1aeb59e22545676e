//! Several CPUs, and a controller that looks after them.

use flyball_catalogue::{Edf, Scheduler};
use flyball_model::{
    Arrival, Cost, Length, Mutex, OnMiss, Overheads, Platform, Protocol, Step, Task, TaskSet,
};
use flyball_policy::{Boxed, Controller, Deadline, Denied, Plant, Policy, Reads};
use flyball_sim::{Options, simulate, simulate_controlled};
use flyball_trace::{CpuId, Duration, Event, Kind, TaskId, Time};

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn on(cpu: u8, task: Task) -> Task {
    Task {
        cpu: Some(cpu),
        ..task
    }
}

fn set(cpus: u8, tasks: Vec<Task>) -> TaskSet {
    TaskSet {
        tasks,
        platform: Platform {
            cpus,
            ..Platform::default()
        },
        ..TaskSet::default()
    }
}

type Cores<'a> = dyn Plant<<Edf as Scheduler>::Policy<Boxed, Boxed>> + 'a;

/// Does `act` every `period`.
struct Every<F> {
    period: Duration,
    next: Time,
    act: F,
}

impl<P: Policy, F: FnMut(&mut (dyn Plant<P> + '_), Time)> Controller<P> for Every<F> {
    const READS: Reads = Reads {
        used: true,
        misses: true,
        lost: true,
    };

    fn next(&self) -> Time {
        self.next
    }

    fn run(&mut self, plant: &mut impl Plant<P>, now: Time) {
        (self.act)(plant, now);
        while self.next <= now {
            self.next += self.period;
        }
    }
}

/// Runs under EDF and calls `act` every `period`; returns the events.
fn run(
    set: &TaskSet,
    until: Duration,
    period: Duration,
    act: impl FnMut(&mut Cores<'_>, Time),
) -> Vec<Event> {
    let mut events = Vec::new();
    let mut controller = Every {
        period,
        next: Time::ZERO + period,
        act,
    };
    let options = Options::until(until);
    simulate_controlled(set, &Edf, &options, &mut events, &mut controller).unwrap();
    events
}

/// A controller that only reads changes nothing, whatever the kernels' work costs.
#[test]
fn to_be_watched_changes_nothing() {
    let tasks = vec![
        on(0, Task::periodic("a", ms(7), ms(2))),
        on(1, Task::periodic("b", ms(5), ms(2))),
        on(0, Task::periodic("c", ms(11), ms(5))),
    ];
    let mut set = set(2, tasks);
    for costs in [0, 70] {
        let cost = Cost::fixed(Duration::from_micros(costs));
        set.platform.overheads = Overheads {
            scheduling: cost.clone(),
            context_switch: cost,
            ..Overheads::default()
        };
        let mut alone: Vec<Event> = Vec::new();
        simulate(&set, &Edf, &Options::until(ms(500)), &mut alone).unwrap();
        let mut seen = 0;
        let watched = run(&set, ms(500), Duration::from_micros(3_333), |cores, now| {
            let used: Duration = (0..3).map(|n| cores.used(TaskId(n))).sum();
            let kernel: Duration = (0..2).map(|n| cores.lost(CpuId(n))).sum();
            let all = now.since(Time::ZERO) * 2;
            assert!(used + kernel <= all && (used + kernel) * 2 >= all);
            seen += 1;
        });
        assert_eq!(alone, watched);
        assert!(seen >= 145, "{seen}");
    }
}

/// A job is done once and as long as it should be, on however many CPUs, with its deadline.
#[test]
fn a_job_goes_on_where_it_was() {
    let task = Task {
        behaviour: vec![
            Step::Compute(Length::Fixed(ms(3))),
            Step::Suspend(Length::Fixed(ms(4))),
            Step::Compute(Length::Fixed(ms(5))),
        ],
        wcet: ms(8),
        ..Task::periodic("wanderer", ms(20), ms(8))
    };
    let set = set(
        2,
        vec![on(0, task), on(1, Task::periodic("b", ms(100), ms(30)))],
    );
    let wanderer = TaskId(0);
    let mut cpu = 0;
    // Each millisecond: computing, suspended or between its jobs.
    let events = run(&set, ms(200), ms(1), |cores, _| {
        cpu = 1 - cpu;
        cores
            .migrate(wanderer, CpuId(cpu), Deadline(ms(20)))
            .unwrap();
        assert_eq!(cores.place(wanderer), Some(CpuId(cpu)));
    });
    let completed: Vec<(u32, Time)> = events
        .iter()
        .filter_map(|event| match event.kind {
            Kind::Complete { task, job } if task == wanderer => Some((job, event.time)),
            _ => None,
        })
        .collect();
    // Its deadline is the nearer one, so it never waits for the other task.
    let expected: Vec<(u32, Time)> = (0..10)
        .map(|job| {
            (
                u32::try_from(job).unwrap() + 1,
                Time::from_millis(20 * job + 12),
            )
        })
        .collect();
    assert_eq!(completed, expected);
    assert!(
        events
            .iter()
            .all(|event| !matches!(event.kind, Kind::Miss { .. }))
    );
}

/// A task that has ended is not taken for the one that has its row now.
#[test]
fn the_dead_stay_dead() {
    let forever = |name: &str, cpu| {
        let task = Task {
            arrival: Arrival::Once,
            deadline: None,
            wcet: Duration::MAX,
            behaviour: vec![Step::Repeat {
                times: None,
                body: vec![Step::Compute(Length::Fixed(ms(1)))],
            }],
            ..Task::periodic(name, ms(1), ms(1))
        };
        on(cpu, task)
    };
    let mortal = Task {
        deadline: Some(ms(10)),
        on_miss: OnMiss::Abort,
        ..forever("mortal", 0)
    };
    let set = set(2, vec![mortal, forever("b", 1), forever("c", 1)]);
    let mut periods = 0;
    run(&set, ms(100), ms(4), |cores, now| {
        periods += 1;
        let alive = now <= Time::from_millis(10);
        assert_eq!(cores.place(TaskId(0)).is_some(), alive, "{now:?}");
        if !alive {
            assert_eq!(
                cores.migrate(TaskId(0), CpuId(1), Deadline(ms(1))),
                Err(Denied::Gone)
            );
            // All rows of CPU 0 are used again, one after the other.
            for task in [TaskId(1), TaskId(2)] {
                let to = CpuId(u8::from(periods % 2 == 0));
                cores.migrate(task, to, Deadline(Duration::MAX)).unwrap();
            }
        }
    });
    assert_eq!(periods, 24);
}

#[test]
fn some_tasks_cannot_move() {
    let locks = Task {
        behaviour: vec![
            Step::Lock(0),
            Step::Compute(Length::Fixed(ms(1))),
            Step::Unlock(0),
        ],
        ..Task::periodic("locks", ms(10), ms(1))
    };
    let sporadic = Task {
        arrival: Arrival::Sporadic {
            separation: ms(5),
            gap: Length::Fixed(ms(5)),
        },
        ..Task::periodic("sporadic", ms(5), ms(1))
    };
    let mut set = set(2, vec![on(0, locks), on(0, sporadic)]);
    set.mutexes.push(Mutex {
        name: "m".into(),
        protocol: Protocol::Inherit,
    });
    run(&set, ms(50), ms(3), |cores, _| {
        let deadline = Deadline(ms(5));
        for task in [TaskId(0), TaskId(1)] {
            assert_eq!(cores.migrate(task, CpuId(1), deadline), Err(Denied::Bound));
            assert_eq!(cores.place(task), Some(CpuId(0)));
            assert_eq!(cores.migrate(task, CpuId(2), deadline), Err(Denied::NoCpu));
        }
        assert_eq!(
            cores.migrate(TaskId(9), CpuId(0), deadline),
            Err(Denied::Gone)
        );
    });
}

/// Misses are counted by task, wherever it misses; a task that is not there has none.
#[test]
fn misses_go_with_the_task() {
    let set = set(2, vec![on(0, Task::periodic("late", ms(4), ms(6)))]);
    let late = TaskId(0);
    let mut counted = 0;
    let mut cpu = 0;
    let events = run(&set, ms(100), ms(10), |cores, now| {
        counted = cores.misses(late);
        // Of the jobs of before `now` each has a deadline of 4 ms, and ends after 6 ms and more.
        let deadlines = now.since(Time::ZERO) / ms(4);
        assert!(
            u64::from(counted) + 1 >= deadlines && u64::from(counted) <= deadlines,
            "{now:?}"
        );
        assert_eq!(cores.misses(TaskId(1)), 0);
        cpu = 1 - cpu;
        cores.migrate(late, CpuId(cpu), Deadline(ms(4))).unwrap();
    });
    let is_miss = |event: &&Event| matches!(event.kind, Kind::Miss { .. });
    let before_the_last = events.iter().filter(is_miss);
    let before_the_last = before_the_last.filter(|event| event.time < Time::from_millis(90));
    assert_eq!(before_the_last.count(), counted as usize);
    assert!(counted > 10);
}
