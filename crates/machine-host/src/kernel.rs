//! The way in and out of the core: the [`Machine`] that all calls of applications are made on.

use crate::devices::{Interrupts, TIMER};
use crate::run::{Cpu, State};
use crate::threads::{stack, suspend};
use core::cell::RefCell;
use core::ffi::CStr;
use core::fmt::Arguments;
use core::task::Poll;
use corosensei::stack::DefaultStack;
use flyball_kernel::{Config, Core, Entry, Error, Sizes, ThreadId, Timing};
use flyball_policy::{CpuId, Duration, Time};
use flyball_port::{CallKind, FileContents, LockedKernel, Machine};
use std::ffi::OsStr;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::sync::OnceLock;
use std::thread;

/// The only CPU.
pub(crate) const CPU: CpuId = CpuId(0);

/// The kernel of an application: one static, made by [`kernel!`](crate::kernel!).
///
/// It belongs to the thread of the operating system that initialised it. For all others there is no
/// kernel here.
pub struct Kernel<C: Config<Stamp = Time>> {
    owner: OnceLock<thread::ThreadId>,
    state: RefCell<Option<State<C>>>,
}

// SAFETY: only the thread that is the owner touches the state, and there is only one.
unsafe impl<C: Config<Stamp = Time>> Sync for Kernel<C> {}

thread_local! {
    /// This thread of the operating system.
    static HERE: thread::ThreadId = thread::current().id();
}

impl<C: Config<Stamp = Time>> Kernel<C> {
    /// A kernel that has not been initialised.
    pub const fn new() -> Kernel<C> {
        Kernel {
            owner: OnceLock::new(),
            state: RefCell::new(None),
        }
    }

    /// Ends the kernel, and frees the stacks of its threads; whatever they had there is forgotten,
    /// not dropped. From now on there is no kernel here. Does nothing while it runs.
    ///
    /// # Safety
    /// Nothing on the stacks has to be dropped, and nothing else refers to it.
    pub unsafe fn tear_down(&'static self) {
        let idle = self.with(|state| state.active.is_none() && !state.in_handler);
        if idle != Some(true) {
            return;
        }
        // The kernel is idle, so the state is not in use.
        let state = self.state.borrow_mut().take();
        for thread in state.into_iter().flat_map(|state| state.threads).flatten() {
            // SAFETY: as the caller promises.
            unsafe { thread.discard() };
        }
    }

    /// With the state. `None`: this is not the thread that initialised the kernel, or the kernel is
    /// being looked at already.
    #[inline]
    pub(crate) fn with<R>(&'static self, f: impl FnOnce(&mut State<C>) -> R) -> Option<R> {
        let here = HERE.try_with(|&here| here).ok()?;
        if self.owner.get() != Some(&here) {
            return None;
        }
        self.state.try_borrow_mut().ok()?.as_mut().map(f)
    }

    /// One entry. Returns, beside what `f` says, whether the caller is a thread that has given the
    /// processor back meanwhile.
    #[inline]
    fn entered<T>(
        &'static self,
        f: impl FnOnce(&mut Core<C>, CpuId, Time) -> Result<T, Error>,
    ) -> Result<(T, bool), Error> {
        let (result, caller) = self
            .with(|state| {
                let running = state.core.running(CPU);
                let entry = Entry::instant(CPU, state.now);
                let result = f(&mut state.core, CPU, entry.now());
                // A thread that may not be the most urgent one any more lets the others run.
                let decides = state.active.is_some() && state.core.needs_resched(CPU);
                if decides {
                    state.end_at_once(entry);
                } else {
                    entry.cancel();
                }
                (result, running.filter(|_| decides))
            })
            .ok_or(Error::NoThread)?;
        if let Some(caller) = caller {
            self.wait_for_turn(caller);
        }
        Ok((result?, caller.is_some()))
    }

    /// `line` interrupts at the virtual instant `at`, or now if that has passed. A line may be
    /// asked for any number of instants ahead. Without a handler nothing happens.
    pub fn pend_at(&'static self, line: u16, at: Time) {
        self.with(|state| state.interrupts.ask(line, at));
        self.serve();
    }

    /// The calling thread, if it is one, lets happen what is due now.
    pub(crate) fn serve(&'static self) {
        let caller = self.with(|state| {
            let due = state.interrupts.next() <= state.now || state.core.needs_resched(CPU);
            state.serving |= due;
            state
                .active
                .and_then(|_| state.core.running(CPU))
                .filter(|_| due)
        });
        if let Some(caller) = caller.flatten() {
            self.wait_for_turn(caller);
        }
    }

    /// The calling thread waits until it is its turn again.
    fn wait_for_turn(&'static self, me: ThreadId) {
        loop {
            suspend();
            if self.look(|core| core.running(CPU)).flatten() == Some(me) {
                return;
            }
        }
    }
}

