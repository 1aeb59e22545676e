//! The seam between applications and machines: functions that are declared here and defined by the
//! application's [`kernel!`](crate::kernel!), in terms of its machine's `Kernel`. The linker puts
//! the two together, as it does for the crate `critical-section`; so nothing in an application has
//! to be generic over its kernel.
//!
//! A program without a [`kernel!`](crate::kernel!) does not link: `undefined symbol: _flyball_…`.
//!
//! This module is public for the macros alone.
#![expect(
    unsafe_code,
    reason = "what the linker puts together, the compiler cannot check"
)]

mod bind;
mod bind_c;
mod body;
mod define;

pub(crate) use body::{handler, spawn_again, spawn_once};

use crate::message::Message;
use core::ffi::CStr;
use core::sync::atomic::{AtomicBool, AtomicI16, AtomicU32, Ordering};
use flyball_kernel::{
    At, Attributes, Config, Core, Error, GaugeId, GaugeKind, QueueId, ThreadId, Word,
};
use flyball_policy::{Budget, Counts};
use flyball_port::FileContents;
use flyball_trace::{Duration, Time};

// SAFETY: these are safe to call, if they are defined at all with these types and by Rust code; and
// that is what `__define!` sees to.
unsafe extern "Rust" {
    pub safe fn _flyball_make(place: &AtomicI16, object: Object) -> Result<u16, Error>;

    pub safe fn _flyball_lock(mutex: At) -> Result<(), Error>;
    pub safe fn _flyball_lock_until(mutex: At, until: Time) -> Result<(), Error>;
    pub safe fn _flyball_unlock(mutex: At);

    pub safe fn _flyball_wait(semaphore: At) -> Result<(), Error>;
    pub safe fn _flyball_wait_until(semaphore: At, until: Time) -> Result<(), Error>;
    pub safe fn _flyball_signal(semaphore: At) -> Result<(), Error>;

    pub safe fn _flyball_wait_condition(condition: At, mutex: At, until: Time)
    -> Result<(), Error>;
    pub safe fn _flyball_signal_condition(condition: At);
    pub safe fn _flyball_broadcast(condition: At);

    pub safe fn _flyball_send(queue: QueueId, message: &Message) -> Result<(), Error>;
    pub safe fn _flyball_send_until(
        queue: QueueId,
        message: &Message,
        until: Time,
    ) -> Result<(), Error>;
    pub safe fn _flyball_post(queue: QueueId, message: &Message) -> Result<(), Error>;
    pub safe fn _flyball_receive(queue: QueueId, message: &mut Message) -> Result<(), Error>;
    pub safe fn _flyball_receive_until(
        queue: QueueId,
        message: &mut Message,
        until: Time,
    ) -> Result<(), Error>;
    pub safe fn _flyball_take(queue: QueueId, message: &mut Message) -> Result<(), Error>;
    pub safe fn _flyball_set_level(gauge: GaugeId, level: u16) -> Result<(), Error>;
    pub safe fn _flyball_resize(queue: QueueId, capacity: u16) -> Result<(), Error>;

    pub safe fn _flyball_now() -> Time;
    pub safe fn _flyball_sleep(length: Duration);
    pub safe fn _flyball_sleep_until(until: Time);
    pub safe fn _flyball_yield_now();
    pub safe fn _flyball_control();
    pub safe fn _flyball_park() -> Result<(), Error>;
    pub safe fn _flyball_park_until(until: Time) -> Result<(), Error>;
    pub safe fn _flyball_unpark(thread: ThreadId) -> Result<(), Error>;
    pub safe fn _flyball_wait_next() -> bool;
    pub safe fn _flyball_wait_next_with(result: u8) -> bool;
    pub safe fn _flyball_exit() -> !;
    pub safe fn _flyball_compute(length: Duration);

    pub safe fn _flyball_current() -> Option<ThreadId>;
    pub safe fn _flyball_join(thread: ThreadId, until: Time) -> Result<(), Error>;
    pub safe fn _flyball_release(thread: ThreadId) -> Result<(), Error>;
    pub safe fn _flyball_cpu_time(thread: ThreadId) -> Result<Duration, Error>;
    pub safe fn _flyball_counts(thread: ThreadId) -> Result<Counts<u64>, Error>;
    pub safe fn _flyball_budget(thread: ThreadId) -> Result<Option<Budget>, Error>;
    pub safe fn _flyball_on_exhaust(thread: ThreadId, semaphore: At) -> Result<(), Error>;
    pub safe fn _flyball_stack_used(thread: ThreadId) -> Option<usize>;
    pub safe fn _flyball_set_tick(length: Duration) -> Result<(), Error>;
    pub safe fn _flyball_idle_time() -> Duration;
    pub safe fn _flyball_misses() -> u64;

    pub safe fn _flyball_attach(line: u16, handler: extern "C" fn()) -> Result<(), Error>;
    pub safe fn _flyball_pend(line: u16);
    pub safe fn _flyball_timer_line() -> u16;
    pub safe fn _flyball_set_timer(after: Duration);

    pub safe fn _flyball_print(text: &str);
    pub safe fn _flyball_write_file(name: &CStr, contents: &mut FileContents<'_>) -> bool;
    pub safe fn _flyball_shut_down(code: u8) -> !;

    // For C programs: see `__bind_c!`.
    pub safe fn _flyball_name() -> u32;
    pub safe fn _flyball_name_of(thread: ThreadId) -> u32;
    pub safe fn _flyball_thread(name: u32) -> Option<ThreadId>;
    // How many of its jobs have been late; 0 if there is no such thread.
    pub safe fn _flyball_missed(thread: ThreadId) -> u32;
    // In an interrupt: the thread that runs offers the CPU to others that are as urgent.
    pub safe fn _flyball_offer();
    pub safe fn _flyball_try_unlock(mutex: At) -> Result<(), Error>;
    pub safe fn _flyball_owns(mutex: At) -> bool;
    // Calls that wait, unless one of the bits `set` is in `flag`, or gets there before the wait: then
    // they return `Error::Roused`. (Afterwards `_flyball_rouse` ends the wait; for a mutex,
    // `_flyball_rouse_from_mutex`.)
    pub safe fn _flyball_lock_unless(
        mutex: At,
        until: Time,
        flag: &AtomicU32,
        set: u32,
    ) -> Result<(), Error>;
    pub safe fn _flyball_wait_unless(
        semaphore: At,
        until: Time,
        flag: &AtomicU32,
        set: u32,
    ) -> Result<(), Error>;
    pub safe fn _flyball_wait_condition_unless(
        condition: At,
        mutex: At,
        until: Time,
        flag: &AtomicU32,
        set: u32,
    ) -> Result<(), Error>;
    pub safe fn _flyball_join_unless(
        thread: ThreadId,
        until: Time,
        flag: &AtomicU32,
        set: u32,
    ) -> Result<(), Error>;
    pub safe fn _flyball_sleep_unless(until: Time, flag: &AtomicU32, set: u32)
    -> Result<(), Error>;
    pub safe fn _flyball_rouse(thread: ThreadId) -> Result<bool, Error>;
    pub safe fn _flyball_rouse_from_mutex(
        thread: ThreadId,
        if_set: &AtomicBool,
    ) -> Result<bool, Error>;
}

/// An application's kernel, as far as its policy has types of its own.
pub trait Binding: 'static {
    /// What a thread tells the policy.
    type Params: Copy;

    /// What the whole policy may be told.
    type Settings;

    /// Makes a thread.
    ///
    /// # Errors
    /// As [`Core::spawn`](flyball_kernel::Core::spawn).
    ///
    /// # Safety
    /// `entry` may be called with `argument` in a thread of its own, on that stack; again and
    /// again, if late jobs are given up, and then nothing on the stack needs to be dropped.
    unsafe fn spawn(
        stack: &'static mut [usize],
        attributes: Attributes<At>,
        params: Self::Params,
        entry: extern "C" fn(usize) -> !,
        argument: usize,
    ) -> Result<ThreadId, Error>;

    /// Gives a thread new parameters.
    ///
    /// # Errors
    /// As [`Core::adjust`](flyball_kernel::Core::adjust).
    fn adjust(thread: ThreadId, params: Self::Params) -> Result<(), Error>;

    /// Gives the whole policy other settings.
    ///
    /// # Errors
    /// As [`Core::tune`](flyball_kernel::Core::tune).
    fn tune(settings: Self::Settings) -> Result<(), Error>;
}

