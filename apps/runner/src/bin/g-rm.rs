//! Global rate monotonic.
#![no_std]
#![no_main]

use flyball_runner::rules::{Rm, Together};

flyball_runner::runner!(Together<Rm>);
