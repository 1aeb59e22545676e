//! How a task set becomes data for a board.
//!
//! The board has no random numbers: every length that a job draws is drawn here, from the same
//! stream and in the same order as in a simulation with the same seed.

use crate::{Machine, Options, TargetError};
use flyball_model::{Arrival, Length, Protocol, Task, TaskSet};
use flyball_script::Op;
use flyball_script::image::{self, Common, Contents, TaskContents};
use flyball_sim::program::{Program, Script};
use flyball_sim::schedulers::Ipi;
use flyball_trace::Duration;

/// What the board is told about a task set.
///
/// # Errors
/// [`TargetError::Unsupported`], [`TargetError::TooMany`], [`TargetError::TooFar`] or
/// [`TargetError::TooLarge`].
pub fn contents(
    machine: Machine,
    set: &TaskSet,
    options: &Options<'_>,
) -> Result<Contents, TargetError> {
    check(machine, set, options)?;
    let tasks = set.tasks.iter().enumerate();
    let tasks = tasks.map(|(number, task)| compile(machine, task, number, options));
    let inherits = |protocol| match protocol {
        Protocol::Inherit => true,
        Protocol::None => false,
    };
    Ok(Contents {
        common: Common {
            start: machine.start(),
            end: machine.start() + options.until,
            tick: set.platform.tick.unwrap_or_default(),
            settings: options.settings,
            instruction: machine.instruction(),
        },
        mutexes: set
            .mutexes
            .iter()
            .map(|mutex| inherits(mutex.protocol))
            .collect(),
        semaphores: set
            .semaphores
            .iter()
            .map(|semaphore| semaphore.initial)
            .collect(),
        queues: set.queues.iter().map(|queue| queue.capacity).collect(),
        tasks: tasks.collect::<Result<_, _>>()?,
    })
}

/// The same as bytes for the board's memory.
///
/// # Errors
/// [`TargetError::TooLarge`].
pub fn blob(machine: Machine, contents: &Contents) -> Result<Vec<u8>, TargetError> {
    let most = machine.limits().bytes;
    contents
        .to_bytes()
        .filter(|bytes| bytes.len() <= most)
        .ok_or(TargetError::TooLarge { most })
}

/// Refuses what the machine has no room for.
fn check(machine: Machine, set: &TaskSet, options: &Options<'_>) -> Result<(), TargetError> {
    let limits = machine.limits();
    if options.until > limits.time {
        return Err(TargetError::TooFar {
            machine: machine.name(),
            until: options.until,
            most: limits.time,
        });
    }
    let messages = set.queues.iter().map(|queue| usize::from(queue.capacity));
    let counts = [
        ("CPUs", usize::from(set.platform.cpus), limits.cpus),
        ("tasks", set.tasks.len(), limits.tasks),
        ("mutexes", set.mutexes.len(), limits.mutexes),
        ("semaphores", set.semaphores.len(), limits.semaphores),
        ("queues", set.queues.len(), limits.queues),
        ("messages in all queues", messages.sum(), limits.messages),
    ];
    for (what, found, most) in counts {
        if found > most {
            return Err(TargetError::TooMany {
                machine: machine.name(),
                what,
                found,
                most,
            });
        }
    }
    Ok(())
}

fn compile(
    machine: Machine,
    task: &Task,
    number: usize,
    options: &Options<'_>,
) -> Result<TaskContents, TargetError> {
    let (arrival, period) = match &task.arrival {
        Arrival::Periodic { period } => (image::Arrival::Periodic, *period),
        // As regular as that, they are released like periodic jobs.
        Arrival::Sporadic { separation, gap } if is_always(gap, *separation) => {
            (image::Arrival::Periodic, *separation)
        }
        Arrival::Sporadic { .. } => {
            return Err(TargetError::Unsupported {
                machine: machine.name(),
                task: Some(task.name.clone()),
                what: "sporadic jobs whose gaps are not always the separation are not supported"
                    .into(),
            });
        }
        Arrival::Once => (image::Arrival::Once, Duration::ZERO),
    };
    let operations = Script::new(&task.behaviour).operations;
    let depth = machine.limits().depth;
    let is_too_deep =
        |op: &Op| matches!(op, Op::Begin { counter, .. } if usize::from(*counter) >= depth);
    if operations.iter().any(is_too_deep) {
        return Err(TargetError::Unsupported {
            machine: machine.name(),
            task: Some(task.name.clone()),
            what: format!("more than {depth} repetitions inside each other are not supported"),
        });
    }
    let share = Ipi::share(task);
    Ok(TaskContents {
        arrival,
        on_miss: match task.on_miss {
            flyball_model::OnMiss::Continue => image::OnMiss::Continue,
            flyball_model::OnMiss::Skip => image::OnMiss::Skip,
            flyball_model::OnMiss::Abort => image::OnMiss::Abort,
            flyball_model::OnMiss::Latest => image::OnMiss::Latest,
        },
        period,
        phase: task.phase,
        deadline: task.deadline.unwrap_or(Duration::MAX),
        wcet: task.wcet,
        priority: task.priority.unwrap_or(0),
        share: share.cpu,
        importance: share.importance,
        operations,
        lengths: lengths(machine, task, number, options)?,
    })
}