/// Whether a free mutex is locked and unlocked, and a semaphore passed and signalled for which no thread waits, without
/// the kernel; it does these, too, and where there are few calls that is the only way.
pub const IS_QUICK: bool = !cfg!(feature = "few-calls");

/// A kernel object that is to be made.
#[derive(Clone, Copy)]
pub enum Object {
    /// A queue for so many messages.
    Queue(u16),
    /// A gauge of this capacity and kind.
    Gauge(u16, GaugeKind),
}

impl Object {
    /// Makes it; returns its number. In `place`, which has the number of the object
    /// that has been made for it, there may be one already. To be called with the kernel locked, so
    /// that no other caller makes one at the same time.
    ///
    /// # Errors
    /// [`Error::Full`]; [`Error::Invalid`] for a queue without room, or a gauge without levels.
    pub fn make<C: Config>(self, core: &mut Core<C>, place: &AtomicI16) -> Result<u16, Error> {
        if let Some(number) = made(place) {
            return Ok(number);
        }
        let number = match self {
            Object::Queue(capacity) => core.queue(capacity)?.number(),
            #[cfg(not(feature = "few-calls"))]
            Object::Gauge(capacity, kind) => core.gauge(capacity, kind)?.number(),
            // No call that uses it would link.
            #[cfg(feature = "few-calls")]
            Object::Gauge(..) => return Err(Error::Full),
        };
        // A table has at most 32,768 rows.
        place.store(number.cast_signed(), Ordering::Relaxed);
        Ok(number)
    }
}

/// Names an object for one call, or for as long as the program runs.
///
/// # Safety
/// What is named has to last for as long as the kernel refers to it: while a thread waits for it in a call,
/// which borrows it; while a thread owns it whose late jobs are given up, which is what such a thread promises; and
/// where it was told to signal it, for ever.
#[inline]
pub(crate) unsafe fn at(word: &Word) -> At {
    // SAFETY: as the caller promises. The kernel changes it by atomic operations only.
    At::new(unsafe { &*core::ptr::from_ref(word) })
}

/// Where there will be the number of an object that is not made yet.
pub(crate) const fn nothing_made() -> AtomicI16 {
    AtomicI16::new(-1)
}

/// The number in `place`, if there is one.
#[inline]
pub(crate) fn made(place: &AtomicI16) -> Option<u16> {
    u16::try_from(place.load(Ordering::Relaxed)).ok()
}
