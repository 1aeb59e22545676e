//! What figure 2.5's experiment says of the claims, and its picture.

use super::{Done, LAST, SET_POINT, SETTLING};
use flyball_report::reproduction::{
    Axis, Claim, Figure, Panel, Role, Series, Shape, Verdict, decimal,
};

/// A measured round is met within so much of it.
const TOLERANCE: f64 = 0.01;
const WHERE: &str = "2.3.3, data of figure 2.5";

fn measured_round(text: String, published: f64, ours: f64, why: &'static str) -> Claim {
    let numbers = [published, ours, published * TOLERANCE];
    Claim::number(text, WHERE, numbers, "× 10 µs", || why.into())
}

/// The spike and how it fades.
pub(super) fn feedback(done: &Done) -> Vec<Claim> {
    const MEASURED: [f64; 6] = [2762.0, 2245.0, 1855.0, 1561.0, 1342.0, 1181.0];
    let back = done.variant.returns().next().unwrap_or_default();
    let claim = |(n, published): (usize, f64)| {
        let text = match n {
            0 => "Feedback only: the first round after the task is back".to_owned(),
            1 => "Feedback only: 1 round later".to_owned(),
            n => format!("Feedback only: {n} rounds later"),
        };
        measured_round(
            text,
            published,
            done.round(back + n),
            "the spike is not this one",
        )
    };
    (0..).zip(MEASURED).map(claim).collect()
}

pub(super) fn feedforward(done: &Done) -> Vec<Claim> {
    const MEASURED: [(f64, f64); 2] = [(39.0, 1172.0), (288.0, 1054.0)];
    let rounds = done.variant.returns().zip(MEASURED);
    let claims = rounds.map(|(back, (part, published))| {
        let text = format!(
            "Feedforward: the first round after the task is back; it had blocked after {part} of its \
             burst of some 400"
        );
        measured_round(text, published, done.round(back), "the spike is not this one")
    });
    claims.collect()
}

pub(super) fn reinitialised(done: &Done) -> Claim {
    measured_round(
        "Reinitialisation: the longest round".into(),
        808.0,
        done.longest(),
        "there is a spike, or none where there should be one",
    )
}

/// Feedback alone, with feedforward, with both.
pub(super) fn ordered(all: [&Done; 3]) -> Claim {
    let [off, on, reinit] = all;
    Claim {
        text: "Feedforward reduces the spikes, reinitialisation eliminates them".into(),
        place: "2.3.3".into(),
        criterion:
            "the longest rounds are in this order, and the last one is within 1 % of the set \
                    point"
                .into(),
        published: "2762 > 1172 > 808".into(),
        ours: [off, on, reinit]
            .map(|done| decimal(done.longest()))
            .join(" > "),
        verdict: Verdict::of(
            off.longest() > on.longest()
                && on.longest() > reinit.longest()
                && reinit.longest() <= SET_POINT * 1.01,
            || "the longest rounds are not in this order, or a spike is left".into(),
        ),
    }
}

/// A choice of the kernel takes `work`.
pub(super) fn same(all: &[Done], work: f64) -> Claim {
    /// In units: a thousandth of the nominal burst.
    const BURST: f64 = 0.4;
    // A burst begins with a choice and ends with one.
    let bound = BURST + 2.0 * work;
    let most = all.iter().map(Done::difference).fold(0.0, f64::max);
    let rounds: usize = all.iter().map(|done| done.simulated.len()).sum();
    Claim {
        text: "The scheduler does what the equations say".into(),
        place: "chapter 2".into(),
        criterion: format!(
            "in each of {rounds} rounds, each task runs within {} µs of the same equations in floating \
             point: a thousandth of a nominal burst{}",
            decimal(bound * 10.0),
            if work > 0.0 {
                ", and the kernel's choices before and after it"
            } else {
                ""
            }
        ),
        published: "the equations".into(),
        ours: format!("within {} µs", decimal(most * 10.0)),
        verdict: Verdict::of(most <= bound, || "the two diverge".into()),
    }
}

pub(super) fn picture(all: &[Done], on_machine: bool) -> Figure {
    let panels = all.iter().map(|done| {
        // The authors' first round is 0; what was before it is not shown.
        let shown = |rounds: &[[f64; 2]]| -> Vec<[f64; 2]> {
            // The last round may have been cut.
            let rounds = &rounds[..rounds.len().saturating_sub(1)];
            let rounds = rounds.iter().skip(SETTLING);
            let points = (done.variant.first..).zip(rounds);
            let points = points.filter(|&(k, _)| k >= 0);
            points
                .map(|(k, used)| [f64::from(k), used.iter().sum()])
                .collect()
        };
        let ends = vec![[0.0, SET_POINT], [LAST, SET_POINT]];
        let mut series =
            vec![Series::ours("set point", Shape::Line, 0, ends).with_role(Role::Target)];
        if let Some(rounds) = &done.measured {
            let points = (0..).zip(rounds).map(|(k, &y)| [f64::from(k), y]);
            series.push(
                Series::ours(
                    "measured by the authors",
                    Shape::Points,
                    0,
                    points.collect(),
                )
                .with_role(Role::Published),
            );
        }
        let simulated = shown(&done.simulated);
        series.push(Series::ours(
            if on_machine {
                "the policy, on the machine"
            } else {
                "the policy, simulated"
            },
            Shape::Line,
            0,
            simulated,
        ));
        let equations = shown(&done.equations);
        series
            .push(Series::ours("the equations", Shape::Line, 1, equations).with_role(Role::Model));
        Panel {
            title: done.variant.title.to_owned(),
            y: Axis::range(
                "round (10 µs)",
                0.0,
                if done.longest() > 1500.0 {
                    3000.0
                } else {
                    1500.0
                },
            ),
            series,
        }
    });
    Figure {
        name: "blocking".into(),
        title: "Figure 2.5: how long each round takes while one of two tasks blocks now and then.".into(),
        caption: "Without it the other one's burst grows until the round is at its set point again. \
                  When it is back, its regulator has wound up (at the top), has been frozen (in the \
                  middle), or begins anew (at the bottom). The authors' last spike in the middle follows \
                  a round in which the task was back for 70 µs only; that is not simulated."
            .into(),
        x: Axis::range("round", 0.0, LAST),
        panels: panels.collect(),
    }
}
