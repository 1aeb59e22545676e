//! All tests of this crate's interface, as one program: it is linked once.

mod anti_windup;
mod circuits;
mod definitions;
mod fixed;
mod models;
mod reference;
mod support;
