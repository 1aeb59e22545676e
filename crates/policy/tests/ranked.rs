//! The family order × queue against a model that recomputes everything each time.
//!
//! The model keeps what the rules of the crate say in words: a list of ready tasks in the order in
//! which equals are served, and for every task its release, what it ran, and the key that it
//! inherited.

use flyball_policy::order::Fifo;
use flyball_policy::{
    Bitmap, CpuId, Deadline, Duration, EarliestDeadline, FixedPriority, Heap, Inline, Laxity,
    LeastLaxity, Order, Policy, Priority, Queue, Ranked, Ready, Resched, RoundRobin, SortedList,
    SortedRing, Stop, TaskId, Time, TimeSlice, Usage, Weighted, WeightedRoundRobin,
};
use proptest::prelude::*;

const CPU: CpuId = CpuId(0);
const TASKS: u16 = 6;
type Small = Inline<8>;

struct Model<O: Order> {
    order: O,
    tasks: Vec<Task<O>>,
    /// Ready and running tasks; among equal keys, earlier is served first.
    ready: Vec<usize>,
    running: Option<(usize, Time)>,
}

struct Task<O: Order> {
    params: O::Params,
    own: O::Key,
    inherited: Option<O::Key>,
    left: Duration,
}

impl<O: Order> Task<O> {
    fn key(&self) -> O::Key {
        self.inherited
            .map_or(self.own, |inherited| inherited.min(self.own))
    }

    fn whole_slice(&self, order: &O) -> Duration {
        order.quantum(&self.params).unwrap_or(Duration::MAX)
    }
}

impl<O: Order> Model<O> {
    fn best(&self) -> Option<usize> {
        // `min_by_key` returns the first of several minima.
        self.ready
            .iter()
            .copied()
            .min_by_key(|&task| self.tasks[task].key())
    }

    /// The key of the running task as of `now`.
    fn running_key(&self, now: Time) -> Option<O::Key> {
        let (task, since) = self.running?;
        let own = self.order.ran(self.tasks[task].own, now.since(since));
        Some(
            self.tasks[task]
                .inherited
                .map_or(own, |inherited| inherited.min(own)),
        )
    }

    fn requeue(&mut self, task: usize, front: bool) {
        self.ready.retain(|&other| other != task);
        self.ready
            .insert(if front { 0 } else { self.ready.len() }, task);
    }
}

#[derive(Clone, Debug)]
enum Step {
    /// Release a job, or unblock, after some time; the running task goes on until then.
    Ready {
        task: usize,
        released: bool,
    },
    Block,
    Yield,
    Inherit {
        to: usize,
        from: Option<usize>,
    },
    /// A priority ceiling: that of another task.
    Raise {
        task: usize,
        like: usize,
    },
    /// The running task runs for that long (or until its burst ends).
    Run(u64),
}

fn step() -> impl Strategy<Value = Step> {
    let task = || 0..usize::from(TASKS);
    prop_oneof![
        4 => (task(), any::<bool>()).prop_map(|(task, released)| Step::Ready { task, released }),
        1 => Just(Step::Block),
        1 => Just(Step::Yield),
        1 => (task(), proptest::option::of(task())).prop_map(|(to, from)| Step::Inherit { to, from }),
        1 => (task(), task()).prop_map(|(task, like)| Step::Raise { task, like }),
        3 => (0u64..30).prop_map(Step::Run),
    ]
}

