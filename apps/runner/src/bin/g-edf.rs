//! Global earliest deadline first.
#![no_std]
#![no_main]

use flyball_runner::rules::{Edf, Together};

flyball_runner::runner!(Together<Edf>);
