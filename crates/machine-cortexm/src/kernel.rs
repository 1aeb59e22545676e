//! The lock around the core, and the way in and out of it.

use crate::board::Timer;
use crate::clock::Clock;
use crate::config::MachineConfig;
use crate::context::{Context, Entry, Stack, change_to, run_on};
use crate::fault;
use crate::guard::{self, Stacks};
use core::cell::UnsafeCell;
use core::ops::Range;
use core::task::Poll;
use cortex_m::peripheral::NVIC;
use cortex_m::peripheral::scb::SystemHandler;
use flyball_kernel::{Attributes, Core, Error, Sizes, ThreadId, Timing};
use flyball_policy::{CpuId, Policy, Storage, Table, TaskId, Time};
use flyball_trace::Sink;
use static_cell::ConstStaticCell;

/// The only CPU.
const CPU: CpuId = CpuId(0);

/// The kernel of an application: one static, made by [`kernel!`](crate::kernel!).
pub struct Kernel<C: MachineConfig>(UnsafeCell<Option<State<C>>>);

pub(crate) struct State<C: MachineConfig> {
    core: Core<C>,
    pub(crate) clock: Clock,
    pub(crate) contexts: <C::Threads as Storage>::Table<Context>,
    /// The context of `main`, which sleeps for ever.
    idle: Context,
    /// What the timer is set to.
    armed: Time,
}

// SAFETY: the state is touched with interrupts masked only, on the only CPU.
unsafe impl<C: MachineConfig> Sync for Kernel<C> {}

impl<C: MachineConfig> Kernel<C> {
    /// Whether somebody wants to know the time of every passage.
    const CLOCKED: bool = C::ACCOUNTING
        || C::Trace::ENABLED
        || <C::Policy as Policy>::WANTS.usage
        || <C::Policy as Policy>::WANTS.bursts;

    /// A kernel that has not been set up.
    pub const fn new() -> Kernel<C> {
        Kernel(UnsafeCell::new(None))
    }

    /// Makes the kernel. The clock starts, and faults are reported from now on.
    pub fn set_up(&'static self, policy: C::Policy, trace: C::Trace, timing: Timing) {
        const SIZES: Sizes = Sizes {
            cpus: 1,
            threads: 0,
            mutexes: 0,
            semaphores: 0,
            conditions: 0,
            queues: 0,
            messages: 0,
            arrivals: 0,
        };
        fault::enable();
        cortex_m::interrupt::free(|_| {
            // SAFETY: interrupts are masked, so nobody else looks.
            let state = unsafe { &mut *self.0.get() };
            *state = Some(State {
                core: Core::new(policy, trace, timing, &SIZES),
                clock: Clock::start(),
                contexts: Table::new(0, |_| Context::default()),
                idle: Context::default(),
                armed: Time::ZERO,
            });
        });
    }

    /// With the kernel, and interrupts masked.
    pub(crate) fn with<R>(&'static self, f: impl FnOnce(&mut State<C>) -> R) -> Option<R> {
        cortex_m::interrupt::free(|_| {
            // SAFETY: interrupts are masked, `f` does not come back here, and there is one CPU.
            unsafe { &mut *self.0.get() }.as_mut().map(f)
        })
    }

    /// One passage: `f` does what was asked, and then it is decided who runs.
    #[inline]
    fn passage<R>(
        &'static self,
        timed: bool,
        f: impl FnOnce(&mut Core<C>, Time) -> R,
    ) -> Option<R> {
        self.with(|state| {
            let now = if timed || Self::CLOCKED {
                state.clock.now()
            } else {
                Time::ZERO
            };
            state.core.enter(CPU, now);
            let result = f(&mut state.core, now);
            state.finish(now, Self::CLOCKED);
            result
        })
    }

