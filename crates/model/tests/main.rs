//! All tests of this crate's interface, as one program: it is linked once.

mod bad_input;
mod examples;
mod overheads;
mod round_trip;
mod study;
