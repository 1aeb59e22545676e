//! The tests of global EDF against those of SchedCAT, on corpora of task sets, and against the
//! formulas of the literature word for word, on random sets; and those of global fixed priorities.

mod corpus;
mod fixed;
mod plain;
mod random;
mod reference;
mod simulated;
