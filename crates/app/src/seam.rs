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

use crate::message::Message;
use core::ptr;
use core::sync::atomic::{AtomicU32, Ordering};
use flyball_kernel::{
    Attributes, ConditionId, Error, MutexId, Protocol, QueueId, SemaphoreId, ThreadId,
};
use flyball_trace::{Duration, Time};

// SAFETY: these are safe to call, if they are defined at all with these types and by Rust code; and
// that is what `define!` sees to.
unsafe extern "Rust" {
    pub safe fn _flyball_mutex(place: &AtomicU32, protocol: Protocol) -> Result<MutexId, Error>;
    pub safe fn _flyball_lock(mutex: MutexId, until: Time) -> Result<(), Error>;
    pub safe fn _flyball_unlock(mutex: MutexId);

    pub safe fn _flyball_semaphore(place: &AtomicU32, initial: u32) -> Result<SemaphoreId, Error>;
    pub safe fn _flyball_wait(semaphore: SemaphoreId, until: Time) -> Result<(), Error>;
    pub safe fn _flyball_signal(semaphore: SemaphoreId) -> Result<(), Error>;

    pub safe fn _flyball_condition(place: &AtomicU32) -> Result<ConditionId, Error>;
    pub safe fn _flyball_wait_condition(
        condition: ConditionId,
        mutex: MutexId,
        until: Time,
    ) -> Result<(), Error>;
    pub safe fn _flyball_signal_condition(condition: ConditionId) -> Result<(), Error>;
    pub safe fn _flyball_broadcast(condition: ConditionId) -> Result<(), Error>;

    pub safe fn _flyball_queue(place: &AtomicU32, capacity: u16) -> Result<QueueId, Error>;
    pub safe fn _flyball_send(queue: QueueId, message: Message, until: Time) -> Result<(), Error>;
    pub safe fn _flyball_post(queue: QueueId, message: Message) -> Result<(), Error>;
    pub safe fn _flyball_receive(queue: QueueId, until: Time) -> Result<Message, Error>;

    pub safe fn _flyball_now() -> Time;
    pub safe fn _flyball_sleep(length: Duration);
    pub safe fn _flyball_sleep_until(until: Time);
    pub safe fn _flyball_yield_now();
    pub safe fn _flyball_wait_next() -> bool;
    pub safe fn _flyball_exit() -> !;
    pub safe fn _flyball_compute(length: Duration);

    pub safe fn _flyball_current() -> Option<ThreadId>;
    pub safe fn _flyball_join(thread: ThreadId, until: Time) -> Result<(), Error>;
    pub safe fn _flyball_release(thread: ThreadId) -> Result<(), Error>;
    pub safe fn _flyball_cpu_time(thread: ThreadId) -> Result<Duration, Error>;
    pub safe fn _flyball_idle_time() -> Duration;
    pub safe fn _flyball_misses() -> u64;

    pub safe fn _flyball_attach(line: u16, handler: fn()) -> Result<(), Error>;
    pub safe fn _flyball_pend(line: u16);
    pub safe fn _flyball_timer_line() -> u16;
    pub safe fn _flyball_set_timer(after: Duration);

    pub safe fn _flyball_print(text: &str);
    pub safe fn _flyball_shut_down(code: u8) -> !;
}

/// An application's kernel, as far as its policy has types of its own.
pub trait Binding: 'static {
    /// What a thread tells the policy.
    type Params: Copy;

    /// Makes a thread.
    ///
    /// # Errors
    /// As [`Core::spawn`](flyball_kernel::Core::spawn).
    ///
    /// # Safety
    /// `entry` may be called with `argument` in a thread of its own, on that stack; again and again,
    /// if late jobs are given up, and then nothing on the stack needs to be dropped.
    unsafe fn spawn(
        stack: &'static mut [u32],
        attributes: Attributes,
        params: Self::Params,
        entry: extern "C" fn(usize) -> !,
        argument: usize,
    ) -> Result<ThreadId, Error>;

    /// Gives a thread new parameters.
    ///
    /// # Errors
    /// As [`Core::adjust`](flyball_kernel::Core::adjust).
    fn adjust(thread: ThreadId, params: Self::Params) -> Result<(), Error>;
}

/// The number in `place`, which is one more than that of a kernel object; or of the object that
/// `make` makes, if there is none yet. To be called with the kernel locked, so that nobody makes
/// another one at the same time.
///
/// # Errors
/// What `make` says.
pub fn number(place: &AtomicU32, make: impl FnOnce() -> Result<u16, Error>) -> Result<u16, Error> {
    if let Some(number) = made(place) {
        return Ok(number);
    }
    let number = make()?;
    place.store(u32::from(number) + 1, Ordering::Release);
    Ok(number)
}

