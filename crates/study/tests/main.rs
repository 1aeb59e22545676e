//! All tests of this crate's interface, as one program: it is linked once.

mod admission;
mod affinity;
mod agreement;
mod anomalies;
mod assess;
mod clusters;
mod common;
mod critical_sections;
mod csd;
mod declared_servers;
mod events;
mod gedf;
mod global_servers;
mod jitter;
mod np_edf;
mod queues;
mod repetition;
mod results;
mod section_notes;
mod semi;
mod servers;
mod sharing;
mod slowest;
mod sustainable;
mod time_slices;
mod verdicts;
