//! What is measured, and how often.

use crate::kernel::kinds;
use core::fmt;
use flyball_catalogue::Placement;

/// What is measured, and how often.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// The policies.
    pub policies: Vec<Policy>,
    /// The queues; a policy is measured with those of them that it can have.
    pub queues: Vec<Queue>,
    /// The numbers of threads, each from 1 to [`MOST_THREADS`].
    pub threads: Vec<usize>,
    /// The number of CPUs that global policies have, and among which partitioned ones divide the
    /// threads evenly: 1 to [`MOST_CPUS`].
    pub cpus: u8,
    /// How often each quantity is measured, from 1 to [`MOST_REPETITIONS`].
    pub repetitions: usize,
    /// Whether Linux's own thread switch and wake-ups are measured.
    pub linux: bool,
    /// The working sets of which cache-related delays are measured, in bytes.
    pub working_sets: Vec<usize>,
}

/// The largest number of threads: the tables that are measured have so many rows.
pub const MOST_THREADS: usize = 1024;

/// The largest number of CPUs.
pub const MOST_CPUS: u8 = 8;

/// The largest number of repetitions.
pub const MOST_REPETITIONS: usize = 100_000_000;

/// The numbers of threads for which Gracioli et al. measured (section 5.1), and 1000.
pub const THREADS: [usize; 8] = [5, 15, 25, 50, 75, 100, 125, 1000];

/// The working sets that Gracioli et al. measured lie between 4 KiB and 10 MiB (section 5.3).
pub const WORKING_SETS: [usize; 12] = [
    4 << 10,
    8 << 10,
    16 << 10,
    32 << 10,
    64 << 10,
    128 << 10,
    256 << 10,
    512 << 10,
    1 << 20,
    2 << 20,
    4 << 20,
    10 << 20,
];

impl Default for Plan {
    fn default() -> Plan {
        Plan {
            policies: Policy::USUAL.to_vec(),
            queues: Queue::ALL.to_vec(),
            threads: THREADS.to_vec(),
            cpus: 4,
            repetitions: 200_000,
            linux: true,
            working_sets: WORKING_SETS.to_vec(),
        }
    }
}

/// A policy that is measured: one of the catalogue, by its name. Those that act at instants of
/// their own are not measured ([`Wants::alarms`](flyball_policy::Wants::alarms),
/// [`Wants::bursts`](flyball_policy::Wants::bursts)), nor are clusters and split tasks. Of servers
/// the soft ones are, `cbs`: a thread has one of its own with a budget as long as its period, so that none is used up.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Policy(&'static str);

impl Policy {
    /// Global earliest deadline first.
    pub const GLOBAL_EDF: Policy = Policy("g-edf");
    /// Partitioned earliest deadline first.
    pub const PARTITIONED_EDF: Policy = Policy("p-edf");
    /// Global fixed priorities.
    pub const GLOBAL_FP: Policy = Policy("g-fp");

    /// Those that are measured where none is asked for.
    pub const USUAL: [Policy; 6] = [
        Policy::GLOBAL_EDF,
        Policy::PARTITIONED_EDF,
        Policy("g-rm"),
        Policy("p-rm"),
        Policy::GLOBAL_FP,
        Policy("p-fp"),
    ];

    /// All that can be measured, in the order of the catalogue.
    pub fn all() -> impl Iterator<Item = Policy> {
        let measured = flyball_catalogue::entries().filter(|entry| kinds::is_measured(entry));
        measured.map(|entry| Policy(entry.name))
    }

    /// Its name on the command line and in files.
    pub const fn name(self) -> &'static str {
        self.0
    }

    /// The policy of that name.
    pub fn find(name: &str) -> Option<Policy> {
        Policy::all().find(|policy| policy.name() == name)
    }

    /// Whether all CPUs share one queue.
    pub fn is_global(self) -> bool {
        let entry = flyball_catalogue::find(self.0);
        entry.is_some_and(|entry| entry.placement == Placement::Global)
    }

    /// The queues that it can have, the one that suits it best first.
    pub fn queues(self) -> Vec<Queue> {
        flyball_catalogue::find(self.0).map_or(Vec::new(), kinds::queues)
    }
}

/// How ready threads are kept.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Queue {
    /// A sorted array, as a ring.
    Ring,
    /// A binary heap.
    Heap,
    /// A list for each priority, and a bit for each list.
    Bitmap,
    /// A calendar of small heaps.
    Calendar,
    /// A sorted list, as EPOS has it.
    List,
    /// What the policy has of its own.
    Own,
}

