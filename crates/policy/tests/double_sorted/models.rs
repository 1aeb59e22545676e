//! Each queue against a model of its section: vectors, searched from end to end.

use crate::double_sorted::{Lane, Small, TASKS, table_3_1};
use flyball_policy::{
    Breadth, End, Group, Kept, LooseLists, LooseWalk, Queue, Round, Scope, StrictLists, StrictWalk,
    TaskId, TourLists, Visits,
};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::num::NonZeroU8;

const GROUPS: u8 = 5;

#[derive(Clone, Debug)]
enum Step {
    Insert(TaskId, u8, End),
    Remove(TaskId),
    Rotate(TaskId),
    /// The first runs.
    Serve,
    Prefer(Group),
    Regroup(TaskId, Group),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let task = || (0..TASKS).prop_map(TaskId);
    let group = || (0..GROUPS).prop_map(Group);
    let end = || prop_oneof![1 => Just(End::Head), 5 => Just(End::Tail)];
    // Levels on both sides of 100, where real-time levels end.
    let step = prop_oneof![
        6 => (task(), 97..104_u8, end()).prop_map(|(task, level, end)| Step::Insert(task, level, end)),
        2 => task().prop_map(Step::Remove),
        1 => task().prop_map(Step::Rotate),
        3 => Just(Step::Serve),
        1 => group().prop_map(Step::Prefer),
        3 => (task(), group()).prop_map(|(task, group)| Step::Regroup(task, group)),
    ];
    proptest::collection::vec(step, 0..100)
}

/// What a model has of a queued task.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Queued {
    task: TaskId,
    group: Group,
    own: u8,
    /// The level in which it is served.
    level: u8,
}

/// Which design a model is of.
#[derive(Clone, Copy, PartialEq)]
enum Design {
    /// So many levels share their lists.
    Lists(Scope),
    Walk(Option<Breadth>),
    Tour,
}

struct Model {
    design: Design,
    present: Group,
    running: Option<TaskId>,
    groups: [Group; TASKS as usize],
    /// By level; each in an order that the design gives a meaning.
    levels: BTreeMap<u8, Vec<Queued>>,
    /// On a tour: the domain visited, and the tasks of the visit.
    visits: BTreeMap<u8, (Group, Vec<TaskId>)>,
}

impl Model {
    fn new(design: Design) -> Model {
        Model {
            design,
            present: Group(0),
            running: None,
            groups: [Group(0); TASKS as usize],
            levels: BTreeMap::new(),
            visits: BTreeMap::new(),
        }
    }

    fn find(&self, task: TaskId) -> Option<Queued> {
        let mut all = self.levels.values().flatten();
        all.find(|queued| queued.task == task).copied()
    }

    fn level_for(&self, own: u8, group: Group, end: End) -> u8 {
        let has = |level| {
            let queued = self.levels.get(&level);
            queued.is_some_and(|all| all.iter().any(|queued| queued.group == group))
        };
        match self.design {
            Design::Lists(scope) if own >= scope.real_time => {
                let levels = scope.levels.get();
                let share = (own - scope.real_time) / levels;
                scope.real_time + share * levels
            }
            Design::Walk(Some(breadth)) if end == End::Tail && own >= breadth.real_time => {
                if has(own) {
                    own
                } else if own > breadth.real_time && has(own - 1) {
                    own - 1
                } else if breadth.demotes && has(own + 1) {
                    own + 1
                } else {
                    own
                }
            }
            _ => own,
        }
    }

    fn insert(&mut self, task: TaskId, own: u8, end: End) {
        let group = self.groups[task.index()];
        let level = self.level_for(own, group, end);
        let queued = Queued {
            task,
            group,
            own,
            level,
        };
        let list = self.levels.entry(level).or_default();
        let is_behind = |other: &Queued| other.group >= group || Some(other.task) == self.running;
        let at = match (self.design, end) {
            (_, End::Head) => 0,
            (Design::Walk(_), End::Tail) => list.iter().rposition(is_behind).map_or(0, |at| at + 1),
            (_, End::Tail) => list.len(),
        };
        list.insert(at, queued);
        if self.design == Design::Tour && end == End::Head {
            // The visit is that of no domain, if none has begun.
            let (_, visit) = self.visits.entry(level).or_insert((Group(255), Vec::new()));
            visit.insert(0, task);
        }
    }

