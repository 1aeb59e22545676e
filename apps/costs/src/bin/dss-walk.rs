//! As `fp-rr`, double-sorted in O(n), with five groups.
#![no_std]
#![no_main]

use flyball_app::policy::{DoubleSorted, RoundRobin, StrictWalk};
use flyball_app::{Duration, FixedPriority, Inline, Level, Ranked};
use flyball_costs::{Rank, Urgency};

flyball_costs::image! {
    policy: DoubleSorted<Ranked<RoundRobin<FixedPriority>, StrictWalk<Level, Inline<128>, 1>>> = DoubleSorted::new(Ranked::new(RoundRobin { order: FixedPriority, quantum: Duration::from_secs(60) }, 128)),
    urgency: Urgency::Constant,
    params: |rank: Rank| rank.in_group(5),
}
