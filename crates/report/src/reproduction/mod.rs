//! What became of a published work's claims when its experiments were done again.
//!
//! A [`Reproduction`] is plain data, as a [`Study`](flyball_study::results::Study) is: experiments,
//! each with the claims that it tests and the figures that it draws. A claim is never left out: it
//! *holds*, it *differs*, or it is *not comparable*, and the latter two cannot be said without a
//! reason.
//!
//! | module | what |
//! |---|---|
//! | [`figure`] | what a figure shows |
//! | [`svg`] | a figure as SVG |
//! | [`page`] | everything as one HTML page |
//! | [`gallery`] | figures alone, as one HTML page |
//! | [`table`] | claims and figures as CSV |
//! | [`json`] | everything for programs: a versioned contract |

mod curves;
pub mod figure;
pub mod gallery;
pub mod json;
mod legend;
pub mod page;
mod scale;
pub mod svg;
pub mod table;

pub use figure::{Axis, Figure, Panel, Role, Scale, Series, Shape};

/// A published work's experiments, done again.
#[derive(Clone, PartialEq, Debug)]
pub struct Reproduction {
    /// Its short name, as on the command line.
    pub name: String,
    /// What it is about.
    pub title: String,
    /// Where it was published.
    pub source: String,
    /// The machine that the experiments that can ran on, and what it is; `None`: all were
    /// simulated.
    pub machine: Option<Machine>,
    /// What concerns all experiments.
    pub notes: Vec<String>,
    /// The experiments, in the order in which the work has them.
    pub experiments: Vec<Experiment>,
}

/// A machine that experiments ran on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Machine {
    /// Its short name.
    pub name: String,
    /// What it is and what its times mean.
    pub title: String,
}

/// One experiment: what was done, and what it says of the claims.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Experiment {
    /// Its short name: letters, digits and dashes; unique in the reproduction.
    pub name: String,
    /// What it is called, and where the work has it.
    pub title: String,
    /// What was done, in a few sentences.
    pub about: String,
    /// Whether it ran on the reproduction's machine, and was not simulated.
    pub on_machine: bool,
    /// Whether it measured the computer that this program ran on: then it is not simulated, and its numbers
    /// differ from run to run.
    pub on_host: bool,
    /// What it was done with: names and values.
    pub settings: Vec<(String, String)>,
    /// What had to be assumed, because the work does not say it.
    pub assumptions: Vec<String>,
    /// What the work says, all of it; empty: no verdict depends on this experiment.
    pub claims: Vec<Claim>,
    /// What it looks like.
    pub figures: Vec<Figure>,
}

/// What is said of an experiment without claims.
pub const NO_VERDICT: &str = "No verdict depends on this.";

/// What is said of an experiment that measured the computer that this program ran on.
pub const ON_HOST: &str = "Measured on this computer.";

/// Something that the work says, and what became of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// What the work says, in a sentence.
    pub text: String,
    /// Where it says so.
    pub place: String,
    /// When the claim holds: the tolerance, or the comparison. Empty if nothing is compared.
    pub criterion: String,
    /// The published value or ordering.
    pub published: String,
    /// What was found here.
    pub ours: String,
    /// What is concluded.
    pub verdict: Verdict,
}

/// What is concluded of a claim. There is no other verdict.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// What was found is what was published, within the criterion.
    Holds,
    /// It is not, for this reason as far as it is known.
    Differs(String),
    /// The two cannot be compared, for this reason.
    NotComparable(String),
}

/// How many claims hold, differ and are not comparable.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// That hold.
    pub holds: usize,
    /// That differ.
    pub differs: usize,
    /// That are not comparable.
    pub not_comparable: usize,
}

impl Verdict {
    /// [`Verdict::Holds`] if it does, else [`Verdict::Differs`] for this reason.
    pub fn of(holds: bool, why_not: impl FnOnce() -> String) -> Verdict {
        if holds {
            Verdict::Holds
        } else {
            Verdict::Differs(why_not())
        }
    }

    /// The verdict in a word or two; the same words everywhere.
    pub const fn name(&self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Differs(_) => "differs",
            Verdict::NotComparable(_) => "not comparable",
        }
    }

    /// Why it does not hold; `None` if it does.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Verdict::Holds => None,
            Verdict::Differs(reason) | Verdict::NotComparable(reason) => Some(reason),
        }
    }
}

impl Claim {
    /// A claim about a number: it holds if ours is within `tolerance` of the published one, both in
    /// `unit`. `why_not` is the reason if it is not.
    pub fn number(
        text: impl Into<String>,
        place: impl Into<String>,
        [published, ours, tolerance]: [f64; 3],
        unit: &str,
        why_not: impl FnOnce() -> String,
    ) -> Claim {
        let shown = |number: f64| format!("{} {unit}", decimal(number)).trim_end().to_owned();
        // A hair more, since decimal fractions are rounded.
        let holds = (ours - published).abs() <= tolerance * (1.0 + 1e-12);
        Claim {
            text: text.into(),
            place: place.into(),
            criterion: format!("within {}", shown(tolerance)),
            published: shown(published),
            ours: shown(ours),
            verdict: Verdict::of(holds, why_not),
        }
    }
}

impl Reproduction {
    /// All claims, in the order of the experiments.
    pub fn claims(&self) -> impl Iterator<Item = (&Experiment, &Claim)> {
        self.experiments.iter().flat_map(|experiment| {
            let claims = experiment.claims.iter();
            claims.map(move |claim| (experiment, claim))
        })
    }

    /// How many claims there are of each verdict.
    pub fn tally(&self) -> Tally {
        self.claims().fold(Tally::default(), |mut tally, claim| {
            match claim.1.verdict {
                Verdict::Holds => tally.holds += 1,
                Verdict::Differs(_) => tally.differs += 1,
                Verdict::NotComparable(_) => tally.not_comparable += 1,
            }
            tally
        })
    }
}

/// A number with as many digits as a person compares: four, or all in front of the point.
pub fn decimal(number: f64) -> String {
    let size = number.abs();
    let places = match size {
        _ if size >= 999.5 => 0,
        _ if size >= 99.95 => 1,
        _ if size >= 9.995 => 2,
        _ if size >= 0.01 => 3,
        _ => 5,
    };
    let text = format!("{number:.places$}");
    if text.contains('.') {
        let text = text.trim_end_matches('0').trim_end_matches('.');
        if text == "-0" { "0" } else { text }.to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            [
                0.0, 1.0, 0.333_333, 99.96, 1234.56, 0.001_23, -0.000_001, 20.5
            ]
            .map(decimal),
            ["0", "1", "0.333", "100", "1235", "0.00123", "0", "20.5"]
        );
    }

    #[test]
    fn a_number_holds_within_its_tolerance_only() {
        let claim = |ours| Claim::number("x", "y", [10.0, ours, 0.1], "ms", || "so".into());
        assert_eq!(claim(10.1).verdict, Verdict::Holds);
        assert_eq!(claim(10.101).verdict, Verdict::Differs("so".into()));
        assert_eq!(claim(f64::NAN).verdict, Verdict::Differs("so".into()));
        assert_eq!(claim(9.9).criterion, "within 0.1 ms");
    }
}
