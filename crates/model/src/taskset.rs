//! The types that describe a task set.
//!
//! A task set names a platform, the tasks that run on it, the resources that they share, and
//! settings for the policies that are to schedule it. Everything here has been checked by the code
//! that built it (see the readers): names are unique, references point to something, times make
//! sense.

pub use crate::endpoint::Endpoint;
pub use crate::groups::Groups;
pub use crate::platform::{Cost, Jitter, Overheads, Platform};
pub use crate::reserve::Reserve;
pub use crate::server::{Server, ServerMode};
pub use crate::settings::{Location, Place, Setting, Settings, Value};
use crate::share::Share;
use flyball_trace::{Duration, GaugeKind, Speed};
use std::collections::BTreeMap;

/// A platform, the tasks on it, and what they share.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TaskSet {
    /// What people call it.
    pub name: String,
    /// Where it was published, if it was.
    pub source: Option<String>,
    /// The machine.
    pub platform: Platform,
    /// The tasks; a task's number is its position here.
    pub tasks: Vec<Task>,
    /// The mutexes, in the order in which steps count them.
    pub mutexes: Vec<Mutex>,
    /// The semaphores, in the order in which steps count them.
    pub semaphores: Vec<Semaphore>,
    /// The message queues, in the order in which steps count them, and behind them the gauges.
    pub queues: Vec<Queue>,
    /// The sources of pipelines, and then the sinks.
    pub endpoints: Vec<Endpoint>,
    /// The servers, in the order in which tasks count them.
    pub servers: Vec<Server>,
    /// The programs that tasks name, in the order in which they name them first.
    pub programs: Vec<String>,
    /// The devices that tasks name, in the order in which they name them first.
    pub devices: Vec<String>,
    /// Settings of policies, by the policy's name. They are checked by the code that knows the
    /// policies.
    pub policies: BTreeMap<String, Settings>,
}

/// One task: how its jobs arrive, and what each of them does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Task {
    /// Its name, unique in the set.
    pub name: String,
    /// How jobs arrive.
    pub arrival: Arrival,
    /// The first job's earliest release, counted from the start.
    pub phase: Duration,
    /// How long after its arrival a job may be released. Its deadline counts from its arrival all
    /// the same. Zero for tasks that arrive [`Arrival::Once`].
    pub jitter: Duration,
    /// Relative deadline; `None` only for tasks that arrive [`Arrival::Once`].
    pub deadline: Option<Duration>,
    /// The most that one job computes. Always the sum over `behaviour`, or more; so it is
    /// [`Duration::MAX`] for a job that computes without end.
    pub wcet: Duration,
    /// Priority for fixed-priority scheduling: the larger, the more urgent.
    pub priority: Option<u8>,
    /// The nice value under Linux's scheduler, from −20, the most urgent, to 19.
    pub nice: Option<i8>,
    /// The part of a CPU that the task is to get, for policies that divide CPUs.
    pub share: Option<Share>,
    /// What is reserved for the task, for policies that reserve CPU time by proportion and period.
    pub reserve: Option<Reserve>,
    /// How important the task is where not all can get their shares.
    pub importance: Option<u16>,
    /// The CPU that the task is bound to.
    pub cpu: Option<u8>,
    /// The CPUs that the task may run on, by rising number, if it is not bound to one; `None`: all
    /// of them. Never empty.
    pub cpus: Option<Vec<u8>>,
    /// The server that the task runs in, under policies that have servers.
    pub server: Option<u16>,
    /// The part of its computations' time at the fastest operating point in which the CPU waits for
    /// memory.
    pub stalls: Share,
    /// The operating point that it is to run at, under policies that choose speeds.
    pub speed: Option<Speed>,
    /// What it has in common with other tasks, for policies that put tasks into groups.
    pub groups: Groups,
    /// What happens when a job misses its deadline.
    pub on_miss: OnMiss,
    /// What a job does; never empty.
    pub behaviour: Vec<Step>,
    /// What the task says to policies, by the policy's name. It is checked by the code that knows
    /// the policies.
    pub policies: BTreeMap<String, Settings>,
    /// Where the task stands.
    pub location: Location,
}

