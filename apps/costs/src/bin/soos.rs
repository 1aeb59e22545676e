//! SOOS, as its paper has it, with room for thirty tasks and a thread in the background.
#![no_std]
#![no_main]

flyball_costs::slots_image!(32);
