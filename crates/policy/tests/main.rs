//! All tests of this crate's interface, as one program: it is linked once.

mod affine;
mod by_rank;
mod cruise;
mod csd;
mod double_sorted;
mod global;
mod linux_2_0;
mod linux_o1;
mod proportion_period;
mod queues;
mod ranked;
mod refused;
mod scaled;
mod servers;
mod soos;
mod tune;
