//! Table 3.1: in which order operating points are visited, and what that costs.

use super::load::float;
use crate::work::{Plan, Setup};
use flyball_measure::bench::BenchError;
use flyball_policy::{Costs, Group, Kept};
use flyball_report::reproduction::{Claim, Experiment, Verdict};

/// The experiment.
pub const PLAN: Plan = Plan {
    name: "cost-array",
    title: "Orders of operating points and what they cost (chapter 3, table 3.1)",
    on_machine: &[],
    run,
};

/// The operating points of the table, in MHz.
const POINTS: [u32; 5] = [104, 208, 416, 520, 620];

/// Table 3.1: cycles from each point (a row) to each (a column).
const TABLE: [[u32; 5]; 5] = [
    [0, 1000, 2500, 3000, 4000],
    [800, 0, 1000, 2800, 3500],
    [1200, 800, 0, 2000, 2500],
    [2000, 1500, 1000, 0, 2000],
    [3000, 2500, 2000, 1500, 0],
];

/// The point of a frequency in the table.
fn point(mhz: u32) -> Group {
    Group::of(POINTS.iter().position(|&point| point == mhz).unwrap_or(0))
}

/// A way as frequencies.
fn shown(way: &[Group]) -> String {
    let names = way
        .iter()
        .map(|group| POINTS[group.index() % POINTS.len()].to_string());
    names.collect::<Vec<_>>().join("→")
}

#[expect(clippy::unnecessary_wraps, reason = "experiments are of one type")]
fn run(_: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let costs = Costs::new(&TABLE).unwrap_or_else(|wrong| unreachable!("it is square: {wrong:?}"));
    Ok(Experiment {
        about: "The scheduler computes from the table in which order it visits operating points. What it computes is \
                compared with sums by hand."
            .into(),
        settings: vec![("unit".into(), "cycles, as in the table".into())],
        assumptions: vec![
            "The thesis types the table and says what is done with it. Sums of its entries are published \
             with it, so to speak, and are taken by hand here."
                .into(),
        ],
        claims: claims(&costs),
        ..Experiment::default()
    })
}

fn claims(costs: &Costs) -> Vec<Claim> {
    let from_208 = costs.path(point(208), Kept::ALL);
    let nearest = costs.nearest_first(point(208));
    let round = costs.round(Kept::ALL);
    let round = [round.groups(), &[point(104)]].concat();
    let rising: Vec<_> = costs.groups().chain([point(104)]).collect();
    let falling: Vec<_> = rising.iter().rev().copied().collect();
    let through = |ways: &[u32]| ways.iter().map(|&mhz| point(mhz)).collect::<Vec<_>>();
    let way = |text: &str, published: &[u32], sum: u64, ours: &[Group]| {
        let cost = costs.along(ours);
        let by_hand = through(published);
        Claim {
            text: text.into(),
            place: "3, table 3.1".into(),
            criterion: "the same way at the same cost".into(),
            published: format!("{}: {sum} cycles, by hand", shown(&by_hand)),
            ours: format!("{}: {cost} cycles", shown(ours)),
            verdict: Verdict::of(cost == sum && by_hand == ours, || {
                "Another way was found, or another sum.".into()
            }),
        }
    };
    let number = |text: &str, published: u32, ours: u32| {
        let numbers = [published, ours, 0].map(float);
        let why = || "The table was read otherwise.".into();
        Claim::number(text, "3, table 3.1", numbers, "cycles", why)
    };
    let detours = costs.with_detours();
    vec![
        number("From 208 to 416 MHz", 1000, costs.of(point(208), point(416))),
        number("From 416 to 208 MHz, which is less", 800, costs.of(point(416), point(208))),
        way(
            "The table gives an order that costs the least when all operating points are visited: the cheapest round",
            &[104, 208, 416, 620, 520, 104],
            8_000,
            &round,
        ),
        way(
            "To go down step by step and back up at once costs more than that",
            &[104, 620, 520, 416, 208, 104],
            8_100,
            &falling,
        ),
        way(
            "To go up step by step and back down at once costs still more",
            &[104, 208, 416, 520, 620, 104],
            9_000,
            &rising,
        ),
        way(
            "Lists are looked at in the order that the table gives; the nearest first, from 208 MHz",
            &[208, 104, 416, 520, 620],
            7_300,
            nearest.groups(),
        ),
        way(
            "The cheapest path from 208 MHz costs less than always to go to the nearest",
            &[208, 416, 620, 520, 104],
            7_000,
            from_208.groups(),
        ),
        number("From 104 straight to 416 MHz", 2500, costs.of(point(104), point(416))),
        number(
            "From 104 to 416 MHz by 208 MHz, which is cheaper",
            2000,
            detours.of(point(104), point(416)),
        ),
        Claim {
            text: "DSS is switched off where the smallest entry is lower than what it costs at a context switch".into(),
            place: "3".into(),
            criterion: "sorting pays at 800 cycles a switch and not at 801".into(),
            published: "smallest entry: 800 cycles".into(),
            ours: format!(
                "smallest entry: {} cycles; pays at 800: {}, at 801: {}",
                costs.smallest().unwrap_or(0),
                costs.pays(800),
                costs.pays(801)
            ),
            verdict: Verdict::of(costs.pays(800) && !costs.pays(801), || {
                "The limit is another one.".into()
            }),
        },
    ]
}
