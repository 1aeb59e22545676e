//! Hard constant bandwidth servers with a fault.

use flyball_catalogue::{ServerRule, Values};
use flyball_policy::servers::{Account, Arrival, ConstantBandwidth, Rule, Supply};
use flyball_trace::{Duration, Time};

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Fault {
    None,
    /// A tenth of what a server uses is not charged.
    ForgetsToCharge,
    /// A budget comes again three periods too late.
    LeavesOutPeriods,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Faulty(pub(crate) Fault);

const RULE: ConstantBandwidth = ConstantBandwidth::HARD;

impl Rule for Faulty {
    type State = ();

    fn arrives(&mut self, account: &mut Account, arrival: Arrival) -> Supply {
        { RULE }.arrives(account, arrival)
    }

    fn exhausted(&mut self, account: &mut Account, now: Time) -> Supply {
        match { RULE }.exhausted(account, now) {
            Supply::Throttled(until) if self.0 == Fault::LeavesOutPeriods => {
                Supply::Throttled(until + account.reservation.period * 3)
            }
            supply => supply,
        }
    }

    fn charge(&self, account: &mut Account, used: Duration, now: Time) {
        let used = match self.0 {
            Fault::ForgetsToCharge => {
                used.saturating_sub(Duration::from_nanos(used.as_nanos() / 10))
            }
            Fault::None | Fault::LeavesOutPeriods => used,
        };
        { RULE }.charge(account, used, now);
    }
}

impl ServerRule for Faulty {
    const NAME: &'static str = "faulty";
    const SOURCE: &'static str = "";
    type Rule = Faulty;
    type Encoded = ();

    fn new(_: &dyn Values) -> Result<Faulty, &'static str> {
        Ok(Faulty(Fault::None))
    }

    fn rule(&self) -> Faulty {
        *self
    }

    fn encoded(&self) {}

    fn decoded((): ()) -> Option<Faulty> {
        None
    }
}
