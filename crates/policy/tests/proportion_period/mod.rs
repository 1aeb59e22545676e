//! Reservations that set themselves.

mod division;
mod promises;
mod rule;
mod world;
