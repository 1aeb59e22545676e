//! Reports of what a study found.
//!
//! | module | what |
//! |---|---|
//! | [`study`] | what a study found: plain data, that everything else here presents |
//! | [`json`] | the same for programs: a versioned contract |

pub mod json;
pub mod study;
