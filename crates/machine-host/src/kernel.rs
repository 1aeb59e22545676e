//! The way in and out of the core.

use crate::devices::Interrupts;
use crate::run::State;
use crate::threads::{Entry, Thread, stack, suspend};
use core::cell::RefCell;
use core::task::Poll;
use flyball_kernel::{
    Attributes, Config, Core, Entry as KernelEntry, Error, Sizes, ThreadId, Timing,
};
use flyball_policy::{CpuId, Duration, Policy, TaskId, Time};
use std::sync::OnceLock;
use std::thread;

/// The only CPU.
pub(crate) const CPU: CpuId = CpuId(0);

/// The kernel of an application: one static, made by [`kernel!`](crate::kernel!).
///
/// It belongs to the thread of the operating system that set it up. For all others there is no
/// kernel here.
pub struct Kernel<C: Config> {
    owner: OnceLock<thread::ThreadId>,
    state: RefCell<Option<State<C>>>,
}

// SAFETY: only the thread that is the owner touches the state, and there is only one.
unsafe impl<C: Config> Sync for Kernel<C> {}

thread_local! {
    /// This thread of the operating system.
    static HERE: thread::ThreadId = thread::current().id();
}

impl<C: Config> Kernel<C> {
    /// A kernel that has not been set up.
    pub const fn new() -> Kernel<C> {
        Kernel {
            owner: OnceLock::new(),
            state: RefCell::new(None),
        }
    }

