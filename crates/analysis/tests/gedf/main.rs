//! The tests of global EDF against those of SchedCAT, on corpora of task sets, and against each other.

mod corpus;
mod reference;
