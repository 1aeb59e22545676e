//! All tests of this crate's interface, as one program: it is linked once.

mod analyse;
mod app;
mod applications;
mod architecture;
mod changing;
mod circles;
mod command;
mod common;
mod compare;
mod contracts;
mod differential;
mod emulation;
mod faults;
mod install;
mod interrupts;
#[path = "common/made.rs"]
mod made;
mod many_faults;
mod new;
mod not_known;
mod overheads;
mod page;
#[cfg(feature = "png")]
mod pictures;
mod policies;
mod programs;
mod reproduce;
mod run;
mod schedules;
mod shares;
mod stress;
mod sweep;
mod terminal;
