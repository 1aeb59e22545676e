//! Global deadline monotonic, where tasks may be kept to some CPUs.
#![no_std]
#![no_main]

use flyball_runner::rules::{Affine, Dm};

flyball_runner::runner!(Affine<Dm>);
