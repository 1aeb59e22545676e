//! Small traces worked by hand.

use super::*;

fn ns(ns: u64) -> Duration {
    Duration::from_nanos(ns)
}

fn tell(metrics: &mut Metrics, time: u64, kind: Kind) {
    metrics.record(Event {
        time: Time::from_nanos(time),
        cpu: CpuId(0),
        kind,
    });
}

#[test]
fn a_small_trace_worked_by_hand() {
    let info = |name: &str, deadline| TaskInfo {
        name: name.into(),
        period: Some(ns(10)),
        deadline: Some(ns(deadline)),
    };
    let mut metrics = Metrics::new(&[info("a", 10), info("b", 8)], 1);
    let (a, b) = (TaskId(0), TaskId(1));
    let deadline = Time::from_nanos;
    // a runs 0–3, b preempts it and runs 4–6 after 1 ns of kernel, a runs on 6–9, idle to 20.
    tell(
        &mut metrics,
        0,
        Kind::Release {
            task: a,
            job: 1,
            deadline: deadline(10),
        },
    );
    tell(&mut metrics, 0, Kind::Dispatch { task: a, job: 1 });
    tell(
        &mut metrics,
        3,
        Kind::Release {
            task: b,
            job: 1,
            deadline: deadline(10),
        },
    );
    tell(&mut metrics, 3, Kind::Preempt { task: a, job: 1 });
    let length = ns(1);
    tell(
        &mut metrics,
        3,
        Kind::Overhead {
            cause: Cause::Scheduling,
            length,
        },
    );
    tell(&mut metrics, 4, Kind::Dispatch { task: b, job: 1 });
    tell(&mut metrics, 6, Kind::Complete { task: b, job: 1 });
    tell(&mut metrics, 6, Kind::Dispatch { task: a, job: 1 });
    // A tick while a runs takes 1 ns of its time.
    tell(
        &mut metrics,
        8,
        Kind::Overhead {
            cause: Cause::Tick,
            length,
        },
    );
    tell(&mut metrics, 11, Kind::Miss { task: a, job: 1 });
    tell(&mut metrics, 12, Kind::Complete { task: a, job: 1 });
    tell(&mut metrics, 12, Kind::Idle);
    let summary = metrics.finish(Time::from_nanos(20));
    let [a, b] = &summary.tasks[..] else {
        panic!("two tasks")
    };
    assert_eq!(
        (a.response.max(), b.response.max()),
        (Some(ns(12)), Some(ns(4)))
    );
    assert_eq!((a.cpu_time, b.cpu_time), (ns(3 + 2 + 3), ns(2)));
    assert_eq!(
        (a.start_latency.max(), b.start_latency.max()),
        (Some(ns(0)), Some(ns(2)))
    );
    assert_eq!((a.tardiness_max, b.tardiness_max), (ns(2), ns(0)));
    assert_eq!(
        (a.misses, a.preemptions, a.completed, a.unfinished()),
        (1, 1, 1, 0)
    );
    let cpu = summary.cpus[0];
    assert_eq!((cpu.busy, cpu.overhead, cpu.idle), (ns(10), ns(2), ns(8)));
    assert_eq!((cpu.context_switches, cpu.preemptions), (3, 1));
    assert_eq!(summary.utilisation_ppm(), 500_000);
}

#[test]
fn coming_back_from_idleness_is_no_context_switch() {
    let mut metrics = Metrics::new(&[TaskInfo::default()], 1);
    let task = TaskId(0);
    for start in [0, 10, 20] {
        tell(&mut metrics, start, Kind::Dispatch { task, job: 1 });
        tell(&mut metrics, start + 1, Kind::Complete { task, job: 1 });
        tell(&mut metrics, start + 1, Kind::Idle);
    }
    let summary = metrics.finish(Time::from_nanos(30));
    assert_eq!(summary.context_switches(), 1);
    assert_eq!(summary.cpus[0].idle, ns(27));
}

#[test]
fn a_spread_counts_every_value_once() {
    let mut spread = Spread::default();
    assert_eq!(
        (spread.min(), spread.mean(), spread.jitter()),
        (None, None, None)
    );
    for value in [5, 5, 10, 999, 1_000, 70_000] {
        spread.add(ns(value));
    }
    assert_eq!(
        (spread.min(), spread.max()),
        (Some(ns(5)), Some(ns(70_000)))
    );
    assert_eq!(spread.mean(), Some(ns(72_019 / 6)));
    let bins = spread.bins(10, ns(2_000));
    assert_eq!(bins.iter().sum::<u64>(), 6);
    assert_eq!((bins[0], bins[9]), (3, 1));
}

