//! Threads with periods and deadlines, and what a policy can be told of them: `sdk/include/flyball.h`.

use crate::attributes::Attributes;
use crate::binding::{_flyball_c_idle_time, _flyball_c_knows, Terms};
use crate::cancel::{self, OnSignal};
use crate::errno::{EINVAL, ENOTSUP, ESRCH, number};
use crate::{late, sched, thread};
use core::ffi::c_int;
use flyball_app::catalogue::Arrival;
use flyball_app::policy::i_plus_pi::Fraction;
use flyball_app::seam::{
    _flyball_misses, _flyball_now, _flyball_release, _flyball_sleep_unless, _flyball_thread,
    _flyball_wait_next,
};
use flyball_kernel::{At, OnMiss};
use flyball_script::{Declared, Note};
use flyball_trace::{Duration, TaskId, Time};

/// What is said of jobs, a part of `pthread_attr_t`. Zeros: nothing.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Jobs {
    /// In nanoseconds, as the next three.
    period: u64,
    deadline: u64,
    execution_time: u64,
    start: u64,
    /// In millionths.
    share: u32,
    importance: u16,
    sporadic: u8,
    late: u8,
}

/// `FLYBALL_CANCEL`.
const CANCEL: u8 = 3;

/// As many millionths are all.
const ALL: u32 = 1_000_000;

impl Jobs {
    pub(crate) const NONE: Jobs = Jobs {
        period: 0,
        deadline: 0,
        execution_time: 0,
        start: 0,
        share: 0,
        importance: 0,
        sporadic: 0,
        late: 0,
    };

    /// What a declaration says.
    pub(crate) fn declared(declared: &Declared) -> Jobs {
        if declared.late == CANCEL {
            late::prepare();
        }
        let start = match declared.phase {
            0 => 0,
            phase => _flyball_now().as_nanos().saturating_add(phase),
        };
        Jobs {
            // One of the two is zero.
            period: declared.period.max(declared.separation),
            deadline: declared.deadline,
            execution_time: declared.execution_time,
            start,
            share: declared.share,
            importance: declared.importance,
            sporadic: u8::from(declared.separation != 0),
            late: declared.late,
        }
    }

    /// Their relative deadline.
    pub(crate) fn deadline(&self) -> Option<Duration> {
        match (self.deadline, self.period) {
            (u64::MAX, _) | (0, 0) => None,
            (0, length) | (length, _) => Some(Duration::from_nanos(length)),
        }
    }

    /// Adds what the policy is told.
    ///
    /// # Errors
    /// `ENOTSUP`: the policy does not know that.
    pub(crate) fn complete(&self, mut terms: Terms) -> Result<Terms, c_int> {
        let facts = &mut terms.facts;
        if self.period != 0 {
            facts.period = Some(Duration::from_nanos(self.period));
            facts.arrival = if self.sporadic == 0 {
                Arrival::Periodic
            } else {
                Arrival::Sporadic
            };
        }
        facts.deadline = self.deadline();
        facts.wcet = Duration::from_nanos(self.execution_time);
        if self.share != 0 {
            facts.share = Some(Fraction::ratio(self.share.into(), ALL.into()));
        }
        if self.importance != 0 {
            facts.importance = Some(self.importance);
        }
        if _flyball_c_knows(&terms) {
            Ok(terms)
        } else {
            Err(ENOTSUP)
        }
    }

    /// What the trace learns of the jobs of the thread in a row.
    pub(crate) fn note(&self, row: TaskId) -> Note {
        Note::Jobs {
            row,
            period: (self.period != 0).then(|| Duration::from_nanos(self.period)),
            deadline: self.deadline(),
        }
    }

    /// Whether a late job cancels its thread.
    pub(crate) fn cancel_late(&self) -> bool {
        self.late == CANCEL
    }

