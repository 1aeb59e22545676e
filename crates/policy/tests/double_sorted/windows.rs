//! Deadlines in windows: by hand, against a vector that is searched, and beside windows that slide.

use crate::double_sorted::{Small, TASKS, table_3_1};
use flyball_policy::{
    Costs, CpuId, Deadline, DoubleSorted, Duration, EarliestDeadline, End, Group, Grouped, Kept,
    Policy, Queue, Ranked, Ready, Resched, Stop, TaskId, Time, Usage, Visits, Windows,
};
use proptest::prelude::*;

fn at(nanos: u64) -> Time {
    Time::from_nanos(nanos)
}

fn queue(window: u64) -> Windows<Small> {
    let visits = Visits::cheapest(&table_3_1(), Kept::ALL);
    Windows::with(TASKS.into(), Duration::from_nanos(window), visits)
}

/// Puts in tasks of these groups and deadlines, and returns in which order they are served to their ends.
fn order(window: u64, tasks: &[(u8, u64)]) -> Vec<u16> {
    let mut queue = queue(window);
    for (task, &(group, deadline)) in tasks.iter().enumerate() {
        let task = TaskId::from_index(task);
        queue.regroup(task, Group(group));
        queue.insert(task, at(deadline), End::Tail);
    }
    let served = std::iter::from_fn(|| {
        let first = queue.first()?;
        queue.serve(first);
        queue.remove(first);
        Some(first.0)
    });
    served.collect()
}

#[test]
fn equals_are_the_deadlines_of_a_window() {
    // The documented example: a window begins at the first deadline, 20.
    let tasks = [(0, 20), (4, 24), (0, 28), (4, 33), (0, 36)];
    assert_eq!(order(10, &tasks), [0, 2, 1, 3, 4]);
    // By deadline alone, and all at once; within a group by deadline.
    assert_eq!(order(0, &tasks), [0, 1, 2, 3, 4]);
    assert_eq!(order(1_000, &tasks), [0, 2, 4, 1, 3]);
    // The grid is that of the first deadline put in, and goes on before it: windows from 13 to 22 and so on.
    assert_eq!(
        order(10, &[(0, 23), (4, 22), (0, 14), (4, 12)]),
        [3, 1, 2, 0]
    );
    // From 104 MHz by 208 and 416 to 620.
    assert_eq!(order(10, &[(0, 5), (4, 5), (2, 6), (1, 7)]), [0, 3, 2, 1]);
    // Equal deadlines of a group as they come.
    assert_eq!(order(10, &[(3, 5), (3, 4), (3, 5)]), [1, 0, 2]);
    // What is never due is behind all that is, however long a window is.
    let long = u64::MAX - 1;
    assert_eq!(order(long, &[(1, u64::MAX), (3, 5), (1, long)]), [2, 1, 0]);
    assert_eq!(
        order(u64::MAX, &[(1, u64::MAX), (3, 5), (1, long)]),
        [2, 1, 0]
    );
}

const CPU: CpuId = CpuId(0);

type DssEdf = DoubleSorted<Ranked<EarliestDeadline, Windows<Small>>>;

fn policy(window: u64) -> DssEdf {
    DoubleSorted::new(Ranked::with_queue(EarliestDeadline, queue(window)))
}

fn admit(policy: &mut DssEdf, task: u16, group: u8, deadline: u64) {
    let params = Grouped {
        params: Deadline(Duration::from_nanos(deadline)),
        group: Group(group),
        speed: None,
    };
    policy.admit(TaskId(task), params, Time::ZERO).unwrap();
}

fn ready(policy: &mut DssEdf, task: u16, now: u64) -> Resched {
    let why = Ready::Released { release: at(now) };
    policy.ready(CPU, TaskId(task), why, at(now))
}

fn picked(policy: &mut DssEdf) -> Option<u16> {
    policy.pick(CPU, Time::ZERO).map(|next| next.task.0)
}

fn completes(policy: &mut DssEdf, task: u16) {
    let used = Usage::time(Duration::ZERO);
    let _ = policy.stopped(CPU, TaskId(task), used, Stop::Completed, Time::ZERO);
}

#[test]
fn no_equal_preempts_and_an_earlier_window_does() {
    let mut policy = policy(10);
    for (task, group, deadline) in [(0, 0, 25), (1, 0, 21), (2, 4, 4), (3, 4, 25), (4, 0, 9)] {
        admit(&mut policy, task, group, deadline);
    }
    // Windows begin at 25, and so at 15 and at 5.
    assert_eq!(ready(&mut policy, 0, 0), Resched::One(CPU));
    assert_eq!(picked(&mut policy), Some(0));
    // Due at 31: equal.
    assert_eq!(ready(&mut policy, 1, 10), Resched::None);
    // Due at 14: two windows ahead.
    assert_eq!(ready(&mut policy, 2, 10), Resched::One(CPU));
    assert_eq!(picked(&mut policy), Some(2));
    assert_eq!(ready(&mut policy, 3, 2), Resched::None);
    completes(&mut policy, 2);
    // The preempted one has no claim: the CPU is in another group.
    assert_eq!(picked(&mut policy), Some(3));
    // A task that yields goes behind those with its own deadline, and is the first of its group still.
    let _ = policy.stopped(CPU, TaskId(3), Usage::default(), Stop::Yielded, at(9));
    assert_eq!(picked(&mut policy), Some(3));
    completes(&mut policy, 3);
    assert_eq!(picked(&mut policy), Some(0));
    // A running task that inherits a deadline of its window stays ahead, and of an earlier one, too.
    assert_eq!(ready(&mut policy, 4, 0), Resched::One(CPU));
    let _ = policy.inherit(TaskId(0), Some(TaskId(4)), at(12));
    assert_eq!(picked(&mut policy), Some(0));
    let _ = policy.inherit(TaskId(0), None, at(12));
    assert_eq!(picked(&mut policy), Some(4));
}

