//! Round robin.
#![no_std]
#![no_main]

use flyball_runner::rules::{Alone, Rr};

flyball_runner::runner!(Alone<Rr>);
