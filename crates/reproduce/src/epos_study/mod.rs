//! Which sets hold under global and partitioned EDF, by Gracioli et al.: figures 12 to 18 and
//! table 2.
//!
//! | experiment | |
//! |---|---|
//! | `eight-cpus` | figures 12 to 14, and table 2 |
//! | `weighted` | figures 15 and 16 |
//! | `hundred-cpus` | figures 17 and 18 |

mod curves;
mod eight;
mod hundred;
mod inferred;
mod table;
mod weighted;

use crate::work::{Setup, Work};
use curves::Curve;
use flyball_measure::bench::BenchError;
use flyball_model::OverheadFile;
use flyball_model::study::{
    Accounting, Cap, Charge, Column, Periods, Scenario, Study, Utilisations,
};
use flyball_model::{ModelError, Statistic};
use flyball_report::reproduction::{Claim, Figure, Verdict};
use flyball_study::{Registry, StudyError};
use flyball_sweep::{Options, Results, SweepError, compute, sweep};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// The paper, as far as it says which sets hold.
pub const WORK: Work = Work {
    name: "epos-study",
    title: "Global and partitioned scheduling in EPOS: which task sets hold",
    source: "G. Gracioli, A. A. Fröhlich, R. Pellizzoni, S. Fischmeister: Implementation and evaluation of \
             global and partitioned scheduling in a real-time OS. Real-Time Systems 49, 2013, sections 5.4 \
             and 6",
    notes: &[
        "Sets are drawn anew, from the same distributions; the authors' own sets are not published.",
        "The paper's figures are not in its text: a claim is what the text says of them.",
        "What EPOS and LITMUS^RT cost is in figures 8 and 9 for the most part. What is missing was inferred \
         from where four of the published curves fall; claims about these are not comparable, and all others \
         are predictions.",
        "Without --full there are fewer sets, and for 100 CPUs fewer caps, than the paper has.",
    ],
    plans: &[eight::PLAN, weighted::PLAN, hundred::PLAN],
    programs: &[],
    goes_on: true,
};

/// The paper's utilisations.
const UNIFORM: [&str; 3] = ["uniform-light", "uniform-medium", "uniform-heavy"];
const BIMODAL: [&str; 3] = ["bimodal-light", "bimodal-medium", "bimodal-heavy"];
const PERIODS: [&str; 3] = ["short", "moderate", "long"];

/// The eight tests of the paper without Baruah's, and that.
const SEVEN: [&str; 7] = ["GFB", "BAK", "BAK05", "BCL", "LOAD", "RTA", "FFDBF"];
const BARUAH: &str = "BAR";

/// Global EDF by all eight, where the paper leaves Baruah's test out.
const ALL_EIGHT: &str = "G-EDF with BAR";

/// Scenarios with these names, and the slack of light, medium and heavy utilisations.
fn scenarios(periods: &[&str], utilisations: &[&str], slacks: [Cap; 3]) -> Vec<Scenario> {
    let mut scenarios = Vec::new();
    for periods in periods {
        for name in utilisations {
            let slack = match name.rsplit_once('-') {
                Some((_, "heavy")) => slacks[2],
                Some((_, "medium")) => slacks[1],
                _ => slacks[0],
            };
            // The names are those of the table that they are looked up in.
            if let (Some(periods), Some(utilisations)) =
                (Periods::named(periods), Utilisations::named(name))
            {
                scenarios.push(Scenario {
                    periods,
                    utilisations,
                    slack,
                });
            }
        }
    }
    scenarios
}

/// Global EDF by these tests, and partitioned EDF.
fn columns(global: &[&str]) -> Vec<Column> {
    let global = Column {
        name: "G-EDF".into(),
        any: global.iter().map(|&name| name.to_owned()).collect(),
    };
    let partitioned = ["FFD", "BFD", "WFD"].map(str::to_owned);
    vec![
        global,
        Column {
            name: "P-EDF".into(),
            any: partitioned.into(),
        },
    ]
}

/// The same where the paper leaves Baruah's test out: without it, as in the paper, and with it.
fn both_readings() -> Vec<Column> {
    let eight = [&SEVEN[..], &[BARUAH]].concat();
    let mut columns = columns(&SEVEN);
    columns.push(Column {
        name: ALL_EIGHT.into(),
        any: eight.into_iter().map(str::to_owned).collect(),
    });
    columns
}

/// What EPOS and LITMUS^RT are charged, with these working sets.
fn charges(working_sets: &[u32]) -> Result<Vec<Charge>, BenchError> {
    let charge = |name: &str, text, file| -> Result<Charge, ModelError> {
        Ok(Charge {
            name: name.into(),
            file: OverheadFile::read(text, file)?,
            statistic: Statistic::Worst,
            accounting: Accounting::PerJob,
            working_sets: working_sets.to_vec(),
        })
    };
    let epos = charge("EPOS", include_str!("epos.toml"), "epos.toml").map_err(StudyError::from)?;
    let litmus = charge("LITMUS", include_str!("litmus-rt.toml"), "litmus-rt.toml");
    Ok(vec![epos, litmus.map_err(StudyError::from)?])
}

/// A study of this reproduction.
fn study(
    name: &str,
    cpus: u8,
    caps: impl Iterator<Item = u32>,
    sets: u32,
    scenarios: Vec<Scenario>,
) -> Study {
    Study {
        name: name.into(),
        seed: 2013,
        cpus,
        caps: caps.map(Cap).collect(),
        sets,
        batch: 100.min(sets),
        scenarios,
        tests: columns(&[&SEVEN[..], &[BARUAH]].concat()),
        simulate: None,
        charges: Vec::new(),
    }
}

