//! Fixed priorities from 0 to 31, and time slices among equals. The quantum is longer than anything
//! here.
#![no_std]
#![no_main]

use flyball_app::policy::RoundRobin;
use flyball_app::{Bitmap, Duration, FixedPriority, Inline, Level, Priority, Ranked};
use flyball_costs::{Rank, Urgency};

flyball_costs::image! {
    policy: Ranked<RoundRobin<FixedPriority>, Bitmap<Level, Inline<128>, 1>> = Ranked::new(RoundRobin { order: FixedPriority, quantum: Duration::from_secs(60) }, 128),
    urgency: Urgency::Constant,
    params: |rank: Rank| Priority(rank.level()),
}
