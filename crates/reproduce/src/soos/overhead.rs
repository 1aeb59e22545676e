//! Figures 2b and 4: the kernel's work in a slot, at least, in the mean and at most, and what it is for.

use super::float;
use super::instructions::{IN_SLOT, SMALL, Whole, whole};
use super::kernels::Kernel;
use super::sets::{SLOT, random};
use super::slot::{Activity, Slot, Unit};
use super::slots::slots;
use crate::work::{Plan, Setup};
use flyball_measure::bench::{BenchError, COUNTING};
use flyball_policy::soos::Slack;
use flyball_report::reproduction::{
    Axis, Claim, Experiment, Figure, Panel, Series, Shape, Verdict, decimal,
};

/// The experiment.
pub const PLAN: Plan = Plan {
    name: "overhead",
    title: "Work in a slot (section 5, figures 2b and 4)",
    on_machine: &[COUNTING],
    run,
};

const TASKS: usize = 15;
const UTILISATION: f64 = 0.5;
/// Microseconds: least, mean and most.
const PUBLISHED: [f64; 3] = [60.0, 180.0, 435.0];
/// By how much a ratio may differ from a published one.
const TOLERANCE: f64 = 0.25;
const WHERE: &str = "section 5, figure 4";
const ACTIVITIES: [(Activity, &str); 5] = [
    (Activity::Reactivation, "reactivation"),
    (Activity::Insertion, "insertion"),
    (Activity::Choice, "choice"),
    (Activity::Settling, "the second of the list"),
    (Activity::Other, "ends and arrivals of jobs"),
];

/// All that was counted, by set.
struct Found {
    unit: Unit,
    /// What the policy did, without the first slot.
    slots: Vec<Vec<Slot>>,
    /// What the whole kernel did, on a machine.
    whole: Vec<Whole>,
    /// What was counted in the first slot, at most.
    first: f64,
}

impl Found {
    /// Least, mean and most of all slots, in the mean of the sets: of the whole kernel, or of the
    /// policy in simulation.
    fn least_mean_most(&self) -> [f64; 3] {
        let whole = self.whole.iter().map(|it| [it.least, it.mean, it.most]);
        let policy = self.slots.iter().map(|slots| {
            let counts = || slots.iter().map(|slot| f64::from(slot.all()));
            [
                counts().fold(f64::INFINITY, f64::min),
                counts().sum::<f64>() / float(slots.len()).max(1.0),
                counts().fold(0.0, f64::max),
            ]
        });
        match self.unit {
            Unit::Rows => means(policy),
            Unit::Instructions => means(whole),
        }
    }

    /// What a slot's work is for, in the mean of all slots.
    fn parts(&self) -> Vec<(&'static str, f64)> {
        let slots: Vec<_> = self.slots.iter().flatten().collect();
        let mean = |activity| {
            let sum: f64 = slots.iter().map(|slot| f64::from(slot.of(activity))).sum();
            sum / float(slots.len()).max(1.0)
        };
        let mut parts: Vec<_> = ACTIVITIES.map(|(it, name)| (name, mean(it))).into();
        if self.unit == Unit::Instructions {
            let policy: f64 = parts.iter().map(|(_, mean)| mean).sum();
            let [_, whole, _] = self.least_mean_most();
            parts.push(("the kernel around it", whole - policy));
        }
        parts
    }
}

fn means(of: impl ExactSizeIterator<Item = [f64; 3]>) -> [f64; 3] {
    let count = float(of.len()).max(1.0);
    let sums = of.fold([0.0; 3], |sums, found| {
        std::array::from_fn(|number| sums[number] + found[number])
    });
    sums.map(|sum| sum / count)
}

fn run(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let unit = Unit::of(setup);
    let sets: u32 = setup.size.of([1, 5, 20]);
    let slots_each: u32 = match unit {
        Unit::Rows => setup.size.of([500, 60_000, 60_000]),
        Unit::Instructions => setup.size.of([200, 3_000, 10_000]),
    };
    let mut found = Found {
        unit,
        slots: Vec::new(),
        whole: Vec::new(),
        first: 0.0,
    };
    for seed in 1..=sets {
        setup.bench.go_on()?;
        let set = random(TASKS, UTILISATION, u64::from(seed))?;
        let settings = Kernel::Soos.settings(Slack::One);
        let mut slots = slots(setup, &set, settings, SLOT * u64::from(slots_each))?;
        let mut first = f64::from(slots.remove(0).all());
        found.slots.push(slots);
        if unit == Unit::Instructions {
            let whole = whole(setup, SMALL, &set, slots_each)?;
            first = whole.first;
            found.whole.push(whole);
        }
        found.first = found.first.max(first);
    }
    let mut settings = vec![
        ("sets".into(), sets.to_string()),
        ("slots".into(), format!("{slots_each} each")),
        (
            "tasks".into(),
            "utilisation 0.5 in all; periods of 0.1 s to 1 s, log-uniform, in whole slots".into(),
        ),
    ];
    if unit == Unit::Instructions {
        settings.push(("instructions in a slot".into(), IN_SLOT.to_string()));
    }
    Ok(Experiment {
        about: about(unit),
        settings,
        assumptions: vec![
            "The paper says nothing of its random set but its size. Least, mean and most are means over the sets."
                .into(),
            format!(
                "The first slot, in which all servers are reactivated, is left out: {} {} at most. In the paper \
                 tasks may have started one after the other.",
                decimal(found.first),
                unit.name()
            ),
        ],
        claims: claims(&found),
        figures: vec![figure(&found)],
        ..Experiment::default()
    })
}

