//! The processor during one kernel entry: the machine's [`Port`], and what it works on.

use crate::clock::Clock;
use crate::config::BoardConfig;
use crate::context::{Context, Switch};
use crate::tick::Tick;
use core::ops::Range;
use flyball_kernel::{Clock as _, Config, Core, Entry, Rest, ThreadId};
use flyball_policy::{CpuId, Speed, Storage, Table, TaskId, Time};
use flyball_port::{EntryPoint, LockedKernel, Port, StackArea, finish};
use flyball_trace::Sink;

/// The only CPU.
pub(crate) const CPU: CpuId = CpuId(0);

/// The core, and what the machine adds to it.
///
/// As in [`Core`], what is small and looked at often comes first.
#[repr(C)]
pub(crate) struct State<C: BoardConfig> {
    /// Whether threads may run.
    pub(crate) started: bool,
    pub(crate) clock: Clock<C::Board>,
    /// What the timer is set to.
    pub(crate) armed: Time,
    pub(crate) core: Core<C>,
    pub(crate) contexts: Contexts<C>,
    /// Of no use where there are no ticks.
    pub(crate) tick: Tick,
    /// The context of `main`, which sleeps for ever.
    pub(crate) idle: Context,
}

pub(crate) type Contexts<C> = <<C as Config>::Threads as Storage>::Table<Context>;

/// The processor during one kernel entry.
pub struct Cpu<'a, C: BoardConfig> {
    clock: &'a mut Clock<C::Board>,
    armed: &'a mut Time,
    tick: &'a mut Tick,
    contexts: &'a mut Contexts<C>,
    switch: &'a mut Switch,
    /// If a decision has been made, another thread runs, most likely: it is not worth a look whether the CPU has its registers already.
    leaves: bool,
    /// No thread runs after the entry.
    idles: bool,
}

impl<C: BoardConfig> Port<C::Stamp> for Cpu<'_, C> {
    type Stack = StackArea;

    #[inline(always)]
    fn clock(&mut self) -> impl flyball_kernel::Clock<C::Stamp> {
        &mut *self.clock
    }

    #[inline(always)]
    fn set_timer(&mut self, _: CpuId, at: Time) {
        if at != *self.armed {
            *self.armed = at;
            let fires = self.clock.set_timer(at);
            if C::TICKS {
                self.tick.due = fires;
            }
        }
    }

    unsafe fn begin(
        &mut self,
        thread: ThreadId,
        name: u32,
        stack: StackArea,
        entry: EntryPoint,
        argument: usize,
    ) {
        let context = &mut self.contexts[thread.task().index()];
        // SAFETY: the stack is big enough, it has no other owner any more, and interrupts are
        // masked.
        unsafe { context.begin(name, stack.range(), entry, argument, self.switch) };
    }

    #[inline(always)]
    unsafe fn restart(&mut self, thread: TaskId) {
        let context = &mut self.contexts[thread.index()];
        // SAFETY: interrupts are masked, and the thread has its stack for itself.
        unsafe { context.restart(self.switch) };
        self.switch.change_to(&raw mut *context);
    }

    #[inline(always)]
    fn switch(&mut self, thread: Option<TaskId>) {
        match thread {
            Some(task) => {
                let context = &raw mut self.contexts[task.index()];
                if self.leaves {
                    self.switch.leave_for(context);
                } else {
                    self.switch.change_to(context);
                }
            }
            // The processor keeps the stack that it has, unless `more` says otherwise.
            None => self.idles = true,
        }
    }

    fn set_speed(&mut self, cpu: CpuId, speed: Speed) {
        C::speed(cpu, speed);
    }
}

impl<C: BoardConfig> State<C> {
    /// The state of a machine that starts now.
    pub(crate) fn new(mut core: Core<C>) -> State<C> {
        let clock = Clock::start();
        core.start_clock(clock.started());
        State {
            core,
            clock,
            contexts: Table::new(C::sizes().threads, Context::default()),
            idle: Context::default(),
            armed: Time::ZERO,
            tick: Tick::default(),
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

    /// The core, and the processor.
    #[inline(always)]
    fn split<'a>(&'a mut self, switch: &'a mut Switch) -> (&'a mut Core<C>, Cpu<'a, C>) {
        let cpu = Cpu {
            clock: &mut self.clock,
            armed: &mut self.armed,
            tick: &mut self.tick,
            contexts: &mut self.contexts,
            switch,
            leaves: false,
            idles: false,
        };
        (&mut self.core, cpu)
    }

    /// An entry from outside all threads: `f` does what was asked, and then it is decided which
    /// thread runs.
    pub(crate) fn enter_and_end<R>(
        &mut self,
        switch: &mut Switch,
        f: impl FnOnce(&mut LockedKernel<'_, C, Cpu<'_, C>>) -> R,
    ) -> R {
        // Threads are made in such entries before the start, when no timer moves the clock's reference.
        self.clock.advance();
        let entry = self.enter(true);
        let now = entry.now();
        let (core, cpu) = self.split(switch);
        let result = f(&mut LockedKernel::new(core, CPU, now, cpu));
        let (needs_more, rest) = self.end(switch, entry, false);
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
        Entry::begin(&mut self.core, CPU, timed, &mut self.clock)
    }

    /// Ends an entry, at which the thread `leaves` the CPU if anything has been decided, most likely. Returns whether there is [more](State::more) to do, as there is whenever the
    /// CPU idles, and what.
    #[cfg_attr(feature = "small", inline(never))]
    #[cfg_attr(not(feature = "small"), inline(always))]
    pub(crate) fn end(&mut self, switch: &mut Switch, entry: Entry, leaves: bool) -> (bool, Rest) {
        // Before the start there is no thread to go back to.
        if C::CHECKS && !self.started {
            core::hint::cold_path();
            let rest = entry.cancel();
            return (false, rest);
        }
        let (core, mut cpu) = self.split(switch);
        cpu.leaves = leaves;
        // As `flyball_port::decide` does, but in place: behind a function of its own the compiler
        // makes the loop of the timer 5 instructions longer for each release.
        let decided = entry.decide(core);
        if decided.is_new() {
            if let Some(speed) = decided.take_speed(core) {
                cpu.set_speed(CPU, speed);
            }
            cpu.switch(decided.run());
        }
        let next = decided.leave(core, &mut *cpu.clock);
        (cpu.idles || next.rest.is_needed(core), next.rest)
    }

    /// Whose stack that is, if it is a thread's.
    pub(crate) fn owner(&self, stack: &Range<*mut usize>) -> Option<TaskId> {
        let mut numbers = 0..self.contexts.capacity();
        let found = numbers.find(|&number| self.contexts[number].stack() == *stack)?;
        u16::try_from(found).ok().map(TaskId)
    }

    /// Does what is rarely to be done at the end of an entry. Returns whether the CPU idles.
    #[cfg_attr(feature = "small", inline(never))]
    #[cfg_attr(not(feature = "small"), inline(always))]
    pub(crate) fn more(&mut self, switch: &mut Switch, rest: Rest) -> bool {
        let idle = &raw mut self.idle;
        let (core, mut cpu) = self.split(switch);
        finish(rest, core, &mut cpu);
        if let Some(length) = core.tick() {
            cpu.tick.follow::<C::Board>(length);
        }
        if core.is_held_back(CPU) {
            cpu.switch.change_to(idle);
        }
        core.running_task(CPU).is_none()
    }
}
