//! Beyond the thesis: what else could be done about an overload.

use super::field::{all, iterations, list, tests};
use super::overload::whole;
use crate::hartstone::sweep::{
    Conditions, GAINS, IMPORTANCES, Parts, Score, family, scores, tuned,
};
use crate::hartstone::{Contender, Importance};
use crate::work::{Plan, Setup};
use flyball_measure::bench::{Bench, BenchError};
use flyball_model::Value;
use flyball_report::reproduction::{
    Axis, Claim, Experiment, Figure, Panel, Series, Shape, Verdict, decimal,
};
use flyball_study::settings::show;
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
    /// Other rules, with the authors' importances.
    family: Vec<Score>,
    /// The deadline-aware ones with other numbers.
    tuned: Vec<(Importance, Score)>,
    aware: Score,
    /// The same with bursts of seconds: only its order is left.
    order_only: Score,
    rr: Score,
    edf: Score,
    rm: Score,
}

impl Beyond {
    /// In simulation, on all CPUs; `bench` is only asked whether to go on.
    fn new(bench: &mut dyn Bench, conditions: &Conditions) -> Result<Beyond, BenchError> {
        let one = |contender: &Contender| Score::of(contender, conditions);
        let aware = Contender::deadline_aware();
        let seconds = |n| Value::Duration(Duration::from_secs(n));
        let long = aware
            .clone()
            .with("nominal", seconds(1))
            .with("longest", seconds(4));
        let mut tuned_scores = Vec::new();
        for importance in IMPORTANCES {
            bench.go_on()?;
            let mut conditions = *conditions;
            conditions.setup.importance = importance;
            let found = scores(&tuned(), &conditions, Parts::All)?;
            tuned_scores.extend(found.into_iter().map(|score| (importance, score)));
        }
        bench.go_on()?;
        Ok(Beyond {
            tuned: tuned_scores,
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
        pairs
            .skip(1)
            .all(|(ours, edf)| ours.saturating_add(1) >= edf)
    }

    /// And with fewer misses than EDF and RR, and no more switches than RR, in all overloads.
    fn is_good(&self, score: &Score) -> bool {
        let switches = [score, &self.rr].map(Score::extended_switches);
        self.keeps_up(score)
            && all(switches[0], switches[1], |ours, rr| ours <= rr)
            && has_fewer(score, &self.rr)
            && has_fewer(score, &self.edf)
    }

    /// The best of those with other numbers, and how many are good.
    fn best(&self) -> (Option<&(Importance, Score)>, usize) {
        let good = || self.tuned.iter().filter(|(_, score)| self.is_good(score));
        let fewest = |(_, a): &&(Importance, Score), (_, b): &&(Importance, Score)| {
            total(a)[1].total_cmp(&total(b)[1])
        };
        (good().min_by(fewest), good().count())
    }

    /// What it takes.
    fn claims(&self) -> Vec<Claim> {
        let Beyond {
            aware, order_only, ..
        } = self;
        let good = || self.family.iter().filter(|score| self.is_good(score));
        let blind = good().filter(|score| knows_no_deadlines(score)).count();
        let (_, good_ones) = self.best();
        vec![
            claim(
                "Set points can be had that keep EDF's iterations, and miss fewer deadlines than EDF and \
                 RR in each overload",
                "within one iteration in tests 2 to 4, fewer misses in all four overloads, and no more \
                 switches than RR with turns of 1 ms",
                format!(
                    "deadline-aware: {}; so do {} of the family of {}, and {good_ones} of {} with other \
                     numbers",
                    numbers(aware),
                    good().count(),
                    self.family.len(),
                    self.tuned.len()
                ),
                self.is_good(aware),
                "there are none",
            ),
            claim(
                "That takes deadlines",
                "none of the family does it that take tasks in the order of their admission and divide by \
                 shares",
                format!("{blind} of them do"),
                blind == 0,
                "it can be done without",
            ),
            claim(
                "It takes the regulators' bursts, and not only their order",
                "fewer misses in all than with bursts of seconds, under which late jobs come last and \
                 nothing else matters",
                format!(
                    "{}, and {} without bursts: {}",
                    total(aware)[1],
                    total(order_only)[1],
                    numbers(order_only)
                ),
                total(aware)[1] < total(order_only)[1],
                "the order does it all",
            ),
        ]
    }

    /// What else could be chosen.
    fn choices(&self) -> Vec<Claim> {
        let gains = GAINS.map(|gains| self.fewest(|_, score| has_gains(score, gains)));
        let importance = IMPORTANCES.map(|importance| self.fewest(|other, _| other == importance));
        let (best, _) = self.best();
        let [default, ..] = gains;
        let mut gained = gains.iter().flatten();
        let importances = || importance.iter().flatten();
        let shown = |of: String, misses: Option<f64>| match misses {
            Some(misses) => format!("{of}: {misses}"),
            None => format!("{of}: none does it"),
        };
        let by_gains = GAINS.iter().zip(gains);
        let by_gains =
            by_gains.map(|([kpi, krr], misses)| shown(format!("kpi {kpi}, krr {krr}"), misses));
        let by_importance = IMPORTANCES.iter().zip(importance);
        let by_importance =
            by_importance.map(|(importance, misses)| shown(named(*importance), misses));
        vec![
            claim(
                "It does not take other gains",
                "of those that do it, the fewest misses in all with the default gains are within 5 % of \
                 the fewest with others",
                by_gains.collect::<Vec<_>>().join("; "),
                default.is_some_and(|default| gained.all(|other| default <= 1.05 * other)),
                "other gains are better",
            ),
            claim(
                "Importance decides who is late",
                "of those that do it, the fewest misses in all are not the same by a tenth for some two \
                 importances",
                by_importance.collect::<Vec<_>>().join("; "),
                importances().any(|a| importances().any(|b| *a > 1.1 * b)),
                "it is nearly the same with all",
            ),
            claim(
                "It takes a controller at all",
                "the best of them has fewer misses than rate monotonic priorities in all four overloads",
                format!(
                    "{}; rm: {}",
                    best.map_or("none is good".into(), |(importance, score)| {
                        format!("{}: {}", described(*importance, score), numbers(score))
                    }),
                    numbers(&self.rm)
                ),
                best.is_some_and(|(_, score)| has_fewer(score, &self.rm)),
                &best.map_or("none is good".into(), |(_, best)| self.behind(best)),
            ),
        ]
    }

    /// Where the best does not have fewer misses than rate monotonic priorities, and why.
    fn behind(&self, best: &Score) -> String {
        match &tests(best.misses(), self.rm.misses(), |ours, rm| ours >= rm)[..] {
            [1, 3] => "it has in tests 2 and 4 only, where there is a choice of whom to let down. The \
                       series' frequencies are harmonic, so that rate monotonic priorities hold whatever \
                       can be held; and where one task asks for too much, or all jobs are longer (tests 1 \
                       and 3), the overload falls on the few jobs of the slow tasks, which nobody can \
                       better by much"
                .into(),
            tests => format!("it has not in tests {tests:?}"),
        }
    }

    /// What is to be known of the best, if all gains do as well there.
    fn idle_gains(&self) -> Option<String> {
        let [first, others @ ..] =
            GAINS.map(|gains| self.fewest(|_, score| has_gains(score, gains)));
        let is_same = |other: &Option<f64>| {
            let pair = first.zip(*other);
            pair.is_some_and(|(a, b)| (a - b).abs() < 0.5)
        };
        others.iter().all(is_same).then(|| {
            "The best is as good with all gains: who wakes begins a new round, and all regulators begin \
             anew with it, before they have an error to correct. What is left of the controller there is \
             its set points."
                .into()
        })
    }

    /// The fewest misses, in all, of some of those with other numbers that are good.
    fn fewest(&self, of: impl Fn(Importance, &Score) -> bool) -> Option<f64> {
        let good = self.tuned.iter();
        let good = good.filter(|(importance, score)| of(*importance, score) && self.is_good(score));
        good.map(|(_, score)| total(score)[1])
            .min_by(f64::total_cmp)
    }

    fn picture(&self) -> Figure {
        let points = |is_shown: &dyn Fn(&Score) -> bool| -> Vec<[f64; 2]> {
            let tuned = self.tuned.iter().map(|(_, score)| score);
            let scores = self.family.iter().chain(tuned);
            let mut points: Vec<_> = scores.filter(|score| is_shown(score)).map(total).collect();
            points.sort_by(|a, b| a[0].total_cmp(&b[0]));
            points
        };
        let best = self.best().0.map(|(_, score)| total(score));
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
                    series(
                        "others that were tried",
                        0,
                        points(&|score| !self.is_good(score)),
                    ),
                    series(
                        "those with EDF's iterations, fewer misses than EDF and RR, and fewer switches \
                         than RR",
                        1,
                        points(&|score| self.is_good(score)),
                    ),
                    series("deadline-aware", 2, vec![total(&self.aware)]),
                    series("the best of all", 6, best.into_iter().collect()),
                    series("EDF", 3, vec![total(&self.edf)]),
                    series("RR, 1 ms", 4, vec![total(&self.rr)]),
                    series("rate monotonic", 5, vec![total(&self.rm)]),
                ],
            }],
        }
    }
}

