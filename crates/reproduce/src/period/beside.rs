//! Not in the report: a pipeline that says nothing, beside policies that have to be told what it needs.

mod present;

use super::pipeline::{about, hog, ms, parts, percent, stages};
use super::seen::{between, glitches, levels, millis, seconds, switches, watch};
use crate::work::{Plan, Setup};
use flyball_measure::bench::{BenchError, RunResult};
use flyball_model::{End, Length, Location, Server, TaskSet, Value};
use flyball_report::reproduction::Experiment;
use flyball_sim::Modes;
use flyball_trace::Duration;

/// The experiment.
pub const PLAN: Plan = Plan {
    name: "beside",
    title: "A pipeline that says nothing, beside policies that are told what it needs",
    on_machine: &[],
    run,
};

/// What a message takes in each stage on the average.
const UNITS: [Duration; 3] = [ms(1), ms(2), ms(1)];
/// How often a message comes and is taken.
const EVERY: Duration = ms(10);
const CAPACITY: u16 = 20;
/// When the sink begins: half of what the last queue holds has come.
const SINK: Duration = ms(100);
const UNTIL: Duration = Duration::from_secs(40);
/// How long lengths stay before they double or halve.
const PHASE: Duration = Duration::from_secs(10);
/// How long after the sink has begun a glitch counts.
const SETTLING: Duration = Duration::from_secs(2);
/// What a clairvoyant gives to each stage, in percent of what it needs in a period.
const GIVEN: u64 = 110;

/// A policy, and what it is told.
struct Contender {
    name: &'static str,
    policy: &'static str,
    /// What a user types in for it.
    told: &'static str,
    /// How many numbers and words that is.
    parameters: u32,
    tell: fn(TaskSet) -> Modes,
}

// Their places among these.
const PP: usize = 0;
const SOFT: usize = 1;
const HARD: usize = 2;
const IPI: usize = 3;
const RR: usize = 4;
const PIPELINE_FIRST: usize = 5;
const OTHER_FIRST: usize = 6;

const CONTENDERS: [Contender; 7] = [
    Contender {
        name: "pp",
        policy: "pp",
        told: "nothing",
        parameters: 0,
        tell: Modes::from,
    },
    Contender {
        name: "cbs",
        policy: "cbs",
        told: "a budget and a period for each stage",
        parameters: 6,
        tell: |set| Modes::from(served(set)),
    },
    Contender {
        name: "cbs, hard",
        policy: "cbs",
        told: "the same, and the mode",
        parameters: 7,
        tell: |set| {
            let hard = [("mode", Value::Text("hard".into()))];
            Modes::from(served(set)).with_settings("cbs", &hard)
        },
    },
    Contender {
        name: "ipi",
        policy: "ipi",
        told: "a share for each stage",
        parameters: 3,
        tell: |mut set| {
            for (task, unit) in set.tasks.iter_mut().zip(UNITS) {
                task.share = Some(share(unit));
            }
            Modes::from(set)
        },
    },
    Contender {
        name: "rr",
        policy: "rr",
        told: "nothing",
        parameters: 0,
        tell: Modes::from,
    },
    Contender {
        name: "fp, pipeline first",
        policy: "fp",
        told: "a priority for each task",
        parameters: 4,
        tell: |set| prioritised(set, [40, 30, 20, 10]),
    },
    Contender {
        name: "fp, other first",
        policy: "fp",
        told: "a priority for each task",
        parameters: 4,
        tell: |set| prioritised(set, [30, 20, 10, 40]),
    },
];

/// The part of the CPU that a clairvoyant gives to a stage.
fn share(unit: Duration) -> flyball_model::Share {
    let hundredths = unit.as_nanos() * GIVEN / EVERY.as_nanos();
    percent(u32::try_from(hundredths).unwrap_or(100))
}

/// The same, with a server for each stage: its part of the CPU in each time between two messages.
fn served(mut set: TaskSet) -> TaskSet {
    for (number, (task, unit)) in (0..).zip(set.tasks.iter_mut().zip(UNITS)) {
        task.server = Some(number);
        set.servers.push(Server {
            name: task.name.clone(),
            budget: parts(unit, GIVEN, 100),
            period: EVERY,
            deadline: EVERY,
            mode: None,
            alpha: None,
            cpu: None,
            location: Location::default(),
        });
    }
    set
}

fn prioritised(mut set: TaskSet, priorities: [u8; 4]) -> Modes {
    for (task, priority) in set.tasks.iter_mut().zip(priorities) {
        task.priority = Some(priority);
    }
    Modes::from(set)
}

/// What messages take.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Load {
    /// Half to one and a half of what is known.
    Known,
    /// What is known for ten seconds, and twice as much for the next ten.
    Doubling,
}

