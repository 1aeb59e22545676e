//! Tasks that compute, sleep and yield, and the policy that is called as the kernel calls it. A unit of
//! time is a millisecond.

use flyball_policy::order::Level;
use flyball_policy::{
    Boxed, CpuId, Group, Grouping, LinuxO1, LinuxRules, LinuxTask, Policy, Queue, Ready, Resched,
    Stop, TaskId, Time, Usage,
};
use proptest::prelude::*;

pub(crate) const CPU: CpuId = CpuId(0);

/// Which task had the CPU in each unit of time.
pub(crate) type Schedule = Vec<Option<usize>>;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    /// Computes for so many units.
    Run(u64),
    /// Waits for so many units until the clock releases it.
    Sleep(u64),
    /// Waits for so many units until the task wakes it that runs then, if one does.
    Wait(u64),
    /// Offers the CPU.
    Yield,
}

#[derive(Clone, Debug)]
pub(crate) struct Script {
    pub(crate) task: LinuxTask,
    /// When it becomes ready for the first time.
    pub(crate) begin: u64,
    /// What it does, again and again; something of it takes time.
    pub(crate) steps: Vec<Step>,
}

pub(crate) fn units(count: u64) -> Time {
    Time::from_millis(count)
}

/// Where a task is in its script.
pub(crate) struct Place {
    next: usize,
    /// How long it computes yet.
    pub(crate) left: u64,
    /// When it is ready again, and whether the clock does it.
    pub(crate) wakes: Option<(u64, bool)>,
}

impl Place {
    pub(crate) fn new(script: &Script) -> Place {
        Place {
            next: 0,
            left: 0,
            wakes: Some((script.begin, true)),
        }
    }

    /// The next step that is not to compute; `None`: it computes.
    pub(crate) fn step(&mut self, script: &Script, now: u64) -> Option<Step> {
        if self.left > 0 {
            return None;
        }
        let step = script.steps[self.next % script.steps.len()];
        self.next += 1;
        match step {
            Step::Run(length) => {
                self.left = length;
                return None;
            }
            Step::Sleep(length) => self.wakes = Some((now + length, true)),
            Step::Wait(length) => self.wakes = Some((now + length, false)),
            Step::Yield => {}
        }
        Some(step)
    }
}

/// What the policy makes of these tasks, and the policy.
pub(crate) fn run<Q: Queue<Level, Storage = Boxed>>(
    rules: LinuxRules,
    scripts: &[Script],
    end: u64,
) -> (Schedule, LinuxO1<Q>) {
    run_in(rules, scripts, end, &[], || Q::new(scripts.len()))
}

/// The same with queues of this kind. A task is in the group that has its place; without one, in group 0.
pub(crate) fn run_in<Q: Queue<Level, Storage = Boxed>>(
    rules: LinuxRules,
    scripts: &[Script],
    end: u64,
    groups: &[Group],
    queue: impl Fn() -> Q,
) -> (Schedule, LinuxO1<Q>) {
    let mut policy = LinuxO1::with_queues(rules, queue(), queue());
    admit(&mut policy, scripts);
    for (task, group) in groups.iter().enumerate().take(scripts.len()) {
        let resched = policy.regroup(TaskId::from_index(task), *group, Time::ZERO);
        assert_eq!(resched, Resched::None);
    }
    (drive(&mut policy, scripts, end), policy)
}

/// Makes the tasks members of a policy.
pub(crate) fn admit(policy: &mut impl Policy<Params = LinuxTask>, scripts: &[Script]) {
    for (task, script) in scripts.iter().enumerate() {
        policy
            .admit(TaskId::from_index(task), script.task, Time::ZERO)
            .unwrap();
    }
}

