//! Servers: the least CPU time that a server gives, and which tasks hold inside of it.
//!
//! A server has a budget Q in every period P. Its tasks have no CPU of their own: they have what the
//! server gives, and that may come late. The *supply bound function* sbf(t) is the least CPU time
//! that the server gives in any interval of length t in which its tasks have work throughout. For
//! every [`Rule`] it has the same form: nothing during a *blackout* of length L, and then Q at the
//! start of every period.
//!
//! ```text
//! sbf(t)                  ___/        sbf(t) = ⌊x / P⌋ Q + min(x mod P, Q), with x = t − L;
//!                     ___/                     0 for t ≤ L
//!                 ___/   '
//!   _____________/       '            sbf(t) ≥ (Q / P) (t − L), and equal at t = L + k P
//!   |-- L -------|-- P --|
//! ```
//!
//! A blackout is as long as a period without its budget at least, L ≥ P − Q. So two intervals in
//! a row give at least what each of them does, sbf(s + t) ≥ sbf(s) + sbf(t), and sbf(t) ≤ (Q / P) t.
//! The analyses rest on both.
//!
//! They are those of a whole CPU, where the time that work takes becomes sbf⁻¹(work):
//!
//! * EDF ([`edf_demand::test_on`](crate::edf_demand::test_on)): sbf⁻¹(dbf(t)) ≤ t for all t, which
//!   is dbf(t) ≤ sbf(t). Response times: [`edf_response`](crate::edf_response::response_times_on).
//! * Fixed priorities ([`fixed_priority::test_on`](crate::fixed_priority::test_on)): the least F
//!   with F = sbf⁻¹(blocking + own work + interference(F)).
//! * First come, first served: fixed priorities with a single level.
//!
//! With the supply of the pattern above these are exact, as on a CPU. A server's supply is seldom
//! as bad as that, and what an analysis rejects is not proven to be late: such verdicts are
//! [`Verdict::Unknown`].
//!
//! Source: Shin and Lee, *Periodic resource model for compositional real-time guarantees*, RTSS 2003;
//! Easwaran, Anand and Lee, *Compositional analysis framework using EDP resource models*, RTSS 2007;
//! Almeida and Pedreiras, *Scheduling within temporal partitions*, EMSOFT 2004 (sbf⁻¹ in response
//! times); the line: Lipari and Bini, *Resource partitioning among real-time applications*, ECRTS 2003.
//! Complexity: O(1) for each function of a supply; the analyses cost what they do on a CPU.
//!
//! ```
//! use flyball_analysis::supply::{Inside, Least, Rule, Sizing};
//! use flyball_analysis::{SporadicTask, WorkLimit};
//! use flyball_trace::Duration;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let ms = Duration::from_millis;
//! let tasks = [
//!     SporadicTask::new(ms(2), ms(40), ms(40))?,
//!     SporadicTask::new(ms(3), ms(60), ms(30))?,
//! ];
//! // Which budget does a server of Linux need every 10 ms, that serves them in order?
//! let sizing = Sizing {
//!     tasks: &tasks,
//!     inside: Inside::InOrder,
//!     rule: Rule::SchedDeadline,
//!     deadline: None,
//!     limit: WorkLimit::default(),
//! };
//! // A third of 5 ms: these are done at the end of the third period then, in 30 ms.
//! let budget = Duration::from_nanos(1_666_667);
//! assert_eq!(sizing.smallest_budget(ms(10))?, Least::Exactly(budget));
//! // It holds them whatever other servers do.
//! let server = SporadicTask::new(budget, ms(10), ms(10))?;
//! let outcome = Inside::InOrder.test(&tasks, Rule::SchedDeadline, &server, sizing.limit)?;
//! assert!(outcome.holds());
//! # Ok(())
//! # }
//! ```

mod among;
mod inside;
mod rule;
mod sizing;

pub use among::server_responses;
pub use inside::Inside;
pub use rule::Rule;
pub use sizing::{Least, Sizing};