impl Queue {
    /// All queues.
    pub const ALL: [Queue; 6] = [
        Queue::Ring,
        Queue::Heap,
        Queue::Bitmap,
        Queue::Calendar,
        Queue::List,
        Queue::Own,
    ];

    /// Its name on the command line and in files.
    pub const fn name(self) -> &'static str {
        match self {
            Queue::Ring => "ring",
            Queue::Heap => "heap",
            Queue::Bitmap => "bitmap",
            Queue::Calendar => "calendar",
            Queue::List => "list",
            Queue::Own => "own",
        }
    }

    /// The queue of that name.
    pub fn find(name: &str) -> Option<Queue> {
        Queue::ALL.into_iter().find(|queue| queue.name() == name)
    }
}

/// Why a plan cannot be carried out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlanError {
    /// No number of threads, or no policy, is asked for.
    Nothing(&'static str),
    /// A number of threads that there is no room for.
    Threads(usize),
    /// A number of CPUs that there cannot be.
    Cpus(u8),
    /// A number of repetitions that there cannot be.
    Repetitions(usize),
    /// A policy that can have none of the queues.
    Queues(Policy),
    /// A working set that is empty, or larger than 1 GiB.
    WorkingSet(usize),
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlanError::Nothing(what) => write!(f, "there is nothing to measure: no {what}"),
            PlanError::Threads(threads) => {
                write!(
                    f,
                    "{threads} threads: from 1 to {MOST_THREADS} can be measured"
                )
            }
            PlanError::Cpus(cpus) => {
                write!(f, "{cpus} CPUs: from 1 to {MOST_CPUS} can be measured")
            }
            PlanError::Repetitions(repetitions) => write!(
                f,
                "{repetitions} repetitions: there can be from 1 to {MOST_REPETITIONS}"
            ),
            PlanError::Queues(policy) => {
                write!(f, "{} can have none of these queues, only ", policy.name())?;
                let queues = policy.queues();
                for (number, queue) in queues.iter().enumerate() {
                    f.write_str(match queues.len() - number {
                        _ if number == 0 => "",
                        1 => " and ",
                        _ => ", ",
                    })?;
                    f.write_str(queue.name())?;
                }
                Ok(())
            }
            PlanError::WorkingSet(bytes) => write!(
                f,
                "a working set of {bytes} bytes: from 64 bytes to 1 GiB can be measured"
            ),
        }
    }
}

impl core::error::Error for PlanError {}

impl Plan {
    /// Whether all of it can be measured.
    ///
    /// # Errors
    /// The first thing that cannot.
    pub fn check(&self) -> Result<(), PlanError> {
        if self.policies.is_empty() {
            return Err(PlanError::Nothing("policy"));
        }
        if self.threads.is_empty() {
            return Err(PlanError::Nothing("number of threads"));
        }
        let is_too_many = |&&threads: &&usize| !(1..=MOST_THREADS).contains(&threads);
        if let Some(&threads) = self.threads.iter().find(is_too_many) {
            return Err(PlanError::Threads(threads));
        }
        if !(1..=MOST_CPUS).contains(&self.cpus) {
            return Err(PlanError::Cpus(self.cpus));
        }
        if !(1..=MOST_REPETITIONS).contains(&self.repetitions) {
            return Err(PlanError::Repetitions(self.repetitions));
        }
        let is_bare = |policy: &&Policy| self.queues_of(**policy).next().is_none();
        if let Some(&policy) = self.policies.iter().find(is_bare) {
            return Err(PlanError::Queues(policy));
        }
        let is_odd = |&&bytes: &&usize| !(64..=1 << 30).contains(&bytes);
        if let Some(&bytes) = self.working_sets.iter().find(is_odd) {
            return Err(PlanError::WorkingSet(bytes));
        }
        Ok(())
    }

    /// The queues that a policy is measured with, the one that suits it best first.
    pub fn queues_of(&self, policy: Policy) -> impl Iterator<Item = Queue> + '_ {
        let queues = policy.queues().into_iter();
        queues.filter(|queue| self.queues.contains(queue))
    }

    /// How many of `threads` one queue keeps under `policy`.
    pub fn share(&self, policy: Policy, threads: usize) -> usize {
        if policy.is_global() {
            threads
        } else {
            threads.div_ceil(usize::from(self.cpus))
        }
    }
}
