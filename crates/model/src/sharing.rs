//! What tasks have in common: mutexes, semaphores and queues.

use crate::behaviour::each_step;
use crate::taskset::{Step, Task, TaskSet, Trigger};
use flyball_trace::Object;
use std::collections::{BTreeMap, BTreeSet};

/// What keeps tasks together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Common {
    Object(Object),
    Server(u16),
}

impl Task {
    /// The mutexes, semaphores and queues that its jobs use, or that release them. O(steps).
    pub fn objects(&self) -> BTreeSet<Object> {
        let trigger = self.trigger().map(|trigger| match trigger {
            Trigger::Queue(n) => Object::Queue(n),
            Trigger::Semaphore(n) => Object::Semaphore(n),
        });
        let mut objects = BTreeSet::from_iter(trigger);
        each_step(&self.behaviour, &mut |step| {
            objects.extend(match *step {
                Step::Lock(n) | Step::Unlock(n) => Some(Object::Mutex(n)),
                Step::Wait(n) | Step::Signal(n) => Some(Object::Semaphore(n)),
                Step::Send(n) | Step::TrySend(n) | Step::Receive(n) | Step::TryReceive(n) => {
                    Some(Object::Queue(n))
                }
                Step::Raise { gauge, .. } | Step::Lower { gauge, .. } => Some(Object::Queue(gauge)),
                Step::Compute(_)
                | Step::Overrun { .. }
                | Step::Stalling { .. }
                | Step::Suspend(_)
                | Step::Yield
                | Step::Control
                | Step::Result(_)
                | Step::Repeat { .. } => None,
            });
        });
        objects
    }
}

impl TaskSet {
    /// The first task that uses this queue, by its number: a source or a sink of the queue belongs to the CPUs of that
    /// task. O(steps).
    pub fn user_of(&self, queue: u16) -> Option<usize> {
        let mut tasks = self.tasks.iter();
        tasks.position(|task| task.objects().contains(&Object::Queue(queue)))
    }

    /// The name of a mutex, a semaphore or a queue of the set; empty for any other object.
    pub fn object_name(&self, object: Object) -> &str {
        let name = match object {
            Object::Mutex(n) => self.mutexes.get(usize::from(n)).map(|it| &it.name),
            Object::Semaphore(n) => self.semaphores.get(usize::from(n)).map(|it| &it.name),
            Object::Queue(n) => self.queues.get(usize::from(n)).map(|it| &it.name),
            Object::Condition(_) | Object::Task(_) | Object::Clock | Object::Token => None,
        };
        name.map_or("", String::as_str)
    }

    /// The numbers of tasks that use the same objects, that run in one server, or that others bring
    /// together, in rising order: each task is in one group, perhaps alone, and groups are in the order of their first
    /// tasks. O(steps × log), and the product of the tasks that use objects and of their groups.
    pub fn groups(&self) -> Vec<Vec<usize>> {
        // Each group with its objects; those that a task brings together become one.
        let mut groups: Vec<(Vec<usize>, BTreeSet<Common>)> = Vec::new();
        let mut alone = Vec::new();
        for (number, task) in self.tasks.iter().enumerate() {
            let mut group = (vec![number], BTreeSet::new());
            group
                .1
                .extend(task.objects().into_iter().map(Common::Object));
            group.1.extend(task.server.map(Common::Server));
            if group.1.is_empty() {
                alone.push(group.0);
                continue;
            }
            groups.retain_mut(|(numbers, objects)| {
                let is_apart = objects.is_disjoint(&group.1);
                if !is_apart {
                    group.0.append(numbers);
                    group.1.append(objects);
                }
                is_apart
            });
            groups.push(group);
        }
        let mut groups: Vec<Vec<usize>> = groups.into_iter().map(|(numbers, _)| numbers).collect();
        for group in &mut groups {
            group.sort_unstable();
        }
        groups.append(&mut alone);
        groups.sort_unstable();
        groups
    }

    /// An object that tasks use which `place` puts to different places, if there is one. O(steps × log).
    pub fn shared_across<P: PartialEq>(&self, place: impl Fn(&Task) -> P) -> Option<Object> {
        let mut places: BTreeMap<Object, P> = BTreeMap::new();
        for task in &self.tasks {
            for object in task.objects() {
                let first = places.entry(object).or_insert_with(|| place(task));
                if *first != place(task) {
                    return Some(object);
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "c" uses what "a" uses and what "d" uses, so all three belong together.
    #[test]
    fn what_brings_others_together_is_one_group() {
        let uses = |name: &str, steps: &[Step]| {
            let ms = flyball_trace::Duration::from_millis(1);
            let mut task = Task::periodic(name, ms * 10, ms);
            task.behaviour.extend_from_slice(steps);
            task
        };
        let set = TaskSet {
            tasks: vec![
                uses("a", &[Step::Lock(0), Step::Unlock(0)]),
                uses("b", &[]),
                uses(
                    "d",
                    &[Step::Repeat {
                        times: Some(2),
                        body: vec![Step::Send(1)],
                    }],
                ),
                uses("c", &[Step::Receive(1), Step::Lock(0), Step::Unlock(0)]),
                uses("e", &[Step::Signal(1)]),
            ],
            ..TaskSet::default()
        };
        assert_eq!(set.groups(), [vec![0, 2, 3], vec![1], vec![4]]);
        let by_name = |task: &Task| task.name == "d";
        assert_eq!(set.shared_across(by_name), Some(Object::Queue(1)));
        assert_eq!(set.shared_across(|_| 0), None);
    }
}