/// The number in `place`, if there is one.
#[inline]
pub(crate) fn made(place: &AtomicU32) -> Option<u16> {
    let number = place.load(Ordering::Acquire).checked_sub(1)?;
    u16::try_from(number).ok()
}

/// Puts `body` at the top of `stack`, and lets a thread run it on the rest.
pub(crate) fn spawn_once<B: Binding, F: FnOnce() + Send + 'static>(
    stack: &'static mut [u32],
    attributes: Attributes,
    params: B::Params,
    body: F,
) -> Result<ThreadId, Error> {
    extern "C" fn run<F: FnOnce()>(place: usize) -> ! {
        // SAFETY: `place` is where `put` has put it. It is taken away once, as a thread whose jobs are
        // not given up begins once.
        let body = unsafe { ptr::with_exposed_provenance::<F>(place).read() };
        body();
        _flyball_exit()
    }
    let (stack, place) = put(stack, body)?;
    // SAFETY: `run` is called once, with a body that may be sent to another thread.
    unsafe { B::spawn(stack, attributes, params, run::<F>, place) }
}

/// The same for a body that may be begun anew.
///
/// # Safety
/// As for [`Binding::spawn`], with what `body` does.
pub(crate) unsafe fn spawn_again<B: Binding, F: Fn() + Send + 'static>(
    stack: &'static mut [u32],
    attributes: Attributes,
    params: B::Params,
    body: F,
) -> Result<ThreadId, Error> {
    extern "C" fn run<F: Fn()>(place: usize) -> ! {
        // SAFETY: `place` is where `put` has put it, it stays there, and nobody else has it.
        let body = unsafe { &*ptr::with_exposed_provenance::<F>(place) };
        body();
        _flyball_exit()
    }
    let (stack, place) = put(stack, body)?;
    // SAFETY: as the caller promises; the body may be sent to another thread.
    unsafe { B::spawn(stack, attributes, params, run::<F>, place) }
}

/// Puts `body` at the top of `stack`. Returns the rest, and where the body is.
fn put<F: Send + 'static>(
    stack: &'static mut [u32],
    body: F,
) -> Result<(&'static mut [u32], usize), Error> {
    /// What has to be left of a stack, in words.
    const LEAST: usize = 64;
    /// Stacks are aligned to so many bytes.
    const ALIGNED: usize = 8;
    const {
        assert!(
            align_of::<F>() <= ALIGNED,
            "a thread's body is aligned to more than 8 bytes"
        );
    };
    let words = size_of::<F>().next_multiple_of(ALIGNED) / size_of::<u32>();
    let rest = stack.len().checked_sub(words).filter(|&rest| rest >= LEAST);
    let rest = rest.ok_or(Error::Invalid)?;
    let (stack, top) = stack.split_at_mut(rest);
    let place = top.as_mut_ptr().cast::<F>();
    debug_assert!(place.is_aligned());
    // SAFETY: there are as many bytes; the stack begins and ends at a multiple of eight, and so does
    // its top. Both are borrowed for ever, so nobody else touches them.
    unsafe { place.write(body) };
    Ok((stack, place.expose_provenance()))
}

/// Defines functions of the seam, and has the compiler check that they have the types that are
/// declared above.
#[doc(hidden)]
#[macro_export]
macro_rules! __define {
    ($(fn $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)? $body:block)*) => {$(
        #[unsafe(no_mangle)]
        fn $name($($argument: $type),*) $(-> $result)? $body

        const _: fn($($type),*) $(-> $result)? = $crate::seam::$name;
    )*};
}

/// A call that may wait until `$until`. The clock is left alone where nobody has to look at it: for
/// who waits for ever, or not at all.
#[doc(hidden)]
#[macro_export]
macro_rules! __wait {
    ($kernel:ident, $until:ident, $done:expr, $call:expr) => {{
        if !$kernel.in_thread() {
            return Err(Error::NoThread);
        }
        let waited = if $until.is_never() || $until == Time::ZERO {
            $kernel.call_patiently($call)?
        } else {
            $kernel.call($call)?
        };
        match waited {
            Some(value) => Ok(value),
            None => $done,
        }
    }};
}

