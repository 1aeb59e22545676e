//! Global scheduling against its definition, with CPUs that pick whenever an adversary lets them.

use flyball_policy::{
    CpuId, CpuSet, Deadline, Duration, EarliestDeadline, Global, Heap, Inline, Policy, Queue,
    Ready, Resched, SortedList, Stop, TaskId, Time, Usage,
};
use proptest::prelude::*;

const CPUS: u8 = 3;
const TASKS: u16 = 8;

type Edf<Q> = Global<EarliestDeadline, Q, Inline<4>>;

#[derive(Clone, Copy, Debug)]
enum Step {
    /// A task becomes ready, with a deadline, while the kernel works on a CPU.
    Ready(u16, u64, u8),
    /// The task that runs on a CPU is done.
    Stop(u8),
    /// A task that does not run is taken out.
    Withdraw(u16),
    /// It offers the CPU to its equals.
    Yield(u8),
    /// A CPU picks.
    Pick(u8),
    /// A task inherits another one's urgency, or none.
    Inherit(u16, Option<u16>),
    /// A task has a ceiling: a deadline.
    Raise(u16, u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (0..TASKS, 1_u64..6, 0..CPUS).prop_map(|(task, deadline, cpu)| Step::Ready(task, deadline, cpu)),
        2 => (0..CPUS).prop_map(Step::Stop),
        1 => (0..TASKS).prop_map(Step::Withdraw),
        1 => (0..CPUS).prop_map(Step::Yield),
        4 => (0..CPUS).prop_map(Step::Pick),
        1 => (0..TASKS, proptest::option::of(0..TASKS)).prop_map(|(to, from)| Step::Inherit(to, from)),
        1 => (0..TASKS, 1_u64..6).prop_map(|(task, deadline)| Step::Raise(task, deadline)),
    ];
    prop::collection::vec(step, 1..60)
}

/// What has to be so, as lists.
#[derive(Default)]
struct Model {
    /// The deadline of each task that is queued.
    queued: [Option<u64>; TASKS as usize],
    inherited: [Option<u64>; TASKS as usize],
    own: [u64; TASKS as usize],
    runs: [Option<TaskId>; CPUS as usize],
    /// The CPUs that must reschedule and have not.
    pending: CpuSet,
}

impl Model {
    fn key(&self, task: TaskId) -> u64 {
        let own = self.own[task.index()];
        self.inherited[task.index()].map_or(own, |inherited| inherited.min(own))
    }

    fn note(&mut self, resched: Resched) {
        for cpu in (0..CPUS).map(CpuId).filter(|&cpu| resched.includes(cpu)) {
            self.pending = self.pending.with(cpu);
        }
    }

    fn check<Q: Queue<Time>>(&self, policy: &Edf<Q>) {
        let cpus = (0..CPUS).map(CpuId);
        let linked: Vec<_> = cpus.clone().filter_map(|cpu| policy.linked(cpu)).collect();
        let queued = self.queued.iter().flatten().count();
        assert_eq!(
            linked.len(),
            queued.min(CPUS.into()),
            "all CPUs that can have work have it"
        );
        for (n, task) in linked.iter().enumerate() {
            assert!(
                self.queued[task.index()].is_some(),
                "{task:?} is not queued"
            );
            assert!(!linked[..n].contains(task), "{task:?} is linked twice");
        }
        // No waiting task is more urgent.
        let waits = (0..TASKS).map(TaskId);
        let waits =
            waits.filter(|task| self.queued[task.index()].is_some() && !linked.contains(task));
        let last = linked.iter().map(|&task| self.key(task)).max();
        for task in waits {
            assert!(Some(self.key(task)) >= last, "{task:?} waits");
        }
        for cpu in cpus {
            let (link, runs) = (policy.linked(cpu), self.runs[cpu.index()]);
            assert!(
                link == runs || self.pending.contains(cpu),
                "{cpu:?} does not reschedule"
            );
            // A task that still runs somewhere is linked nowhere else.
            if let Some(link) = link
                && let Some(at) = self.runs.iter().position(|&runs| runs == Some(link))
            {
                assert_eq!(at, cpu.index(), "{link:?} would move while it runs");
            }
        }
    }
}