use crate::utilisation::Load;
use crate::{
    InvalidTask, LevelMismatch, Outcome, Reason, SporadicTask, Stop, Utilisation, Verdict,
};
use core::cmp::Ordering;
use core::fmt;
use flyball_trace::Duration;

/// The least that a server gives: nothing during a blackout, and then its budget at the start of
/// every period.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Supply {
    /// L ≥ P − Q. Where it does not fit, it is the largest number, and there is no supply.
    blackout: u64,
    /// Q, from 1 to P.
    budget: u64,
    /// P.
    period: u64,
}

impl Supply {
    /// A CPU that nothing else uses.
    pub const CPU: Supply = Supply {
        blackout: 0,
        budget: 1,
        period: 1,
    };

    /// The supply of a server with this budget (its WCET) and period, after a `blackout`, or after
    /// the shortest that there can be, if that is longer: period − budget.
    ///
    /// # Errors
    /// [`NotCovered::Budget`] if the budget exceeds the period.
    pub fn after(blackout: Duration, server: &SporadicTask) -> Result<Supply, NotCovered> {
        let gap = server.t().checked_sub(server.c());
        let blackout = blackout.as_nanos().max(gap.ok_or(NotCovered::Budget)?);
        if blackout == 0 {
            return Ok(Supply::CPU);
        }
        Ok(Supply {
            blackout,
            budget: server.c(),
            period: server.t(),
        })
    }

    /// L: the longest interval without supply. [`Duration::MAX`]: there never is any that counts.
    pub const fn blackout(&self) -> Duration {
        Duration::from_nanos(self.blackout)
    }

    /// Q / P: the share of the CPU that the server gives in the long run.
    pub fn bandwidth(&self) -> Utilisation {
        Utilisation::of(&[SporadicTask::plain([self.budget, self.period, self.period])])
    }

    /// sbf: the least supply in an interval of this length. O(1).
    pub const fn bound(&self, interval: Duration) -> Duration {
        let x = interval.as_nanos().saturating_sub(self.blackout);
        let rest = x % self.period;
        let rest = if rest < self.budget {
            rest
        } else {
            self.budget
        };
        // At most x, as a budget is at most a period.
        Duration::from_nanos(x / self.period * self.budget + rest)
    }

    /// The line below sbf, (Q / P) (t − L), rounded down; zero during the blackout. O(1).
    pub fn linear_bound(&self, interval: Duration) -> Duration {
        let x = interval.as_nanos().saturating_sub(self.blackout);
        let supply = u128::from(x) * u128::from(self.budget) / u128::from(self.period);
        // It is at most x, which has 64 bits.
        Duration::from_nanos(u64::try_from(supply).unwrap_or(x))
    }

    /// sbf⁻¹: the shortest interval that gives as much as `work`; `None` if it is as long as
    /// [`Duration::MAX`] or longer. O(1).
    pub fn inverse(&self, work: Duration) -> Option<Duration> {
        let time = self.time_for(work.as_nanos()).ok()?;
        (time < u64::MAX).then_some(Duration::from_nanos(time))
    }

    /// sbf⁻¹ in nanoseconds. Work of k whole budgets and a rest ends after k gaps of P − Q.
    pub(crate) fn time_for(&self, work: u64) -> Result<u64, Stop> {
        let Some(last) = work.checked_sub(1) else {
            return Ok(0);
        };
        let gap = self.period - self.budget;
        let gaps = if gap == 0 {
            Some(0)
        } else {
            (last / self.budget).checked_mul(gap)
        };
        let time = gaps.and_then(|gaps| gaps.checked_add(work)?.checked_add(self.blackout));
        time.ok_or(Stop::TimeRange)
    }

    /// The same of work that may have more than 64 bits, as demand may. What is too long to count is
    /// longer than any interval.
    pub(crate) fn time_for_demand(&self, work: u128) -> u128 {
        let time = u64::try_from(work).map(|work| self.time_for(work));
        time.map_or(u128::MAX, |time| time.map_or(u128::MAX, u128::from))
    }