/// How a task's jobs arrive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Arrival {
    /// Every `period`.
    Periodic {
        /// Time between releases; not zero.
        period: Duration,
    },
    /// At least `separation` apart.
    Sporadic {
        /// The least time between releases; not zero.
        separation: Duration,
        /// How long after a release the next arrival really comes; never less than `separation`.
        gap: Length,
    },
    /// With each message or signal that another task sends, but never two within `separation`: what
    /// comes too early is released when that has passed.
    Event {
        /// What releases the jobs.
        by: Trigger,
        /// The least time between releases; not zero.
        separation: Duration,
    },
    /// One job only, which may go on without end: a background thread.
    Once,
}

/// What releases jobs of a task, by its place in the task set's tables. No two tasks have the same.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Trigger {
    /// Each message that is put into this queue. The job takes it as it begins.
    Queue(u16),
    /// Each signal of this semaphore.
    Semaphore(u16),
}

/// A length of time that may differ each time it is asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Length {
    /// Always the same.
    Fixed(Duration),
    /// Any whole number of nanoseconds between the two, each equally likely.
    Uniform {
        /// The shortest.
        min: Duration,
        /// The longest.
        max: Duration,
    },
    /// One of these, each equally likely; never empty.
    OneOf(Vec<Duration>),
    /// One of these, each as likely as the number beside it says, which is not zero; never empty.
    Empirical(Vec<(Duration, u32)>),
    /// A normal distribution, of which what is below `min` or above `max` is drawn again.
    Normal {
        /// The mean of the whole distribution, which is not below `min` and not above `max`.
        mean: Duration,
        /// Its standard deviation.
        deviation: Duration,
        /// The shortest.
        min: Duration,
        /// The longest.
        max: Duration,
    },
    /// One of these after the other, each for so long since the start, and then the first again.
    Cycle {
        /// The lengths; never empty.
        lengths: Vec<Duration>,
        /// For how long each of them is valid; not zero.
        every: Duration,
    },
}

/// One step of a job. Resources are counted in the order of the task set's tables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// Uses the CPU.
    Compute(Length),
    /// Uses the CPU for another time than it declares: analyses and budgets know the declared one.
    /// A job that uses more overruns.
    Overrun {
        /// What counts as execution time.
        declared: Length,
        /// What is really used.
        actual: Length,
    },
    /// Uses the CPU, of which it waits for memory for another part of the time than its task says.
    Stalling {
        /// For how long, at the fastest operating point.
        compute: Length,
        /// The part of this time in which the CPU waits for memory.
        stalls: Share,
    },
    /// Leaves the CPU for a while.
    Suspend(Length),
    /// Offers the CPU to tasks of equal urgency.
    Yield,
    /// Runs the policy's controllers, under policies that leave that to a task; otherwise a call without effect.
    Control,
    /// Locks a mutex.
    Lock(u16),
    /// Unlocks it.
    Unlock(u16),
    /// Waits for a semaphore.
    Wait(u16),
    /// Signals it.
    Signal(u16),
    /// Sends one message; waits while the queue is full.
    Send(u16),
    /// Sends one message if the queue is not full; otherwise the message is lost.
    TrySend(u16),
    /// Receives one message; waits while the queue is empty.
    Receive(u16),
    /// Receives one message if the queue is not empty.
    TryReceive(u16),
    /// Raises a gauge, up to its capacity at most.
    Raise {
        /// The gauge, by its place among queues.
        gauge: u16,
        /// By how much; not zero.
        by: u16,
    },
    /// Lowers a gauge, down to 0 at most.
    Lower {
        /// The gauge, by its place among queues.
        gauge: u16,
        /// By how much; not zero.
        by: u16,
    },
    /// The job says this of itself when it ends, unless another one of these steps follows: one of
    /// the numbers, each equally likely; never empty. It takes no time.
    Result(Vec<u8>),
    /// Does the steps again and again.
    Repeat {
        /// How often; `None`: without end, which only a task that arrives [`Arrival::Once`] may.
        times: Option<u32>,
        /// What; never empty.
        body: Vec<Step>,
    },
}

/// What the kernel does when a job has not completed by its deadline.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OnMiss {
    /// Lets the job go on; later jobs wait for it.
    #[default]
    Continue,
    /// Lets the job go on, and leaves out the releases that come while it is late.
    Skip,
    /// Gives the job up at its deadline.
    Abort,
    /// Lets the job go on; of those that wait until they are late, too, only the newest is done.
    Latest,
}

/// A mutex.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mutex {
    /// Its name, unique among mutexes.
    pub name: String,
    /// What happens to the owner while others wait.
    pub protocol: Protocol,
}

