//! Global first in, first out.
#![no_std]
#![no_main]

use flyball_runner::rules::{Fifo, Together};

flyball_runner::runner!(Together<Fifo>);
