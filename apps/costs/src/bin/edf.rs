//! Earliest deadline first.
#![no_std]
#![no_main]

use flyball_app::{Deadline, EarliestDeadline, EarliestDeadlines};
use flyball_costs::{Rank, Urgency};

flyball_costs::image! {
    policy: EarliestDeadlines<128> = EarliestDeadlines::new(EarliestDeadline, 128),
    urgency: Urgency::Constant,
    params: |rank: Rank| Deadline(rank.length()),
}