/// What happens to a mutex's owner while others wait for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Protocol {
    /// Nothing: a less urgent task may delay a more urgent one without bound.
    None,
    /// The owner acts with the urgency of the most urgent task that waits.
    #[default]
    Inherit,
}

/// A counting semaphore.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Semaphore {
    /// Its name, unique among semaphores.
    pub name: String,
    /// Its value at the start.
    pub initial: u32,
}

/// A bounded queue of messages, or a gauge: progress that is no queue of the kernel, as a level.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Queue {
    /// Its name, unique among queues.
    pub name: String,
    /// How many messages it holds, or the highest level of the gauge; at least 1.
    pub capacity: u16,
    /// What kind of gauge it is; `None`: it is a queue.
    pub gauge: Option<GaugeKind>,
}

impl Length {
    /// The longest that it can be.
    pub fn longest(&self) -> Duration {
        match self {
            Length::Fixed(length)
            | Length::Uniform { max: length, .. }
            | Length::Normal { max: length, .. } => *length,
            Length::OneOf(lengths) | Length::Cycle { lengths, .. } => {
                lengths.iter().copied().max().unwrap_or_default()
            }
            Length::Empirical(seen) => seen.iter().map(|seen| seen.0).max().unwrap_or_default(),
        }
    }

    /// The shortest that it can be.
    pub fn shortest(&self) -> Duration {
        match self {
            Length::Fixed(length)
            | Length::Uniform { min: length, .. }
            | Length::Normal { min: length, .. } => *length,
            Length::OneOf(lengths) | Length::Cycle { lengths, .. } => {
                lengths.iter().copied().min().unwrap_or_default()
            }
            Length::Empirical(seen) => seen.iter().map(|seen| seen.0).min().unwrap_or_default(),
        }
    }

    /// The mean in nanoseconds; of a normal distribution its `mean`, as if nothing were cut off, and of a cycle
    /// that over time.
    #[expect(clippy::cast_precision_loss, reason = "a mean is approximate")]
    pub fn mean_nanos(&self) -> f64 {
        let nanos = |length: &Duration| length.as_nanos() as f64;
        match self {
            Length::Fixed(length) | Length::Normal { mean: length, .. } => nanos(length),
            Length::Uniform { min, max } => f64::midpoint(nanos(min), nanos(max)),
            Length::OneOf(lengths) | Length::Cycle { lengths, .. } => {
                lengths.iter().map(nanos).sum::<f64>() / lengths.len() as f64
            }
            Length::Empirical(seen) => {
                let weights: f64 = seen.iter().map(|seen| f64::from(seen.1)).sum();
                let sum = seen.iter().map(|seen| nanos(&seen.0) * f64::from(seen.1));
                sum.sum::<f64>() / weights
            }
        }
    }

    /// Whether it is always the same.
    pub fn is_fixed(&self) -> bool {
        self.shortest() == self.longest()
    }
}

impl Arrival {
    /// The period, or the least separation of releases; `None` for a task that arrives once.
    pub fn period(&self) -> Option<Duration> {
        match *self {
            Arrival::Periodic { period } => Some(period),
            Arrival::Sporadic { separation, .. } | Arrival::Event { separation, .. } => {
                Some(separation)
            }
            Arrival::Once => None,
        }
    }
}

impl TaskSet {
    /// The first task that may not run on all CPUs, without being bound to one. O(tasks × CPUs).
    pub fn limited(&self) -> Option<&Task> {
        let mut tasks = self.tasks.iter();
        tasks.find(|task| task.is_limited(self.platform.cpus))
    }
}

impl Task {
    /// Whether nothing about its releases is left to chance: they come with the clock, and neither
    /// later nor at other distances than the file says.
    pub fn comes_with_the_clock(&self) -> bool {
        match self.arrival {
            Arrival::Sporadic { .. } | Arrival::Event { .. } => false,
            Arrival::Periodic { .. } | Arrival::Once => self.jitter.is_zero(),
        }
    }

    /// What releases its jobs, if messages or signals do.
    pub fn trigger(&self) -> Option<Trigger> {
        match self.arrival {
            Arrival::Event { by, .. } => Some(by),
            _ => None,
        }
    }

    /// When the first job is released if it is as late as it may be, where the clock says when it
    /// arrives; `None`: that may be at any time.
    fn fully_late(&self) -> Option<Duration> {
        match self.arrival {
            Arrival::Sporadic { .. } | Arrival::Event { .. } => None,
            Arrival::Periodic { .. } | Arrival::Once => Some(self.phase + self.jitter),
        }
    }

