//! A reproduction for programs.
//!
//! This is a contract, as [that of a study](crate::json) is: fields are added, but none is renamed,
//! removed or given another meaning without a new [`SCHEMA`]. Sentences are no part of it.
//!
//! ```text
//! { "schema": 1, "reproduction": "miosix", "machine": null, "holds": 12, "differs": 1, "not_comparable": 4,
//!   "experiments": [ { "name": "…", "title": "…", "on_machine": false, "settings": { "krr": "0.9", … },
//!     "assumptions": [ "…" ],
//!     "claims": [ { "claim": "…", "place": "…", "criterion": "…", "published": "…", "ours": "…",
//!                   "verdict": "differs", "reason": "…" } ],
//!     "figures": [ { "name": "…", "title": "…", "svg": "….svg", "csv": "….csv" } ] } ] }
//! ```

use super::{Claim, Experiment, Figure, Reproduction};
use serde::Serialize;
use std::collections::BTreeMap;

/// The version of the contract.
pub const SCHEMA: u32 = 1;

/// What `reproduce --json` prints.
#[derive(Serialize, Debug)]
pub struct Document<'a> {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The reproduction's short name.
    pub reproduction: &'a str,
    /// What it is about.
    pub title: &'a str,
    /// Where the work was published.
    pub source: &'a str,
    /// The machine's short name; `null`: all was simulated.
    pub machine: Option<&'a str>,
    /// How many claims hold.
    pub holds: usize,
    /// How many differ.
    pub differs: usize,
    /// How many are not comparable.
    pub not_comparable: usize,
    /// What concerns all experiments.
    pub notes: &'a [String],
    /// The experiments.
    pub experiments: Vec<OneExperiment<'a>>,
}

/// One experiment.
#[derive(Serialize, Debug)]
pub struct OneExperiment<'a> {
    /// Its short name.
    pub name: &'a str,
    /// What it is called.
    pub title: &'a str,
    /// What was done.
    pub about: &'a str,
    /// Whether it ran on the machine.
    pub on_machine: bool,
    /// What it was done with.
    pub settings: BTreeMap<&'a str, &'a str>,
    /// What had to be assumed.
    pub assumptions: &'a [String],
    /// What the work says, all of it.
    pub claims: Vec<OneClaim<'a>>,
    /// The figures' names and files.
    pub figures: Vec<OneFigure<'a>>,
}

/// One claim.
#[derive(Serialize, Debug)]
pub struct OneClaim<'a> {
    /// What the work says.
    pub claim: &'a str,
    /// Where.
    pub place: &'a str,
    /// When it holds.
    pub criterion: &'a str,
    /// The published value.
    pub published: &'a str,
    /// What was found here.
    pub ours: &'a str,
    /// `holds`, `differs` or `not comparable`.
    pub verdict: &'a str,
    /// Why; `null` only if it holds.
    pub reason: Option<&'a str>,
}

/// One figure; its data are in the files.
#[derive(Serialize, Debug)]
pub struct OneFigure<'a> {
    /// Its short name.
    pub name: &'a str,
    /// What it is called.
    pub title: &'a str,
    /// The file with the picture, beside the report.
    pub svg: String,
    /// The file with the numbers, beside the report.
    pub csv: String,
}

impl<'a> From<&'a Reproduction> for Document<'a> {
    fn from(reproduction: &'a Reproduction) -> Document<'a> {
        let tally = reproduction.tally();
        let machine = reproduction.machine.as_ref();
        Document {
            schema: SCHEMA,
            reproduction: &reproduction.name,
            title: &reproduction.title,
            source: &reproduction.source,
            machine: machine.map(|machine| machine.name.as_str()),
            holds: tally.holds,
            differs: tally.differs,
            not_comparable: tally.not_comparable,
            notes: &reproduction.notes,
            experiments: reproduction.experiments.iter().map(Into::into).collect(),
        }
    }
}

impl<'a> From<&'a Experiment> for OneExperiment<'a> {
    fn from(experiment: &'a Experiment) -> OneExperiment<'a> {
        let settings = experiment.settings.iter();
        OneExperiment {
            name: &experiment.name,
            title: &experiment.title,
            about: &experiment.about,
            on_machine: experiment.on_machine,
            settings: settings.map(|(name, value)| (&**name, &**value)).collect(),
            assumptions: &experiment.assumptions,
            claims: experiment.claims.iter().map(Into::into).collect(),
            figures: experiment.figures.iter().map(Into::into).collect(),
        }
    }
}

impl<'a> From<&'a Claim> for OneClaim<'a> {
    fn from(claim: &'a Claim) -> OneClaim<'a> {
        OneClaim {
            claim: &claim.text,
            place: &claim.place,
            criterion: &claim.criterion,
            published: &claim.published,
            ours: &claim.ours,
            verdict: claim.verdict.name(),
            reason: claim.verdict.reason(),
        }
    }
}

impl<'a> From<&'a Figure> for OneFigure<'a> {
    fn from(figure: &'a Figure) -> OneFigure<'a> {
        OneFigure {
            name: &figure.name,
            title: &figure.title,
            svg: figure.file("svg"),
            csv: figure.file("csv"),
        }
    }
}

impl Figure {
    /// The name of the figure's file with this ending.
    pub fn file(&self, ending: &str) -> String {
        format!("{}.{ending}", self.name)
    }
}
