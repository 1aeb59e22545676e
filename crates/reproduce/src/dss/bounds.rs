//! Section 1.1: how many adjustments an epoch has. An epoch is a time slice of each task.

use super::load::{SLICE, Sort, once, run_set};
use crate::work::{Plan, Setup};
use flyball_measure::bench::BenchError;
use flyball_model::{Groups, Length, Step, TaskSet};
use flyball_report::reproduction::{
    Axis, Claim, Experiment, Figure, Panel, Series, Shape, Verdict,
};
use flyball_trace::{Duration, Kind};

/// The experiment.
pub const PLAN: Plan = Plan {
    name: "bounds",
    title: "Adjustments in an epoch (figures 1.1 and 1.2, section 1.1)",
    on_machine: &["linux-o1"],
    run,
};

/// Epochs that are counted, behind a first one.
const EPOCHS: u64 = 8;

/// Adjustments of an epoch: the most and the fewest of all that were counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Epoch {
    /// From one task to the next within it.
    within: [usize; 2],
    /// The same, and the one to begin with.
    whole: [usize; 2],
}

impl Epoch {
    fn shown(self) -> String {
        let range = |[most, fewest]: [usize; 2]| {
            if most == fewest {
                most.to_string()
            } else {
                format!("{fewest} to {most}")
            }
        };
        format!(
            "{} within, {} with the one to begin with",
            range(self.within),
            range(self.whole)
        )
    }
}

/// Equal tasks of these groups that compute without end, each a time slice an epoch.
fn count(setup: &mut Setup<'_>, groups: &[u8], sort: Sort) -> Result<Epoch, BenchError> {
    let compute = Step::Compute(Length::Fixed(Duration::from_secs(1)));
    let tasks = groups.iter().enumerate().map(|(task, &number)| {
        let behaviour = vec![Step::Repeat {
            times: None,
            body: vec![compute.clone()],
        }];
        flyball_model::Task {
            groups: Groups {
                number,
                ..Groups::default()
            },
            ..once(format!("task {task}"), behaviour)
        }
    });
    let set = TaskSet {
        name: "equal tasks".into(),
        tasks: tasks.collect(),
        ..TaskSet::default()
    };
    // A dozen tasks or so.
    let length = SLICE * groups.len().try_into().unwrap_or(u64::MAX);
    let (_, result) = run_set(setup.bench, set, sort, length * (EPOCHS + 1), 1_000_000)?;
    let mut epochs: Vec<Vec<usize>> = Vec::new();
    let mut last = None;
    // By its order a dispatch belongs to an epoch: on a machine slices begin a little late.
    let dispatched = result
        .trace
        .events
        .iter()
        .filter_map(|event| match event.kind {
            Kind::Dispatch { task, .. } => Some(task.index()),
            _ => None,
        });
    for task in dispatched.filter(|&task| last.replace(task) != Some(task)) {
        match epochs.last_mut() {
            Some(epoch) if epoch.len() < groups.len() => epoch.push(task),
            _ => epochs.push(vec![task]),
        }
    }
    let changes = |tasks: &[usize]| {
        let pairs = tasks.windows(2);
        pairs
            .filter(|pair| groups[pair[0]] != groups[pair[1]])
            .count()
    };
    let mut found = Epoch {
        within: [0, usize::MAX],
        whole: [0, usize::MAX],
    };
    let whole = |[before, now]: [&Vec<usize>; 2]| {
        let begin = before.last().into_iter().chain(now).copied();
        begin.collect::<Vec<_>>()
    };
    let complete = |epoch: &Vec<usize>| epoch.len() == groups.len();
    for pair in epochs.windows(2).filter(|pair| complete(&pair[1])) {
        let numbers = [changes(&pair[1]), changes(&whole([&pair[0], &pair[1]]))];
        for (range, number) in [&mut found.within, &mut found.whole]
            .into_iter()
            .zip(numbers)
        {
            *range = [range[0].max(number), range[1].min(number)];
        }
    }
    Ok(found)
}

/// So many low tasks with so many high ones among them, no two of these beside each other.
fn mixed(tasks: usize, high: usize) -> Vec<u8> {
    (0..tasks)
        .map(|place| u8::from(place % 2 == 1 && place / 2 < high))
        .collect()
}

fn run(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let five = mixed(5, 2);
    let unsorted = count(setup, &five, Sort::None)?;
    let walk = count(setup, &five, Sort::StrictWalk)?;
    let half = count(setup, &mixed(6, 3), Sort::None)?;
    let mut growth = Vec::new();
    for high in 0..=7 {
        let found = count(setup, &mixed(15, high), Sort::None)?;
        let sorted = count(setup, &mixed(15, high), Sort::StrictWalk)?;
        growth.push([found.whole[0], sorted.whole[0]]);
    }
    let mut domains = Vec::new();
    for groups in [
        &mixed(8, 4)[..],
        &[0, 2, 1, 0, 2, 1],
        &[0, 3, 1, 4, 2, 3, 1, 0, 4, 2],
    ] {
        let [none, lists, walk] = [
            count(setup, groups, Sort::None)?,
            count(setup, groups, Sort::StrictLists)?,
            count(setup, groups, Sort::StrictWalk)?,
        ];
        let mut number = groups.to_vec();
        number.sort_unstable();
        number.dedup();
        domains.push((number.len(), groups.len(), [none, lists, walk]));
    }
    Ok(Experiment {
        about: "Equal tasks that compute without end, in the order that is the worst where they are not sorted. Each has \
                a time slice of 100 ms in an epoch; eight epochs are counted."
            .into(),
        settings: vec![
            ("policy".into(), "linux-o1, 2.6.11, 100 ticks a second".into()),
            ("sorted".into(), "sort = \"strict-walk\", the design that the thesis measured".into()),
        ],
        assumptions: vec![
            "Whether the adjustment that an epoch begins with is one of it is not said. Both are counted.".into(),
        ],
        claims: claims(unsorted, walk, half, &growth, &domains),
        figures: vec![figure(&growth)],
        ..Experiment::default()
    })
}

