//! Global deadline monotonic.
#![no_std]
#![no_main]

use flyball_runner::rules::{Dm, Together};

flyball_runner::runner!(Together<Dm>);
