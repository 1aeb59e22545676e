//! Beyond the thesis: what else could be done about an overload.

use super::field::{all, list};
use super::overload::whole;
use crate::bench::BenchError;
use crate::hartstone::Contender;
use crate::hartstone::sweep::{Conditions, Parts, Score, family, scores};
use crate::reproduce::{Plan, Setup};
use flyball_model::Value;
use flyball_report::reproduction::{
    Axis, Claim, Experiment, Figure, Panel, Series, Shape, Verdict, decimal,
};
use flyball_trace::Duration;

/// The experiment.
pub const PLAN: Plan = Plan {
    name: "beyond",
    title: "Beyond the thesis: other set points",
    on_machine: &[],
    run,
};

/// What is compared beyond the thesis.
struct Beyond {
    family: Vec<Score>,
    aware: Score,
    /// The same with bursts of seconds: only its order is left.
    order_only: Score,
    rr: Score,
    edf: Score,
    rm: Score,
}

impl Beyond {
    fn new(conditions: &Conditions) -> Result<Beyond, BenchError> {
        let one = |contender: &Contender| Score::of(contender, conditions);
        let aware = Contender::deadline_aware();
        let seconds = |n| Value::Duration(Duration::from_secs(n));
        let long = aware
            .clone()
            .with("nominal", seconds(1))
            .with("longest", seconds(4));
        Ok(Beyond {
            family: scores(&family(), conditions, Parts::All)?,
            aware: one(&aware)?,
            order_only: one(&long)?,
            rr: one(&Contender::rr())?,
            edf: one(&Contender::edf())?,
            rm: one(&Contender::new("rm"))?,
        })
    }

    /// Within one iteration of EDF in tests 2 to 4.
    fn keeps_up(&self, score: &Score) -> bool {
        let pairs = score.iterations().into_iter().zip(self.edf.iterations());
        pairs.skip(1).all(|(ours, edf)| ours + 1 >= edf)
    }

    /// And with fewer misses than EDF and RR, and no more switches than RR, in all overloads.
    fn is_good(&self, score: &Score) -> bool {
        let switches = [score, &self.rr].map(Score::extended_switches);
        self.keeps_up(score)
            && all(switches[0], switches[1], |ours, rr| ours <= rr)
            && has_fewer(score, &self.rr)
            && has_fewer(score, &self.edf)
    }

    fn claims(&self) -> Vec<Claim> {
        let claim = |text: &str, criterion: &str, ours: String, holds: bool, why_not: &str| Claim {
            text: text.into(),
            place: "not in the thesis".into(),
            criterion: criterion.into(),
            published: "–".into(),
            ours,
            verdict: Verdict::of(holds, || why_not.into()),
        };
        let Beyond {
            aware,
            order_only,
            rm,
            ..
        } = self;
        let good: Vec<_> = self
            .family
            .iter()
            .filter(|score| self.is_good(score))
            .collect();
        let blind = good
            .iter()
            .filter(|score| knows_no_deadlines(score))
            .count();
        vec![
            claim(
                "Set points can be had that keep EDF's iterations, and miss fewer deadlines than EDF and RR in \
                 each overload",
                "within one iteration in tests 2 to 4, fewer misses in all four overloads, and no more switches \
                 than RR with turns of 1 ms",
                format!(
                    "deadline-aware: {}; so do {} of the family of {}",
                    numbers(aware),
                    good.len(),
                    self.family.len()
                ),
                self.is_good(aware),
                "there are none",
            ),
            claim(
                "That takes deadlines",
                "none of those does it that take tasks in the order of their admission and divide by shares",
                format!("{blind} of them do"),
                blind == 0,
                "it can be done without",
            ),
            claim(
                "It takes the regulators' bursts, and not only their order",
                "fewer misses in all than with bursts of seconds, under which late jobs come last and nothing \
                 else matters",
                format!(
                    "{}, and {} without bursts: {}",
                    total(aware)[1],
                    total(order_only)[1],
                    numbers(order_only)
                ),
                total(aware)[1] < total(order_only)[1],
                "the order does it all",
            ),
            claim(
                "It takes a controller at all",
                "fewer misses than rate monotonic priorities in all four overloads",
                format!("rm: {}", numbers(rm)),
                has_fewer(aware, rm),
                "it does not, here: the series' frequencies are harmonic, so that rate monotonic priorities hold \
                 whatever can be held, and in tests 1 to 3 the overload then falls on the few jobs of the slow \
                 tasks. Where all tasks that are added are alike (test 4) the controller has the fewest.",
            ),
        ]
    }

