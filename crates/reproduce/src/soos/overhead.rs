//! Figure 4: the kernel's work in a slot, at least, in the mean and at most.

use super::counted::{Activity, Slot, slots};
use super::float;
use super::kernels::Kernel;
use super::sets::{SLOT, random};
use crate::work::{Plan, Setup};
use flyball_measure::bench::BenchError;
use flyball_policy::soos::Slack;
use flyball_report::reproduction::{
    Axis, Claim, Experiment, Figure, Panel, Series, Shape, Verdict, decimal,
};

/// The experiment.
pub const PLAN: Plan = Plan {
    name: "overhead",
    title: "Work in a slot (section 5, figures 2b and 4)",
    on_machine: &[],
    run,
};

const TASKS: usize = 15;
const UTILISATION: f64 = 0.5;
/// Microseconds: least, mean and most.
const PUBLISHED: [f64; 3] = [60.0, 180.0, 435.0];
const WHERE: &str = "section 5, figure 4";
const ACTIVITIES: [(Activity, &str); 5] = [
    (Activity::Reactivation, "reactivation"),
    (Activity::Insertion, "insertion"),
    (Activity::Choice, "choice"),
    (Activity::Settling, "the second of the list"),
    (Activity::Other, "ends and arrivals of jobs"),
];

fn run(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let sets: u32 = setup.size.of([1, 5, 20]);
    let slots_each = setup.size.of([500, 60_000, 60_000]);
    let (mut all, mut first) = (Vec::new(), 0);
    for seed in 1..=sets {
        setup.bench.go_on()?;
        let set = random(TASKS, UTILISATION, u64::from(seed))?;
        let settings = Kernel::Soos.settings(Slack::One);
        let mut slots = slots(&set, settings, SLOT * slots_each)?;
        first = first.max(slots.remove(0).all());
        all.push(slots);
    }
    Ok(Experiment {
        about: "Random sets of 15 tasks, in slots of 10 ms. What is counted is how often the kernel looks at a row \
                of its tables, from slot to slot."
            .into(),
        settings: vec![
            ("sets".into(), sets.to_string()),
            ("slots".into(), format!("{slots_each} each")),
            (
                "tasks".into(),
                "utilisation 0.5 in all; periods of 0.1 s to 1 s, log-uniform, in whole slots".into(),
            ),
        ],
        assumptions: vec![
            "The paper says nothing of its random set but its size. Least, mean and most are means over the sets."
                .into(),
            format!(
                "The first slot, in which all servers are reactivated, is left out: {first} rows at most. In the paper \
                 tasks may have started one after the other."
            ),
        ],
        claims: claims(&all),
        figures: vec![figure(&all)],
        ..Experiment::default()
    })
}

/// Least, mean and most of all slots, in the mean of the sets.
fn least_mean_most(all: &[Vec<Slot>]) -> [f64; 3] {
    let mut sums = [0.0; 3];
    for slots in all {
        let rows = || slots.iter().map(|slot| f64::from(slot.all()));
        let found = [
            rows().fold(f64::INFINITY, f64::min),
            rows().sum::<f64>() / float(slots.len()).max(1.0),
            rows().fold(0.0, f64::max),
        ];
        for (sum, found) in sums.iter_mut().zip(found) {
            *sum += found;
        }
    }
    sums.map(|sum| sum / float(all.len()).max(1.0))
}

fn claims(all: &[Vec<Slot>]) -> Vec<Claim> {
    let [least, mean, most] = least_mean_most(all);
    let [published_least, published_mean, published_most] = PUBLISHED;
    let ratio = published_least / published_mean;
    // (least + fixed) / (mean + fixed) is the published ratio.
    let fixed = (ratio * mean - least) / (1.0 - ratio);
    let expected = published_most / published_mean;
    let found = (most + fixed) / (mean + fixed);
    vec![
        Claim {
            text: "A slot costs 180 µs in the mean, 60 at least and 435 at most: 1.8 %, 0.6 % and 4.35 % of it".into(),
            place: WHERE.into(),
            criterion: String::new(),
            published: "180, 60 and 435 µs".into(),
            ours: format!(
                "{}, {} and {} rows",
                decimal(mean),
                decimal(least),
                decimal(most)
            ),
            verdict: Verdict::NotComparable("Ours are no times.".into()),
        },
        Claim {
            text: "The worst slot costs 2.4 times what one costs in the mean".into(),
            place: WHERE.into(),
            criterion: "within a quarter, with so much more for each slot that the least is a third of the mean"
                .into(),
            published: decimal(expected),
            ours: format!(
                "{}, with what {} rows cost for each slot; {} without",
                decimal(found),
                decimal(fixed),
                decimal(most / mean)
            ),
            verdict: Verdict::of((found / expected - 1.0).abs() <= 0.25, || {
                "How much the worst slot costs depends on how many servers are due in it, and so on the random \
                 set, which is not known."
                    .into()
            }),
        },
    ]
}

fn figure(all: &[Vec<Slot>]) -> Figure {
    let slots: Vec<_> = all.iter().flatten().collect();
    let mean = |activity| {
        let sum: f64 = slots.iter().map(|slot| f64::from(slot.of(activity))).sum();
        sum / float(slots.len()).max(1.0)
    };
    let points = (0..).map(f64::from).zip(ACTIVITIES);
    let points = points.map(|(x, (activity, _))| [x, mean(activity)]);
    Figure {
        name: "overhead".into(),
        title: "Rows that the kernel looks at in a slot, by activity.".into(),
        caption: "Means of all slots. Figure 2b of the paper has shares of time, without numbers."
            .into(),
        x: Axis::categories("", ACTIVITIES.map(|(_, name)| name)),
        panels: vec![Panel {
            title: String::new(),
            y: Axis::numbers("rows a slot"),
            series: vec![Series::ours("SOOS", Shape::Bars, 0, points.collect())],
        }],
    }
}
