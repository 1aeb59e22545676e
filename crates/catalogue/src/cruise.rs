//! Process cruise control.

/// How many cycles of the highest frequency a request to memory takes on virtual CPUs.
pub const LATENCY: u32 = 100;
