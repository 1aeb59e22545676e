//! I+PI. Bursts are longer than anything here, so that no thread's is over while something is
//! measured.
#![no_std]
#![no_main]

use flyball_app::policy::IPlusPi;
use flyball_app::policy::i_plus_pi::{Fraction, Settings, Share};
use flyball_app::{Duration, Inline};
use flyball_costs::{Rank, Urgency};

/// The longest that there is, twice that of a round.
const BURST: Duration = Duration::from_nanos(2 * flyball_app::policy::i_plus_pi::LONGEST_ROUND);

flyball_costs::image! {
    policy: IPlusPi<Inline<128>> = IPlusPi::new(Settings { shortest: BURST, longest: BURST, ..Settings::default() }, 128),
    urgency: Urgency::None,
    params: |_: Rank| Share::new(Fraction::percent(1)),
}
