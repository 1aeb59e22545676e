//! What is claimed of a pipeline under these policies, and drawn.

use super::super::seen::{between, millis, seconds};
use super::{
    CAPACITY, CONTENDERS, Contender, Found, HARD, IPI, OTHER_FIRST, PIPELINE_FIRST, PP, RR, SINK,
    SOFT, Score, UNTIL,
};
use flyball_report::reproduction::{Axis, Claim, Figure, Panel, Series, Shape, Verdict, decimal};

/// A value of some contenders under both loads.
fn each(found: &Found, contenders: &[usize], value: impl Fn(&Score) -> String) -> String {
    let [known, doubling] = found;
    let all = contenders.iter().map(|&at| {
        let [known, doubling] = [known, doubling].map(|scores| value(&scores[at]));
        format!("{}: {known}, {doubling}", CONTENDERS[at].name)
    });
    all.collect::<Vec<_>>().join("; ")
}

fn claim(text: &str, criterion: &str, ours: String, holds: bool) -> Claim {
    Claim {
        text: text.into(),
        place: "not in the report".into(),
        criterion: criterion.into(),
        published: "–".into(),
        ours,
        verdict: Verdict::of(holds, || "It is not so.".into()),
    }
}

/// Whether something is so under both loads.
fn always(found: &Found, is_so: impl Fn(&[Score]) -> bool) -> bool {
    found.iter().all(|scores| is_so(scores))
}

/// What is claimed.
pub(super) fn claims(found: &Found) -> Vec<Claim> {
    [losses(found), costs(found)].concat()
}

/// Under which policies messages are lost or missing.
fn losses(found: &Found) -> Vec<Claim> {
    let [known, doubling] = found;
    let glitches =
        |contenders: &[usize]| each(found, contenders, |score| score.glitches.to_string());
    vec![
        claim(
            "Nothing has to be typed in for a pipeline without glitches",
            "under pp no message is lost or missing once it has settled, under either load",
            glitches(&[PP]),
            always(found, |scores| scores[PP].glitches == 0),
        ),
        claim(
            "A clairvoyant's servers are as good, as long as messages take what the clairvoyant knows",
            "under cbs, soft or hard, none is lost or missing under the known load",
            glitches(&[SOFT, HARD]),
            known[SOFT].glitches == 0 && known[HARD].glitches == 0,
        ),
        claim(
            "When messages take twice as long, hard budgets lose some, and soft ones none",
            "soft servers take what the other task had; hard ones may not",
            glitches(&[HARD, SOFT]),
            doubling[HARD].glitches > 0 && doubling[SOFT].glitches == 0,
        ),
        claim(
            "Round robin, for which nothing is typed in either, loses messages when they take twice as long",
            "none is lost or missing under the known load, and some are under the other one",
            glitches(&[RR]),
            known[RR].glitches == 0 && doubling[RR].glitches > 0,
        ),
        claim(
            "Shares of I+PI and priorities keep up, too, if they are right",
            "nothing is lost or missing under ipi and with the pipeline first, and with the other task first under both loads \
             something is",
            glitches(&[IPI, PIPELINE_FIRST, OTHER_FIRST]),
            always(found, |scores| {
                scores[IPI].glitches == 0
                    && scores[PIPELINE_FIRST].glitches == 0
                    && scores[OTHER_FIRST].glitches > 0
            }),
        ),
    ]
}

/// How long messages take, and what else it takes.
fn costs(found: &Found) -> Vec<Claim> {
    let mean_and_longest =
        |[mean, longest]: [f64; 2]| format!("{} ({})", decimal(mean), decimal(longest));
    let passage = |contenders: &[usize]| {
        each(found, contenders, |score| {
            format!("{} ms", mean_and_longest(score.passage()))
        })
    };
    vec![
        claim(
            "Under pp messages take longer to the last queue than under a clairvoyant's soft servers or priorities",
            "the longest of them does, under both loads",
            format!("mean (longest): {}", passage(&[PP, SOFT, PIPELINE_FIRST])),
            always(found, |scores| {
                [SOFT, PIPELINE_FIRST]
                    .iter()
                    .all(|&at| scores[PP].passage()[1] > scores[at].passage()[1])
            }),
        ),
        claim(
            "In the mean they take less time than under hard servers, ipi and rr",
            "under both loads",
            format!("mean (longest): {}", passage(&[PP, HARD, IPI, RR])),
            always(found, |scores| {
                [HARD, IPI, RR]
                    .iter()
                    .all(|&at| scores[PP].passage()[0] < scores[at].passage()[0])
            }),
        ),
        claim(
            "Where nothing is lost, the sink decides when a message leaves, whatever the policy",
            "from source to sink it takes 100 ms in the mean under pp, soft servers, ipi and priorities, under both loads",
            each(found, &[PP, SOFT, IPI, PIPELINE_FIRST], |score| {
                format!("{} ms", decimal(score.latency))
            }),
            always(found, |scores| {
                [PP, SOFT, IPI, PIPELINE_FIRST]
                    .iter()
                    .all(|&at| (scores[at].latency - millis(SINK)).abs() < 0.5)
            }),
        ),
        claim(
            "pp switches less often than soft servers, and more often than round robin",
            "under both loads",
            format!(
                "a second: {}",
                each(found, &[PP, SOFT, HARD, IPI, RR, PIPELINE_FIRST], |score| {
                    decimal(score.switches)
                })
            ),
            always(found, |scores| {
                scores[RR].switches < scores[PP].switches
                    && scores[PP].switches < scores[SOFT].switches
            }),
        ),
        claim(
            "Under pp the first queue is nearly empty",
            "it holds less than a tenth of its messages in the mean, under both loads",
            format!(
                "mean (highest): {}",
                each(found, &[PP, SOFT, HARD, IPI, RR], |score| mean_and_longest(
                    score.level()
                ))
            ),
            always(found, |scores| {
                scores[PP].level()[0] < f64::from(CAPACITY) / 10.0
            }),
        ),
    ]
}

