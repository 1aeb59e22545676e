//! The rule of the servers: reservations whose share and period change while they are used.

use super::part::Part;
use crate::servers::{Account, Arrival, Reservation, Rule, Supply};
use flyball_trace::{Duration, Time};

/// Which reservation comes first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Order {
    /// The one with the shortest period (rate monotonic): the paper's.
    #[default]
    Rate,
    /// The one whose period ends first (EDF).
    Deadline,
}

/// The share of a server: now, and from the next period on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Share {
    /// In this period.
    pub now: Part,
    /// From the next one on.
    pub next: Part,
    /// The largest that it has had in this period: what has been used is paid for by that, and not by a share that
    /// has been cut since.
    pub largest: Part,
    /// The smallest that it has had in this period.
    least: Part,
    /// Since when it has had a task; [`Time::NEVER`]: it has none.
    since: Time,
    /// How many periods there have been in which it had a task all the time, and did not get its budget,
    /// modulo 2¹⁶: *missed allocations* (section 3.4).
    pub missed: u16,
    /// What of its budgets is used.
    pub(super) usage: Use,
    /// It waits for its next period, although something is left of its budget.
    is_denied: bool,
}

/// How much of budgets is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Use {
    /// The most in a period that is over, in nanoseconds, up to 4.29 s.
    pub most: u32,
    /// A budget has been used up, and was not enough.
    pub is_short: bool,
}

impl Share {
    /// The share in this period, which has been no larger, and the one from the next period on.
    pub const fn new(now: Part, next: Part) -> Share {
        Share {
            now,
            next,
            largest: now,
            least: now,
            since: Time::NEVER,
            missed: 0,
            usage: Use {
                most: 0,
                is_short: false,
            },
            is_denied: false,
        }
    }
}

impl Default for Share {
    fn default() -> Share {
        Share::new(Part::NOTHING, Part::NOTHING)
    }
}

/// A budget that is used up comes back in the next period, with the share that holds then.
#[derive(Clone, Copy, Debug)]
pub struct Reserves {
    /// Which server comes first.
    pub order: Order,
    /// A server whose task comes back waits for its next period if less than this is left of a budget that it
    /// has used already.
    pub denies: Duration,
}

type Held = Account<Share>;

/// The share that a server has for the rest of its present period; `None`: none is under way at `now`.
pub(super) fn held(account: &Held, now: Time) -> Option<Part> {
    let is_under_way = !account.is_new() && now < account.deadline;
    is_under_way.then_some(account.state.now)
}

/// Does `act`, which goes on to a new period if the present one is over. Then the share of the new one holds.
fn in_periods<T>(account: &mut Held, now: Time, act: impl FnOnce(&mut Held) -> T) -> T {
    let before = account.deadline;
    let Share {
        now: present,
        largest,
        ..
    } = account.state;
    let is_cut = largest > present && before <= now;
    if is_cut {
        account.reservation.budget = largest.in_period(account.reservation.period);
    }
    let used = account.used;
    let done = act(account);
    if account.deadline != before {
        let period = account.reservation.period;
        let state = &mut account.state;
        let is_over = before <= now && state.since <= before - period && !state.is_denied;
        if is_over && used < state.least.in_period(period) {
            state.missed = state.missed.wrapping_add(1);
        }
        let spent = u32::try_from(used.as_nanos()).unwrap_or(u32::MAX);
        state.usage.most = state.usage.most.max(spent);
        let next = state.next;
        (state.now, state.largest, state.least) = (next, next, next);
        state.is_denied = false;
    }
    if is_cut || account.deadline != before {
        resize(account);
    }
    done
}

fn resize(account: &mut Held) {
    let reservation = &mut account.reservation;
    reservation.budget = account.state.now.in_period(reservation.period);
}

fn supply(account: &Held) -> Supply {
    if account.is_exhausted() || account.state.is_denied {
        return Supply::Throttled(account.deadline);
    }
    Supply::Available
}

