//! Global rate monotonic, where tasks may be kept to some CPUs.
#![no_std]
#![no_main]

use flyball_runner::rules::{Affine, Rm};

flyball_runner::runner!(Affine<Rm>);