/// Glitches, times, switches and what is typed in, by contender.
pub(super) fn bars(found: &Found) -> Figure {
    let series = |value: &dyn Fn(&Score) -> f64| {
        let names = ["as known", "twice as long for a while"];
        let all = (0..).zip(names.into_iter().zip(found));
        let all = all.map(|(colour, (name, scores))| {
            let points = (0..).zip(scores);
            let points = points.map(|(at, score): (u8, _)| [f64::from(at), value(score)]);
            let points = points.filter(|point| point[1].is_finite());
            Series::ours(name, Shape::Bars, colour, points.collect())
        });
        all.collect::<Vec<_>>()
    };
    let panel = |title: &str, y: &str, series| Panel {
        title: title.into(),
        y: Axis::numbers(y),
        series,
    };
    let told = (0..).zip(&CONTENDERS);
    let told =
        told.map(|(at, contender): (u8, _)| [f64::from(at), f64::from(contender.parameters)]);
    let told = Series::ours("typed in", Shape::Bars, 2, told.collect());
    Figure {
        name: "beside".into(),
        title: "A pipeline under policies that are told different things of it.".into(),
        caption: "Lost and missing messages; how long messages take to the last queue at most (where the other task is first, none \
                  comes there); context switches; and numbers that a user types in."
            .into(),
        x: Axis::categories("", CONTENDERS.iter().map(|contender| contender.name)),
        panels: vec![
            panel("glitches", "% of messages", series(&|score| score.lost)),
            panel("longest time to the last queue", "ms", series(&|score| score.passage()[1])),
            panel("context switches", "a second", series(&|score| score.switches)),
            panel("typed in", "numbers", vec![told]),
        ],
    }
}

/// What becomes of messages that take twice as long for a while: the most in each half of a second.
pub(super) fn over_time(scores: &[Score]) -> Figure {
    const WINDOW: f64 = 0.5;
    let end = seconds(UNTIL);
    let most = |points: &[[f64; 2]]| {
        let mut from = 0.0;
        let windows = std::iter::from_fn(|| {
            let at = from;
            from += WINDOW;
            (at < end).then_some([at, between(points, at, from.min(end)).most])
        });
        windows.collect()
    };
    let series = |contenders: &[usize], of: &dyn Fn(&Score) -> &Vec<[f64; 2]>| {
        let all = (0..).zip(&CONTENDERS).zip(scores).enumerate();
        let wanted = all.filter(|(at, _)| contenders.contains(at));
        let curve = |(_, ((colour, contender), score)): (usize, ((u8, &Contender), &Score))| {
            Series::ours(contender.name, Shape::Steps, colour, most(of(score)))
        };
        wanted.map(curve).collect::<Vec<_>>()
    };
    let panel = |title: &str, y: &str, series| Panel {
        title: title.into(),
        y: Axis::numbers(y),
        series,
    };
    Figure {
        name: "beside-doubling".into(),
        title: "A pipeline whose messages take twice as long from second 10 to 20, and from 30 on.".into(),
        caption: "The longest time of a message to the last queue, and the most messages in the first queue, in each half of a \
                  second. Above: policies under which nothing is lost. Middle and below: hard servers and rr lose messages."
            .into(),
        x: Axis::range("time (s)", 0.0, end),
        panels: vec![
            panel("time to the last queue", "ms", series(&[PP, SOFT, IPI], &|score| &score.passages)),
            panel("the same where messages are lost", "ms", series(&[PP, HARD, RR], &|score| &score.passages)),
            panel("the first queue", "messages", series(&[PP, HARD, RR], &|score| &score.levels)),
        ],
    }
}
