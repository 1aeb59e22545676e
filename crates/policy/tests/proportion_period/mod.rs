//! Reservations that set themselves.

mod division;
mod rule;
