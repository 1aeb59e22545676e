//! Which budget do the tasks of a server need? By bisection over whole nanoseconds.

use super::{Inside, NotCovered, Rule};
use crate::margin::Margin;
use crate::sensitivity::largest;
use crate::{Answer, SporadicTask, Stop, WorkLimit};
use core::cmp::min;
use flyball_trace::Duration;

/// What a server is to hold, and how it is scheduled.
///
/// A larger budget never hurts, nor does a shorter period. For work w,
///
/// ```text
/// sbf⁻¹(w) = L + (⌈w / Q⌉ − 1) (P − Q) + w
/// ```
///
/// does not grow with Q, and does not fall with P: neither does any of the three terms, where L is one
/// of the blackouts of [`Rule`] and D is min(P, a constant). The tests ask whether
/// sbf⁻¹(dbf(t)) ≤ t, or for the least F = sbf⁻¹(… F), so what they accept they also accept with a
/// smaller sbf⁻¹. So bisection finds the edge. What is found is proven; the next smaller budget, or
/// longer period, is what the test cannot prove.
///
/// The deadline is what the system of servers has to grant. Under fixed priorities, where a larger
/// budget has a longer response time, the servers are to be tested with the budgets found
/// ([`server_responses`](super::server_responses)).
///
/// Complexity: some 2 log₂ of the period, or of the difference between it and the budget, in tests,
/// each of which takes no more steps than the `limit`.
#[derive(Clone, Copy, Debug)]
pub struct Sizing<'a> {
    /// The tasks of the server.
    pub tasks: &'a [SporadicTask],
    /// The order in which it serves them.
    pub inside: Inside<'a>,
    /// When it has a budget.
    pub rule: Rule,
    /// By when a budget is given, or the end of the period, if that is earlier. `None`: by the end.
    pub deadline: Option<Duration>,
    /// The most steps of each test.
    pub limit: WorkLimit,
}

/// The smallest value that a test accepts, as far as a search has found out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Least<T> {
    /// The test accepts this, and nothing less.
    Exactly(T),
    /// The test accepts this. Of less it is not known, as the search stopped.
    AtMost(T, Stop),
    /// The test rejects even the largest.
    Nothing,
    /// The search stopped before the test had accepted anything.
    NotKnown(Stop),
}

impl<T> Least<T> {
    /// The smallest that is proven to be accepted, if anything is.
    pub const fn proven(&self) -> Option<&T> {
        match self {
            Least::Exactly(proven) | Least::AtMost(proven, _) => Some(proven),
            Least::Nothing | Least::NotKnown(_) => None,
        }
    }
}

impl Sizing<'_> {
    /// The smallest budget with which a server of this period holds its tasks: 1 ns at least.
    ///
    /// # Errors
    /// If nothing can be said of such a server, whatever its budget.
    pub fn smallest_budget(&self, period: Duration) -> Result<Least<Duration>, NotCovered> {
        let whole = self.deadline(period);
        let budget = |spared: u64| whole.saturating_sub(Duration::from_nanos(spared));
        self.covers(whole, period)?;
        // There is no budget of zero.
        let most = whole.as_nanos().saturating_sub(1);
        let spared = largest(most / 2, most, |spared| self.ask(budget(spared), period));
        Ok(match spared {
            Margin::Exactly(spared) => Least::Exactly(budget(spared)),
            Margin::AtLeast(spared, stop) => Least::AtMost(budget(spared), stop),
            Margin::Nothing => Least::Nothing,
            Margin::NotKnown(stop) => Least::NotKnown(stop),
        })
    }

    /// The smallest budget for each of these periods, in their order.
    ///
    /// # Errors
    /// As [`Sizing::smallest_budget`].
    pub fn smallest_budgets(
        &self,
        periods: &[Duration],
    ) -> Result<Vec<Least<Duration>>, NotCovered> {
        let smallest = |&period: &Duration| self.smallest_budget(period);
        periods.iter().map(smallest).collect()
    }

    /// The longest period with which a server of this budget holds its tasks: the budget at least.
    /// Periods up to 292 years are tried.
    ///
    /// # Errors
    /// If nothing can be said of such a server, whatever its period.
    pub fn longest_period(&self, budget: Duration) -> Result<Margin<Duration>, NotCovered> {
        const LONGEST: u64 = i64::MAX as u64;
        self.covers(budget, budget)?;
        let period = |more: u64| budget + Duration::from_nanos(more);
        let most = LONGEST.saturating_sub(budget.as_nanos());
        let found = largest(budget.as_nanos(), most, |more| {
            self.ask(budget, period(more))
        });
        Ok(match found {
            // Longer ones are not tried.
            Margin::Exactly(more) if more == most => Margin::AtLeast(period(more), Stop::TimeRange),
            found => found.map(period),
        })
    }

    fn deadline(&self, period: Duration) -> Duration {
        self.deadline
            .map_or(period, |deadline| min(deadline, period))
    }

    fn server(&self, budget: Duration, period: Duration) -> Result<SporadicTask, NotCovered> {
        Ok(SporadicTask::new(budget, period, self.deadline(period))?)
    }

    /// Whether a test says anything at all: not of an impossible budget, rule or order.
    fn covers(&self, budget: Duration, period: Duration) -> Result<(), NotCovered> {
        let server = self.server(budget, period)?;
        let none = self.limit.divided(usize::MAX);
        self.inside
            .test(self.tasks, self.rule, &server, none)
            .map(|_| ())
    }

    fn ask(&self, budget: Duration, period: Duration) -> Answer {
        let server = self.server(budget, period);
        let outcome =
            server.and_then(|server| self.inside.test(self.tasks, self.rule, &server, self.limit));
        // What is covered with one budget and period is with all that are in range.
        outcome.map_or(Answer::Rejects, |outcome| Answer::from(&outcome))
    }
}
