//! Global fixed priorities, where tasks may be kept to some CPUs.
#![no_std]
#![no_main]

use flyball_runner::rules::{Affine, Fp};

flyball_runner::runner!(Affine<Fp>);
