//! Pipelines of which nothing is known run without a glitch under reservations that set themselves (`pp`).

mod bands;
mod global;
mod observer;

use flyball_catalogue::{Configured, Pp, Scheduler, settings::Defaults};
use flyball_model::random::Random;
use flyball_model::{Format, TaskSet, read_str};
use flyball_policy::proportion_period::{ControllerPlace, Order, Sensing};
use flyball_sim::{Options, simulate};
use flyball_trace::{Duration, Event, Kind, Sink, Time};
use observer::Observer;
use std::fmt::Write;

/// A whole number from `least` to `most`.
pub(crate) fn number(random: &mut Random, least: u64, most: u64) -> u64 {
    let [least, most] = [least, most].map(Duration::from_nanos);
    random.uniform(least, most).as_nanos()
}

/// When messages were lost, or missing.
#[derive(Default)]
struct Glitches(Vec<Time>);

impl Sink for Glitches {
    fn record(&mut self, event: Event) {
        if let Kind::Overrun { .. } | Kind::Underrun { .. } = event.kind {
            self.0.push(event.time);
        }
    }
}

/// Stages, each with the queues that it receives from and sends to, and the queues on a way through
/// them all.
#[derive(Default)]
pub(crate) struct Pipeline {
    stages: Vec<(Vec<usize>, Vec<usize>)>,
    way: Vec<usize>,
    queues: usize,
    /// The most that a stage needs of a CPU, in percent, if that is less than what it would have of the load.
    most: Option<u64>,
}

impl Pipeline {
    /// With 2 to 10 stages, some of them side by side.
    pub(crate) fn draw(random: &mut Random) -> Pipeline {
        let count = number(random, 2, 10);
        let mut it = Pipeline {
            way: vec![0],
            queues: 1,
            ..Pipeline::default()
        };
        while (it.stages.len() as u64) < count {
            let at = it.way[it.way.len() - 1];
            let next = it.queues;
            if count - (it.stages.len() as u64) >= 4 && number(random, 0, 2) == 0 {
                it.queues += 5;
                it.stages.push((vec![at], vec![next, next + 1]));
                it.stages.push((vec![next], vec![next + 2]));
                it.stages.push((vec![next + 1], vec![next + 3]));
                it.stages.push((vec![next + 2, next + 3], vec![next + 4]));
                it.way.extend([next, next + 2, next + 4]);
            } else {
                it.queues += 1;
                it.stages.push((vec![at], vec![next]));
                it.way.push(next);
            }
        }
        it
    }

    /// The file. A source brings a message every `every` µs, and together all stages compute for `load` percent
    /// of that; `length` says how a time that is so long on the average is written. The sink begins when half of
    /// what the queues hold has come.
    pub(crate) fn file(
        &self,
        random: &mut Random,
        load: u64,
        length: impl Fn(u64) -> String,
    ) -> String {
        let every = number(random, 5_000, 20_000);
        let capacities: Vec<u64> = (0..self.queues).map(|_| number(random, 10, 40)).collect();
        let room: u64 = self.way.iter().map(|&queue| capacities[queue]).sum();
        let (last, phase) = (self.way[self.way.len() - 1], every * room / 2);
        let mut file = format!(
            "schema = 1\n[[source]]\nqueue = \"q0\"\nevery = \"{every}us\"\n\
             [[sink]]\nqueue = \"q{last}\"\nevery = \"{every}us\"\nphase = \"{phase}us\"\n"
        );
        for (queue, capacity) in capacities.iter().enumerate() {
            let queue = format!("[[queue]]\nname = \"q{queue}\"\ncapacity = {capacity}\n");
            file.push_str(&queue);
        }
        let parts: Vec<u64> = self.stages.iter().map(|_| number(random, 1, 100)).collect();
        let sum: u64 = parts.iter().sum();
        for (stage, (part, (from, to))) in parts.iter().zip(&self.stages).enumerate() {
            let mean = every * load * part / (100 * sum);
            let most = self.most.map_or(u64::MAX, |most| every * most / 100);
            let length = length(mean.min(most));
            let mut steps = String::new();
            for queue in from {
                write!(steps, "{{ receive = \"q{queue}\" }}, ").unwrap();
            }
            write!(steps, "{{ compute = {length} }}").unwrap();
            for queue in to {
                write!(steps, ", {{ send = \"q{queue}\" }}").unwrap();
            }
            let task = format!(
                "[[task]]\nname = \"t{stage}\"\nbehaviour = [{{ repeat = \"forever\", do = [{steps}] }}]\n"
            );
            file.push_str(&task);
        }
        file
    }
}

/// Within a fifth of the mean.
pub(crate) fn random_length(mean: u64) -> String {
    let (low, high) = (mean * 8 / 10, mean * 12 / 10);
    format!("{{ uniform = [\"{low}us\", \"{high}us\"] }}")
}

/// For five seconds half of what it is for the next five.
fn doubled_length(mean: u64) -> String {
    let half = mean / 2;
    format!("{{ cycle = [\"{half}us\", \"{mean}us\"], every = \"5s\" }}")
}

