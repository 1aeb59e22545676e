//! The pipelines: tasks, queues and devices.

use flyball_model::{
    Cost, End, Endpoint, Length, Overheads, Queue, Reserve, Share, Step, Task, TaskSet,
};
use flyball_trace::Duration;

/// How many buffers the report's pipeline has.
pub(super) const BUFFERS: u16 = 20;
/// What a unit of its pipeline takes.
pub(super) const UNIT: Duration = Duration::from_millis(3);

pub(super) const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

pub(super) const fn us(n: u64) -> Duration {
    Duration::from_micros(n)
}

/// So many parts of a length that is divided into `of`.
pub(super) const fn parts(length: Duration, many: u64, of: u64) -> Duration {
    Duration::from_nanos(length.as_nanos() * many / of)
}

/// From half to one and a half of a length.
pub(super) fn about(mean: Duration) -> Length {
    Length::Uniform {
        min: parts(mean, 1, 2),
        max: parts(mean, 3, 2),
    }
}

/// A part of a CPU in hundredths.
pub(super) const fn percent(n: u32) -> Share {
    Share::from_millionths(n * 10_000)
}

/// A task of one job that does these steps `times`, or for ever, and says nothing else.
pub(super) fn task(name: &str, times: Option<u32>, body: Vec<Step>) -> Task {
    let wcet = |times: u32| {
        let longest = body.iter().map(|step| match step {
            Step::Compute(length) => length.longest(),
            _ => Duration::ZERO,
        });
        longest.sum::<Duration>() * u64::from(times)
    };
    let wcet = times.map_or(Duration::MAX, wcet);
    Task::once(name, wcet, vec![Step::Repeat { times, body }])
}

/// A task that computes without end, and says nothing.
pub(super) fn hog(name: &str) -> Task {
    task(name, None, vec![Step::Compute(Length::Fixed(ms(1)))])
}

/// What a task says of its reservation.
pub(super) fn reserve(share: Option<Share>, period: Option<Duration>) -> Reserve {
    Reserve { share, period }
}

/// The report's pipeline: a producer and a consumer, which both compute `unit` for each message, `times` or for
/// ever.
pub(super) fn two_stages(unit: &Length, capacity: u16, times: Option<u32>) -> TaskSet {
    let compute = Step::Compute(unit.clone());
    TaskSet {
        name: format!("Two stages and {capacity} buffers"),
        queues: vec![queue("queue", capacity)],
        tasks: vec![
            task("producer", times, vec![compute.clone(), Step::Send(0)]),
            task("consumer", times, vec![Step::Receive(0), compute]),
        ],
        ..TaskSet::default()
    }
}

/// The same, and both say this of their reservations.
pub(super) fn reserved(mut set: TaskSet, reserve: Reserve) -> TaskSet {
    for task in &mut set.tasks {
        task.reserve = Some(reserve);
    }
    set
}

pub(super) fn queue(name: &str, capacity: u16) -> Queue {
    Queue {
        name: name.into(),
        capacity,
        gauge: None,
    }
}

/// A device at a queue.
pub(super) fn device(end: End, queue: u16, every: Length, phase: Duration) -> Endpoint {
    Endpoint {
        end,
        queue,
        every,
        count: 1,
        phase,
    }
}

/// Two stages between two devices, with queues of one capacity: see [`stages`].
pub(super) fn between_devices(every: Duration, units: &[Length; 2], capacity: u16) -> TaskSet {
    stages(every, units, &[capacity; 3])
}

/// Stages between two devices: a message comes every `every`, each stage computes for one of `units`, and a message
/// is taken as often, from when half of what the queues hold has come. There is a queue more than stages.
pub(super) fn stages(every: Duration, units: &[Length], capacities: &[u16]) -> TaskSet {
    let room = capacities.iter().map(|&capacity| u64::from(capacity)).sum();
    let stage = |(number, unit): (u16, &Length)| {
        let compute = Step::Compute(unit.clone());
        let body = vec![Step::Receive(number), compute, Step::Send(number + 1)];
        task(&format!("stage {}", number + 1), None, body)
    };
    let queues = (0..).zip(capacities);
    let tasks: Vec<_> = (0..).zip(units).map(stage).collect();
    let last = (0..).zip(capacities).map(|(number, _)| number).last();
    TaskSet {
        name: format!("{} stages between devices", tasks.len()),
        queues: queues
            .map(|(number, &capacity): (u16, _)| queue(&format!("queue {number}"), capacity))
            .collect(),
        endpoints: vec![
            device(End::Source, 0, Length::Fixed(every), Duration::ZERO),
            device(
                End::Sink,
                last.unwrap_or_default(),
                Length::Fixed(every),
                parts(every, room, 2),
            ),
        ],
        tasks,
        ..TaskSet::default()
    }
}

/// What the kernel is assumed to cost on a computer of that time.
pub(super) fn overheads(switch: Duration, tick: Duration) -> Overheads {
    Overheads {
        context_switch: Cost::fixed(switch),
        tick: Cost::fixed(tick),
        ..Overheads::default()
    }
}
