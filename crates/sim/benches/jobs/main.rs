//! How many jobs the simulator does in a second of CPU time, with tracing off.
//!
//! * `cargo bench -p flyball-sim`: a table over the number of tasks, and one over the number of
//!   CPUs beside a bare event loop ([`bare`]), medians of five runs.
//! * `… -- --global [TASKS CPUS]`: the second table alone, or one line of it.
//! * `… -- --messages`: a table of pipelines alone, in messages ([`pipelines`]).
//! * `… -- --alone TASKS CPUS JOBS [bare | metrics | fp | one]`: so many jobs of one set, for a profiler: under global
//!   EDF, in the bare loop, with metrics, under global fixed priorities, or under EDF on one CPU.
//! * `… -- --write TASKS CPUS FILE`: writes one of the task sets as CSV, for a peer.
//! * `… -- --json TASKS CPUS`: one task set, as JSON.
//!
//! Times are user and system time of this process; on a shared machine they are steadier than the
//! clock on the wall, but still depend on what else uses the caches. Quote ratios.

mod bare;
mod pipelines;

use cpu_time::ProcessTime;
use flyball_catalogue::placement::InCalendar;

use flyball_catalogue::{Allowance, Clustered, Edf, Fp, OwnServers, Queued, Rm, Rr};
use flyball_model::TaskSet;
use flyball_model::generate::{Options as Random, generate};
use flyball_policy::servers::ConstantBandwidth;
use flyball_sim::{Options, Outcome, Scheduler, simulate};
use flyball_trace::metrics::{Metrics, TaskInfo};
use flyball_trace::{Duration, NoTrace, Sink};
use std::fmt::Write;

/// Tasks and CPUs of the sets for global scheduling.
const SETS: [(usize, u8); 4] = [(100, 1), (100, 8), (500, 32), (2_000, 100)];

/// A random set that loads each CPU to 80 %, with periods from 10 ms to 100 ms.
fn set(tasks: usize, cpus: u8) -> TaskSet {
    let random = Random {
        tasks,
        utilisation: 0.8 * f64::from(cpus),
        shortest_period: Duration::from_millis(10),
        longest_period: Duration::from_millis(100),
        granularity: Duration::from_micros(1),
        cpus,
        seed: 42,
        ..Random::default()
    };
    let mut set = generate(&random).expect("the options are possible");
    for (number, task) in set.tasks.iter_mut().enumerate() {
        // Several CPUs are partitioned here; dealing the tasks out loads all of them alike.
        let cpu = u8::try_from(number % usize::from(cpus)).expect("there are at most 128 CPUs");
        task.cpu = (cpus > 1).then_some(cpu);
        // Whole microseconds, which peers can read; and priorities by number.
        let us = task.wcet.as_nanos().div_ceil(1_000).max(1);
        task.wcet = Duration::from_micros(us);
        task.behaviour = flyball_model::Task::periodic("", task.wcet, task.wcet).behaviour;
        task.priority = Some(u8::try_from(number % 256).unwrap_or(0));
    }
    set
}

/// The same, on whatever CPU.
fn unbound(tasks: usize, cpus: u8) -> TaskSet {
    let mut set = set(tasks, cpus);
    for task in &mut set.tasks {
        task.cpu = None;
    }
    set
}

/// How long about so many jobs take in the simulation.
fn time_for(jobs: f64, set: &TaskSet) -> Duration {
    let jobs_a_second: f64 = set
        .tasks
        .iter()
        .filter_map(|task| task.arrival.period())
        .map(|period| 1e9 / as_f64(period.as_nanos()))
        .sum();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a rough length"
    )]
    let length = Duration::from_nanos((jobs / jobs_a_second * 1e9) as u64);
    length
}

/// Jobs in a second of CPU time.
fn once(run: impl FnOnce() -> u64) -> f64 {
    let started = ProcessTime::now();
    let jobs = run();
    as_f64(jobs) / started.elapsed().as_secs_f64()
}

fn median(mut rates: [f64; 5]) -> f64 {
    rates.sort_by(f64::total_cmp);
    rates[2]
}

/// The number of jobs that a simulation completes.
fn jobs<S: Scheduler, T: Sink>(set: &TaskSet, scheduler: &S, until: Duration, mut sink: T) -> u64 {
    let outcome: Outcome =
        simulate(set, scheduler, &Options::until(until), &mut sink).expect("it runs");
    outcome.jobs
}

/// Jobs in a second of CPU time, median of five runs of about two million jobs.
fn rate<S: Scheduler, T: Sink>(set: &TaskSet, scheduler: &S, sink: impl Fn() -> T) -> f64 {
    let until = time_for(2e6, set);
    median([(); 5].map(|()| once(|| jobs(set, scheduler, until, sink()))))
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a rate needs no more than three digits"
)]
fn as_f64(n: u64) -> f64 {
    n as f64
}

