//! As `fp-rr`, double-sorted in O(1), with two groups.
#![no_std]
#![no_main]

use flyball_app::policy::{DoubleSorted, RoundRobin, StrictLists};
use flyball_app::{Duration, FixedPriority, Inline, Level, Ranked};
use flyball_costs::{Rank, Urgency};

flyball_costs::image! {
    policy: DoubleSorted<Ranked<RoundRobin<FixedPriority>, StrictLists<Level, Inline<128>, 1, 2>>> = DoubleSorted::new(Ranked::new(RoundRobin { order: FixedPriority, quantum: Duration::from_secs(60) }, 128)),
    urgency: Urgency::Constant,
    params: |rank: Rank| rank.in_group(2),
}
