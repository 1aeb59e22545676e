//! The designs as queues of [`Ranked`] under fixed priorities with time slices.

use crate::double_sorted::{Random, Small, TASKS};
use flyball_policy::order::Level;
use flyball_policy::{
    Bitmap, Breadth, CpuId, Duration, FixedPriority, Group, Grouping, LooseLists, LooseWalk,
    Policy, Priority, Queue, Ranked, Ready, Resched, RoundRobin, Scope, Stop, StrictLists,
    StrictWalk, TaskId, Time, TourLists, Usage,
};

const CPU: CpuId = CpuId(0);
const SLICE: Duration = Duration::from_millis(10);
const NOW: Time = Time::ZERO;

type FpRr<Q> = Ranked<RoundRobin<FixedPriority>, Q>;

fn policy<Q: Queue<Level>>(queue: Q) -> FpRr<Q> {
    let order = RoundRobin {
        order: FixedPriority,
        quantum: SLICE,
    };
    Ranked::with_queue(order, queue)
}

/// What happens at random, and what is ready meanwhile.
struct World<Q: Queue<Level>> {
    policy: FpRr<Q>,
    priorities: [u8; TASKS as usize],
    is_ready: [bool; TASKS as usize],
    running: Option<TaskId>,
    random: Random,
}

impl<Q: Queue<Level>> World<Q> {
    fn new(queue: Q, seed: u64) -> World<Q> {
        let mut world = World {
            policy: policy(queue),
            priorities: [0; TASKS as usize],
            is_ready: [false; TASKS as usize],
            running: None,
            random: Random(seed),
        };
        for task in (0..TASKS).map(TaskId) {
            // On both sides of the priority below which levels are loosened.
            let priority = 150 + world.random.byte_below(8);
            world.priorities[task.index()] = priority;
            let admitted = world.policy.admit(task, Priority(priority), NOW);
            admitted.unwrap();
        }
        world
    }

    fn stop(&mut self, why: Stop, used: Duration) {
        if let Some(task) = self.running.take() {
            let goes_on = !matches!(why, Stop::Blocked | Stop::Completed);
            self.is_ready[task.index()] = goes_on;
            let usage = Usage::time(used);
            let resched = self.policy.stopped(CPU, task, usage, why, NOW);
            assert!(resched.includes(CPU));
        }
    }

    fn step(&mut self) -> Resched {
        let task = self.random.task();
        let group = Group(self.random.byte_below(5));
        match self.random.below(8) {
            0..=2 if !self.is_ready[task.index()] => {
                self.is_ready[task.index()] = true;
                let why = Ready::Released { release: NOW };
                return self.policy.ready(CPU, task, why, NOW);
            }
            3 => return self.policy.regroup(task, group, NOW),
            4 => self.stop(Stop::Blocked, Duration::ZERO),
            5 => self.stop(Stop::BurstEnd, SLICE),
            6 => self.stop(Stop::Yielded, Duration::ZERO),
            7 => {
                let priority = 150 + self.random.byte_below(8);
                self.priorities[task.index()] = priority;
                let adjusted = self.policy.adjust(task, Priority(priority), NOW);
                return adjusted.unwrap();
            }
            _ => {}
        }
        Resched::None
    }

    /// Returns how the running task's priority compares with the highest there is, after each pick.
    fn run(mut self, steps: u32, mut check: impl FnMut(u8, u8)) {
        for _ in 0..steps {
            let before = self.running;
            let resched = self.step();
            let idles = self.running.is_none();
            if resched == Resched::None && !idles {
                // What the policy says: the running task is the first still.
                self.stop(Stop::Preempted, Duration::ZERO);
                let next = self.policy.pick(CPU, NOW).map(|next| next.task);
                assert_eq!(next, before, "an equal has preempted it");
                self.running = next;
            } else {
                self.stop(Stop::Preempted, Duration::ZERO);
                self.running = self.policy.pick(CPU, NOW).map(|next| next.task);
            }
            let ready = (0..usize::from(TASKS)).filter(|&task| self.is_ready[task]);
            let highest = ready.map(|task| self.priorities[task]).max();
            assert_eq!(self.running.is_none(), highest.is_none());
            if let (Some(running), Some(highest)) = (self.running, highest) {
                check(self.priorities[running.index()], highest);
            }
        }
    }
}

