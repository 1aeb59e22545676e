//! What the binding for C and C++ programs has more.

/// What a call does in the kernel unless a bit of `$set` is in `$flag`. No thread sets it meanwhile that would then
/// [rouse](flyball_kernel::Core::rouse) the caller too early.
#[doc(hidden)]
#[macro_export]
macro_rules! __unless {
    ($flag:ident, $set:ident, |$core:ident, $cpu:ident, $now:ident| $call:expr) => {
        |$core: &mut Core<_>, $cpu, $now| {
            if $flag.load(Ordering::Relaxed) & $set != 0 {
                return Err(Error::Roused);
            }
            $call
        }
    };
}

/// Defines what `flyball-capi` needs of the [seam](crate::seam) besides [`__bind!`](crate::__bind!), behind
/// that. Applications in Rust go without it: more functions would change how the compiler inlines theirs.
#[doc(hidden)]
#[macro_export]
macro_rules! __bind_c {
    ($kernel:ident) => {
        use $crate::__private::{AtomicBool, AtomicU32, Ordering};

        $crate::__define! {
            fn _flyball_try_unlock(mutex: At) -> Result<(), Error> {
                if mutex.word().try_unlock($kernel.name()) {
                    return Ok(());
                }
                $kernel.act(|core, cpu, now| core.unlock(cpu, MutexId::at(mutex), now))
            }
            fn _flyball_owns(mutex: At) -> bool {
                let is_owner = $kernel.act(|core, cpu, _| core.is_owner(cpu, MutexId::at(mutex)));
                is_owner.unwrap_or(false)
            }
            fn _flyball_lock_unless(
                mutex: At,
                until: Time,
                flag: &AtomicU32,
                set: u32
            ) -> Result<(), Error> {
                if mutex.word().try_lock($kernel.name()) {
                    return Ok(());
                }
                $crate::__wait_until!(
                    $kernel,
                    until,
                    $kernel.outcome(),
                    $crate::__unless!(flag, set, |core, cpu, now| {
                        core.lock(cpu, MutexId::at(mutex), until, now)
                    })
                )
            }
            fn _flyball_wait_unless(
                semaphore: At,
                until: Time,
                flag: &AtomicU32,
                set: u32
            ) -> Result<(), Error> {
                $crate::__wait_until!(
                    $kernel,
                    until,
                    $kernel.outcome(),
                    $crate::__unless!(flag, set, |core, cpu, now| {
                        core.wait(cpu, SemaphoreId::at(semaphore), until, now)
                    })
                )
            }
            fn _flyball_wait_condition_unless(
                condition: At,
                mutex: At,
                until: Time,
                flag: &AtomicU32,
                set: u32
            ) -> Result<(), Error> {
                $crate::__wait_until!(
                    $kernel,
                    until,
                    $kernel.outcome(),
                    $crate::__unless!(flag, set, |core, cpu, now| {
                        let condition = ConditionId::at(condition);
                        core.wait_condition(cpu, condition, MutexId::at(mutex), until, now)
                    })
                )
            }
            fn _flyball_join_unless(
                thread: ThreadId,
                until: Time,
                flag: &AtomicU32,
                set: u32
            ) -> Result<(), Error> {
                $crate::__wait_until!(
                    $kernel,
                    until,
                    $kernel.outcome(),
                    $crate::__unless!(flag, set, |core, cpu, now| {
                        core.join(cpu, thread, until, now)
                    })
                )
            }
            fn _flyball_sleep_unless(
                until: Time,
                flag: &AtomicU32,
                set: u32
            ) -> Result<(), Error> {
                $crate::__wait_until!(
                    $kernel,
                    until,
                    $kernel.outcome(),
                    $crate::__unless!(flag, set, |core, cpu, now| core.sleep_until(cpu, until, now))
                )
            }
            fn _flyball_rouse(thread: ThreadId) -> Result<bool, Error> {
                $kernel.act(|core, cpu, now| core.rouse(cpu, thread, now))
            }
            fn _flyball_offer() {
                // Where no thread runs, none can be preempted.
                let _ = $kernel.act_now(|core, cpu, now| core.yield_now(cpu, now));
            }
            fn _flyball_rouse_from_mutex(
                thread: ThreadId,
                if_set: &AtomicBool
            ) -> Result<bool, Error> {
                $kernel.act(|core, cpu, now| {
                    // The thread changes it outside of the kernel, so it is as it was when the wait began.
                    if if_set.load(Ordering::Relaxed) {
                        core.rouse_from_mutex(cpu, thread, now)
                    } else {
                        Ok(false)
                    }
                })
            }
            fn _flyball_thread(name: u32) -> Option<ThreadId> {
                $kernel.look(|core| core.thread_named(name)).flatten()
            }
            fn _flyball_missed(thread: ThreadId) -> u32 {
                let missed = $kernel.look(|core| core.missed(thread));
                missed.and_then(Result::ok).unwrap_or_default()
            }
            fn _flyball_name() -> u32 {
                $kernel.name()
            }
            fn _flyball_name_of(thread: ThreadId) -> u32 {
                $kernel.look(|core| core.name_of(thread)).unwrap_or_default()
            }
        }
    };
}
