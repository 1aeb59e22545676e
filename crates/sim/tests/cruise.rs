//! Process cruise control: what is counted of tasks puts them where they lose little.

use flyball_catalogue::settings::Defaults;
use flyball_catalogue::{Configured, Cruise, Values};
use flyball_model::{Format, TaskSet, read_str};
use flyball_policy::{Costs, cruise::Domains};
use flyball_sim::{Options, Outcome, simulate};
use flyball_trace::{Duration, Event, Kind, Speed, TaskId, Time};
use proptest::prelude::*;

fn us(us: u64) -> Duration {
    Duration::from_micros(us)
}

/// The frequencies of the tests, in MHz.
const MHZ: [u64; 5] = [333, 400, 533, 666, 733];

/// The default settings, on CPUs with these frequencies.
struct Given([u64; 5]);

const DEFAULTS: Defaults = Defaults(Cruise::SETTINGS);

impl Values for Given {
    fn duration(&self, name: &str) -> Duration {
        DEFAULTS.duration(name)
    }

    fn optional_duration(&self, name: &str) -> Option<Duration> {
        DEFAULTS.optional_duration(name)
    }

    fn integer(&self, name: &str) -> u32 {
        DEFAULTS.integer(name)
    }

    fn millionths(&self, name: &str) -> u32 {
        DEFAULTS.millionths(name)
    }

    fn switch(&self, name: &str) -> bool {
        DEFAULTS.switch(name)
    }

    fn text(&self, name: &str) -> &str {
        match name {
            "variant" => "strict-lists",
            _ => "",
        }
    }

    fn costs(&self, name: &str) -> Option<Costs> {
        DEFAULTS.costs(name)
    }

    fn frequencies(&self) -> &[u64] {
        &self.0
    }
}

fn cruise() -> Cruise {
    let hertz = MHZ.map(|mhz| mhz * 1_000_000);
    let cruise = Cruise::new(&Given(hertz), &[]).unwrap();
    assert_eq!(
        Some(cruise.settings.domains),
        Domains::new(&hertz, 100, 100_000)
    );
    cruise
}

fn run(tasks: &str, until: Duration) -> (Vec<Event>, Outcome) {
    let text = format!(
        "schema = 1\n[platform.speeds]\nfrequencies = [\"333MHz\", \"400MHz\", \"533MHz\", \"666MHz\", \
         \"733MHz\"]\n{tasks}"
    );
    let set: TaskSet = read_str(&text, Format::Toml, "cruise.toml").unwrap();
    let mut events: Vec<Event> = Vec::new();
    let outcome = simulate(&set, &cruise(), &Options::until(until), &mut events).unwrap();
    (events, outcome)
}

fn task(run: &str) -> String {
    format!("[[task]]\nperiod = \"100ms\"\npriority = 1\n{run}\n")
}

/// The points that were chosen, and when.
fn points(events: &[Event]) -> Vec<(Time, u8)> {
    let points = events.iter().filter_map(|event| match event.kind {
        Kind::Speed {
            speed: Speed(speed),
        } => Some((event.time, speed)),
        _ => None,
    });
    points.collect()
}

/// How long each job of a task took that is alone.
fn lengths(events: &[Event]) -> Vec<Duration> {
    let mut released = Time::ZERO;
    let mut lengths = Vec::new();
    for event in events {
        match event.kind {
            Kind::Release {
                task: TaskId(0), ..
            } => released = event.time,
            Kind::Complete { .. } => lengths.push(event.time.since(released)),
            _ => {}
        }
    }
    lengths
}

#[test]
fn a_task_that_waits_for_memory_goes_to_the_lowest_frequency_with_its_first_slice() {
    let (events, outcome) = run(&task("wcet = \"30ms\"\nstalls = 0.97"), us(300_000));
    // A time slice has 10 ms. The rest of the first job takes 0.03 · 733/333 + 0.97 = 1.0360 times as long.
    assert_eq!(points(&events), [(Time::ZERO + us(10_000), 0)]);
    let nanos: Vec<u64> = lengths(&events).iter().map(|it| it.as_nanos()).collect();
    assert_eq!(nanos, [30_720_721, 31_081_082, 31_081_082]);
    assert_eq!(outcome.speeds.unwrap().adjustments(), 1);
}

#[test]
fn a_task_that_computes_stays_at_the_highest() {
    let (events, _) = run(&task("wcet = \"30ms\""), us(300_000));
    assert_eq!(points(&events), []);
    assert_eq!(lengths(&events), [us(30_000); 3]);
}

/// The second half of each job computes; that is noticed within two time slices.
#[test]
fn a_change_of_behaviour_is_noticed() {
    let job =
        "behaviour = [{ compute = \"60ms\", stalls = 0.97 }, { compute = \"60ms\", stalls = 0.1 }]";
    let text = task(job).replace("100ms", "1s");
    let (events, _) = run(&text, us(1_000_000));
    let points = points(&events);
    assert_eq!(points[0], (Time::ZERO + us(10_000), 0));
    // 10 ms at the highest frequency, and 50 ms that are 51.8.
    let change = Time::ZERO + us(61_800);
    let (end, last) = *points.last().unwrap();
    // 0.9 · 733/666 + 0.1 = 1.09.
    assert_eq!(last, 3);
    assert!(end > change && end <= change + us(30_000), "{points:?}");
}

#[test]
fn a_task_that_says_its_speed_is_pinned() {
    let (events, _) = run(
        &task("wcet = \"30ms\"\nstalls = 0.97\nspeed = 2"),
        us(300_000),
    );
    assert_eq!(points(&events), [(Time::ZERO, 2)]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 2 } else { 256 }, ..ProptestConfig::default() })]

    /// Whatever a task does, but for its first slice it loses no more than a tenth; and where less would
    /// do by a hundredth, it is no faster.
    #[test]
    fn no_task_loses_more_than_it_may(stalls in 0_u64..=1_000, wcet in 11_000_u64..50_000) {
        #[expect(clippy::cast_precision_loss)]
        let part = stalls as f64 / 1_000.0;
        let (events, _) = run(&task(&format!("wcet = \"{wcet}us\"\nstalls = {part}")), us(1_000_000));
        let lengths = lengths(&events);
        for length in &lengths {
            prop_assert!(length.as_nanos() <= wcet * 1_100, "{length}");
        }
        let point = points(&events).last().map_or(4, |&(_, point)| usize::from(point));
        let slowdown = |mhz: u64| (1_000 - stalls) * 733 * 1_000 / mhz + stalls * 1_000;
        let slower = point.checked_sub(1).map(|slower| slowdown(MHZ[slower]));
        prop_assert!(slower.is_none_or(|slower| slower > 1_099_000), "{point} {slower:?}");
    }
}
