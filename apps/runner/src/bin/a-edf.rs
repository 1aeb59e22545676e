//! Global earliest deadline first, where tasks may be kept to some CPUs.
#![no_std]
#![no_main]

use flyball_runner::rules::{Affine, Edf};

flyball_runner::runner!(Affine<Edf>);
