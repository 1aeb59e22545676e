//! The kernel core: a pure state machine.
//!
//! As a *sans-I/O* protocol stack takes bytes and returns bytes, this core takes events and
//! returns decisions. It knows no hardware: no registers, no timer, no interrupt controller. A
//! *machine* brings those. On a microcontroller the machine is the context switch and a one-shot
//! timer; in the simulator it is a clock that jumps. Both drive the same core, so what is simulated
//! is the kernel that boots.
//!
//! ```text
//!   events                        Core                       decisions
//!   a thread calls `wait`   -->  +--------------------+
//!   the timer fires         -->  | threads, releases, |  --> which thread this CPU runs (`Next`)
//!   an interrupt signals    -->  | waiting, policy    |  --> when to set the timer (`next_timer`)
//!                                +--------------------+
//! ```
//!
//! # How a machine drives it
//!
//! By kernel entries ([`entry`]), each of which is a value:
//!
//! 1. [`Entry::begin`] stops the clock of the thread that ran.
//! 2. Any number of events: a call of the running thread ([`Core::lock`], [`Core::wait_next`], …),
//!    [`Core::timer`] if the timer is due, signals from interrupts. All releases that are due at
//!    one instant are made by one [`Core::timer`], before a thread is picked.
//! 3. [`Entry::end`] decides which thread runs, and starts the clock of that thread. It returns
//!    what follows, [`Next`]: the thread, the CPUs to interrupt, and what is rare: the thread
//!    begins anew, as its job was given up; a timer is to be set.
//!
//! Then the machine returns to that thread.
//!
//! A call that may block returns [`Poll::Ready`](core::task::Poll::Ready) if the thread goes on,
//! and [`Poll::Pending`](core::task::Poll::Pending) if it has to wait; when it is dispatched again,
//! [`Core::outcome`] tells how the wait ended.
//!
//! | to find | look in |
//! |---|---|
//! | the choices made when a kernel is compiled | [`config`] |
//! | one kernel entry, from its beginning to its consequences | [`entry`] |
//! | timer, decision | `schedule` |
//! | CPU time | `cpu_time`, and [`stamp`] for how the clock is read |
//! | what the processor counts while a thread runs | `counts` |
//! | spawn, exit, join, sleep, yield | `lifecycle` |
//! | a thread moves to another core | `migrate` |
//! | what must hold between any two events, checked with the feature `audit` | `audit` |
//! | what controllers act on: the cores of several CPUs | `plant` |
//! | releases, deadlines, misses | `release` and `jobs` |
//! | jobs that messages and signals release | `trigger` |
//! | what happens at which instant | `alarms` |
//! | blocking, waking, timing out | `wait` |
//! | where mutexes, semaphores and condition variables are | `objects` |
//! | mutexes | `mutex` |
//! | priority inheritance | `inheritance` |
//! | priority ceilings | `ceiling` |
//! | semaphores, condition variables, message queues | `semaphore`, `condition`, `queue` |
//! | what queues carry | `message` |
//!
//! Everything lives in tables of fixed size: no heap, no recursion, no floating point, no unsafe
//! code. What can go wrong is an [`Error`].
#![cfg_attr(
    feature = "small",
    allow(
        clippy::inline_always,
        reason = "found by trying: the compiler guesses otherwise"
    )
)]
#![cfg_attr(not(test), no_std)]

mod budget;
pub mod config;
mod counts;
pub mod entry;
mod error;

mod alarms;
#[cfg(any(test, feature = "audit"))]
mod audit;
mod ceiling;
mod condition;
mod cpu_time;
mod inheritance;
mod jobs;
mod lifecycle;
mod message;
mod migrate;
mod mutex;
mod objects;
mod owned;
mod plant;
mod queue;
mod release;
mod schedule;
mod semaphore;
pub mod stamp;
#[cfg(test)]
mod tests;
mod thread;
mod trigger;
mod wait;

pub use ceiling::Ceilings;
pub use condition::ConditionId;
pub use config::{Config, Sizes, Timing};
pub use entry::{Decided, Entry, More, Next, Rest};
pub use error::Error;
pub use flyball_multicore::{State, Word};
pub use flyball_trace::GaugeKind;
pub use jobs::{OnMiss, Release};
pub use message::Message;
pub use migrate::{Migrant, MigrantOf};
pub use mutex::{MutexId, Protocol};
pub use objects::{At, InMemory, Numbered, ObjectStore, PlaceOf, about};
pub use plant::{CorePlant, Cores};
pub use queue::{GaugeId, QueueId};
pub use semaphore::SemaphoreId;
pub use stamp::{Clock, Stamp};
pub use thread::{Attributes, ThreadId};
pub use trigger::Trigger;

