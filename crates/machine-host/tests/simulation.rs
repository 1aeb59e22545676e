//! A task set on the host is what the simulator says, event by event, and the same each time.

use core::task::Poll;
use flyball_catalogue::{Edf, Facts, Llf, Rm, Rr, Size, TaskTable};
use flyball_kernel::{
    Attributes, Config, Error, GaugeId, GaugeKind, MutexId, Numbered, OnMiss, Protocol, QueueId,
    Release, SemaphoreId, Timing,
};
use flyball_machine_host::{Ended, Kernel, Machine};
use flyball_model::generate::{Deadlines, Options as Sets, Phases, generate};
use flyball_model::{Arrival, Length, Mutex, Queue, Semaphore, Step, Task, TaskSet, Value};
use flyball_policy::{Duration, Inline, Nothing, Time};
use flyball_sim::Boxed;
use flyball_sim::program::{Call, Program};
use flyball_sim::{Options, Scheduler, simulate};
use flyball_trace::Event;
use proptest::prelude::*;
use std::marker::PhantomData;

struct Set<S>(PhantomData<S>);

impl<S: Scheduler> Config for Set<S> {
    type Policy = S::Policy<Boxed, Boxed>;
    type Trace = Vec<Event>;
    type Message = ();
    type Stamp = Time;
    type Cpus = Inline<1>;
    type Threads = Inline<16>;
    type Objects = Numbered<Inline<4>, Inline<4>, Inline<1>>;
    type Owned = Nothing;
    type Ceilings = Nothing;
    type Queues = Inline<4>;
    type Messages = Inline<16>;
    type Jobs = Self::Threads;
    type Arrivals = Inline<1>;
    type Accounts = Inline<16>;
    type Counts = flyball_policy::Nothing;
    type Budgets = Inline<16>;
}

/// What a thread works on: the jobs of a task.
struct Job<S: Scheduler + 'static> {
    kernel: &'static Kernel<Set<S>>,
    program: Program,
    once: bool,
    mutexes: Vec<MutexId>,
    semaphores: Vec<SemaphoreId>,
    queues: Vec<QueueId>,
    /// What kinds of gauges they are.
    gauges: Vec<Option<GaugeKind>>,
}

impl<S: Scheduler> Job<S> {
    /// The gauge of a number among queues, which is one.
    fn gauge(&self, n: u16) -> GaugeId {
        let n = usize::from(n);
        GaugeId::new(self.queues[n].number(), self.gauges[n].unwrap())
    }
}

extern "C" fn thread<S: Scheduler + 'static>(job: usize) -> ! {
    // SAFETY: `on_host` leaks a job for each thread, and no other code looks at it.
    let job = unsafe { &mut *(job as *mut Job<S>) };
    job.program.restart();
    loop {
        let kernel = job.kernel;
        let call = job.program.step(kernel.now());
        let called = match call {
            Call::Compute(length) => {
                kernel.compute(job.program.draw(length));
                continue;
            }
            Call::Suspend(length) => {
                let length = job.program.draw(length);
                kernel.call(|core, cpu, now| core.sleep_until(cpu, now + length, now))
            }
            Call::Yield => kernel.call(|core, cpu, now| core.yield_now(cpu, now).map(Poll::Ready)),
            Call::Control => kernel.call(|core, cpu, now| {
                core.control(cpu, now);
                Ok(Poll::Ready(()))
            }),
            Call::Lock(n) => {
                let mutex = job.mutexes[usize::from(n)];
                kernel.call(|core, cpu, now| core.lock(cpu, mutex, Time::NEVER, now))
            }
            Call::Unlock(n) => {
                let mutex = job.mutexes[usize::from(n)];
                kernel.call(|core, cpu, now| core.unlock(cpu, mutex, now).map(Poll::Ready))
            }
            Call::Wait(n) => {
                let semaphore = job.semaphores[usize::from(n)];
                kernel.call(|core, cpu, now| core.wait(cpu, semaphore, Time::NEVER, now))
            }
            Call::Signal(n) => {
                let semaphore = job.semaphores[usize::from(n)];
                kernel.call(|core, cpu, now| core.signal(cpu, semaphore, now).map(Poll::Ready))
            }
            Call::Send(n) => {
                let queue = job.queues[usize::from(n)];
                kernel.call(|core, cpu, now| core.send(cpu, queue, &(), Time::NEVER, now))
            }
            Call::Receive(n) => {
                let queue = job.queues[usize::from(n)];
                kernel.call(|core, cpu, now| core.receive(cpu, queue, (), Time::NEVER, now))
            }
            Call::TrySend(n) => {
                let queue = job.queues[usize::from(n)];
                kernel.call(|core, cpu, now| {
                    let sent = core.send_now(cpu, queue, &(), now);
                    sent.map(|_| Poll::Ready(()))
                })
            }
            Call::TryReceive(n) => {
                let queue = job.queues[usize::from(n)];
                kernel.call(|core, cpu, now| {
                    let received = core.receive_now(cpu, queue, (), now);
                    received.map(|_| Poll::Ready(()))
                })
            }
            Call::Raise(n, by) => {
                let gauge = job.gauge(n);
                kernel.call(|core, cpu, now| {
                    let raised = core.raise_level(cpu, gauge, by, true, now);
                    raised.map(|_| Poll::Ready(()))
                })
            }
            Call::Lower(n, by) => {
                let gauge = job.gauge(n);
                kernel.call(|core, cpu, now| {
                    let lowered = core.lower_level(cpu, gauge, by, true, now);
                    lowered.map(|_| Poll::Ready(()))
                })
            }
            Call::Result(result) => {
                job.program.note(result);
                continue;
            }
            // It has one operating point.
            Call::Stalls(_) => continue,
            Call::End => {
                let result = job.program.take_result();
                kernel.call(|core, cpu, now| {
                    if job.once {
                        let exited = core.exit_with(cpu, result, now);
                        exited.map(|()| Poll::Pending)
                    } else {
                        core.wait_next_with(cpu, result, now)
                    }
                })
            }
        };
        called.expect("a task set that is in order asks for nothing that cannot be");
    }
}

