//! The one binding for all machines.

/// A call that may wait until `$until`. The clock is left alone where it is not needed: by a thread
/// that waits for ever, or, with an `$until` of zero, not at all. `$done` is what comes out of a
/// wait.
#[doc(hidden)]
#[macro_export]
macro_rules! __wait_until {
    ($kernel:ident, $until:expr, $done:expr, $call:expr) => {{
        let answer = if !$kernel.can_wait() {
            Err(Error::NoThread)
        } else if $until == Time::ZERO || $until == Time::NEVER {
            $kernel.call_patiently($call)
        } else {
            $kernel.call($call)
        };
        match answer {
            Ok(Some(value)) => Ok(value),
            Ok(None) => $done,
            Err(error) => Err(error),
        }
    }};
}

/// Binds applications to a kernel: defines the functions of the [seam](crate::seam) in terms of the
/// static `$kernel`, whose type is any machine's `Kernel`: a [`Machine`](flyball_port::Machine).
///
/// [`kernel!`](crate::kernel!) does this; the static must not be reachable by any other code, as
/// code that can unlock a mutex behind its guard's back can do harm.
#[doc(hidden)]
#[macro_export]
macro_rules! __bind {
    ($kernel:ident) => {
        use $crate::__private::{
            At, AtomicI16, Budget, CStr, Choice, ConditionId, Core, Counts, Duration, Error, FileContents, GaugeId, If, Message, MutexId, Nothing, Object, Poll,
            QueueId, SemaphoreId, ThreadId, Time,
        };
        use $crate::__private::Machine as _;

        $crate::__define! {
            fn _flyball_make(place: &AtomicI16, object: Object) -> Result<u16, Error> {
                $kernel.look(|core| object.make(core, place)).unwrap_or(Err(Error::NoThread))
            }
            fn _flyball_lock(mutex: At) -> Result<(), Error> {
                if $crate::seam::IS_QUICK && mutex.word().try_lock($kernel.name()) {
                    return Ok(());
                }
                if !$kernel.can_wait() {
                    return Err(Error::NoThread);
                }
                $kernel.try_or(
                    |_, _, _| Ok(None),
                    move |core, cpu, now| {
                        core.lock(cpu, MutexId::at(mutex), Time::NEVER, now).map(|_| ())
                    },
                )
            }
            #[rest]
            fn _flyball_lock_until(mutex: At, until: Time) -> Result<(), Error> {
                if mutex.word().try_lock($kernel.name()) {
                    return Ok(());
                }
                $crate::__wait_until!(
                    $kernel,
                    until,
                    $kernel.outcome(),
                    |core, cpu, now| core.lock(cpu, MutexId::at(mutex), until, now)
                )
            }
            fn _flyball_unlock(mutex: At) {
                if !($crate::seam::IS_QUICK && mutex.word().try_unlock($kernel.name())) {
                    // Its guard is the proof that the thread owns it.
                    let _ = $kernel.try_or(
                        |_, _, _| Ok(None),
                        move |core, cpu, now| {
                            core.unlock_owned(cpu, MutexId::at(mutex), now);
                            Ok(())
                        },
                    );
                }
            }
            fn _flyball_wait(semaphore: At) -> Result<(), Error> {
                if !$kernel.can_wait() {
                    return Err(Error::NoThread);
                }
                if $crate::seam::IS_QUICK && semaphore.word().try_pass() {
                    return Ok(());
                }
                $kernel.try_or(
                    |_, _, _| Ok(None),
                    move |core, cpu, now| {
                        core.wait(cpu, SemaphoreId::at(semaphore), Time::NEVER, now).map(|_| ())
                    },
                )
            }
            #[rest]
            fn _flyball_wait_until(semaphore: At, until: Time) -> Result<(), Error> {
                if !$kernel.can_wait() {
                    return Err(Error::NoThread);
                }
                if semaphore.word().try_pass() {
                    return Ok(());
                }
                $crate::__wait_until!(
                    $kernel,
                    until,
                    $kernel.outcome(),
                    |core, cpu, now| core.wait(cpu, SemaphoreId::at(semaphore), until, now)
                )
            }
            fn _flyball_signal(semaphore: At) -> Result<(), Error> {
                if $crate::seam::IS_QUICK && semaphore.word().try_give() {
                    return Ok(());
                }
                $kernel.try_or(
                    |_, _, _| Ok(None),
                    move |core, cpu, now| core.signal(cpu, SemaphoreId::at(semaphore), now),
                )
            }
            #[rest]
            fn _flyball_wait_condition(
                condition: At,
                mutex: At,
                until: Time
            ) -> Result<(), Error> {
                $crate::__wait_until!(
                    $kernel,
                    until,
                    $kernel.outcome(),
                    |core, cpu, now| {
                        let condition = ConditionId::at(condition);
                        core.wait_condition(cpu, condition, MutexId::at(mutex), until, now)
                    }
                )
            }
            #[rest]
            fn _flyball_signal_condition(condition: At) {
                if condition.word().is_waited_for() {
                    // The object is there, so nothing is refused.
                    let _ = $kernel.act(|core, cpu, now| {
                        core.signal_condition(cpu, ConditionId::at(condition), now)
                    });
                }
            }
            #[rest]
            fn _flyball_broadcast(condition: At) {
                if condition.word().is_waited_for() {
                    // As above.
                    let _ = $kernel.act(|core, cpu, now| {
                        core.broadcast(cpu, ConditionId::at(condition), now)
                    });
                }
            }
            fn _flyball_send(queue: QueueId, message: &Message) -> Result<(), Error> {
                if !$kernel.can_wait() {
                    return Err(Error::NoThread);
                }
                $kernel.try_or(
                    |core, cpu, _| Ok(core.try_send(queue, message, Some(cpu))?.then_some(())),
                    |core, cpu, now| {
                        let lasts = || $kernel.lasts();
                        core.send_in_line(cpu, queue, message, Time::NEVER, now, lasts)
                    },
                )
            }
            #[rest]
            fn _flyball_send_until(queue: QueueId, message: &Message, until: Time) -> Result<(), Error> {
                if !$kernel.lasts() {
                    return Err(Error::NoThread);
                }
                $crate::__wait_until!(
                    $kernel,
                    until,
                    $kernel.outcome(),
                    |core, cpu, now| core.send(cpu, queue, message, until, now)
                )
            }
            #[rest]
            fn _flyball_post(queue: QueueId, message: &Message) -> Result<(), Error> {
                let follows_caller = $kernel.follows_caller();
                $kernel.try_or(
                    |core, cpu, _| {
                        let by = follows_caller.then_some(cpu);
                        Ok(core.try_send(queue, message, by)?.then_some(()))
                    },
                    |core, cpu, now| {
                        core.post_to_waiter(cpu, queue, message, follows_caller, now)
                    },
                )
            }
            fn _flyball_receive(queue: QueueId, message: &mut Message) -> Result<(), Error> {
                if !$kernel.can_wait() {
                    return Err(Error::NoThread);
                }
                let hand = message.hand();
                $kernel.try_or(
                    |core, cpu, _| {
                        let is_here = $crate::seam::IS_QUICK
                            && core.try_receive(queue, &mut { hand }, Some(cpu))?;
                        if !is_here && !$kernel.lasts() {
                            return Err(Error::NoThread);
                        }
                        Ok(is_here.then_some(()))
                    },
                    |core, cpu, now| core.receive_in_line(cpu, queue, hand, Time::NEVER, now),
                )
            }
            #[rest]
            fn _flyball_receive_until(
                queue: QueueId,
                message: &mut Message,
                until: Time
            ) -> Result<(), Error> {
                if !$kernel.lasts() {
                    return Err(Error::NoThread);
                }
                let hand = message.hand();
                $crate::__wait_until!(
                    $kernel,
                    until,
                    $kernel.outcome(),
                    |core, cpu, now| core.receive(cpu, queue, hand, until, now)
                )
            }
            #[rest]
            fn _flyball_take(queue: QueueId, message: &mut Message) -> Result<(), Error> {
                let follows_caller = $kernel.follows_caller();
                $kernel.act(|core, cpu, now| {
                    if follows_caller {
                        let is_there = core.receive_now(cpu, queue, message.hand(), now)?;
                        return if is_there { Ok(()) } else { Err(Error::TimedOut) };
                    }
                    // An empty queue is no underrun here, which `drain` would count.
                    if core.queue_len(queue)? == 0 {
                        return Err(Error::TimedOut);
                    }
                    core.drain(cpu, queue, 1, now, |taken| *message = *taken)
                })
            }
            #[rest]
            fn _flyball_resize(queue: QueueId, capacity: u16) -> Result<(), Error> {
                $kernel.act(|core, cpu, now| core.resize(cpu, queue, capacity, now))
            }
            #[rest]
            fn _flyball_set_level(gauge: GaugeId, level: u16) -> Result<(), Error> {
                let follows_caller = $kernel.follows_caller();
                $kernel.act(|core, cpu, now| core.set_level(cpu, gauge, level, follows_caller, now))
            }
            fn _flyball_now() -> Time {
                $kernel.now()
            }
            #[rest]
            fn _flyball_sleep(length: Duration) {
                if $kernel.in_thread() {
                    let _ = $kernel.call(|core, cpu, now| core.sleep_until(cpu, now + length, now));
                }
            }
            fn _flyball_sleep_until(until: Time) {
                if $kernel.can_wait() {
                    // If it has come already the timer says so at once.
                    let sleep = |core: &mut Core<_>, cpu, now| core.sleep_until(cpu, until, now);
                    let _ = $kernel.call_patiently(sleep);
                }
            }
            fn _flyball_yield_now() {
                if $kernel.can_wait() {
                    let _ = $kernel
                        .call_patiently(|core, cpu, now| core.yield_now(cpu, now).map(Poll::Ready));
                }
            }
            #[rest]
            fn _flyball_control() {
                let _ = $kernel.act(|core, cpu, now| {
                    core.control(cpu, now);
                    Ok(())
                });
            }
            #[rest]
            fn _flyball_park() -> Result<(), Error> {
                $crate::__wait_until!(
                    $kernel,
                    Time::NEVER,
                    Ok(()),
                    |core, cpu, now| core.park(cpu, Time::NEVER, now)
                )
            }
            #[rest]
            fn _flyball_park_until(until: Time) -> Result<(), Error> {
                $crate::__wait_until!(
                    $kernel,
                    until,
                    $kernel.outcome(),
                    |core, cpu, now| core.park(cpu, until, now)
                )
            }
            #[rest]
            fn _flyball_unpark(thread: ThreadId) -> Result<(), Error> {
                $kernel.act(|core, cpu, now| core.unpark(cpu, thread, now))
            }
            #[rest]
            fn _flyball_wait_next() -> bool {
                $kernel.in_thread() && matches!($kernel.call(Core::wait_next), Ok(None))
            }
            #[rest]
            fn _flyball_wait_next_with(result: u8) -> bool {
                let wait = |core: &mut Core<_>, cpu, now| core.wait_next_with(cpu, result, now);
                $kernel.in_thread() && matches!($kernel.call(wait), Ok(None))
            }
            #[rest]
            fn _flyball_exit() -> ! {
                if !$kernel.in_thread() {
                    $kernel.print("flyball: what is no thread cannot end like one\n");
                    $kernel.shut_down(1);
                }
                loop {
                    // What a mutex protects may still be borrowed, by a guard that was leaked or is further up on
                    // the stack; but a mutex that the thread still owns stays locked.
                    let _ = $kernel.call(|core, cpu, now| {
                        core.exit(cpu, now).map(|()| Poll::<()>::Pending)
                    });
                }
            }
            #[rest]
            fn _flyball_compute(length: Duration) {
                $kernel.compute(length);
            }
            #[rest]
            fn _flyball_current() -> Option<ThreadId> {
                if !$kernel.in_thread() {
                    return None;
                }
                $kernel.act(|core, cpu, _| core.running(cpu).ok_or(Error::NoThread)).ok()
            }
            #[rest]
            fn _flyball_join(thread: ThreadId, until: Time) -> Result<(), Error> {
                $crate::__wait_until!(
                    $kernel,
                    until,
                    $kernel.outcome(),
                    |core, cpu, now| core.join(cpu, thread, until, now)
                )
            }
            #[rest]
            fn _flyball_release(thread: ThreadId) -> Result<(), Error> {
                $kernel.act_now(|core, cpu, now| core.release(cpu, thread, now, now))
            }
            #[rest]
            fn _flyball_cpu_time(thread: ThreadId) -> Result<Duration, Error> {
                $kernel.act_now(|core, _, now| core.cpu_time(thread, now))
            }
            #[rest]
            fn _flyball_budget(thread: ThreadId) -> Result<Option<Budget>, Error> {
                $kernel.act_now(|core, _, now| core.budget(thread, now))
            }
            #[rest]
            fn _flyball_on_exhaust(thread: ThreadId, semaphore: At) -> Result<(), Error> {
                $kernel.act_now(|core, _, _| core.on_exhaust(thread, Some(SemaphoreId::at(semaphore))))
            }
            #[rest]
            fn _flyball_stack_used(thread: ThreadId) -> Option<usize> {
                $kernel.high_water(thread.task())
            }
            #[rest]
            fn _flyball_counts(thread: ThreadId) -> Result<Counts<u64>, Error> {
                $kernel.act_now(|core, _, _| core.counts(thread))
            }

            #[rest]
            fn _flyball_set_tick(length: Duration) -> Result<(), Error> {
                $kernel.act(|core, _, _| core.set_tick(length))
            }
            #[rest]
            fn _flyball_idle_time() -> Duration {
                let time = $kernel.act_now(|core, cpu, _| Ok(core.idle_time(cpu)));
                time.unwrap_or_default()
            }
            #[rest]
            fn _flyball_misses() -> u64 {
                $kernel.look(|core| core.misses()).unwrap_or_default()
            }
            #[rest]
            fn _flyball_attach(line: u16, handler: extern "C" fn()) -> Result<(), Error> {
                $kernel.attach(line, handler)
            }
            #[rest]
            fn _flyball_pend(line: u16) {
                $kernel.pend(line);
            }
            #[rest]
            fn _flyball_timer_line() -> u16 {
                $kernel.timer_line()
            }
            #[rest]
            fn _flyball_set_timer(after: Duration) {
                $kernel.set_timer(after);
            }
            fn _flyball_print(text: &str) {
                $kernel.print(text);
            }
            #[rest]
            fn _flyball_write_file(
                name: &CStr,
                contents: &mut FileContents<'_>
            ) -> bool {
                $kernel.write_file(name, contents)
            }
            fn _flyball_shut_down(code: u8) -> ! {
                $kernel.shut_down(code)
            }
        }
    };
}
