//! What became of a task set under one policy.

use super::{Made, Study, write};
use crate::again::Reduced;
use crate::call::call;
use crate::columns::Columns;
use crate::error::InputError;
use crate::study::Length;
use crate::{events, schedule};
use flyball::report::gantt::{self, ChartStyle, Glyphs, Paint};
use flyball::report::{html, json, perfetto, words};
use flyball::study::results;
use flyball::trace::Time;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// What became of a task set under one policy.
#[pyclass(frozen, module = "flyball")]
pub(crate) struct PolicyResult {
    pub(super) study: Arc<results::Study>,
    pub(super) made: Made,
    pub(super) number: usize,
}

/// A page in a frame of its own, as high as a chart of so many rows.
fn frame(page: &str, rows: usize) -> String {
    let height = (240 + 36 * rows).min(720);
    let page = page.replace('&', "&amp;").replace('"', "&quot;");
    format!("<iframe srcdoc=\"{page}\" style=\"border:0;width:100%;height:{height}px\"></iframe>")
}

impl PolicyResult {
    fn report(&self) -> &results::PolicyReport {
        // Only numbers of policies that the study has become results.
        &self.study.policies[self.number]
    }

    /// What a chart shows from one instant to another.
    fn window(&self, from: Option<Length>, to: Option<Length>) -> PyResult<Range<Time>> {
        let at = |length: Length| Time::ZERO + length.0;
        let from = from.map_or(Time::ZERO, at);
        let to = to.map_or_else(|| self.report().trace.end(), at);
        if from < to {
            return Ok(from..to);
        }
        Err(InputError::new_err(format!(
            "the chart ends at {to}, which is not after its beginning at {from}"
        )))
    }
}

#[pymethods]
impl PolicyResult {
    /// The policy's name.
    #[getter]
    fn policy(&self) -> &str {
        &self.report().policy
    }

    /// Its name in words.
    #[getter]
    fn title(&self) -> &str {
        &self.report().title
    }

