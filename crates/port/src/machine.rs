//! The kernel of an application on a machine, and all its calls.

#![expect(
    clippy::inline_always,
    reason = "what a call of the kernel costs is counted in instructions"
)]

use crate::locked::LockedKernel;
use crate::port::Port;
use crate::stack::{EntryPoint, Stack};
use core::ffi::CStr;
use core::fmt::Arguments;
use core::task::Poll;
use flyball_kernel::{Attributes, Config, Core, Error, OnMiss, PlaceOf, ThreadId, Timing};
use flyball_policy::{CpuId, Duration, Policy, TaskId, Time};

/// What a call needs of its entry: the method of [`Machine`] that it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CallKind {
    /// [`Machine::call`].
    Call,
    /// [`Machine::call_patiently`].
    Patient,
    /// [`Machine::act`].
    Act,
    /// [`Machine::act_now`].
    ActNow,
}

impl CallKind {
    /// Whether the call tells the kernel the time. Otherwise the clock is read only if the kernel
    /// has use for it ([`Core::READS_CLOCK`]), and the entry is at [`Time::ZERO`] if not.
    #[inline(always)]
    pub const fn is_timed(self) -> bool {
        matches!(self, CallKind::Call | CallKind::ActNow)
    }

    /// Whether the calling thread may have to wait.
    #[inline(always)]
    pub const fn waits(self) -> bool {
        matches!(self, CallKind::Call | CallKind::Patient)
    }
}

type AttributesOf<M> = Attributes<PlaceOf<<M as Machine>::Config>>;
type Params<M> = <<<M as Machine>::Config as Config>::Policy as Policy>::Params;

/// Writes a file: is called with a function that takes the next bytes.
pub type FileContents<'a> = dyn FnMut(&mut dyn FnMut(&[u8])) + 'a;