#[expect(
    clippy::too_many_lines,
    reason = "one step of the policy beside one step of the model"
)]
fn agrees<O: Order + Copy, Q: Queue<O::Key>>(
    order: O,
    params: impl Fn(u16) -> O::Params,
    steps: &[Step],
) -> Result<(), TestCaseError> {
    let mut policy = Ranked::<O, Q>::new(order, usize::from(TASKS));
    let mut now = Time::ZERO;
    let tasks = (0..TASKS)
        .map(|task| {
            policy.admit(TaskId(task), params(task), now).unwrap();
            Task {
                params: params(task),
                own: O::Key::default(),
                inherited: None,
                left: Duration::ZERO,
            }
        })
        .collect();
    let mut model = Model {
        order,
        tasks,
        ready: Vec::new(),
        running: None,
    };
    let mut burst = None;
    for step in steps {
        let id = |task: usize| TaskId(u16::try_from(task).unwrap());
        let mut resched = Resched::None;
        let mut expected = false;
        match *step {
            Step::Ready { task, released } => {
                if model.ready.contains(&task) {
                    continue;
                }
                let why = if released {
                    Ready::Released { release: now }
                } else {
                    Ready::Unblocked
                };
                resched = policy.ready(CpuId(0), id(task), why, now);
                let row = &mut model.tasks[task];
                if released {
                    row.own = order.key(&row.params, now);
                }
                row.left = row.whole_slice(&order);
                let key = row.key();
                expected = model.running_key(now).is_none_or(|running| key < running);
                model.ready.push(task);
            }
            Step::Block | Step::Yield => {
                let Some((task, since)) = model.running.take() else {
                    continue;
                };
                let used = now.since(since);
                model.tasks[task].own = order.ran(model.tasks[task].own, used);
                let why = if matches!(step, Step::Block) {
                    model.ready.retain(|&other| other != task);
                    Stop::Blocked
                } else {
                    model.tasks[task].left = model.tasks[task].whole_slice(&order);
                    model.requeue(task, false);
                    Stop::Yielded
                };
                resched = policy.stopped(CPU, id(task), Usage::time(used), why, now);
                expected = true;
            }
            Step::Inherit { to, from } => {
                // The task that waits is blocked.
                if from.is_some_and(|from| from == to || model.ready.contains(&from)) {
                    continue;
                }
                let _ = policy.inherit(id(to), from.map(id), now);
                let before = model.tasks[to].key();
                model.tasks[to].inherited = from.map(|from| model.tasks[from].key());
                if model.tasks[to].key() != before && model.ready.contains(&to) {
                    model.requeue(to, model.running.is_some_and(|(task, _)| task == to));
                }
            }
            Step::Raise { task, like } => {
                let ceiling = model.tasks[like].params;
                let _ = policy.raise(id(task), ceiling, now, now).unwrap();
                let before = model.tasks[task].key();
                let ceiling = order.key(&ceiling, now);
                let inherited = model.tasks[task].inherited;
                model.tasks[task].inherited =
                    Some(inherited.map_or(ceiling, |inherited| inherited.min(ceiling)));
                if model.tasks[task].key() != before && model.ready.contains(&task) {
                    model.requeue(
                        task,
                        model.running.is_some_and(|(running, _)| running == task),
                    );
                }
            }
            Step::Run(time) => {
                let mut time = Duration::from_nanos(time);
                let Some((task, since)) = model.running else {
                    now += time;
                    continue;
                };
                let end = burst.map_or(Time::NEVER, |burst| since + burst);
                time = time.min(end.since(now));
                now += time;
                if now == end {
                    let used = now.since(since);
                    let row = &mut model.tasks[task];
                    row.own = order.ran(row.own, used);
                    row.left = row.left.saturating_sub(used);
                    let over = O::Slice::ROTATES && row.left.is_zero();
                    if over {
                        row.left = row.whole_slice(&order);
                    }
                    model.requeue(task, !over);
                    model.running = None;
                    resched = policy.stopped(CPU, id(task), Usage::time(used), Stop::BurstEnd, now);
                    expected = true;
                }
            }
        }
        if !matches!(step, Step::Inherit { .. } | Step::Raise { .. }) {
            prop_assert_eq!(
                resched.includes(CPU),
                expected,
                "resched after {:?} at {}",
                step,
                now
            );
        }
        // Pick after every step, needed or not: the rule says which task runs.
        if let Some((task, since)) = model.running.take() {
            let used = now.since(since);
            let row = &mut model.tasks[task];
            row.own = order.ran(row.own, used);
            if O::Slice::ROTATES {
                row.left = row.left.saturating_sub(used);
            }
            let over = O::Slice::ROTATES && row.left.is_zero();
            if over {
                row.left = row.whole_slice(&order);
            }
            model.requeue(task, !over);
            let _ = policy.stopped(CPU, id(task), Usage::time(used), Stop::Preempted, now);
        }
        let pick = policy.pick(CPU, now);
        let best = model.best();
        prop_assert_eq!(
            pick.map(|pick| pick.task),
            best.map(id),
            "after {:?} at {}",
            step,
            now
        );
        model.running = best.map(|task| (task, now));
        burst = pick.and_then(|pick| pick.burst);
        if O::Slice::ROTATES {
            prop_assert_eq!(burst, best.map(|task| model.tasks[task].left));
        }
        for a in 0..usize::from(TASKS) {
            for b in 0..usize::from(TASKS) {
                let keys = model.tasks[a].key().cmp(&model.tasks[b].key());
                prop_assert_eq!(policy.compare(id(a), id(b)), keys);
            }
        }
    }
    Ok(())
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    proptest::collection::vec(step(), 0..120)
}

