//! The machine that tasks run on, and what the kernel's own work on it costs.

use crate::speeds::Speeds;
use flyball_trace::Duration;

/// The machine that the tasks run on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Platform {
    /// Number of CPUs, at least 1.
    pub cpus: u8,
    /// Length of the periodic tick; `None`: the kernel sets its timer to the instant it needs.
    pub tick: Option<Duration>,
    /// What the kernel's own work costs.
    pub overheads: Overheads,
    /// How late jobs are released, of what their jitter allows.
    pub jitter: Jitter,
    /// At which frequencies CPUs can run, where that can be chosen.
    pub speeds: Option<Speeds>,
}

/// How late after their arrival simulated jobs are released, of what their tasks' jitter allows.
/// Tests always take the worst.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Jitter {
    /// Any time, each equally likely.
    #[default]
    Random,
    /// As late as they may be until every task's first job can be there, and then at once: jobs of
    /// all tasks are released together, as far as phases allow it, and the next ones soon after.
    Worst,
}

/// What the kernel's own work costs, each by the number of tasks.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Overheads {
    /// Releasing one job, waking one sleeper, or noticing one missed deadline, from the timer.
    pub release: Cost,
    /// A task's call of the kernel: the way in and out of it, and what the call does.
    pub call: Cost,
    /// Choosing which task runs, once.
    pub scheduling: Cost,
    /// Changing from one task to another.
    pub context_switch: Cost,
    /// One periodic tick.
    pub tick: Cost,
    /// One run of a policy's controllers, by the number of tasks.
    pub control: Cost,
    /// Interrupting another CPU.
    pub ipi: Cost,
    /// Refilling caches when a preempted job goes on. This lengthens the job.
    pub cache: Cost,
}

/// A cost that may grow with the number of tasks: pairs of a task count and the cost measured
/// there, by rising task count. Empty: free of charge.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cost(Vec<(u32, Duration)>);

impl Default for Platform {
    fn default() -> Platform {
        Platform {
            cpus: 1,
            tick: None,
            overheads: Overheads::default(),
            jitter: Jitter::default(),
            speeds: None,
        }
    }
}

impl Platform {
    /// Whether neither the kernel's work nor a change of speed takes any time.
    pub fn work_is_free(&self) -> bool {
        let free = |speeds: &Speeds| speeds.transitions().iter().flatten().all(|it| it.is_zero());
        self.overheads.are_free() && self.speeds.as_ref().is_none_or(free)
    }
}

impl Cost {
    /// The same cost for any number of tasks.
    pub fn fixed(cost: Duration) -> Cost {
        Cost(vec![(0, cost)])
    }

    /// A cost measured at several task counts. The order does not matter.
    pub fn table(mut points: Vec<(u32, Duration)>) -> Cost {
        points.sort_unstable();
        Cost(points)
    }

    /// The cost with `tasks` tasks: that of the largest measured count which is not above `tasks`
    /// (20 tasks take the value for 15, as in Gracioli et al., section 5.1), or of the smallest
    /// count where all are above.
    pub fn at(&self, tasks: usize) -> Duration {
        let above = self
            .0
            .partition_point(|&(count, _)| count as usize <= tasks);
        self.0
            .get(above.saturating_sub(1))
            .map_or(Duration::ZERO, |&(_, cost)| cost)
    }

    /// Whether it is free of charge for any number of tasks.
    pub fn is_free(&self) -> bool {
        self.0.iter().all(|(_, cost)| cost.is_zero())
    }

    /// The measured points, by rising task count.
    pub fn points(&self) -> &[(u32, Duration)] {
        &self.0
    }
}

impl Overheads {
    /// Whether the kernel's work costs nothing at all.
    pub fn are_free(&self) -> bool {
        [
            &self.release,
            &self.call,
            &self.scheduling,
            &self.context_switch,
            &self.tick,
            &self.control,
            &self.ipi,
            &self.cache,
        ]
        .into_iter()
        .all(Cost::is_free)
    }
}