fn table() {
    println!("million jobs a second of CPU time, one CPU, tracing off");
    println!(
        "{:>7} {:>8} {:>8} {:>8} {:>8} {:>8} {:>16}",
        "tasks", "edf", "rm", "fp", "rr", "cbs", "edf + metrics"
    );
    for tasks in [1, 10, 100, 1_000, 10_000] {
        let set = set(tasks, 1);
        let none = || NoTrace;
        let rr = Rr {
            quantum: Duration::from_millis(10),
        };
        // A server for each task.
        let cbs = OwnServers {
            rule: ConstantBandwidth::SOFT,
            allowance: Allowance::default(),
            quantum: Duration::from_millis(10),
        };
        println!(
            "{tasks:>7} {:>8.2} {:>8.2} {:>8.2} {:>8.2} {:>8.2} {:>16.2}",
            rate(&set, &Edf, none) / 1e6,
            rate(&set, &Rm, none) / 1e6,
            rate(&set, &Fp, none) / 1e6,
            rate(&set, &rr, none) / 1e6,
            rate(&set, &cbs, none) / 1e6,
            rate(&set, &Edf, || metrics(tasks, 1)) / 1e6,
        );
    }
}

fn metrics(tasks: usize, cpus: usize) -> Metrics {
    Metrics::new(&vec![TaskInfo::default(); tasks], cpus)
}

/// Global EDF beside a bare event loop, the runs of both by turns.
fn global(sets: &[(usize, u8)]) {
    println!(
        "million jobs a second of CPU time, global EDF, tracing off, and part of the bare loop's"
    );
    println!(
        "{:>7} {:>6} {:>8} {:>14} {:>16} {:>14} {:>16}",
        "tasks", "CPUs", "bare", "g-edf", "g-edf, calendar", "g-fp", "g-edf + metrics"
    );
    for &(tasks, cpus) in sets {
        let set = unbound(tasks, cpus);
        let until = time_for(2e6, &set);
        let (edf, fp) = (Clustered::global(Edf), Clustered::global(Fp));
        let calendar = Clustered::global(Queued::<Edf, InCalendar>::new(Edf));
        let turns = [(); 5].map(|()| {
            let (mut ours, mut bares) = (0, 0);
            let rates = [
                once(|| {
                    bares = bare::simulate(&set, until);
                    bares
                }),
                once(|| {
                    ours = jobs(&set, &edf, until, NoTrace);
                    ours
                }),
                once(|| jobs(&set, &calendar, until, NoTrace)),
                once(|| jobs(&set, &fp, until, NoTrace)),
                once(|| jobs(&set, &edf, until, metrics(tasks, usize::from(cpus)))),
            ];
            // Ties may be broken in another way, so at the end other jobs may be under way.
            assert!(
                ours.abs_diff(bares) <= tasks as u64,
                "{ours} jobs, and {bares} in the bare loop"
            );
            rates
        });
        let [bare, edf, calendar, fp, metrics] =
            [0, 1, 2, 3, 4].map(|column| median(turns.map(|rates| rates[column])));
        let beside = |rate: f64| format!("{:.2} ({:.0} %)", rate / 1e6, 100.0 * rate / bare);
        println!(
            "{tasks:>7} {cpus:>6} {:>8.2} {:>14} {:>16} {:>14} {:>16}",
            bare / 1e6,
            beside(edf),
            beside(calendar),
            beside(fp),
            beside(metrics),
        );
    }
}

fn main() {
    let args: Vec<String> = std::env::args()
        .skip(1)
        .filter(|arg| arg != "--bench")
        .collect();
    let number = |at: usize| args.get(at).and_then(|arg| arg.parse().ok());
    let cpus = number(2).and_then(|cpus: usize| u8::try_from(cpus).ok());
    match (args.first().map(String::as_str), number(1), cpus) {
        (Some("--write"), Some(tasks), Some(cpus)) => {
            let path = args.get(3).expect("--write TASKS CPUS FILE");
            let mut text = String::from("name,period_us,wcet_us\n");
            for task in set(tasks, cpus).tasks {
                let us = |length: Duration| length.as_nanos() / 1_000;
                let period = task.arrival.period().unwrap_or_default();
                // Writing to a string cannot fail.
                let _ = writeln!(text, "{},{},{}", task.name, us(period), us(task.wcet));
            }
            std::fs::write(path, text).expect("the file can be written");
        }
        (Some("--json"), Some(tasks), Some(cpus)) => {
            let rate = rate(&set(tasks, cpus), &Edf, || NoTrace);
            println!("{{\"jobs_per_second\": {rate:.0}}}");
        }
        (Some("--global"), Some(tasks), Some(cpus)) => global(&[(tasks, cpus)]),
        (Some("--alone"), Some(tasks), Some(cpus)) => {
            let most = args.get(3).and_then(|arg| arg.parse().ok()).unwrap_or(2e6);
            let set = unbound(tasks, cpus);
            let until = time_for(most, &set);
            let edf = Clustered::global(Edf);
            let rate = once(|| match args.get(4).map(String::as_str) {
                Some("bare") => bare::simulate(&set, until),
                Some("metrics") => jobs(&set, &edf, until, metrics(tasks, usize::from(cpus))),
                Some("fp") => jobs(&set, &Clustered::global(Fp), until, NoTrace),
                Some("one") => jobs(&set, &Edf, until, NoTrace),
                _ => jobs(&set, &edf, until, NoTrace),
            });
            println!("{:.2} million jobs a second", rate / 1e6);
        }
        (Some("--global"), ..) => global(&SETS),
        (Some("--messages"), ..) => pipelines::table(),
        _ => {
            table();
            println!();
            global(&SETS);
            println!();
            pipelines::table();
        }
    }
}