/// A job by release, execution time and absolute deadline.
type Job = (u64, u64, u64);

/// The counterexample to windows that slide.
const A_B_J: [Job; 3] = [(0, 10, 50), (0, 20, 40), (10, 10, 30)];

/// By how much a job is late where `next` chooses among the numbers of those that are ready, at each release and
/// completion.
fn tardiness(jobs: &[Job], mut next: impl FnMut(&[usize]) -> usize) -> u64 {
    let mut left: Vec<u64> = jobs.iter().map(|job| job.1).collect();
    let mut latest = 0;
    let mut running = None;
    for now in 0..jobs.iter().map(|job| job.0 + job.1).sum() {
        let ready: Vec<usize> = (0..jobs.len())
            .filter(|&job| jobs[job].0 <= now && left[job] > 0)
            .collect();
        if ready.is_empty() {
            continue;
        }
        if running.is_none() || jobs.iter().any(|job| job.0 == now) {
            running = Some(next(&ready));
        }
        let Some(job) = running else { continue };
        left[job] -= 1;
        if left[job] == 0 {
            latest = latest.max((now + 1).saturating_sub(jobs[job].2));
            running = None;
        }
    }
    latest
}

/// In each interval from a release to a deadline there is room for the demand and 10 more.
#[test]
fn a_sliding_window_is_late_where_a_fixed_one_is_not() {
    for (from, ..) in A_B_J {
        for (.., to) in A_B_J {
            let within = A_B_J.iter().filter(|job| job.0 >= from && job.2 <= to);
            let demand: u64 = within.map(|job| job.1).sum();
            assert!(
                demand == 0 || demand + 10 <= to - from,
                "from {from} to {to}"
            );
        }
    }
    // The latest deadline within the window comes first, as its group may want.
    let sliding = |ready: &[usize]| {
        let deadline = |job: &usize| A_B_J[*job].2;
        let earliest = ready.iter().map(deadline).min().unwrap();
        let equals = ready
            .iter()
            .copied()
            .filter(|job| deadline(job) <= earliest + 10);
        equals.max_by_key(deadline).unwrap()
    };
    assert_eq!(tardiness(&A_B_J, sliding), 10);
    let earliest = |ready: &[usize]| *ready.iter().min_by_key(|job| A_B_J[**job].2).unwrap();
    assert_eq!(tardiness(&A_B_J, earliest), 0);
    // Wherever windows begin, whatever the groups are, and whichever group the CPU is in first.
    for case in 0..10 * 4_u64.pow(4) {
        let mut queue = queue(10);
        queue.insert(TaskId(9), at(case % 10), End::Tail);
        queue.remove(TaskId(9));
        let group =
            |place: u32| Group::of(usize::try_from(case / 10 / 4_u64.pow(place) % 4).unwrap());
        queue.prefer(group(3));
        for job in 0..3_u16 {
            queue.regroup(TaskId(job), group(job.into()));
        }
        let mut queued = [false; 3];
        let fixed = |ready: &[usize]| {
            for job in 0..3 {
                let task = TaskId::from_index(job);
                if ready.contains(&job) && !queued[job] {
                    queue.insert(task, at(A_B_J[job].2), End::Tail);
                } else if !ready.contains(&job) {
                    queue.remove(task);
                }
                queued[job] = ready.contains(&job);
            }
            let first = queue.first().unwrap();
            queue.serve(first);
            first.index()
        };
        assert_eq!(tardiness(&A_B_J, fixed), 0, "case {case}");
    }
}

#[derive(Clone, Debug)]
enum Step {
    Insert(TaskId, Time, End),
    Remove(TaskId),
    Rotate(TaskId),
    /// The first runs.
    Serve,
    Prefer(Group),
    Regroup(TaskId, Group),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let task = || (0..TASKS).prop_map(TaskId);
    let group = || (0..5_u8).prop_map(Group);
    let end = prop_oneof![1 => Just(End::Head), 5 => Just(End::Tail)];
    let deadline = prop_oneof![12 => (0..70_u64).prop_map(at), 1 => Just(Time::NEVER)];
    let step = prop_oneof![
        6 => (task(), deadline, end).prop_map(|(task, at, end)| Step::Insert(task, at, end)),
        2 => task().prop_map(Step::Remove),
        1 => task().prop_map(Step::Rotate),
        3 => Just(Step::Serve),
        1 => group().prop_map(Step::Prefer),
        3 => (task(), group()).prop_map(|(task, group)| Step::Regroup(task, group)),
    ];
    proptest::collection::vec(step, 0..100)
}

