//! Global scheduling with affinities against its definition, with CPUs that pick whenever an
//! adversary lets them.

use flyball_policy::{
    Affine, CpuId, CpuSet, Deadline, Duration, EarliestDeadline, Inline, Pinned, Policy, Ready,
    Resched, Stop, TaskId, Time, Usage,
};
use proptest::prelude::*;

const CPUS: u8 = 4;
const TASKS: u16 = 8;

type Edf = Affine<EarliestDeadline, Inline<8>, Inline<4>>;

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
    /// A task may run on other CPUs.
    Move(u16, u8),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (0..TASKS, 1_u64..6, 0..CPUS).prop_map(|(task, deadline, cpu)| Step::Ready(task, deadline, cpu)),
        2 => (0..CPUS).prop_map(Step::Stop),
        1 => (0..TASKS).prop_map(Step::Withdraw),
        1 => (0..CPUS).prop_map(Step::Yield),
        4 => (0..CPUS).prop_map(Step::Pick),
        1 => (0..TASKS, proptest::option::of(0..TASKS)).prop_map(|(to, from)| Step::Inherit(to, from)),
        1 => (0..TASKS, 1..16_u8).prop_map(|(task, cpus)| Step::Move(task, cpus)),
    ];
    prop::collection::vec(step, 1..80)
}

/// The CPUs whose bits are set.
fn set(bits: u8) -> CpuSet {
    let cpus = (0..CPUS).filter(|cpu| bits >> cpu & 1 == 1);
    cpus.fold(CpuSet::EMPTY, |set, cpu| set.with(CpuId(cpu)))
}

fn all() -> impl Iterator<Item = CpuId> {
    (0..CPUS).map(CpuId)
}

/// What has to be so.
#[derive(Default)]
struct Model {
    /// The deadline of each task that can run.
    queued: [Option<u64>; TASKS as usize],
    inherited: [Option<u64>; TASKS as usize],
    own: [u64; TASKS as usize],
    cpus: [u8; TASKS as usize],
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
        for cpu in all().filter(|&cpu| resched.includes(cpu)) {
            self.pending = self.pending.with(cpu);
        }
    }

    fn may(&self, task: TaskId, cpu: CpuId) -> bool {
        self.cpus[task.index()] >> cpu.0 & 1 == 1
    }

    /// As the kernel does it.
    fn pick(&mut self, policy: &mut Edf, cpu: CpuId) {
        let now = Time::ZERO;
        let picked = policy.pick(cpu, now).map(|picked| picked.task);
        let resched = policy.released_cpu(cpu);
        self.note(resched);
        self.pending = self.pending.without(cpu);
        self.runs[cpu.index()] = picked;
        if let Some(task) = picked {
            assert!(self.may(task, cpu), "{task:?} may not run on {cpu:?}");
            let places = self.runs.iter().filter(|&&runs| runs == picked).count();
            assert_eq!(places, 1, "{task:?} runs in two places");
        }
    }

    fn check(&self, policy: &Edf) {
        let linked: Vec<_> = all().filter_map(|cpu| policy.linked(cpu)).collect();
        for (n, task) in linked.iter().enumerate() {
            let queued = self.queued[task.index()];
            assert!(queued.is_some(), "{task:?} cannot run");
            assert!(!linked[..n].contains(task), "{task:?} is linked twice");
        }
        let waits = (0..TASKS).map(TaskId);
        let waits =
            waits.filter(|task| self.queued[task.index()].is_some() && !linked.contains(task));
        for task in waits {
            for cpu in all().filter(|&cpu| self.may(task, cpu)) {
                let link = policy.linked(cpu);
                let Some(link) = link else {
                    panic!("{task:?} waits and {cpu:?} is free")
                };
                assert!(
                    self.key(link) <= self.key(task),
                    "{task:?} waits for {link:?} on {cpu:?}"
                );
            }
        }
        for cpu in all() {
            let Some(link) = policy.linked(cpu) else {
                continue;
            };
            assert!(self.may(link, cpu), "{link:?} may not run on {cpu:?}");
            let elsewhere = self.runs.iter().position(|&runs| runs == Some(link));
            let elsewhere = elsewhere.filter(|&other| other != cpu.index());
            let is_pending = |cpu: CpuId| self.pending.contains(cpu);
            let other = elsewhere.and_then(|other| u8::try_from(other).ok());
            assert!(
                self.runs[cpu.index()] == Some(link)
                    || is_pending(cpu)
                    || other.is_some_and(|other| is_pending(CpuId(other))),
                "{cpu:?} does not reschedule"
            );
        }
    }
}

