//! All tests of this crate's interface, as one program: it is linked once.

mod dss;
mod epos;
mod epos_study;
mod multicore_shares;
mod period;
mod reproduce;
mod soos;
mod supervised;
