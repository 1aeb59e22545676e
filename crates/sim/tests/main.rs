//! All tests of this crate's interface, as one program: it is linked once.

mod chart;
mod clocks;
mod controllers;
mod cruise;
mod dss;
mod events;
mod giving_up;
mod golden;
mod inheritance;
mod modes;
mod pfair;
mod pipelines;
mod real_rate;
mod reference;
mod reserved;
mod scaled;
mod seen;
mod servers;
mod speeds;
mod supervised;
mod ticks;
