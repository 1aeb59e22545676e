//! Jobs that are listed, and sets that have too many of them.

use super::*;
use crate::compile::{blob, changing, contents};
use flyball_catalogue::Edf;
use flyball_model::{Arrival, Length};
use flyball_sim::modes::Modes;
use flyball_trace::Duration;

const MACHINE: Machine = Machine::CortexM3;

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn options(until: Duration) -> Options<'static> {
    Options {
        until,
        seed: 7,
        cluster: 1,
        ..Options::of(&Edf)
    }
}

fn one(task: Task) -> TaskSet {
    TaskSet {
        tasks: vec![task],
        ..TaskSet::default()
    }
}

fn sporadic(cpu: u8, gap: (Duration, Duration)) -> Task {
    Task {
        arrival: Arrival::Sporadic {
            separation: gap.0,
            gap: Length::Uniform {
                min: gap.0,
                max: gap.1,
            },
        },
        cpu: Some(cpu),
        ..Task::periodic(format!("sporadic {cpu}"), gap.0, ms(1))
    }
}

#[test]
fn jobs_that_the_clock_does_not_release_are_listed_by_cluster() {
    let late = Task {
        jitter: ms(25),
        cpu: Some(1),
        ..Task::periodic("late", ms(10), ms(1))
    };
    let first = Task {
        phase: ms(3),
        ..sporadic(0, (ms(5), ms(6)))
    };
    let mut set = one(late.clone());
    set.tasks.extend([
        Task::periodic("by the clock", ms(10), ms(1)),
        first.clone(),
        sporadic(1, (ms(8), ms(8))),
    ]);
    set.platform.cpus = 2;
    let contents = contents(Machine::Riscv, &set, &options(ms(50))).unwrap();
    let kinds = contents.tasks.iter().map(|task| task.task.arrival);
    let listed = image::Arrival::Listed;
    assert!(kinds.eq([listed, image::Arrival::Periodic, listed, listed]));
    let row = |interrupt: &Interrupt| match interrupt.brings {
        Brings::Job { task, arrival } => (interrupt.at, arrival, task),
        _ => unreachable!("there are no endpoints"),
    };
    let rows: Vec<_> = contents.interrupts.iter().map(row).collect();
    // The one task of the first CPU, and the two of the second one.
    let (here, there) = rows.split_at(rows.partition_point(|row| row.2 == 2));
    assert_eq!(here[0], (ms(3), ms(3), 2));
    assert!(here.windows(2).all(|two| two[0].0 + ms(5) <= two[1].0));
    assert!(there.is_sorted() && there.iter().all(|row| row.2 != 2 && row.0 < ms(50)));
    assert_eq!(there.iter().filter(|row| row.2 == 3).count(), 7);
    // They are those of the simulation.
    let lateness = Lateness::of(&set);
    for (number, task) in [(0, late), (2, first)] {
        let start = Time::ZERO + task.phase;
        let arrivals = Arrivals::of(&task, number, start, lateness, 7).unwrap();
        let simulated = arrivals.map(|job| (job.release, job.arrival));
        let simulated = simulated.map(|job| [job.0, job.1].map(|at| at.since(Time::ZERO)));
        let of_task = rows.iter().filter(|row| usize::from(row.2) == number);
        let of_task: Vec<_> = of_task.map(|row| [row.0, row.1]).collect();
        assert!(of_task.len() >= 2);
        assert!(simulated.take(of_task.len()).eq(of_task), "{}", task.name);
    }
}

#[test]
fn too_many_releases_are_refused() {
    let us = Duration::from_micros;
    // 4 MiB have room for 209,715 releases of 20 bytes.
    let refused = |jobs: u64| {
        let set = one(sporadic(0, (us(10), us(10))));
        let contents = contents(MACHINE, &set, &options(us(10) * jobs));
        contents
            .map(|contents| contents.interrupts.len())
            .map_err(|error| error.to_string())
    };
    assert_eq!(refused(209_715), Ok(209_715));
    let many = "209716 or more jobs that are sporadic or have jitter until the end, and machine \
                cortex-m3 holds 209715";
    assert_eq!(refused(209_716), Err(many.to_owned()));
    assert_eq!(refused(10_000_000), Err(many.to_owned()));
    // They have room, but not with all else that there is.
    let set = one(sporadic(0, (us(10), us(10))));
    let contents = contents(MACHINE, &set, &options(us(10) * 209_715)).unwrap();
    let error = blob(MACHINE, &contents).unwrap_err();
    assert!(matches!(error, BoardError::TooLarge { .. }), "{error}");
}

/// Jobs of one task wait for each other if deadlines are beyond the separation.
#[test]
fn only_so_many_jobs_wait() {
    let refused = |jobs| {
        let task = Task {
            deadline: Some(ms(5) * jobs),
            ..sporadic(0, (ms(5), ms(9)))
        };
        let refused = contents(MACHINE, &one(task), &options(ms(50)));
        refused.map(drop).map_err(|error| error.to_string())
    };
    assert_eq!(refused(17), Ok(()));
    let many = "17 released jobs that may wait, and machine cortex-m3 holds 16";
    assert_eq!(refused(18), Err(many.to_owned()));
}

#[test]
fn jobs_of_sets_that_change_come_with_the_clock() {
    let before = one(sporadic(0, (ms(5), ms(9))));
    let after = vec![before.tasks[0].clone(), Task::periodic("b", ms(9), ms(1))];
    let modes = Modes::from(before).then(ms(20), after);
    let error = changing(MACHINE, &modes, &options(ms(50))).unwrap_err();
    assert_eq!(
        error.to_string(),
        "task \"sporadic 0\": sporadic jobs and jitter are not supported in sets that change while \
         they run on machine cortex-m3 yet"
    );
}
