//! What the analyses say of one task set.

use crate::again::{Again, Reduced, again};
use crate::call::{Call, call};
use crate::columns::{Columns, flags, integers, texts, whole};
use crate::error::{self, InputError};
use crate::overheads::{Overheads, charges};
use crate::study::{Length, choose, count, registry};
use crate::taskset::TaskSet;
use flyball::analysis::WorkLimit;
use flyball::analysis::charged::Accounting;
use flyball::json::analyse::{Analysed, Known, OperatingPoints, Partition, Policy, Server};
use flyball::model;
use flyball::report::json;
use flyball::study::{AnalyseOptions, SetAnalysis};
use pyo3::prelude::*;
use std::sync::Arc;

/// What the analyses say of a task set: verdicts and reasons of all tests, response times and slack, the fewest CPUs, what overheads
/// cost. `str` of it is what the command prints.
#[pyclass(frozen, module = "flyball")]
pub(crate) struct Analysis {
    found: SetAnalysis,
    document: Analysed,
    again: Again,
}

/// What is known of a factor or a slack.
fn known(known: Known) -> &'static str {
    match known {
        Known::Exactly => "exactly",
        Known::AtLeast => "at-least",
        Known::Nothing => "nothing",
        Known::NotKnown => "not-known",
    }
}

impl Analysis {
    fn policies(&self) -> &[Policy] {
        match &self.document {
            Analysed::Covered(found) => &found.policies,
            Analysed::Refused(_) => &[],
        }
    }

    fn servers(&self) -> &[Server] {
        match &self.document {
            Analysed::Covered(found) => &found.servers,
            Analysed::Refused(found) => &found.servers,
        }
    }

    fn points(&self) -> &[OperatingPoints] {
        match &self.document {
            Analysed::Covered(found) => &found.operating_points,
            Analysed::Refused(found) => &found.operating_points,
        }
    }
}

/// A row for each task of a partition.
fn divided(partition: Option<&Partition>) -> PyResult<Option<Columns>> {
    let Some(partition) = partition else {
        return Ok(None);
    };
    let rows = || {
        let cpus = partition.cpus.iter().enumerate();
        cpus.flat_map(|(number, cpu)| cpu.tasks.iter().map(move |task| (number, task)))
    };
    let columns = Columns::new([
        (
            "cpu",
            integers(rows().map(|(cpu, _)| i64::try_from(cpu).ok())),
        ),
        ("task", texts(rows().map(|(_, task)| Some(task.as_str())))),
    ]);
    columns.map(Some)
}

#[pymethods]
impl Analysis {
    /// The task set, on the CPUs that were asked about.
    #[getter]
    fn task_set(&self) -> TaskSet {
        TaskSet {
            set: Arc::new(self.found.set.clone()),
            file: self.found.file.clone(),
        }
    }

    /// What the set has that the tests do not cover, in a sentence; None: they cover it.
    #[getter]
    fn not_covered(&self) -> Option<&str> {
        match &self.document {
            Analysed::Covered(_) => None,
            Analysed::Refused(found) => Some(&found.not_covered),
        }
    }

    /// Why no policy at all can hold the set, in a sentence; None: that is not known.
    #[getter]
    fn infeasible(&self) -> Option<&str> {
        match &self.document {
            Analysed::Covered(found) => found.infeasible.as_deref(),
            Analysed::Refused(_) => None,
        }
    }

    /// The names of the policies that are known to hold the set.
    #[getter]
    fn holding(&self) -> Vec<&str> {
        let policies = self.policies().iter();
        let holding = policies.filter(|it| it.holds == Some(true));
        holding.map(|it| it.name.as_str()).collect()
    }

    /// A row for each policy: its verdict, what proves it, the fewest CPUs that are known to do, and by how much all execution times may
    /// grow together, in millionths, with what is known of that: "exactly", "at-least", "nothing" or "not-known".
    #[getter]
    fn verdicts(&self) -> PyResult<Columns> {
        let all = || self.policies().iter();
        Columns::new([
            ("policy", texts(all().map(|it| Some(it.name.as_str())))),
            ("verdict", texts(all().map(|it| Some(it.verdict.as_str())))),
            ("holds", flags(all().map(|it| it.holds))),
            ("proof", texts(all().map(|it| it.proof.as_deref()))),
            (
                "fewest_cpus",
                integers(all().map(|it| it.fewest_cpus.map(i64::from))),
            ),
            (
                "factor_ppm",
                integers(all().map(|it| it.factor_ppm.and_then(whole))),
            ),
            ("factor", texts(all().map(|it| Some(known(it.factor))))),
        ])
    }