impl Reserves {
    /// A server has another share and period from now on; the present period has the new length.
    pub fn change(self, account: &mut Held, share: Share, period: Duration, now: Time) {
        let catch_up = |account: &mut Held| {
            if !account.is_new() && account.deadline <= now {
                in_periods(account, now, |account| account.advance(now));
            }
        };
        // What has been used in periods that are over, their budgets pay for, and not smaller ones.
        catch_up(account);
        let largest = account.state.largest.max(share.now);
        let least = account.state.least.min(share.now);
        account.state = Share {
            now: share.now,
            next: share.next,
            largest,
            least,
            ..account.state
        };
        let old = account.reservation.period;
        if period != old {
            let reservation = &mut account.reservation;
            (reservation.period, reservation.deadline) = (period, period);
            if !account.is_new() {
                account.deadline = account.deadline - old + period;
            }
        }
        resize(account);
        catch_up(account);
    }
}

/// A period as rate monotonic priorities see it: rounded down to its four leading binary digits. Two stages of a
/// pipeline have nearly the same period. If the shorter one always had the higher priority, a consumer would
/// preempt its producer at each message, and no period would make that less.
fn rounded(period: Duration) -> Duration {
    // None is longer than 4.29 s.
    let nanos = u32::try_from(period.as_nanos()).unwrap_or(u32::MAX);
    let kept = (u32::BITS - nanos.leading_zeros()).saturating_sub(4);
    Duration::from_nanos(u64::from(nanos >> kept << kept))
}

impl Rule for Reserves {
    type State = Share;

    fn key(&self, account: &Held) -> Time {
        match self.order {
            Order::Rate => Time::ZERO + rounded(account.reservation.period),
            Order::Deadline => account.deadline,
        }
    }

    fn reserve(&mut self, account: &mut Held, reservation: Reservation) {
        let share = Part::of(reservation.budget, reservation.period);
        account.state = Share::new(share, share);
        account.reservation = reservation;
    }

    fn arrives(&mut self, account: &mut Held, arrival: Arrival) -> Supply {
        let now = arrival.at;
        account.state.since = now;
        in_periods(account, now, |account| match self.order {
            _ if account.is_new() => account.renew(now),
            Order::Rate => account.advance(now),
            // As under hard constant bandwidth servers.
            Order::Deadline if now >= account.deadline => account.renew(now),
            Order::Deadline if !account.is_exhausted() && account.is_dense(now) => {
                account.renew(now);
            }
            Order::Deadline => {}
        });
        account.state.is_denied = !account.used.is_zero() && account.budget() < self.denies;
        supply(account)
    }

    fn supply(&mut self, account: &mut Held, now: Time) -> Supply {
        if account.is_exhausted() {
            return self.exhausted(account, now);
        }
        supply(account)
    }

    fn emptied(&mut self, account: &mut Held, _: Time) -> Option<Time> {
        account.state.since = Time::NEVER;
        None
    }

    /// What has been used in the present period counts for its budget.
    fn charge(&self, account: &mut Held, used: Duration, now: Time) {
        if self.order == Order::Deadline {
            account.used += used;
            return;
        }
        let late = used.min(now.since(account.period_start(now)));
        account.used += used.saturating_sub(late);
        in_periods(account, now, |account| account.advance(now));
        account.used += late;
    }

    fn exhausted(&mut self, account: &mut Held, now: Time) -> Supply {
        account.state.usage.is_short = true;
        if now >= account.deadline {
            let begin = account.deadline - account.reservation.period;
            if now > account.deadline && account.state.since <= begin {
                account.state.missed = account.state.missed.wrapping_add(1);
            }
            return self.replenish(account, now, now);
        }
        supply(account)
    }

    fn replenish(&mut self, account: &mut Held, _: Time, now: Time) -> Supply {
        in_periods(account, now, |account| match self.order {
            Order::Rate => account.advance(now),
            Order::Deadline => account.replenish(now),
        });
        supply(account)
    }
}
