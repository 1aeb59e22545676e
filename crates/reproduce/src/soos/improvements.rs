//! Figure 5: what the two improvements save, alone and together.

use super::float;
use super::instructions::{LARGE, whole};
use super::kernels::settings;
use super::sets::{SLOT, random};
use super::slot::Unit;
use super::slots::slots;
use crate::work::{Plan, Setup};
use flyball_catalogue::Soos;
use flyball_catalogue::soos::ListKind;
use flyball_measure::bench::{BenchError, COUNTING};
use flyball_model::TaskSet;
use flyball_policy::soos::{Reactivation, Slack};
use flyball_report::reproduction::{
    Axis, Claim, Experiment, Figure, Panel, Series, Shape, Verdict, decimal,
};

/// The experiment.
pub const PLAN: Plan = Plan {
    name: "improvements",
    title: "What the improvements save (section 5, figure 5)",
    on_machine: &[COUNTING],
    run,
};

const GROUPS: [u32; 8] = [5, 10, 15, 20, 25, 30, 35, 40];
const UTILISATION: f64 = 0.5;
const WHERE: &str = "section 5, figure 5";
/// Saved by the variable, by the list, and by both.
const PUBLISHED: [f64; 3] = [0.20, 0.35, 0.46];
/// What there may have been before the list.
const BEFORE: [(ListKind, &str); 3] = [
    (ListKind::Flagged, "flags in the table of servers"),
    (ListKind::Unsorted, "an unsorted list"),
    (ListKind::Sorted, "an ordered list"),
];
const NAMES: [&str; 4] = [
    "without modifications",
    "with reactivation improved",
    "with ServerList improved",
    "with both improvements",
];

/// What the policy does in a slot, by group: as [`NAMES`] has them.
type Means = [Vec<f64>; 4];

/// What is counted, and of how much.
struct Scope {
    unit: Unit,
    /// Sets in a group.
    sets: u32,
    /// Slots of each.
    slots: u32,
    /// On a machine, what the kernel around the policy does in a slot, by group.
    around: Option<Vec<f64>>,
}

fn run(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let unit = Unit::of(setup);
    let [sets, slots] = match unit {
        Unit::Rows => [[1, 5, 20], [200, 6_000, 60_000]],
        Unit::Instructions => [[1, 5, 20], [200, 3_000, 6_000]],
    };
    let mut scope = Scope {
        unit,
        sets: setup.size.of(sets),
        slots: setup.size.of(slots),
        around: None,
    };
    let of_list = |setup: &mut Setup<'_>, list| -> Result<[Vec<f64>; 2], BenchError> {
        let of = |reactivation| settings(reactivation, list, Slack::One);
        let every = scope.means(setup, of(Reactivation::EverySlot))?;
        Ok([every, scope.means(setup, of(Reactivation::Next))?])
    };
    let [every, next] = of_list(setup, ListKind::TopTwo)?;
    let mut found = Vec::new();
    for (list, _) in BEFORE {
        let [plain, variable] = of_list(setup, list)?;
        found.push([plain, variable, every.clone(), next.clone()]);
    }
    if unit == Unit::Instructions {
        scope.around = Some(scope.around(setup, &next)?);
    }
    Ok(Experiment {
        about: format!(
            "Random sets of tasks in groups, under four kernels, in the mean of all slots. {}",
            unit.sentence()
        ),
        settings: vec![
            ("sets in a group".into(), scope.sets.to_string()),
            ("slots".into(), format!("{} of 10 ms each", scope.slots)),
            (
                "tasks".into(),
                "utilisation 0.5 in all; periods of 0.1 s to 1 s, log-uniform, in whole slots"
                    .into(),
            ),
        ],
        assumptions: assumptions(unit),
        claims: BEFORE
            .iter()
            .zip(&found)
            .flat_map(|((_, before), means)| claims(before, means, &scope))
            .collect(),
        figures: vec![figure(&found, unit)],
        ..Experiment::default()
    })
}

fn assumptions(unit: Unit) -> Vec<String> {
    let mut assumptions = vec![
        "The paper says nothing of its random sets but their sizes.".to_owned(),
        "Nor does it say how ready servers were found before there was the list. Three ways are tried: flags in \
         the table of servers (figure 3 sets a state there), an unsorted list, and an ordered one (4.1)."
            .into(),
    ];
    if unit == Unit::Instructions {
        assumptions.push(
            "What is saved is saved of a whole slot: what the kernel around the policy executes is what the whole \
             kernel does with both improvements, without its policy, and the same under all."
                .into(),
        );
    }
    assumptions
}

impl Scope {
    /// The sets of a group.
    fn of_group(&self, group: u32) -> impl Iterator<Item = Result<TaskSet, BenchError>> + use<> {
        let seeds = (1..=self.sets).map(move |seed| u64::from(1_000 * group + seed));
        seeds.map(move |seed| random(group as usize, UTILISATION, seed))
    }

    /// What the policy does in a slot, by group.
    fn means(&self, setup: &mut Setup<'_>, kernel: Soos) -> Result<Vec<f64>, BenchError> {
        let mut means = Vec::new();
        for group in GROUPS {
            setup.bench.go_on()?;
            let mut sum = 0.0;
            for set in self.of_group(group) {
                let slots = slots(setup, &set?, kernel, SLOT * u64::from(self.slots))?;
                let all: f64 = slots.iter().map(|slot| f64::from(slot.all())).sum();
                sum += all / float(slots.len()).max(1.0);
            }
            means.push(sum / f64::from(self.sets));
        }
        Ok(means)
    }

