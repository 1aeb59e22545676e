//! What a server may use, and what it has used of it.

use super::bids::Alpha;
use crate::encode::Encode;
use crate::policy::{Budget, Parameter, Refused};
use flyball_trace::{Duration, Time};

/// A budget of CPU time in every period, to be had by the deadline.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Reservation {
    /// How much CPU time there is in a period: more than zero, at most the deadline.
    pub budget: Duration,
    /// The period: more than zero.
    pub period: Duration,
    /// How long after a budget's release it has to be available at the latest; at most the period.
    pub deadline: Duration,
    /// What happens when a budget is used up, under rules that can do either.
    pub mode: Mode,
    /// By how much the server comes later after a job of little importance, under rules that ask for it.
    pub alpha: Alpha,
}

/// What happens when a budget is used up.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Mode {
    /// What the rule does with all servers.
    #[default]
    OfRule,
    /// The server waits for the next one.
    Hard,
    /// The next one comes at once, with a later deadline.
    Soft,
}

impl Reservation {
    /// This budget in every period.
    pub const fn every(period: Duration, budget: Duration) -> Reservation {
        Reservation {
            budget,
            period,
            deadline: period,
            mode: Mode::OfRule,
            alpha: Alpha::OF_RULE,
        }
    }

    /// The same, hard or soft.
    #[must_use]
    pub const fn with_mode(self, mode: Mode) -> Reservation {
        Reservation { mode, ..self }
    }

    /// Checks that the budget is in the deadline, and the deadline in the period.
    ///
    /// # Errors
    /// [`Refused::Invalid`].
    pub fn check(&self) -> Result<(), Refused> {
        let parameter = if self.budget.is_zero() || self.budget > self.deadline {
            Parameter::Budget
        } else if self.deadline > self.period {
            Parameter::Deadline
        } else {
            return Ok(());
        };
        Err(Refused::Invalid(parameter))
    }

    /// Whether `budget` within `time` is more than the reservation gives: more than its budget
    /// within its deadline, in proportion.
    #[inline]
    pub(crate) fn is_exceeded_by(&self, budget: Duration, time: Duration) -> bool {
        let lengths = [budget, self.deadline, time, self.budget].map(Duration::as_nanos);
        if let [Ok(budget), Ok(deadline), Ok(time), Ok(own)] = lengths.map(u32::try_from) {
            return u64::from(budget) * u64::from(deadline) > u64::from(time) * u64::from(own);
        }
        self.is_exceeded_in_128_bits(budget, time)
    }

    /// [`Reservation::is_exceeded_by`] with lengths of more than 4.3 s.
    #[cold]
    #[inline(never)]
    fn is_exceeded_in_128_bits(&self, budget: Duration, time: Duration) -> bool {
        product(budget, self.deadline) > product(time, self.budget)
    }

    /// How long it takes to get `budget`, in proportion, rounded down.
    fn takes(&self, budget: Duration) -> Duration {
        let time = product(budget, self.deadline) / u128::from(self.budget.as_nanos()).max(1);
        u64::try_from(time).map_or(Duration::MAX, Duration::from_nanos)
    }

    /// What the reservation gives within `time`, which is at most its deadline, in proportion.
    fn in_proportion(&self, time: Duration) -> Duration {
        let given = product(time, self.budget) / u128::from(self.deadline.as_nanos()).max(1);
        // Within the deadline it is at most the budget.
        u64::try_from(given).map_or(self.budget, Duration::from_nanos)
    }
}

fn product(a: Duration, b: Duration) -> u128 {
    u128::from(a.as_nanos()) * u128::from(b.as_nanos())
}

impl Encode for Reservation {
    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        let mode = self.mode as u8;
        (self.budget, self.period, self.deadline, mode).emit(put);
        self.alpha.emit(put);
    }

    fn parse(bytes: &mut &[u8]) -> Option<Reservation> {
        let (budget, period, deadline, mode) = <(Duration, Duration, Duration, u8)>::parse(bytes)?;
        let modes = [Mode::OfRule, Mode::Hard, Mode::Soft];
        Some(Reservation {
            budget,
            period,
            deadline,
            mode: *modes.get(usize::from(mode))?,
            alpha: Alpha::parse(bytes)?,
        })
    }
}

