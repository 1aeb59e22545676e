//! Beyond the paper: which queue of ready servers is the fastest, by their number.

use super::instructions;
use crate::work::{Plan, Setup};
use flyball_measure::bench::{BenchError, COUNTING};
use flyball_report::reproduction::{
    Axis, Claim, Experiment, Figure, Panel, Series, Shape, Verdict, decimal,
};

/// The experiment.
pub const PLAN: Plan = Plan {
    name: "queues",
    title: "Queues of servers by their number (not in the paper)",
    on_machine: &[COUNTING],
    run,
};

const NUMBERS: [u32; 8] = [5, 10, 15, 20, 40, 60, 100, 200];
/// The list of SOOS comes first.
const QUEUES: [(&str, &str); 5] = [
    ("top-two", "list of SOOS"),
    ("ring", "sorted ring"),
    ("heap", "heap"),
    ("list", "sorted list"),
    ("calendar", "calendar"),
];

/// Of a queue, by number of servers: until the first has left and come again, and with what is put
/// off until the next slot.
type Points = Vec<[f64; 3]>;

fn run(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let mut found = Vec::new();
    if setup.bench.has(COUNTING) {
        for (queue, _) in QUEUES {
            setup.bench.go_on()?;
            let mut points = Points::new();
            for n in NUMBERS {
                let [take, settle, put] = instructions::hold(setup, queue, n)?;
                points.push([n.into(), take + put, take + settle + put]);
            }
            found.push(points);
        }
    }
    Ok(Experiment {
        about: "The first server leaves a queue, what the queue puts off until the next slot is done, and the server \
                comes again with a later deadline. What is counted is the instructions of the queue alone."
            .into(),
        settings: vec![
            ("times".into(), "1,000, after as many that do not count".into()),
            ("deadlines".into(), "1 to 129 ms later, evenly spread".into()),
        ],
        assumptions: vec![
            "The calendar has days of a millisecond, so that deadlines are spread over a quarter of a second."
                .into(),
        ],
        claims: claims(&found),
        figures: if found.is_empty() { Vec::new() } else { vec![figure(&found)] },
        ..Experiment::default()
    })
}

/// What is compared, as a place in [`Points`].
#[derive(Clone, Copy)]
enum What {
    /// What happens within a slot.
    Now = 1,
    /// That, and what is put off.
    All,
}

impl What {
    /// With which numbers of servers a queue takes the fewest instructions.
    fn wins(self, found: &[Points], queue: usize) -> Vec<u32> {
        let what = self as usize;
        let is_first = |&number: &usize| {
            let of = |points: &Points| points[number][what];
            let others = found
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != queue);
            others
                .map(|(_, points)| of(points))
                .all(|other| of(&found[queue]) < other)
        };
        let wins = (0..NUMBERS.len()).filter(is_first);
        wins.map(|number| NUMBERS[number]).collect()
    }

    /// What queues take with 5, 20 and 200 servers, and which is the first with which numbers.
    fn shown(self, found: &[Points]) -> String {
        let each = QUEUES
            .iter()
            .zip(found)
            .enumerate()
            .map(|(queue, ((_, name), points))| {
                let points = points
                    .iter()
                    .filter(|point| [5.0, 20.0, 200.0].contains(&point[0]));
                let points: Vec<_> = points.map(|point| decimal(point[self as usize])).collect();
                let wins: Vec<_> = self.wins(found, queue).iter().map(u32::to_string).collect();
                let first = if wins.is_empty() {
                    String::new()
                } else {
                    format!(" (the fewest with {})", wins.join(", "))
                };
                format!("{name} {}{first}", points.join(", "))
            });
        let each: Vec<_> = each.collect();
        format!("instructions with 5, 20 and 200: {}", each.join("; "))
    }
}

fn claims(found: &[Points]) -> Vec<Claim> {
    let claim = |text: &str, what: What, queue: usize, [from, to]: [u32; 2], why: &str| {
        let claim = Claim {
            text: format!("Beyond the paper: {text}"),
            place: "not in the paper".into(),
            criterion: String::new(),
            published: "–".into(),
            ours: "–".into(),
            verdict: Verdict::NotComparable(
                "Rows of different queues take different times, so only a machine can tell.".into(),
            ),
        };
        if found.is_empty() {
            return claim;
        }
        let wins = what.wins(found, queue);
        let mut asked = NUMBERS.iter().filter(|&n| (from..=to).contains(n));
        Claim {
            criterion: format!("the fewest instructions of all with {from} to {to} servers"),
            ours: what.shown(found),
            verdict: Verdict::of(asked.all(|n| wins.contains(n)), || why.into()),
            ..claim
        }
    };
    vec![
        claim(
            "within a slot the list of SOOS is the fastest queue for 10 servers and more",
            What::Now,
            0,
            [10, 200],
            "Another one is faster there.",
        ),
        claim(
            "so it is with what it puts off until the next slot",
            What::All,
            0,
            [10, 200],
            "To find the second of the list all servers are looked at, after each that has left.",
        ),
        claim(
            "with what is put off, EDF's default on a microcontroller, the sorted ring, is the fastest for few servers",
            What::All,
            1,
            [5, 20],
            "Another one is faster there.",
        ),
    ]
}

fn figure(found: &[Points]) -> Figure {
    let panel = |title: &str, what: What| {
        let series = (0..).zip(QUEUES.iter().zip(found));
        let series = series.map(|(colour, ((_, name), points))| {
            let points = points.iter().map(|point| [point[0], point[what as usize]]);
            Series::ours(*name, Shape::Line, colour, points.collect())
        });
        Panel {
            title: title.into(),
            y: Axis::numbers("instructions"),
            series: series.collect(),
        }
    };
    Figure {
        name: "queues".into(),
        title: "Instructions until the first server of a queue has left and come again.".into(),
        caption: "Means. The list of SOOS finds its second server when there is time; the others put nothing off."
            .into(),
        x: Axis::numbers("servers in the queue"),
        panels: vec![panel("within a slot", What::Now), panel("with what is put off", What::All)],
    }
}