pub(crate) fn read(file: &str) -> TaskSet {
    read_str(file, Format::Toml, "pipeline.toml").unwrap()
}

fn glitches(set: &TaskSet, scheduler: &impl Scheduler) -> Vec<Time> {
    let mut glitches = Glitches::default();
    let options = Options::until(Duration::from_secs(10));
    simulate(set, scheduler, &options, &mut glitches).unwrap();
    glitches.0
}

pub(crate) fn by_default() -> Pp {
    Pp::new(&Defaults(Pp::SETTINGS), &[]).unwrap()
}

/// How many pipelines; `SOAK` tries a thousand.
fn count() -> u64 {
    if std::env::var_os("SOAK").is_some() {
        1_000
    } else {
        60
    }
}

/// When a sink of any pipeline here begins, and two seconds more.
fn settled(set: &TaskSet) -> Time {
    let phases = set.endpoints.iter().map(|endpoint| endpoint.phase);
    Time::ZERO + phases.max().unwrap_or_default() + Duration::from_secs(2)
}

/// Pipelines that ask for 30 to `most` percent of the CPU: two seconds after the sink has begun at most `allowed` of a
/// thousand have a glitch, and at most two of a hundred before that.
fn run_all(most: u64, allowed: usize, length: impl Fn(u64) -> String, schedulers: &[Pp]) {
    run_all_of(count(), most, allowed, length, schedulers, "");
}

/// So many pipelines, with other tasks beside them.
fn run_all_of(
    count: u64,
    most: u64,
    allowed: usize,
    length: impl Fn(u64) -> String,
    schedulers: &[Pp],
    others: &str,
) {
    let (mut early, mut late) = (0, Vec::new());
    for seed in 1..=count {
        let mut random = Random::new(seed, 0);
        let load = number(&mut random, 30, most);
        let pipeline = Pipeline::draw(&mut random);
        let set = read(&(pipeline.file(&mut random, load, &length) + others));
        for scheduler in schedulers {
            let glitches = glitches(&set, scheduler);
            if let Some(at) = glitches.iter().find(|&&at| at > settled(&set)) {
                late.push((seed, load, *at));
            }
            early += usize::from(!glitches.is_empty());
        }
    }
    let runs = schedulers.len() * usize::try_from(count).unwrap();
    // One more, as of few pipelines a rate is not known.
    assert!(
        early.saturating_sub(1) * 50 <= runs,
        "{early} of {runs} have a glitch at the start"
    );
    // Seed, load and instant of the first late glitch of each pipeline that has one.
    assert!(late.len() * 1_000 <= runs * allowed, "of {runs}: {late:?}");
}

#[test]
fn random_pipelines_run_without_a_glitch() {
    run_all_of(1_000, 95, 0, random_length, &[by_default()], "");
}

#[test]
fn twice_the_load_makes_no_glitch() {
    // What has piled up until the controllers have answered is worked off with what is left of the CPU.
    run_all(90, 0, doubled_length, &[by_default()]);
}

#[test]
fn the_order_and_the_sensing_make_next_to_no_glitch() {
    let mut variants = [by_default(); 3];
    variants[0].settings.order = Order::Deadline;
    variants[1].settings.sensing = Sensing::Switch;
    variants[2].settings.sensing = Sensing::Sampled;
    run_all(95, 5, random_length, &variants);
}

#[test]
fn a_thread_for_the_controllers_makes_next_to_no_glitch() {
    let control = "[[task]]\nname = \"control\"\nperiod = \"10ms\"\nwcet = \"10us\"\n\
                   behaviour = [{ compute = \"10us\" }, \"control\"]\n";
    let mut scheduler = by_default();
    scheduler.settings.controller = ControllerPlace::Thread;
    run_all_of(count(), 95, 5, random_length, &[scheduler], control);
}

/// What files say in decimals is never too much by a rounding: all tasks together may have 96 %.
#[test]
fn shares_that_add_up_to_the_limit_fit() {
    for first in 1..96 {
        let tasks = [first, 96 - first].map(|percent| {
            format!(
                "[[task]]\nname = \"t{percent}\"\nreserve = {{ share = 0.{percent:02}, period = \"20ms\" }}\n\
                 behaviour = [{{ repeat = \"forever\", do = [{{ compute = \"1ms\" }}] }}]\n"
            )
        });
        let [one, other] = tasks;
        let other = other.replace("name = \"t", "name = \"u");
        let set = read(&format!("schema = 1\n{one}{other}"));
        let options = Options::until(Duration::from_millis(1));
        simulate(&set, &by_default(), &options, &mut Glitches::default()).unwrap();
    }
}

#[test]
fn no_task_uses_more_in_a_period_than_its_reservation() {
    for seed in 1..=count() / 3 {
        let mut random = Random::new(seed, 1);
        // Overload, too.
        let load = number(&mut random, 30, 150);
        let set = read(&Pipeline::draw(&mut random).file(&mut random, load, random_length));
        let mut observer = Observer::of(&set);
        let options = Options::until(Duration::from_secs(10));
        simulate(&set, &by_default(), &options, &mut observer).unwrap();
        assert!(observer.stretches > 1_000, "{}", observer.stretches);
    }
}
