//! A task set on the kernel on an emulated board, beside its simulation.

use crate::again::refused;
use crate::call::{Call, call};
use crate::columns::{Columns, flags, integers, texts, whole};
use crate::error;
use crate::study::{Asked, Length, Names, choose, names, registry};
use crate::taskset::TaskSet;
use flyball::board::Machine;
use flyball::json::compare::Report;
use flyball::model;
use flyball::report::json;
use flyball::study::results::Measured;
use pyo3::prelude::*;

/// Schedules that a machine has made, beside the simulation of just that. `str` of it is what the command prints.
#[pyclass(frozen, module = "flyball")]
pub(crate) struct Comparison {
    file: String,
    set: model::TaskSet,
    found: Measured,
    document: Report,
}

#[pymethods]
impl Comparison {
    /// The machine's short name.
    #[getter]
    fn machine(&self) -> &str {
        &self.found.machine
    }

    /// Whether the machine did what the simulation says under each policy, or it is known why not.
    #[getter]
    fn agrees(&self) -> bool {
        let mut policies = self.found.policies.iter();
        policies.all(|(_, beside)| beside.agrees())
    }

    /// What the reader should know, in sentences.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.document.notes.clone()
    }

    /// A row for each policy: whether the order of events is the same, how many are up to the first difference, the reason for it, the
    /// largest difference of completions, and what the kernel was seen to spend.
    #[getter]
    fn policies(&self) -> PyResult<Columns> {
        let all = || self.document.policies.iter();
        let agrees = self.found.policies.iter();
        Columns::new([
            ("policy", texts(all().map(|it| Some(it.policy.as_str())))),
            ("same_order", flags(all().map(|it| Some(it.same_order)))),
            ("agrees", flags(agrees.map(|(_, it)| Some(it.agrees())))),
            (
                "events",
                integers(all().map(|it| i64::try_from(it.events).ok())),
            ),
            ("reason", texts(all().map(|it| it.reason.as_deref()))),
            ("largest_ns", integers(all().map(|it| whole(it.largest_ns)))),
            ("release_ns", integers(all().map(|it| whole(it.release_ns)))),
            ("call_ns", integers(all().map(|it| whole(it.call_ns)))),
            (
                "scheduling_ns",
                integers(all().map(|it| whole(it.scheduling_ns))),
            ),
            (
                "context_switch_ns",
                integers(all().map(|it| whole(it.context_switch_ns))),
            ),
        ])
    }

    /// A row for each policy and task: how many jobs were completed in both, by how much they differ, and the longest response times.
    #[getter]
    fn tasks(&self) -> PyResult<Columns> {
        let all = || {
            let policies = self.document.policies.iter();
            policies.flat_map(|it| it.tasks.iter().map(|task| (it.policy.as_str(), task)))
        };
        Columns::new([
            ("policy", texts(all().map(|(policy, _)| Some(policy)))),
            ("task", texts(all().map(|(_, it)| Some(it.name.as_str())))),
            ("jobs", integers(all().map(|(_, it)| whole(it.jobs)))),
            (
                "largest_ns",
                integers(all().map(|(_, it)| whole(it.largest_ns))),
            ),
            ("notable", integers(all().map(|(_, it)| whole(it.notable)))),
            (
                "simulated_response_max_ns",
                integers(all().map(|(_, it)| it.simulated_response_max_ns.and_then(whole))),
            ),
            (
                "measured_response_max_ns",
                integers(all().map(|(_, it)| it.measured_response_max_ns.and_then(whole))),
            ),
            (
                "simulated_misses",
                integers(all().map(|(_, it)| whole(it.simulated_misses))),
            ),
            (
                "measured_misses",
                integers(all().map(|(_, it)| whole(it.measured_misses))),
            ),
        ])
    }

    /// The same document as `flyball compare --json` prints.
    fn json(&self) -> String {
        json::text(&self.document)
    }

    fn __str__(&self) -> String {
        flyball::printed::comparison(&self.file, &self.set, &self.found)
    }

    fn __repr__(&self) -> String {
        let word = if self.agrees() { "agrees" } else { "differs" };
        format!("<Comparison on {}: {word}>", self.found.machine)
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        self.policies()?.html(py)
    }

    fn __reduce__(&self) -> PyResult<String> {
        refused(
            &self.__repr__(),
            "it is what a machine did once; pickle its `policies`, its `tasks` or its `json()`",
        )
    }
}

/// Does a machine do what the simulation says? Runs the set on the kernel on an emulated board, and compares both schedules, event by event.
///
/// It takes the emulator, and images or what builds them, as the command does. `policies`: all that the machine has and that fit.
/// `until`: on the board's clock. The others are those of `simulate`.
#[pyfunction]
#[pyo3(signature = (set, policies=None, *, machine="cortex-m3", cpus=None, cluster=None, partition=None, jitter=None, until=None, seed=0))]
#[expect(clippy::too_many_arguments, reason = "Python names them")]
pub(crate) fn compare(
    py: Python<'_>,
    set: &Bound<'_, TaskSet>,
    policies: Option<Names>,
    machine: &str,
    cpus: Option<i64>,
    cluster: Option<i64>,
    partition: Option<&str>,
    jitter: Option<&str>,
    until: Option<Length>,
    seed: u64,
) -> PyResult<Comparison> {
    let machine = choose("machine", machine, &Machine::ALL.map(|it| (it.name(), it)))?;
    let asked = Asked {
        cpus,
        cluster,
        partition,
        until,
        seed,
        jitter,
        stop_at_miss: false,
        keep: None,
        overheads: None,
    };
    let options = asked.options(names(policies)?)?;
    let set = set.get();
    let (file, mut inner) = (set.file.clone(), model::TaskSet::clone(&set.set));
    let registry = registry();
    let work = move |shared: &Call| {
        let mut watch = |_: &dyn Fn() -> String| shared.tell(0);
        let set = &mut inner;
        let found = flyball::compare(registry, machine, &file, set, &options, &mut watch)?;
        let document = flyball::printed::comparison_document(&file, &found);
        Ok(Comparison {
            file,
            set: inner,
            found,
            document,
        })
    };
    call(py, None, work)?.map_err(|failure| error::failure(&failure))
}
