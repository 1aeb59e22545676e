//! Global fixed priorities; equals take turns.
#![no_std]
#![no_main]

use flyball_runner::rules::{FpRr, Together};

flyball_runner::runner!(Together<FpRr>);
