//! Threads and their stacks.

use crate::seam::{self, Binding};
use crate::semaphore::Semaphore;
use core::fmt;
use core::marker::PhantomData;
use core::sync::atomic::{AtomicU16, AtomicU32, Ordering};
use flyball_kernel::{At, Attributes, Error, OnMiss, SemaphoreId, ThreadId};
use flyball_policy::{Budget, Counts};
use flyball_trace::{Duration, TaskId, Time};
use static_cell::ConstStaticCell;

/// Room for a thread's stack, in words of the machine, of four or eight bytes: an even number, at
/// least 64 (128 on RISC-V). The thread's body is kept at its top.
///
/// A stack is for one thread, for ever. How much a thread needs is for the application to know:
/// what its functions have in local variables, and some 32 words for an interrupt.
///
/// So a stack is a name for its thread as well, for code that has no [`Handle`]: the handler of an
/// interrupt, for example, which releases a job by [`Stack::release`].
pub struct Stack<const WORDS: usize> {
    words: ConstStaticCell<Words<WORDS>>,
    /// The thread's row, plus one; 0: there is none yet. Written once, after `generation`.
    row: AtomicU16,
    generation: AtomicU32,
}

#[cfg_attr(target_pointer_width = "32", repr(align(8)))]
#[cfg_attr(not(target_pointer_width = "32"), repr(align(16)))]
struct Words<const N: usize>([usize; N]);

impl<const WORDS: usize> Stack<WORDS> {
    /// A stack that no thread has yet.
    pub const fn new() -> Stack<WORDS> {
        const {
            assert!(
                WORDS >= 64 && WORDS.is_multiple_of(2),
                "a stack is too small, or not even: it has 64 words or more, and an even number"
            );
        }
        Stack {
            words: ConstStaticCell::new(Words([0; WORDS])),
            row: AtomicU16::new(0),
            generation: AtomicU32::new(0),
        }
    }

    /// The thread that has this stack, or had it until it ended; `None`: there has been none.
    pub fn thread(&self) -> Option<ThreadId> {
        let row = self.row.load(Ordering::Acquire).checked_sub(1)?;
        let generation = self.generation.load(Ordering::Relaxed);
        Some(ThreadId::new(TaskId(row), generation))
    }

    /// Releases a job of the sporadic thread that has this stack, now or as soon as the separation
    /// allows. Also from interrupts.
    ///
    /// # Errors
    /// As [`Handle::release`]; [`Error::Unknown`] if no thread has the stack yet.
    #[inline]
    pub fn release(&self) -> Result<(), Error> {
        seam::_flyball_release(self.thread().ok_or(Error::Unknown)?)
    }

    /// The thread that has this stack, and has [parked](crate::park) itself, goes on; if it has
    /// not, it does not wait when it does so next. Also from interrupts.
    ///
    /// # Errors
    /// As [`Handle::unpark`]; [`Error::Unknown`] if no thread has the stack yet.
    #[inline]
    pub fn unpark(&self) -> Result<(), Error> {
        seam::_flyball_unpark(self.thread().ok_or(Error::Unknown)?)
    }

    /// From now on it has this thread.
    #[inline(never)]
    fn belongs_to(&self, thread: ThreadId) {
        self.generation
            .store(thread.generation(), Ordering::Relaxed);
        let row = thread.task().0.saturating_add(1);
        self.row.store(row, Ordering::Release);
    }

    #[inline(never)]
    fn take(&'static self) -> Result<&'static mut [usize], Error> {
        let words = self.words.try_take().ok_or(Error::Taken)?;
        Ok(&mut words.0)
    }
}

impl<const WORDS: usize> Default for Stack<WORDS> {
    fn default() -> Self {
        Stack::new()
    }
}

/// How a thread's jobs are released and watched.
///
/// ```
/// use flyball_app::{Duration, Semaphore, Thread};
///
/// static LATE: Semaphore = Semaphore::new(0);
///
/// let control = Thread::periodic(Duration::from_millis(10))
///     .deadline(Duration::from_millis(8))
///     .alert(&LATE);
/// ```
#[derive(Clone, Copy)]
#[must_use = "this describes a thread; `spawn` makes one"]
pub struct Thread {
    attributes: Attributes<At>,
}

impl Thread {
    /// One job, which may go on without end, and has no deadline.
    pub const fn once() -> Thread {
        Thread::new(Attributes::THREAD)
    }

