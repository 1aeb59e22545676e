//! Reservations that set themselves, on all CPUs of a cluster.

use super::policy::Controlled;
use super::serving::{Class, Serving};
use super::{Order, Reserves, Settings, Share};
use crate::order;
use crate::policy::Resched;
use crate::servers::{
    Account, Admission, Arrival, GlobalServers, Mode, Reservation, Rule, Seat, Supply,
};
use crate::storage::Storage;
use flyball_trace::{Duration, TaskId, Time};

/// Reservations that set themselves, on all CPUs that share a kernel: each task runs on whatever CPU there is, and on no
/// two at once. Tasks without a reservation run on the CPUs that no reservation needs, by the order `O`
/// ([`BestEffort::LeftOver`](super::BestEffort::LeftOver)); `C` is where a row for each CPU is.
///
/// The controllers are those of one CPU. All shares together are at most as many CPUs' [`limit`](Settings::limit), and none is above
/// that of one CPU. Their alarm belongs to CPU 0. Reservations are served by the ends of their periods (EDF);
/// [`Settings::order`] does not matter. Those that say both share and period are served before all others, and those of
/// best effort after all others ([`Class`]); [`Promised`](super::Promised) says how many are admitted. A mutex lends nothing.
pub type GlobalProportionPeriod<O, S, C> = Controlled<GlobalServers<GlobalReserves, O, S, C>, S>;

impl<O: order::Order<Params: Default>, S: Storage, C: Storage> GlobalProportionPeriod<O, S, C> {
    /// The policy without tasks, for the CPUs 0 to `cpus` - 1, at most 128, with room for task ids below
    /// `capacity` (storages whose size is part of their type have room for that many instead).
    #[inline(never)]
    pub fn new(settings: Settings, background: O, capacity: usize, cpus: usize) -> Self {
        let rule = GlobalReserves(Reserves {
            order: Order::Deadline,
            denies: settings.denies,
        });
        let servers = GlobalServers::new(rule, background, Admission::UNLIMITED, capacity, cpus);
        Controlled::of(settings, servers, capacity)
    }
}

/// [`Reserves`] by the ends of periods, class by class ([`Class`]): the mode of a reservation says its class, as a budget that is
/// used up never comes again at once here.
#[derive(Clone, Copy, Debug)]
pub struct GlobalReserves(Reserves);

/// How much later each of the next classes comes: no period ends 146 years after the start.
const LATER: Duration = Duration::from_nanos(1 << 62);

impl Rule for GlobalReserves {
    type State = Share;

    fn key(&self, account: &Account<Share>) -> Time {
        match account.reservation.mode {
            Mode::Hard => account.deadline,
            Mode::OfRule => account.deadline + LATER,
            Mode::Soft => account.deadline + LATER * 2,
        }
    }

    fn reserve(&mut self, account: &mut Account<Share>, reservation: Reservation) {
        self.0.reserve(account, reservation);
    }

    fn arrives(&mut self, account: &mut Account<Share>, arrival: Arrival) -> Supply {
        self.0.arrives(account, arrival)
    }

    fn exhausted(&mut self, account: &mut Account<Share>, now: Time) -> Supply {
        self.0.exhausted(account, now)
    }

    fn supply(&mut self, account: &mut Account<Share>, now: Time) -> Supply {
        self.0.supply(account, now)
    }

    fn replenish(&mut self, account: &mut Account<Share>, due: Time, now: Time) -> Supply {
        self.0.replenish(account, due, now)
    }

    fn charge(&self, account: &mut Account<Share>, used: Duration, now: Time) {
        self.0.charge(account, used, now);
    }

    fn emptied(&mut self, account: &mut Account<Share>, now: Time) -> Option<Time> {
        self.0.emptied(account, now)
    }
}

impl<O: order::Order<Params: Default>, S: Storage, C: Storage> Serving
    for GlobalServers<GlobalReserves, O, S, C>
{
    type Background = O::Params;
    type Cpus = C;
    type Sum = u64;

    const SEVERAL: bool = true;

    fn cpus(&self) -> usize {
        GlobalServers::cpus(self)
    }

    fn account(&self, task: TaskId) -> Option<&Account<Share>> {
        GlobalServers::account(self, task)
    }

    fn state(&mut self, task: TaskId) -> Option<&mut Share> {
        GlobalServers::state(self, task)
    }

    fn promise(&mut self, task: TaskId, share: Share, period: Duration, now: Time) -> Resched {
        self.change(task, now, |rule, account| {
            rule.0.change(account, share, period, now);
        })
    }

    fn reseat(&mut self, task: TaskId, seat: Seat<O::Params>, _: bool, now: Time) -> Resched {
        GlobalServers::reseat(self, task, seat, now)
    }

    fn classify(&mut self, task: TaskId, class: Class, now: Time) -> Resched {
        let mode = match class {
            Class::RealTime => Mode::Hard,
            Class::Adapted => Mode::OfRule,
            Class::BestEffort => Mode::Soft,
        };
        let is_other = Serving::account(self, task).is_some_and(|it| it.reservation.mode != mode);
        if !is_other {
            return Resched::None;
        }
        self.change(task, now, |_, account| account.reservation.mode = mode)
    }
}
