//! Global first in, first out, where tasks may be kept to some CPUs.
#![no_std]
#![no_main]

use flyball_runner::rules::{Affine, Fifo};

flyball_runner::runner!(Affine<Fifo>);
