//! One kernel entry: what the core decides at its end, done by this processor.

use crate::clock::Clock;
use crate::config::MachineConfig;
use crate::context::{Context, Switch};
use core::ops::Range;
use flyball_kernel::{Config, Core, Entry, Rest};
use flyball_policy::{CpuId, Storage, Table, TaskId, Time};
use flyball_trace::Sink;

/// The only CPU.
pub(crate) const CPU: CpuId = CpuId(0);

/// The core, and what the machine adds to it.
///
/// As in [`Core`], what is small and looked at often comes first.
#[repr(C)]
pub(crate) struct State<C: MachineConfig> {
    /// Whether threads may run.
    pub(crate) started: bool,
    pub(crate) clock: Clock<C::Board>,
    /// What the timer is set to.
    pub(crate) armed: Time,
    pub(crate) core: Core<C>,
    pub(crate) contexts: Contexts<C>,
    /// The context of `main`, which sleeps for ever.
    pub(crate) idle: Context,
}

pub(crate) type Contexts<C> = <<C as Config>::Threads as Storage>::Table<Context>;

impl<C: MachineConfig> State<C> {
    /// The state of a machine that starts now.
    pub(crate) fn new(core: Core<C>) -> State<C> {
        State {
            core,
            clock: Clock::start(),
            contexts: Table::new(0, Context::default()),
            idle: Context::default(),
            armed: Time::ZERO,
            started: false,
        }
    }

    /// The time, if there is a trace.
    #[inline(always)]
    pub(crate) fn now_to_trace(&mut self) -> Time {
        if C::Trace::ENABLED {
            self.clock.now()
        } else {
            Time::ZERO
        }
    }

    /// An entry from outside all threads: `f` does what was asked, and then it is decided which
    /// thread runs.
    pub(crate) fn enter_and_end<R>(
        &mut self,
        switch: &mut Switch,
        f: impl FnOnce(&mut Core<C>, &mut Contexts<C>, &mut Switch, Time) -> R,
    ) -> R {
        let entry = self.enter(true);
        let result = f(&mut self.core, &mut self.contexts, switch, entry.now());
        let (needs_more, rest) = self.end(switch, entry);
        if needs_more {
            self.more(switch, rest);
        }
        result
    }

    /// Whether an entry may end without a decision. A small image saves the question.
    #[inline(always)]
    pub(crate) fn is_settled(&self) -> bool {
        !cfg!(feature = "small") && !Core::<C>::MARKS_TIME && self.core.is_settled(CPU)
    }

    /// Begins an entry. `timed`: the event tells the kernel the time.
    #[inline(always)]
    pub(crate) fn enter(&mut self, timed: bool) -> Entry {
        let clock = &mut self.clock;
        Entry::begin(&mut self.core, CPU, timed, || clock.now())
    }

    /// Ends an entry. Returns whether there is [more](State::more) to do, as there is whenever the
    /// CPU idles, and what.
    #[cfg_attr(feature = "small", inline(never))]
    #[cfg_attr(not(feature = "small"), inline(always))]
    pub(crate) fn end(&mut self, switch: &mut Switch, entry: Entry) -> (bool, Rest) {
        // Before the start there is no thread to go back to.
        if C::CHECKS && !self.started {
            let rest = entry.cancel();
            return (false, rest);
        }
        let decided = entry.decide(&mut self.core);
        let mut idles = false;
        if decided.is_new() {
            match decided.run() {
                Some(task) => switch.change_to(&raw mut self.contexts[task.index()]),
                None => idles = true,
            }
        }
        let clock = &mut self.clock;
        let next = decided.leave(&mut self.core, || clock.now());
        (idles || next.rest.is_needed(&self.core), next.rest)
    }

    /// Whose stack that is, if it is a thread's.
    pub(crate) fn owner(&self, stack: &Range<*mut u32>) -> Option<TaskId> {
        let mut numbers = 0..self.contexts.capacity();
        let found = numbers.find(|&number| self.contexts[number].stack() == *stack)?;
        u16::try_from(found).ok().map(TaskId)
    }

    /// Does what is rarely to be done at the end of an entry. Returns whether the CPU idles.
    #[cold]
    #[inline(never)]
    pub(crate) fn more(&mut self, switch: &mut Switch, rest: Rest) -> bool {
        let more = rest.take(&mut self.core);
        if more.restart
            && let Some(task) = self.core.running_task(CPU)
        {
            let context = &mut self.contexts[task.index()];
            // SAFETY: interrupts are masked, and the thread has its stack for itself.
            unsafe { context.restart(switch) };
            switch.change_to(&raw mut *context);
        }
        if let Some(next) = more.timer
            && next != self.armed
        {
            self.armed = next;
            self.clock.set_timer(next);
        }
        self.core.running_task(CPU).is_none()
    }
}