#[cfg(not(feature = "small"))]
use alarms::Alarms;
#[cfg(feature = "small")]
use alarms::searched::Alarms;
use budget::Server;
use flyball_policy::queue::links::{Links, List};
use flyball_policy::{CpuSet, Excess, Policy, Resched, Storage, Table};
use flyball_trace::{CpuId, Duration, Event, Kind, Sink, Speed, TaskId, Time};
use jobs::{Arrivals, Jobs};
use owned::Owned;
use queue::Queue;
use schedule::Cpu;
use thread::Thread;

/// A kernel for one cluster of CPUs: one policy, one set of tables.
///
/// What is small and looked at often comes first: a processor reaches it with one load or store.
#[repr(C)]
pub struct Core<C: Config> {
    cpus: TableOf<C::Cpus, Cpu<C::Stamp>>,
    /// How many threads have to begin their programs anew when they run.
    restarts: u16,
    /// How many queues release jobs.
    inboxes: u16,
    /// Threads that do not exist.
    free: List,
    objects: C::Objects,
    queues: Objects<C::Queues, Queue>,
    trace: C::Trace,
    policy: C::Policy,
    /// Lists of waiting threads, and the list of those that do not exist.
    links: Links<C::Threads>,
    timing: Timing,
    /// In [`Timing::Tick`]: when the next tick comes.
    next_tick: Time,
    ticks: u64,
    alarms: Alarms<C::Threads>,
    /// Where each thread has the message that it has received, or waits with until there is room.
    hands: TableOf<C::Threads, HandOf<C>>,
    threads: TableOf<C::Threads, Thread<PlaceOf<C>>>,
    jobs: TableOf<C::Jobs, Jobs<PlaceOf<C>>>,
    arrivals: Arrivals<C::Arrivals>,
    /// The CPU time that each thread has used so far, in ticks.
    used: TableOf<C::Accounts, u64>,
    /// Room for the messages of all queues, each queue having a stretch of its own.
    messages: Objects<C::Messages, C::Message>,
    /// Deadlines missed so far, by all threads.
    misses: u64,
    /// Of the last overload that the policy has refused, see [`Core::refusal`].
    excess: Excess,
    /// Of several CPUs, those that have to decide: all whose `look` is not zero.
    asking: CpuSet,
    /// Of several CPUs, those that idle with a thread's registers.
    vacant: CpuSet,
    /// In tables for many threads, the CPU that each thread was picked on last: so those CPUs need not be looked through.
    homes: TableOf<<C::Threads as Storage>::ForMany, CpuId>,
    /// When the timer of each CPU was set, where bursts end.
    timers: TableOf<C::Cpus, C::Stamp>,
    budgets: TableOf<C::Budgets, Server<PlaceOf<C>>>,
    counts: TableOf<C::Counts, counts::Counted>,
    /// What the policy keeps with each queue, if it wants to know how many messages they hold.
    notes: TableOf<C::Queues, u16>,
    /// The operating point of each CPU; [`schedule::UNKNOWN`]: none has been told.
    speeds: TableOf<C::Cpus, Speed>,
    /// How many mutexes, semaphores and condition variables in memory the trace has seen.
    seen: [u16; 3],
    /// The priority ceiling of each thread that has one, and since when.
    ceilings: TableOf<C::Ceilings, ceiling::Row<<C::Policy as Policy>::Params>>,
    /// Which mutexes in memory threads own whose late jobs are given up.
    owned: TableOf<C::Owned, Owned<PlaceOf<C>>>,
    /// How many rows of these are taken or will be.
    reserved: u16,
}

/// What a thread has in hand while it waits at a queue.
pub(crate) type HandOf<C> = <<C as Config>::Message as Message>::Hand;

type TableOf<S, T> = <S as Storage>::Table<T>;

/// Ids of objects as plain numbers, for callers that keep them where only numbers can be kept.
macro_rules! numbered {
    ($($id:ident),*) => {$(
        impl $id {
            /// The number of the object among those of its kind.
            #[inline]
            pub const fn number(self) -> u16 {
                self.0
            }

            /// The object of a number. Calls that name one that there is not say
            /// [`Error::Unknown`].
            #[inline]
            pub const fn from_number(number: u16) -> $id {
                $id(number)
            }
        }
    )*};
}