    /// What the kernel around SOOS does in a slot, by group, where `policy` is what that does.
    fn around(&self, setup: &mut Setup<'_>, policy: &[f64]) -> Result<Vec<f64>, BenchError> {
        let mut around = Vec::new();
        for (group, policy) in GROUPS.into_iter().zip(policy) {
            let mut sum = 0.0;
            for set in self.of_group(group) {
                let whole = whole(setup, LARGE, &set?, self.slots)?;
                sum += whole.mean;
            }
            around.push(sum / f64::from(self.sets) - policy);
        }
        Ok(around)
    }
}

/// What the variable, the list and both save, in the mean of the groups, if each slot costs so much
/// more, by group.
fn saved(means: &Means, more: &[f64]) -> [f64; 3] {
    let [plain, improved @ ..] = means;
    improved.each_ref().map(|improved| {
        let parts = plain.iter().zip(improved).zip(more);
        let parts = parts.map(|((plain, improved), more)| (plain - improved) / (plain + more));
        parts.sum::<f64>() / float(GROUPS.len())
    })
}

/// With how many rows more for each slot the variable saves what it does in the paper; `None`: with
/// none. By bisection, as it saves the less the more that is.
fn fixed(means: &Means) -> Option<f64> {
    let of_variable = |fixed| saved(means, &[fixed; GROUPS.len()])[0];
    let (mut low, mut high) = (0.0, 1e6);
    if of_variable(low) < PUBLISHED[0] {
        return None;
    }
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if of_variable(middle) > PUBLISHED[0] {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(low)
}

fn shown([variable, list, both]: [f64; 3]) -> String {
    let percent = |part: f64| format!("{} %", decimal(100.0 * part));
    format!(
        "{} with the variable, {} with the list, {} with both",
        percent(variable),
        percent(list),
        percent(both)
    )
}

fn claims(before: &str, means: &Means, scope: &Scope) -> Vec<Claim> {
    let none = vec![0.0; GROUPS.len()];
    let saves = saved(means, scope.around.as_ref().unwrap_or(&none));
    let [variable, list, both] = saves;
    let is_less = |a: usize, b: usize| means[a].iter().zip(&means[b]).all(|(a, b)| a < b);
    // In simulation it is not known what each slot costs beside.
    let (as_published, criterion, more) = if scope.around.is_some() {
        (Some(saves), "each within 5 points", String::new())
    } else {
        let fixed = fixed(means);
        (
            fixed.map(|fixed| saved(means, &[fixed; GROUPS.len()])),
            "each within 5 points, with so much more for each slot that the variable saves 20 %",
            fixed.map_or(String::new(), |fixed| {
                format!(", with {} rows more for each slot", decimal(fixed))
            }),
        )
    };
    let is_near = |found: [f64; 3]| {
        let mut pairs = found.into_iter().zip(PUBLISHED);
        pairs.all(|(found, published)| (found - published).abs() <= 0.05)
    };
    let less = if list > 0.0 {
        "Most slots have few servers that are ready, so the list saves less than the variable."
    } else {
        "Few servers are ready at once, and an ordered list of few is searched faster than the second of the \
         list is found."
    };
    vec![
        Claim {
            text: format!(
                "After {before}: each improvement saves something alone, and both save more than either"
            ),
            place: WHERE.into(),
            criterion: "in every group, from 5 to 40 tasks".into(),
            published: shown(PUBLISHED),
            ours: shown(saves),
            verdict: Verdict::of(
                is_less(1, 0) && is_less(2, 0) && is_less(3, 1) && is_less(3, 2),
                || less.into(),
            ),
        },
        Claim {
            text: format!(
                "After {before}: the improvements are not contradictory, they save together what they save apart"
            ),
            place: WHERE.into(),
            criterion: "at least what two independent ones would save, less a tenth of it".into(),
            published: "46 %, where independent ones would save 48 %".into(),
            ours: format!(
                "{} %, and {} %",
                decimal(100.0 * both),
                decimal(100.0 * (1.0 - (1.0 - variable) * (1.0 - list)))
            ),
            verdict: Verdict::of(
                both >= 0.9 * (1.0 - (1.0 - variable) * (1.0 - list)),
                || "They save less together.".into(),
            ),
        },
        Claim {
            text: format!("After {before}: the variable saves 20 %, the list 35 %, both 46 %"),
            place: WHERE.into(),
            criterion: criterion.into(),
            published: shown(PUBLISHED),
            ours: shown(as_published.unwrap_or(saves)) + &more,
            verdict: Verdict::of(as_published.is_some_and(is_near), || {
                match scope.unit {
                    Unit::Rows => {
                        "How long lists are depends on the sets, which are not known, and a row of the list counts \
                         here as much as one of the servers."
                    }
                    Unit::Instructions => {
                        "How long lists are depends on the sets, which are not known. Few servers are ready at once \
                         here, and the kernel around the policy is another one."
                    }
                }
                .into()
            }),
        },
    ]
}

fn figure(found: &[Means], unit: Unit) -> Figure {
    let panel = |(before, means): (&(ListKind, &str), &Means)| {
        let series = (0..).zip(NAMES.iter().zip(means));
        let series = series.map(|(colour, (name, means))| {
            let points = GROUPS.iter().zip(means);
            let points = points.map(|(&group, &mean)| [f64::from(group), mean]);
            Series::ours(*name, Shape::Line, colour, points.collect())
        });
        Panel {
            title: format!("after {}", before.1),
            y: Axis::numbers(format!("{} a slot", unit.name())),
            series: series.collect(),
        }
    };
    Figure {
        name: "improvements".into(),
        title: unit.title(" in a slot, with and without improvements"),
        caption: "Means of all slots and sets of a group.".into(),
        x: Axis::numbers("tasks"),
        panels: BEFORE.iter().zip(found).map(panel).collect(),
    }
}
