//! Whether what releases jobs fits together: each trigger has one task, some task sends to it, no
//! other takes from it, and no task releases itself, directly or through others.

use crate::behaviour::each_step;
use crate::endpoint::End;
use crate::error::Kind;
use crate::hint::quoted;
use crate::source::{Source, Span};
use crate::taskset::{Step, TaskSet, Trigger};
use std::collections::{BTreeMap, HashMap, HashSet};

use super::table::Read;

/// Checks the triggers of `set`. `places` tell of each task where the file names its trigger.
/// O(n log n) in the number of steps.
pub(super) fn check(source: &Source<'_>, set: &TaskSet, places: &[Span]) -> Read<()> {
    let mut released: HashMap<Trigger, usize> = HashMap::new();
    let fault = |task: usize, message: String, help: &str| {
        let error = source.error(Kind::Inconsistent, &places[task], message);
        let label = format!("task {}", quoted(&set.tasks[task].name));
        Err(error.within("released_by").within(&label).help(help))
    };
    for (number, task) in set.tasks.iter().enumerate() {
        let Some(trigger) = task.trigger() else {
            continue;
        };
        if let Some(first) = released.insert(trigger, number) {
            let first = quoted(&set.tasks[first].name);
            let message = format!("it releases jobs of task {first} already");
            return fault(
                number,
                message,
                "give each task a queue or semaphore of its own",
            );
        }
        if let Trigger::Semaphore(semaphore) = trigger
            && set.semaphores[usize::from(semaphore)].initial > 0
        {
            let message = "a semaphore that releases jobs begins at zero".to_owned();
            return fault(number, message, "leave out its `initial`");
        }
    }
    if released.is_empty() {
        return Ok(());
    }
    // Whose jobs each task's jobs release, in the order of their numbers.
    let mut edges: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (number, task) in set.tasks.iter().enumerate() {
        let mut taken = None;
        each_step(&task.behaviour, &mut |step| {
            let sends = match *step {
                Step::Send(queue) | Step::TrySend(queue) => Trigger::Queue(queue),
                Step::Signal(semaphore) => Trigger::Semaphore(semaphore),
                Step::Receive(queue) | Step::TryReceive(queue) => {
                    taken = taken.or(released.get(&Trigger::Queue(queue)).copied());
                    return;
                }
                Step::Wait(semaphore) => {
                    taken = taken.or(released.get(&Trigger::Semaphore(semaphore)).copied());
                    return;
                }
                _ => return,
            };
            if let Some(&to) = released.get(&sends) {
                edges.entry(number).or_default().push(to);
            }
        });
        match taken {
            Some(owner) if owner == number => {
                let message = "its jobs have their message or signal already as they begin";
                let help = "leave out the step that receives it or waits for it";
                return fault(owner, message.to_owned(), help);
            }
            Some(owner) => {
                let other = quoted(&task.name);
                let message = format!("task {other} takes from it, too");
                let help = "send what another task is to take by a queue or semaphore of its own";
                return fault(owner, message, help);
            }
            None => {}
        }
    }
    let fed = set.endpoints.iter().filter(|it| it.end == End::Source);
    let fed = fed.filter_map(|it| released.get(&Trigger::Queue(it.queue)));
    let sent: HashSet<usize> = edges.values().flatten().chain(fed).copied().collect();
    let mut owners: Vec<usize> = released.into_values().collect();
    owners.sort_unstable();
    if let Some(&task) = owners.iter().find(|task| !sent.contains(task)) {
        let message = "no task sends to it, so no job would ever be released".to_owned();
        return fault(
            task,
            message,
            "add a `send` or `signal` step to another task, or a `[[source]]`",
        );
    }
    match circle(&edges, &owners) {
        Some(tasks) => {
            let names: Vec<String> = tasks
                .iter()
                .map(|&it| quoted(&set.tasks[it].name))
                .collect();
            let message = format!(
                "its jobs release each other in a circle: {}",
                names.join(", ")
            );
            fault(tasks[0], message, "let the clock release one of them")
        }
        None => Ok(()),
    }
}

/// The tasks of a circle that one of `owners` is in, in order, if there is one. O(tasks + edges).
fn circle(edges: &BTreeMap<usize, Vec<usize>>, owners: &[usize]) -> Option<Vec<usize>> {
    // Without those that release nothing which is left, again and again, circles and what leads to
    // them remain; from there each way that goes on comes to a circle.
    let mut left: BTreeMap<usize, usize> = owners.iter().map(|&it| (it, 0)).collect();
    let mut senders: HashMap<usize, Vec<usize>> = HashMap::new();
    for (&from, to) in edges {
        if let Some(count) = left.get_mut(&from) {
            *count = to.len();
            for &to in to {
                senders.entry(to).or_default().push(from);
            }
        }
    }
    let is_end = |task: &usize, left: &BTreeMap<usize, usize>| left.get(task) == Some(&0);
    let mut ends: Vec<usize> = owners
        .iter()
        .copied()
        .filter(|it| is_end(it, &left))
        .collect();
    while let Some(end) = ends.pop() {
        left.remove(&end);
        for &sender in senders.get(&end).into_iter().flatten() {
            if let Some(count) = left.get_mut(&sender) {
                *count -= 1;
            }
            if is_end(&sender, &left) {
                ends.push(sender);
            }
        }
    }
    let mut way = vec![*left.keys().next()?];
    loop {
        let next = edges
            .get(way.last()?)?
            .iter()
            .copied()
            .find(|it| left.contains_key(it))?;
        if let Some(at) = way.iter().position(|&it| it == next) {
            return Some(way.split_off(at));
        }
        way.push(next);
    }
}
