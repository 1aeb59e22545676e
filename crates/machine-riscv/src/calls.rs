//! The ways in for an application's calls.

use crate::config::MachineConfig;
use crate::hart;
use crate::kernel::Kernel;
use crate::probe::Path;
use core::task::Poll;
use flyball_kernel::{Core, Error};
use flyball_policy::{CpuId, Time};

/// What a call answers: nothing, if the thread has waited.
fn answer<T>(poll: Poll<T>) -> Option<T> {
    match poll {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}

impl<C: MachineConfig> Kernel<C> {
    /// A call in two halves: `quick`, after which there is nothing to decide, and, if that returns
    /// `None`, `slow`, which may have to wait. The time that they are told is [`Time::ZERO`] unless
    /// [`Core::READS_CLOCK`].
    ///
    /// # Errors
    /// What they say.
    #[inline]
    pub fn try_or<T>(
        &'static self,
        quick: impl FnOnce(&mut Core<C>, CpuId, Time) -> Result<Option<T>, Error>,
        slow: impl FnOnce(&mut Core<C>, CpuId, Time) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.enter(Path::Call, false, |state, cpu, now| {
            match quick(&mut state.core, cpu, now)? {
                Some(value) => Ok(value),
                None => slow(&mut state.core, cpu, now),
            }
        })
    }

    /// A call that may have to wait. `f` is told the time.
    ///
    /// # Errors
    /// What `f` says.
    #[inline]
    pub fn call<T>(
        &'static self,
        f: impl FnOnce(&mut Core<C>, CpuId, Time) -> Result<Poll<T>, Error>,
    ) -> Result<Option<T>, Error> {
        let called = self.enter(Path::Call, true, |state, cpu, now| {
            f(&mut state.core, cpu, now)
        });
        called.map(answer)
    }

    /// The same. The time that `f` is told is [`Time::ZERO`] unless [`Core::READS_CLOCK`].
    ///
    /// # Errors
    /// What `f` says.
    #[inline]
    pub fn call_patiently<T>(
        &'static self,
        f: impl FnOnce(&mut Core<C>, CpuId, Time) -> Result<Poll<T>, Error>,
    ) -> Result<Option<T>, Error> {
        let called = self.enter(Path::Call, false, |state, cpu, now| {
            f(&mut state.core, cpu, now)
        });
        called.map(answer)
    }

    /// A call that does not wait, and may come from an interrupt. The time that `f` is told is
    /// [`Time::ZERO`] unless [`Core::READS_CLOCK`].
    ///
    /// # Errors
    /// What `f` says.
    #[inline]
    pub fn act<T>(
        &'static self,
        f: impl FnOnce(&mut Core<C>, CpuId, Time) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.enter(Path::Call, false, |state, cpu, now| {
            f(&mut state.core, cpu, now)
        })
    }

    /// The same, with an `f` that has to know the time.
    ///
    /// # Errors
    /// What `f` says.
    #[inline]
    pub fn act_now<T>(
        &'static self,
        f: impl FnOnce(&mut Core<C>, CpuId, Time) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.enter(Path::Call, true, |state, cpu, now| {
            f(&mut state.core, cpu, now)
        })
    }

    /// Whether the caller may wait, as only a thread can; not looked at without
    /// [`CHECKS`](flyball_kernel::Config::CHECKS).
    #[inline]
    pub fn can_wait(&'static self) -> bool {
        !C::CHECKS || self.in_thread()
    }

    /// How the wait ended that the calling thread came back from.
    ///
    /// # Errors
    /// As [`Core::outcome`].
    #[inline]
    pub fn outcome(&'static self) -> Result<(), Error> {
        self.with(|state, cpu| state.core.outcome(cpu))
    }

    /// Copies the message that the calling thread has received.
    ///
    /// # Errors
    /// As [`Core::received`].
    #[inline]
    pub fn received(&'static self, message: &mut C::Message) -> Result<(), Error> {
        self.with(|state, cpu| {
            let received = state.core.received(cpu);
            received.map(|received| *message = *received)
        })
    }

    /// With the core of this hart's cluster, and interrupts masked: to look at what it knows.
    /// `None` before it is set up.
    pub fn look<R>(&'static self, f: impl FnOnce(&mut Core<C>) -> R) -> Option<R> {
        self.cluster(hart::number())?;
        Some(self.with(|state, _| f(&mut state.core)))
    }
}
