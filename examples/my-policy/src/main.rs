//! A policy of one's own: earliest deadline first, but a job that has begun is not interrupted.
//! Try it: `cargo run -p my-policy -- study examples/cnc.toml`
use flyball::policy::*;
use flyball::sim::{Missing, Scheduler, Sustainable};
use flyball::{Entry, Registry, model::Task};

/// Relative deadlines by task; the ready jobs by absolute deadline; and who has the CPU.
#[derive(Default)]
struct NonPreemptiveEdf {
    deadlines: Vec<Duration>,
    ready: Vec<(Time, TaskId)>,
    running: Option<TaskId>,
}

impl Policy for NonPreemptiveEdf {
    /// All that a task tells the policy is its relative deadline.
    type Params = Duration;
    /// No budgets, no alarms, no usage: the kernel leaves out the code for them.
    const WANTS: Wants = Wants::NOTHING;
    fn capacity(&self) -> usize {
        self.deadlines.len()
    }
    fn admit(&mut self, task: TaskId, deadline: Duration, _: Time) -> Result<(), Refused> {
        self.deadlines[task.index()] = deadline;
        Ok(())
    }
    fn adjust(&mut self, task: TaskId, d: Duration, now: Time) -> Result<Resched, Refused> {
        self.admit(task, d, now).map(|()| Resched::None)
    }
    fn retire(&mut self, _: TaskId, _: Time) {}

    /// A job comes. (One that goes on after a wait counts its deadline from then.)
    fn ready(&mut self, _: CpuId, task: TaskId, why: Ready, now: Time) -> Resched {
        let from = match why {
            Ready::Released { release } => release,
            Ready::Unblocked => now,
        };
        self.ready.push((from + self.deadlines[task.index()], task));
        Resched::One(CpuId(0))
    }
    /// Only a job that ends or waits gives up the CPU.
    fn stopped(&mut self, cpu: CpuId, task: TaskId, _: Usage, why: Stop, _: Time) -> Resched {
        if matches!(why, Stop::Blocked | Stop::Completed) {
            self.ready.retain(|&(_, other)| other != task);
            self.running = self.running.filter(|&running| running != task);
        }
        Resched::One(cpu)
    }
    fn pick(&mut self, _: CpuId, _: Time) -> Option<Dispatch> {
        let earliest = || self.ready.iter().min().map(|&(_, task)| task);
        self.running = self.running.or_else(earliest);
        self.running.map(|task| Dispatch { task, burst: None })
    }
}

/// How the laboratory makes the policy from a task set.
struct MyScheduler;
impl Scheduler for MyScheduler {
    type Policy = NonPreemptiveEdf;
    /// When nothing is ready the policy remembers nothing, so a hyperperiod shows all it does.
    const MEMORYLESS: bool = true;
    /// A job that ends early may let a long one begin that is in the way of an urgent one.
    const SUSTAINABLE: Sustainable = Sustainable::NO;
    fn policy(&self, capacity: usize, _: usize) -> NonPreemptiveEdf {
        let mut policy = NonPreemptiveEdf::default();
        policy.deadlines.resize(capacity, Duration::MAX);
        policy
    }
    fn params(&self, task: &Task) -> Result<Duration, Missing> {
        task.deadline.ok_or(Missing::Other("has no `deadline`"))
    }
}

fn main() -> std::process::ExitCode {
    let make = |_: &flyball::Values| MyScheduler;
    let mine = Entry::new("np-edf", "Non-preemptive EDF", "not preempted", make);
    flyball::main_with(&Registry::standard().with(mine))
}
