//! Global least laxity first, where tasks may be kept to some CPUs.
#![no_std]
#![no_main]

use flyball_runner::rules::{Affine, Llf};

flyball_runner::runner!(Affine<Llf>);
