//! What this machine is to the kernel: the [`Machine`] that all calls of applications are made on.

use crate::board::{Board, Timer};
use crate::config::BoardConfig;
use crate::cpu::{CPU, Cpu};
use crate::fault;
use crate::guard;
use crate::kernel::Kernel;
use crate::mask::Mask;
use crate::vectors;
use core::fmt::Arguments;
use flyball_kernel::{Core, Error, Timing};
use flyball_policy::{CpuId, Duration, Table, TaskId, Time};
use flyball_port::{CallKind, LockedKernel, Machine, StackArea, stack};

impl<C: BoardConfig> Machine for Kernel<C> {
    type Config = C;
    type Stack = StackArea;
    type Port<'a> = Cpu<'a, C>;

    /// Faults are reported from now on. Interrupts are masked until [`Machine::start`].
    fn init(&'static self, policy: C::Policy, trace: C::Trace, timing: Timing) {
        C::Board::init();
        fault::enable(C::STACKS);
        self.make(|| Core::new(policy, trace, timing, &C::sizes()));
    }

    fn prepare_stack(words: &'static mut [usize]) -> Result<StackArea, Error> {
        StackArea::new(words, C::PAINTS)
    }

    #[inline(always)]
    fn start(&'static self) -> ! {
        self.run()
    }

    #[inline(always)]
    fn enter<T>(
        &'static self,
        kind: CallKind,
        f: impl FnOnce(&mut Core<C>, CpuId, Time) -> Result<T, Error>,
    ) -> Result<T, Error> {
        Kernel::enter(self, Mask::set(), kind, f)
    }

    fn with_kernel<R>(
        &'static self,
        f: impl FnOnce(&mut LockedKernel<'_, C, Cpu<'_, C>>) -> R,
    ) -> Option<R> {
        self.with_ready(|switch, state| state.enter_and_end(switch, f))
    }

    #[inline]
    fn with_core<R>(&'static self, f: impl FnOnce(&mut Core<C>, CpuId) -> R) -> Option<R> {
        self.with_ready(|_, state| f(&mut state.core, CPU))
    }

    #[inline(always)]
    fn try_or<T>(
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

    /// `main` counts as a thread here: the core, which knows of no thread then, tells it that it
    /// cannot wait.
    #[inline]
    fn in_thread(&'static self) -> bool {
        vectors::exception() == 0
    }

    #[inline(always)]
    fn name(&'static self) -> u32 {
        self.name_of_caller()
    }

    fn now(&'static self) -> Time {
        self.with(|_, state| state.clock.advance())
    }

    /// A nanosecond an instruction.
    #[inline]
    fn compute(&'static self, length: Duration) {
        crate::compute(length.as_nanos());
    }

    fn attach(&'static self, line: u16, handler: extern "C" fn()) -> Result<(), Error> {
        vectors::attach::<C::Board>(line, handler)
    }

    fn pend(&'static self, line: u16) {
        vectors::pend::<C::Board>(line);
    }

    fn timer_line(&'static self) -> u16 {
        C::Board::TIMER_LINES[Timer::Application as usize]
    }

    /// After 2³² ticks of the board at the latest, as it has no more bits (171 s at 25 MHz).
    fn set_timer(&'static self, after: Duration) {
        // Never early: what is left of a tick is waited for as well.
        let ticks = after.as_nanos().div_ceil(u64::from(C::Board::TICK_NS));
        let ticks = u32::try_from(ticks.max(1)).unwrap_or(u32::MAX);
        C::Board::one_shot(Timer::Application, ticks);
    }

    fn print(&'static self, text: &str) {
        C::Board::print(text);
    }

    fn print_error(&'static self, text: Arguments<'_>) {
        #[cfg(feature = "semihosting")]
        semihosting::eprint!("{text}");
        #[cfg(not(feature = "semihosting"))]
        let _ = text;
    }

    /// By semihosting; without the feature `semihosting` no file is written.
    #[cfg(feature = "semihosting")]
    fn write_file(
        &'static self,
        name: &core::ffi::CStr,
        contents: &mut flyball_port::FileContents<'_>,
    ) -> bool {
        use semihosting::io::Write;
        let Ok(mut file) = semihosting::fs::File::create(name) else {
            return false;
        };
        let mut is_complete = true;
        contents(&mut |bytes| is_complete &= file.write_all(bytes).is_ok());
        is_complete
    }

    fn stop_others(&'static self) {
        crate::fault::last_things_begin();
    }

    fn shut_down(&'static self, code: u8) -> ! {
        C::Board::end(code)
    }

    /// Those words below a guard are not counted.
    fn high_water(&'static self, thread: TaskId) -> Option<usize> {
        let number = thread.index();
        let stack = self.with(|_, state| {
            (number < state.contexts.capacity()).then(|| state.contexts[number].stack())
        })?;
        // SAFETY: a thread keeps its stack for ever.
        (C::PAINTS.are_painted() && !stack.is_empty())
            .then(|| unsafe { stack::used(&stack, guard::reserved(C::STACKS)) })
    }
}
