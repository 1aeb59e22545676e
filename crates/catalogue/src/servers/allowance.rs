//! How much longer than the execution time of a task the budget of its own server is.

use crate::settings::{Setting, Values};
use flyball_policy::{Duration, Encode};

/// What a budget has for the kernel's work that is charged to a job.
///
/// On a machine it is not zero if nothing else is said: a job computes for as long as it says, and
/// then it still has to tell the kernel that it is done; and while it runs, the kernel releases
/// other tasks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Allowance {
    /// For each job.
    pub job: Duration,
    /// For each unit of time up to the server's deadline, in millionths: interrupts come as time goes by.
    pub interrupts: u32,
}

impl Allowance {
    /// [`Allowance::job`].
    pub(crate) const JOB: Setting = Setting::duration_or_zero(
        "allowance",
        "how much more than its execution time a task's budget is, for work that is charged to its jobs",
        Duration::ZERO,
    );
    /// [`Allowance::interrupts`].
    pub(crate) const INTERRUPTS: Setting = Setting::decimal(
        "interrupts",
        "how much more a task's budget is besides, as a part of the time up to the deadline of its \
         server, for interrupts while its jobs run",
        "0",
    );

    /// What the settings say.
    pub fn of(values: &dyn Values) -> Allowance {
        Allowance {
            job: values.duration(Allowance::JOB.name),
            interrupts: values.millionths(Allowance::INTERRUPTS.name),
        }
    }

    /// The budget of a server with this deadline, for jobs that run for `wcet`: no more than the deadline.
    pub fn budget(self, wcet: Duration, deadline: Duration) -> Duration {
        let interrupts = u128::from(deadline.as_nanos()) * u128::from(self.interrupts) / 1_000_000;
        // What no `u64` holds is more than the deadline.
        let interrupts = u64::try_from(interrupts).unwrap_or(u64::MAX);
        let budget = [self.job.as_nanos(), interrupts]
            .into_iter()
            .fold(wcet.as_nanos(), u64::saturating_add);
        Duration::from_nanos(budget).min(deadline)
    }
}

impl Encode for Allowance {
    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        (self.job, self.interrupts).emit(put);
    }

    fn parse(bytes: &mut &[u8]) -> Option<Allowance> {
        let (job, interrupts) = Encode::parse(bytes)?;
        Some(Allowance { job, interrupts })
    }
}

#[test]
fn a_budget_is_longer_by_both_and_no_longer_than_the_deadline() {
    let us = Duration::from_micros;
    let allowance = Allowance {
        job: us(5),
        interrupts: 2_000,
    };
    assert_eq!(allowance.budget(us(100), us(1_000)), us(107));
    assert_eq!(allowance.budget(us(100), us(104)), us(104));
    let all = Allowance {
        interrupts: 1_000_000,
        ..allowance
    };
    let longest = Duration::from_nanos(u64::MAX);
    assert_eq!(all.budget(longest, longest), longest);
    assert_eq!(Allowance::default().budget(us(100), us(1_000)), us(100));
}
