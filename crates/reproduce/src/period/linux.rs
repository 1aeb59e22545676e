//! An appendix: how many buffers two threads of this computer's Linux need so that none of them waits for room.
//!
//! It measures this computer, so its numbers differ from run to run, and no verdict depends on them.

use super::pipeline::ms;
use super::seen::seconds;
use crate::work::{Plan, Setup};
use flyball_measure::bench::BenchError;
use flyball_report::reproduction::{Axis, Experiment, Figure, Panel, Series, Shape, decimal};
use flyball_trace::Duration;

/// The experiment.
pub const PLAN: Plan = Plan {
    name: "linux",
    title: "Appendix: the same two stages as threads of this computer's Linux",
    on_machine: &[],
    run,
};

/// How many messages the queue holds.
const CAPACITIES: [u16; 8] = [1, 2, 5, 10, 20, 30, 40, 60];
/// What a message takes in each stage.
const UNIT: Duration = Duration::from_micros(500);
/// For how long the producer goes on at each capacity.
const TIME: Duration = ms(700);
/// The part of a CPU that each stage has under `SCHED_DEADLINE`, in hundredths: Linux admits 95 together.
const PART: u64 = 45;

/// Under which of Linux's policies both stages are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    OneCpu,
    AnyCpu,
    Deadline,
}

impl Way {
    const ALL: [Way; 3] = [Way::OneCpu, Way::AnyCpu, Way::Deadline];

    const fn name(self) -> &'static str {
        match self {
            Way::OneCpu => "SCHED_OTHER, one CPU",
            Way::AnyCpu => "SCHED_OTHER, any CPU",
            Way::Deadline => "SCHED_DEADLINE",
        }
    }
}

/// The budget and the period with which half of the queue moves in a period, as a clairvoyant would choose them.
const fn reservation(capacity: u16) -> (Duration, Duration) {
    // θ · B · w ÷ p with θ = ½.
    let period = capacity as u64 * UNIT.as_nanos() * 100 / (2 * PART);
    let budget = period * PART / 100;
    (Duration::from_nanos(budget), Duration::from_nanos(period))
}

/// What became of a capacity.
#[derive(Clone, Copy)]
struct Count {
    capacity: u16,
    messages: u64,
    stalls: u64,
}

impl Count {
    /// In a hundred messages.
    fn part(self) -> f64 {
        let [stalls, messages] = [self.stalls, self.messages]
            .map(|count| u32::try_from(count).map_or(f64::NAN, f64::from));
        100.0 * stalls / messages.max(1.0)
    }
}

/// What could be counted, and why there is no more.
struct Counts {
    way: Way,
    points: Vec<Count>,
    refusal: Option<String>,
}

#[cfg(target_os = "linux")]
mod here {
    use super::{Count, TIME, UNIT, Way, reservation};
    use flyball_overheads::linux::pipeline::{self, Pipeline, Scheduling};

    /// What stages compute for a message.
    #[derive(Clone, Copy)]
    pub(super) struct Work(pipeline::Work);

    impl Work {
        pub(super) fn new() -> Work {
            Work(pipeline::Work::of(UNIT))
        }
    }

    /// Counts at one capacity, or says why Linux does not permit it.
    pub(super) fn count(way: Way, capacity: u16, work: Work) -> Result<Count, String> {
        let pipeline = Pipeline {
            capacity: capacity.into(),
            work: work.0,
            time: TIME,
        };
        let (budget, period) = reservation(capacity);
        let scheduling = match way {
            Way::OneCpu => Scheduling::OtherOnOneCpu,
            Way::AnyCpu => Scheduling::Other,
            Way::Deadline => Scheduling::Deadline { budget, period },
        };
        let counts = pipeline::run(&pipeline, scheduling).map_err(|why| why.to_string())?;
        Ok(Count {
            capacity,
            messages: counts.messages,
            stalls: counts.stalls,
        })
    }
}

#[cfg(not(target_os = "linux"))]
mod here {
    use super::{Count, Way};

    #[derive(Clone, Copy)]
    pub(super) struct Work;

    impl Work {
        pub(super) fn new() -> Work {
            Work
        }
    }

    pub(super) fn count(_: Way, _: u16, _: Work) -> Result<Count, String> {
        Err("this is not Linux".into())
    }
}

/// Counts at all capacities, up to the first that is refused.
fn counts(setup: &mut Setup<'_>, way: Way, work: here::Work) -> Result<Counts, BenchError> {
    let (mut points, mut refusal) = (Vec::new(), None);
    for capacity in setup.size.of([&CAPACITIES[..1], &CAPACITIES, &CAPACITIES]) {
        setup.bench.go_on()?;
        match here::count(way, *capacity, work) {
            Ok(count) => points.push(count),
            Err(why) => {
                refusal = Some(why);
                break;
            }
        }
    }
    Ok(Counts {
        way,
        points,
        refusal,
    })
}

fn run(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let work = here::Work::new();
    let mut found = Vec::new();
    for way in Way::ALL {
        found.push(counts(setup, way, work)?);
    }
    let mut settings = vec![
        (
            "stages".into(),
            format!(
                "two threads that compute for {UNIT} a message, and a queue with a mutex and two condition variables"
            ),
        ),
        (
            "capacities".into(),
            CAPACITIES.map(|capacity| capacity.to_string()).join(", "),
        ),
        (
            "SCHED_DEADLINE".into(),
            format!(
                "{PART} % of a CPU for each stage, in periods in which half of the queue moves; on whatever CPUs Linux chooses"
            ),
        ),
        (
            "time".into(),
            format!("{} s at each capacity", decimal(seconds(TIME))),
        ),
    ];
    settings.extend(found.iter().map(said));
    Ok(Experiment {
        about: "How often does a producer find the queue full, by its capacity? This is the Linux of the computer that made \
                this page, with its times and whatever else it had to do. The numbers differ from run to run, and no verdict \
                depends on them."
            .into(),
        on_host: true,
        settings,
        figures: figure(&found).into_iter().collect(),
        ..Experiment::default()
    })
}

/// What is said of one policy: its counts, or why there are none.
fn said(counts: &Counts) -> (String, String) {
    let each = counts.points.iter().map(|count| {
        format!(
            "{} of {} at {}",
            count.stalls, count.messages, count.capacity
        )
    });
    let mut text = each.collect::<Vec<_>>().join(", ");
    if let Some(why) = &counts.refusal {
        let gap = if text.is_empty() { "" } else { "; then " };
        text = format!("{text}{gap}not measured: {why}");
    }
    (format!("stalls, {}", counts.way.name()), text)
}

/// Stalls by capacity; nothing if nothing could be measured.
fn figure(found: &[Counts]) -> Option<Figure> {
    let measured = found.iter().filter(|counts| !counts.points.is_empty());
    let series = (0..).zip(measured).map(|(colour, counts)| {
        let points = (0..).zip(&counts.points);
        let points = points.map(|(at, count): (u8, _)| [f64::from(at), count.part()]);
        Series::ours(counts.way.name(), Shape::Bars, colour, points.collect())
    });
    let series: Vec<_> = series.collect();
    (!series.is_empty()).then(|| Figure {
        name: "linux".into(),
        title: "How often a producer waits for room, by the capacity of the queue.".into(),
        caption: "Measured on this computer's Linux. It differs from run to run.".into(),
        x: Axis::categories(
            "capacity (messages)",
            CAPACITIES.map(|capacity| capacity.to_string()),
        ),
        panels: vec![Panel {
            title: String::new(),
            y: Axis::numbers("stalls (% of messages)"),
            series,
        }],
    })
}