#[expect(clippy::too_many_lines, reason = "a list of claims")]
fn claims(
    unsorted: Epoch,
    walk: Epoch,
    half: Epoch,
    growth: &[[usize; 2]],
    domains: &[(usize, usize, [Epoch; 3])],
) -> Vec<Claim> {
    let within = |text: &str, place: &str, published: usize, found: Epoch| Claim {
        text: text.into(),
        place: place.into(),
        criterion: "as many within each epoch".into(),
        published: published.to_string(),
        ours: found.shown(),
        verdict: Verdict::of(found.within == [published; 2], || {
            "The order of the tasks is another one.".into()
        }),
    };
    let each = |of: usize| {
        let each = domains
            .iter()
            .map(|(number, _, found)| format!("{number} domains: {}", found[of].shown()));
        each.collect::<Vec<_>>().join("; ")
    };
    let bound = |text: &str,
                 of: usize,
                 criterion: &str,
                 holds: &dyn Fn(usize, usize, Epoch) -> bool,
                 why: &str| {
        let mut all = domains.iter();
        Claim {
            text: text.into(),
            place: "1.1".into(),
            criterion: criterion.into(),
            published: if of == 0 {
                "number of tasks"
            } else {
                "number of domains − 1"
            }
            .into(),
            ours: each(of),
            verdict: Verdict::of(
                all.all(|(number, tasks, found)| holds(*number, *tasks, found[of])),
                || why.into(),
            ),
        }
    };
    let steps = growth
        .windows(2)
        .map(|pair| pair[1][0] - pair[0][0].min(pair[1][0]));
    let steps: Vec<_> = steps.collect();
    vec![
        within(
            "An unsorted queue of five tasks, two of them high, has four adjustments",
            "1, figure 1.1",
            4,
            unsorted,
        ),
        within("A sorted one has one", "1, figure 1.2", 1, walk),
        Claim {
            text: "The most is reached with half of the tasks high: as many adjustments as tasks"
                .into(),
            place: "1.1".into(),
            criterion: "six in an epoch of six tasks".into(),
            published: "6".into(),
            ours: half.shown(),
            verdict: Verdict::of(half.whole == [6, 6], || {
                "The order is not the worst.".into()
            }),
        },
        Claim {
            text:
                "Every additional task of the other domain adds two adjustments in the worst case"
                    .into(),
            place: "1.1".into(),
            criterion: "two more with each of up to seven high tasks among 15".into(),
            published: "+2".into(),
            ours: format!(
                "with 0 to 7: {:?}",
                growth.iter().map(|[none, _]| none).collect::<Vec<_>>()
            ),
            verdict: Verdict::of(steps.iter().all(|&step| step == 2), || {
                "High tasks stand beside each other.".into()
            }),
        },
        bound(
            "No epoch has more adjustments than tasks, however many domains there are",
            0,
            "not more, with the one to begin with",
            &|_, tasks, found| found.whole[0] <= tasks,
            "There are more.",
        ),
        bound(
            "A sorted queue has one adjustment less than there are domains, as the CPU begins where it is: the design \
             in O(1)",
            1,
            "as many in each epoch, with the one to begin with",
            &|number, _, found| found.whole == [number - 1; 2],
            "An epoch begins in another domain than the last one ended in.",
        ),
        bound(
            "A sorted queue has one adjustment less than there are domains: the design in O(n), which was measured",
            2,
            "as many in each epoch, with the one to begin with",
            &|number, _, found| found.whole == [number - 1; 2],
            "It keeps the list from the highest domain to the lowest, so that each epoch begins with the highest again \
             and needs one adjustment for that. Within an epoch it reaches the bound. Only the lists of the O(1) \
             design can begin where the CPU is.",
        ),
    ]
}

fn figure(growth: &[[usize; 2]]) -> Figure {
    let points = |of: usize| {
        let points = (0_u32..).zip(growth);
        let points = points.map(|(high, found)| [f64::from(high), super::load::float(found[of])]);
        points.collect()
    };
    Figure {
        name: "bounds".into(),
        title: "Adjustments in an epoch of 15 tasks, the worst order.".into(),
        caption: "With the one that an epoch begins with.".into(),
        x: Axis::numbers("tasks of the high domain"),
        panels: vec![Panel {
            title: String::new(),
            y: Axis::numbers("adjustments an epoch"),
            series: vec![
                Series::ours("unsorted", Shape::Line, 0, points(0)),
                Series::ours("sorted (strict-walk)", Shape::Line, 1, points(1)),
            ],
        }],
    }
}
