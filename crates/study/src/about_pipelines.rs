//! Notes about queues between tasks, for policies that look at how full they are.

use crate::note::Note;
use crate::registry::{Entry, Registry};
use crate::results::PolicyReport;
use flyball_model::behaviour::count;
use flyball_model::{Arrival, End, Endpoint, Queue, Step, Task, TaskSet};

/// Says so if nothing gives a pipeline a rate, of the first queue of a pipeline that is too short to see a
/// swing in it, and of the first gauge that never changes, if any of these policies looks at levels. O(steps · queues).
pub(crate) fn notes(registry: &Registry, set: &TaskSet, policies: &[PolicyReport]) -> Vec<Note> {
    let mut entries = policies
        .iter()
        .filter_map(|it| registry.find(&it.policy).ok());
    if !entries.any(Entry::takes_levels) {
        return Vec::new();
    }
    let between = |task: &&Task, queue: u16| task.arrival == Arrival::Once && moves(task, queue);
    let is_pipeline = |queue: u16| set.tasks.iter().any(|task| between(&task, queue));
    let mut queues = (0..)
        .zip(&set.queues)
        .filter(|(queue, _)| is_pipeline(*queue));
    let is_driven = |task: &Task| task.arrival != Arrival::Once || paces(task);
    let first = queues.clone().next();
    let nothing = first.filter(|_| set.endpoints.is_empty() && !set.tasks.iter().any(is_driven));
    let short = queues.find(|(_, queue)| queue.capacity == 1);
    let silent = (0..).zip(&set.queues).find_map(|it| no_readings(set, it));
    let name = |(_, queue): (u16, &flyball_model::Queue)| queue.name.clone();
    nothing
        .map(|queue| Note::NothingDrives { queue: name(queue) })
        .into_iter()
        .chain(short.map(|queue| Note::OneMessage { queue: name(queue) }))
        .chain(silent)
        .collect()
}

/// Says so of a gauge that a task lowers and nothing raises: it is 0 for ever.
fn no_readings(set: &TaskSet, (number, gauge): (u16, &Queue)) -> Option<Note> {
    gauge.gauge?;
    let does = |task: &Task, is: &dyn Fn(&Step) -> bool| count(&task.behaviour, &is) > 0;
    let raises = |step: &Step| matches!(step, Step::Raise { gauge, .. } if *gauge == number);
    let lowers = |step: &Step| matches!(step, Step::Lower { gauge, .. } if *gauge == number);
    let is_source = |it: &Endpoint| it.end == End::Source && it.queue == number;
    let is_raised =
        set.endpoints.iter().any(is_source) || set.tasks.iter().any(|task| does(task, &raises));
    let task = set.tasks.iter().find(|task| does(task, &lowers))?;
    (!is_raised).then(|| Note::NoReadings {
        gauge: gauge.name.clone(),
        task: task.name.clone(),
    })
}

/// Whether the task sends to the queue or receives from it.
fn moves(task: &Task, queue: u16) -> bool {
    let is_move = |step: &Step| match step {
        Step::Send(of) | Step::TrySend(of) | Step::Receive(of) | Step::TryReceive(of) => {
            *of == queue
        }
        _ => false,
    };
    count(&task.behaviour, &is_move) > 0
}

/// Whether the task waits for time to pass now and then, or for something else than a queue.
fn paces(task: &Task) -> bool {
    let is_pause = |step: &Step| matches!(step, Step::Suspend(_) | Step::Wait(_));
    count(&task.behaviour, &is_pause) > 0
}