fn attributes(task: &Task) -> Attributes {
    Attributes {
        release: match task.arrival {
            Arrival::Periodic { period } => Release::Periodic { period },
            Arrival::Sporadic { .. } | Arrival::Event { .. } => {
                panic!("nobody releases sporadic jobs here")
            }
            Arrival::Once => Release::Once,
        },
        start: Time::ZERO + task.phase,
        deadline: task.deadline,
        on_miss: match task.on_miss {
            flyball_model::OnMiss::Continue => OnMiss::Continue,
            flyball_model::OnMiss::Skip => OnMiss::Skip,
            flyball_model::OnMiss::Abort => OnMiss::Abort,
            flyball_model::OnMiss::Latest => OnMiss::Latest,
        },
        alert: None,
    }
}

/// The events of `set` on the host until just before `until`.
fn on_host<S: Scheduler + 'static>(set: &TaskSet, scheduler: &S, until: Time) -> Vec<Event> {
    let kernel: &'static Kernel<Set<S>> = Box::leak(Box::default());
    let policy = scheduler.policy(Size::new(set.tasks.len(), 1));
    kernel.init(policy, Vec::new(), Timing::Tickless);
    let protocol = |mutex: &Mutex| match mutex.protocol {
        flyball_model::Protocol::None => Protocol::None,
        flyball_model::Protocol::Inherit => Protocol::Inherit,
    };
    let made = kernel.look(|core| -> Result<_, Error> {
        let mutexes = set.mutexes.iter().map(|mutex| core.mutex(protocol(mutex)));
        let mutexes: Vec<_> = mutexes.collect::<Result<_, _>>()?;
        let semaphores = set.semaphores.iter().map(|one| core.semaphore(one.initial));
        let semaphores: Vec<_> = semaphores.collect::<Result<_, _>>()?;
        let queues = set.queues.iter().map(|queue| match queue.gauge {
            None => core.queue(queue.capacity),
            Some(kind) => {
                let gauge = core.gauge(queue.capacity, kind)?;
                Ok(QueueId::from_number(gauge.number()))
            }
        });
        Ok((mutexes, semaphores, queues.collect::<Result<Vec<_>, _>>()?))
    });
    let (mutexes, semaphores, queues) = made.unwrap().unwrap();
    for (number, task) in set.tasks.iter().enumerate() {
        let job = Box::leak(Box::new(Job {
            kernel,
            program: Program::new(task, number, 1),
            once: task.arrival == Arrival::Once,
            mutexes: mutexes.clone(),
            semaphores: semaphores.clone(),
            queues: queues.clone(),
            gauges: set.queues.iter().map(|queue| queue.gauge).collect(),
        }));
        let table = TaskTable::of(task, S::NAME, S::TASK_SETTINGS);
        let params = scheduler.params(&Facts::of(set, task), &table).unwrap();
        let argument = std::ptr::from_mut(job) as usize;
        // SAFETY: the job is leaked, and `thread` keeps nothing on its stack that has to be
        // dropped.
        let spawned =
            unsafe { kernel.spawn_on(&mut [], attributes(task), params, thread::<S>, argument) };
        spawned.unwrap();
    }
    assert_eq!(kernel.run(until), Ok(Ended::Until));
    let mut events = kernel.look(|core| core.trace().clone()).unwrap();
    events.retain(|event| event.time < until);
    events
}

fn in_simulation<S: Scheduler>(set: &TaskSet, scheduler: &S, until: Time) -> Vec<Event> {
    let mut events = Vec::new();
    let options = Options {
        seed: 1,
        ..Options::until(until.since(Time::ZERO))
    };
    simulate(set, scheduler, &options, &mut events).unwrap();
    events.retain(|event| event.time < until);
    events
}

