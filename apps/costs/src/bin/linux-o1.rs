//! Linux's O(1) scheduler, unsorted.
#![no_std]
#![no_main]

use flyball_app::policy::{Bitmap, LinuxO1, LinuxRules};
use flyball_app::{Inline, Level};
use flyball_costs::{Rank, Urgency};

flyball_costs::image! {
    policy: LinuxO1<Bitmap<Level, Inline<128>>> = LinuxO1::new(LinuxRules::default(), 128),
    urgency: Urgency::Constant,
    params: |rank: Rank| rank.nice(),
}