/// `cpus`: which CPUs each task may have.
fn walk(cpus: &[u8], steps: &[Step]) {
    let now = Time::ZERO;
    let mut policy = Edf::new(EarliestDeadline, TASKS.into(), CPUS.into());
    let mut model = Model::default();
    let params = |bits| Pinned {
        params: Deadline(Duration::from_millis(1)),
        cpus: set(bits),
    };
    for (task, &bits) in (0..TASKS).map(TaskId).zip(cpus) {
        policy.admit(task, params(bits), now).unwrap();
        model.cpus[task.index()] = bits;
    }
    for &step in steps {
        match step {
            Step::Ready(task, deadline, cpu) => {
                if model.queued[usize::from(task)].is_some() {
                    continue;
                }
                // The release says which deadline it is.
                let release = Time::from_millis(deadline);
                let why = Ready::Released { release };
                model.own[usize::from(task)] = deadline;
                model.queued[usize::from(task)] = Some(deadline);
                let resched = policy.ready(CpuId(cpu), TaskId(task), why, now);
                model.note(resched);
            }
            Step::Stop(cpu) => {
                let Some(task) = model.runs[usize::from(cpu)].take() else {
                    continue;
                };
                model.queued[task.index()] = None;
                let used = Usage::default();
                let resched = policy.stopped(CpuId(cpu), task, used, Stop::Completed, now);
                assert!(resched.includes(CpuId(cpu)));
                model.note(resched);
            }
            Step::Withdraw(task) => {
                let task = TaskId(task);
                if model.queued[task.index()].is_none() || model.runs.contains(&Some(task)) {
                    continue;
                }
                model.queued[task.index()] = None;
                let used = Usage::default();
                let resched = policy.stopped(CpuId(0), task, used, Stop::Blocked, now);
                model.note(resched);
            }
            Step::Yield(cpu) => {
                let Some(task) = model.runs[usize::from(cpu)] else {
                    continue;
                };
                let used = Usage::default();
                let resched = policy.stopped(CpuId(cpu), task, used, Stop::Yielded, now);
                model.note(resched);
            }
            Step::Pick(cpu) => model.pick(&mut policy, CpuId(cpu)),
            Step::Inherit(to, from) => {
                let from = from.map(TaskId);
                let from = from.filter(|from| model.queued[from.index()].is_none() && from.0 != to);
                model.inherited[usize::from(to)] = from.map(|from| model.key(from));
                let resched = policy.inherit(TaskId(to), from, now);
                model.note(resched);
            }
            Step::Move(task, bits) => {
                model.cpus[usize::from(task)] = bits;
                // A task that may not run where it runs any more leaves.
                let resched = policy.adjust(TaskId(task), params(bits), now).unwrap();
                model.note(resched);
            }
        }
        model.check(&policy);
    }
    // When all pending CPUs have picked, each runs the task that is linked to it.
    for _ in 0..3 {
        for cpu in all()
            .filter(|&cpu| model.pending.contains(cpu))
            .collect::<Vec<_>>()
        {
            model.pick(&mut policy, cpu);
        }
    }
    assert_eq!(model.pending, CpuSet::EMPTY);
    for cpu in all() {
        assert_eq!(model.runs[cpu.index()], policy.linked(cpu), "{cpu:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 4 } else { 6_000 }))]

    #[test]
    fn no_task_waits_for_a_less_urgent_one(
        cpus in prop::collection::vec(1..16_u8, usize::from(TASKS)),
        steps in steps(),
    ) {
        walk(&cpus, &steps);
    }

    /// Where all may run anywhere the most urgent ones run.
    #[test]
    fn it_is_global_where_all_may_run_anywhere(steps in steps()) {
        let steps: Vec<_> = steps.into_iter().filter(|step| !matches!(step, Step::Move(..))).collect();
        walk(&[15; TASKS as usize], &steps);
    }
}

/// A task that may run nowhere, or on CPUs that there are not, is refused.
#[test]
fn a_task_needs_a_cpu() {
    let mut policy = Edf::new(EarliestDeadline, 8, 4);
    let params = |cpus| Pinned {
        params: Deadline(Duration::from_millis(1)),
        cpus,
    };
    for cpus in [CpuSet::EMPTY, CpuSet::EMPTY.with(CpuId(4))] {
        assert!(policy.admit(TaskId(0), params(cpus), Time::ZERO).is_err());
    }
}