    fn unlink(&mut self, queued: Queued) {
        let list = self.levels.get_mut(&queued.level).unwrap();
        list.retain(|other| other.task != queued.task);
        if let Some((_, visit)) = self.visits.get_mut(&queued.level) {
            visit.retain(|&other| other != queued.task);
        }
        self.running = self.running.filter(|&running| running != queued.task);
    }

    fn remove(&mut self, task: TaskId) -> Option<u8> {
        let queued = self.find(task)?;
        self.unlink(queued);
        if self.levels[&queued.level].is_empty() {
            self.levels.remove(&queued.level);
            self.visits.remove(&queued.level);
        }
        Some(queued.own)
    }

    fn rotate(&mut self, task: TaskId) {
        let Some(queued) = self.find(task) else {
            return;
        };
        self.unlink(queued);
        self.levels.get_mut(&queued.level).unwrap().push(queued);
    }

    fn first(&self) -> Option<TaskId> {
        let (level, list) = self.levels.first_key_value()?;
        let of = |group: Group| list.iter().find(|queued| queued.group == group);
        let costs = table_3_1();
        let first = match self.design {
            Design::Walk(_) => &list[0],
            Design::Lists(_) => {
                let path = costs.path(self.present, Kept::ALL);
                path.groups().iter().find_map(|&group| of(group))?
            }
            Design::Tour => {
                let mut start = self.present;
                if let Some((visited, visit)) = self.visits.get(level) {
                    if let Some(&first) = visit.first() {
                        return Some(first);
                    }
                    if *visited != Group(255) {
                        start = *visited;
                    }
                }
                let round = costs.round(Kept::ALL);
                let at = round.groups().iter().position(|&group| group == start);
                let begun = self.visits.get(level).is_some_and(|visit| visit.0 == start);
                let mut order = round.groups().to_vec();
                order.rotate_left((at? + usize::from(begun)) % round.groups().len());
                order.into_iter().find_map(of)?
            }
        };
        Some(first.task)
    }

    fn serve(&mut self, task: TaskId) {
        let Some(queued) = self.find(task) else {
            return;
        };
        self.present = queued.group;
        self.running = Some(task);
        let begins =
            |(visited, visit): &(Group, Vec<TaskId>)| visit.is_empty() || *visited == Group(255);
        if self.visits.get(&queued.level).is_none_or(begins) {
            let list = &self.levels[&queued.level];
            let mut visit = self
                .visits
                .remove(&queued.level)
                .map_or(Vec::new(), |visit| visit.1);
            if visit.is_empty() {
                let of_domain = list.iter().filter(|other| other.group == queued.group);
                visit = of_domain.map(|other| other.task).collect();
            }
            self.visits.insert(queued.level, (queued.group, visit));
        }
    }
}

fn agrees<Q: Queue<Lane>>(
    steps: &[Step],
    mut queue: Q,
    design: Design,
) -> Result<(), TestCaseError> {
    let mut model = Model::new(design);
    for step in steps {
        match *step {
            Step::Insert(task, level, end) => {
                if queue.key(task).is_none() {
                    let is_first = queue.insert(task, Lane(level), end);
                    model.insert(task, level, end);
                    prop_assert_eq!(is_first, model.first() == Some(task));
                }
            }
            Step::Remove(task) => {
                prop_assert_eq!(queue.remove(task), model.remove(task).map(Lane));
            }
            Step::Rotate(task) => {
                if queue.key(task).is_some() {
                    queue.rotate(task);
                    model.rotate(task);
                }
            }
            Step::Serve => {
                if let Some(first) = queue.first() {
                    queue.serve(first);
                    model.serve(first);
                    prop_assert_eq!(queue.first(), Some(first), "it stays the first");
                }
            }
            Step::Prefer(group) => {
                queue.prefer(group);
                model.present = group;
            }
            Step::Regroup(task, group) => {
                if queue.key(task).is_none() {
                    queue.regroup(task, group);
                    model.groups[task.index()] = group;
                    prop_assert_eq!(queue.group(task), group);
                }
            }
        }
        prop_assert_eq!(queue.first(), model.first(), "after {:?}", step);
        for task in (0..TASKS).map(TaskId) {
            let own = model.find(task).map(|queued| Lane(queued.own));
            prop_assert_eq!(queue.key(task), own);
        }
    }
    Ok(())
}

