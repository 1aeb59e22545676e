//! Fixed priorities from 0 to 31.
#![no_std]
#![no_main]

use flyball_policy::order::Level;
use flyball_policy::{Bitmap, FixedPriority, Inline, Priority, Ranked};

flyball_one_stack::image! {
    policy: Ranked<FixedPriority, Bitmap<Level, Inline<128>, 1>> = Ranked::new(FixedPriority, 128),
    smaller: Ranked<FixedPriority, Bitmap<Level, Inline<64>, 1>>,
    // A number up to 31: the smaller, the more urgent.
    params: |urgency| Priority(31 - u8::try_from(urgency).unwrap_or(31).min(31)),
    timed: false,
}