/// What a policy makes of its members.
pub(crate) fn drive(
    policy: &mut impl Policy<Params = LinuxTask>,
    scripts: &[Script],
    end: u64,
) -> Schedule {
    let mut places: Vec<Place> = scripts.iter().map(Place::new).collect();
    let mut schedule = Schedule::new();
    let mut running: Option<usize> = None;
    for unit in 0..end {
        let now = units(unit);
        let mut reschedules = false;
        // A task that yields may go on at once, and may yield again.
        loop {
            if let Some(task) = running
                && let Some(step) = places[task].step(&scripts[task], unit)
            {
                let why = match step {
                    Step::Yield => Stop::Yielded,
                    _ => Stop::Blocked,
                };
                let id = TaskId::from_index(task);
                reschedules |= policy
                    .stopped(CPU, id, Usage::default(), why, now)
                    .includes(CPU);
                running = None;
            }
            for (task, place) in places.iter_mut().enumerate() {
                let Some((_, by_clock)) = place.wakes.take_if(|wakes| wakes.0 == unit) else {
                    continue;
                };
                let why = if by_clock {
                    Ready::Released { release: now }
                } else {
                    Ready::Unblocked
                };
                let id = TaskId::from_index(task);
                reschedules |= policy.ready(CPU, id, why, now).includes(CPU);
            }
            if policy.next_alarm(CPU).is_some_and(|alarm| alarm <= now) {
                assert!(policy.has_alarms());
                reschedules |= policy.alarm(CPU, now).includes(CPU);
                assert!(policy.next_alarm(CPU).is_none_or(|alarm| alarm > now));
            }
            if !reschedules {
                break;
            }
            if let Some(task) = running {
                let (id, used) = (TaskId::from_index(task), Usage::default());
                let _ = policy.stopped(CPU, id, used, Stop::Preempted, now);
            }
            running = policy.pick(CPU, now).map(|next| next.task.index());
            let is_ready = |place: &Place| place.wakes.is_none();
            assert_eq!(
                running.is_some(),
                places.iter().any(is_ready),
                "at {unit} ms"
            );
            reschedules = false;
        }
        if let Some(task) = running {
            places[task].left -= 1;
        }
        schedule.push(running);
    }
    schedule
}

/// Which task ran from when on.
pub(crate) fn switches(schedule: &Schedule) -> Vec<(u64, Option<usize>)> {
    let mut switches: Vec<(u64, Option<usize>)> = Vec::new();
    for (unit, &task) in (0..).zip(schedule) {
        if switches.last().is_none_or(|last| last.1 != task) {
            switches.push((unit, task));
        }
    }
    switches
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (1_u64..150).prop_map(Step::Run),
        2 => (1_u64..12).prop_map(Step::Run),
        3 => (1_u64..120).prop_map(Step::Sleep),
        1 => (700_u64..1500).prop_map(Step::Sleep),
        2 => (1_u64..120).prop_map(Step::Wait),
        1 => Just(Step::Yield),
    ];
    prop::collection::vec(step, 0..8).prop_map(|mut steps| {
        steps.push(Step::Run(3));
        steps
    })
}

pub(crate) fn scripts() -> impl Strategy<Value = Vec<Script>> {
    use flyball_policy::LinuxClass;
    let class = prop_oneof![
        12 => Just(LinuxClass::Normal),
        1 => (1_u8..4).prop_map(LinuxClass::Fifo),
        1 => (1_u8..4).prop_map(LinuxClass::RoundRobin),
    ];
    let nice = prop_oneof![2 => Just(0_i8), 1 => -20_i8..20];
    let script = (nice, class, 0_u64..300, steps()).prop_map(|(nice, class, begin, mut steps)| {
        if class != LinuxClass::Normal {
            // So that others run at times.
            steps.push(Step::Sleep(500));
        }
        let task = LinuxTask { nice, class };
        Script { task, begin, steps }
    });
    prop::collection::vec(script, 1..6)
}

pub(crate) fn rules() -> impl Strategy<Value = LinuxRules> {
    use flyball_policy::LinuxVersion::{V2_6_8, V2_6_11};
    let version = prop_oneof![Just(V2_6_8), Just(V2_6_11)];
    (version, prop_oneof![Just(100), Just(250), Just(1000)])
        .prop_map(|(version, hz)| LinuxRules { version, hz })
}
