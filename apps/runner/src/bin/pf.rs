//! PF.
#![no_std]
#![no_main]

use flyball_runner::rules::Pf;

flyball_runner::runner!(Pf);