/// All that is queued, each with its deadline and its place among equal ones.
struct Model {
    window: u64,
    grid: Option<u64>,
    present: Group,
    ahead: Option<TaskId>,
    groups: [Group; TASKS as usize],
    queued: Vec<(TaskId, Time, i64)>,
    places: i64,
}

impl Model {
    fn insert(&mut self, task: TaskId, deadline: Time, end: End) {
        if !deadline.is_never() {
            self.grid.get_or_insert(deadline.as_nanos());
        }
        self.places += 1;
        let place = match end {
            End::Head => -self.places,
            End::Tail => self.places,
        };
        if end == End::Head {
            self.ahead = Some(task);
        }
        self.queued.push((task, deadline, place));
    }

    fn key(&self, task: TaskId) -> Option<Time> {
        let found = self.queued.iter().find(|queued| queued.0 == task);
        found.map(|queued| queued.1)
    }

    fn remove(&mut self, task: TaskId) -> Option<Time> {
        let key = self.key(task)?;
        self.queued.retain(|queued| queued.0 != task);
        self.ahead = self.ahead.filter(|&ahead| ahead != task);
        Some(key)
    }

    /// The number of a deadline's window; `None`: it is never due.
    fn window(&self, deadline: Time) -> Option<i64> {
        let signed = |number: u64| i64::try_from(number).unwrap();
        let since =
            (!deadline.is_never()).then(|| signed(deadline.as_nanos()))? - signed(self.grid?);
        // Times before the origin of the clock are in no window: the one before has them.
        Some(since.div_euclid(signed(self.window.max(1))))
    }

    fn first(&self) -> Option<TaskId> {
        let earliest = self.queued.iter().map(|queued| queued.1).min()?;
        let is_equal = |deadline| self.window(deadline) == self.window(earliest);
        let equals = self.queued.iter().filter(|queued| is_equal(queued.1));
        let ahead = self
            .ahead
            .filter(|&ahead| equals.clone().any(|queued| queued.0 == ahead));
        ahead.or_else(|| {
            let path = table_3_1().path(self.present, Kept::ALL);
            let of = |group: &Group| {
                let of_group = equals
                    .clone()
                    .filter(|queued| self.groups[queued.0.index()] == *group);
                of_group
                    .min_by_key(|queued| (queued.1, queued.2))
                    .map(|queued| queued.0)
            };
            path.groups().iter().find_map(of)
        })
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 4 } else { 2_000 }))]

    #[test]
    fn the_queue_is_a_vector_that_is_searched(steps in steps(), window in 0..30_u64) {
        let mut queue = queue(window);
        let mut model = Model {
            window,
            grid: None,
            present: Group(0),
            ahead: None,
            groups: [Group(0); TASKS as usize],
            queued: Vec::new(),
            places: 0,
        };
        for step in &steps {
            match *step {
                Step::Insert(task, deadline, end) => {
                    if queue.key(task).is_none() {
                        let is_first = queue.insert(task, deadline, end);
                        model.insert(task, deadline, end);
                        prop_assert_eq!(is_first, model.first() == Some(task));
                    }
                }
                Step::Remove(task) => prop_assert_eq!(queue.remove(task), model.remove(task)),
                Step::Rotate(task) => {
                    queue.rotate(task);
                    if let Some(deadline) = model.remove(task) {
                        model.insert(task, deadline, End::Tail);
                    }
                }
                Step::Serve => {
                    if let Some(first) = queue.first() {
                        queue.serve(first);
                        model.present = model.groups[first.index()];
                        model.ahead = Some(first);
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
                prop_assert_eq!(queue.key(task), model.key(task));
            }
        }
    }

    /// Whenever a clock began, the order is the same.
    #[test]
    fn time_zero_does_not_matter(
        tasks in prop::collection::vec((0..5_u8, 1_000..1_100_u64), 1..16),
        window in 0..40_u64,
        later in 0..1_000_u64,
    ) {
        let shifted: Vec<_> = tasks.iter().map(|&(group, at)| (group, at + later)).collect();
        prop_assert_eq!(order(window, &tasks), order(window, &shifted));
    }
}

/// All changes cost the same: other groups by rising number.
#[test]
fn without_costs_groups_are_visited_by_number() {
    let visits = Visits::cheapest(&Costs::even(1, 0), Kept::ALL);
    let mut queue = Windows::<Small>::with(TASKS.into(), Duration::from_nanos(5), visits);
    for (task, group) in [(0, 7), (1, 3), (2, 5)] {
        queue.regroup(TaskId(task), Group(group));
        queue.insert(TaskId(task), at(10), End::Tail);
    }
    assert_eq!(queue.first(), Some(TaskId(1)));
    queue.prefer(Group(5));
    assert_eq!(queue.first(), Some(TaskId(2)));
}
