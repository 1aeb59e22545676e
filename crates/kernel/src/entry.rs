//! One kernel entry, as a value.
//!
//! Whenever a CPU works for the kernel, on whatever machine, it does so in this order, which is
//! written here and nowhere else:
//!
//! ```text
//!   Entry::begin      the clock of the thread that ran stops
//!     events          a call of that thread, Core::timer, what handlers of interrupts signal and release
//!   Entry::decide     which thread runs is decided, if it has to be                 -> Decided
//!   Decided::leave    the clock of the thread that runs starts                      -> Next
//! ```
//!
//! Each step consumes what the one before has returned, so none is left out, done twice, or done in
//! another order. What a machine has to do then is a value, [`Next`], and no side effect (as in the
//! kernel of Hubris, whose `NextTask` is the model): which thread runs, which other CPUs have to be
//! interrupted, and in [`Next::rest`] what is rare: a program that begins anew, and timers. What is
//! rare is computed only when it is taken, so that a call after which nothing changes pays one
//! comparison.
//!
//! An entry that cannot decide ends otherwise: before scheduling has started, or in the handler of
//! an interrupt, after which the CPU enters once more ([`Entry::defer`], [`Entry::cancel`]).
//!
//! Where one CPU belongs to one core, which one an entry is for is its [`CpuId`] alone: a machine
//! with several cores passes the same one to each step.

#![expect(
    clippy::inline_always,
    reason = "a call and a return cost as much as the decision itself"
)]

use crate::Core;
use crate::config::Config;
use crate::schedule::Decision;
use crate::stamp::Clock;
use flyball_policy::CpuSet;
use flyball_trace::{CpuId, Sink, Speed, TaskId, Time};

/// A CPU works for the kernel.
#[derive(Debug)]
#[must_use = "what has entered the kernel decides, or says why it cannot"]
pub struct Entry {
    cpu: CpuId,
    now: Time,
}

/// A CPU works for the kernel, and which thread runs next has been decided.
#[derive(Debug)]
#[must_use = "a CPU that has decided leaves the kernel"]
pub struct Decided {
    entry: Entry,
    decision: Decision,
    is_new: bool,
}

/// What follows from a kernel entry. The machine does all of it.
#[derive(PartialEq, Eq, Debug)]
#[must_use = "the machine has to do it"]
pub struct Next {
    /// The thread that runs on this CPU; `None`: it idles.
    pub run: Option<TaskId>,
    /// Whether that has been decided anew. Otherwise the CPU goes on with what it did.
    pub is_new: bool,
    /// Whether it is another thread than the one that ran here last, so that registers have to be
    /// changed. Idleness has no registers: going idle, and coming back to the same thread, is no
    /// switch.
    pub switch: bool,
    /// The other CPUs of the cluster that have to enter the kernel, and are interrupted for that.
    pub interrupt: CpuSet,
    /// What is rarely to be done.
    pub rest: Rest,
}

/// What is rarely to be done after a kernel entry: [`Rest::is_needed`] tells whether anything is,
/// and [`Rest::take`] what.
#[derive(PartialEq, Eq, Debug)]
pub struct Rest(CpuId);

/// See [`Rest`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use = "the machine has to do it"]
pub struct More {
    /// The job of the thread that runs was given up: its program begins anew, with its next job.
    pub restart: bool,
    /// When the timer of this CPU has to fire, if that may be earlier than was last told, or it has
    /// fired; [`Time::NEVER`]: not at all. It may be in the past: at once, then.
    pub timer: Option<Time>,
    /// The same as `timer` of [`Core::TIMEKEEPER`], whose timer is for all CPUs of the cluster, if it is
    /// another one than this.
    pub timekeeper: Option<Time>,
}

impl Entry {
    /// Begins: stops the clock of the thread that ran on `cpu`, where CPU time is counted. The entry is at the instant that the machine's `clock` shows if the
    /// event is `timed`, as it tells the kernel the time, or everything is
    /// ([`Core::READS_CLOCK`]); otherwise it is at [`Time::ZERO`].
    #[inline(always)]
    pub fn begin<C: Config>(
        core: &mut Core<C>,
        cpu: CpuId,
        timed: bool,
        mut clock: impl Clock<C::Stamp>,
    ) -> Entry {
        let told = timed || Core::<C>::READS_CLOCK;
        if !told && !Core::<C>::COUNTS {
            return Entry::instant(cpu, Time::ZERO);
        }
        let stamp = clock.stamp();
        core.enter(cpu, stamp);
        let now = if told { clock.time(stamp) } else { Time::ZERO };
        Entry { cpu, now }
    }