fn ns(ns: u64) -> Duration {
    Duration::from_nanos(ns)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn fixed_priority(steps in steps()) {
        let params = |task| Priority(u8::try_from(task / 2).unwrap());
        agrees::<_, Bitmap<_, Small>>(FixedPriority, params, &steps)?;
        agrees::<_, Heap<_, Small>>(FixedPriority, params, &steps)?;
        agrees::<_, SortedList<_, Small>>(FixedPriority, params, &steps)?;
    }

    #[test]
    fn fixed_priority_with_time_slices(steps in steps()) {
        let params = |task| Priority(u8::try_from(task / 3).unwrap());
        let order = RoundRobin { order: FixedPriority, quantum: ns(25) };
        agrees::<_, Bitmap<_, Small>>(order, params, &steps)?;
        agrees::<_, Heap<_, Small>>(order, params, &steps)?;
    }

    #[test]
    fn round_robin(steps in steps(), quantum in 1u64..40) {
        let order = RoundRobin { order: Fifo, quantum: ns(quantum) };
        agrees::<_, Bitmap<_, Small>>(order, |_| (), &steps)?;
        agrees::<_, SortedList<_, Small>>(order, |_| (), &steps)?;
    }

    /// Tasks 0, 2 and 4 have time slices, 1, 3 and 5 have none; half of each at either priority.
    #[test]
    fn with_and_without_time_slices_side_by_side(steps in steps(), quantum in 1u64..40) {
        let params = |task| Weighted {
            params: Priority(u8::try_from(task / 3).unwrap()),
            quantum: match task % 2 {
                0 => ns(quantum + u64::from(task)),
                _ => Weighted::<Priority>::ENDLESS,
            },
        };
        let order = WeightedRoundRobin { order: FixedPriority };
        agrees::<_, Bitmap<_, Small>>(order, params, &steps)?;
        agrees::<_, Heap<_, Small>>(order, params, &steps)?;
    }

    #[test]
    fn earliest_deadline(steps in steps()) {
        let params = |task| Deadline(ns(u64::from(task) * 20 + 10));
        agrees::<_, Heap<_, Small>>(EarliestDeadline, params, &steps)?;
        agrees::<_, SortedList<_, Small>>(EarliestDeadline, params, &steps)?;
        agrees::<_, SortedRing<_, Small>>(EarliestDeadline, params, &steps)?;
    }

    #[test]
    fn least_laxity(steps in steps(), quantum in 1u64..20) {
        let params = |task| Laxity { deadline: ns(u64::from(task) * 10 + 40), wcet: ns(u64::from(task) * 5 + 5) };
        agrees::<_, Heap<_, Small>>(LeastLaxity { quantum: ns(quantum) }, params, &steps)?;
    }
}
