use super::*;
use flyball_trace::metrics::TaskInfo;
use flyball_trace::{CpuId, Duration, Event, Kind};
use proptest::prelude::*;

const A: TaskId = TaskId(0);
const B: TaskId = TaskId(1);

fn at(ns: u64) -> Time {
    Time::from_nanos(ns)
}

fn trace(end: u64, events: &[(u64, Kind)]) -> Trace {
    let task = |name: &str| TaskInfo {
        name: name.into(),
        period: None,
        deadline: Some(Duration::from_nanos(10)),
    };
    let events = events.iter().map(|&(time, kind)| Event {
        time: at(time),
        cpu: CpuId(0),
        kind,
    });
    Trace {
        header: Header {
            cpus: 1,
            end_ns: end,
            tasks: vec![task("a"), task("b")],
            mutexes: vec!["bus".into()],
            ..Header::default()
        },
        events: events.collect(),
    }
}

fn release(task: TaskId, job: u32, deadline: u64) -> Kind {
    let deadline = at(deadline);
    Kind::Release {
        task,
        job,
        deadline,
    }
}

fn slice(task: TaskId, job: u32, start: u64, end: u64) -> Slice {
    Slice {
        task,
        job,
        start: at(start),
        end: at(end),
    }
}

fn wait(job: u32, on: Option<Object>, start: u64, end: u64) -> Wait {
    Wait {
        job,
        on,
        start: at(start),
        end: at(end),
    }
}

/// A schedule worked by hand, with everything in it:
///
/// ```text
///      0    2    4    6    8    10   12   14   16   18   20
///   a  |####|----|         |####|                              job 1: blocks at 2, wakes at 4
///   b  |....|    |#########|
///   k                 |k|                                      the kernel, 5 to 6
/// ```
#[test]
fn a_small_schedule_worked_by_hand() {
    let (task, job) = (A, 1);
    let on = Object::Mutex(0);
    let trace = trace(
        20,
        &[
            (0, release(A, 1, 10)),
            (0, release(B, 1, 10)),
            (0, Kind::Dispatch { task: A, job: 1 }),
            (2, Kind::Block { task, job, on }),
            (2, Kind::Dispatch { task: B, job: 1 }),
            (2, Kind::Lock { task: B, mutex: 0 }),
            (
                5,
                Kind::Overhead {
                    cause: Cause::Tick,
                    length: Duration::from_nanos(1),
                },
            ),
            (7, Kind::Unlock { task: B, mutex: 0 }),
            (7, Kind::Wake { task: A, job: 1 }),
            (8, Kind::Complete { task: B, job: 1 }),
            (8, Kind::Dispatch { task: A, job: 1 }),
            (10, Kind::Miss { task: A, job: 1 }),
            (10, release(A, 2, 20)),
            (12, Kind::Complete { task: A, job: 1 }),
            (13, Kind::Dispatch { task: A, job: 2 }),
        ],
    );
    let schedule = Schedule::of(&trace);
    let cpu = &schedule.cpus[0];
    assert_eq!(
        cpu.slices,
        [
            slice(A, 1, 0, 2),
            slice(B, 1, 2, 5),
            slice(B, 1, 6, 8),
            slice(A, 1, 8, 12),
            slice(A, 2, 13, 20)
        ]
    );
    assert_eq!(
        cpu.kernel,
        [Work {
            cause: Cause::Tick,
            start: at(5),
            end: at(6)
        }]
    );
    let [a, b] = &schedule.tasks[..] else {
        panic!("two tasks")
    };
    assert_eq!(
        a.waits,
        [
            wait(1, Some(Object::Mutex(0)), 2, 7),
            wait(1, None, 7, 8),
            wait(2, None, 12, 13)
        ]
    );
    assert_eq!(b.waits, [wait(1, None, 0, 2)]);
    assert_eq!(
        b.holds,
        [Hold {
            mutex: 0,
            start: at(2),
            end: at(7)
        }]
    );
    let marks: Vec<_> = a
        .marks
        .iter()
        .map(|mark| (mark.time.as_nanos(), mark.job, mark.what))
        .collect();
    assert_eq!(
        marks,
        [
            (0, 1, What::Release),
            (10, 1, What::Deadline),
            (10, 1, What::Miss),
            (10, 2, What::Release),
            (12, 1, What::Complete),
            (20, 2, What::Deadline)
        ]
    );
    let (task, miss) = schedule.first_miss().unwrap();
    assert_eq!((task, miss.time), (A, at(10)));
}