    /// When the kernel releases jobs.
    pub(crate) fn attributes(&self) -> flyball_kernel::Attributes<At> {
        use flyball_kernel::Attributes;
        let period = Duration::from_nanos(self.period);
        let attributes = match (self.period, self.sporadic) {
            (0, _) => Attributes::THREAD,
            (_, 0) => Attributes::periodic(period),
            _ => Attributes::sporadic(period),
        };
        Attributes {
            start: Time::from_nanos(self.start).max(_flyball_now()),
            deadline: self.deadline(),
            on_miss: match self.late {
                1 => OnMiss::Skip,
                2 => OnMiss::Latest,
                _ => OnMiss::Continue,
            },
            alert: self.cancel_late().then(late::alert),
            ..attributes
        }
    }
}

/// Sets a part of attributes, unless the value is not `$valid`.
macro_rules! setter {
    ($name:ident($value:ident: $type:ty) $valid:expr => |$jobs:ident| $set:expr) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(attributes: *mut Attributes, $value: $type) -> c_int {
            if !$valid {
                return EINVAL;
            }
            // SAFETY: C passes attributes.
            let $jobs = unsafe { &mut (*attributes).jobs };
            $set;
            0
        }
    };
}

setter!(flyball_attr_setperiod(period: u64) period != 0 => |jobs| {
    (jobs.period, jobs.sporadic) = (period, 0);
});
setter!(flyball_attr_setsporadic(separation: u64) separation != 0 => |jobs| {
    (jobs.period, jobs.sporadic) = (separation, 1);
});
setter!(flyball_attr_setdeadline(deadline: u64) deadline != 0 => |jobs| jobs.deadline = deadline);
setter!(flyball_attr_setexecutiontime(time: u64) true => |jobs| jobs.execution_time = time);
setter!(flyball_attr_setstart(start: u64) true => |jobs| jobs.start = start);
setter!(flyball_attr_setshare(share: u32) (1..=ALL).contains(&share) => |jobs| jobs.share = share);
setter!(flyball_attr_setimportance(importance: u16) importance != 0 => |jobs| {
    jobs.importance = importance;
});

#[unsafe(no_mangle)]
unsafe extern "C" fn flyball_attr_setlate(attributes: *mut Attributes, what: c_int) -> c_int {
    match u8::try_from(what) {
        Ok(what @ 0..=CANCEL) => {
            if what == CANCEL {
                late::prepare();
            }
            // SAFETY: C passes attributes.
            unsafe { (*attributes).jobs.late = what };
            0
        }
        _ => EINVAL,
    }
}

#[unsafe(no_mangle)]
extern "C" fn flyball_wait_next() -> c_int {
    cancel::point();
    let kept_up = _flyball_wait_next();
    cancel::point();
    c_int::from(kept_up)
}

#[unsafe(no_mangle)]
extern "C" fn flyball_release(name: u32) -> c_int {
    _flyball_thread(name).map_or(ESRCH, |thread| number(_flyball_release(thread)))
}

#[unsafe(no_mangle)]
extern "C" fn flyball_misses() -> u64 {
    _flyball_misses()
}

#[unsafe(no_mangle)]
unsafe extern "C" fn flyball_adjust(name: u32, attributes: *const Attributes) -> c_int {
    // SAFETY: C passes attributes.
    let attributes = unsafe { &*attributes };
    sched::adjust(
        name,
        Some(attributes.policy),
        attributes.priority,
        &attributes.jobs,
    )
}

#[unsafe(no_mangle)]
extern "C" fn flyball_now() -> u64 {
    _flyball_now().as_nanos()
}

#[unsafe(no_mangle)]
extern "C" fn flyball_sleep_until(time: u64) {
    let until = Time::from_nanos(time);
    cancel::wait(OnSignal::Wait, |due, set| {
        _flyball_sleep_unless(until, due, set)
    });
}

#[unsafe(no_mangle)]
unsafe extern "C" fn flyball_cpu_time(name: u32, time: *mut u64) -> c_int {
    match thread::cpu_time(name) {
        Some(used) => {
            // SAFETY: C passes a place.
            unsafe { time.write(used) };
            0
        }
        None => ESRCH,
    }
}

#[unsafe(no_mangle)]
extern "C" fn flyball_idle_time() -> u64 {
    _flyball_c_idle_time().1.as_nanos()
}