/// Binds applications to a kernel: defines the functions of the [seam](crate::seam) in terms of the
/// static `$kernel`, whose type is any machine's `Kernel`.
///
/// [`kernel!`](crate::kernel!) does this; the static must not be reachable by anyone else, as who
/// can unlock a mutex behind its guard's back can do harm.
#[doc(hidden)]
#[macro_export]
macro_rules! __bind {
    ($kernel:ident) => {
        use $crate::__private::{
            AtomicU32, ConditionId, Core, Duration, Error, Message, MutexId, Poll, Protocol,
            QueueId, SemaphoreId, ThreadId, Time, number,
        };

        $crate::__define! {
            fn _flyball_mutex(place: &AtomicU32, protocol: Protocol) -> Result<MutexId, Error> {
                let make = |core: &mut Core<_>| {
                    number(place, || core.mutex(protocol).map(MutexId::number))
                };
                let made = $kernel.look(make).ok_or(Error::NoThread)?;
                made.map(MutexId::from_number)
            }
            fn _flyball_lock(mutex: MutexId, until: Time) -> Result<(), Error> {
                $crate::__wait!(
                    $kernel,
                    until,
                    if until.is_never() { Ok(()) } else { $kernel.outcome().map(drop) },
                    |core, cpu, now| core.lock(cpu, mutex, until, now)
                )
            }
            fn _flyball_unlock(mutex: MutexId) {
                let unlock = |core: &mut Core<_>, cpu, now| {
                    core.unlock(cpu, mutex, now).map(Poll::Ready)
                };
                // Its guard is the proof that the thread owns it.
                let _ = $kernel.call_patiently(unlock);
            }
            fn _flyball_semaphore(place: &AtomicU32, initial: u32) -> Result<SemaphoreId, Error> {
                let make = |core: &mut Core<_>| {
                    number(place, || core.semaphore(initial).map(SemaphoreId::number))
                };
                let made = $kernel.look(make).ok_or(Error::NoThread)?;
                made.map(SemaphoreId::from_number)
            }
            fn _flyball_wait(semaphore: SemaphoreId, until: Time) -> Result<(), Error> {
                $crate::__wait!(
                    $kernel,
                    until,
                    if until.is_never() { Ok(()) } else { $kernel.outcome().map(drop) },
                    |core, cpu, now| core.wait(cpu, semaphore, until, now)
                )
            }
            fn _flyball_signal(semaphore: SemaphoreId) -> Result<(), Error> {
                let signal = |core: &mut Core<_>, cpu, now| {
                    core.signal(cpu, semaphore, now).map(Poll::Ready)
                };
                $kernel.call_patiently(signal).map(drop)
            }
            fn _flyball_condition(place: &AtomicU32) -> Result<ConditionId, Error> {
                let make = |core: &mut Core<_>| {
                    number(place, || core.condition().map(ConditionId::number))
                };
                let made = $kernel.look(make).ok_or(Error::NoThread)?;
                made.map(ConditionId::from_number)
            }
            fn _flyball_wait_condition(
                condition: ConditionId,
                mutex: MutexId,
                until: Time
            ) -> Result<(), Error> {
                $crate::__wait!(
                    $kernel,
                    until,
                    if until.is_never() { Ok(()) } else { $kernel.outcome().map(drop) },
                    |core, cpu, now| core.wait_condition(cpu, condition, mutex, until, now)
                )
            }
            fn _flyball_signal_condition(condition: ConditionId) -> Result<(), Error> {
                let signal = |core: &mut Core<_>, cpu, now| {
                    core.signal_condition(cpu, condition, now).map(Poll::Ready)
                };
                $kernel.call_patiently(signal).map(drop)
            }
            fn _flyball_broadcast(condition: ConditionId) -> Result<(), Error> {
                let broadcast = |core: &mut Core<_>, cpu, now| {
                    core.broadcast(cpu, condition, now).map(Poll::Ready)
                };
                $kernel.call_patiently(broadcast).map(drop)
            }
            fn _flyball_queue(place: &AtomicU32, capacity: u16) -> Result<QueueId, Error> {
                let make = |core: &mut Core<_>| {
                    number(place, || core.queue(capacity).map(QueueId::number))
                };
                let made = $kernel.look(make).ok_or(Error::NoThread)?;
                made.map(QueueId::from_number)
            }
            fn _flyball_send(queue: QueueId, message: Message, until: Time) -> Result<(), Error> {
                $crate::__wait!(
                    $kernel,
                    until,
                    if until.is_never() { Ok(()) } else { $kernel.outcome().map(drop) },
                    |core, cpu, now| core.send(cpu, queue, message, until, now)
                )
            }
            fn _flyball_post(queue: QueueId, message: Message) -> Result<(), Error> {
                let post = |core: &mut Core<_>, cpu, now| {
                    core.post(cpu, queue, message, now).map(Poll::Ready)
                };
                $kernel.call_patiently(post).map(drop)
            }
            fn _flyball_receive(queue: QueueId, until: Time) -> Result<Message, Error> {
                $crate::__wait!(
                    $kernel,
                    until,
                    $kernel.outcome(),
                    |core, cpu, now| core.receive(cpu, queue, until, now)
                )
            }
            fn _flyball_now() -> Time {
                $kernel.now()
            }
            fn _flyball_sleep(length: Duration) {
                if $kernel.in_thread() {
                    let _ = $kernel.call(|core, cpu, now| core.sleep_until(cpu, now + length, now));
                }
            }
            fn _flyball_sleep_until(until: Time) {
                if $kernel.in_thread() {
                    let _ = $kernel.call(|core, cpu, now| core.sleep_until(cpu, until, now));
                }
            }
            fn _flyball_yield_now() {
                if $kernel.in_thread() {
                    let offer = |core: &mut Core<_>, cpu, now| {
                        core.yield_now(cpu, now).map(Poll::Ready)
                    };
                    let _ = $kernel.call_patiently(offer);
                }
            }
            fn _flyball_wait_next() -> bool {
                $kernel.in_thread() && matches!($kernel.call(Core::wait_next), Ok(None))
            }
            fn _flyball_exit() -> ! {
                if !$kernel.in_thread() {
                    $kernel.print("flyball: what is no thread cannot end like one\n");
                    $kernel.shut_down(1);
                }
                loop {
                    // A thread that ends gives its mutexes back. But what a mutex protects may still
                    // be borrowed, by a guard that was leaked or is further up on the stack.
                    let _ = $kernel.call(|core, cpu, now| {
                        if core.owns_mutex(cpu) {
                            core.sleep_until(cpu, Time::NEVER, now)
                        } else {
                            core.exit(cpu, now).map(|()| Poll::Pending)
                        }
                    });
                }
            }
            fn _flyball_compute(length: Duration) {
                $kernel.compute(length);
            }
            fn _flyball_current() -> Option<ThreadId> {
                if !$kernel.in_thread() {
                    return None;
                }
                let running = |core: &mut Core<_>, cpu, _| {
                    core.running(cpu).map(Poll::Ready).ok_or(Error::NoThread)
                };
                $kernel.call_patiently(running).ok().flatten()
            }
            fn _flyball_join(thread: ThreadId, until: Time) -> Result<(), Error> {
                $crate::__wait!(
                    $kernel,
                    until,
                    if until.is_never() { Ok(()) } else { $kernel.outcome().map(drop) },
                    |core, cpu, now| core.join(cpu, thread, until, now)
                )
            }
            fn _flyball_release(thread: ThreadId) -> Result<(), Error> {
                let release = |core: &mut Core<_>, cpu, now| {
                    core.release(cpu, thread, now, now).map(Poll::Ready)
                };
                $kernel.call(release).map(drop)
            }
            fn _flyball_cpu_time(thread: ThreadId) -> Result<Duration, Error> {
                let time = |core: &mut Core<_>, _, now| core.cpu_time(thread, now).map(Poll::Ready);
                $kernel.call(time)?.ok_or(Error::NoThread)
            }
            fn _flyball_idle_time() -> Duration {
                let time = |core: &mut Core<_>, cpu, _| Ok(Poll::Ready(core.idle_time(cpu)));
                $kernel.call(time).ok().flatten().unwrap_or_default()
            }
            fn _flyball_misses() -> u64 {
                $kernel.look(|core| core.misses()).unwrap_or_default()
            }
            fn _flyball_attach(line: u16, handler: fn()) -> Result<(), Error> {
                $kernel.attach(line, handler)
            }
            fn _flyball_pend(line: u16) {
                $kernel.pend(line);
            }
            fn _flyball_timer_line() -> u16 {
                $kernel.timer_line()
            }
            fn _flyball_set_timer(after: Duration) {
                $kernel.set_timer(after);
            }
            fn _flyball_print(text: &str) {
                $kernel.print(text);
            }
            fn _flyball_shut_down(code: u8) -> ! {
                $kernel.shut_down(code)
            }
        }
    };
}
