//! The lock around the core, and the way in and out of it.

use crate::board::{Board, Timer};
use crate::config::BoardConfig;
use crate::context::Switch;
use crate::cpu::{CPU, State};
use crate::mask::Mask;
use crate::vectors;
use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use flyball_kernel::{Core, Entry, Rest};
use flyball_policy::{CpuId, Time};
use flyball_port::CallKind;

/// The kernel of an application: one static, made by [`kernel!`](crate::kernel!). `PendSV` relies
/// on the first field.
#[repr(C)]
pub struct Kernel<C: BoardConfig> {
    switch: UnsafeCell<Switch>,
    ready: UnsafeCell<bool>,
    state: UnsafeCell<MaybeUninit<State<C>>>,
}

// SAFETY: the fields are touched with interrupts masked only, on the only CPU.
unsafe impl<C: BoardConfig> Sync for Kernel<C> {}

impl<C: BoardConfig> Kernel<C> {
    /// A kernel that has not been initialised.
    pub const fn new() -> Kernel<C> {
        Kernel {
            switch: UnsafeCell::new(Switch::NOBODY),
            ready: UnsafeCell::new(false),
            state: UnsafeCell::new(MaybeUninit::uninit()),
        }
    }

    /// Puts the core in place, with interrupts masked.
    pub(crate) fn make(&'static self, core: impl FnOnce() -> Core<C>) {
        cortex_m::interrupt::disable();
        // SAFETY: interrupts are masked, so no other code looks.
        unsafe {
            (*self.state.get()).write(State::new(core()));
            (*self.switch.get()).prepare();
            *self.ready.get() = true;
        }
    }

    /// See [`Machine::name`](flyball_port::Machine::name). `main` has none.
    #[inline(always)]
    pub(crate) fn name_of_caller(&'static self) -> u32 {
        // SAFETY: a byte that is written once, before any interrupt.
        let is_ready = !C::CHECKS || unsafe { *self.ready.get() };
        if !is_ready || (C::CHECKS && vectors::exception() != 0) {
            return 0;
        }
        // SAFETY: the kernel is ready, or the application has promised that by going without checks.
        unsafe { Switch::name(self.switch.get()) }
    }

    /// With the kernel, and interrupts masked. `None` before it is initialised.
    pub(crate) fn try_with<R>(
        &'static self,
        f: impl FnOnce(&mut Switch, &mut State<C>) -> R,
    ) -> Option<R> {
        let mask = Mask::set();
        // SAFETY: interrupts are masked, and there is one CPU.
        if !unsafe { *self.ready.get() } {
            core::hint::cold_path();
            mask.lift();
            return None;
        }
        // SAFETY: the same, `f` does not come back here, and the kernel has been initialised.
        let result = unsafe {
            f(
                &mut *self.switch.get(),
                (*self.state.get()).assume_init_mut(),
            )
        };
        mask.lift();
        Some(result)
    }

    /// With the kernel, and interrupts masked.
    #[cfg_attr(feature = "small", inline(always))]
    #[cfg_attr(not(feature = "small"), inline)]
    pub(crate) fn with<R>(&'static self, f: impl FnOnce(&mut Switch, &mut State<C>) -> R) -> R {
        let mask = Mask::set();
        let (switch, state) = self.parts(&mask);
        let result = f(switch, state);
        mask.lift();
        result
    }

    /// With the kernel, and interrupts masked. `None` before it is initialised; without checks it
    /// is.
    #[inline]
    pub(crate) fn with_ready<R>(
        &'static self,
        f: impl FnOnce(&mut Switch, &mut State<C>) -> R,
    ) -> Option<R> {
        if C::CHECKS {
            self.try_with(f)
        } else {
            Some(self.with(f))
        }
    }

