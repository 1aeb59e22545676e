//! Global fixed priorities, where tasks may be kept to some CPUs; equals take turns.
#![no_std]
#![no_main]

use flyball_runner::rules::{Affine, FpRr};

flyball_runner::runner!(Affine<FpRr>);