fn story(events: &[Event]) -> String {
    let lines: Vec<String> = events.iter().map(Event::to_string).collect();
    lines.join("\n")
}

fn agree<S: Scheduler + 'static>(set: &TaskSet, scheduler: &S, until: Time) {
    let measured = story(&on_host(set, scheduler, until));
    assert_eq!(measured, story(&in_simulation(set, scheduler, until)));
    assert_eq!(measured, story(&on_host(set, scheduler, until)));
}

fn agree_under_all(set: &TaskSet, until: Time) {
    agree(set, &Edf, until);
    agree(set, &Rm, until);
    agree(set, &Llf { quantum: ms(1) }, until);
    agree(set, &Rr { quantum: ms(3) }, until);
}

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn compute(n: u64) -> Step {
    Step::Compute(Length::Fixed(ms(n)))
}

/// Every kind of call, and every kind of job.
fn everything() -> TaskSet {
    let random = Step::Compute(Length::Uniform {
        min: ms(1),
        max: ms(3),
    });
    let task = |name: &str, period, behaviour| Task {
        behaviour,
        ..Task::periodic(name, ms(period), ms(1))
    };
    let section = |mutex, body| vec![compute(1), Step::Lock(mutex), body, Step::Unlock(mutex)];
    let mut low = section(0, compute(4));
    low.insert(2, Step::Lock(1));
    low.extend([Step::Unlock(1), compute(1)]);
    TaskSet {
        mutexes: ["bus", "log"]
            .map(|name| Mutex {
                name: name.into(),
                protocol: flyball_model::Protocol::Inherit,
            })
            .into(),
        semaphores: vec![Semaphore {
            name: "done".into(),
            initial: 0,
        }],
        queues: [(2, None), (7, Some(GaugeKind::Backlog))]
            .map(|(capacity, gauge)| Queue {
                name: format!("work {capacity}"),
                capacity,
                gauge,
            })
            .into(),
        tasks: vec![
            task("high", 11, section(0, compute(1))),
            task(
                "middle",
                17,
                vec![random.clone(), Step::Yield, Step::Control, compute(1)],
            ),
            task("low", 40, low),
            task(
                "producer",
                13,
                vec![
                    random,
                    Step::Send(0),
                    Step::Raise { gauge: 1, by: 3 },
                    compute(1),
                ],
            ),
            Task {
                arrival: Arrival::Once,
                deadline: None,
                ..task(
                    "consumer",
                    1,
                    vec![Step::Repeat {
                        times: None,
                        body: vec![
                            Step::Receive(0),
                            compute(1),
                            Step::Signal(0),
                            Step::Lower { gauge: 1, by: 2 },
                            compute(1),
                        ],
                    }],
                )
            },
            task("after", 26, vec![Step::Wait(0), compute(1)]),
            Task {
                on_miss: flyball_model::OnMiss::Abort,
                deadline: Some(ms(9)),
                ..task(
                    "patient",
                    30,
                    vec![Step::Suspend(Length::Fixed(ms(2))), compute(8)],
                )
            },
            Task {
                on_miss: flyball_model::OnMiss::Skip,
                deadline: Some(ms(10)),
                phase: ms(5),
                ..task("late", 12, vec![compute(3)])
            },
        ],
        ..TaskSet::default()
    }
}

#[test]
fn everything_is_as_in_the_simulation() {
    let set = everything();
    agree_under_all(&set, Time::from_millis(2_000));
    // Time slices of different lengths, and none.
    let mut turns = set.clone();
    for (task, quantum) in turns.tasks.iter_mut().zip([0, 1, 2, 0, 4]) {
        let table = task.policies.entry("rr".into()).or_default();
        let quantum = Value::Duration(ms(quantum)).into();
        table.values.insert("quantum".into(), quantum);
    }
    let until = Time::from_millis(2_000);
    agree(&turns, &Rr { quantum: ms(3) }, until);
    let [with, without] = [&turns, &set].map(|set| on_host(set, &Rr { quantum: ms(3) }, until));
    assert!(with != without, "turns make no difference");
    let story = story(&on_host(&set, &Edf, Time::from_millis(2_000)));
    for kind in [
        "inherit", "abort", "skip", "miss", "preempt", "yield", "block", "wake",
    ] {
        assert!(story.contains(kind), "no {kind}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn random_sets_are_as_in_the_simulation(
        tasks in 1usize..12,
        utilisation in 10u32..120,
        seed in any::<u64>(),
    ) {
        let set = generate(&Sets {
            tasks,
            utilisation: f64::from(utilisation) / 100.0,
            shortest_period: ms(1),
            longest_period: ms(50),
            granularity: ms(1),
            deadlines: Deadlines::Constrained { from: 0.5 },
            phases: Phases::Zero,
            cpus: 1,
            discards: 10_000,
            seed,
        });
        // One task alone cannot use more than a CPU.
        if let Ok(set) = set {
            agree_under_all(&set, Time::from_millis(200));
        }
    }
}