numbered!(MutexId, SemaphoreId, ConditionId, QueueId);

/// A table that is filled from the front and never emptied: objects are made at the start of a
/// program and stay.
struct Objects<S: Storage, T> {
    rows: TableOf<S, T>,
    made: u16,
}

impl<S: Storage, T: Copy + Default> Objects<S, T> {
    fn new(capacity: usize) -> Objects<S, T> {
        Objects {
            rows: Table::new(capacity, T::default()),
            made: 0,
        }
    }

    /// Takes the next `count` rows; returns the number of the first.
    fn make(&mut self, count: u16) -> Result<u16, Error> {
        take_rows(&mut self.made, count, self.rows.capacity())
    }

    #[inline]
    fn get_row(&mut self, row: usize) -> Result<&mut T, Error> {
        self.rows.find_mut(row).ok_or(Error::Unknown)
    }

    #[inline]
    fn find(&self, number: u16, checked: bool) -> Result<&T, Error> {
        if checked && number >= self.made {
            return Err(Error::Unknown);
        }
        self.rows.find(usize::from(number)).ok_or(Error::Unknown)
    }

    fn look(&self, number: u16) -> Result<&T, Error> {
        if number < self.made {
            Ok(&self.rows[usize::from(number)])
        } else {
            Err(Error::Unknown)
        }
    }

    /// The object of a number, which need not exist if `checked`.
    #[inline]
    fn get(&mut self, number: u16, checked: bool) -> Result<&mut T, Error> {
        if checked && number >= self.made {
            return Err(Error::Unknown);
        }
        self.rows
            .find_mut(usize::from(number))
            .ok_or(Error::Unknown)
    }
}

/// Of `capacity` rows, the next `count` behind those that have been `made`.
#[inline(never)]
fn take_rows(made: &mut u16, count: u16, capacity: usize) -> Result<u16, Error> {
    let first = *made;
    match first.checked_add(count) {
        Some(end) if usize::from(end) <= capacity => {
            *made = end;
            Ok(first)
        }
        _ => Err(Error::Full),
    }
}

impl<C: Config> Core<C> {
    /// A kernel in which nothing runs yet. Tables whose size is not part of their type get the
    /// size that `sizes` says. The clock starts at [`Time::ZERO`].
    ///
    /// A [`Timing::Tick`] of length zero, or without [`Config::TICKS`], is taken for
    /// [`Timing::Tickless`].
    pub fn new(policy: C::Policy, trace: C::Trace, timing: Timing, sizes: &Sizes) -> Core<C> {
        let mut links = Links::new(sizes.threads);
        let mut free = List::EMPTY;
        for row in 0..links.capacity().min(policy.capacity()) {
            if let Ok(row) = u16::try_from(row) {
                links.push_back(&mut free, TaskId(row));
            }
        }
        let timing = match timing {
            Timing::Tick(length) if length.is_zero() || !C::TICKS => Timing::Tickless,
            timing => timing,
        };
        Core {
            policy,
            trace,
            timing,
            next_tick: match timing {
                Timing::Tick(length) => Time::ZERO + length,
                Timing::Tickless => Time::NEVER,
            },
            threads: Table::new(sizes.threads, Thread::default()),
            hands: Table::new(sizes.threads, HandOf::<C>::default()),
            free,
            links,
            jobs: Table::new(sizes.threads, Jobs::default()),
            alarms: Alarms::new(sizes.threads),
            restarts: 0,
            inboxes: 0,
            used: Table::new(sizes.threads, 0),
            arrivals: Arrivals::new(sizes.arrivals),
            cpus: Table::new(sizes.cpus, Cpu::new()),
            timers: Table::new(sizes.cpus, C::Stamp::default()),
            misses: 0,
            ticks: 0,
            excess: Excess::LEAST,
            asking: CpuSet::EMPTY,
            vacant: CpuSet::EMPTY,
            homes: Table::new(sizes.threads, CpuId(0)),
            objects: C::Objects::new(sizes),
            seen: [0; 3],
            owned: Table::new(0, Owned::NONE),
            ceilings: Table::new(sizes.threads, ceiling::Row::NONE),
            reserved: 0,
            queues: Objects::new(sizes.queues),
            messages: Objects::new(sizes.messages),
            budgets: Table::new(sizes.threads, Server::default()),
            counts: Table::new(sizes.threads, counts::Counted::default()),
            notes: Table::new(sizes.queues, 0),
            speeds: Table::new(sizes.cpus, schedule::UNKNOWN),
        }
    }

