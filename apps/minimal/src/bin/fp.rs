//! Fixed priorities from 0 to 31.
#![no_std]
#![no_main]

use flyball_app::{Bitmap, FixedPriority, Inline, Level, Priority, Ranked};
use flyball_minimal::THREADS;

type Policy = Ranked<FixedPriority, Bitmap<Level, Inline<THREADS>, 1>>;

flyball_minimal::image!(
    Policy = Ranked::new(FixedPriority, THREADS),
    Priority(2),
    Priority(1)
);
