//! How long equals wait: not at all known under the designs of the source, bounded on a tour.

use crate::double_sorted::{Lane, Random, Small, TASKS, table_3_1};
use flyball_policy::{
    Costs, End, Group, Kept, Queue, Round, StrictLists, StrictWalk, TaskId, TourLists, Visits,
};

const LEVELS: u8 = 3;
const GROUPS: u8 = 5;

/// What a task that waits has seen since it was put in.
#[derive(Clone, Copy, Default)]
struct Wait {
    /// The turns of each other task of its level, or what was left of one.
    turns: [u32; TASKS as usize],
    /// What the adjustments of its level have cost.
    cost: u64,
}

/// A queue, and what an adversary knows of it.
struct World<'a, Q> {
    queue: Q,
    costs: &'a Costs,
    running: Option<TaskId>,
    /// By task; `None`: it is not queued, or has its turn.
    waits: [Option<Wait>; TASKS as usize],
    has_turn: [bool; TASKS as usize],
    /// The group that a level served last; `None`: it has been empty since.
    served: [Option<Group>; LEVELS as usize],
    present: Group,
    /// The most turns of one task, and the highest cost, that any task has waited for.
    most_turns: u32,
    highest_cost: u64,
    /// How often a task began a turn.
    turns: u32,
}

