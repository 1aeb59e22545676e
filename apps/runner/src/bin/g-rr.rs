//! Global round robin.
#![no_std]
#![no_main]

use flyball_runner::rules::{Rr, Together};

flyball_runner::runner!(Together<Rr>);
