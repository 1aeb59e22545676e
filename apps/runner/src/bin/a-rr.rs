//! Global round robin, where tasks may be kept to some CPUs.
#![no_std]
#![no_main]

use flyball_runner::rules::{Affine, Rr};

flyball_runner::runner!(Affine<Rr>);
