//! Real schedules and studies to present, made with the simulator.
#![allow(dead_code, reason = "each test uses a part of it")]

use flyball_catalogue::{Clustered, Dm, Edf, Fp, Rm, Rr};
use flyball_model::{Task, TaskSet, read_file};
use flyball_sim::{Options, Scheduler, simulate};
use flyball_study::reason::{Evidence, Obstacle, Seen};
use flyball_study::results::{PolicyReport, Simulated, Study, TaskReport, Verdict};
use flyball_trace::file::{Header, Trace};
use flyball_trace::metrics::{Metrics, Summary, TaskInfo};
use flyball_trace::{Duration, Event, Time};
use std::path::Path;

/// A task set from the examples.
pub(crate) fn example(name: &str) -> TaskSet {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    read_file(examples.join(name)).expect("the examples are right")
}

/// The schedule of `set` under `scheduler`, and its numbers.
pub(crate) fn run<S: Scheduler>(
    set: &TaskSet,
    name: &str,
    scheduler: &S,
    until: Duration,
) -> (Summary, Trace) {
    let info = |task: &Task| TaskInfo {
        name: task.name.clone(),
        period: task.arrival.period(),
        deadline: task.deadline,
    };
    let tasks: Vec<_> = set.tasks.iter().map(info).collect();
    let cpus = set.platform.cpus;
    let metrics = Metrics::new(&tasks, usize::from(cpus));
    let mut sink = (metrics, Vec::<Event>::new());
    simulate(set, scheduler, &Options::until(until), &mut sink).expect("it can be simulated");
    let (metrics, events) = sink;
    let end = Time::ZERO + until;
    let header = Header {
        name: set.name.clone(),
        policy: name.to_owned(),
        cpus,
        end_ns: end.as_nanos(),
        dropped: 0,
        tasks,
        mutexes: set.mutexes.iter().map(|mutex| mutex.name.clone()).collect(),
        semaphores: set
            .semaphores
            .iter()
            .map(|semaphore| semaphore.name.clone())
            .collect(),
        queues: set.queues.iter().map(|queue| queue.name.clone()).collect(),
        servers: Vec::new(),
    };
    let mut trace = Trace { header, events };
    trace.name_servers(|task| set.server_name(&set.tasks[task.index()]).to_owned());
    (metrics.finish(end), trace)
}

/// Three tasks on two CPUs under global rate monotonic, until all have come together again: a job
/// migrates at 5 ms.
pub(crate) fn migrating() -> (Summary, Trace) {
    let ms = Duration::from_millis;
    let mut set = TaskSet {
        tasks: vec![
            Task::periodic("short", ms(4), ms(2)),
            Task::periodic("middle", ms(6), ms(5)),
            Task::periodic("long", ms(12), ms(4)),
        ],
        ..TaskSet::default()
    };
    set.platform.cpus = 2;
    run(&set, "g-rm", &Clustered::global(Rm), ms(12))
}

/// A report of `set` under `scheduler`, with a verdict by simulation only.
pub(crate) fn report<S: Scheduler>(
    set: &TaskSet,
    name: &str,
    title: &str,
    scheduler: &S,
    until: Duration,
) -> PolicyReport {
    let (summary, trace) = run(set, name, scheduler, until);
    let misses = summary.misses();
    let task = |(task, measured): (&Task, _)| TaskReport {
        name: task.name.clone(),
        measured,
        ..TaskReport::default()
    };
    let tasks = set.tasks.iter().zip(summary.tasks.iter().cloned());
    PolicyReport {
        speeds: None,
        policy: name.to_owned(),
        title: title.to_owned(),
        settings: Vec::new(),
        verdict: Verdict {
            schedulable: (misses > 0).then_some(false).into(),
            proof: (misses > 0).then(|| "simulation".to_owned()),
            evidence: Some(Evidence {
                seen: match misses {
                    0 => Seen::NoMiss {
                        length: until,
                        is_worst: true,
                    },
                    _ => Seen::Misses,
                },
                measured: false,
                theory: Err(Obstacle::NoTest),
            }),
        },
        simulated: Simulated {
            until,
            jobs: summary.jobs(),
            misses,
            preemptions: summary.preemptions(),
            context_switches: summary.context_switches(),
            group_changes: None,
        },
        tasks: tasks.map(task).collect(),
        breakdown: None,
        summary,
        trace,
        notes: Vec::new(),
    }
}

/// A study of `set` under the usual policies.
pub(crate) fn study(file: &str, set: TaskSet, until: Duration) -> Study {
    let quantum = Duration::from_millis(5);
    let mut policies = vec![
        report(&set, "rm", "rate monotonic", &Rm, until),
        report(&set, "dm", "deadline monotonic", &Dm, until),
        report(&set, "edf", "earliest deadline first", &Edf, until),
        report(&set, "rr", "round robin", &Rr { quantum }, until),
    ];
    if set.tasks.iter().all(|task| task.priority.is_some()) {
        policies.push(report(&set, "fp", "fixed priorities", &Fp, until));
    }
    Study {
        file: file.to_owned(),
        cpus: set.platform.cpus,
        set,
        policies,
        notes: Vec::new(),
        measured: None,
    }
}