#[test]
fn a_trace_that_begins_in_the_middle_shows_what_is_known() {
    let mut trace = trace(
        30,
        &[
            (10, Kind::Preempt { task: A, job: 7 }),
            (10, Kind::Dispatch { task: B, job: 3 }),
            (14, Kind::Complete { task: B, job: 3 }),
            (14, Kind::Dispatch { task: A, job: 7 }),
            (15, Kind::Unlock { task: A, mutex: 0 }),
            (16, Kind::Complete { task: A, job: 7 }),
        ],
    );
    trace.header.dropped = 100;
    let schedule = Schedule::of(&trace);
    assert_eq!(schedule.start, at(10));
    assert_eq!(
        schedule.cpus[0].slices,
        [slice(B, 3, 10, 14), slice(A, 7, 14, 16)]
    );
    assert_eq!(schedule.tasks[0].waits, [wait(7, None, 10, 14)]);
    assert_eq!(schedule.tasks[0].holds, []);
}

/// With a tick the kernel notices a release late; the job waits from the release itself on.
#[test]
fn a_wait_begins_with_the_release_not_with_its_notice() {
    let trace = trace(
        30,
        &[
            (4, release(A, 1, 13)),
            (5, Kind::Dispatch { task: A, job: 1 }),
        ],
    );
    let schedule = Schedule::of(&trace);
    assert_eq!(schedule.tasks[0].waits, [wait(1, None, 3, 5)]);
    assert_eq!(schedule.tasks[0].marks[0].time, at(3));
}

#[test]
fn nothing_lasts_longer_than_the_trace() {
    let length = Duration::from_nanos(100);
    let trace = trace(
        20,
        &[
            (0, release(B, 1, 10)),
            (5, Kind::Dispatch { task: A, job: 1 }),
            (6, Kind::Lock { task: A, mutex: 0 }),
            (
                18,
                Kind::Overhead {
                    cause: Cause::Tick,
                    length,
                },
            ),
            (25, Kind::Dispatch { task: B, job: 1 }),
        ],
    );
    let schedule = Schedule::of(&trace);
    assert_eq!(schedule.cpus[0].slices, [slice(A, 1, 5, 18)]);
    assert_eq!(schedule.cpus[0].kernel[0].end, at(20));
    assert_eq!(schedule.tasks[0].holds[0].end, at(20));
    assert_eq!(schedule.tasks[1].waits, [wait(1, None, 0, 20)]);
}

#[test]
fn objects_have_names() {
    let header = trace(0, &[]).header;
    let name = |object| object_name(&header, object);
    assert_eq!(name(Object::Mutex(0)), "mutex \"bus\"");
    assert_eq!(name(Object::Mutex(9)), "mutex 9");
    assert_eq!(name(Object::Task(1)), "task \"b\"");
    assert_eq!(name(Object::Clock), "clock");
}

