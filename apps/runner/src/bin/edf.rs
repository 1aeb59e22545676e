//! Earliest deadline first.
#![no_std]
#![no_main]

use flyball_runner::rules::{Alone, Edf};

flyball_runner::runner!(Alone<Edf>);
