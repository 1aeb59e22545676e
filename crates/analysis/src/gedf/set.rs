//! The task sets that the tests of global EDF take.

use crate::fractions::Bracket;
use crate::{InvalidTask, SporadicTask};

/// A sporadic task in whole units of time. What a unit is, only the caller knows: a nanosecond, a
/// microsecond, a tick of a paper's example. Where a test adds "one", it is one unit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Task {
    /// The most that one job computes.
    pub wcet: u64,
    /// The least time between two arrivals.
    pub period: u64,
    /// From a job's arrival to its deadline.
    pub deadline: u64,
}

impl Task {
    /// A task whose deadline is the end of its period.
    pub const fn implicit(wcet: u64, period: u64) -> Task {
        Task {
            wcet,
            period,
            deadline: period,
        }
    }
}

/// Tasks with what several tests need to know about them: computed once, O(n).
#[derive(Clone, Debug)]
pub struct Set {
    tasks: Vec<Task>,
    utilisation: Bracket,
    longest: u64,
    densest: usize,
    constrained: bool,
    implicit: bool,
    feasible: bool,
}

impl Set {
    /// Times are shorter than that: 2⁶² units, or 146 years of nanoseconds. So products of two are
    /// far from overflowing 128 bits.
    pub const LONGEST: u64 = 1 << 62;

    /// A set of these tasks, in this order.
    ///
    /// # Errors
    /// If a WCET, a period or a deadline is zero, or is [`Set::LONGEST`] or longer.
    pub fn new(tasks: Vec<Task>) -> Result<Set, InvalidTask> {
        let mut set = Set {
            utilisation: Bracket::default(),
            longest: 0,
            densest: 0,
            constrained: true,
            implicit: true,
            feasible: true,
            tasks,
        };
        for (position, task) in set.tasks.iter().enumerate() {
            let Task {
                wcet,
                period,
                deadline,
            } = *task;
            for (length, name) in [(wcet, "WCET"), (period, "period"), (deadline, "deadline")] {
                if length == 0 {
                    return Err(InvalidTask::Zero(name));
                }
                if length >= Set::LONGEST {
                    return Err(InvalidTask::TooLong(name));
                }
            }
            set.constrained &= deadline <= period;
            set.implicit &= deadline == period;
            set.feasible &= wcet <= deadline && wcet <= period;
            set.longest = set.longest.max(period).max(deadline);
            set.utilisation.add(u128::from(wcet), period);
            if denser(task, &set.tasks[set.densest]) {
                set.densest = position;
            }
        }
        Ok(set)
    }

    /// These tasks, with a nanosecond for a unit.
    ///
    /// # Errors
    /// If one has release jitter or blocking, which the tests know nothing of, or a time that is
    /// too long.
    pub fn of(tasks: &[SporadicTask]) -> Result<Set, InvalidTask> {
        let plain = |task: &SporadicTask| {
            if task.j() > 0 {
                return Err(InvalidTask::NotCovered("jitter"));
            }
            if task.b() > 0 {
                return Err(InvalidTask::NotCovered("blocking"));
            }
            Ok(Task {
                wcet: task.c(),
                period: task.t(),
                deadline: task.d(),
            })
        };
        Set::new(tasks.iter().map(plain).collect::<Result<_, _>>()?)
    }

    /// The tasks, in the order in which they came.
    pub fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    /// The set with no deadline beyond a period, which the tests are about. What is in time for
    /// these is in time, under a policy to which deadlines make no difference.
    #[must_use]
    pub fn within_periods(&self) -> Set {
        if self.constrained {
            return self.clone();
        }
        let within = |task: &Task| Task {
            deadline: task.deadline.min(task.period),
            ..*task
        };
        let tasks = self.tasks.iter().map(within).collect();
        // No time is longer, and none is zero.
        Set::new(tasks).unwrap_or_else(|_| self.clone())
    }

    /// Whether every deadline is the end of a period.
    pub fn is_implicit(&self) -> bool {
        self.implicit
    }

    /// What every one of the tests demands before it looks any further: C ≤ D ≤ T for every task,
    /// and a utilisation of at most so many CPUs. A set that fails it is rejected. (Of C ≤ D and U
    /// ≤ m a set that violates them cannot hold; D ≤ T is what the tests are about.)
    pub fn is_eligible(&self, cpus: u32) -> bool {
        self.constrained && self.feasible && !self.demands_more_than(cpus)
    }

    /// Whether U > m, exactly.
    pub fn demands_more_than(&self, cpus: u32) -> bool {
        let terms = self
            .tasks
            .iter()
            .map(|task| (u128::from(task.wcet), task.period));
        self.utilisation.compare(terms, u128::from(cpus)).is_gt()
    }

    /// Whether U < m, exactly.
    pub(super) fn leaves_something_of(&self, cpus: u32) -> bool {
        let terms = self
            .tasks
            .iter()
            .map(|task| (u128::from(task.wcet), task.period));
        self.utilisation.compare(terms, u128::from(cpus)).is_lt()
    }

    /// The utilisation, between two bounds.
    pub(super) fn utilisation(&self) -> &Bracket {
        &self.utilisation
    }

    /// The task with the largest density C/D, the first one of equals. `None` if there is no task.
    pub(super) fn densest(&self) -> Option<&Task> {
        self.tasks.get(self.densest)
    }

    /// The longest period or deadline.
    pub(super) fn longest(&self) -> u64 {
        self.longest
    }
}

/// Whether C/D of `a` is larger than that of `b`.
fn denser(a: &Task, b: &Task) -> bool {
    u128::from(a.wcet) * u128::from(b.deadline) > u128::from(b.wcet) * u128::from(a.deadline)
}
