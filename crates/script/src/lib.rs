//! What the jobs of a task set do, step by step.
//!
//! A task's behaviour is flattened into a list of operations ([`Op`]) with jumps for repetitions.
//! Where a job is in that list is a [`Place`]; [`Place::step`] tells the next [`Call`] that it
//! makes. The simulator and the image that runs on a board use this same interpreter, so both mean
//! the same by a task set.
//!
//! | module | what |
//! |---|---|
//! | [`op`] | operations, and their form of 12 bytes |
//! | [`place`] | the interpreter |
//! | [`image`] | a whole task set as bytes, to be loaded into a board's memory |
//! | `declared` | what a C program says of its threads in its image |
//! | `alias`, `note` | what a board's trace says besides events, that of a task set and that of a C program |
#![cfg_attr(not(any(test, feature = "std")), no_std)]

mod alias;
mod declared;
pub mod image;
mod note;
pub mod op;
pub mod place;

pub use alias::Alias;
pub use declared::{Declared, DeclaredError};
pub use image::{Image, ImageError};
pub use note::{Destination, Note};
pub use op::{Length, Op, Outcome};
pub use place::{Call, Place};
