//! One passage through the kernel.

use crate::clock::Clock;
use crate::config::MachineConfig;
use crate::context::{Context, Switch};
use core::ops::Range;
use flyball_kernel::{Config, Core};
use flyball_policy::{CpuId, Storage, Table, TaskId, Time};
use flyball_trace::Sink;

/// The only CPU.
pub(crate) const CPU: CpuId = CpuId(0);

/// The core, and what the machine adds to it.
pub(crate) struct State<C: MachineConfig> {
    pub(crate) core: Core<C>,
    pub(crate) clock: Clock<C::Board>,
    pub(crate) contexts: Contexts<C>,
    /// The context of `main`, which sleeps for ever.
    pub(crate) idle: Context,
    /// What the timer is set to.
    pub(crate) armed: Time,
    /// Whether threads may run.
    pub(crate) started: bool,
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

    /// The time, if somebody traces.
    #[inline(always)]
    pub(crate) fn now_to_trace(&mut self) -> Time {
        if C::Trace::ENABLED {
            self.clock.now()
        } else {
            Time::ZERO
        }
    }

    /// A passage from outside all threads: `f` does what was asked, and then it is decided who runs.
    pub(crate) fn pass<R>(
        &mut self,
        switch: &mut Switch,
        f: impl FnOnce(&mut Core<C>, &mut Contexts<C>, &mut Switch, Time) -> R,
    ) -> R {
        let now = self.enter(true);
        let result = f(&mut self.core, &mut self.contexts, switch, now);
        if self.finish(switch, now) {
            self.more(switch);
        }
        result
    }

    /// Whether a passage may end without looking who runs. A small image saves the question.
    #[inline(always)]
    pub(crate) fn is_settled(&self) -> bool {
        !cfg!(feature = "small") && !Core::<C>::MARKS_TIME && self.core.is_settled(CPU)
    }

    /// The beginning of a passage, and when that is. `timed`: somebody has to know the time, even if
    /// nobody else does.
    #[inline(always)]
    pub(crate) fn enter(&mut self, timed: bool) -> Time {
        let now = if timed || Core::<C>::READS_CLOCK {
            self.clock.now()
        } else {
            Time::ZERO
        };
        if Core::<C>::MARKS_TIME {
            self.core.enter(CPU, now);
        }
        now
    }

    /// The end of a passage that began at `entered`. Returns whether there is [more](State::more) to
    /// do, as there is whenever nobody runs.
    #[cfg_attr(feature = "small", inline(never))]
    #[cfg_attr(not(feature = "small"), inline(always))]
    pub(crate) fn finish(&mut self, switch: &mut Switch, entered: Time) -> bool {
        // Before the start there is no thread to go back to.
        if C::CHECKS && !self.started {
            return false;
        }
        let mut idles = false;
        if self.core.asks(CPU) {
            match self.core.decide(CPU, entered).run {
                Some(task) => switch.change_to(&raw mut self.contexts[task.index()]),
                None => idles = true,
            }
        }
        if Core::<C>::MARKS_TIME {
            self.core.leave(CPU, self.clock.now());
        }
        idles || self.core.has_more(CPU)
    }

    /// Whose stack that is, if it is a thread's.
    pub(crate) fn owner(&self, stack: &Range<*mut u32>) -> Option<TaskId> {
        let mut numbers = 0..self.contexts.capacity();
        let found = numbers.find(|&number| self.contexts[number].stack() == *stack)?;
        u16::try_from(found).ok().map(TaskId)
    }

    /// What is rarely to be done at the end of a passage. Returns whether nobody runs.
    #[cold]
    #[inline(never)]
    pub(crate) fn more(&mut self, switch: &mut Switch) -> bool {
        let more = self.core.more(CPU);
        if more.restart
            && let Some(task) = self.core.running_task(CPU)
        {
            let context = &mut self.contexts[task.index()];
            // SAFETY: interrupts are masked, and the thread has its stack for itself.
            unsafe { context.restart(switch) };
            switch.change_to(&raw mut *context);
        }
        if more.timer {
            let next = self.core.next_timer(CPU);
            if next != self.armed {
                self.armed = next;
                self.clock.set_timer(next);
            }
        }
        self.core.running_task(CPU).is_none()
    }
}
