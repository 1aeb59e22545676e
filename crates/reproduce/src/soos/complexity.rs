//! Sections 3.3, 4.1 and 4.2: what the three activities of a slot cost, by the number of servers.

use super::float;
use super::kernels::Kernel;
use super::sets::all_at_once;
use super::slot::{Activity, Slot, Unit};
use super::slots::slots;
use crate::work::{Plan, Setup};
use flyball_measure::bench::{BenchError, COUNTING};
use flyball_policy::soos::Slack;
use flyball_report::reproduction::{
    Axis, Claim, Experiment, Figure, Panel, Series, Shape, Verdict, decimal,
};
use std::fmt;

/// The experiment.
pub const PLAN: Plan = Plan {
    name: "complexity",
    title: "Activities of a slot (sections 3.3, 4.1 and 4.2)",
    on_machine: &[COUNTING],
    run,
};

const NUMBERS: [u32; 6] = [5, 10, 20, 50, 100, 200];
const KERNELS: [Kernel; 4] = [
    Kernel::Soos,
    Kernel::Asterix,
    Kernel::Control,
    Kernel::Ordered,
];

/// What is counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum What {
    /// Activity 1 where no server is due.
    Check,
    /// Activity 1 where all are.
    Due,
    /// Activity 2, for each server.
    Insertion,
    /// Activity 3.
    Choice,
    /// To find the second of the list.
    Settling,
    /// A whole slot in which all servers are reactivated.
    AllAtOnce,
}

impl What {
    const ALL: [What; 6] = [
        What::Check,
        What::Due,
        What::Insertion,
        What::Choice,
        What::Settling,
        What::AllAtOnce,
    ];

    const fn title(self) -> &'static str {
        match self {
            What::Check => "1: which servers are due, if none is",
            What::Due => "1: which servers are due, if all are",
            What::Insertion => "2: to put one into the list",
            What::Choice => "3: to choose",
            What::Settling => "to find the second, after the first has left",
            What::AllAtOnce => "a slot in which all servers are reactivated",
        }
    }

    /// The mean over the slots that it is about.
    fn mean(self, slots: &[Slot]) -> f64 {
        let sum = |of: &dyn Fn(&Slot) -> u32, among: &dyn Fn(&Slot) -> bool| -> [f64; 2] {
            let among: Vec<_> = slots.iter().filter(|slot| among(slot)).collect();
            let sum: u32 = among.iter().map(|slot| of(slot)).sum();
            [sum.into(), float(among.len())]
        };
        let due = |slot: &Slot| slot.reactivated > 0;
        let of = |activity: Activity| move |slot: &Slot| slot.of(activity);
        let [sum, count] = match self {
            What::Check => sum(&of(Activity::Reactivation), &|slot| !due(slot)),
            What::Due => sum(&of(Activity::Reactivation), &due),
            What::Insertion => {
                let [counts, _] = sum(&of(Activity::Insertion), &due);
                let [servers, _] = sum(&|slot| slot.reactivated, &due);
                [counts, servers]
            }
            What::Choice => sum(&of(Activity::Choice), &|_| true),
            What::Settling => sum(&of(Activity::Settling), &|_| true),
            What::AllAtOnce => sum(&|slot| slot.all(), &due),
        };
        sum / count.max(1.0)
    }
}

/// How something grows with the number of servers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Growth {
    Constant,
    Linear,
    Quadratic,
    Otherwise,
}

impl Growth {
    /// By the ratio of what 200 servers cost to what 50 cost.
    fn of(points: &[[f64; 2]]) -> Growth {
        let at = |n: f64| points.iter().find(|point| point[0] >= n);
        let (Some(few), Some(many)) = (at(50.0), at(200.0)) else {
            return Growth::Otherwise;
        };
        match many[1] / few[1].max(1.0) {
            ratio if ratio < 1.2 => Growth::Constant,
            ratio if (3.0..5.0).contains(&ratio) => Growth::Linear,
            ratio if (11.0..20.0).contains(&ratio) => Growth::Quadratic,
            _ => Growth::Otherwise,
        }
    }
}

impl fmt::Display for Growth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Growth::Constant => "O(1)",
            Growth::Linear => "O(n)",
            Growth::Quadratic => "O(n²)",
            Growth::Otherwise => "something else",
        })
    }
}

/// What was counted of a kernel, by number of servers.
type Counted = Vec<(u32, Vec<Slot>)>;

/// All that was counted.
struct Found {
    kernels: Vec<(Kernel, Counted)>,
    unit: Unit,
}

impl Found {
    fn points(&self, kernel: Kernel, what: What) -> Vec<[f64; 2]> {
        let counted = self.kernels.iter().filter(|(other, _)| *other == kernel);
        let counted = counted.flat_map(|(_, counted)| counted);
        counted
            .map(|(n, slots)| [f64::from(*n), what.mean(slots)])
            .collect()
    }