    /// A job every `period`, whose deadline is the next release. The body does a job, and then
    /// [`wait_next`](crate::wait_next).
    pub const fn periodic(period: Duration) -> Thread {
        Thread::new(Attributes::periodic(period))
    }

    /// A job for each [`Handle::release`], no two within `separation`, whose deadline is the
    /// earliest instant of the next one.
    pub const fn sporadic(separation: Duration) -> Thread {
        Thread::new(Attributes::sporadic(separation))
    }

    const fn new(attributes: Attributes<At>) -> Thread {
        Thread { attributes }
    }

    /// Each job has to be complete within `deadline` of its release.
    pub const fn deadline(mut self, deadline: Duration) -> Thread {
        self.attributes.deadline = Some(deadline);
        self
    }

    /// Whether jobs are late is not watched.
    pub const fn without_deadline(mut self) -> Thread {
        self.attributes.deadline = None;
        self
    }

    /// The first job is released at `start`, or not before it.
    pub const fn start(mut self, start: Time) -> Thread {
        self.attributes.start = start;
        self
    }

    /// After a miss, releases are left out until the thread has caught up. (Otherwise later jobs
    /// wait for the late one.)
    pub const fn skip_when_late(mut self) -> Thread {
        self.attributes.on_miss = OnMiss::Skip;
        self
    }

    /// `semaphore` is signalled at each miss, so that a thread that waits for it handles the miss.
    pub const fn alert(mut self, semaphore: &'static Semaphore) -> Thread {
        self.attributes.alert = Some(SemaphoreId::at(semaphore.at_for_ever()));
        self
    }
}

/// A thread. The handle of a thread that has ended stays that thread's: its calls say
/// [`Error::Dead`].
pub struct Handle<B: Binding> {
    id: ThreadId,
    binding: PhantomData<fn(B)>,
}

impl<B: Binding> Clone for Handle<B> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<B: Binding> Copy for Handle<B> {}

impl<B: Binding> fmt::Debug for Handle<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.id.fmt(f)
    }
}

impl<B: Binding> Handle<B> {
    fn new(id: ThreadId) -> Self {
        Handle {
            id,
            binding: PhantomData,
        }
    }

    /// As the kernel names it.
    pub fn id(self) -> ThreadId {
        self.id
    }

    /// Waits until the thread has ended.
    ///
    /// # Errors
    /// [`Error::Deadlock`] for the calling thread itself; [`Error::NoThread`] where no thread
    /// calls.
    #[inline]
    pub fn join(self) -> Result<(), Error> {
        self.join_until(Time::NEVER)
    }

    /// The same, but waits until `until` at the latest.
    ///
    /// # Errors
    /// As [`Handle::join`]; [`Error::TimedOut`].
    #[inline]
    pub fn join_until(self, until: Time) -> Result<(), Error> {
        seam::_flyball_join(self.id, until)
    }

    /// Releases a job of a sporadic thread, now or as soon as the separation allows. Also from
    /// interrupts.
    ///
    /// # Errors
    /// [`Error::NotSporadic`], [`Error::Dead`]; [`Error::Full`] if the job would have to wait for
    /// earlier ones and there is no room; it is lost then.
    #[inline]
    pub fn release(self) -> Result<(), Error> {
        seam::_flyball_release(self.id)
    }

    /// A thread that has [parked](crate::park) itself goes on; one that has not does not wait when
    /// it does so next. Also from interrupts.
    ///
    /// # Errors
    /// [`Error::Dead`].
    #[inline]
    pub fn unpark(self) -> Result<(), Error> {
        seam::_flyball_unpark(self.id)
    }

    /// The CPU time that the thread has used so far, as [`cpu_time`](crate::cpu_time) counts it; zero
    /// without accounting.
    ///
    /// # Errors
    /// [`Error::Dead`].
    #[inline]
    pub fn cpu_time(self) -> Result<Duration, Error> {
        seam::_flyball_cpu_time(self.id)
    }

    /// What the processor has counted of the thread, as [`counters`](crate::counters) has it.
    ///
    /// # Errors
    /// [`Error::Dead`].
    pub fn counters(self) -> Result<Counts<u64>, Error> {
        seam::_flyball_counts(self.id)
    }

