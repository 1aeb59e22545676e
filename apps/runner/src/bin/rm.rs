//! Rate monotonic.
#![no_std]
#![no_main]

use flyball_runner::rules::{Alone, Rm};

flyball_runner::runner!(Alone<Rm>);
