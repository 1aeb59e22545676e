//! First in, first out.
#![no_std]
#![no_main]

use flyball_runner::rules::{Alone, Fifo};

flyball_runner::runner!(Alone<Fifo>);