    /// What is in the kernel. No caller calls this for as long as it has it from an earlier call.
    #[inline(always)]
    #[expect(
        clippy::mut_from_ref,
        reason = "the mask is the proof that nobody else has it"
    )]
    pub(crate) fn parts<'m>(&'static self, _: &'m Mask) -> (&'m mut Switch, &'m mut State<C>) {
        // SAFETY: interrupts are masked, and there is one CPU.
        let ready = unsafe { *self.ready.get() };
        assert!(!C::CHECKS || ready, "the kernel has not been initialised");
        // SAFETY: callers keep to the rule. The kernel has been initialised: that has just been
        // checked, or else the application has promised it by going without checks.
        unsafe { self.made() }
    }

    /// What is in the kernel.
    ///
    /// # Safety
    /// Interrupts are masked for as long as the caller has it, nobody else has it, and the kernel has
    /// been initialised.
    #[inline(always)]
    unsafe fn made<'m>(&'static self) -> (&'m mut Switch, &'m mut State<C>) {
        // SAFETY: as the caller promises; there is one CPU.
        unsafe {
            (
                &mut *self.switch.get(),
                (*self.state.get()).assume_init_mut(),
            )
        }
    }

    /// As [`Machine::enter`](flyball_port::Machine::enter), from where interrupts have been masked.
    #[inline(always)]
    pub(crate) fn enter<R>(
        &'static self,
        mask: Mask,
        kind: CallKind,
        f: impl FnOnce(&mut Core<C>, CpuId, Time) -> R,
    ) -> R {
        let (_, state) = self.parts(&mask);
        let entry = state.enter(kind.is_timed());
        let result = f(&mut state.core, CPU, entry.now());
        if state.is_settled() {
            entry.cancel();
            mask.lift();
        } else {
            self.go_back(mask, entry, kind.waits());
        }
        result
    }

    /// The end of an entry.
    #[cfg_attr(feature = "small", inline(never))]
    #[cfg_attr(not(feature = "small"), inline(always))]
    fn go_back(&'static self, mask: Mask, entry: Entry, waits: bool) {
        // SAFETY: interrupts are masked until `mask` is lifted, and what made the entry had it before
        // and does not any more; there was a kernel then.
        let (switch, state) = unsafe { self.made() };
        let (needs_more, rest) = state.end(switch, entry, waits && !cfg!(feature = "small"));
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
            if idles && vectors::exception() == 0 {
                self.idle();
            }
        }
    }

    /// The timer has fired.
    #[doc(hidden)]
    pub fn timer(&'static self) {
        C::Board::clear(Timer::Kernel);
        let mask = Mask::set();
        if !C::TICKS {
            return self.serve_timer(mask);
        }
        if self.parts(&mask).1.serves_quiet_tick() {
            mask.lift();
        } else {
            self.serve_tick(mask);
        }
    }

    /// By itself, as it takes more registers than a tick at which nothing is due.
    #[cold]
    #[inline(never)]
    fn serve_tick(&'static self, mask: Mask) {
        self.serve_timer(mask);
    }

    /// All that is due happens, and the timer is set anew.
    #[inline(always)]
    fn serve_timer(&'static self, mask: Mask) {
        let (switch, state) = self.parts(&mask);
        // It is a one-shot, so it is set no more. There is always more to do at the end: to set it anew.
        state.armed = Time::ZERO;
        let entry = state.enter(CallKind::ActNow.is_timed());
        state.core.timer(CPU, entry.now());
        let (_, rest) = state.end(switch, entry, false);
        state.more(switch, rest);
        mask.lift();
    }

    /// The second half of [`Machine::try_or`](flyball_port::Machine::try_or).
    #[cfg_attr(not(feature = "small"), inline(never))]
    pub(crate) fn go_on<R>(
        &'static self,
        mask: Mask,
        slow: impl FnOnce(&mut Core<C>, CpuId, Time) -> R,
    ) -> R {
        let (_, state) = self.parts(&mask);
        let entry = state.enter(false);
        let result = slow(&mut state.core, CPU, entry.now());
        self.go_back(mask, entry, true);
        result
    }

    /// Sleeps until a thread runs. It is the one whose stack this is: any other would have the CPU
    /// with a stack of its own.
    #[cold]
    #[cfg_attr(not(feature = "small"), inline(never))]
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
}

impl<C: BoardConfig> Default for Kernel<C> {
    fn default() -> Self {
        Kernel::new()
    }
}
