//! Rate monotonic: up to 16 threads with a period each.
#![no_std]
#![no_main]

use flyball_app::policy::{Period, RateMonotonic};
use flyball_app::{ByRank, Inline};
use flyball_costs::{Rank, Urgency};

flyball_costs::image! {
    policy: ByRank<RateMonotonic, Inline<16>> = ByRank::new(RateMonotonic, 16),
    urgency: Urgency::Constant,
    params: |rank: Rank| Period(rank.length()),
}