fn is_always(gap: &Length, separation: Duration) -> bool {
    gap.is_fixed() && gap.longest() == separation
}

/// The random lengths that a task can need until the end.
fn lengths(
    machine: Machine,
    task: &Task,
    number: usize,
    options: &Options<'_>,
) -> Result<Vec<Duration>, TargetError> {
    const SIZE: usize = size_of::<u64>();
    let limits = machine.limits();
    let most = limits.bytes / SIZE;
    // One more for the job that begins at the start, and one for a part of a period.
    let jobs = task.arrival.period().map_or(1, |period| {
        (options.until.as_nanos() / period.as_nanos().max(1)).saturating_add(2)
    });
    let mut lengths = Program::new(task, number, options.seed).lengths(jobs, most + 1);
    if task.arrival == Arrival::Once {
        // A job may go on for ever; but each of its lengths takes as long as it says, so those that
        // add up to the whole time are enough.
        let mut sum = Duration::ZERO;
        let needed = lengths.iter().position(|&length| {
            sum += length;
            sum > options.until
        });
        lengths.truncate(needed.map_or(lengths.len(), |last| last + 1));
    }
    if lengths.len() > most {
        return Err(TargetError::TooLarge { most: limits.bytes });
    }
    Ok(lengths)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flyball_model::{Mutex, OnMiss, Queue, Semaphore, Step};
    use flyball_policy::Words;
    use flyball_policy::i_plus_pi::Fraction;
    use flyball_script::Image;
    use flyball_script::op;
    use flyball_trace::Time;

    const MACHINE: Machine = Machine::CortexM3;

    fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    fn options(until: Duration) -> Options<'static> {
        Options {
            policy: "rr",
            settings: Words::of_quantum(ms(3)),
            until,
            seed: 7,
        }
    }

    fn one(task: Task) -> TaskSet {
        TaskSet {
            tasks: vec![task],
            ..TaskSet::default()
        }
    }

    fn random() -> Step {
        Step::Compute(Length::Uniform {
            min: ms(1),
            max: ms(2),
        })
    }

    #[test]
    fn a_set_becomes_an_image() {
        let mut set = one(Task::periodic("a", ms(10), ms(2)));
        set.tasks.push(Task {
            arrival: Arrival::Once,
            deadline: None,
            phase: ms(4),
            priority: Some(9),
            on_miss: OnMiss::Skip,
            share: Some(flyball_model::Share::from_millionths(250_000)),
            importance: Some(125),
            behaviour: vec![Step::Lock(0), Step::Unlock(0)],
            ..Task::periodic("b", ms(1), ms(1))
        });
        set.platform.tick = Some(ms(1));
        set.mutexes.push(Mutex {
            name: "m".into(),
            protocol: Protocol::Inherit,
        });
        set.semaphores.push(Semaphore {
            name: "s".into(),
            initial: 3,
        });
        set.queues.push(Queue {
            name: "q".into(),
            capacity: 256,
        });
        let contents = contents(MACHINE, &set, &options(ms(50))).unwrap();
        let blob = blob(MACHINE, &contents).unwrap();
        let image = Image::new(&blob).unwrap();
        let common = Common {
            start: Time::from_millis(1),
            end: Time::from_millis(51),
            tick: ms(1),
            settings: Words::of_quantum(ms(3)),
            instruction: Duration::from_nanos(1),
        };
        assert_eq!(image.common(), common);
        assert!(image.inherits(0));
        assert_eq!((image.initial(0), image.capacity(0)), (3, 256));
        let (a, b) = (image.task(0).unwrap(), image.task(1).unwrap());
        assert_eq!((a.arrival, a.period), (image::Arrival::Periodic, ms(10)));
        assert_eq!((a.deadline, a.wcet, a.priority), (ms(10), ms(2), 0));
        let compute = Op::Compute(op::Length::Fixed(ms(2)));
        assert_eq!(image.operation(&a, 0), Some(compute));
        assert_eq!(
            (b.arrival, b.period),
            (image::Arrival::Once, Duration::ZERO)
        );
        assert_eq!((b.deadline, b.phase, b.priority), (Duration::MAX, ms(4), 9));
        assert_eq!(b.on_miss, image::OnMiss::Skip);
        // What is not said is the utilisation.
        assert_eq!((a.share, a.importance), (Fraction::percent(20), 1));
        assert_eq!((b.share, b.importance), (Fraction::percent(25), 125));
    }

    #[test]
    fn lengths_are_enough_and_those_of_the_simulation() {
        let task = Task {
            behaviour: vec![random(), Step::Yield, random()],
            ..Task::periodic("a", ms(10), ms(4))
        };
        let simulated = Program::new(&task, 0, 7).lengths(100, 1_000);
        let drawn = contents(MACHINE, &one(task), &options(ms(95)))
            .unwrap()
            .tasks;
        // Jobs are released at 0, 10, …, 90.
        assert!(drawn[0].lengths.len() >= 20);
        assert_eq!(drawn[0].lengths, simulated[..drawn[0].lengths.len()]);
    }

    #[test]
    fn a_job_without_end_has_lengths_for_the_whole_time() {
        let task = Task {
            arrival: Arrival::Once,
            deadline: None,
            wcet: Duration::MAX,
            behaviour: vec![Step::Repeat {
                times: None,
                body: vec![random()],
            }],
            ..Task::periodic("a", ms(10), ms(4))
        };
        let drawn = contents(MACHINE, &one(task), &options(ms(100)))
            .unwrap()
            .tasks;
        let sum: Duration = drawn[0].lengths.iter().copied().sum();
        assert!(sum > ms(100) && sum <= ms(102), "{sum}");
    }

    #[test]
    fn too_many_lengths_are_refused() {
        let task = Task {
            behaviour: vec![random()],
            ..Task::periodic("a", Duration::from_micros(1), ms(2))
        };
        let error = contents(MACHINE, &one(task), &options(Duration::from_secs(2))).unwrap_err();
        assert!(matches!(error, TargetError::TooLarge { .. }), "{error}");
    }

    #[test]
    fn sporadic_tasks_are_periodic_or_refused() {
        let sporadic = |gap| {
            one(Task {
                arrival: Arrival::Sporadic {
                    separation: ms(5),
                    gap,
                },
                ..Task::periodic("radar", ms(5), ms(1))
            })
        };
        let regular = contents(MACHINE, &sporadic(Length::Fixed(ms(5))), &options(ms(9)));
        assert_eq!(regular.unwrap().tasks[0].arrival, image::Arrival::Periodic);
        let gaps = [
            Length::Fixed(ms(6)),
            Length::Uniform {
                min: ms(5),
                max: ms(6),
            },
        ];
        for gap in gaps {
            let error = contents(MACHINE, &sporadic(gap), &options(ms(9))).unwrap_err();
            assert_eq!(
                error.to_string(),
                "task \"radar\": sporadic jobs whose gaps are not always the separation are not \
                 supported on machine cortex-m3 yet"
            );
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let task = |n| Task::periodic(format!("{n}"), ms(5), ms(1));
        let mut set = TaskSet {
            tasks: (0..33).map(task).collect(),
            ..TaskSet::default()
        };
        let error = contents(MACHINE, &set, &options(ms(9))).unwrap_err();
        assert_eq!(
            error.to_string(),
            "33 tasks, and machine cortex-m3 holds 32"
        );
        set.tasks.pop();
        assert!(contents(MACHINE, &set, &options(ms(9))).is_ok());
        set.platform.cpus = 2;
        let error = contents(MACHINE, &set, &options(ms(9))).unwrap_err();
        assert_eq!(error.to_string(), "2 CPUs, and machine cortex-m3 holds 1");
    }

    #[test]
    fn the_board_counts_so_deep_and_so_far() {
        let nested = |depth| {
            let body = vec![random()];
            let behaviour = (0..depth).fold(body, |body, _| {
                vec![Step::Repeat {
                    times: Some(1),
                    body,
                }]
            });
            one(Task {
                behaviour,
                ..Task::periodic("deep", ms(5), ms(2))
            })
        };
        assert!(contents(MACHINE, &nested(8), &options(ms(9))).is_ok());
        let error = contents(MACHINE, &nested(9), &options(ms(9))).unwrap_err();
        assert!(error.to_string().contains("\"deep\": more than 8"));
        let error = contents(MACHINE, &nested(1), &options(ms(200_000))).unwrap_err();
        assert_eq!(
            error.to_string(),
            "machine cortex-m3 runs for 170s at most, and this is 200s"
        );
    }
}
