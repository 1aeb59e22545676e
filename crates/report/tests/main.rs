//! All tests of this crate's interface, as one program: it is linked once.

mod common;
mod contrast;
mod gantt;
mod html;
mod perfetto;
mod reproduction;
mod reservations;
mod scripts;
mod slices;
mod tables;
mod words;
mod write;