fn tasks() -> usize {
    TASKS.into()
}

fn scope(levels: u8) -> Scope {
    let levels = NonZeroU8::new(levels).unwrap();
    Scope {
        levels,
        ..Scope::default()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 4 } else { 2_000 }))]

    #[test]
    fn strict_lists(steps in steps()) {
        let visits = Visits::cheapest(&table_3_1(), Kept::ALL);
        let queue = StrictLists::<Lane, Small>::with(tasks(), visits);
        agrees(&steps, queue, Design::Lists(scope(1)))?;
        let queue = StrictLists::<Lane, Small, 8, 5>::with(tasks(), visits);
        agrees(&steps, queue, Design::Lists(scope(1)))?;
    }

    #[test]
    fn loose_lists(steps in steps(), levels in 1..5_u8) {
        let visits = Visits::cheapest(&table_3_1(), Kept::ALL);
        let queue = LooseLists::<Lane, Small, 8, 5>::with(tasks(), scope(levels), visits);
        agrees(&steps, queue, Design::Lists(scope(levels)))?;
    }

    #[test]
    fn strict_walk(steps in steps()) {
        agrees(&steps, StrictWalk::<Lane, Small>::new(tasks()), Design::Walk(None))?;
    }

    #[test]
    fn loose_walk(steps in steps(), demotes in any::<bool>()) {
        let breadth = Breadth { demotes, ..Breadth::default() };
        let queue = LooseWalk::<Lane, Small>::with(tasks(), breadth);
        agrees(&steps, queue, Design::Walk(Some(breadth)))?;
    }

    #[test]
    fn tour_lists(steps in steps()) {
        let round = Round::cheapest(&table_3_1(), Kept::ALL);
        let queue = TourLists::<Lane, Small>::with(tasks(), round);
        agrees(&steps, queue, Design::Tour)?;
        let queue = TourLists::<Lane, Small, 8, 6>::with(tasks(), round);
        agrees(&steps, queue, Design::Tour)?;
    }

    /// Wherever a task is put, and however often, it is within a level of its own, and real-time levels
    /// are left alone.
    #[test]
    fn no_task_is_promoted_twice(steps in steps(), demotes in any::<bool>()) {
        let breadth = Breadth { demotes, ..Breadth::default() };
        let mut queue = LooseWalk::<Lane, Small>::with(tasks(), breadth);
        for step in steps {
            match step {
                Step::Insert(task, level, end) if queue.key(task).is_none() => {
                    queue.insert(task, Lane(level), end);
                }
                Step::Remove(task) => {
                    queue.remove(task);
                }
                Step::Rotate(task) if queue.key(task).is_some() => queue.rotate(task),
                Step::Regroup(task, group) if queue.key(task).is_none() => queue.regroup(task, group),
                Step::Serve => {
                    if let Some(first) = queue.first() {
                        queue.serve(first);
                        // As at the end of a time slice by Linux: out and in again.
                        let key = queue.remove(first).unwrap();
                        queue.insert(first, key, End::Tail);
                    }
                }
                _ => {}
            }
            for task in (0..TASKS).map(TaskId) {
                let Some(Lane(own)) = queue.key(task) else { continue };
                let level = queue.level(task).unwrap();
                let most = if own < 100 { 0 } else { u8::from(demotes) };
                let least = u8::from(own > 100);
                prop_assert!((own - least..=own + most).contains(&level), "{own} in {level}");
            }
        }
    }
}
