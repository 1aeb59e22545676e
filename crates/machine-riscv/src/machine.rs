//! What this machine is to the kernel: the [`Machine`] that all calls of applications are made on.

use crate::board::{Alarm, nearest};
use crate::config::HartConfig;
use crate::cpu::Cpu;
use crate::devices::{self, TIMER};
use crate::hart::{self, Mask};
use crate::kernel::{Cpus, Kernel};
use crate::probe::Path;
use core::ffi::CStr;
use core::fmt::Arguments;
use flyball_kernel::{Core, Error, Timing};
use flyball_policy::{CpuId, Duration, Table, TaskId, Time};
use flyball_port::stack::PAINT;
use flyball_port::{CallKind, FileContents, LockedKernel, Machine, StackArea, Stacks, stack};

impl<C: HartConfig> Machine for Kernel<C> {
    type Config = C;
    type Stack = StackArea;
    type Port<'a> = Cpu<'a, C>;

    fn init(&'static self, policy: C::Policy, trace: C::Trace, timing: Timing) {
        let cpus = Cpus {
            all: C::CPUS,
            cluster: C::CPUS,
        };
        let mut once = Some((policy, trace));
        self.init_clusters(cpus, timing, |_| {
            let (policy, trace) = once.take()?;
            Some((policy, trace, C::sizes()))
        });
    }

    fn prepare_stack(words: &'static mut [usize]) -> Result<StackArea, Error> {
        if !C::C_LIBRARY || !C::STACKS.are_painted() {
            return StackArea::new(words, C::STACKS);
        }
        // Of a stack of C only the word that tells whether it was too small.
        let area = StackArea::new(words, Stacks::Unwatched)?;
        // SAFETY: it is the lowest word of a stack that no thread has yet.
        unsafe { area.range().start.write(PAINT) };
        Ok(area)
    }

    fn start(&'static self) -> ! {
        self.start_harts()
    }

    #[inline]
    fn enter<T>(
        &'static self,
        kind: CallKind,
        f: impl FnOnce(&mut Core<C>, CpuId, Time) -> Result<T, Error>,
    ) -> Result<T, Error> {
        Kernel::enter(self, Path::Call, kind.is_timed(), |state, cpu, now| {
            f(&mut state.core, cpu, now)
        })
    }

    fn with_kernel<R>(
        &'static self,
        f: impl FnOnce(&mut LockedKernel<'_, C, Cpu<'_, C>>) -> R,
    ) -> Option<R> {
        self.cluster(hart::number())?;
        let result = Kernel::enter(self, Path::Call, true, |state, cpu, now| {
            let hart = hart::number();
            let port = self.port(hart, self.here(hart), &mut state.contexts);
            f(&mut LockedKernel::new(&mut state.core, cpu, now, port))
        });
        Some(result)
    }

    fn with_kernel_of<R>(
        &'static self,
        number: u8,
        f: impl FnOnce(&mut LockedKernel<'_, C, Cpu<'_, C>>) -> R,
    ) -> Option<R> {
        let now = self.now();
        self.with_cluster(number, |cluster, state| {
            let port = self.port(cluster.first, cluster, &mut state.contexts);
            f(&mut LockedKernel::new(&mut state.core, CpuId(0), now, port))
        })
    }

    fn with_core<R>(&'static self, f: impl FnOnce(&mut Core<C>, CpuId) -> R) -> Option<R> {
        self.with(|state, cpu| f(&mut state.core, cpu))
    }

    #[inline]
    fn in_thread(&'static self) -> bool {
        self.runs_thread()
    }

    fn now(&'static self) -> Time {
        self.clock().now()
    }

    /// Exact to half a tick of the clock.
    ///
    /// An emulated hart that executes instructions keeps the others from doing so, so it does not:
    /// it sleeps, and time passes. What interrupts take, and other threads, is not counted.
    fn compute(&'static self, length: Duration) {
        let mut left = nearest(length);
        while left > 0 {
            let mask = Mask::set();
            let hart = hart::number();
            let from = crate::board::ticks();
            Alarm::Computed.set(hart, from.saturating_add(left));
            // Comes back even though interrupts are masked.
            hart::wait_for_interrupt();
            left = left.saturating_sub(crate::board::ticks() - from);
            Alarm::Computed.set(hart, u64::MAX);
            // What has come is served here.
            mask.lift();
        }
    }

    /// Interrupts are masked in the handler, and it does not use floating point.
    fn attach(&'static self, line: u16, handler: extern "C" fn()) -> Result<(), Error> {
        devices::attach(line, handler)
    }

    fn pend(&'static self, line: u16) {
        devices::pend(line);
    }

    fn timer_line(&'static self) -> u16 {
        TIMER
    }

    fn set_timer(&'static self, after: Duration) {
        let mask = Mask::set();
        self.set_timer_of(hart::number(), after);
        mask.lift();
    }

    fn print(&'static self, text: &str) {
        semihosting::print!("{text}");
    }

    fn print_error(&'static self, text: Arguments<'_>) {
        semihosting::eprint!("{text}");
    }

    fn write_file(&'static self, name: &CStr, contents: &mut FileContents<'_>) -> bool {
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
        semihosting::process::exit(i32::from(code))
    }

    fn high_water(&'static self, thread: TaskId) -> Option<usize> {
        let number = thread.index();
        let stack = self.with(|state, _| {
            (number < state.contexts.capacity()).then(|| state.contexts[number].stack())
        })??;
        // SAFETY: a thread keeps its stack for ever.
        (C::STACKS.are_painted() && !C::C_LIBRARY && !stack.is_empty())
            .then(|| unsafe { stack::used(&stack, 0) })
    }
}

/// Keeps the hart busy for so long within the kernel, where interrupts are masked and wait. Exact to half a
/// tick of the clock.
pub fn keep_busy(length: Duration) {
    let hart = hart::number();
    let until = crate::board::ticks().saturating_add(nearest(length));
    Alarm::Computed.set(hart, until);
    // Comes back at once if an interrupt waits.
    while crate::board::ticks() < until {
        hart::wait_for_interrupt();
    }
    Alarm::Computed.set(hart, u64::MAX);
}
