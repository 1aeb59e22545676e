//! What came out, as plain data.

use crate::plan::{Policy, Queue};
use crate::stats::Summary;

/// All that was measured in one run.
#[derive(Clone, PartialEq, Debug)]
pub struct Measurements {
    /// On what.
    pub processor: Processor,
    /// The number of CPUs that policies had.
    pub cpus: u8,
    /// How often each quantity was measured.
    pub repetitions: usize,
    /// Whether the program was compiled with optimisation; without, its figures say little.
    pub is_optimised: bool,
    /// What the kernel's work costs.
    pub costs: Vec<Cost>,
    /// What Linux's costs.
    pub linux: Vec<Linux>,
    /// Cache-related delays.
    pub cache: Vec<Delay>,
    /// Why cache misses were not counted, if they were to be and could not.
    pub no_counters: Option<String>,
}

/// The processor and its clock.
#[derive(Clone, PartialEq, Debug)]
pub struct Processor {
    /// What it calls itself.
    pub name: String,
    /// Whether a hypervisor is between it and the operating system.
    pub is_virtual: bool,
    /// How many CPUs this process may use.
    pub cpus: usize,
    /// The operating system and its version.
    pub system: String,
    /// How many millions of times the time-stamp counter counts in a second.
    pub megahertz: f64,
    /// What it costs to read the counter, which is subtracted everywhere, in nanoseconds.
    pub reading: f64,
}

/// A part of the kernel's work.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Quantity {
    /// From one thread's code to another's, without the kernel: the host machine's coroutines.
    ContextSwitch,
    /// From one thread's code to another's by a yield: the call, the decision and the switch.
    Yield,
    /// The same, the mean of many without any reading of the clock in between.
    YieldUntimed,
    /// A running thread's job ends, and it is decided which thread runs: [`Quantity::Call`] and
    /// [`Quantity::Decision`] together.
    Scheduling,
    /// The call that ends a job, as far as the thread does not run any more.
    Call,
    /// The decision behind it: which thread runs, and that it does.
    Decision,
    /// A job is released by an event, and it is decided which thread runs on the CPU of the event.
    WakeUp,
    /// A job is released by the timer's interrupt: the interrupt's handler, divided by the number
    /// of jobs that it releases.
    Release,
    /// A periodic tick at which nothing happens.
    Tick,
    /// A periodic tick with all releases that have come since the last one.
    TickAndReleases,
}

impl Quantity {
    /// All quantities, in the order in which they are listed.
    pub const ALL: [Quantity; 10] = [
        Quantity::ContextSwitch,
        Quantity::Yield,
        Quantity::YieldUntimed,
        Quantity::Scheduling,
        Quantity::Call,
        Quantity::Decision,
        Quantity::WakeUp,
        Quantity::Release,
        Quantity::Tick,
        Quantity::TickAndReleases,
    ];

    /// Its name for programs.
    pub const fn name(self) -> &'static str {
        match self {
            Quantity::ContextSwitch => "context_switch",
            Quantity::Yield => "yield",
            Quantity::YieldUntimed => "yield_untimed",
            Quantity::Scheduling => "scheduling",
            Quantity::Call => "call",
            Quantity::Decision => "decision",
            Quantity::WakeUp => "wake_up",
            Quantity::Release => "release",
            Quantity::Tick => "tick",
            Quantity::TickAndReleases => "tick_and_releases",
        }
    }

    /// Its name for people.
    pub const fn title(self) -> &'static str {
        match self {
            Quantity::ContextSwitch => "context switch",
            Quantity::Yield => "yield",
            Quantity::YieldUntimed => "yield, untimed",
            Quantity::Scheduling => "scheduling",
            Quantity::Call => "  end of a job",
            Quantity::Decision => "  decision",
            Quantity::WakeUp => "wake-up",
            Quantity::Release => "release",
            Quantity::Tick => "tick",
            Quantity::TickAndReleases => "tick and releases",
        }
    }
}

/// What a part of the kernel's work costs.
#[derive(Clone, PartialEq, Debug)]
pub struct Cost {
    /// Under which policy.
    pub policy: Policy,
    /// With which queue.
    pub queue: Queue,
    /// The number of threads, on all CPUs.
    pub threads: usize,
    /// What was measured.
    pub quantity: Quantity,
    /// How long it took.
    pub summary: Summary,
}

/// Something that Linux does.
#[derive(Clone, PartialEq, Debug)]
pub struct Linux {
    /// What.
    pub what: Act,
    /// Under which of its policies.
    pub class: Class,
    /// How long it took, or why it was not measured.
    pub result: Result<Summary, String>,
}

