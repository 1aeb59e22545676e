//! The clock, and what a thread does with its own time.

use crate::seam;
use flyball_kernel::Error;
use flyball_policy::Counts;
use flyball_trace::{Duration, Time};

/// The time since the kernel was set up.
#[inline]
pub fn now() -> Time {
    seam::_flyball_now()
}

/// The calling thread's job is complete; it goes on with its next one, as soon as that is released.
/// Returns whether it has kept up: if not, that job had been released already. A thread with only
/// one job waits for ever. Where no thread calls nothing happens, and the result is `false`.
#[inline]
pub fn wait_next() -> bool {
    seam::_flyball_wait_next()
}

/// The same, and tells the policy `result`, what the job says of itself: how urgent the next one is,
/// for example. What it means is up to the policy; [`wait_next`] says 0. A policy that takes no
/// results does not hear of it.
#[inline]
pub fn wait_next_with(result: u8) -> bool {
    seam::_flyball_wait_next_with(result)
}

/// The calling thread leaves the CPU for at least `length`. Where no thread calls nothing happens.
#[inline]
pub fn sleep(length: Duration) {
    seam::_flyball_sleep(length);
}

/// The calling thread leaves the CPU until `until`. Where no thread calls nothing happens.
#[inline]
pub fn sleep_until(until: Time) {
    seam::_flyball_sleep_until(until);
}

/// The calling thread offers the CPU to threads that are as urgent as it is. Where no thread calls
/// nothing happens.
#[inline]
pub fn yield_now() {
    seam::_flyball_yield_now();
}

/// Runs the policy's controllers now, under a policy that leaves it to a thread when they run, as `pp` with
/// [`ControllerPlace::Thread`](flyball_policy::proportion_period::ControllerPlace::Thread) does; otherwise nothing happens. What they
/// take is the caller's time. Also from interrupts.
#[inline]
pub fn control() {
    seam::_flyball_control();
}

/// The calling thread waits until it is [unparked](crate::Handle::unpark); not at all if it has
/// been unparked since it was parked last. No other way of waiting costs less.
///
/// # Errors
/// [`Error::NoThread`] where no thread calls.
#[inline]
pub fn park() -> Result<(), Error> {
    seam::_flyball_park()
}

/// The same, but waits until `until` at the latest.
///
/// # Errors
/// As [`park`]; [`Error::TimedOut`].
#[inline]
pub fn park_until(until: Time) -> Result<(), Error> {
    seam::_flyball_park_until(until)
}

/// The calling thread ends, as if its body returned, but without dropping anything. A thread that
/// owns a mutex waits for ever instead: what the mutex protects may be in the middle of a change.
///
/// In an interrupt's handler, and before scheduling has started, there is no thread: the program
/// says so, and ends with exit code 1.
pub fn exit() -> ! {
    seam::_flyball_exit()
}

/// Keeps the CPU busy for so long: stands for work. It can be preempted, and what others take does
/// not count.
///
/// On the host the virtual clock goes on by so much; nothing else takes time there. A Cortex-M3
/// counts instructions, taken for a nanosecond each, as its emulator does.
#[inline]
pub fn compute(length: Duration) {
    seam::_flyball_compute(length);
}

/// The CPU time that the calling thread has used so far; zero without accounting, and where no
/// thread calls. On a microcontroller that is with the work of the kernel before the thread runs,
/// unless the policy itself wants to know how long threads run.
pub fn cpu_time() -> Duration {
    let time = seam::_flyball_current().map(seam::_flyball_cpu_time);
    time.and_then(Result::ok).unwrap_or_default()
}

/// What the processor has counted of the calling thread up to its last stop or call: cycles, instructions and
/// requests to memory. Zero throughout under policies that do not want counts, on machines that do not count,
/// and where there is no thread.
pub fn counters() -> Counts<u64> {
    let counts = seam::_flyball_current().map(seam::_flyball_counts);
    counts.and_then(Result::ok).unwrap_or_default()
}

/// How much the server of the calling thread has left of its budget; `None` where no thread calls, the
/// thread has no server, or the policy has no servers. What the thread does next is charged to it, this
/// call as well.
pub fn budget_left() -> Option<Duration> {
    let budget = seam::_flyball_current().map(seam::_flyball_budget)?;
    Some(budget.ok()??.left)
}

/// How long the CPU has had nothing to do so far; zero without accounting.
pub fn idle_time() -> Duration {
    seam::_flyball_idle_time()
}

/// From now on the kernel's periodic tick has this length, of an application that has one: a shorter one enforces budgets and
/// time slices more exactly, and a longer one takes less of the CPU. The next tick comes so long after the last one.
///
/// # Errors
/// [`Error::Invalid`] for a length of zero, and where there is no tick ([`Timing`](crate::Timing)).
pub fn set_tick(length: Duration) -> Result<(), Error> {
    seam::_flyball_set_tick(length)
}

/// How many deadlines have been missed so far, by all threads.
pub fn misses() -> u64 {
    seam::_flyball_misses()
}
