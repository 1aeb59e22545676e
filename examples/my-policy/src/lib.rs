//! A policy of one's own: the shortest job first, and a job that has begun is not interrupted.
#![no_std]

use flyball_catalogue::{
    Configured, Facts, Missing, Scheduler, Setting, Size, Sustainable, Values,
};
use flyball_policy::*;

/// What is known of each task, and which has the CPU.
pub struct ShortestJobFirst<S: Storage> {
    /// How long a job of the task computes; `None`: there is no such task.
    lengths: S::Table<Option<Duration>>,
    ready: S::Table<bool>,
    running: Option<TaskId>,
}

impl<S: Storage> Policy for ShortestJobFirst<S> {
    /// All that a task tells the policy is how long its jobs compute.
    type Params = Duration;
    type Settings = ();
    /// No budgets, no alarms, no usage: the kernel leaves out the code for them.
    const WANTS: Wants = Wants::NOTHING;
    fn capacity(&self) -> usize {
        self.lengths.capacity()
    }
    fn admit(&mut self, task: TaskId, length: Duration, _: Time) -> Result<(), Refused> {
        let row = self.lengths.find_mut(task.index()).ok_or(Refused::Full)?;
        *row = Some(length);
        Ok(())
    }
    fn adjust(&mut self, task: TaskId, length: Duration, now: Time) -> Result<Resched, Refused> {
        self.admit(task, length, now).map(|()| Resched::None)
    }
    fn retire(&mut self, task: TaskId, _: Time) {
        self.lengths[task.index()] = None;
    }

    /// A job comes, or goes on after a wait.
    fn ready(&mut self, _: CpuId, task: TaskId, _: Ready, _: Time) -> Resched {
        self.ready[task.index()] = true;
        Resched::One(CpuId(0))
    }
    /// Only a job that ends or waits gives up the CPU.
    fn stopped(&mut self, cpu: CpuId, task: TaskId, _: Usage, why: Stop, _: Time) -> Resched {
        if matches!(why, Stop::Blocked | Stop::Completed) {
            self.ready[task.index()] = false;
            self.running = self.running.filter(|&running| running != task);
        }
        Resched::One(cpu)
    }
    fn pick(&mut self, _: CpuId, _: Time) -> Option<Dispatch> {
        let tasks = (0..=u16::MAX).map(TaskId).take(self.capacity());
        let ready = tasks.filter(|task| self.ready[task.index()]);
        let shortest = ready.min_by_key(|task| self.lengths[task.index()]);
        self.running = self.running.or(shortest);
        self.running.map(Dispatch::of)
    }
}

/// How the policy is made from a task set. It has no settings as a whole.
pub struct MyScheduler;

impl Configured for MyScheduler {
    /// A task says this in a table `[task.policies.sjf]`.
    const TASK_SETTINGS: &'static [Setting] = &[Setting::optional_duration(
        "usual",
        "how long a job usually computes",
        "as its worst case",
    )];
    fn new(_: &dyn Values, _: &[Facts]) -> Result<MyScheduler, &'static str> {
        Ok(MyScheduler)
    }
    fn parse(_: &mut &[u8]) -> Option<MyScheduler> {
        Some(MyScheduler)
    }
}

impl Scheduler for MyScheduler {
    const NAME: &'static str = "sjf";
    /// When nothing is ready the policy remembers nothing, so a hyperperiod shows all it does.
    const MEMORYLESS: bool = true;
    /// A job that ends early may let a long one begin that is in the way of an urgent one.
    const SUSTAINABLE: Sustainable = Sustainable::NO;
    type Params = Duration;
    type Policy<S: Storage, C: Storage> = ShortestJobFirst<S>;
    fn policy<S: Storage, C: Storage>(&self, size: Size) -> ShortestJobFirst<S> {
        ShortestJobFirst {
            lengths: Table::new(size.tasks, None),
            ready: Table::new(size.tasks, false),
            running: None,
        }
    }
    fn params(&self, task: &Facts, values: &dyn Values) -> Result<Duration, Missing> {
        Ok(values.optional_duration("usual").unwrap_or(task.wcet))
    }
}