/// Any event at all, in any order: what a damaged trace may hold.
/// A server whose task runs from 10 to 14, and from 18 until its budget is used up at 20. At 30 it has
/// another one, of which 3 are used from 32 on, with 2 more that others left over.
#[test]
fn budgets_fall_while_tasks_run() {
    let server = ServerId(0);
    let budget = |left| Kind::Budget {
        server,
        left: Duration::from_nanos(left),
    };
    let replenish = |deadline| Kind::Replenish {
        server,
        deadline: at(deadline),
    };
    let mut trace = trace(
        50,
        &[
            (5, replenish(25)),
            (5, budget(6)),
            (14, budget(2)),
            (20, Kind::Exhaust { server }),
            (30, replenish(55)),
            (30, budget(6)),
            (
                37,
                Kind::Reclaim {
                    server,
                    length: Duration::from_nanos(2),
                },
            ),
            (37, budget(3)),
        ],
    );
    trace.name_servers(|_| "s".into());
    let schedule = Schedule::of(&trace);
    let parts = schedule.servers[0].parts.iter().map(|part| {
        let [start, end] = [part.start, part.end].map(Time::as_nanos);
        let [from, to] = [part.from, part.to].map(Duration::as_nanos);
        (start, end, from, to)
    });
    let parts: Vec<_> = parts.collect();
    let expected = [
        (5, 10, 6, 6),
        (10, 14, 6, 2),
        (14, 18, 2, 2),
        (18, 20, 2, 0),
        (20, 30, 0, 0),
        (30, 32, 6, 6),
        (32, 37, 6, 3),
        (37, 50, 3, 3),
    ];
    assert_eq!(parts, expected);
    assert_eq!(
        schedule.servers[0].parts[6].left_at(at(35)).as_nanos(),
        6 - 3 * 3 / 5
    );
}

/// A CPU is at the point that was told last, and what comes at one instant is not shown.
#[test]
fn speeds_last_until_the_next_one() {
    let speed = |speed| Kind::Speed {
        speed: Speed(speed),
    };
    let trace = trace(
        20,
        &[(2, speed(0)), (5, speed(1)), (5, speed(2)), (9, speed(0))],
    );
    let schedule = Schedule::of(&trace);
    let parts = schedule.cpus[0].speeds.iter();
    let parts: Vec<_> = parts.map(|it| (it.speed.0, it.start, it.end)).collect();
    assert_eq!(
        parts,
        [(0, at(2), at(5)), (2, at(5), at(9)), (0, at(9), at(20))]
    );
}

#[test]
fn levels_of_queues_last_and_glitches_are_marks() {
    let fill = |level| Kind::Fill { queue: 0, level };
    let overrun = Kind::Overrun { queue: 0, lost: 3 };
    let events = [
        (2, fill(1)),
        (5, fill(2)),
        (5, fill(1)),
        (9, fill(4)),
        (9, overrun),
    ];
    let mut trace = trace(20, &events);
    trace.header.queues = vec!["q".into(), "unused".into()];
    let schedule = Schedule::of(&trace);
    let [(0, lane)] = schedule.queue_lanes().collect::<Vec<_>>()[..] else {
        panic!("one queue is told of");
    };
    let levels = lane.levels.iter();
    let levels: Vec<_> = levels.map(|it| (it.level, it.start, it.end)).collect();
    // It went up and down again at 5.
    assert_eq!(levels, [(1, at(2), at(9)), (4, at(9), at(20))]);
    let glitch = Glitch {
        time: at(9),
        is_overrun: true,
        messages: 3,
    };
    assert_eq!(lane.glitches, [glitch]);
    assert_eq!(schedule.first_trouble(), Some(at(9)));
}

#[test]
fn reservations_last_until_they_change() {
    let task = TaskId(1);
    let reserve = |share, period| Kind::Reserve {
        task,
        share,
        period: Duration::from_nanos(period),
    };
    let events = [
        (2, reserve(5, 9)),
        (4, reserve(7, 9)),
        (4, reserve(6, 8)),
        (4, Kind::Quality { task }),
        (11, reserve(6, 7)),
    ];
    let schedule = Schedule::of(&trace(20, &events));
    let [(TaskId(1), lane)] = schedule.reservation_lanes().collect::<Vec<_>>()[..] else {
        panic!("one reservation is told of");
    };
    let parts = lane.parts.iter();
    let parts: Vec<_> = parts
        .map(|it| (it.start, it.end, it.share, it.period.as_nanos()))
        .collect();
    let expected = [(2, 4, 5, 9), (4, 11, 6, 8), (11, 20, 6, 7)];
    assert_eq!(
        parts,
        expected.map(|(start, end, share, period)| (at(start), at(end), share, period))
    );
    assert_eq!(lane.reductions, [at(4)]);
}

