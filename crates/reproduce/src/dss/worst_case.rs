//! Section 4.3: what sorting costs where it saves nothing.

use super::load::{Found, Load, Sleeps, Sort, each, run_set};
use super::sleep::SLEEP;
use crate::work::{Plan, Setup};
use flyball_measure::bench::{BenchError, COUNTING};
use flyball_model::{Cost, Overheads};
use flyball_report::reproduction::{Claim, Experiment, Verdict, decimal};
use flyball_study::StudyError;
use flyball_trace::Duration;

/// The experiment.
pub const PLAN: Plan = Plan {
    name: "worst-case",
    title: "Nothing to save: what sorting costs (section 4.3)",
    on_machine: &[COUNTING],
    run,
};

const TASKS: u32 = 12;
const WORK: Duration = Duration::from_secs(60);
const LENGTH: Duration = Duration::from_secs(300);
/// How many other threads are ready where decisions are counted.
const READY: [&str; 2] = ["5", "125"];

/// Instructions of a decision in two parts, at most: the running thread blocks and the next is picked; a more
/// urgent one becomes ready and is picked.
type Decision = [u32; 2];

/// What a decision of an image takes, with few and with many threads ready.
fn count(setup: &mut Setup<'_>, image: &str) -> Result<[Decision; 2], BenchError> {
    let mut found = [[0; 2]; 2];
    for (ready, found) in READY.into_iter().zip(&mut found) {
        let printed = setup.bench.count(image, &["decision", ready])?;
        let worst = |name: &str| {
            let mut lines = printed.lines().map(str::split_whitespace);
            let mut words =
                lines.find_map(|mut words| (words.next() == Some(name)).then_some(words))?;
            words.nth(2)?.parse::<u32>().ok()
        };
        let both = worst("decision_blocks").zip(worst("decision_ready"));
        let [blocks, ready] = both.map_or([0; 2], |(blocks, ready)| [blocks, ready]);
        if blocks == 0 || ready == 0 {
            let why = format!("the image {image} printed what is no count: {printed:?}");
            return Err(StudyError::Bench(why).into());
        }
        *found = [blocks, ready];
    }
    Ok(found)
}

fn run(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    if setup.bench.machine().is_some() {
        return counted(setup);
    }
    simulated(setup)
}

fn experiment(about: String, assumption: String, claims: Vec<Claim>) -> Experiment {
    Experiment {
        about,
        settings: vec![(
            "policy".into(),
            "linux-o1, sort = \"none\" and \"strict-walk\"".into(),
        )],
        assumptions: vec![assumption],
        claims,
        ..Experiment::default()
    }
}

const TEXT: &str = "Where nothing can be saved, sorting makes tasks take at most 3 % longer";

/// Instructions of each decision, charged to the context switches of a second.
fn counted(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let [none, walk] = ["costs-linux-o1", "costs-linux-o1-walk"].map(|image| count(setup, image));
    let [none, walk] = [none?, walk?];
    let most = |found: [Decision; 2]| {
        found
            .iter()
            .map(|[blocks, ready]| blocks + ready)
            .max()
            .unwrap_or(0)
    };
    let more = most(walk).saturating_sub(most(none));
    // A hundred switches a second, the most that the thesis speaks of.
    let time = setup.bench.kernel().instruction() * u64::from(more) * 100;
    let part = 100.0 * super::load::seconds(time);
    let shown = |[few, many]: [Decision; 2]| {
        format!(
            "{} and {} instructions with 5 threads ready, {} and {} with 125",
            few[0], few[1], many[0], many[1]
        )
    };
    let claims = vec![Claim {
        text: TEXT.into(),
        place: "4.3".into(),
        criterion: "at most 3 % of the time at a hundred context switches a second".into(),
        published: "3 %".into(),
        ours: format!(
            "{} % ({more} instructions more; unsorted {}; sorted {})",
            decimal(part),
            shown(none),
            shown(walk)
        ),
        verdict: Verdict::of(part <= 3.0, || "Decisions take longer.".into()),
    }];
    Ok(experiment(
        "Instructions of the scheduling decision alone, unsorted and sorted: a thread blocks and the next is picked, and a more \
         urgent one becomes ready and is picked. All threads that are ready are on one level, below these."
            .into(),
        "All of it is charged a hundred times a second, with the machine's time for an instruction.".into(),
        claims,
    ))
}

/// A load whose tasks all have nice values of their own. A sorted decision is charged twice what the whole one of
/// round robin was measured to take, which is more than any of the designs.
fn simulated(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let orders = setup.size.of([1, 5, 20]);
    let kernel = setup.bench.kernel();
    let decision = kernel.overheads("rr").scheduling.at(1);
    let mut found = [Found::default(); 2];
    for (found, (sort, times)) in found
        .iter_mut()
        .zip([(Sort::None, 1), (Sort::StrictWalk, 2)])
    {
        let mut runs = Vec::new();
        for seed in 1..=orders {
            setup.bench.go_on()?;
            let load = Load {
                sleeps: Sleeps::part(400, TASKS, SLEEP),
                work: Some(each(WORK, TASKS)),
                spread: true,
                seed,
                ..Load::half(TASKS)
            };
            let mut set = load.set(true);
            set.platform.overheads = Overheads {
                scheduling: Cost::fixed(decision * times),
                ..kernel.overheads("rr")
            };
            runs.push(run_set(setup.bench, set, sort, LENGTH, 0)?.0);
        }
        *found = Found::mean(&runs);
    }
    let [none, walk] = found;
    let [before, after] = [none, walk].map(|found| found.run_time.unwrap_or(0.0));
    let longer = 100.0 * (after / before - 1.0);
    let limit = before * 0.03 / none.switches.max(1.0);
    let claims = vec![
        Claim {
            text: "With priorities that are spread, sorting saves no adjustments".into(),
            place: "4.3".into(),
            criterion: "within 1 %".into(),
            published: "not able to save any".into(),
            ours: format!(
                "{} unsorted, {} sorted",
                decimal(none.adjustments),
                decimal(walk.adjustments)
            ),
            verdict: Verdict::of(
                (walk.adjustments - none.adjustments).abs() <= 0.01 * none.adjustments,
                || "Some tasks are on the same level at times, by their bonus.".into(),
            ),
        },
        Claim {
            text: TEXT.into(),
            place: "4.3".into(),
            criterion: "at most 3 % longer".into(),
            published: "3 %".into(),
            ours: format!(
                "{} % longer: {} s instead of {} s; 3 % would be {} µs more at each context switch",
                decimal(longer),
                decimal(after),
                decimal(before),
                decimal(1e6 * limit)
            ),
            verdict: Verdict::of(longer <= 3.0, || "Decisions take longer.".into()),
        },
    ];
    Ok(experiment(
        format!(
            "{TASKS} tasks, half of them high, each with a nice value of its own, compute {WORK} together and sleep 4 % of the \
             time. Each is a program of its own: nothing is charged for code. Mean of {orders} orders."
        ),
        format!(
            "The kernel's work costs what it was measured to cost under round robin on an emulated Cortex-M3, and the sorted \
             decision twice as much: {decision} more. With a machine, decisions are counted instead."
        ),
        claims,
    ))
}