    /// P in nanoseconds.
    pub(crate) const fn period(&self) -> u64 {
        self.period
    }

    /// Whether it is a whole CPU.
    pub(crate) fn is_whole(&self) -> bool {
        *self == Supply::CPU
    }

    /// (Q / P) L, rounded up: what the blackout takes.
    pub(crate) fn lost(&self) -> u128 {
        (u128::from(self.blackout) * u128::from(self.budget)).div_ceil(u128::from(self.period))
    }

    /// What the server does not give, as a task: together with it, tasks that ask for no more than
    /// the server gives ask for no more than the CPU.
    fn gap(&self) -> Option<SporadicTask> {
        let gap = self.period - self.budget;
        (gap > 0).then(|| SporadicTask::plain([gap, self.period, self.period]))
    }

    /// The load to which that of tasks is added.
    pub(crate) fn load(&self) -> Load {
        let mut load = Load::default();
        if let Some(gap) = self.gap() {
            load.add(&gap);
        }
        load
    }

    /// The load of tasks and of what the server does not give.
    pub(crate) fn load_of(&self, tasks: &[SporadicTask]) -> Load {
        let mut load = self.load();
        for task in tasks {
            load.add(task);
        }
        load
    }

    /// Compares what tasks ask for with what the server gives, exactly; `load` is that of
    /// [`load_of`](Supply::load_of).
    pub(crate) fn compare(&self, load: &Load, tasks: &[SporadicTask]) -> Ordering {
        match self.gap() {
            None => load.cmp_one(tasks),
            Some(gap) => load.cmp_one_as(|| {
                let all: Vec<_> = tasks.iter().copied().chain([gap]).collect();
                Utilisation::of(&all)
            }),
        }
    }

    /// Why tasks that ask for more than it gives fail.
    pub(crate) fn overload(&self, tasks: &[SporadicTask]) -> Reason {
        let utilisation = Utilisation::of(tasks);
        if self.is_whole() {
            Reason::Overload { utilisation }
        } else {
            Reason::AboveBound {
                bound: "server's",
                utilisation,
            }
        }
    }

    /// What a `verdict` is worth that is exact for the worst supply. A server may give more.
    pub(crate) fn outcome(&self, verdict: Verdict, tasks: &[SporadicTask]) -> Outcome {
        if self.is_whole() {
            return Outcome::exact_unless_blocked(verdict, tasks);
        }
        Outcome::sufficient(match verdict {
            Verdict::Fails(reason) => Verdict::Unknown(reason),
            verdict => verdict,
        })
    }
}

/// Why nothing is said of a server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NotCovered {
    /// One of its times is out of range.
    Server(InvalidTask),
    /// Its budget is longer than its deadline.
    Budget,
    /// Its deadline is beyond its period.
    Deadline,
    /// It may use its budgets long before they are due, and have none afterwards: only what is
    /// served first come, first served can count on it.
    Early,
    /// Servers by this rule are scheduled by their deadlines.
    Deadlines,
    /// There are not as many levels as tasks, or as servers.
    Levels(LevelMismatch),
}

impl fmt::Display for NotCovered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotCovered::Server(invalid) => invalid.fmt(f),
            NotCovered::Budget => f.write_str("the budget is longer than the deadline"),
            NotCovered::Deadline => f.write_str("the deadline is beyond the period"),
            NotCovered::Early => f.write_str(
                "the server may use its budgets early, so its tasks have to be served first come, \
                 first served",
            ),
            NotCovered::Deadlines => {
                f.write_str("servers by this rule are scheduled by their deadlines")
            }
            NotCovered::Levels(mismatch) => mismatch.fmt(f),
        }
    }
}

impl core::error::Error for NotCovered {}

impl From<LevelMismatch> for NotCovered {
    fn from(mismatch: LevelMismatch) -> NotCovered {
        NotCovered::Levels(mismatch)
    }
}

impl From<InvalidTask> for NotCovered {
    fn from(invalid: InvalidTask) -> NotCovered {
        NotCovered::Server(invalid)
    }
}
