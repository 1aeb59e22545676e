//! Static and cycle-conserving scaling.

mod rules;
mod simso;
mod world;
