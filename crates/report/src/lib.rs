//! Reports of what a study found.
//!
//! | module | what |
//! |---|---|
//! | [`json`] | the same for programs: a versioned contract |
//! | [`csv`] | the same as a table, one row a policy and task |
//! | [`html`](mod@html) | one page with everything, charts to zoom into included |
//! | [`slices`] | what charts show of a trace: which task ran when, which waited, what happened to jobs |
//! | [`gantt`] | a chart of a schedule for the terminal |
//! | [`perfetto`] | a trace for the Perfetto UI, and back |
//! | [`reproduction`] | what became of a published work's claims, as a page, figures, tables and JSON |
//! | [`words`] | why verdicts are what they are, in sentences |
//! | [`write`](mod@write) | files that are there in full or not at all |

mod axis;
pub mod csv;
pub mod gantt;
pub mod html;
pub mod json;
pub mod perfetto;
pub mod reproduction;
pub mod slices;
pub mod words;
pub mod write;
