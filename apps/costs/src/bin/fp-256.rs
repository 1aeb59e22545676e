//! Fixed priorities from 0 to 255.
#![no_std]
#![no_main]

use flyball_app::{FixedPriorities, FixedPriority, Priority};
use flyball_costs::{Rank, Urgency};

flyball_costs::image! {
    policy: FixedPriorities<128> = FixedPriorities::new(FixedPriority, 128),
    urgency: Urgency::Constant,
    params: |rank: Rank| Priority(rank.level()),
}