/// A job that goes on elsewhere has migrated; a task whose next job begins elsewhere has, too.
#[test]
fn migrations_of_jobs_and_of_tasks() {
    let mut metrics = Metrics::new(&[TaskInfo::default(), TaskInfo::default()], 3);
    let (task, other) = (TaskId(0), TaskId(1));
    for (time, cpu, kind) in [
        (0, 0, Kind::Dispatch { task, job: 1 }),
        (
            0,
            1,
            Kind::Dispatch {
                task: other,
                job: 1,
            },
        ),
        (1, 0, Kind::Preempt { task, job: 1 }),
        (2, 0, Kind::Dispatch { task, job: 1 }),
        (3, 0, Kind::Preempt { task, job: 1 }),
        (4, 2, Kind::Dispatch { task, job: 1 }),
        (5, 2, Kind::Complete { task, job: 1 }),
        (6, 2, Kind::Dispatch { task, job: 2 }),
        (7, 2, Kind::Complete { task, job: 2 }),
        (8, 0, Kind::Dispatch { task, job: 3 }),
    ] {
        metrics.record(Event {
            time: Time::from_nanos(time),
            cpu: CpuId(cpu),
            kind,
        });
    }
    let summary = metrics.finish(Time::from_nanos(10));
    let of = |task: usize| {
        let task = &summary.tasks[task];
        (task.job_migrations, task.task_migrations)
    };
    assert_eq!((of(0), of(1)), ((1, 1), (0, 0)));
    assert_eq!(
        (summary.job_migrations(), summary.task_migrations()),
        (1, 1)
    );
}

#[test]
fn chains_are_told_from_their_first_release_to_their_last_completion() {
    let info = |name: &str| TaskInfo {
        name: name.into(),
        period: Some(ns(10)),
        deadline: Some(ns(10)),
    };
    let mut metrics = Metrics::new(&[info("a"), info("b"), info("c")], 1);
    let (a, b, c) = (TaskId(0), TaskId(1), TaskId(2));
    let mut tell = |time, kind| tell(&mut metrics, time, kind);
    let release = |task, job, at: u64| Kind::Release {
        task,
        job,
        deadline: Time::from_nanos(at + 10),
    };
    let arrive = |task, job, by| Kind::Arrive {
        task,
        job,
        by: Some(by),
    };
    // Heard of at 1, a's job counts from 0. It asks for two of b, of which the second comes at 15,
    // and one of which asks for one of c.
    tell(1, release(a, 1, 0));
    tell(1, Kind::Dispatch { task: a, job: 1 });
    tell(3, arrive(b, 1, a));
    tell(3, release(b, 1, 3));
    tell(3, arrive(b, 2, a));
    tell(4, Kind::Complete { task: a, job: 1 });
    tell(4, Kind::Dispatch { task: b, job: 1 });
    tell(6, Kind::Complete { task: b, job: 1 });
    tell(15, release(b, 2, 15));
    tell(15, Kind::Dispatch { task: b, job: 2 });
    tell(16, arrive(c, 1, b));
    tell(16, release(c, 1, 16));
    tell(17, Kind::Complete { task: b, job: 2 });
    tell(17, Kind::Dispatch { task: c, job: 1 });
    tell(19, Kind::Complete { task: c, job: 1 });
    // A job that is left out ends no chain, nor does one that no message released.
    tell(20, arrive(c, 2, c));
    tell(20, Kind::Skip { task: c, job: 2 });
    tell(30, release(c, 3, 30));
    tell(31, Kind::Complete { task: c, job: 3 });
    let chains = metrics.finish(Time::from_nanos(40)).chains;
    let seen: Vec<_> = chains
        .iter()
        .map(|chain| {
            let latency = &chain.latency;
            (
                &chain.tasks[..],
                latency.count(),
                latency.min(),
                latency.max(),
            )
        })
        .collect();
    assert_eq!(
        seen,
        [
            (&[a, b][..], 2, Some(ns(6)), Some(ns(17))),
            (&[a, b, c][..], 1, Some(ns(19)), Some(ns(19))),
        ]
    );
}

/// Beside percentiles of the sorted values themselves.
#[test]
fn percentiles_are_those_of_the_nearest_rank() {
    let mut state = 7_u64;
    let mut random = move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        state >> 33
    };
    for count in [1, 2, 19, 20, 21, 99, 100, 101, 1_000] {
        let mut spread = Spread::default();
        let mut values: Vec<u64> = (0..count).map(|_| random() % 50_000_000).collect();
        for &value in &values {
            spread.add(ns(value));
        }
        values.sort_unstable();
        for percent in [0_u8, 1, 50, 95, 99, 100] {
            let rank = (values.len() * usize::from(percent)).div_ceil(100).max(1);
            let exact = values[rank - 1];
            let found = spread.percentile(percent).map_or(0, Duration::as_nanos);
            assert!(exact <= found, "{count} {percent}: {exact} {found}");
            assert!(
                found - exact <= exact / 100,
                "{count} {percent}: {exact} {found}"
            );
        }
        assert_eq!(spread.percentile(100), spread.max());
    }
    assert_eq!(Spread::default().percentile(50), None);
    let mut one = Spread::default();
    one.add(ns(123_456_789));
    assert_eq!(one.percentile(1), Some(ns(123_456_789)));
}