/// The kernel of an application on a machine: one static, made by the machine's `kernel!`.
pub trait Machine: Sized + Sync + 'static {
    /// What the core is made of.
    type Config: Config;

    /// Memory on which a thread can begin.
    type Stack;

    /// A CPU during one entry.
    type Port<'a>: Port<<Self::Config as Config>::Stamp, Stack = Self::Stack>;

    /// Makes the kernel, with one core for all CPUs of the application. The clock starts. Threads
    /// run from [`Machine::start`] on.
    fn init(
        &'static self,
        policy: <Self::Config as Config>::Policy,
        trace: <Self::Config as Config>::Trace,
        timing: Timing,
    );

    /// Makes words of memory ready for a thread: aligns and paints them, say. O(words).
    ///
    /// # Errors
    /// [`Error::Invalid`] if there are too few words: of four bytes 64 are enough, and of eight
    /// bytes 128; [`Error::Full`] if the machine has stacks of its own, and no more of them.
    fn prepare_stack(words: &'static mut [usize]) -> Result<Self::Stack, Error>;

    /// Starts scheduling on all CPUs; `main` ends here. To be called once.
    fn start(&'static self) -> !;

    /// One kernel entry: `f` does what was asked, and then it is decided which thread runs. Returns
    /// when the caller runs again.
    ///
    /// # Errors
    /// What `f` says; [`Error::NoThread`] before [`Machine::init`].
    fn enter<T>(
        &'static self,
        kind: CallKind,
        f: impl FnOnce(&mut Core<Self::Config>, CpuId, Time) -> Result<T, Error>,
    ) -> Result<T, Error>;

    /// Several things at one instant, on the cluster of the CPU that calls: it is decided once
    /// which thread runs, when all are done. May come from an interrupt. `None` before
    /// [`Machine::init`].
    fn with_kernel<R>(
        &'static self,
        f: impl FnOnce(&mut LockedKernel<'_, Self::Config, Self::Port<'_>>) -> R,
    ) -> Option<R>;

    /// With the core, and the CPU that calls; nothing is decided. `None` before [`Machine::init`].
    fn with_core<R>(
        &'static self,
        f: impl FnOnce(&mut Core<Self::Config>, CpuId) -> R,
    ) -> Option<R>;

    /// Whether a thread calls, so that it can wait: neither the handler of an interrupt nor `main`.
    fn in_thread(&'static self) -> bool;

    /// The time since the kernel started.
    fn now(&'static self) -> Time;

    /// Keeps the calling thread busy for so long.
    fn compute(&'static self, length: Duration);

    /// From now on `handler` is called at every interrupt of `line`. It may signal, post and
    /// release, and it cannot wait.
    ///
    /// # Errors
    /// [`Error::Unknown`] if there is no such line, or the kernel has it.
    fn attach(&'static self, line: u16, handler: extern "C" fn()) -> Result<(), Error>;

    /// `line` interrupts now, on the CPU that calls.
    fn pend(&'static self, line: u16);

    /// The line of the application's timer.
    fn timer_line(&'static self) -> u16;

    /// The application's timer of the CPU that calls interrupts once, after `after`. What was set
    /// before is forgotten.
    fn set_timer(&'static self, after: Duration);

    /// Writes text. What cannot be written is lost.
    fn print(&'static self, text: &str);

    /// Writes text to where errors go.
    fn print_error(&'static self, text: Arguments<'_>);

    /// Writes a file of the computer that runs the machine or debugs it, and calls `contents` once.
    /// Returns whether the file is complete; a machine without such a computer writes none.
    fn write_file(&'static self, name: &CStr, contents: &mut FileContents<'_>) -> bool {
        let _ = (name, contents);
        false
    }

    /// From here on nothing else runs, so that what the caller prints before it ends the program is whole. On the host
    /// nothing is stopped. Where another one has called this before, it does not return.
    fn stop_others(&'static self) {}

    /// Ends the program with an exit code, where there is anything that takes one.
    fn shut_down(&'static self, code: u8) -> !;

    /// How many words of its stack a thread has ever used, of those that it may. `None` where that
    /// is not known, as stacks are not painted, or there never was such a thread. O(words).
    fn high_water(&'static self, thread: TaskId) -> Option<usize> {
        let _ = thread;
        None
    }

    /// As [`Machine::with_kernel`] on the `number`-th cluster of CPUs, before [`Machine::start`].
    /// `None` if there is no such cluster, or it is too late.
    fn with_kernel_of<R>(
        &'static self,
        number: u8,
        f: impl FnOnce(&mut LockedKernel<'_, Self::Config, Self::Port<'_>>) -> R,
    ) -> Option<R> {
        if number == 0 {
            self.with_kernel(f)
        } else {
            None
        }
    }

    /// A call in two halves: `quick`, after which there is nothing to decide, and, if that returns
    /// `None`, `slow`, which may have to wait. The first is to be part of the program that calls.
    /// It may be told the time for a trace alone, and the second one where [`Core::READS_CLOCK`]
    /// says so; otherwise [`Time::ZERO`].
    ///
    /// # Errors
    /// What they say.
    #[inline(always)]
    fn try_or<T>(
        &'static self,
        quick: impl FnOnce(&mut Core<Self::Config>, CpuId, Time) -> Result<Option<T>, Error>,
        slow: impl FnOnce(&mut Core<Self::Config>, CpuId, Time) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.enter(CallKind::Patient, |core, cpu, now| {
            match quick(core, cpu, now)? {
                Some(value) => Ok(value),
                None => slow(core, cpu, now),
            }
        })
    }

    /// A call that may have to wait; `None`: it has. `f` is told the time.
    ///
    /// # Errors
    /// What `f` says.
    fn call<T>(
        &'static self,
        f: impl FnOnce(&mut Core<Self::Config>, CpuId, Time) -> Result<Poll<T>, Error>,
    ) -> Result<Option<T>, Error> {
        self.enter(CallKind::Call, f).map(ready)
    }

    /// A call that may have to wait, for ever if need be. The time that `f` is told is
    /// [`Time::ZERO`] unless [`Core::READS_CLOCK`], so that the clock need not be read.
    ///
    /// # Errors
    /// What `f` says.
    #[inline]
    fn call_patiently<T>(
        &'static self,
        f: impl FnOnce(&mut Core<Self::Config>, CpuId, Time) -> Result<Poll<T>, Error>,
    ) -> Result<Option<T>, Error> {
        self.enter(CallKind::Patient, f).map(ready)
    }

    /// A call that does not wait, and may come from an interrupt. The time that `f` is told is
    /// [`Time::ZERO`] unless [`Core::READS_CLOCK`].
    ///
    /// # Errors
    /// What `f` says.
    #[inline]
    fn act<T>(
        &'static self,
        f: impl FnOnce(&mut Core<Self::Config>, CpuId, Time) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.enter(CallKind::Act, f)
    }

    /// The same, with an `f` that has to know the time.
    ///
    /// # Errors
    /// What `f` says.
    fn act_now<T>(
        &'static self,
        f: impl FnOnce(&mut Core<Self::Config>, CpuId, Time) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.enter(CallKind::ActNow, f)
    }

    /// Whether the caller may wait, as only a thread can; not looked at without [`Config::CHECKS`].
    #[inline]
    fn can_wait(&'static self) -> bool {
        !<Self::Config as Config>::CHECKS || self.in_thread()
    }

    /// Of a call that is about to wait: whether its variables last until the wait ends, as a thread's do, and those of an interrupt's handler
    /// do not. With checks [`Machine::can_wait`] has told that before. Also to be asked within the kernel.
    #[inline]
    fn lasts(&'static self) -> bool {
        <Self::Config as Config>::CHECKS || self.in_thread()
    }

    /// The name under which the calling thread changes objects in memory without the kernel
    /// ([`Core::quick_name`]). Zero: it has to ask the kernel, or is no thread.
    #[inline]
    fn name(&'static self) -> u32 {
        let name =
            self.with_core(|core, cpu| core.running_task(cpu).map(|task| core.quick_name(task)));
        name.flatten().filter(|_| self.in_thread()).unwrap_or(0)
    }

    /// Whether a thread calls, and the policy follows which threads use queues
    /// ([`Wants::levels`](flyball_policy::Wants::levels)). Where it does not, this is known when the application is compiled.
    #[inline]
    fn follows_caller(&'static self) -> bool {
        <Self::Config as Config>::Policy::WANTS.levels && self.in_thread()
    }

    /// How the wait ended that the calling thread came back from.
    ///
    /// # Errors
    /// As [`Core::outcome`].
    #[inline]
    fn outcome(&'static self) -> Result<(), Error> {
        self.with_core(Core::outcome)
            .unwrap_or(Err(Error::NoThread))
    }

    /// With the core: to look at what it knows. `None` before [`Machine::init`].
    #[inline]
    fn look<R>(&'static self, f: impl FnOnce(&mut Core<Self::Config>) -> R) -> Option<R> {
        self.with_core(|core, _| f(core))
    }

    /// Makes a thread that begins at `entry` with `argument`.
    ///
    /// # Errors
    /// As [`Core::spawn`]; [`Error::Invalid`] if its late jobs were to be given up, for which there
    /// is [`Machine::spawn_on`].
    fn spawn<const N: usize>(
        &'static self,
        stack: &'static mut Stack<N>,
        attributes: AttributesOf<Self>,
        params: Params<Self>,
        entry: EntryPoint,
        argument: usize,
    ) -> Result<ThreadId, Error> {
        if attributes.on_miss == OnMiss::Abort {
            return Err(Error::Invalid);
        }
        // SAFETY: `entry` is safe to call, and may be called anywhere; once, as its job is not
        // given up.
        unsafe { self.spawn_on(stack.words(), attributes, params, entry, argument) }
    }

    /// The same on any words of memory.
    ///
    /// # Errors
    /// As [`Core::spawn`] and [`Machine::prepare_stack`].
    ///
    /// # Safety
    /// `entry` may be called with `argument` in a thread of its own. If a late job is given up
    /// ([`OnMiss::Abort`]), `entry` may be called again and again, and whatever its calls had on
    /// the stack is forgotten, at any instant.
    unsafe fn spawn_on(
        &'static self,
        stack: &'static mut [usize],
        attributes: AttributesOf<Self>,
        params: Params<Self>,
        entry: EntryPoint,
        argument: usize,
    ) -> Result<ThreadId, Error> {
        let stack = Self::prepare_stack(stack)?;
        // SAFETY: as the caller promises.
        let spawned = self.with_kernel(|kernel| unsafe {
            kernel.spawn_on(stack, attributes, params, entry, argument)
        });
        spawned.unwrap_or(Err(Error::Unknown))
    }
}

/// What a call answers: nothing, if the thread has waited.
#[inline(always)]
fn ready<T>(poll: Poll<T>) -> Option<T> {
    match poll {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}
