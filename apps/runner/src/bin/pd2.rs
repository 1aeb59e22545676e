//! PD².
#![no_std]
#![no_main]

use flyball_runner::rules::Pd2;

flyball_runner::runner!(Pd2);
