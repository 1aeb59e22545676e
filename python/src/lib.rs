//! Flyball for Python, as the module `flyball._flyball`: what the package `flyball` is made of.
//!
//! Nothing is computed here. Arguments become options of the laboratory, results become objects and columns (Arrow), and
//! errors exceptions.
//!
//! | to find | look in |
//! |---|---|
//! | task sets, and what Python builds them of | [`taskset`], [`document`] |
//! | studies and simulations, and what came out | [`study`], [`results`] |
//! | policies that are written in Python | [`policy`] |
//! | what the analyses say of one set | [`analyse`] |
//! | random sets, and sweeps of many | [`generate`], [`sweep`] |
//! | a machine beside the simulation | [`compare`] |
//! | published works, done again | [`reproduce`] |
//! | overheads that were measured | [`overheads`] |
//! | tables as Arrow columns | [`columns`], each made as [`column`], and what is in them: [`events`], [`schedule`] |
//! | long calls that Ctrl-C ends | [`call`] |
//! | what is pickled of a result | [`again`] |
//! | exceptions | [`error`] |

mod again;
mod analyse;
mod call;
mod column;
mod columns;
mod compare;
mod document;
mod error;
mod events;
mod figure;
mod generate;
mod overheads;
mod policy;
mod reproduce;
mod results;
mod schedule;
mod study;
mod sweep;
mod taskset;

use pyo3::prelude::*;

/// Flyball's native part. Use the package `flyball`.
#[pymodule]
mod _flyball {
    #[pymodule_export]
    use crate::analyse::{Analysis, analyse};
    #[pymodule_export]
    use crate::columns::Columns;
    #[pymodule_export]
    use crate::compare::{Comparison, compare};
    #[pymodule_export]
    use crate::error::InputError;
    #[pymodule_export]
    use crate::figure::Figure;
    #[pymodule_export]
    use crate::generate::generate;
    #[pymodule_export]
    use crate::overheads::Overheads;
    #[pymodule_export]
    use crate::policy::{PolicyError, Task};
    #[pymodule_export]
    use crate::reproduce::{Reproduction, reproduce, reproductions};
    #[pymodule_export]
    use crate::results::{PolicyResult, Study};
    #[pymodule_export]
    use crate::study::{command, policies, simulate, study};
    #[pymodule_export]
    use crate::sweep::{Sweep, SweepResults, plot, sweep};
    #[pymodule_export]
    use crate::taskset::TaskSet;

    use super::{Bound, PyModule, PyModuleMethods, PyResult};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