fn walk<Q: Queue<Time>>(steps: &[Step]) {
    let now = Time::ZERO;
    let mut policy = Edf::<Q>::new(EarliestDeadline, TASKS.into(), CPUS.into());
    let mut model = Model::default();
    for task in (0..TASKS).map(TaskId) {
        policy
            .admit(task, Deadline(Duration::from_millis(1)), now)
            .unwrap();
    }
    for &step in steps {
        let links = || {
            (0..CPUS)
                .map(|cpu| policy.linked(CpuId(cpu)))
                .collect::<Vec<_>>()
        };
        match step {
            Step::Ready(task, deadline, cpu) => {
                if model.queued[usize::from(task)].is_some() {
                    continue;
                }
                let before = links();
                // The release says which deadline it is.
                let release = Time::from_millis(deadline);
                let resched =
                    policy.ready(CpuId(cpu), TaskId(task), Ready::Released { release }, now);
                model.own[usize::from(task)] = deadline;
                model.queued[usize::from(task)] = Some(deadline);
                model.note(resched);
                // One CPU must reschedule at most: the right one, and no free one elsewhere if this
                // one is.
                assert!(!matches!(resched, Resched::Many(_)), "{resched:?}");
                let free = |cpu: u8| before[usize::from(cpu)].is_none();
                if let Resched::One(chosen) = resched
                    && !free(chosen.0)
                {
                    assert!(
                        !(0..CPUS).any(free),
                        "a CPU is interrupted although a CPU is free"
                    );
                    let old = before[chosen.index()].unwrap();
                    let most = before.iter().flatten().map(|&task| model.key(task)).max();
                    assert_eq!(Some(model.key(old)), most, "not the least urgent one");
                }
            }
            Step::Stop(cpu) => {
                let Some(task) = model.runs[usize::from(cpu)].take() else {
                    continue;
                };
                model.queued[task.index()] = None;
                let resched =
                    policy.stopped(CpuId(cpu), task, Usage::default(), Stop::Completed, now);
                assert!(resched.includes(CpuId(cpu)));
                model.note(resched);
            }
            Step::Withdraw(task) => {
                let task = TaskId(task);
                if model.queued[task.index()].is_none() || model.runs.contains(&Some(task)) {
                    continue;
                }
                model.queued[task.index()] = None;
                let resched = policy.stopped(CpuId(0), task, Usage::default(), Stop::Blocked, now);
                model.note(resched);
            }
            Step::Yield(cpu) => {
                let Some(task) = model.runs[usize::from(cpu)] else {
                    continue;
                };
                let resched =
                    policy.stopped(CpuId(cpu), task, Usage::default(), Stop::Yielded, now);
                model.note(resched);
            }
            Step::Pick(cpu) => {
                let picked = policy.pick(CpuId(cpu), now).map(|picked| picked.task);
                assert_eq!(picked, policy.linked(CpuId(cpu)));
                model.runs[usize::from(cpu)] = picked;
                model.pending = model.pending.without(CpuId(cpu));
            }
            Step::Inherit(to, from) => {
                let from = from
                    .map(TaskId)
                    .filter(|from| model.queued[from.index()].is_none() && from.0 != to);
                model.inherited[usize::from(to)] = from.map(|from| model.key(from));
                let resched = policy.inherit(TaskId(to), from, now);
                model.note(resched);
            }
            Step::Raise(task, deadline) => {
                let inherited = &mut model.inherited[usize::from(task)];
                *inherited = Some(inherited.map_or(deadline, |key| key.min(deadline)));
                // As for a release, `since` says which deadline it is.
                let ceiling = Deadline(Duration::from_millis(1));
                let since = Time::from_millis(deadline);
                let raised = policy.raise(TaskId(task), ceiling, since, now);
                model.note(raised.unwrap());
            }
        }
        model.check(&policy);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 4 } else { 3_000 }))]

    #[test]
    fn the_most_urgent_are_linked(steps in steps()) {
        walk::<Heap<Time, Inline<8>>>(&steps);
        walk::<SortedList<Time, Inline<8>>>(&steps);
    }
}