    /// Makes a thread that begins at `entry` with `argument`.
    ///
    /// # Errors
    /// As [`Core::spawn`].
    pub fn spawn<const N: usize>(
        &'static self,
        stack: &'static mut Stack<N>,
        attributes: Attributes,
        params: <C::Policy as Policy>::Params,
        entry: Entry,
        argument: usize,
    ) -> Result<ThreadId, Error> {
        let stack = stack.words();
        if C::STACKS.is_painted() {
            // SAFETY: nobody else has it any more, and its thread is not there yet.
            unsafe { guard::paint(&stack) };
        }
        let spawned = self.with(|state| {
            let now = state.clock.now();
            let thread = state.core.spawn(CPU, attributes, params, now)?;
            let context = &mut state.contexts[thread.task().index()];
            // SAFETY: the stack has 64 words at least, and nobody else has it any more.
            unsafe { context.begin(stack, entry, argument) };
            Ok(thread)
        });
        spawned.unwrap_or(Err(Error::Unknown))
    }

    /// Starts scheduling; `main` ends here. To be called once.
    pub fn start(&'static self) -> ! {
        static BOOT: ConstStaticCell<Stack<128>> = ConstStaticCell::new(Stack::new());
        let boot = BOOT.take().words();
        let mut core = cortex_m::Peripherals::take();
        if let Some(core) = &mut core {
            // SAFETY: nothing runs that would rely on other priorities.
            unsafe {
                core.SCB.set_priority(SystemHandler::PendSV, 0xff);
                for timer in [Timer::Kernel, Timer::Application] {
                    core.NVIC.set_priority(timer.interrupt(), 0x40);
                    NVIC::unmask(timer.interrupt());
                }
            }
        }
        if C::STACKS.is_painted() {
            // SAFETY: nobody uses it yet.
            unsafe { guard::paint(&boot) };
        }
        let (low, end) = (boot.start, boot.end);
        self.with(|state| {
            state.idle = Context::on(boot);
            // SAFETY: interrupts are masked, and the state is static.
            unsafe { run_on(&raw mut state.idle) };
        });
        if C::STACKS == Stacks::Guarded {
            // SAFETY: `main` needs less of its stack than all of it.
            unsafe { guard::switch_on(low) };
        }
        // From here on `main` runs on a stack of its own, as threads do, and interrupts on the old
        // one.
        // SAFETY: `main` never returns, and what it needs from here on is in registers or static.
        unsafe {
            cortex_m::register::psp::write(end as u32);
            core::arch::asm!(
                "mov {control}, #2",
                "msr control, {control}",
                "isb",
                control = out(reg) _,
            );
        }
        self.passage(true, |_, _| ());
        loop {
            cortex_m::asm::wfi();
        }
    }

    /// The timer has fired.
    pub fn timer(&'static self) {
        Timer::Kernel.clear();
        // It is a one-shot, so it is set no more.
        self.with(|state| state.armed = Time::ZERO);
        self.passage(true, |core, now| core.timer(CPU, now));
    }

    /// The time since the kernel started.
    pub fn now(&'static self) -> Time {
        self.with(|state| state.clock.now()).unwrap_or(Time::ZERO)
    }

    /// A call that may have to wait. `f` is told the time.
    ///
    /// # Errors
    /// What `f` says.
    pub fn call<T>(
        &'static self,
        f: impl FnOnce(&mut Core<C>, CpuId, Time) -> Result<Poll<T>, Error>,
    ) -> Result<Option<T>, Error> {
        self.go(true, f)
    }

    /// A call that may have to wait, for ever if need be. The time that `f` is told is
    /// [`Time::ZERO`] where nobody counts time, so that the clock need not be read.
    ///
    /// # Errors
    /// What `f` says.
    #[inline]
    pub fn call_patiently<T>(
        &'static self,
        f: impl FnOnce(&mut Core<C>, CpuId, Time) -> Result<Poll<T>, Error>,
    ) -> Result<Option<T>, Error> {
        self.go(false, f)
    }

    #[inline]
    fn go<T>(
        &'static self,
        timed: bool,
        f: impl FnOnce(&mut Core<C>, CpuId, Time) -> Result<Poll<T>, Error>,
    ) -> Result<Option<T>, Error> {
        let called = self.passage(timed, |core, now| {
            let caller = core.running(CPU);
            (f(core, CPU, now), caller)
        });
        match called {
            Some((Ok(Poll::Ready(value)), _)) => Ok(Some(value)),
            Some((Ok(Poll::Pending), Some(caller))) => {
                self.wait_for_turn(caller.task());
                Ok(None)
            }
            Some((Err(error), _)) => Err(error),
            _ => Err(Error::NoThread),
        }
    }

