//! Global least laxity first.
#![no_std]
#![no_main]

use flyball_runner::rules::{Llf, Together};

flyball_runner::runner!(Together<Llf>);