/// The budget that a server has now, and by when; `S` is what its rule keeps of it beside that
/// ([`Rule::State`](super::Rule::State)).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Account<S = ()> {
    /// What the server is promised.
    pub reservation: Reservation,
    /// How much of the present budget has been used. It may be more than the budget, where a CPU is
    /// interrupted too late: that is paid back by the next budgets.
    pub used: Duration,
    /// The instant up to which the present budget counts: the server's key among all servers.
    /// [`Time::NEVER`]: there has been none yet.
    pub deadline: Time,
    /// What the rule of the server keeps.
    pub state: S,
}

impl<S: Default> Account<S> {
    /// An account that has never been used: its deadline is [`Time::NEVER`].
    pub fn new(reservation: Reservation) -> Account<S> {
        Account {
            reservation,
            used: Duration::ZERO,
            deadline: Time::NEVER,
            state: S::default(),
        }
    }
}

impl<S> Account<S> {
    /// What is left of the present budget.
    #[inline]
    pub fn budget(&self) -> Duration {
        self.reservation.budget.saturating_sub(self.used)
    }

    /// Whether nothing is left of it.
    #[inline]
    pub fn is_exhausted(&self) -> bool {
        self.used >= self.reservation.budget
    }

    /// Whether there has been no budget yet.
    #[inline]
    pub fn is_new(&self) -> bool {
        self.deadline == Time::NEVER
    }

    /// Whether what is left of the budget is more than the reservation gives in the time up to the
    /// deadline.
    pub fn is_dense(&self, now: Time) -> bool {
        let reservation = &self.reservation;
        reservation.is_exceeded_by(self.budget(), self.deadline.since(now))
    }

    /// What there is of a budget; `None`: there has been none yet.
    pub fn present(&self) -> Option<Budget> {
        (!self.is_new()).then_some(Budget {
            left: self.budget(),
            deadline: self.deadline,
            reclaimed: Duration::ZERO,
            reserve: None,
        })
    }

    /// The instant at which a server that gets its budget in proportion all the time would have used
    /// what has been used.
    pub fn zero_lag(&self) -> Time {
        self.deadline - self.reservation.takes(self.budget())
    }

    /// The end of the period that the deadline is of.
    pub fn period_end(&self) -> Time {
        let reservation = &self.reservation;
        self.deadline + reservation.period.saturating_sub(reservation.deadline)
    }

    /// The begin of the period that `now` is in, where periods follow each other without a gap.
    pub fn period_start(&self, now: Time) -> Time {
        self.deadline - self.reservation.deadline + self.reservation.period * self.periods(now)
    }

    /// How many periods have ended since that of the deadline began.
    fn periods(&self, now: Time) -> u64 {
        let end = self.period_end();
        if now < end {
            return 0;
        }
        // A server that has had a budget has a period.
        now.since(end) / self.reservation.period + 1
    }

    /// Goes on to the period that `now` is in. Each one pays for a budget of what has been used.
    pub fn advance(&mut self, now: Time) {
        let periods = self.periods(now);
        if periods > 0 {
            let paid = self.reservation.budget * periods;
            self.used = self.used.saturating_sub(paid);
            self.deadline += self.reservation.period * periods;
        }
    }

    /// A key that never changes: shorter deadlines go first.
    pub fn by_deadline(&self) -> Time {
        Time::ZERO + self.reservation.deadline
    }

    /// Nothing is left of the budget.
    pub fn use_up(&mut self) {
        self.used = self.used.max(self.reservation.budget);
    }

    /// Leaves no more of the budget than the reservation gives up to the deadline, in proportion.
    pub fn thin(&mut self, now: Time) {
        let left = self.reservation.in_proportion(self.deadline.since(now));
        self.used = self.used.max(self.reservation.budget.saturating_sub(left));
    }

    /// A whole budget from now on.
    pub fn renew(&mut self, now: Time) {
        self.used = Duration::ZERO;
        self.deadline = now + self.reservation.deadline;
    }

    /// The budget of the next period, or of the first one that has not been used already; from now
    /// on, if that is over.
    pub fn replenish(&mut self, now: Time) {
        while self.is_exhausted() && self.deadline != Time::NEVER {
            self.used = self.used.saturating_sub(self.reservation.budget);
            self.deadline += self.reservation.period;
        }
        if self.deadline <= now {
            self.renew(now);
        }
    }
}
