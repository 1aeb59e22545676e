//! Linux's scheduling policies, for the calling thread.

use crate::linux::Pinned;
use crate::measurements::Class;
use std::io;

/// `struct sched_attr` of Linux (`sched_setattr(2)`), which the C library does not have.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Attributes {
    size: u32,
    policy: u32,
    flags: u64,
    nice: i32,
    priority: u32,
    runtime: u64,
    deadline: u64,
    period: u64,
}

/// A number of Linux's.
const SCHED_DEADLINE: u32 = 6;

/// The thread may use what other threads leave over (`SCHED_FLAG_RECLAIM`).
const RECLAIM: u64 = 2;

impl Attributes {
    /// So much CPU time in every period, to be had by the deadline, all in nanoseconds.
    fn reservation(runtime: u64, deadline: u64, period: u64) -> Attributes {
        Attributes {
            policy: SCHED_DEADLINE,
            runtime,
            deadline,
            period,
            ..Attributes::default()
        }
    }
}

/// The calling thread has this policy, as long as this exists; then it is `SCHED_OTHER` again.
pub(super) struct Under(());

impl Under {
    /// Puts the calling thread under a policy, on a CPU if it may be bound to one.
    ///
    /// # Errors
    /// What the system says, for people.
    pub(super) fn new(class: Class, cpu: Option<usize>) -> Result<(Under, Option<Pinned>), String> {
        // A thread with a deadline may not be bound, and one that is bound gets none.
        let pinned = cpu.filter(|_| class != Class::Deadline).map(Pinned::on);
        set(of(class)).map_err(|error| format!("{} is not permitted: {error}", class.name()))?;
        Ok((Under(()), pinned))
    }

    /// Puts the calling thread under `SCHED_DEADLINE`, with these numbers of nanoseconds. One that
    /// reclaims may use what other threads leave over.
    ///
    /// # Errors
    /// What the system says.
    pub(super) fn reservation(
        runtime: u64,
        deadline: u64,
        period: u64,
        reclaims: bool,
    ) -> io::Result<Under> {
        set(Attributes {
            flags: if reclaims { RECLAIM } else { 0 },
            ..Attributes::reservation(runtime, deadline, period)
        })?;
        Ok(Under(()))
    }
}

impl Drop for Under {
    fn drop(&mut self) {
        // To be less urgent is always permitted.
        let _ = set(Attributes::default());
    }
}

/// What a thread has that is measured under a policy.
fn of(class: Class) -> Attributes {
    match class {
        Class::Other => Attributes::default(),
        Class::Fifo => Attributes {
            policy: u32::try_from(libc::SCHED_FIFO).unwrap_or(1),
            priority: 50,
            ..Attributes::default()
        },
        // Half of a CPU for each of the two threads that there are, less what is kept for others.
        Class::Deadline => Attributes::reservation(9_000_000, 20_000_000, 20_000_000),
    }
}

fn set(attributes: Attributes) -> io::Result<()> {
    let size = u32::try_from(size_of::<Attributes>()).unwrap_or(0);
    let attributes = Attributes { size, ..attributes };
    // SAFETY: the system reads `size` bytes from this address, all of which are there.
    let result = unsafe {
        libc::syscall(
            libc::SYS_sched_setattr,
            0,
            core::ptr::from_ref(&attributes),
            0,
        )
    };
    if result == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}
