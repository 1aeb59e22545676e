//! Least laxity first.
#![no_std]
#![no_main]

use flyball_runner::rules::{Alone, Llf};

flyball_runner::runner!(Alone<Llf>);
