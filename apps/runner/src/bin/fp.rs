//! Fixed priorities.
#![no_std]
#![no_main]

use flyball_runner::rules::{Alone, Fp};

flyball_runner::runner!(Alone<Fp>);
