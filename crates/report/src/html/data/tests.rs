use super::*;
use flyball_trace::file::Header;
use flyball_trace::metrics::TaskInfo;
use flyball_trace::{CpuId, Duration, Event, Kind};
use proptest::prelude::*;
use serde_json::Value;

const MOST: Most = Most {
    slices: 20_000,
    marks: 60_000,
};

/// Jobs of two tasks, one after the other, on each of two CPUs: how long each waits, runs, holds a
/// mutex and blocks.
fn trace(start: u64, scale: u64, jobs: &[(u64, u64, u64)]) -> Trace {
    let mut events = Vec::new();
    let mut now = start;
    for (number, &(wait, run, block)) in jobs.iter().enumerate() {
        let task = TaskId(u16::try_from(number % 2).unwrap());
        let job = u32::try_from(number / 2 + 1).unwrap();
        let mut tell = |time: u64, kind| {
            events.push(Event {
                time: Time::from_nanos(time),
                cpu: CpuId(u8::try_from(number % 2).unwrap()),
                kind,
            });
        };
        let deadline = Time::from_nanos(now + 8 * scale);
        tell(
            now,
            Kind::Release {
                task,
                job,
                deadline,
            },
        );
        now += wait * scale;
        tell(now, Kind::Dispatch { task, job });
        tell(now, Kind::Lock { task, mutex: 0 });
        now += run * scale;
        let cause = Cause::Tick;
        let length = Duration::from_nanos(scale);
        tell(now, Kind::Overhead { cause, length });
        now += run * scale;
        let on = Object::Mutex(1);
        tell(now, Kind::Block { task, job, on });
        tell(now, Kind::Unlock { task, mutex: 0 });
        now += block * scale;
        tell(now, Kind::Wake { task, job });
        tell(now, Kind::Dispatch { task, job });
        now += run * scale;
        tell(now, Kind::Complete { task, job });
    }
    let task = |name: &str| TaskInfo {
        name: name.into(),
        deadline: Some(Duration::from_nanos(8 * scale)),
        ..TaskInfo::default()
    };
    Trace {
        header: Header {
            cpus: 2,
            end_ns: now + scale,
            tasks: vec![task("a"), task("b")],
            mutexes: vec!["m".into(), "</script>\u{2028}".into()],
            ..Header::default()
        },
        events,
    }
}

/// The entries of a packed lane as start, end and the rest; times in nanoseconds.
fn unpack(view: &Value, lane: &Value, extra: usize) -> Vec<(u64, u64, Vec<i64>)> {
    let unit = view["unit"].as_i64().unwrap();
    let start: i64 = view["start"].as_str().unwrap().parse().unwrap();
    let numbers = numbers::read(lane.as_str().unwrap());
    let mut now = 0;
    let entries = numbers.chunks(2 + extra).map(|entry| {
        let from = now + entry[0];
        now = from + entry[1];
        let time = |units: i64| u64::try_from(start + units * unit).unwrap();
        (time(from), time(now), entry[2..].to_vec())
    });
    entries.collect()
}

proptest! {
    #[test]
    fn what_is_packed_is_the_schedule(
        start in 0..1_u64 << 52, scale in 1..2_000_u64,
        jobs in proptest::collection::vec((0..6_u64, 1..5_u64, 1..5_u64), 1..30),
    ) {
        let trace = trace(start, scale, &jobs);
        let schedule = Schedule::of(&trace);
        let data = Data::new(&trace, &schedule, None, MOST);
        let json = data.json();
        let unsafe_symbols = ['<', '>', '&', '\u{2028}'];
        prop_assert!(!json.contains(unsafe_symbols));
        let json: Value = serde_json::from_str(&json).unwrap();
        prop_assert_eq!(json["views"].as_array().unwrap().len(), 1);
        let view = &json["views"][0];
        for (lane, cpu) in schedule.cpus.iter().zip(view["cpus"].as_array().unwrap()) {
            // Slices are split at their deadlines; put together they are the same.
            let mut slices: Vec<(u64, u64, i64, i64)> = Vec::new();
            let mut jobs = [0; 2];
            for (start, end, rest) in unpack(view, &cpu["slices"], 2) {
                let task = rest[0] / 2;
                let job = &mut jobs[usize::try_from(task).unwrap()];
                *job += rest[1];
                match slices.last_mut() {
                    Some(last) if last.1 == start && rest[0] % 2 == 1 => last.1 = end,
                    _ => slices.push((start, end, task, *job)),
                }
            }
            let expected: Vec<_> = lane.slices.iter().map(|slice| (
                slice.start.as_nanos(), slice.end.as_nanos(),
                i64::from(slice.task.0), i64::from(slice.job),
            )).collect();
            prop_assert_eq!(slices, expected);
            let kernel = unpack(view, &cpu["kernel"], 1);
            prop_assert_eq!(kernel.len(), lane.kernel.len());
        }
        for (lane, task) in schedule.tasks.iter().zip(view["tasks"].as_array().unwrap()) {
            let waits: Vec<_> = unpack(view, &task["waits"], 2)
                .into_iter().map(|(start, end, rest)| (start, end, rest[0] > 0)).collect();
            let expected: Vec<_> = lane.waits.iter()
                .map(|wait| (wait.start.as_nanos(), wait.end.as_nanos(), wait.on.is_some()))
                .collect();
            prop_assert_eq!(waits, expected);
            let holds: Vec<_> = unpack(view, &task["holds"], 1)
                .into_iter().map(|(start, end, _)| (start, end)).collect();
            let expected: Vec<_> = lane.holds.iter()
                .map(|hold| (hold.start.as_nanos(), hold.end.as_nanos())).collect();
            prop_assert_eq!(holds, expected);
        }
    }
}