    fn picture(&self) -> Figure {
        let points = |keeps_up: bool| -> Vec<[f64; 2]> {
            let scores = self.family.iter();
            let scores = scores.filter(|score| self.keeps_up(score) == keeps_up);
            let mut points: Vec<_> = scores.map(total).collect();
            points.sort_by(|a, b| a[0].total_cmp(&b[0]));
            points
        };
        let series = |name: &str, colour, points| Series::ours(name, Shape::Points, colour, points);
        Figure {
            name: "beyond".into(),
            title: "Deadlines missed against context switches, in the four overloads.".into(),
            caption: "A point for each set-point generator. The best are at the lower left.".into(),
            x: Axis::range("switches a second, mean of the four", 0.0, 700.0),
            panels: vec![Panel {
                title: String::new(),
                y: Axis::numbers("misses, sum of the four"),
                series: vec![
                    series("the family", 0, points(false)),
                    series(
                        "those that keep up with EDF in tests 2 to 4",
                        1,
                        points(true),
                    ),
                    series("deadline-aware", 2, vec![total(&self.aware)]),
                    series("EDF", 3, vec![total(&self.edf)]),
                    series("RR, 1 ms", 4, vec![total(&self.rr)]),
                    series("rate monotonic", 5, vec![total(&self.rm)]),
                ],
            }],
        }
    }
}

fn has_fewer(score: &Score, other: &Score) -> bool {
    all(score.misses(), other.misses(), |ours, other| ours < other)
}

/// It takes tasks in the order of their admission, and divides by shares.
fn knows_no_deadlines(score: &Score) -> bool {
    let word = |word: &str| Value::Text(word.to_owned());
    let settings = &score.contender.settings;
    settings.contains(&("sequence", word("admission")))
        && settings.contains(&("division", word("shares")))
}

fn numbers(score: &Score) -> String {
    format!(
        "iterations {}; misses {}; switches {}",
        list(score.iterations()),
        list(score.misses()),
        list(score.extended_switches())
    )
}

fn run(_: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let beyond = Beyond::new(&Conditions::default())?;
    let misses = |score| decimal(total(score)[1]);
    Ok(Experiment {
        about: format!(
            "{} set-point generators: what comes first in a round (admission, deadline, deadline with late jobs \
             last), what becomes of who wakes (waits, comes next, begins a round), what the round is divided by \
             (shares, demand) and made from (tasks, ready tasks), and nominal bursts from 1 ms to 16 ms.",
            beyond.family.len()
        ),
        settings: vec![(
            "deadline-aware".into(),
            "sequence = urgency, wake = round, nominal = 4 ms, shortest = 0".into(),
        )],
        assumptions: vec![format!(
            "Misses are counted over 120 s. In all, deadline-aware has {}, EDF {}, RR {}, rate monotonic {}.",
            misses(&beyond.aware),
            misses(&beyond.edf),
            misses(&beyond.rr),
            misses(&beyond.rm)
        )],
        claims: beyond.claims(),
        figures: vec![beyond.picture()],
        ..Experiment::default()
    })
}

/// Switches a second and misses, in all.
fn total(score: &Score) -> [f64; 2] {
    let switches = score.extended_switches().iter().sum::<f64>() / 4.0;
    [switches, whole(score.misses().iter().sum())]
}
