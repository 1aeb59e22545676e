//! Paths of messages through the queues of a task set, on which it is known by their number which message left.

use flyball_model::behaviour::count;
use flyball_model::{Arrival, End, OnMiss, Step, Task, TaskSet, Trigger};
use flyball_trace::metrics::{QueuePath, Unit};

/// How many steps of a task are looked at; tasks that take more at a time are no stages of a path.
const MOST_STEPS: u64 = 1_000_000;

/// Finds the paths of at least two queues each, as long as they can be, on which counting says how long a message took.
///
/// Between two queues of a path is one task. It alone takes messages out of the first queue and puts them into the
/// second, and uses no other queue. Again and again it receives the same number of messages and then sends the same
/// number, and always waits for them. All other queues are on no path, and nothing is said about their messages.
/// O(steps, every repetition counted + queues).
pub fn message_paths(set: &TaskSet) -> Vec<QueuePath> {
    if set.queues.len() < 2 {
        return Vec::new();
    }
    let (mut senders, mut receivers) =
        (vec![0_u32; set.queues.len()], vec![0_u32; set.queues.len()]);
    let add = |all: &mut [u32], queue: u16| {
        if let Some(known) = all.get_mut(usize::from(queue)) {
            *known += 1;
        }
    };
    for endpoint in &set.endpoints {
        match endpoint.end {
            End::Source => add(&mut senders, endpoint.queue),
            End::Sink => add(&mut receivers, endpoint.queue),
        }
    }
    for task in &set.tasks {
        let uses = |is_use: &dyn Fn(&Step, u16) -> bool, queue: u16| {
            count(&task.behaviour, &|step: &Step| is_use(step, queue)) > 0
        };
        for queue in (0..).take(set.queues.len()) {
            if uses(&sends_to, queue) {
                add(&mut senders, queue);
            }
            let released = matches!(task.arrival, Arrival::Event { by: Trigger::Queue(by), .. } if by == queue);
            if released || uses(&receives_from, queue) {
                add(&mut receivers, queue);
            }
        }
    }
    let alone = |all: &[u32], queue: u16| all.get(usize::from(queue)) == Some(&1);
    let mut next: Vec<Option<(u16, Unit)>> = vec![None; set.queues.len()];
    let mut follows = vec![false; set.queues.len()];
    for (from, to, unit) in set.tasks.iter().filter_map(stage) {
        if alone(&receivers, from) && alone(&senders, to) {
            next[usize::from(from)] = Some((to, unit));
            follows[usize::from(to)] = true;
        }
    }
    // What closes a circle follows another queue everywhere, so a circle is no path.
    let starts = (0..).zip(&follows).filter(|(_, follows)| !**follows);
    let paths = starts.map(|(start, _)| {
        let (mut queues, mut stages) = (vec![start], Vec::new());
        let mut last = start;
        while let Some((to, unit)) = next.get(usize::from(last)).copied().flatten() {
            queues.push(to);
            stages.push(unit);
            last = to;
        }
        QueuePath { queues, stages }
    });
    paths.filter(|path| path.queues.len() > 1).collect()
}

fn sends_to(step: &Step, queue: u16) -> bool {
    matches!(step, Step::Send(to) | Step::TrySend(to) if *to == queue)
}

fn receives_from(step: &Step, queue: u16) -> bool {
    matches!(step, Step::Receive(from) | Step::TryReceive(from) if *from == queue)
}

/// Whether the step moves a message.
fn moves(step: &Step) -> bool {
    matches!(
        step,
        Step::Send(_) | Step::TrySend(_) | Step::Receive(_) | Step::TryReceive(_)
    )
}

/// From which queue to which a task passes messages on, and how; `None`: it does something else, too, or not always
/// the same.
fn stage(task: &Task) -> Option<(u16, u16, Unit)> {
    let body = match (&task.arrival, task.behaviour.split_last()?) {
        (Arrival::Once, (Step::Repeat { times: None, body }, before)) => {
            (count(before, &moves) == 0).then_some(body)?
        }
        (Arrival::Periodic { .. } | Arrival::Sporadic { .. }, _)
            // A job that is given up may have received what it does not send.
            if task.on_miss != OnMiss::Abort =>
        {
            &task.behaviour
        }
        _ => return None,
    };
    let mut found = Moves::default();
    found.take(body)?;
    found.close()?;
    let (receives, sends) = found.unit?;
    Some((found.from?, found.to?, Unit { receives, sends }))
}

/// What the steps of a task have moved so far.
#[derive(Default)]
struct Moves {
    steps: u64,
    from: Option<u16>,
    to: Option<u16>,
    /// What it received and then sent before the present unit, each time.
    unit: Option<(u64, u64)>,
    /// What it has received and sent in the present one.
    now: (u64, u64),
}

impl Moves {
    /// Goes through steps; `None`: they are not of a stage of a path.
    fn take(&mut self, steps: &[Step]) -> Option<()> {
        for step in steps {
            self.steps += 1;
            match step {
                _ if self.steps > MOST_STEPS => return None,
                Step::Repeat { times: None, .. } | Step::TrySend(_) | Step::TryReceive(_) => {
                    return None;
                }
                Step::Repeat {
                    times: Some(times),
                    body,
                } if count(body, &moves) > 0 => {
                    for _ in 0..*times {
                        self.take(body)?;
                    }
                }
                Step::Receive(from) => {
                    if self.now.1 > 0 {
                        self.close()?;
                    }
                    self.now.0 += 1;
                    if *self.from.get_or_insert(*from) != *from {
                        return None;
                    }
                }
                Step::Send(to) => {
                    self.now.1 += 1;
                    if self.now.0 == 0 || *self.to.get_or_insert(*to) != *to {
                        return None;
                    }
                }
                _ => {}
            }
        }
        Some(())
    }

    /// A unit is over; `None`: it was not as those before it, or did not send.
    fn close(&mut self) -> Option<()> {
        let now = std::mem::take(&mut self.now);
        (now.1 > 0 && *self.unit.get_or_insert(now) == now).then_some(())
    }
}
