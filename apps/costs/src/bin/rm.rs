//! Rate monotonic.
#![no_std]
#![no_main]

use flyball_app::policy::{Period, RateMonotonic};
use flyball_app::{Duration, Heap, Inline, Ranked};
use flyball_costs::{Rank, Urgency};

flyball_costs::image! {
    policy: Ranked<RateMonotonic, Heap<Duration, Inline<128>>> = Ranked::new(RateMonotonic, 128),
    urgency: Urgency::Constant,
    params: |rank: Rank| Period(rank.length()),
}