impl Load {
    const ALL: [Load; 2] = [Load::Known, Load::Doubling];

    fn set(self) -> TaskSet {
        let length = |unit: Duration| match self {
            Load::Known => about(unit),
            Load::Doubling => Length::Cycle {
                lengths: vec![unit, unit * 2],
                every: PHASE,
            },
        };
        let mut set = stages(EVERY, &UNITS.map(length), &[CAPACITY; 4]);
        for endpoint in &mut set.endpoints {
            if endpoint.end == End::Sink {
                endpoint.phase = SINK;
            }
        }
        set.tasks.push(hog("other"));
        set
    }
}

/// What became of the pipeline under a policy.
struct Score {
    /// Lost and missing messages once it has settled.
    glitches: usize,
    /// The same from the beginning on, in percent of what both devices do.
    lost: f64,
    /// From the source to the sink, in milliseconds, in the mean.
    latency: f64,
    /// When each message came, in seconds, and how long it took to the last queue, in milliseconds.
    passages: Vec<[f64; 2]>,
    /// Context switches a second.
    switches: f64,
    /// The level of the first queue, over time.
    levels: Vec<[f64; 2]>,
}

impl Score {
    fn of(seen: &RunResult) -> Score {
        let path = seen.summary.paths.first();
        let latency = path.and_then(|path| path.latency.mean());
        let glitches = |from| glitches(seen, from);
        let count = |count: usize| u32::try_from(count).map_or(f64::NAN, f64::from);
        let first = levels(seen, 0);
        let passages = entries(&first).into_iter().zip(entries(&levels(seen, 3)));
        Score {
            glitches: glitches(SINK + SETTLING),
            lost: 100.0 * count(glitches(Duration::ZERO)) * seconds(EVERY) / (2.0 * seconds(UNTIL)),
            latency: latency.map_or(f64::NAN, millis),
            passages: passages
                .map(|(from, to)| [from, 1e3 * (to - from)])
                .collect(),
            switches: switches(seen),
            levels: first,
        }
    }

    /// Passages of messages that come once it has settled: in the mean, and the longest.
    fn passage(&self) -> [f64; 2] {
        let settled = seconds(SINK + SETTLING);
        let times = self.passages.iter().filter(|point| point[0] >= settled);
        let times = times.map(|point| point[1]);
        let count = times.clone().map(|_| 1.0).sum::<f64>();
        let longest = times.clone().fold(f64::NAN, f64::max);
        [times.sum::<f64>() / count, longest]
    }

    /// The level of the first queue once it has settled: in the mean, and the highest.
    fn level(&self) -> [f64; 2] {
        let inside = between(&self.levels, seconds(SINK + SETTLING), seconds(UNTIL));
        [inside.mean, inside.most]
    }
}

/// When messages enter a queue of these levels. They leave it in the order in which they have come.
fn entries(levels: &[[f64; 2]]) -> Vec<f64> {
    let mut before = 0.0;
    let mut entries = Vec::new();
    for &[at, level] in levels {
        while before < level {
            entries.push(at);
            before += 1.0;
        }
        before = level;
    }
    entries
}

/// By load and contender.
type Found = [Vec<Score>; 2];

fn run(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let mut found = Found::default();
    for (load, scores) in Load::ALL.into_iter().zip(&mut found) {
        for contender in &CONTENDERS {
            let modes = (contender.tell)(load.set());
            scores.push(Score::of(&watch(setup, modes, contender.policy, UNTIL)?));
        }
    }
    let told = CONTENDERS.iter().map(|contender| {
        format!(
            "{}: {} ({})",
            contender.name, contender.told, contender.parameters
        )
    });
    Ok(Experiment {
        about: "Three stages between two devices, beside a task that always computes. All policies but pp and rr are told what \
                a clairvoyant knows of the stages. Once messages take what is known, and once they take twice as much for ten \
                seconds, from second 10 and from second 30 on."
            .into(),
        settings: vec![
            ("stages".into(), "1, 2 and 1 ms for a message every 10 ms, in the mean; from half to one and a half of it, or exactly that and then twice as much".into()),
            ("queues".into(), format!("four for {CAPACITY} messages; the sink begins when half of the last one has come")),
            ("clairvoyant".into(), format!("{GIVEN} % of the mean of each stage in every 10 ms")),
            ("typed in".into(), told.collect::<Vec<_>>().join("; ")),
            ("time".into(), "40 s; glitches, levels and times of messages count from 2 s after the sink has begun".into()),
        ],
        claims: present::claims(&found),
        figures: vec![present::bars(&found), present::over_time(&found[1])],
        ..Experiment::default()
    })
}
