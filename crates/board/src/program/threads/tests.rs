use super::*;
use flyball_trace::{CpuId, Object};

const ROUTINE: u64 = 0x101;

fn functions() -> Functions {
    Functions::from([(ROUTINE, 2, "worker"), (0x201, 2, "_ZL4showPv")])
}

fn all(bytes: &[u8]) -> Result<Trace, ReadError> {
    let functions = functions();
    let about = About {
        name: "it.elf",
        policy: "edf",
        cpus: 1,
        functions: &functions,
    };
    read(bytes, &about)
}

fn event(ns: u64, kind: Kind) -> Record {
    Record::from(Event {
        time: Time::from_nanos(ns),
        cpu: CpuId(0),
        kind,
    })
}

fn start(ns: u64, row: u16, routine: u64) -> [Record; 2] {
    let row = TaskId(row);
    let note = Note::Thread { row, routine };
    [event(ns, Kind::Start { task: row }), note.encode()]
}

fn exit(ns: u64, row: u16) -> Record {
    event(ns, Kind::Exit { task: TaskId(row) })
}

fn end(ns: u64, total: u64) -> Record {
    let time = Time::from_nanos(ns);
    Note::End { time, total }.encode()
}

fn bytes(records: impl IntoIterator<Item = Record>) -> Vec<u8> {
    records.into_iter().flat_map(|record| record.0).collect()
}

fn label(row: u16, name: &[u8]) -> Record {
    let mut text = [0; 16];
    text[..name.len()].copy_from_slice(name);
    let row = TaskId(row);
    Note::Label { row, text }.encode()
}

fn names(trace: &Trace) -> Vec<&str> {
    trace.header.tasks.iter().map(|task| &*task.name).collect()
}

#[test]
fn threads_have_names() {
    let mut records = Vec::new();
    records.extend(start(0, 0, 0x999));
    records.extend(start(1, 1, ROUTINE));
    records.extend(start(2, 2, 0x201));
    records.extend(start(3, 3, ROUTINE));
    records.extend(start(4, 4, ROUTINE));
    records.extend(start(5, 5, 0x777));
    records.push(label(4, b"sensor"));
    records.push(end(9, 6));
    let trace = all(&bytes(records)).unwrap();
    let expected = ["main", "worker", "show", "worker 2", "sensor", "thread 5"];
    assert_eq!(names(&trace), expected);
    assert_eq!((trace.header.end_ns, trace.header.dropped), (9, 0));
    assert_eq!(Trace::from_bytes(&trace.to_bytes()).unwrap(), trace);
}

#[test]
fn a_row_is_one_thread_after_the_other() {
    let mut records = Vec::new();
    records.extend(start(0, 0, 0x999));
    records.extend(start(1, 1, ROUTINE));
    records.push(exit(2, 1));
    // Another function, in the same row.
    records.extend(start(3, 1, 0x201));
    // A second worker, after the first.
    records.extend(start(4, 2, ROUTINE));
    let wait = Kind::Block {
        task: TaskId(0),
        job: 0,
        on: Object::Task(2),
    };
    records.push(event(5, wait));
    let trace = all(&bytes(records)).unwrap();
    assert_eq!(names(&trace), ["main", "worker", "show"]);
    let tasks: Vec<_> = trace.events.iter().map(|it| it.kind.task()).collect();
    let expected = [0, 1, 1, 2, 1, 0].map(|task| Some(TaskId(task)));
    assert_eq!(tasks, expected);
    let Kind::Block { on, .. } = trace.events[5].kind else {
        panic!("not what was written");
    };
    assert_eq!(on, Object::Task(1));
    // It was cut off: it ends with the last event.
    assert_eq!(trace.header.end_ns, 5);
}

#[test]
fn threads_with_jobs_stay_apart() {
    let jobs = |row| {
        let row = TaskId(row);
        let period = Some(Duration::from_millis(5));
        let deadline = period;
        Note::Jobs {
            row,
            period,
            deadline,
        }
        .encode()
    };
    let mut records = Vec::new();
    records.extend(start(0, 0, 0x999));
    records.extend(start(1, 1, ROUTINE));
    records.push(jobs(1));
    records.push(exit(2, 1));
    records.extend(start(3, 1, ROUTINE));
    records.push(jobs(1));
    let trace = all(&bytes(records)).unwrap();
    assert_eq!(names(&trace), ["main", "worker", "worker 2"]);
    assert_eq!(trace.header.tasks[2].period, Some(Duration::from_millis(5)));
}

#[test]
fn damage_is_noticed() {
    let mut records = Vec::from(start(0, 0, ROUTINE));
    records.push(end(9, 3));
    let good = bytes(records);
    let trace = all(&good).unwrap();
    assert_eq!((trace.header.dropped, trace.header.end_ns), (2, 0));
    let mut wrong = good.clone();
    wrong[22] = 99;
    assert_eq!(all(&wrong), Err(ReadError::Record(0)));
    let mut wrong = good.clone();
    wrong[23] = 1;
    assert_eq!(all(&wrong), Err(ReadError::NotAdmitted(0)));
    let mut wrong = good;
    wrong[48 + 8] = 0;
    assert_eq!(all(&wrong), Err(ReadError::Counts));
    assert_eq!(names(&all(&[]).unwrap()), [""; 0]);
}
