//! The same on several CPUs (`g-pp`).

use super::{Observer, Pipeline, count, glitches, number, random_length, read, settled};
use flyball_catalogue::{Configured, GlobalPp, settings::Defaults};
use flyball_model::TaskSet;
use flyball_model::random::Random;
use flyball_sim::{Options, simulate};
use flyball_trace::{Duration, Kind, Time};
use std::fmt::Write;

fn by_default() -> GlobalPp {
    GlobalPp::new(&Defaults(GlobalPp::SETTINGS), &[]).unwrap()
}

/// The most that tasks may have of so many CPUs, but for what rounding adds.
fn limit(cpus: u64, tasks: usize) -> u64 {
    u64::from(Kind::WHOLE_CPU) * 98 * cpus / 100 + tasks as u64
}

/// A task that says what it needs. Beside it shares are never more than the limit together, in no present period either.
const CLOCK: &str = "[[task]]\nname = \"clock\"\nperiod = \"20ms\"\nwcet = \"1ms\"\n";

fn observe(set: &TaskSet, length: Duration) -> Observer {
    let mut observer = Observer::of(set);
    simulate(set, &by_default(), &Options::until(length), &mut observer).unwrap();
    observer
}

/// Four stages, of which the second one has so many milliseconds for a message; 50 messages come in a second.
fn four_stages(cpus: u16, second: &str, others: &str) -> TaskSet {
    let mut file = format!(
        "schema = 1\n[platform]\ncpus = {cpus}\n[[source]]\nqueue = \"q0\"\nevery = \"20ms\"\n\
         [[sink]]\nqueue = \"q4\"\nevery = \"20ms\"\nphase = \"500ms\"\n"
    );
    for queue in 0..5 {
        writeln!(file, "[[queue]]\nname = \"q{queue}\"\ncapacity = 12").unwrap();
    }
    // Together 52 ms in 20 ms: 2.6 CPUs.
    for (stage, length) in ["\"12ms\"", second, "\"15ms\"", "\"9ms\""]
        .iter()
        .enumerate()
    {
        writeln!(
            file,
            "[[task]]\nname = \"t{stage}\"\nbehaviour = [{{ repeat = \"forever\", do = [{{ receive = \"q{stage}\" }}, \
             {{ compute = {length} }}, {{ send = \"q{}\" }}] }}]",
            stage + 1
        )
        .unwrap();
    }
    read(&(file + others))
}

#[test]
fn a_pipeline_that_no_two_cpus_hold_runs_on_four_without_a_glitch() {
    let set = four_stages(4, "\"16ms\"", "");
    let observer = observe(&set, Duration::from_secs(20));
    let late = observer.glitches.iter().filter(|&&at| at > settled(&set));
    assert_eq!(late.count(), 0, "{:?}", observer.glitches);
    assert_eq!(observer.squished, 0);
    let all: Duration = observer.used.iter().copied().sum();
    // 2.6 CPUs for 20 s.
    assert!(all > Duration::from_millis(51_000), "{all}");
}

#[test]
fn on_two_cpus_it_is_squished_and_no_stage_starves() {
    let set = four_stages(2, "\"16ms\"", CLOCK);
    let observer = observe(&set, Duration::from_secs(20));
    assert!(observer.squished > 0);
    assert!(
        observer.most <= limit(2, 5),
        "{} is too much",
        observer.most
    );
    let all: Duration = observer.used.iter().copied().sum();
    assert!(
        all > Duration::from_millis(37_000),
        "{all} of 40 s are used"
    );
    for used in &observer.used[..4] {
        assert!(*used > Duration::from_secs(4), "{:?}", observer.used);
    }
}

#[test]
fn a_load_that_doubles_is_followed() {
    let set = four_stages(4, "{ cycle = [\"8ms\", \"16ms\"], every = \"5s\" }", "");
    let observer = observe(&set, Duration::from_secs(20));
    let late = observer.glitches.iter().filter(|&&at| at > settled(&set));
    assert_eq!(late.count(), 0, "{:?}", observer.glitches);
}

/// A random pipeline, how many CPUs it has, and how much of them it needs in percent of one, at most.
fn draw(seed: u64, stream: u64, most: u64, others: &str) -> (TaskSet, u64, u64) {
    let mut random = Random::new(seed, stream);
    let cpus = number(&mut random, 2, 4);
    let load = number(&mut random, 30, most) * cpus;
    let mut pipeline = Pipeline::draw(&mut random);
    pipeline.most = Some(85);
    let file = pipeline.file(&mut random, load, random_length);
    (
        read(&format!("{file}{others}\n[platform]\ncpus = {cpus}\n")),
        cpus,
        load,
    )
}

#[test]
fn random_pipelines_run_on_several_cpus_without_a_glitch() {
    let (mut early, mut late) = (0, Vec::<(u64, u64, u64, Time)>::new());
    for seed in 1..=count() {
        let (set, cpus, load) = draw(seed, 2, 80, "");
        let glitches = glitches(&set, &by_default());
        if let Some(at) = glitches.iter().find(|&&at| at > settled(&set)) {
            late.push((seed, cpus, load, *at));
        }
        early += u64::from(!glitches.is_empty());
    }
    assert!(
        early.saturating_sub(1) * 50 <= count(),
        "{early} have a glitch at the start"
    );
    assert!(late.is_empty(), "{late:?}");
}

/// Overload, too: no task uses more in a period than its reservation says, none runs on two CPUs, and together they have no
/// more than the CPUs.
#[test]
fn no_cpu_is_promised_twice() {
    for seed in 1..=count() / 3 {
        let (set, cpus, _) = draw(seed, 3, 150, CLOCK);
        let observer = observe(&set, Duration::from_secs(10));
        assert!(observer.stretches > 1_000, "{}", observer.stretches);
        let most = limit(cpus, set.tasks.len());
        assert!(
            observer.most <= most,
            "{} is more than {most}",
            observer.most
        );
    }
}
