//! What is kept of a simulation.

use flyball_model::{Task, TaskSet};
use flyball_schedulers::Recorder;
use flyball_trace::{CpuId, Duration, Event, Kind, Sink, TaskId, Time};

/// Where a kernel's work takes time, it notices a miss when the deadline has passed.
#[test]
fn a_miss_is_where_its_deadline_is() {
    let ms = Duration::from_millis;
    let set = TaskSet {
        tasks: vec![Task::periodic("a", ms(10), ms(2))],
        ..TaskSet::default()
    };
    let mut recorder = Recorder::counting(&set, "edf", &[ms(20), ms(30)]);
    let task = TaskId(0);
    let release = |job, deadline| Kind::Release {
        task,
        job,
        deadline: Time::from_millis(deadline),
    };
    for (us, kind) in [
        (0, release(1, 10)),
        (2_000, Kind::Complete { task, job: 1 }),
        (10_000, release(2, 20)),
        (20_001, Kind::Miss { task, job: 2 }),
        (20_001, release(3, 30)),
        (30_001, Kind::Miss { task, job: 3 }),
        (30_001, Kind::Skip { task, job: 3 }),
        (30_001, release(4, 40)),
        (32_000, Kind::Complete { task, job: 2 }),
        (33_000, Kind::Complete { task, job: 4 }),
    ] {
        recorder.record(Event {
            time: Time::from_nanos(us * 1_000),
            cpu: CpuId(0),
            kind,
        });
    }
    let counts = recorder.phases().iter();
    let counts: Vec<_> = counts.map(|phase| (phase.jobs, phase.misses)).collect();
    assert_eq!(counts, [(1, 1), (0, 1), (2, 0)]);
    let [noticed, due] = [recorder.first_miss(), recorder.first_deadline()];
    assert_eq!(noticed.unwrap().time, Time::from_nanos(20_001_000));
    assert_eq!(due.unwrap().time, Time::from_millis(20));
}

/// A change is counted on each CPU by itself, also where it has idled meanwhile; where all tasks are in one
/// group there is nothing to count.
#[test]
fn changes_of_group_are_counted_by_cpu() {
    let ms = Duration::from_millis;
    let task = |number: u8| {
        let mut task = Task::periodic(format!("t{number}"), ms(10), ms(2));
        task.groups.number = number / 2;
        task
    };
    let mut set = TaskSet {
        tasks: (0..4).map(task).collect(),
        ..TaskSet::default()
    };
    // Tasks 0 and 1 are in one group, 2 and 3 in another.
    let dispatched = [(0, 0), (1, 2), (0, 1), (1, 3), (0, 3), (1, 3), (0, 0)];
    let count = |set: &TaskSet| {
        let mut recorder = Recorder::new(set, 2, "dss", 0);
        for (time, (cpu, task)) in (0..).zip(dispatched) {
            let dispatch = Kind::Dispatch {
                task: TaskId(task),
                job: 1,
            };
            for kind in [dispatch, Kind::Idle] {
                recorder.record(Event {
                    time: Time::from_millis(time),
                    cpu: CpuId(cpu),
                    kind,
                });
            }
        }
        recorder.group_changes()
    };
    assert_eq!(count(&set), Some(2));
    set.tasks.iter_mut().for_each(|task| task.groups.number = 5);
    assert_eq!(count(&set), None);
}
