//! Rate monotonic: 128 threads with a period each.
#![no_std]
#![no_main]

use flyball_app::policy::{Period, RateMonotonic};
use flyball_app::{ByRank, Inline};
use flyball_costs::{Rank, Urgency};

flyball_costs::image! {
    policy: ByRank<RateMonotonic, Inline<128>> = ByRank::new(RateMonotonic, 128),
    urgency: Urgency::Constant,
    params: |rank: Rank| Period(rank.length()),
}
