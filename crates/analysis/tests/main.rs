//! All tests of this crate's interface, as one program: it is linked once.

mod common;
mod criterion;
mod edf;
mod edf_response;
mod edf_windows;
mod fixed_priority;
mod gedf;
mod golden;
mod in_order;
mod pipeline;
mod sensitivity;
mod supply;
mod verified;
