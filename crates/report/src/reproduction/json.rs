//! A reproduction for programs: the document of [`flyball_json::reproduce`].

use super::{Claim, Experiment, Figure, Reproduction, Verdict, svg, table};
use flyball_json::reproduce as json;

/// What `reproduce NAME --json` prints.
pub fn document(reproduction: &Reproduction) -> json::Reproduction {
    let tally = reproduction.tally();
    let machine = reproduction.machine.as_ref();
    json::Reproduction {
        schema: flyball_json::SCHEMA,
        reproduction: reproduction.name.clone(),
        title: reproduction.title.clone(),
        source: reproduction.source.clone(),
        machine: machine.map(|machine| machine.name.clone()),
        holds: tally.holds,
        differs: tally.differs,
        not_comparable: tally.not_comparable,
        notes: reproduction.notes.clone(),
        experiments: reproduction.experiments.iter().map(experiment).collect(),
    }
}

fn experiment(experiment: &Experiment) -> json::Experiment {
    json::Experiment {
        name: experiment.name.clone(),
        title: experiment.title.clone(),
        about: experiment.about.clone(),
        on_machine: experiment.on_machine,
        on_host: experiment.on_host,
        settings: experiment.settings.iter().cloned().collect(),
        assumptions: experiment.assumptions.clone(),
        claims: experiment.claims.iter().map(claim).collect(),
        figures: experiment.figures.iter().map(figure).collect(),
    }
}

fn claim(claim: &Claim) -> json::Claim {
    json::Claim {
        claim: claim.text.clone(),
        place: claim.place.clone(),
        criterion: claim.criterion.clone(),
        published: claim.published.clone(),
        ours: claim.ours.clone(),
        verdict: match claim.verdict {
            Verdict::Holds => json::Verdict::Holds,
            Verdict::Differs(_) => json::Verdict::Differs,
            Verdict::NotComparable(_) => json::Verdict::NotComparable,
        },
        reason: claim.verdict.reason().map(str::to_owned),
    }
}

fn figure(figure: &Figure) -> json::Figure {
    json::Figure {
        name: figure.name.clone(),
        title: figure.title.clone(),
        svg: figure.file("svg"),
        csv: figure.file("csv"),
    }
}

impl Figure {
    /// The name of the figure's file with this ending.
    pub fn file(&self, ending: &str) -> String {
        format!("{}.{ending}", self.name)
    }

    /// Its files, by name: the drawing (SVG) and its numbers (CSV).
    pub fn files(&self) -> [(String, Vec<u8>); 2] {
        [
            (self.file("svg"), svg::file(self).into_bytes()),
            (self.file("csv"), table::figure(self).into_bytes()),
        ]
    }
}
