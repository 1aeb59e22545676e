//! Earliest deadline first.
#![no_std]
#![no_main]

use flyball_app::{Deadline, Duration, EarliestDeadline, EarliestDeadlines};
use flyball_minimal::THREADS;

flyball_minimal::image!(
    EarliestDeadlines<THREADS> = EarliestDeadlines::new(EarliestDeadline, THREADS),
    Deadline(Duration::from_millis(5)),
    Deadline(Duration::from_millis(9))
);