    /// The policy.
    pub fn policy(&self) -> &C::Policy {
        &self.policy
    }

    /// The sink that the events go to.
    pub fn trace(&mut self) -> &mut C::Trace {
        &mut self.trace
    }

    /// Ends the kernel and gives back the sink, with all that it took.
    pub fn into_trace(self) -> C::Trace {
        self.trace
    }

    /// The CPUs that have to decide. The CPU that the kernel runs on does so by itself; the machine
    /// interrupts the others.
    pub fn resched(&self) -> Resched {
        let asking = self.resched_cpus();
        match asking.first_from(CpuId(0)) {
            None => Resched::None,
            Some(cpu) if asking == CpuSet::EMPTY.with(cpu) => Resched::One(cpu),
            Some(_) => Resched::Many(asking),
        }
    }

    /// The same, as a set. O(1).
    #[inline]
    pub fn resched_cpus(&self) -> CpuSet {
        let first = CpuId(0);
        match self.is_alone() {
            true if self.needs_resched(first) => CpuSet::EMPTY.with(first),
            true => CpuSet::EMPTY,
            false => self.asking,
        }
    }

    /// Whether the cluster has a single CPU: what is for several ones is left out then, and by the
    /// compiler where the table of CPUs has a row.
    #[inline]
    fn is_alone(&self) -> bool {
        self.cpus.capacity() == 1
    }

    /// How many deadlines have been missed so far.
    pub fn misses(&self) -> u64 {
        self.misses
    }

    /// How many times controllers of the policy have run ([`Policy::control_runs`]).
    pub fn control_runs(&self) -> u32 {
        self.policy.control_runs()
    }

    /// How many periodic ticks there have been.
    pub fn ticks(&self) -> u64 {
        self.ticks
    }

    /// From now on the periodic tick has this length. The next tick comes so long after the last one; if that is over, at
    /// once. Time stays as it is, so nothing comes early by that. The policy is not told: what it has been given of the old length
    /// (the shortest budget that `tick_rule = "deny"` allows) stays.
    ///
    /// # Errors
    /// [`Error::Invalid`] if there is no tick, or for a length of zero.
    #[cold]
    pub fn set_tick(&mut self, length: Duration) -> Result<(), Error> {
        let old = self.tick().filter(|_| !length.is_zero());
        let old = old.ok_or(Error::Invalid)?;
        self.timing = Timing::Tick(length);
        self.next_tick = self.next_tick - old + length;
        self.cpus[0].set(schedule::work::TIMER);
        Ok(())
    }

    /// The length of the periodic tick, if there is one.
    #[inline]
    pub fn tick(&self) -> Option<Duration> {
        match self.timing {
            Timing::Tick(length) if C::TICKS => Some(length),
            _ => None,
        }
    }

    /// What is known of a CPU.
    ///
    /// # Panics
    /// With [`Config::CHECKS`], if the cluster has no such CPU.
    #[inline]
    fn cpu(&self, cpu: CpuId) -> &Cpu<C::Stamp> {
        assert!(
            !C::CHECKS || cpu.index() < self.cpus.capacity(),
            "no such CPU"
        );
        &self.cpus[cpu.index()]
    }

    /// As [`Core::cpu`], to be changed.
    #[inline]
    fn cpu_mut(&mut self, cpu: CpuId) -> &mut Cpu<C::Stamp> {
        assert!(
            !C::CHECKS || cpu.index() < self.cpus.capacity(),
            "no such CPU"
        );
        &mut self.cpus[cpu.index()]
    }

    fn emit(&mut self, time: Time, cpu: CpuId, kind: Kind) {
        if C::Trace::ENABLED {
            self.trace.record(Event { time, cpu, kind });
        }
    }

    /// The CPUs that `resched` names have to decide.
    ///
    /// # Panics
    /// With [`Config::CHECKS`], if the policy names a CPU that the cluster does not have.
    #[inline]
    fn attend(&mut self, resched: Resched) {
        if self.is_alone() {
            if C::CHECKS
                && let Resched::One(cpu) = resched
            {
                self.cpu(cpu);
            }
            if resched != Resched::None {
                self.cpus[0].look = 1;
            }
            return;
        }
        match resched {
            Resched::None => {}
            Resched::One(cpu) => {
                self.cpu_mut(cpu).look = 1;
                self.asking = self.asking.with(cpu);
            }
            Resched::Many(set) => {
                for cpu in set.iter() {
                    self.cpu_mut(cpu).look = 1;
                }
                self.asking = self.asking.union(set);
            }
        }
    }
}