    /// Begins an entry during which no time passes, on a machine whose clock is virtual: there is
    /// no time of the kernel's to be told apart.
    #[inline(always)]
    pub fn instant(cpu: CpuId, now: Time) -> Entry {
        Entry { cpu, now }
    }

    /// The CPU.
    #[inline(always)]
    pub fn cpu(&self) -> CpuId {
        self.cpu
    }

    /// When it began.
    #[inline(always)]
    pub fn now(&self) -> Time {
        self.now
    }

    /// Decides which thread runs, if it has to be decided anew.
    #[inline(always)]
    pub fn decide<C: Config>(self, core: &mut Core<C>) -> Decided {
        let is_new = core.needs_resched(self.cpu);
        let decision = core.decide(self.cpu, self.now);
        Decided {
            entry: self,
            decision,
            is_new,
        }
    }

    /// Ends: [`Entry::decide`] and [`Decided::leave`] in one.
    #[inline(always)]
    pub fn end<C: Config>(self, core: &mut Core<C>, clock: impl Clock<C::Stamp>) -> Next {
        self.decide(core).leave(core, clock)
    }

    /// Ends without a decision, as this CPU is going to enter the kernel once more before a thread
    /// runs on it: it serves an interrupt, or scheduling has not started. Nothing of [`Next::rest`]
    /// need be done, as the next entry says so again.
    #[inline(always)]
    pub fn defer<C: Config>(self, core: &mut Core<C>, clock: impl Clock<C::Stamp>) -> Next {
        let decision = Decision {
            run: core.running_task(self.cpu),
            switch: false,
        };
        let decided = Decided {
            entry: self,
            decision,
            is_new: false,
        };
        decided.leave(core, clock)
    }

    /// Ends as if it had not been, but for its events: of an [instant](Entry::instant), with
    /// nothing to decide; or before scheduling has started, when time is nobody's. Of the
    /// rest nothing need be done, as of [`Entry::defer`].
    #[inline(always)]
    pub fn cancel(self) -> Rest {
        Rest(self.cpu)
    }
}

impl Decided {
    /// The thread that runs; `None`: the CPU idles.
    #[inline(always)]
    pub fn run(&self) -> Option<TaskId> {
        self.decision.run
    }

    /// As [`Next::is_new`].
    #[inline(always)]
    pub fn is_new(&self) -> bool {
        self.is_new
    }

    /// As [`Next::switch`].
    #[inline(always)]
    pub fn switch(&self) -> bool {
        self.decision.switch
    }

    /// As [`More::restart`].
    #[inline]
    pub fn restart<C: Config>(&self, core: &Core<C>) -> bool {
        core.will_restart(self.entry.cpu)
    }

    /// The operating point at which this CPU is to run from now on, if it is another one than was
    /// last told. It is told once. The machine goes over to it before the kernel is left, so that
    /// what that takes is the kernel's time.
    #[inline]
    pub fn take_speed<C: Config>(&self, core: &mut Core<C>) -> Option<Speed> {
        core.take_speed(self.entry.cpu)
    }

    /// The CPU goes back to what was decided: starts its clock. The machine's `clock` is read if
    /// the kernel has use for it ([`Core::MARKS_TIME`]).
    #[inline(always)]
    pub fn leave<C: Config>(self, core: &mut Core<C>, mut clock: impl Clock<C::Stamp>) -> Next {
        let Decided {
            entry: Entry { cpu, .. },
            decision: Decision { run, switch },
            is_new,
        } = self;
        #[cfg(feature = "audit")]
        core.audit();
        if Core::<C>::MARKS_TIME {
            let stamp = clock.stamp();
            core.leave(cpu, stamp);
            if C::Trace::ENABLED {
                core.announce(cpu, clock.time(stamp));
            }
        }
        Next {
            run,
            is_new,
            switch,
            interrupt: core.others_to_interrupt(cpu),
            rest: Rest(cpu),
        }
    }
}

impl Rest {
    /// The CPU that left the kernel.
    #[inline(always)]
    pub fn cpu(&self) -> CpuId {
        self.0
    }

    /// Whether there is anything.
    #[inline(always)]
    pub fn is_needed<C: Config>(&self, core: &Core<C>) -> bool {
        core.has_more(self.0)
    }

    /// What there is; it is told once.
    #[inline]
    pub fn take<C: Config>(self, core: &mut Core<C>, mut clock: impl Clock<C::Stamp>) -> More {
        core.more(self.0, &mut clock)
    }
}
