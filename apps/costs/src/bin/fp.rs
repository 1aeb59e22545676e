//! Fixed priorities from 0 to 31, as kernels have them that are compared with.
#![no_std]
#![no_main]

use flyball_app::{Bitmap, FixedPriority, Inline, Level, Priority, Ranked};
use flyball_costs::{Rank, Urgency};

flyball_costs::image! {
    policy: Ranked<FixedPriority, Bitmap<Level, Inline<128>, 1>> = Ranked::new(FixedPriority, 128),
    urgency: Urgency::Constant,
    params: |rank: Rank| Priority(rank.level()),
}
