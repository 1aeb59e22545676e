//! Deadline monotonic.
#![no_std]
#![no_main]

use flyball_runner::rules::{Alone, Dm};

flyball_runner::runner!(Alone<Dm>);