    /// How many words of its stack the thread has ever used, so that a stack can be made as large
    /// as it has to be. `None` on machines and in applications that do not
    /// [watch](crate::Settings::guarded) stacks. O(words).
    pub fn stack_used(self) -> Option<usize> {
        seam::_flyball_stack_used(self.id)
    }

    /// What the thread's server has of its budget now; `None`: the thread has no server, that has not
    /// had a budget yet, or the policy has no servers.
    ///
    /// # Errors
    /// [`Error::Dead`].
    pub fn budget(self) -> Result<Option<Budget>, Error> {
        seam::_flyball_budget(self.id)
    }

    /// From now on `semaphore` is signalled each time that the budget of the thread's server is used
    /// up, by whichever of its threads; so a thread that waits for it handles the overrun.
    ///
    /// # Errors
    /// [`Error::Dead`]; [`Error::Invalid`] if the thread has no server; [`Error::Full`] if the
    /// application does not say [`overruns`](crate::Settings::overruns).
    pub fn on_exhaust(self, semaphore: &'static Semaphore) -> Result<(), Error> {
        seam::_flyball_on_exhaust(self.id, semaphore.at_for_ever())
    }

    /// Gives the thread new parameters for the policy.
    ///
    /// # Errors
    /// [`Error::Dead`]; [`Error::Refused`] if the policy does not take them.
    #[inline]
    pub fn adjust(self, params: B::Params) -> Result<(), Error> {
        B::adjust(self.id, params)
    }
}

/// Makes a thread that runs `body` on `stack`, and ends when that returns. The policy is told
/// `params`. [`kernel!`](crate::kernel!) makes a function of the same name that knows which
/// application it is for.
///
/// # Errors
/// [`Error::Taken`] if the stack has been used already; [`Error::Full`] if kernel or policy have no
/// room for another thread; [`Error::Invalid`] if a length of time is zero, or `body` does not
/// leave 64 words of the stack; [`Error::Refused`] if the policy does not take `params`. But for
/// the first of these the stack is lost.
pub fn spawn<B: Binding, const WORDS: usize>(
    stack: &'static Stack<WORDS>,
    thread: Thread,
    params: B::Params,
    body: impl FnOnce() + Send + 'static,
) -> Result<Handle<B>, Error> {
    let id = seam::spawn_once::<B, _>(stack.take()?, thread.attributes, params, body)?;
    stack.belongs_to(id);
    Ok(Handle::new(id))
}

/// The same for a thread whose job is given up when it is late: `body` begins anew with the next
/// one (or the thread ends, if it has only one job), and mutexes that the thread had locked are
/// unlocked. The kernel has to know which these are, so all such threads together may have
/// [`Settings::held`](crate::Settings::held) mutexes.
///
/// # Errors
/// As [`spawn`].
///
/// # Safety
/// A job is given up at *any* instant, between any two instructions. Its stack is not unwound: what
/// is there is forgotten, and overwritten by the next job. So, for all that `body` does and calls:
///
/// * nothing but the thread itself refers to anything on its stack, whatever is pinned there;
/// * whatever it changes that others see, or that it sees again itself, is in order at any instant.
///   That goes for what a [`Mutex`](crate::Mutex) protects, too: it is unlocked in the middle of a
///   change. Single words in atomics are fine, and so are the kernel's own objects.
/// * a guard that it leaks is of a mutex in a static.
///
/// Where that cannot be promised, let the job go on ([`Thread::skip_when_late`]), have an
/// [alert](Thread::alert) say that it is late, and look for that where it may stop.
#[expect(unsafe_code, reason = "it forgets stacks")]
pub unsafe fn spawn_abortable<B: Binding, const WORDS: usize>(
    stack: &'static Stack<WORDS>,
    mut thread: Thread,
    params: B::Params,
    body: impl Fn() + Send + 'static,
) -> Result<Handle<B>, Error> {
    thread.attributes.on_miss = OnMiss::Abort;
    // SAFETY: as the caller promises.
    let id = unsafe { seam::spawn_again::<B, _>(stack.take()?, thread.attributes, params, body)? };
    stack.belongs_to(id);
    Ok(Handle::new(id))
}