const STEPS: u32 = if cfg!(miri) { 500 } else { 50_000 };

fn is_strict<Q: Queue<Level>>() {
    let queue = Q::new(TASKS.into());
    let mut changes = 0;
    World::new(queue, 3).run(STEPS, |running, highest| {
        assert_eq!(running, highest);
        changes += 1;
    });
    assert!(changes > STEPS / 2);
}

#[test]
fn strict_designs_never_run_a_lower_level_first() {
    is_strict::<StrictLists<Level, Small>>();
    is_strict::<StrictWalk<Level, Small>>();
    is_strict::<TourLists<Level, Small>>();
    is_strict::<Bitmap<Level, Small>>();
}

/// Priorities from 156 on are levels up to 99.
fn is_real_time(priority: u8) -> bool {
    u8::MAX - priority < 100
}

/// Tasks of two levels share their lists, and never those of other levels.
#[test]
fn loose_lists_keep_to_their_scope() {
    let mut loosened = 0;
    let queue = LooseLists::<Level, Small>::new(TASKS.into());
    World::new(queue, 4).run(STEPS, |running, highest| {
        let [running, highest] = [running, highest].map(|priority| u8::MAX - priority);
        let scope = Scope::default();
        assert_eq!(scope.shared(running), scope.shared(highest));
        assert!(running - highest < scope.levels.get());
        loosened += u32::from(running > highest);
    });
    assert!(loosened > 0);
}

#[test]
fn promotion_is_by_one_level() {
    for demotes in [false, true] {
        let mut loosened = [0; 3];
        let breadth = Breadth {
            demotes,
            ..Breadth::default()
        };
        let queue = LooseWalk::<Level, Small>::with(TASKS.into(), breadth);
        World::new(queue, 5).run(STEPS, |running, highest| {
            let below = highest - running;
            loosened[usize::from(below)] += 1;
            assert!(below == 0 || !is_real_time(highest));
        });
        assert!(loosened[0] > 0 && loosened[1] > 0);
        // One that is promoted may meet one that is demoted.
        assert!(demotes || loosened[2] == 0);
    }
}

/// A queue that takes no notice of groups leaves tasks where they are.
#[test]
fn other_queues_take_no_notice() {
    let mut policy = policy(Bitmap::<Level, Small>::new(TASKS.into()));
    for task in [0, 1].map(TaskId) {
        policy.admit(task, Priority(3), NOW).unwrap();
        let _ = policy.ready(CPU, task, Ready::Unblocked, NOW);
    }
    assert_eq!(policy.regroup(TaskId(0), Group(4), NOW), Resched::None);
    policy.prefer(CPU, Group(4));
    assert_eq!(policy.group(TaskId(0)), Group(0));
    assert_eq!(policy.pick(CPU, NOW).unwrap().task, TaskId(0));
}

/// The CPU's state counts only while it idles.
#[test]
fn a_running_task_stays_first() {
    let mut policy = policy(StrictLists::<Level, Small>::new(TASKS.into()));
    for task in 0..3 {
        let admitted = policy.admit(TaskId(task), Priority(3), NOW);
        admitted.unwrap();
        let _ = policy.regroup(TaskId(task), Group(u8::try_from(task).unwrap()), NOW);
    }
    policy.prefer(CPU, Group(2));
    for task in 0..3 {
        let _ = policy.ready(CPU, TaskId(task), Ready::Unblocked, NOW);
    }
    let picked = |policy: &mut FpRr<_>| policy.pick(CPU, NOW).unwrap().task;
    assert_eq!(picked(&mut policy), TaskId(2));
    policy.prefer(CPU, Group(1));
    assert_eq!(picked(&mut policy), TaskId(2));
    // It goes to the group of another one, and is ahead of it.
    let resched = policy.regroup(TaskId(2), Group(0), NOW);
    assert_eq!(resched, Resched::None);
    assert_eq!(picked(&mut policy), TaskId(2));
    let usage = Usage::time(Duration::ZERO);
    let _ = policy.stopped(CPU, TaskId(2), usage, Stop::Blocked, NOW);
    assert_eq!(picked(&mut policy), TaskId(0), "the CPU is in its domain");
}