    /// "holds", "exact-times" (with exactly the simulated execution times and arrivals), "does-not-hold" or "not-known".
    #[getter]
    fn verdict(&self) -> &'static str {
        self.report().verdict.schedulable.name()
    }

    /// Whether all deadlines are met for ever, whatever the set allows; None: that is not known.
    #[getter]
    fn holds(&self) -> Option<bool> {
        self.report().verdict.holds()
    }

    /// What proves it: the name of a test, or "simulation".
    #[getter]
    fn proof(&self) -> Option<&str> {
        self.report().verdict.proof.as_deref()
    }

    /// Why that is so, in a sentence.
    #[getter]
    fn reason(&self) -> String {
        words::verdict(&self.report().verdict)
    }

    /// By how much all execution times may grow together: 1.25 is by a quarter; None: not known.
    #[getter]
    fn breakdown(&self) -> Option<f64> {
        #[expect(
            clippy::cast_precision_loss,
            reason = "factors are far below 2^52 millionths"
        )]
        let factor = |it: results::Breakdown| it.factor_ppm as f64 / 1e6;
        self.report().breakdown.map(factor)
    }

    /// For how long it was simulated, in nanoseconds.
    #[getter]
    fn until_ns(&self) -> u64 {
        self.report().simulated.until.as_nanos()
    }

    /// Jobs completed in the simulation.
    #[getter]
    fn jobs_completed(&self) -> u64 {
        self.report().simulated.jobs
    }

    /// Deadlines missed in the simulation.
    #[getter]
    fn misses(&self) -> u64 {
        self.report().simulated.misses
    }

    /// How often a running job lost the CPU to another one.
    #[getter]
    fn preemptions(&self) -> u64 {
        self.report().simulated.preemptions
    }

    /// How often a CPU began to run another task than the one it had run last.
    #[getter]
    fn context_switches(&self) -> u64 {
        self.report().simulated.context_switches
    }

    /// How often a job went on on another CPU.
    #[getter]
    fn migrations(&self) -> u64 {
        self.report().summary.job_migrations()
    }

    /// What there is to know, in sentences.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.report().notes.iter().map(words::note).collect()
    }

    /// The study that it is a part of.
    #[getter]
    fn study(&self) -> Study {
        Study {
            study: Arc::clone(&self.study),
            made: self.made.clone(),
        }
    }

    /// The same document as `flyball simulate --json` prints, of the whole study.
    fn json(&self) -> String {
        json::text(&json::study(&self.study))
    }

    /// What happened, event by event.
    #[getter]
    fn events(&self, py: Python<'_>) -> PyResult<Columns> {
        let (study, number) = (Arc::clone(&self.study), self.number);
        call(py, None, move |_| {
            events::events(&study.policies[number].trace)
        })?
    }

    /// What became of each job.
    #[getter]
    fn jobs(&self) -> PyResult<Columns> {
        schedule::jobs(&self.report().trace)
    }

    /// When tasks ran, and where.
    #[getter]
    fn segments(&self) -> PyResult<Columns> {
        schedule::segments(&self.report().trace)
    }

    /// How many events were not kept.
    #[getter]
    fn events_dropped(&self) -> u64 {
        self.report().trace.header.dropped
    }

    /// The schedule as a chart of text, from one instant to another.
    #[pyo3(signature = (from_=None, to=None, *, columns=100))]
    fn chart(&self, from_: Option<Length>, to: Option<Length>, columns: usize) -> PyResult<String> {
        let style = ChartStyle {
            width: columns,
            glyphs: Glyphs::Unicode,
            paint: Paint::plain(),
        };
        let window = self.window(from_, to)?;
        Ok(gantt::chart(&self.report().trace, window, &style))
    }

    /// The schedule from `from_` to `to` as a picture (SVG); without both what the report shows at first: some slices from the
    /// beginning, or around the first miss. `width` is in pixels, from 300 on.
    #[pyo3(signature = (from_=None, to=None, *, width=960))]
    fn svg(&self, from_: Option<Length>, to: Option<Length>, width: u32) -> PyResult<String> {
        let window = match (from_, to) {
            (None, None) => None,
            (from, to) => Some(self.window(from, to)?),
        };
        Ok(gantt::svg(&self.report().trace, window, width))
    }

    /// For notebooks: the report's chart, to zoom into and to point at, a picture of its beginning, and a chart of text.
    #[pyo3(signature = (include=None, exclude=None))]
    fn _repr_mimebundle_<'py>(
        &self,
        py: Python<'py>,
        include: Option<&Bound<'py, PyAny>>,
        exclude: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        // Notebooks choose among what is there.
        let _ = (include, exclude);
        let bundle = PyDict::new(py);
        bundle.set_item("text/plain", self.__repr__())?;
        if !self.report().trace.events.is_empty() {
            let rows = self.report().trace.header.tasks.len() + usize::from(self.study.cpus);
            bundle.set_item("image/svg+xml", self.svg(None, None, 960)?)?;
            let page = html::schedule(&self.study, self.number);
            bundle.set_item("text/html", frame(&page, rows))?;
        }
        Ok(bundle)
    }

    /// The schedule for Perfetto.
    fn perfetto<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &perfetto::to_perfetto(&self.report().trace))
    }

    /// The schedule as compact records (.fbtrace), as `flyball inspect` reads them.
    fn records<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.report().trace.to_bytes())
    }

    /// Writes the schedule: .pftrace for Perfetto, .fbtrace as compact records.
    fn save_trace(&self, path: PathBuf) -> PyResult<()> {
        let trace = &self.report().trace;
        let bytes = match path.extension().and_then(|ending| ending.to_str()) {
            Some("pftrace") => perfetto::to_perfetto(trace),
            Some("fbtrace") => trace.to_bytes(),
            _ => {
                let what = format!(
                    "{}: the name of a trace ends in .pftrace or .fbtrace",
                    path.display()
                );
                return Err(InputError::new_err(what));
            }
        };
        write(&path, &bytes)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        match &self.made {
            Made::Result(again) => Ok(again.reduced(py)),
            Made::Study(_) => {
                let item = py.import("operator")?.getattr("getitem")?;
                Ok((item, (self.study(), self.number).into_pyobject(py)?))
            }
        }
    }

    fn __repr__(&self) -> String {
        let report = self.report();
        format!("<{}: {}>", report.policy, words::verdict(&report.verdict))
    }
}