impl<C: Config<Stamp = Time> + 'static> Machine for Kernel<C> {
    type Config = C;
    type Stack = DefaultStack;
    type Port<'a> = Cpu<'a>;

    /// The kernel belongs to this thread of the operating system from now on. The clock stands at
    /// [`Time::ZERO`]. The second time nothing happens.
    fn init(&'static self, policy: C::Policy, trace: C::Trace, timing: Timing) {
        if self.owner.set(thread::current().id()).is_ok() {
            *self.state.borrow_mut() = Some(State {
                core: Core::new(policy, trace, timing, &Sizes::FIXED),
                now: Time::ZERO,
                threads: Vec::new(),
                active: None,
                in_handler: false,
                serving: false,
                resumed: 0,
                interrupts: Interrupts::default(),
            });
        }
    }

    /// The kernel takes the words, but no thread runs on them: code for a desktop computer needs
    /// more than a microcontroller has.
    fn prepare_stack(_: &'static mut [usize]) -> Result<DefaultStack, Error> {
        stack()
    }

    /// When all threads have ended the process ends with exit code 0. When those that are left wait
    /// for ever it says so, and ends with 1; a panic ends it with 101, whichever thread it is in.
    fn start(&'static self) -> ! {
        self.run_to_the_end()
    }

    #[inline]
    fn enter<T>(
        &'static self,
        _: CallKind,
        f: impl FnOnce(&mut Core<C>, CpuId, Time) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.entered(f).map(|(result, _)| result)
    }

    /// Only a thread can wait. Any code may make calls that never do.
    #[inline]
    fn call<T>(
        &'static self,
        f: impl FnOnce(&mut Core<C>, CpuId, Time) -> Result<Poll<T>, Error>,
    ) -> Result<Option<T>, Error> {
        match self.entered(f)? {
            (Poll::Ready(value), _) => Ok(Some(value)),
            (Poll::Pending, true) => Ok(None),
            (Poll::Pending, false) => Err(Error::NoThread),
        }
    }

    #[inline]
    fn call_patiently<T>(
        &'static self,
        f: impl FnOnce(&mut Core<C>, CpuId, Time) -> Result<Poll<T>, Error>,
    ) -> Result<Option<T>, Error> {
        self.call(f)
    }

    fn with_kernel<R>(
        &'static self,
        f: impl FnOnce(&mut LockedKernel<'_, C, Cpu<'_>>) -> R,
    ) -> Option<R> {
        let result = self.with(|state| {
            let now = state.now;
            let (core, cpu) = state.split();
            f(&mut LockedKernel::new(core, CPU, now, cpu))
        });
        self.serve();
        result
    }

    #[inline]
    fn with_core<R>(&'static self, f: impl FnOnce(&mut Core<C>, CpuId) -> R) -> Option<R> {
        self.with(|state| f(&mut state.core, CPU))
    }

    #[inline]
    fn in_thread(&'static self) -> bool {
        self.with(|state| state.active.is_some()).unwrap_or(false)
    }

    /// Looked at without checks, too.
    #[inline]
    fn can_wait(&'static self) -> bool {
        self.in_thread()
    }

    /// It has been looked at.
    #[inline]
    fn lasts(&'static self) -> bool {
        true
    }

    /// The virtual time.
    #[inline]
    fn now(&'static self) -> Time {
        self.with(|state| state.now).unwrap_or(Time::ZERO)
    }

    /// Others may preempt the thread meanwhile. Takes no time where no thread calls.
    fn compute(&'static self, length: Duration) {
        let me = self.with(|state| {
            let row = state.active?;
            state.threads[row].as_mut()?.left = length;
            state.core.running(CPU)
        });
        if let Some(me) = me.flatten()
            && !length.is_zero()
        {
            self.wait_for_turn(me);
        }
    }

    /// A handler takes no time.
    fn attach(&'static self, line: u16, handler: extern "C" fn()) -> Result<(), Error> {
        self.with(|state| state.interrupts.attach(line, handler))
            .unwrap_or(Err(Error::Unknown))
    }

    fn pend(&'static self, line: u16) {
        self.pend_at(line, Time::ZERO);
    }

    fn timer_line(&'static self) -> u16 {
        TIMER
    }

    fn set_timer(&'static self, after: Duration) {
        self.with(|state| {
            state.interrupts.forget(TIMER);
            state.interrupts.ask(TIMER, state.now + after);
        });
        self.serve();
    }

    fn print(&'static self, text: &str) {
        let _ = std::io::stdout().write_all(text.as_bytes());
    }

    fn print_error(&'static self, text: Arguments<'_>) {
        let _ = std::io::stderr().write_fmt(text);
    }

    fn write_file(&'static self, name: &CStr, contents: &mut FileContents<'_>) -> bool {
        let mut bytes = Vec::new();
        contents(&mut |more| bytes.extend_from_slice(more));
        let name = OsStr::from_bytes(name.to_bytes());
        std::fs::write(name, bytes).is_ok()
    }

    fn shut_down(&'static self, code: u8) -> ! {
        let _ = std::io::stdout().flush();
        std::process::exit(i32::from(code))
    }
}

impl<C: Config<Stamp = Time>> Default for Kernel<C> {
    fn default() -> Self {
        Kernel::new()
    }
}