    /// The calling thread waits until it is its turn again.
    fn wait_for_turn(&'static self, me: TaskId) {
        loop {
            let mine = cortex_m::interrupt::free(|_| {
                let running = self.with(|state| state.core.running(CPU)).flatten();
                let mine = running.is_some_and(|thread| thread.task() == me);
                if !mine {
                    // Wakes up even though interrupts are masked; they are served afterwards.
                    cortex_m::asm::wfi();
                }
                mine
            });
            if mine {
                return;
            }
        }
    }

    /// How many words of its stack a thread has ever used, of those that it may: those below a guard
    /// are not counted. `None` where stacks are not painted, or there never was such a thread. O(words).
    pub fn high_water(&'static self, thread: TaskId) -> Option<usize> {
        let number = thread.index();
        let stack = self.with(|state| {
            (number < state.contexts.capacity()).then(|| state.contexts[number].stack())
        })??;
        // SAFETY: a thread keeps its stack for ever.
        (C::STACKS.is_painted() && !stack.is_empty())
            .then(|| unsafe { guard::used(&stack, C::STACKS.reserved()) })
    }

    /// With the core, and interrupts masked: to look at what it knows.
    pub fn look<R>(&'static self, f: impl FnOnce(&mut Core<C>) -> R) -> Option<R> {
        self.with(|state| f(&mut state.core))
    }
}

impl<C: MachineConfig> Default for Kernel<C> {
    fn default() -> Self {
        Kernel::new()
    }
}

impl<C: MachineConfig> State<C> {
    /// The end of a passage that began at `entered`. `clocked`: somebody wants to know how long it
    /// took.
    #[inline]
    fn finish(&mut self, entered: Time, clocked: bool) {
        if self.core.attention().includes(CPU) {
            self.decide(entered);
        }
        let now = if clocked { self.clock.now() } else { entered };
        self.core.leave(CPU, now);
        let next = self.core.next_timer(CPU);
        if next != self.armed {
            self.armed = next;
            self.clock.set_timer(next);
        }
    }

    /// Whose stack that is, if it is a thread's.
    pub(crate) fn owner(&self, stack: &Range<*mut u32>) -> Option<TaskId> {
        let mut numbers = 0..self.contexts.capacity();
        let found = numbers.find(|&number| self.contexts[number].stack() == *stack)?;
        u16::try_from(found).ok().map(TaskId)
    }

    fn decide(&mut self, now: Time) {
        let decision = self.core.decide(CPU, now);
        if let Some(task) = decision.run {
            let context = &mut self.contexts[task.index()];
            if decision.restart {
                // SAFETY: interrupts are masked, and the thread has its stack for itself.
                unsafe { context.restart() };
            }
            // SAFETY: interrupts are masked, and the table is static.
            unsafe { change_to(&raw mut *context) };
        }
    }
}

/// Makes the application's kernel: a static of a name and a type; and, if it likes, what its own timer
/// calls. It brings the handlers of context switches, faults and panics.
#[macro_export]
macro_rules! kernel {
    ($name:ident: $config:ty) => {
        $crate::kernel!($name: $config, || ());
    };
    ($name:ident: $config:ty, $timer:expr) => {
        $crate::pend_sv!(<$config as $crate::MachineConfig>::STACKS);

        /// The kernel.
        static $name: $crate::Kernel<$config> = $crate::Kernel::new();

        #[unsafe(no_mangle)]
        extern "C" fn flyball_timer() {
            $name.timer();
        }

        #[unsafe(no_mangle)]
        extern "C" fn flyball_application_timer() {
            $crate::board::Timer::Application.clear();
            ($timer)();
        }

        #[unsafe(no_mangle)]
        extern "C" fn flyball_fault(taken: $crate::Taken) -> ! {
            $name.fault(taken)
        }

        #[panic_handler]
        fn panic(info: &::core::panic::PanicInfo<'_>) -> ! {
            $name.panicked(info)
        }
    };
}