    /// Makes the kernel, which belongs to this thread of the operating system from now on. The
    /// clock stands at [`Time::ZERO`]. The second time nothing happens.
    pub fn set_up(&'static self, policy: C::Policy, trace: C::Trace, timing: Timing) {
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

    /// With the state. `None`: this is not the thread that set the kernel up, or the kernel is
    /// being looked at already.
    #[inline]
    pub(crate) fn with<R>(&'static self, f: impl FnOnce(&mut State<C>) -> R) -> Option<R> {
        let here = HERE.try_with(|&here| here).ok()?;
        if self.owner.get() != Some(&here) {
            return None;
        }
        self.state.try_borrow_mut().ok()?.as_mut().map(f)
    }

    /// Makes a thread that begins at `entry` with `argument`. The kernel takes `_stack`, but the
    /// thread does not run on it: code for a desktop computer needs more than a microcontroller
    /// has.
    ///
    /// # Errors
    /// As [`Core::spawn`]; [`Error::Unknown`] if there is no kernel here.
    ///
    /// # Safety
    /// `entry` may be called with `argument` in a thread of its own. If a late job is given up
    /// ([`OnMiss::Abort`](flyball_kernel::OnMiss::Abort)), `entry` may be called again and again,
    /// and whatever its calls had on the stack may be forgotten, in the middle of any
    /// [`Kernel::compute`] and of any other call.
    pub unsafe fn spawn_on(
        &'static self,
        _stack: &'static mut [usize],
        attributes: Attributes,
        params: <C::Policy as Policy>::Params,
        entry: Entry,
        argument: usize,
    ) -> Result<ThreadId, Error> {
        let spawned = self.with(|state| {
            let stack = stack()?;
            let id = state.core.spawn(CPU, attributes, params, state.now)?;
            let thread = Thread::new(stack, id, entry, argument);
            let row = id.task().index();
            if state.threads.len() <= row {
                state.threads.resize_with(row + 1, || None);
            }
            state.threads[row] = Some(thread);
            Ok(id)
        });
        self.serve();
        spawned.unwrap_or(Err(Error::Unknown))
    }

    /// The virtual time.
    #[inline]
    pub fn now(&'static self) -> Time {
        self.with(|state| state.now).unwrap_or(Time::ZERO)
    }

    /// The calling thread computes for so long, during which others may preempt it. Takes no time
    /// where no thread calls.
    pub fn compute(&'static self, length: Duration) {
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

    /// Whether a thread calls, so that it can wait: neither an interrupt's handler nor `main`.
    #[inline]
    pub fn in_thread(&'static self) -> bool {
        self.with(|state| state.active.is_some()).unwrap_or(false)
    }

    /// A call that may have to wait, which only a thread can do ([`Kernel::in_thread`]); any code
    /// may make those that never wait. `f` is told the time.
    ///
    /// # Errors
    /// What `f` says; [`Error::NoThread`] if there is no kernel here.
    #[inline]
    pub fn call<T>(
        &'static self,
        f: impl FnOnce(&mut Core<C>, CpuId, Time) -> Result<Poll<T>, Error>,
    ) -> Result<Option<T>, Error> {
        let (result, caller) = self
            .with(|state| {
                let running = state.core.running(CPU);
                let entry = KernelEntry::instant(CPU, state.now);
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
        match result? {
            Poll::Ready(value) => Ok(Some(value)),
            Poll::Pending if caller.is_some() => Ok(None),
            Poll::Pending => Err(Error::NoThread),
        }
    }

    /// A call in two halves: `quick`, after which there is nothing to decide, and, if that returns
    /// `None`, `slow`, which may have to wait.
    ///
    /// # Errors
    /// What they say; [`Error::NoThread`] if there is no kernel here.
    #[inline]
    pub fn try_or<T>(
        &'static self,
        quick: impl FnOnce(&mut Core<C>, CpuId, Time) -> Result<Option<T>, Error>,
        slow: impl FnOnce(&mut Core<C>, CpuId, Time) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let tried = self.with(|state| quick(&mut state.core, CPU, state.now));
        match tried.ok_or(Error::NoThread)?? {
            Some(value) => Ok(value),
            None => self.act(slow),
        }
    }

    /// A call that need not wait, or comes back from its wait with what `f` has said before.
    ///
    /// # Errors
    /// What `f` says; [`Error::NoThread`] if there is no kernel here.
    #[inline]
    pub fn act<T>(
        &'static self,
        f: impl FnOnce(&mut Core<C>, CpuId, Time) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let done = self.call(|core, cpu, now| f(core, cpu, now).map(Poll::Ready))?;
        done.ok_or(Error::NoThread)
    }

    /// The same: to look at a virtual clock costs nothing.
    ///
    /// # Errors
    /// What `f` says; [`Error::NoThread`] if there is no kernel here.
    #[inline]
    pub fn act_now<T>(
        &'static self,
        f: impl FnOnce(&mut Core<C>, CpuId, Time) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.act(f)
    }

    /// Whether the caller may wait, as only a thread can.
    #[inline]
    pub fn can_wait(&'static self) -> bool {
        self.in_thread()
    }

    /// The same as [`Kernel::call`]: to look at a virtual clock costs nothing.
    ///
    /// # Errors
    /// What `f` says; [`Error::NoThread`] if there is no kernel here.
    #[inline]
    pub fn call_patiently<T>(
        &'static self,
        f: impl FnOnce(&mut Core<C>, CpuId, Time) -> Result<Poll<T>, Error>,
    ) -> Result<Option<T>, Error> {
        self.call(f)
    }

    /// How the wait ended that the calling thread came back from.
    ///
    /// # Errors
    /// As [`Core::outcome`].
    #[inline]
    pub fn outcome(&'static self) -> Result<(), Error> {
        self.with(|state| state.core.outcome(CPU))
            .unwrap_or(Err(Error::NoThread))
    }

    /// Copies the message that the calling thread has received.
    ///
    /// # Errors
    /// As [`Core::received`].
    #[inline]
    pub fn received(&'static self, message: &mut C::Message) -> Result<(), Error> {
        self.with(|state| {
            state
                .core
                .received(CPU)
                .map(|received| *message = *received)
        })
        .unwrap_or(Err(Error::NoThread))
    }

    /// How much of its stack a thread has used: not known here, where stacks are the operating
    /// system's.
    pub fn high_water(&'static self, _: TaskId) -> Option<usize> {
        None
    }

    /// With the core: to look at what it knows. `None` if there is no kernel here, or it is being
    /// looked at already.
    #[inline]
    pub fn look<R>(&'static self, f: impl FnOnce(&mut Core<C>) -> R) -> Option<R> {
        self.with(|state| f(&mut state.core))
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

impl<C: Config> Default for Kernel<C> {
    fn default() -> Self {
        Kernel::new()
    }
}
