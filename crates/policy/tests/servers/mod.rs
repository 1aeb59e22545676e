//! Servers against a model that goes from one unit of time to the next and knows the rules only as
//! textbooks have them; and what servers promise.

mod admission;
mod bids;
mod constant_bandwidth;
mod fixed_priority;
mod global;
mod grub;
mod iris;
mod promises;
mod published;
mod simso;
mod textbook;
mod total_bandwidth;
pub(crate) mod world;
