//! Global fixed priorities.
#![no_std]
#![no_main]

use flyball_runner::rules::{Fp, Together};

flyball_runner::runner!(Together<Fp>);
