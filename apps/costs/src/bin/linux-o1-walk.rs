//! Linux's O(1) scheduler, double-sorted in O(n), with two groups.
#![no_std]
#![no_main]

use flyball_app::policy::{DoubleSorted, Grouped, LinuxO1, LinuxRules, StrictWalk};
use flyball_app::{Inline, Level};
use flyball_costs::{Rank, Urgency};

flyball_costs::image! {
    policy: DoubleSorted<LinuxO1<StrictWalk<Level, Inline<128>>>> = DoubleSorted::new(LinuxO1::new(LinuxRules::default(), 128)),
    urgency: Urgency::Constant,
    params: |rank: Rank| Grouped { params: rank.nice(), group: rank.in_group(2).group, speed: None },
}