impl<'a, Q: Queue<Lane>> World<'a, Q> {
    fn new(queue: Q, costs: &'a Costs) -> World<'a, Q> {
        World {
            queue,
            costs,
            running: None,
            waits: [None; TASKS as usize],
            has_turn: [false; TASKS as usize],
            served: [None; LEVELS as usize],
            present: Group(0),
            most_turns: 0,
            highest_cost: 0,
            turns: 0,
        }
    }

    fn level(&self, task: TaskId) -> Option<usize> {
        Some(self.queue.key(task)?.0.into())
    }

    fn in_level(&self, level: usize) -> Vec<TaskId> {
        let tasks = (0..TASKS).map(TaskId);
        let tasks = tasks.filter(|&task| self.level(task) == Some(level));
        tasks.collect()
    }

    /// `task` begins to wait, and what is left of others' turns counts.
    fn waits(&mut self, task: TaskId, level: usize) {
        let mut wait = Wait::default();
        self.has_turn[task.index()] = false;
        for other in self.in_level(level) {
            wait.turns[other.index()] = self.has_turn[other.index()].into();
        }
        self.waits[task.index()] = Some(wait);
    }

    fn insert(&mut self, task: TaskId, level: u8) {
        self.queue.insert(task, Lane(level), End::Tail);
        self.waits(task, level.into());
    }

    /// A task that comes with another group than the last time counts as another task.
    fn regroup(&mut self, task: TaskId, group: Group) {
        if self.queue.group(task) != group {
            self.queue.regroup(task, group);
            for wait in self.waits.iter_mut().flatten() {
                wait.turns[task.index()] = 0;
            }
        }
    }

    fn take(&mut self, task: TaskId) {
        let Some(level) = self.level(task) else {
            return;
        };
        self.queue.take(task);
        self.waits[task.index()] = None;
        self.has_turn[task.index()] = false;
        self.running = self.running.filter(|&running| running != task);
        if self.in_level(level).is_empty() {
            self.served[level] = None;
        }
    }

    fn rotate(&mut self, task: TaskId) {
        if let Some(level) = self.level(task) {
            self.queue.rotate(task);
            self.waits(task, level);
        }
    }

    /// The first runs: a turn of it begins, or goes on.
    fn pick(&mut self) {
        let Some(task) = self.queue.first() else {
            self.running = None;
            return;
        };
        let (level, group) = (self.level(task).unwrap(), self.queue.group(task));
        let begins = !self.has_turn[task.index()];
        let from = self.served[level].unwrap_or(self.present);
        let cost = u64::from(self.costs.of(from, group));
        for other in self.in_level(level) {
            let Some(wait) = &mut self.waits[other.index()] else {
                continue;
            };
            wait.cost += cost;
            self.highest_cost = self.highest_cost.max(wait.cost);
            if begins && other != task {
                let turns = &mut wait.turns[task.index()];
                *turns += 1;
                self.most_turns = self.most_turns.max(*turns);
            }
        }
        self.turns += u32::from(begins);
        self.queue.serve(task);
        (self.has_turn[task.index()], self.waits[task.index()]) = (true, None);
        (self.served[level], self.present) = (Some(group), group);
        self.running = Some(task);
    }

    /// So many events of an adversary, which would have some task wait for as long as possible.
    fn attack(mut self, events: u32, seed: u64) -> Self {
        let mut random = Random(seed);
        for event in 0..events {
            // Now a few tasks, now many; now all of them equals, now with others above.
            let phase = event / 1_000;
            let (crowd, above) = (4 + phase % 4 * 4, phase / 4 % 3);
            let task = TaskId(u16::try_from(random.below(crowd.into())).unwrap());
            let level = LEVELS - 1 - u8::from(random.below(10) < u64::from(above));
            match (random.below(10), self.running) {
                // It stops and comes back at once, in the hope to be served again.
                (0..=3, Some(running)) => {
                    let level = self.queue.key(running).unwrap().0;
                    self.take(running);
                    if random.below(3) > 0 {
                        self.insert(running, level);
                    }
                }
                (4..=6, Some(running)) => self.rotate(running),
                (7, _) => self.take(task),
                (8, Some(_)) => {
                    // Something urgent, in some domain, for a moment.
                    if self.level(task).is_none() {
                        self.insert(task, 0);
                    }
                }
                _ => {
                    if self.level(task).is_none() {
                        let group = Group(random.byte_below(GROUPS.into()));
                        self.regroup(task, group);
                        self.insert(task, level);
                    }
                }
            }
            // Several things may happen before a task is picked.
            if random.below(4) > 0 || self.running.is_none() {
                self.pick();
            }
        }
        self
    }
}

const EVENTS: u32 = if cfg!(miri) { 10_000 } else { 1_000_000 };

fn on_tour(costs: &Costs) -> TourLists<Lane, Small, 8, 6> {
    TourLists::with(TASKS.into(), Round::cheapest(costs, Kept::ALL))
}

/// No task waits for more than a turn of each other one and the cheapest round.
#[test]
fn a_tour_is_a_bound() {
    for (seed, costs) in [(1, table_3_1()), (2, Costs::even(GROUPS.into(), 10))] {
        let costs = costs.with_detours();
        let round = costs.round(Kept::ALL).cost;
        let world = World::new(on_tour(&costs), &costs).attack(EVENTS / 2, seed);
        assert_eq!(world.most_turns, 1);
        assert_eq!(
            world.highest_cost, round,
            "the bound is reached, not passed"
        );
        assert!(world.turns > EVENTS / 10, "{} turns", world.turns);
    }
}

/// The same adversary makes tasks wait under the designs of the source.
#[test]
fn the_adversary_is_one() {
    let costs = table_3_1().with_detours();
    let visits = Visits::cheapest(&costs, Kept::ALL);
    let lists = StrictLists::<Lane, Small>::with(TASKS.into(), visits);
    let lists = World::new(lists, &costs).attack(EVENTS.min(100_000), 1);
    assert!(lists.most_turns > 10, "{} turns", lists.most_turns);
    let walk = World::new(StrictWalk::<Lane, Small>::new(TASKS.into()), &costs);
    let walk = walk.attack(EVENTS.min(100_000), 1);
    assert!(walk.most_turns > 3, "{} turns", walk.most_turns);
}

/// Equals of two domains, the first two of them high, the last low.
fn three<Q: Queue<Lane>>(mut queue: Q) -> Q {
    for (task, group) in [1, 1, 0].into_iter().enumerate() {
        let task = TaskId::from_index(task);
        queue.regroup(task, Group(group));
        queue.insert(task, Lane(120), End::Tail);
    }
    queue.prefer(Group(1));
    queue
}

/// What so many time slices go to, if each task goes behind its equals at the end of one.
fn slices<Q: Queue<Lane>>(queue: &mut Q, rotate: fn(&mut Q, TaskId), count: usize) -> Vec<u16> {
    let mut served = Vec::new();
    for _ in 0..count {
        let task = queue.first().unwrap();
        queue.serve(task);
        served.push(task.0);
        rotate(queue, task);
    }
    served
}

/// Over plain round robin the CPU never leaves the domain that it is in: strict lists starve the others.
/// On a tour these have their turns.
#[test]
fn strict_lists_starve_over_round_robin() {
    let mut lists = three(StrictLists::<Lane, Small>::new(TASKS.into()));
    let served = slices(&mut lists, Queue::rotate, 1_000);
    assert_eq!(served, [0, 1].repeat(500));
    let mut tour = three(TourLists::<Lane, Small>::new(TASKS.into()));
    let served = slices(&mut tour, Queue::rotate, 999);
    assert_eq!(served, [0, 1, 2].repeat(333));
}

fn sorts_anew<Q: Queue<Lane>>(queue: &mut Q, task: TaskId) {
    let key = queue.remove(task).unwrap();
    queue.insert(task, key, End::Tail);
}

/// Why a task that goes behind its equals is not sorted anew: it would be the head at once.
#[test]
fn rotation_does_not_sort() {
    let mut walk = three(StrictWalk::<Lane, Small>::new(TASKS.into()));
    assert_eq!(slices(&mut walk, Queue::rotate, 6), [0, 1, 2, 0, 1, 2]);
    let mut walk = three(StrictWalk::<Lane, Small>::new(TASKS.into()));
    let served = slices(&mut walk, sorts_anew, 1_000);
    assert_eq!(
        served,
        [0, 1].repeat(500),
        "only tasks of the highest domain"
    );
    let mut walk = three(StrictWalk::<Lane, Small>::new(TASKS.into()));
    walk.take(TaskId(1));
    let served = slices(&mut walk, sorts_anew, 1_000);
    assert_eq!(served, [0].repeat(1_000), "its last task again and again");
}

/// An epoch that begins with a visit has the domains less one, and the next begins with one more: with
/// both bounds there is no other way.
#[test]
fn an_epoch_of_a_tour() {
    let costs = table_3_1().with_detours();
    let mut queue = on_tour(&costs);
    let groups = [4, 0, 2, 2, 0, 4, 3].map(Group);
    for (task, &group) in groups.iter().enumerate() {
        queue.regroup(TaskId::from_index(task), group);
        queue.insert(TaskId::from_index(task), Lane(9), End::Tail);
    }
    queue.prefer(Group(2));
    let served = slices(&mut queue, Queue::rotate, 700);
    for epoch in served.chunks(7) {
        // From 416 MHz by 620 and 520 to 104.
        assert_eq!(epoch, [2, 3, 0, 5, 6, 1, 4]);
        let groups: Vec<_> = epoch
            .iter()
            .map(|&task| groups[usize::from(task)])
            .collect();
        let adjustments = groups.windows(2).filter(|pair| pair[0] != pair[1]);
        assert_eq!(adjustments.count(), 3);
    }
}