/// What Linux does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Act {
    /// A thread hands over to another one on the same CPU, by a futex.
    Switch,
    /// How late a thread comes that sleeps until an instant.
    Sleep,
    /// From a thread that wakes another one on another CPU by a futex, to that one.
    Wake,
    /// The same by an eventfd.
    Event,
    /// From a call that interrupts another CPU, to when that CPU leaves what it does.
    Interrupt,
}

impl Act {
    /// All of them, in the order in which they are listed.
    pub const ALL: [Act; 5] = [
        Act::Switch,
        Act::Sleep,
        Act::Wake,
        Act::Event,
        Act::Interrupt,
    ];

    /// The policies under which it is measured. An interrupt knows none.
    pub const fn classes(self) -> &'static [Class] {
        match self {
            Act::Interrupt => &[Class::Other],
            Act::Switch | Act::Sleep | Act::Wake | Act::Event => &Class::ALL,
        }
    }

    /// Its name for programs.
    pub const fn name(self) -> &'static str {
        match self {
            Act::Switch => "thread_switch",
            Act::Sleep => "sleep_late_by",
            Act::Wake => "futex_wake_up",
            Act::Event => "eventfd_wake_up",
            Act::Interrupt => "ipi",
        }
    }

    /// Its name for people.
    pub const fn title(self) -> &'static str {
        match self {
            Act::Switch => "thread switch (futex, one CPU)",
            Act::Sleep => "sleep, late by (clock_nanosleep)",
            Act::Wake => "wake-up of another CPU (futex)",
            Act::Event => "wake-up of another CPU (eventfd)",
            Act::Interrupt => "interrupt of another CPU (membarrier)",
        }
    }
}

/// Linux's policies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// `SCHED_OTHER`.
    Other,
    /// `SCHED_FIFO`.
    Fifo,
    /// `SCHED_DEADLINE`.
    Deadline,
}

impl Class {
    /// All of them.
    pub const ALL: [Class; 3] = [Class::Other, Class::Fifo, Class::Deadline];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Class::Other => "SCHED_OTHER",
            Class::Fifo => "SCHED_FIFO",
            Class::Deadline => "SCHED_DEADLINE",
        }
    }
}

/// What happens to a job between its two halves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Interference {
    /// Another one runs, with a working set that fills the caches.
    Preemption,
    /// It goes on on another CPU.
    Migration,
}

impl Interference {
    /// Both.
    pub const ALL: [Interference; 2] = [Interference::Preemption, Interference::Migration];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Interference::Preemption => "preemption",
            Interference::Migration => "migration",
        }
    }
}

/// A cache-related delay.
#[derive(Clone, PartialEq, Debug)]
pub struct Delay {
    /// The working set, in bytes.
    pub bytes: usize,
    /// What happened to the job.
    pub interference: Interference,
    /// By how much it is delayed; `Err`: why nothing was measured.
    pub result: Result<Delayed, String>,
}

/// How much longer a job reads its working set.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Delayed {
    /// The time without interference, in nanoseconds: a median.
    pub warm: f64,
    /// By how much it is longer with interference.
    pub delay: Summary,
    /// How many more misses of the last-level cache there are with interference, if they can be
    /// counted.
    pub misses: Option<f64>,
}

impl Measurements {
    /// What a part of the kernel's work costs.
    pub fn cost(
        &self,
        policy: Policy,
        queue: Queue,
        threads: usize,
        quantity: Quantity,
    ) -> Option<&Summary> {
        let is_it = |cost: &&Cost| {
            (cost.policy, cost.queue, cost.threads, cost.quantity)
                == (policy, queue, threads, quantity)
        };
        self.costs.iter().find(is_it).map(|cost| &cost.summary)
    }

    /// The policies and queues that were measured, in order.
    pub fn kinds(&self) -> Vec<(Policy, Queue)> {
        let mut kinds = Vec::new();
        for cost in &self.costs {
            let kind = (cost.policy, cost.queue);
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        kinds
    }

    /// The numbers of threads that were measured, by rising number.
    pub fn threads(&self) -> Vec<usize> {
        let mut threads: Vec<_> = self.costs.iter().map(|cost| cost.threads).collect();
        threads.sort_unstable();
        threads.dedup();
        threads
    }

    /// What Linux needs for something.
    pub fn linux(&self, what: Act, class: Class) -> Option<&Summary> {
        let is_it = |linux: &&Linux| (linux.what, linux.class) == (what, class);
        self.linux.iter().find(is_it)?.result.as_ref().ok()
    }
}
