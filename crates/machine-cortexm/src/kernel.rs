//! The lock around the core, and the way in and out of it.

use crate::board::{Board, Timer};
use crate::config::MachineConfig;
use crate::context::Switch;
use crate::entry::{CPU, State};
use crate::fault;
use crate::guard;
use crate::mask::Mask;
use crate::together::Together;
use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use core::task::Poll;
use flyball_kernel::{Core, Entry, Error, Rest, Sizes, Timing};
use flyball_policy::{CpuId, Table, TaskId, Time};

/// The kernel of an application: one static, made by [`kernel!`](crate::kernel!). `PendSV` relies
/// on the first field.
#[repr(C)]
pub struct Kernel<C: MachineConfig> {
    switch: UnsafeCell<Switch>,
    ready: UnsafeCell<bool>,
    state: UnsafeCell<MaybeUninit<State<C>>>,
}

// SAFETY: the fields are touched with interrupts masked only, on the only CPU.
unsafe impl<C: MachineConfig> Sync for Kernel<C> {}

impl<C: MachineConfig> Kernel<C> {
    /// A kernel that has not been set up.
    pub const fn new() -> Kernel<C> {
        Kernel {
            switch: UnsafeCell::new(Switch::NOBODY),
            ready: UnsafeCell::new(false),
            state: UnsafeCell::new(MaybeUninit::uninit()),
        }
    }

    /// Makes the kernel. The clock starts, and faults are reported from now on. Interrupts are
    /// masked until [`Kernel::start`].
    pub fn set_up(&'static self, policy: C::Policy, trace: C::Trace, timing: Timing) {
        C::Board::set_up();
        fault::enable(C::STACKS);
        cortex_m::interrupt::disable();
        // SAFETY: interrupts are masked, so no other code looks.
        unsafe {
            let core = Core::new(policy, trace, timing, &Sizes::FIXED);
            (*self.state.get()).write(State::new(core));
            *self.ready.get() = true;
        }
    }

    /// With the kernel, and interrupts masked. `None` before it is set up.
    pub(crate) fn try_with<R>(
        &'static self,
        f: impl FnOnce(&mut Switch, &mut State<C>) -> R,
    ) -> Option<R> {
        let mask = Mask::set();
        // SAFETY: interrupts are masked, `f` does not come back here, and there is one CPU.
        let result = unsafe {
            (*self.ready.get()).then(|| {
                f(
                    &mut *self.switch.get(),
                    (*self.state.get()).assume_init_mut(),
                )
            })
        };
        mask.lift();
        result
    }

    /// With the kernel, and interrupts masked.
    #[inline]
    pub(crate) fn with<R>(&'static self, f: impl FnOnce(&mut Switch, &mut State<C>) -> R) -> R {
        let mask = Mask::set();
        let (switch, state) = self.parts(&mask);
        let result = f(switch, state);
        mask.lift();
        result
    }

