//! Earliest deadline first.
#![no_std]
#![no_main]

use flyball_policy::{Deadline, Duration, EarliestDeadline, Inline, Ranked, SortedRing, Time};

flyball_one_stack::image! {
    policy: Ranked<EarliestDeadline, SortedRing<Time, Inline<128>>> = Ranked::new(EarliestDeadline, 128),
    smaller: Ranked<EarliestDeadline, SortedRing<Time, Inline<64>>>,
    // A number of tenths of a second, relative to the release.
    params: |urgency| Deadline(Duration::from_millis(u64::from(urgency) * 100)),
    timed: true,
}
