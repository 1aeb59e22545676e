//! CPU time: who had the CPU between two readings of the clock.

use crate::config::Config;
use crate::stamp::Stamp;
use crate::{Core, Error, ThreadId};
use flyball_policy::Table;
use flyball_trace::{CpuId, Duration, Time};

impl<C: Config> Core<C> {
    /// Whether there may be entries that did not [begin](crate::Entry::begin), as they are
    /// [instants](crate::Entry::instant).
    const HAS_INSTANTS: bool = C::Stamp::OF_TIME.is_some();

    /// Whether the kernel's own time is told apart, for which the clock is read at the end of an
    /// entry as well: where stamps are instants, and where the policy wants to know how long threads
    /// run. Otherwise what an entry takes counts for the thread that runs after it.
    pub const TELLS_KERNEL_TIME: bool = Self::COUNTS && (Self::HAS_INSTANTS || Self::TELLS_USE);

    /// The kernel starts at this stamp, for machines whose counter runs already then. To be called
    /// before anything else.
    pub fn start_clock(&mut self, stamp: C::Stamp) {
        for cpu in 0..self.cpus.capacity() {
            self.cpus[cpu].counted = stamp;
        }
    }

    /// The CPU begins to work for the kernel: stops the clock of the thread that ran.
    #[inline]
    pub(crate) fn enter(&mut self, cpu: CpuId, stamp: C::Stamp) {
        if Self::COUNTS {
            let twice = Self::HAS_INSTANTS && self.cpu(cpu).in_kernel;
            self.charge(cpu, stamp, twice);
            if Self::HAS_INSTANTS {
                self.cpu_mut(cpu).in_kernel = true;
            }
        }
    }

    /// The CPU goes back to what was decided: starts its clock.
    #[inline]
    pub(crate) fn leave(&mut self, cpu: CpuId, stamp: C::Stamp) {
        if Self::TELLS_KERNEL_TIME {
            if Self::HAS_INSTANTS && !core::mem::take(&mut self.cpu_mut(cpu).in_kernel) {
                // It was an instant, so the clock of what runs has not been stopped.
                return;
            }
            self.charge(cpu, stamp, true);
        }
    }

    /// Charges the thread that has the CPU, or idle time, up to `now`. While the kernel has the CPU
    /// that has been done already.
    #[inline]
    pub(crate) fn count(&mut self, cpu: CpuId, now: Time) {
        if Self::COUNTS
            && let Some(stamp) = C::Stamp::OF_TIME
            && !self.cpu(cpu).in_kernel
        {
            self.charge(cpu, stamp(now), false);
        }
    }

    /// Charges the time since this was last done to what had the CPU: the kernel, a thread, or idle
    /// time.
    #[inline]
    fn charge(&mut self, cpu: CpuId, stamp: C::Stamp, kernel: bool) {
        let state = self.cpu_mut(cpu);
        let ticks = stamp.ticks_since(state.counted);
        state.counted = stamp;
        if kernel {
            if C::ACCOUNTING {
                state.kernel += ticks;
            }
            return;
        }
        if Self::TELLS_USE {
            // Zero again when a thread is picked.
            state.used += ticks;
        }
        if !C::ACCOUNTING {
            return;
        }
        if let Some(task) = state.running.get() {
            if let Some(used) = self.used.find_mut(task.index()) {
                *used += ticks;
            }
        } else {
            core::hint::cold_path();
            state.idle += ticks;
        }
    }

    /// The CPU time that a thread has used, up to `now`. Exact to the nanosecond of the machine's
    /// clock; zero throughout where [`Config::ACCOUNTING`] is off, or [`Config::Accounts`]
    /// is nothing.
    ///
    /// # Errors
    /// [`Error::Dead`], [`Error::Unknown`].
    pub fn cpu_time(&mut self, thread: ThreadId, now: Time) -> Result<Duration, Error> {
        let task = self.find(thread)?;
        if let Some(cpu) = self.cpu_of(task) {
            self.count(cpu, now);
        }
        let ticks = self.used.find(task.index()).copied().unwrap_or_default();
        Ok(C::Stamp::length(ticks))
    }

    /// The CPU time that the CPU spent idle up to the last time it entered or left the kernel; zero
    /// where [`Config::ACCOUNTING`] is off.
    pub fn idle_time(&self, cpu: CpuId) -> Duration {
        C::Stamp::length(self.cpu(cpu).idle)
    }

    /// The same up to `now`, where stamps are instants, also for another CPU than the one that calls.
    pub fn idle_time_until(&mut self, cpu: CpuId, now: Time) -> Duration {
        self.count(cpu, now);
        self.idle_time(cpu)
    }

    /// The CPU time that the CPU spent between the beginnings and the ends of entries, where that is
    /// [told apart](Core::TELLS_KERNEL_TIME); zero otherwise, and where [`Config::ACCOUNTING`] is
    /// off.
    pub fn kernel_time(&self, cpu: CpuId) -> Duration {
        C::Stamp::length(self.cpu(cpu).kernel)
    }
}

impl<C: Config<Stamp = Time>> Core<C> {
    /// When a thread will have used `total` CPU time, if nothing comes in between; [`Time::NEVER`]
    /// if it does not run, and where [`Core::cpu_time`] knows nothing.
    pub fn uses_up(&self, thread: ThreadId, total: Duration) -> Time {
        let running = self.find(thread).ok().and_then(|task| {
            let cpu = self.cpu_of(task)?;
            Some((self.used.find(task.index())?, self.cpu(cpu).counted))
        });
        match running {
            Some((&used, counted)) if Self::COUNTS => {
                counted + total.saturating_sub(Duration::from_nanos(used))
            }
            _ => Time::NEVER,
        }
    }
}
