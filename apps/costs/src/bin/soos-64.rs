//! SOOS, as its paper has it, with room for forty tasks and a thread in the background. Tables of 64
//! rows are farther apart, and so a slot takes longer.
#![no_std]
#![no_main]

flyball_costs::slots_image!(64);