    /// A row for each policy and test: whether it accepts the set (missing: it was stopped), and why not.
    #[getter]
    fn tests(&self) -> PyResult<Columns> {
        let all = || {
            let policies = self.policies().iter();
            policies.flat_map(|it| it.tests.iter().map(|test| (it.name.as_str(), test)))
        };
        Columns::new([
            ("policy", texts(all().map(|(policy, _)| Some(policy)))),
            (
                "test",
                texts(all().map(|(_, test)| Some(test.name.as_str()))),
            ),
            ("accepts", flags(all().map(|(_, test)| test.accepts))),
            (
                "why_not",
                texts(all().map(|(_, test)| test.why_not.as_deref())),
            ),
        ])
    }

    /// A row for each policy and task: how long a job can take, and how much longer jobs of this task alone may compute, with what is
    /// known of that (missing: it was not asked).
    #[getter]
    fn response_times(&self) -> PyResult<Columns> {
        let all = || {
            let policies = self.policies().iter();
            policies.flat_map(|it| it.tasks.iter().map(|task| (it.name.as_str(), task)))
        };
        Columns::new([
            ("policy", texts(all().map(|(policy, _)| Some(policy)))),
            (
                "task",
                texts(all().map(|(_, task)| Some(task.name.as_str()))),
            ),
            (
                "response_bound_ns",
                integers(all().map(|(_, task)| task.response_bound_ns.and_then(whole))),
            ),
            (
                "slack_ns",
                integers(all().map(|(_, task)| task.slack_ns.and_then(whole))),
            ),
            ("slack", texts(all().map(|(_, task)| task.slack.map(known)))),
        ])
    }

    /// A row for each kind of the kernel's work and policy: by how much all execution times may grow if only it is charged, in
    /// millionths, and what is known of that.
    #[getter]
    fn overheads(&self) -> PyResult<Columns> {
        let effects = match &self.document {
            Analysed::Covered(found) => &found.overheads[..],
            Analysed::Refused(_) => &[],
        };
        let all = || {
            effects.iter().flat_map(|it| {
                let factors = it.factors_ppm.iter().zip(&it.factors);
                factors.map(|((policy, ppm), (_, factor))| (&it.charged, policy, *ppm, *factor))
            })
        };
        Columns::new([
            (
                "charged",
                texts(all().map(|(charged, ..)| Some(charged.as_str()))),
            ),
            (
                "policy",
                texts(all().map(|(_, policy, ..)| Some(policy.as_str()))),
            ),
            (
                "factor_ppm",
                integers(all().map(|(_, _, ppm, _)| ppm.and_then(whole))),
            ),
            (
                "factor",
                texts(all().map(|(.., factor)| Some(known(factor)))),
            ),
        ])
    }

    /// The CPU of each task under policies without migration; None: no way was found.
    #[getter]
    fn partition(&self) -> PyResult<Option<Columns>> {
        match &self.document {
            Analysed::Covered(found) => divided(found.partition.as_ref()),
            Analysed::Refused(_) => Ok(None),
        }
    }

    /// The same on as few CPUs as a way was found for.
    #[getter]
    fn cheapest_partition(&self) -> PyResult<Option<Columns>> {
        match &self.document {
            Analysed::Covered(found) => divided(found.cheapest_partition.as_ref()),
            Analysed::Refused(_) => Ok(None),
        }
    }

    /// A row for each server that has tasks and period: which budget is enough, and whether none smaller is.
    #[getter]
    fn budgets(&self) -> PyResult<Columns> {
        let all = || {
            let servers = self.servers().iter();
            servers.flat_map(|it| it.budgets.iter().map(|budget| (it.name.as_str(), budget)))
        };
        Columns::new([
            ("server", texts(all().map(|(server, _)| Some(server)))),
            (
                "period_ns",
                integers(all().map(|(_, it)| whole(it.period_ns))),
            ),
            (
                "budget_ns",
                integers(all().map(|(_, it)| it.budget_ns.and_then(whole))),
            ),
            (
                "is_smallest",
                flags(all().map(|(_, it)| Some(it.is_smallest))),
            ),
        ])
    }