    /// What is in the kernel. No caller calls this for as long as it has it from an earlier call.
    #[inline(always)]
    #[expect(
        clippy::mut_from_ref,
        reason = "the mask is the proof that nobody else has it"
    )]
    fn parts<'m>(&'static self, _: &'m Mask) -> (&'m mut Switch, &'m mut State<C>) {
        // SAFETY: interrupts are masked, and there is one CPU.
        let ready = unsafe { *self.ready.get() };
        assert!(!C::CHECKS || ready, "the kernel has not been set up");
        // SAFETY: the same, and callers keep to the rule. The kernel has been set up: that has just
        // been checked, or else the application has promised it by going without checks.
        unsafe {
            (
                &mut *self.switch.get(),
                (*self.state.get()).assume_init_mut(),
            )
        }
    }

    /// One entry: `f` does what was asked, and then it is decided which thread runs. A caller that
    /// `waits` comes back when it runs again.
    #[inline(always)]
    fn enter<R>(
        &'static self,
        mask: Mask,
        timed: bool,
        waits: bool,
        f: impl FnOnce(&mut Core<C>, CpuId, Time) -> R,
    ) -> R {
        let (_, state) = self.parts(&mask);
        let entry = state.enter(timed);
        let result = f(&mut state.core, CPU, entry.now());
        if state.is_settled() {
            entry.cancel();
            mask.lift();
        } else {
            self.go_back(mask, entry, waits);
        }
        result
    }

    /// The end of an entry.
    #[cfg_attr(feature = "small", inline(never))]
    #[cfg_attr(not(feature = "small"), inline(always))]
    fn go_back(&'static self, mask: Mask, entry: Entry, waits: bool) {
        let (switch, state) = self.parts(&mask);
        let (needs_more, rest) = state.end(switch, entry);
        if needs_more {
            return self.more(mask, waits, rest);
        }
        mask.lift();
        if waits {
            // If another thread runs it runs here, and this one goes on when it is its turn.
            cortex_m::asm::isb();
        }
    }

    /// The end of an entry that has more to do than most.
    #[cold]
    #[cfg_attr(not(feature = "small"), inline(never))]
    fn more(&'static self, mask: Mask, waits: bool, rest: Rest) {
        let (switch, state) = self.parts(&mask);
        let idles = state.more(switch, rest);
        mask.lift();
        if waits {
            cortex_m::asm::isb();
            if idles && self.in_thread() {
                self.idle();
            }
        }
    }

    /// Several things at one instant, from outside all threads: it is decided once which thread
    /// runs, when all are done. May come from an interrupt.
    pub fn together<R>(&'static self, f: impl FnOnce(&mut Together<'_, C>) -> R) -> R {
        self.with(|switch, state| {
            state.enter_and_end(switch, |core, contexts, switch, now| {
                f(&mut Together {
                    core,
                    now,
                    contexts,
                    switch,
                })
            })
        })
    }

    /// The timer has fired.
    pub fn timer(&'static self) {
        C::Board::clear(Timer::Kernel);
        let mask = Mask::set();
        // It is a one-shot, so it is set no more.
        self.parts(&mask).1.armed = Time::ZERO;
        self.enter(mask, true, false, Core::timer);
    }

    /// The time since the kernel started.
    pub fn now(&'static self) -> Time {
        self.with(|_, state| state.clock.now())
    }

    /// A call in two halves: `quick`, after which there is nothing to decide, and, if that returns
    /// `None`, `slow`, which may have to wait. The first is to be part of the program that calls.
    /// It is told the time for a trace alone, and the second one where [`Core::READS_CLOCK`] says
    /// so; otherwise [`Time::ZERO`].
    ///
    /// # Errors
    /// What they say.
    #[inline(always)]
    pub fn try_or<T>(
        &'static self,
        quick: impl FnOnce(&mut Core<C>, CpuId, Time) -> Result<Option<T>, Error>,
        slow: impl FnOnce(&mut Core<C>, CpuId, Time) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mask = Mask::set();
        let (_, state) = self.parts(&mask);
        let now = state.now_to_trace();
        match quick(&mut state.core, CPU, now) {
            Ok(Some(value)) => {
                mask.lift();
                Ok(value)
            }
            Ok(None) => {
                core::hint::cold_path();
                self.go_on(mask, slow)
            }
            Err(error) => {
                mask.lift();
                Err(error)
            }
        }
    }

    /// The second half of [`Kernel::try_or`].
    #[inline(never)]
    fn go_on<R>(&'static self, mask: Mask, slow: impl FnOnce(&mut Core<C>, CpuId, Time) -> R) -> R {
        let (_, state) = self.parts(&mask);
        let entry = state.enter(false);
        let result = slow(&mut state.core, CPU, entry.now());
        self.go_back(mask, entry, true);
        result
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
    /// [`Time::ZERO`] unless [`Core::READS_CLOCK`], so that the clock need not be read.
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
        let result = self.enter(Mask::set(), timed, true, f);
        result.map(|poll| match poll {
            Poll::Ready(value) => Some(value),
            Poll::Pending => None,
        })
    }

    /// A call that does not wait, and may come from an interrupt. The time that `f` is told is
    /// [`Time::ZERO`] unless [`Core::READS_CLOCK`].
    ///
    /// # Errors
    /// What `f` says.
    #[inline]
    pub fn act<T>(
        &'static self,
        f: impl FnOnce(&mut Core<C>, CpuId, Time) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.enter(Mask::set(), false, false, f)
    }

    /// The same, with an `f` that has to know the time.
    ///
    /// # Errors
    /// What `f` says.
    pub fn act_now<T>(
        &'static self,
        f: impl FnOnce(&mut Core<C>, CpuId, Time) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.enter(Mask::set(), true, false, f)
    }

    /// Whether the caller may wait, as only a thread can; not looked at without
    /// [`CHECKS`](flyball_kernel::Config::CHECKS).
    #[inline]
    pub fn can_wait(&'static self) -> bool {
        !C::CHECKS || self.in_thread()
    }

    /// Sleeps until a thread runs. It is the one whose stack this is: any other would have the CPU
    /// with a stack of its own.
    #[cold]
    #[inline(never)]
    fn idle(&'static self) {
        loop {
            let runs = self.with(|_, state| {
                let runs = state.core.running_task(CPU).is_some();
                if !runs {
                    // Wakes up even though interrupts are masked; they are served afterwards.
                    cortex_m::asm::wfi();
                }
                runs
            });
            if runs {
                return;
            }
        }
    }

    /// How many words of its stack a thread has ever used, of those that it may: those below a
    /// guard are not counted. `None` where stacks are not painted, or there never was such a
    /// thread. O(words).
    pub fn high_water(&'static self, thread: TaskId) -> Option<usize> {
        let number = thread.index();
        let stack = self.with(|_, state| {
            (number < state.contexts.capacity()).then(|| state.contexts[number].stack())
        })?;
        // SAFETY: a thread keeps its stack for ever.
        (C::STACKS.is_painted() && !stack.is_empty())
            .then(|| unsafe { guard::used(&stack, C::STACKS.reserved()) })
    }

    /// How the wait ended that the calling thread came back from.
    ///
    /// # Errors
    /// As [`Core::outcome`].
    #[inline]
    pub fn outcome(&'static self) -> Result<(), Error> {
        self.with(|_, state| state.core.outcome(CPU))
    }

    /// Copies the message that the calling thread has received.
    ///
    /// # Errors
    /// As [`Core::received`].
    #[inline]
    pub fn received(&'static self, message: &mut C::Message) -> Result<(), Error> {
        self.with(|_, state| {
            state
                .core
                .received(CPU)
                .map(|received| *message = *received)
        })
    }

    /// With the core, and interrupts masked: to look at what it knows. `None` before it is set up.
    pub fn look<R>(&'static self, f: impl FnOnce(&mut Core<C>) -> R) -> Option<R> {
        if C::CHECKS {
            self.try_with(|_, state| f(&mut state.core))
        } else {
            Some(self.with(|_, state| f(&mut state.core)))
        }
    }
}

impl<C: MachineConfig> Default for Kernel<C> {
    fn default() -> Self {
        Kernel::new()
    }
}