fn nonsense() -> impl Strategy<Value = (u64, Kind)> {
    let job = 0..4_u32;
    let task = (0..3_u16).prop_map(TaskId);
    (0..100_u64, 0..24, task, job, 0..150_u64).prop_map(|(time, kind, task, job, value)| {
        let kind = match kind {
            0 => release(task, job, value),
            1 => Kind::Skip { task, job },
            2..=4 => Kind::Dispatch { task, job },
            5 => Kind::Idle,
            6 => Kind::Preempt { task, job },
            7 => Kind::Block {
                task,
                job,
                on: Object::Clock,
            },
            8 => Kind::Wake { task, job },
            9 => Kind::Lock { task, mutex: 0 },
            10 => Kind::Unlock { task, mutex: 0 },
            11 => Kind::Complete { task, job },
            12 => Kind::Miss { task, job },
            13 => Kind::Abort { task, job },
            14 => Kind::Exit { task },
            15 => Kind::Budget {
                server: ServerId(0),
                left: Duration::from_nanos(value),
            },
            16 => Kind::Exhaust {
                server: ServerId(0),
            },
            17 => Kind::Replenish {
                server: ServerId(0),
                deadline: Time::from_nanos(value),
            },
            18 => Kind::Speed {
                speed: Speed(u8::from(value % 2 == 0)),
            },
            19 => Kind::Fill {
                queue: task.0,
                level: u16::from(value % 3 == 0),
            },
            20 => Kind::Underrun {
                queue: task.0,
                missing: 1,
            },
            21 => Kind::Reserve {
                task,
                share: u32::from(value % 3 == 0),
                period: Duration::from_nanos(value),
            },
            22 => Kind::Quality { task },
            _ => Kind::Overhead {
                cause: Cause::ALL[usize::from(value % 6 == 0) * 5],
                length: Duration::from_nanos(value),
            },
        };
        (time, kind)
    })
}

proptest! {
    #[test]
    fn whatever_the_trace_lanes_are_in_order_and_within_it(
        events in proptest::collection::vec(nonsense(), 0..60), end in 0..120_u64,
    ) {
        let mut trace = trace(end, &events);
        trace.name_servers(|_| "s".into());
        trace.header.queues = vec!["q".into(), "r".into()];
        let schedule = Schedule::of(&trace);
        for cpu in &schedule.cpus {
            let runs = cpu.slices.iter().map(|slice| (slice.start, slice.end));
            let kernel = cpu.kernel.iter().filter(|work| work.cause != Cause::Cache);
            let mut all: Vec<_> = runs.chain(kernel.map(|work| (work.start, work.end))).collect();
            all.sort_unstable();
            prop_assert!(all.iter().all(|(start, end)| start < end && *end <= schedule.end));
            prop_assert!(all.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{all:?}");
        }
        for cpu in &schedule.cpus {
            prop_assert!(cpu.speeds.iter().all(|part| part.start < part.end));
            prop_assert!(cpu.speeds.windows(2).all(|pair| pair[0].end <= pair[1].start));
        }
        for lane in &schedule.reservations {
            prop_assert!(lane.parts.iter().all(|part| part.start < part.end && part.end <= schedule.end));
            prop_assert!(lane.parts.windows(2).all(|pair| pair[0].end <= pair[1].start));
        }
        for server in &schedule.servers {
            prop_assert!(server.parts.iter().all(|part| part.start < part.end));
            prop_assert!(server.parts.windows(2).all(|pair| pair[0].end <= pair[1].start));
        }
        for queue in &schedule.queues {
            prop_assert!(queue.levels.iter().all(|part| part.start < part.end));
            prop_assert!(queue.levels.windows(2).all(|pair| pair[0].end <= pair[1].start));
        }
        for task in &schedule.tasks {
            prop_assert!(task.waits.iter().all(|wait| wait.start < wait.end));
            prop_assert!(task.waits.windows(2).all(|pair| pair[0].end <= pair[1].start));
            prop_assert!(task.marks.is_sorted_by_key(|mark| mark.time));
        }
    }
}