fn about(unit: Unit) -> String {
    let what = match unit {
        Unit::Rows => unit.sentence(),
        Unit::Instructions => {
            "All tasks and one in the background compute in turns of equal length, and what a turn takes longer \
             than others, the kernel has had: its way in and out, its timer and its jobs, too. What of it is \
             the policy is counted by itself, without a kernel around it. An exception's entry and exit count \
             for none, and each slot has at least two."
        }
    };
    format!("Random sets of 15 tasks, in slots of 10 ms. {what}")
}

/// A claim about a ratio.
fn ratio(text: &str, published: f64, [ours, differing]: [String; 2], found: f64) -> Claim {
    Claim {
        text: text.into(),
        place: WHERE.into(),
        criterion: "within a quarter".into(),
        published: decimal(published),
        ours,
        verdict: Verdict::of((found / published - 1.0).abs() <= TOLERANCE, || differing),
    }
}

fn claims(found: &Found) -> Vec<Claim> {
    let [published_least, published_mean, published_most] = PUBLISHED;
    let [third, expected] = [
        published_least / published_mean,
        published_most / published_mean,
    ];
    let figures @ [least, mean, most] = found.least_mean_most();
    let shown = figures.map(decimal).join(", ");
    let worst = "The worst slot costs 2.4 times what one costs in the mean";
    let few = "The least that a slot costs is a third of what one costs in the mean";
    let depends = "How much the worst slot costs depends on how many servers are due in it, and so on the random \
                   set, which is not known.";
    let absolute = |ours: String, why: &str| {
        Claim {
        text: "A slot costs 180 µs in the mean, 60 at least and 435 at most: 1.8 %, 0.6 % and 4.35 % of it"
            .into(),
        place: WHERE.into(),
        criterion: String::new(),
        published: "60, 180 and 435 µs".into(),
        ours,
        verdict: Verdict::NotComparable(why.into()),
    }
    };
    let mut claims = match found.unit {
        Unit::Rows => {
            // (least + fixed) / (mean + fixed) is the published ratio.
            let fixed = (third * mean - least) / (1.0 - third);
            let with = (most + fixed) / (mean + fixed);
            let ours = format!(
                "{}, with what {} rows cost for each slot; {} without",
                decimal(with),
                decimal(fixed),
                decimal(most / mean)
            );
            vec![
                absolute(format!("{shown} rows"), "Ours are no times."),
                Claim {
                    criterion: String::new(),
                    verdict: Verdict::NotComparable(
                        "What each slot costs beside the rows is chosen so that it is.".into(),
                    ),
                    ..ratio(few, third, [decimal(least / mean), String::new()], third)
                },
                ratio(worst, expected, [ours, depends.into()], with),
            ]
        }
        Unit::Instructions => {
            let shares = figures
                .map(|it| decimal(100.0 * it / f64::from(IN_SLOT)))
                .join(", ");
            vec![
                absolute(
                    format!("{shown} instructions: {shares} % of 160,000"),
                    "Instructions of a processor of 32 bits are no cycles of one of 8 and 16.",
                ),
                ratio(
                    few,
                    third,
                    [
                        decimal(least / mean),
                        "A slot without any event costs little here, and how many jobs begin and end in the others depends on the random set, which is not known.".into(),
                    ],
                    least / mean,
                ),
                ratio(
                    worst,
                    expected,
                    [decimal(most / mean), depends.into()],
                    most / mean,
                ),
            ]
        }
    };
    let parts = found.parts();
    let all: f64 = parts.iter().map(|(_, part)| part).sum();
    let shares = parts
        .iter()
        .map(|(name, part)| format!("{name} {} %", decimal(100.0 * part / all)));
    claims.push(Claim {
        text: "A slot's work is preemption, reactivation, scheduling and dispatch".into(),
        place: "figure 2b".into(),
        criterion: String::new(),
        published: "a figure of shares".into(),
        ours: shares.collect::<Vec<_>>().join(", "),
        verdict: Verdict::NotComparable("The figure has no numbers.".into()),
    });
    claims
}

fn figure(found: &Found) -> Figure {
    let parts = found.parts();
    let points = (0..).map(f64::from).zip(&parts);
    let points = points.map(|(x, (_, mean))| [x, *mean]);
    let (title, caption) = match found.unit {
        Unit::Rows => (
            found.unit.title(" in a slot, by activity"),
            "Means of all slots.",
        ),
        Unit::Instructions => (
            "Instructions of the kernel in a slot, by activity.".into(),
            "Means of all slots. The kernel around the policy is what is left of all: the ways in and out, timer and \
             jobs, which are preemption and dispatch in the paper.",
        ),
    };
    Figure {
        name: "overhead".into(),
        title,
        caption: format!("{caption} Figure 2b of the paper has shares of time, without numbers."),
        x: Axis::categories("", parts.iter().map(|(name, _)| *name)),
        panels: vec![Panel {
            title: String::new(),
            y: Axis::numbers(format!("{} a slot", found.unit.name())),
            series: vec![Series::ours("SOOS", Shape::Bars, 0, points.collect())],
        }],
    }
}