#[test]
fn times_are_in_their_largest_common_unit() {
    let trace = trace(0, 1_000_000, &[(0, 2, 4), (2, 2, 2)]);
    let schedule = Schedule::of(&trace);
    let json: Value =
        serde_json::from_str(&Data::new(&trace, &schedule, None, MOST).json()).unwrap();
    let view = &json["views"][0];
    assert_eq!(view["unit"], 1_000_000);
    assert_eq!(view["length"], trace.header.end_ns / 1_000_000);
    assert_eq!(json["objects"][1], "mutex \"m\"");
    assert_eq!(json["objects"][0], "mutex \"</script>\u{2028}\"");
}

#[test]
fn a_slice_is_split_at_its_deadline() {
    let slice = Slice {
        task: TaskId(0),
        job: 1,
        start: Time::from_nanos(10),
        end: Time::from_nanos(20),
    };
    let parts = |deadline, from, to| -> Vec<_> {
        let window = Time::from_nanos(from)..Time::from_nanos(to);
        let parts = split(&slice, Some(Time::from_nanos(deadline)), &window);
        parts
            .map(|(start, end, late)| (start.as_nanos(), end.as_nanos(), late))
            .collect()
    };
    assert_eq!(parts(15, 0, 99), [(10, 15, false), (15, 20, true)]);
    assert_eq!(parts(5, 0, 99), [(10, 20, true)]);
    assert_eq!(parts(30, 0, 99), [(10, 20, false)]);
    assert_eq!(parts(15, 16, 18), [(16, 18, true)]);
    assert_eq!(parts(15, 30, 40), []);
}

#[test]
fn reservations_are_packed_with_their_reductions() {
    let mut trace = trace(0, 1_000_000, &[(0, 2, 4), (2, 2, 2)]);
    let task = TaskId(1);
    let mut tell = |ms: u64, kind| {
        let (time, cpu) = (Time::from_nanos(ms * 1_000_000), CpuId(0));
        trace.events.push(Event { time, cpu, kind });
    };
    let reserve = |share, ms| Kind::Reserve {
        task,
        share,
        period: Duration::from_millis(ms),
    };
    tell(1, reserve(Kind::WHOLE_CPU / 8, 40));
    tell(3, reserve(Kind::WHOLE_CPU / 16, 20));
    tell(3, Kind::Quality { task });
    let schedule = Schedule::of(&trace);
    let data = Data::new(&trace, &schedule, None, MOST);
    assert!(data.has_reservations() && data.has_reductions());
    let json: Value = serde_json::from_str(&data.json()).unwrap();
    let [described, packed] = [&json, &json["views"][0]].map(|it| &it["reservations"][0]);
    assert_eq!(
        (&described["name"], &described["full"]),
        (&"b".into(), &40_000_000.into())
    );
    let view = &json["views"][0];
    let [at, end] = [1_000_000, trace.header.end_ns];
    let expected = [
        (at, 3 * at, vec![125, 40_000_000]),
        // 6.25 % to the nearest tenth.
        (3 * at, end, vec![63, 20_000_000]),
    ];
    assert_eq!(unpack(view, &packed["parts"], 2), expected);
    assert_eq!(
        unpack(view, &packed["reductions"], 0),
        [(3 * at, 3 * at, vec![])]
    );
}
