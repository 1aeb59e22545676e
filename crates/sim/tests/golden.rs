//! Golden schedules: small examples from textbooks and papers, drawn as they run.
//!
//! Each file in `golden/` has the source, the task set in Flyball's own format, and for each policy
//! what is to come out: a chart with one character a unit of time, and numbers where the source
//! gives some. To write the charts anew after a change that was meant to change them, run the test
//! with `UPDATE_GOLDEN=1` and read the difference.
//!
//! ```text
//! #  runs (of several CPUs on 0, 1, …)    .  ready, others run    -  waits for a resource, or sleeps
//! !  late (lower row: the unit in which a deadline passed)
//! ```

use crate::chart;

use flyball_catalogue::soos::ListKind;
use flyball_catalogue::{
    Allowance, Clustered, Dm, Edf, Fifo, Fp, FpRr, Linux, Llf, NpEdf, OwnServers, Pd2, Polling, Rm,
    Rr, Soos,
};
use flyball_model::{Format, TaskSet, read_str};
use flyball_policy::servers::{ConstantBandwidth, Iris};
use flyball_policy::soos::{Slack, Switches};
use flyball_sim::{Options, Outcome, SimError, simulate};
use flyball_trace::metrics::{Metrics, TaskInfo};
use flyball_trace::{Duration, Event, Time};
use std::fmt::Write;

fn own<R>(rule: R, quantum: Duration) -> OwnServers<R> {
    OwnServers {
        rule,
        allowance: Allowance::default(),
        quantum,
    }
}

/// With slots as long as a quantum.
fn soos(slack: Slack, slot: Duration) -> Soos {
    Soos {
        switches: Switches {
            slot,
            slack,
            ..Switches::default()
        },
        list: ListKind::TopTwo,
        allowance: Allowance::default(),
        quantum: slot,
    }
}

fn run(
    set: &TaskSet,
    policy: &str,
    until: Duration,
    sink: &mut (Vec<Event>, Metrics),
) -> Result<Outcome, SimError> {
    let options = Options::until(until);
    let (policy, quantum) = policy.split_once(' ').unwrap_or((policy, "1ms"));
    let quantum = flyball_model::parse_duration(quantum).expect("the quantum is a time");
    match policy {
        "rm" => simulate(set, &Rm, &options, sink),
        "dm" => simulate(set, &Dm, &options, sink),
        "edf" => simulate(set, &Edf, &options, sink),
        "np-edf" => simulate(set, &NpEdf, &options, sink),
        "fp" => simulate(set, &Fp, &options, sink),
        "fp-rr" => simulate(set, &FpRr { quantum }, &options, sink),
        "rr" => simulate(set, &Rr { quantum }, &options, sink),
        "cbs" => simulate(set, &own(ConstantBandwidth::SOFT, quantum), &options, sink),
        "cbs-hard" => simulate(set, &own(ConstantBandwidth::HARD, quantum), &options, sink),
        "sched-deadline" => simulate(set, &own(Linux::UNLIMITED, quantum), &options, sink),
        "iris" => simulate(set, &own(Iris::default(), quantum), &options, sink),
        "polling" => simulate(set, &own(Polling, quantum), &options, sink),
        "soos" => simulate(set, &soos(Slack::One, quantum), &options, sink),
        "soos-none" => simulate(set, &soos(Slack::None, quantum), &options, sink),
        "soos-all" => simulate(set, &soos(Slack::All, quantum), &options, sink),
        "fifo" => simulate(set, &Fifo, &options, sink),
        "llf" => simulate(set, &Llf { quantum }, &options, sink),
        "g-rm" => simulate(set, &Clustered::global(Rm), &options, sink),
        "g-edf" => simulate(set, &Clustered::global(Edf), &options, sink),
        "g-llf" => simulate(set, &Clustered::global(Llf { quantum }), &options, sink),
        "g-rr" => simulate(set, &Clustered::global(Rr { quantum }), &options, sink),
        "pd2" => simulate(set, &Pd2 { quantum }, &options, sink),
        other => panic!("unknown policy {other}"),
    }
}

/// A golden file: comment lines with the source, the task set, and behind each `--- policy until`
/// what comes out.
fn check(name: &str, text: &str) {
    let (set_text, _) = text.split_once("\n---").expect("a golden file has a run");
    let set = read_str(set_text, Format::Toml, name).unwrap_or_else(|error| panic!("{error}"));
    let mut written = format!("{}\n", set_text.trim_end());
    for run_text in text.split("\n--- ").skip(1) {
        let head = run_text.lines().next().expect("a run has a head");
        let (policy, until) = head.split_once(" until ").expect("`--- policy until time`");
        let until = flyball_model::parse_duration(until).expect("a time");
        let infos: Vec<_> = set
            .tasks
            .iter()
            .map(|task| TaskInfo {
                name: task.name.clone(),
                period: task.arrival.period(),
                deadline: task.deadline,
            })
            .collect();
        let mut sink = (Vec::new(), Metrics::new(&infos, set.platform.cpus.into()));
        let outcome =
            run(&set, policy, until, &mut sink).unwrap_or_else(|error| panic!("{name}: {error}"));
        let (events, metrics) = sink;
        let summary = metrics.finish(Time::ZERO + until);
        // Simulator and metrics count independently of each other.
        assert_eq!(summary.jobs(), outcome.jobs, "{name}");
        assert_eq!(summary.misses(), outcome.misses, "{name}");
        assert_eq!(summary.preemptions(), outcome.preemptions, "{name}");
        assert_eq!(
            summary.context_switches(),
            outcome.context_switches,
            "{name}"
        );
        writeln!(written, "\n--- {head}").unwrap();
        written.push_str(&chart::draw(&set, &events, until));
        for (task, sums) in set.tasks.iter().zip(&summary.tasks) {
            let max = sums
                .response
                .max()
                .map_or("-".into(), |max| max.to_string());
            writeln!(
                written,
                "{}: {} jobs, {} missed, longest response {max}",
                task.name, sums.completed, sums.misses
            )
            .unwrap();
        }
        let Outcome {
            preemptions,
            context_switches,
            ..
        } = outcome;
        writeln!(
            written,
            "{preemptions} preemptions, {context_switches} context switches"
        )
        .unwrap();
    }
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/");
        std::fs::write(format!("{path}{name}"), written).unwrap();
    } else {
        assert!(written == text, "{name} comes out differently:\n{written}");
    }
}

macro_rules! golden {
    ($($test:ident),* $(,)?) => {
        $(#[test]
        fn $test() {
            let name = concat!(stringify!($test), ".toml");
            check(name, include_str!(concat!("golden/", stringify!($test), ".toml")));
        })*
    };
}

golden!(
    liu_layland_1973,
    rm_against_edf,
    deadline_monotonic,
    processor_demand,
    burns_wellings_a,
    burns_wellings_b,
    burns_wellings_c,
    response_times,
    lehoczky_1990,
    non_preemptive,
    overrun,
    slots,
    cottet_rm,
    cottet_dm_edf_llf,
    round_robin,
    first_come_first_served,
    turns_among_equals,
    fifo_beside_time_slices,
    priority_inversion,
    priority_inheritance,
    transitive_inheritance,
    deadline_inheritance,
    tick_delays_release,
    full_load_edf,
    overheads,
    a_miss_takes_time,
    dhall_1978,
    longer_periods_holds,
    longer_periods_misses,
    five_halves_on_four_cpus,
    turns_on_two_cpus,
    two_thirds_on_two_cpus,
);
