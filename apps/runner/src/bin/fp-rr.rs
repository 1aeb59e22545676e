//! Fixed priorities; equals take turns.
#![no_std]
#![no_main]

use flyball_runner::rules::{Alone, FpRr};

flyball_runner::runner!(Alone<FpRr>);
