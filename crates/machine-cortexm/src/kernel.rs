//! The lock around the core, and the way in and out of it.

use crate::board::Timer;
use crate::clock::Clock;
use crate::context::{Context, Entry, Stack, change_to, run_on};
use core::cell::UnsafeCell;
use core::task::Poll;
use cortex_m::peripheral::NVIC;
use cortex_m::peripheral::scb::SystemHandler;
use flyball_kernel::{Attributes, Config, Core, Error, Sizes, ThreadId, Timing};
use flyball_policy::{CpuId, Policy, Storage, Table, TaskId, Time};
use flyball_trace::Sink;
use static_cell::ConstStaticCell;

/// The only CPU.
const CPU: CpuId = CpuId(0);

/// The kernel of an application: one static, made by [`kernel!`](crate::kernel!).
pub struct Kernel<C: Config>(UnsafeCell<Option<State<C>>>);

struct State<C: Config> {
    core: Core<C>,
    clock: Clock,
    contexts: <C::Threads as Storage>::Table<Context>,
    /// The context of `main`, which sleeps for ever.
    idle: Context,
    /// What the timer is set to.
    armed: Time,
    /// Whether threads may run.
    started: bool,
}

// SAFETY: the state is touched with interrupts masked only, on the only CPU.
unsafe impl<C: Config> Sync for Kernel<C> {}

impl<C: Config> Kernel<C> {
    /// Whether somebody wants to know the time of every passage.
    const CLOCKED: bool = C::ACCOUNTING
        || C::Trace::ENABLED
        || <C::Policy as Policy>::WANTS.usage
        || <C::Policy as Policy>::WANTS.bursts;

    /// A kernel that has not been set up.
    pub const fn new() -> Kernel<C> {
        Kernel(UnsafeCell::new(None))
    }

    /// Makes the kernel. The clock starts.
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
        cortex_m::interrupt::free(|_| {
            // SAFETY: interrupts are masked, so nobody else looks.
            let state = unsafe { &mut *self.0.get() };
            *state = Some(State {
                core: Core::new(policy, trace, timing, &SIZES),
                clock: Clock::start(),
                contexts: Table::new(0, |_| Context::default()),
                idle: Context::default(),
                armed: Time::ZERO,
                started: false,
            });
        });
    }

    /// With the kernel, and interrupts masked.
    fn with<R>(&'static self, f: impl FnOnce(&mut State<C>) -> R) -> Option<R> {
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
        // SAFETY: `entry` is safe to call, and may be called anywhere.
        unsafe { self.spawn_on(stack.words(), attributes, params, entry, argument) }
    }

    /// The same on any words of memory, of which there have to be 64 at least.
    ///
    /// # Errors
    /// As [`Core::spawn`]; [`Error::Invalid`] if there are not so many words.
    ///
    /// # Safety
    /// `entry` may be called with `argument` in a thread of its own. If a late job is given up
    /// ([`OnMiss::Abort`](flyball_kernel::OnMiss::Abort)), `entry` may be called again and again, and
    /// whatever its calls had on the stack is forgotten, at any instant.
    pub unsafe fn spawn_on(
        &'static self,
        stack: &'static mut [u32],
        attributes: Attributes,
        params: <C::Policy as Policy>::Params,
        entry: Entry,
        argument: usize,
    ) -> Result<ThreadId, Error> {
        if stack.len() < 64 {
            return Err(Error::Invalid);
        }
        let end = stack.as_mut_ptr_range().end.map_addr(|end| end & !7);
        let spawned = self.with(|state| {
            let now = state.clock.now();
            state.core.enter(CPU, now);
            let spawned = state.core.spawn(CPU, attributes, params, now);
            if let Ok(thread) = spawned {
                let context = &mut state.contexts[thread.task().index()];
                // SAFETY: the stack has 63 words at least, and nobody else has it any more.
                unsafe { context.begin(end, entry, argument) };
            }
            state.finish(now, Self::CLOCKED);
            spawned
        });
        spawned.unwrap_or(Err(Error::Unknown))
    }

    /// Starts scheduling; `main` ends here. To be called once.
    pub fn start(&'static self) -> ! {
        static BOOT: ConstStaticCell<Stack<128>> = ConstStaticCell::new(Stack::new());
        let boot = BOOT.take().end();
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
        self.with(|state| {
            // SAFETY: interrupts are masked, and the state is static.
            unsafe { run_on(&raw mut state.idle) };
        });
        // From here on `main` runs on a stack of its own, as threads do, and interrupts on the old
        // one.
        // SAFETY: `main` never returns, and what it needs from here on is in registers or static.
        unsafe {
            cortex_m::register::psp::write(boot as u32);
            core::arch::asm!(
                "mov {control}, #2",
                "msr control, {control}",
                "isb",
                control = out(reg) _,
            );
        }
        self.with(|state| state.started = true);
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

    /// How the wait ended that the calling thread came back from.
    ///
    /// # Errors
    /// As [`Core::outcome`].
    #[inline]
    pub fn outcome(&'static self) -> Result<C::Message, Error> {
        self.with(|state| state.core.outcome(CPU))
            .unwrap_or(Err(Error::NoThread))
    }

    /// With the core, and interrupts masked: to look at what it knows.
    pub fn look<R>(&'static self, f: impl FnOnce(&mut Core<C>) -> R) -> Option<R> {
        self.with(|state| f(&mut state.core))
    }
}

impl<C: Config> Default for Kernel<C> {
    fn default() -> Self {
        Kernel::new()
    }
}

impl<C: Config> State<C> {
    /// The end of a passage that began at `entered`. `clocked`: somebody wants to know how long it
    /// took.
    #[inline]
    fn finish(&mut self, entered: Time, clocked: bool) {
        // Before the start there is no thread to go back to.
        if self.core.attention().includes(CPU) && self.started {
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
/// calls (otherwise: what is [attached](Kernel::attach) to it).
#[macro_export]
macro_rules! kernel {
    ($name:ident: $config:ty) => {
        $crate::kernel!($name: $config, || {
            $crate::board::Timer::Application.interrupt().serve();
        });
    };
    ($name:ident: $config:ty, $timer:expr) => {
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
    };
}

/// Makes the program: it begins with a call of `$main`, a `fn() -> !`.
#[macro_export]
macro_rules! main {
    ($main:path) => {
        #[unsafe(export_name = "main")]
        extern "C" fn flyball_main() -> ! {
            $main()
        }
    };
}