    /// Whether the task may run on some of so many CPUs only, without being bound to one.
    pub fn is_limited(&self, cpus: u8) -> bool {
        self.cpus.is_some() && (0..cpus).any(|cpu| !self.allows(cpu))
    }

    /// Whether the task may run on a CPU of that number.
    pub fn allows(&self, cpu: u8) -> bool {
        match (self.cpu, &self.cpus) {
            (Some(only), _) => only == cpu,
            (None, Some(cpus)) => cpus.contains(&cpu),
            (None, None) => true,
        }
    }

    /// A task of one job, without a deadline, that does these steps and computes for `wcet` at most.
    pub fn once(name: impl Into<String>, wcet: Duration, behaviour: Vec<Step>) -> Task {
        Task {
            arrival: Arrival::Once,
            deadline: None,
            behaviour,
            ..Task::periodic(name, Duration::ZERO, wcet)
        }
    }

    /// A periodic task with implicit deadline that computes `wcet` in every job.
    pub fn periodic(name: impl Into<String>, period: Duration, wcet: Duration) -> Task {
        Task {
            name: name.into(),
            arrival: Arrival::Periodic { period },
            phase: Duration::ZERO,
            jitter: Duration::ZERO,
            deadline: Some(period),
            wcet,
            priority: None,
            nice: None,
            share: None,
            reserve: None,
            importance: None,
            cpu: None,
            cpus: None,
            server: None,
            stalls: Share::default(),
            speed: None,
            groups: Groups::default(),
            on_miss: OnMiss::Continue,
            behaviour: vec![Step::Compute(Length::Fixed(wcet))],
            policies: BTreeMap::new(),
            location: Location::default(),
        }
    }
}

impl TaskSet {
    /// The least common multiple of the periods of all periodic tasks; `None` if there is no
    /// periodic task, or if it does not fit into 64 bits of nanoseconds (584 years).
    pub fn hyperperiod(&self) -> Option<Duration> {
        self.tasks
            .iter()
            .filter_map(|task| match task.arrival {
                Arrival::Periodic { period } => Some(period.as_nanos()),
                _ => None,
            })
            .map(Some)
            .reduce(|a, b| lcm(a?, b?))
            .flatten()
            .map(Duration::from_nanos)
    }

    /// After how long the same releases come at the same distance from a tick again: the
    /// hyperperiod, or its least common multiple with the tick; `None` as for the hyperperiod.
    pub fn cycle(&self) -> Option<Duration> {
        let hyperperiod = self.hyperperiod()?;
        match self.platform.tick {
            Some(tick) if !tick.is_zero() => {
                lcm(hyperperiod.as_nanos(), tick.as_nanos()).map(Duration::from_nanos)
            }
            _ => Some(hyperperiod),
        }
    }

    /// Whether some task's jobs are released by messages or signals, so that it is not known how
    /// often they really come. O(tasks).
    pub fn has_events(&self) -> bool {
        self.tasks.iter().any(|task| task.trigger().is_some())
    }

    /// Whether jobs of all of these tasks may be released at one instant, each as late after its
    /// arrival as it may be, and again as often as their periods allow. Otherwise this worst case
    /// may never come. O(tasks).
    pub fn may_coincide(&self, tasks: &[usize]) -> bool {
        let by_event = |task: &usize| {
            let task = self.tasks.get(*task);
            task.is_some_and(|task| task.trigger().is_some())
        };
        if tasks.iter().any(by_event) {
            return false;
        }
        let mut releases = tasks
            .iter()
            .filter_map(|&task| self.tasks.get(task)?.fully_late());
        let first = releases.next();
        releases.all(|release| Some(release) == first)
    }

    /// The first instant at which every task can have a job that is released as late after its
    /// arrival as it may be.
    pub fn latest_first_release(&self) -> Duration {
        let releases = self.tasks.iter().map(|task| task.phase + task.jitter);
        releases.max().unwrap_or_default()
    }

    /// The largest phase of any task.
    pub fn largest_phase(&self) -> Duration {
        self.tasks
            .iter()
            .map(|task| task.phase)
            .max()
            .unwrap_or_default()
    }
}

fn lcm(a: u64, b: u64) -> Option<u64> {
    (a / gcd(a, b)).checked_mul(b)
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a.max(1) } else { gcd(b, a % b) }
}
