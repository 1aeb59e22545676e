//! Reservations that set themselves.

mod division;
mod global;
mod promises;
mod rule;
mod world;