    /// A claim that these grow so.
    fn claim(&self, text: &str, place: &str, of: &[(Kernel, What, Growth)]) -> Claim {
        let shown = of.iter().map(|&(kernel, what, _)| {
            let points = self.points(kernel, what);
            let at = |n: f64| {
                points
                    .iter()
                    .find(|point| point[0] >= n)
                    .map_or(0.0, |it| it[1])
            };
            format!(
                "{}: {}, {} {} with 5, {} with 50, {} with 200",
                what.title(),
                Growth::of(&points),
                self.unit.name(),
                decimal(at(5.0)),
                decimal(at(50.0)),
                decimal(at(200.0)),
            )
        });
        let holds = of
            .iter()
            .all(|&(kernel, what, growth)| Growth::of(&self.points(kernel, what)) == growth);
        let published = of.iter().map(|(.., growth)| growth.to_string());
        Claim {
            text: text.into(),
            place: place.into(),
            criterion: "from 50 to 200 servers, O(1): less than 1.2 times; O(n): 3 to 5 times; O(n²): 11 to \
                        20 times"
                .into(),
            published: published.collect::<Vec<_>>().join(", "),
            ours: shown.collect::<Vec<_>>().join("; "),
            verdict: Verdict::of(holds, || "It grows otherwise.".into()),
        }
    }
}

fn run(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let unit = Unit::of(setup);
    let mut kernels = Vec::new();
    for kernel in KERNELS {
        let mut counted = Vec::new();
        for n in NUMBERS {
            setup.bench.go_on()?;
            let (set, until) = all_at_once(n);
            let slots = slots(setup, &set, kernel.settings(Slack::None), until)?;
            counted.push((n, slots));
        }
        kernels.push((kernel, counted));
    }
    let found = Found { kernels, unit };
    Ok(Experiment {
        about: format!(
            "Servers of equal periods, all of which are reactivated in one slot; one job ends in each slot after \
             that. {}",
            unit.sentence()
        ),
        settings: vec![("servers".into(), NUMBERS.map(|n| n.to_string()).join(", "))],
        assumptions: vec![
            "The other kernels are settings of this one, as the paper describes them: all servers are looked at \
             in each slot and the list is unsorted (Asterix); the next reactivation is a variable, and a \
             flag for each task is searched (control kernel)."
                .into(),
            "The paper says O(1) and O(n) of what is bounded by a number, and by a number for each server. \
             Here means are compared."
                .into(),
        ],
        claims: claims(&found),
        figures: vec![figure(&found)],
        ..Experiment::default()
    })
}

fn claims(found: &Found) -> Vec<Claim> {
    use Growth::{Constant, Linear, Quadratic};
    let three = |kernel, [check, due, insertion, choice]: [Growth; 4]| {
        [
            (kernel, What::Check, check),
            (kernel, What::Due, due),
            (kernel, What::Insertion, insertion),
            (kernel, What::Choice, choice),
        ]
    };
    vec![
        found.claim(
            "SOOS: activity 1 is O(n) or O(1), depending on the slot; activities 2 and 3 are O(1)",
            "4.2",
            &three(Kernel::Soos, [Constant, Linear, Constant, Constant]),
        ),
        found.claim(
            "Asterix: activities 1 and 3 are O(n), activity 2 is O(1)",
            "4.2",
            &three(Kernel::Asterix, [Linear, Linear, Constant, Linear]),
        ),
        found.claim(
            "The control kernel: activity 1 is O(n) or O(1), 2 is O(1), 3 is O(n)",
            "4.2",
            &three(Kernel::Control, [Constant, Linear, Constant, Linear]),
        ),
        found.claim(
            "The price: the second of the list has to be found when a job has ended, O(n)",
            "3.3 and 4.2",
            &[(Kernel::Soos, What::Settling, Linear)],
        ),
        found.claim(
            "To reactivate all servers at once takes O(n²) with an ordered list",
            "4.1",
            &[(Kernel::Ordered, What::AllAtOnce, Quadratic)],
        ),
        found.claim(
            "SOOS reduces this to O(n)",
            "4.1",
            &[(Kernel::Soos, What::AllAtOnce, Linear)],
        ),
    ]
}

fn figure(found: &Found) -> Figure {
    let panel = |what: What| {
        let series = (0..).zip(KERNELS).map(|(colour, kernel)| {
            let points = found.points(kernel, what);
            Series::ours(kernel.name(), Shape::Line, colour, points)
        });
        Panel {
            title: what.title().into(),
            y: Axis::numbers(found.unit.name()),
            series: series.collect(),
        }
    };
    Figure {
        name: "complexity".into(),
        title: found.unit.title(", by activity"),
        caption: "Means over the slots that each activity is about.".into(),
        x: Axis::numbers("servers"),
        panels: What::ALL.map(panel).into(),
    }
}