/// Does a study: in memory, or in the folder of all results, where it goes on after an
/// interruption.
fn results(setup: &mut Setup<'_>, study: &Study) -> Result<Results, BenchError> {
    let each;
    let study = if setup.each_test {
        each = with_each_test(study);
        &each
    } else {
        study
    };
    let stop = AtomicBool::new(false);
    let registry = Registry::standard();
    let go_on = |_: flyball_sweep::Progress| !stop.load(Ordering::Relaxed);
    let folder = setup.keep.map(|keep| keep.join(&study.name));
    let work = || -> Result<Option<Results>, SweepError> {
        let Some(folder) = &folder else {
            return compute(&registry, study, &Options::default(), &go_on);
        };
        let outcome = sweep(&registry, study, folder, &Options::default(), &go_on)?;
        if outcome.left > 0 {
            return Ok(None);
        }
        Results::read(&[folder]).map(Some)
    };
    let mut refused = None;
    let found = thread::scope(|scope| {
        let worker = scope.spawn(work);
        while !worker.is_finished() {
            thread::sleep(Duration::from_millis(20));
            if let Err(error) = setup.bench.go_on() {
                stop.store(true, Ordering::Relaxed);
                refused = Some(error);
            }
        }
        worker.join()
    });
    match (found, refused) {
        (Ok(Ok(Some(results))), _) => Ok(results),
        (_, Some(error)) => Err(error),
        (Ok(Ok(None)), None) => Err(StudyError::Interrupted.into()),
        (Ok(Err(error)), None) => Err(StudyError::Bench(error.to_string()).into()),
        // A panic of the worker's is this thread's, too.
        (Err(panic), None) => std::panic::resume_unwind(panic),
    }
}

/// The same study with a column for each test of its unions, too. It is another study, with results
/// of its own.
fn with_each_test(study: &Study) -> Study {
    let mut study = study.clone();
    study.name += "-each";
    let names: BTreeSet<String> = study.tests.iter().flat_map(|it| it.any.clone()).collect();
    study.tests.extend(names.into_iter().map(|name| Column {
        any: vec![name.clone()],
        name,
    }));
    study
}

/// The figures of both, where those of one name are one: the first one's panels come first. They
/// share a legend, so what has the same name has the first one's colour.
fn together(first: Vec<Figure>, mut second: Vec<Figure>) -> Vec<Figure> {
    for figure in first.into_iter().rev() {
        match second.iter_mut().find(|other| other.name == figure.name) {
            Some(other) => {
                let of_first = |name: &str| {
                    let mut series = figure.panels.iter().flat_map(|panel| &panel.series);
                    Some(series.find(|series| series.name == name)?.colour)
                };
                for series in other.panels.iter_mut().flat_map(|panel| &mut panel.series) {
                    series.colour = of_first(&series.name).unwrap_or(series.colour);
                }
                other.panels.splice(0..0, figure.panels);
            }
            None => second.insert(0, figure),
        }
    }
    second
}

/// The claim that a curve is at one up to the published cap, within the tolerance.
fn falls_at(
    (text, place): (&str, &str),
    (published, tolerance): (f64, f64),
    curve: Option<Curve<'_>>,
    why_not: &str,
) -> Claim {
    let ours = curve.map_or(f64::NAN, Curve::falls);
    let numbers = [published, ours, tolerance + 1e-9];
    let criterion =
        format!("the last cap with 99 % accepted, within {tolerance} of the published one");
    Claim {
        criterion,
        ..Claim::number(text, place, numbers, "CPUs", || why_not.into())
    }
}

/// A claim about which of two is more.
fn ordering(
    (text, place, criterion): (&str, &str, &str),
    published: &str,
    ours: String,
    holds: bool,
    why_not: &str,
) -> Claim {
    Claim {
        text: text.into(),
        place: place.into(),
        criterion: criterion.into(),
        published: published.into(),
        ours,
        verdict: Verdict::of(holds, || why_not.into()),
    }
}

/// A claim from which something was inferred, so that it says nothing of it.
fn inferred_from(text: &str, place: &str, published: &str, ours: String) -> Claim {
    Claim {
        text: text.into(),
        place: place.into(),
        criterion: String::new(),
        published: published.into(),
        ours,
        verdict: Verdict::NotComparable(inferred::WHY.into()),
    }
}

/// What the paper's other reading gives: Baruah's test for uniform light utilisations, too, which
/// it left out.
fn with_baruah(light: &Results) -> Claim {
    let of = |label: &str| {
        PERIODS.map(|periods| {
            let scenario = format!("{periods}-uniform-light");
            let curve = Curve::find(light, &scenario, label);
            share(curve.map_or(f64::NAN, Curve::weighted))
        })
    };
    let shown = |label: &str| of(label).join(", ");
    Claim {
        text: "Uniform light: Baruah's test, which the paper left out here as it takes long".into(),
        place: "5.4".into(),
        criterion: String::new(),
        published: "left out".into(),
        ours: format!(
            "weighted schedulability, short, moderate, long: G-EDF {} without it, {} with it; P-EDF {}",
            shown("G-EDF"),
            shown(ALL_EIGHT),
            shown("P-EDF"),
        ),
        verdict: Verdict::NotComparable(
            "The paper has no such figure. Of many light tasks few carry in, which of the eight only this test knows: \
             what it makes of G-EDF is the test's doing, not the policy's."
                .into(),
        ),
    }
}

/// A part of one, for people.
fn share(part: f64) -> String {
    format!("{part:.3}")
}