    /// A row for each policy, and for each of its tasks: the slowest operating point at which the set is known to hold, if CPUs always
    /// stay there (`task` is missing), or if only this task runs there.
    #[getter]
    fn operating_points(&self) -> PyResult<Columns> {
        let all = || {
            self.points().iter().flat_map(|it| {
                let tasks = it.tasks.iter();
                let tasks =
                    tasks.map(move |task| (it, Some(task.name.as_str()), task.point, task.hertz));
                std::iter::once((it, None, it.all, it.all_hertz)).chain(tasks)
            })
        };
        Columns::new([
            (
                "policy",
                texts(all().map(|(it, ..)| Some(it.policy.as_str()))),
            ),
            ("test", texts(all().map(|(it, ..)| Some(it.test.as_str())))),
            ("task", texts(all().map(|(_, task, ..)| task))),
            (
                "point",
                integers(all().map(|(_, _, point, _)| Some(point.into()))),
            ),
            ("hertz", integers(all().map(|(.., hertz)| whole(hertz)))),
        ])
    }

    /// The longest window with which `dss-edf` is known to hold the set, in nanoseconds; None: none is known.
    #[getter]
    fn largest_window_ns(&self) -> Option<u64> {
        match &self.document {
            Analysed::Covered(found) => found.largest_window_ns,
            Analysed::Refused(found) => found.largest_window_ns,
        }
    }

    /// By how much critical sections of other tasks hurt servers, in sentences, where the tests do not cover the set.
    #[getter]
    fn critical_sections(&self) -> Vec<String> {
        match &self.document {
            Analysed::Covered(_) => Vec::new(),
            Analysed::Refused(found) => found.critical_sections.clone(),
        }
    }

    /// The same document as `flyball analyse --json` prints.
    fn json(&self) -> String {
        json::text(&self.document)
    }

    fn __str__(&self) -> String {
        flyball::printed::analysis(&self.found)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py> {
        self.again.reduced(py)
    }

    fn __repr__(&self) -> String {
        let name = &self.found.set.name;
        if let Some(why) = self.not_covered() {
            return format!("<Analysis of {name:?}: {why}>");
        }
        let holding = self.holding();
        if holding.is_empty() {
            return format!("<Analysis of {name:?}: not known to hold>");
        }
        format!("<Analysis of {name:?}: holds under {}>", holding.join(", "))
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        self.verdicts()?.html(py)
    }
}

/// What do the analyses say of a task set, and why? All tests, response times, slack, the fewest CPUs, what overheads cost.
///
/// `cpus`: instead of the platform's. `overheads`, `charge`, `working_set`: the kernel's work that is charged, instead of the platform's.
/// `accounting`: how, "interrupts" or "per-job". `latency`: how long messages of a pipeline may be in queues. `steps`: the most that a
/// test takes before it is stopped.
#[pyfunction]
#[pyo3(signature = (set, *, cpus=None, overheads=None, charge=None, working_set=None, accounting="interrupts", latency=None, steps=None))]
#[expect(clippy::too_many_arguments, reason = "Python names them")]
pub(crate) fn analyse(
    py: Python<'_>,
    set: &Bound<'_, TaskSet>,
    cpus: Option<i64>,
    overheads: Option<&Bound<'_, Overheads>>,
    charge: Option<&str>,
    working_set: Option<i64>,
    accounting: &str,
    latency: Option<Length>,
    steps: Option<u64>,
) -> PyResult<Analysis> {
    if latency.as_ref().is_some_and(|latency| latency.0.is_zero()) {
        return Err(InputError::new_err("latency: expected a time above zero"));
    }
    let again = again!(
        py,
        "analyse",
        (set),
        cpus,
        overheads,
        charge,
        working_set,
        accounting,
        latency,
        steps
    );
    let usual = AnalyseOptions::default();
    let known = [
        ("interrupts", Accounting::Interrupts),
        ("per-job", Accounting::PerJob),
    ];
    let options = AnalyseOptions {
        cpus: count("cpus", cpus)?,
        overheads: charges(overheads, charge, working_set)?,
        accounting: choose("accounting", accounting, &known)?,
        latency: latency.map(|latency| latency.0),
        limit: steps.map_or(usual.limit, WorkLimit::steps),
    };
    let set = set.get();
    let (file, inner) = (set.file.clone(), model::TaskSet::clone(&set.set));
    let registry = registry();
    let work = move |shared: &Call| {
        let watch = |_| {
            if shared.tell(0).is_break() {
                // The caller has gone. The tests cannot be told to stop, so the threads that do the work are unwound.
                std::panic::resume_unwind(Box::new("not wanted any more"));
            }
        };
        let found = flyball::study::analyse(registry, &file, inner, &options, &watch)?;
        let document = json::analysis(&found);
        Ok((found, document))
    };
    let found = call(py, None, work)?;
    let (found, document) = found.map_err(|error| error::study(&set.file, error))?;
    Ok(Analysis {
        found,
        document,
        again,
    })
}