fn claim(text: &str, criterion: &str, ours: String, holds: bool, why_not: &str) -> Claim {
    Claim {
        text: text.into(),
        place: "not in the thesis".into(),
        criterion: criterion.into(),
        published: "–".into(),
        ours,
        verdict: Verdict::of(holds, || why_not.into()),
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

fn has_gains(score: &Score, [kpi, krr]: [&str; 2]) -> bool {
    let is = |name: &'static str, number: &str| {
        let setting = (name, Value::Decimal(number.to_owned()));
        score.contender.settings.contains(&setting)
    };
    is("kpi", kpi) && is("krr", krr)
}

/// One of those with other numbers.
fn described(importance: Importance, score: &Score) -> String {
    let settings = score.contender.settings.iter();
    let numbers = settings.filter(|(name, _)| ["nominal", "round", "feedforward"].contains(name));
    let mut words: Vec<_> = numbers
        .map(|(name, value)| format!("{name} {}", show(value)))
        .collect();
    words.push(named(importance));
    words.join(", ")
}

fn named(importance: Importance) -> String {
    match importance {
        Importance::Authors => "the authors' importances".into(),
        Importance::Frequency(0) => "all as important".into(),
        Importance::Frequency(1) => "important by frequency".into(),
        Importance::Frequency(power) => format!("important by frequency to the power of {power}"),
    }
}

fn numbers(score: &Score) -> String {
    format!(
        "iterations {}; misses {}; switches {}",
        iterations(score),
        list(score.misses()),
        list(score.extended_switches())
    )
}

fn run(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let beyond = Beyond::new(setup.bench, &Conditions::default())?;
    let misses = |score| decimal(total(score)[1]);
    Ok(Experiment {
        about: format!(
            "{} set-point generators: what comes first in a round (admission, deadline, deadline with late \
             jobs last), what becomes of who wakes (waits, comes next, begins a round), what the round is \
             divided by (shares, demand) and made from (tasks, ready tasks), and nominal bursts from 1 ms to \
             16 ms. And the deadline-aware one with {} other choices of gains, importance, nominal burst, a \
             constant round, and without feedforward and reinitialisation.",
            beyond.family.len(),
            beyond.tuned.len()
        ),
        settings: vec![(
            "deadline-aware".into(),
            "sequence = urgency, wake = round, nominal = 4 ms, shortest = 0".into(),
        )],
        assumptions: [format!(
            "Misses are counted over 120 s. In all, deadline-aware has {}, EDF {}, RR {}, rate monotonic \
             {}.",
            misses(&beyond.aware),
            misses(&beyond.edf),
            misses(&beyond.rr),
            misses(&beyond.rm)
        )]
        .into_iter()
        .chain(beyond.idle_gains())
        .collect(),
        claims: [beyond.claims(), beyond.choices()].concat(),
        figures: vec![beyond.picture()],
        ..Experiment::default()
    })
}

/// Switches a second and misses, in all.
fn total(score: &Score) -> [f64; 2] {
    let switches = score.extended_switches().iter().sum::<f64>() / 4.0;
    [switches, whole(score.misses().iter().sum())]
}
