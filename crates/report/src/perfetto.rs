//! A trace for the Perfetto UI (<https://ui.perfetto.dev>) and its trace processor.
//!
//! | in Perfetto | what |
//! |---|---|
//! | process *CPUs* | a track a CPU: which task runs, and the kernel's work; arrows where a job goes on on another CPU; how long the running job has to its deadline where it begins or goes on; a counter of ready tasks |
//! | process *Tasks* | a track a task: running, ready, blocked; releases, deadlines, misses, locks, …; arrows from a release to the job's first dispatch, and from a task that unlocks, signals or sends to the one that goes on or is released by it |
//! | process *Servers* | a counter a server: what is left of its budget, where a task of it begins and ceases to run, and where it is replenished |
//! | process *Reservations* | two counters a task whose reservation changes: its share of a CPU in percent, and the period |
//!
//! The format is that of Perfetto's `perfetto_trace.proto`: a `Trace` is a sequence of
//! `TracePacket`s. All packets form one sequence; its first packet interns every name, so that an
//! event costs some twenty bytes. Times are nanoseconds of the default clock. Perfetto counts them
//! in 63 bits; what lies later (after 292 years) is drawn there.
//!
//! # The way back
//!
//! The file also holds the trace itself, as [`Trace::to_bytes`] writes it, so that
//! [`from_perfetto`] loses nothing. It is in packets of its own, in a field that Perfetto does not
//! define ([`messages::NATIVE_FIELD`]). Protocol buffers skip fields that they do not know, which
//! is how they stay compatible with later versions, and Perfetto's own decoder does as well.
//! Rejected were:
//!
//! * `for_testing` (900), which is defined but has no field for bytes that are no text;
//! * the range from 1000 to 1999, which the schema keeps for extensions, but whose numbers are
//!   given out by a registry: another project's extension would be mistaken for ours;
//! * a debug annotation, which the UI would show.
//!
//! A packet of this kind is at most a mebibyte long, because readers may hold a packet as a whole.
//!
//! # What was checked
//!
//! Tests decode what is written and check its structure: each slice that begins also ends, in
//! nested order, times never go backwards, names and tracks are declared before they are used. The
//! script `tests/perfetto_schema.py` does the same with the classes that the Perfetto project
//! publishes (package `perfetto` on PyPI), and that no field is misspelt: nothing of ours but the
//! native packets is unknown to them. It was not run through the trace processor itself.

mod counters;
mod flows;
pub mod messages;
mod names;
mod points;
mod read;

pub use read::{PerfettoError, from_perfetto};

use crate::slices::Schedule;
use flyball_trace::CpuId;
use flyball_trace::file::Trace;
use messages as pb;
use names::Names;
use points::{Kind, Point, points};
use prost::Message;

/// The one sequence that all packets belong to; zero would be none.
const SEQUENCE: u32 = 1;

/// The uuids of tracks. Those of CPUs and tasks are their numbers counted from here.
mod track {
    pub(super) const CPUS: u64 = 1;
    pub(super) const TASKS: u64 = 2;
    pub(super) const READY: u64 = 3;
    pub(super) const SERVERS: u64 = 4;
    pub(super) const QUEUES: u64 = 5;
    pub(super) const RESERVATIONS: u64 = 6;
    pub(super) const FIRST_CPU: u64 = 0x100;
    pub(super) const FIRST_URGENCY: u64 = 0x200;
    pub(super) const FIRST_SPEED: u64 = 0x300;
    pub(super) const FIRST_TASK: u64 = 0x1_0000;
    pub(super) const FIRST_SERVER: u64 = 0x2_0000;
    pub(super) const FIRST_QUEUE: u64 = 0x3_0000;
    pub(super) const FIRST_SHARE: u64 = 0x4_0000;
    pub(super) const FIRST_PERIOD: u64 = 0x5_0000;
}

/// The trace in Perfetto's format. O(n log n) in the number of events.
///
/// ```
/// # use flyball_report::perfetto::{from_perfetto, to_perfetto};
/// # use flyball_trace::file::Trace;
/// let trace = Trace::default();
/// assert_eq!(from_perfetto(&to_perfetto(&trace)).unwrap(), trace);
/// ```
pub fn to_perfetto(trace: &Trace) -> Vec<u8> {
    let schedule = Schedule::of(trace);
    let mut names = Names::default();
    let points = points(trace, &schedule, &mut names);
    let mut out = Vec::new();
    put(&mut out, first_packet(&names));
    for descriptor in tracks(trace)
        .into_iter()
        .chain(speeds(&schedule))
        .chain(servers(trace, &schedule))
        .chain(queues(trace, &schedule))
        .chain(reservations(trace, &schedule))
    {
        put(
            &mut out,
            pb::TracePacket {
                track_descriptor: Some(descriptor),
                ..packet()
            },
        );
    }
    for point in points {
        put(&mut out, event(&point));
    }
    for part in trace.to_bytes().chunks(1 << 20) {
        put(
            &mut out,
            pb::TracePacket {
                native: Some(part.to_vec()),
                ..pb::TracePacket::default()
            },
        );
    }
    out
}

/// Adds a packet. A trace is nothing but its packets one after the other.
fn put(out: &mut Vec<u8>, packet: pb::TracePacket) {
    let packet = vec![packet];
    // Memory does not run out of room, which is the only way in which this can fail.
    let _ = pb::Trace { packet }.encode(out);
}

fn packet() -> pb::TracePacket {
    pb::TracePacket {
        trusted_packet_sequence_id: Some(SEQUENCE),
        sequence_flags: Some(pb::SEQ_NEEDS_INCREMENTAL_STATE),
        ..pb::TracePacket::default()
    }
}

/// Declares all names, and that nothing before this packet is needed.
fn first_packet(names: &Names) -> pb::TracePacket {
    let name = |(iid, name): (u64, &str)| pb::Interned {
        iid: Some(iid),
        name: Some(name.to_owned()),
    };
    pb::TracePacket {
        sequence_flags: Some(pb::SEQ_INCREMENTAL_STATE_CLEARED),
        first_packet_on_sequence: Some(true),
        interned_data: Some(pb::InternedData {
            event_categories: points::Category::ALL
                .map(|category| name((category.iid(), category.name())))
                .to_vec(),
            event_names: names.iter().map(name).collect(),
            debug_annotation_names: points::Key::ALL
                .map(|key| name((key.iid(), key.name())))
                .to_vec(),
        }),
        ..packet()
    }
}

fn process(uuid: u64, pid: i32, name: &str) -> pb::TrackDescriptor {
    pb::TrackDescriptor {
        process: Some(pb::ProcessDescriptor {
            pid: Some(pid),
            process_name: Some(name.to_owned()),
        }),
        child_ordering: Some(pb::CHILD_ORDERING_EXPLICIT),
        uuid: Some(uuid),
        ..pb::TrackDescriptor::default()
    }
}

fn child(parent: u64, uuid: u64, rank: i32, name: String) -> pb::TrackDescriptor {
    pb::TrackDescriptor {
        uuid: Some(uuid),
        parent_uuid: Some(parent),
        name: Some(name),
        sibling_order_rank: Some(rank),
        // Two tasks of the same name are two tasks all the same.
        sibling_merge_behavior: Some(pb::SIBLING_MERGE_NONE),
        ..pb::TrackDescriptor::default()
    }
}

fn counter(unit: i32, parent: u64, uuid: u64, rank: i32, name: String) -> pb::TrackDescriptor {
    pb::TrackDescriptor {
        counter: Some(pb::CounterDescriptor {
            unit: Some(unit),
            unit_name: None,
        }),
        ..child(parent, uuid, rank, name)
    }
}

/// The process of the servers, if there are any, and a counter for each.
fn servers(trace: &Trace, schedule: &Schedule) -> Vec<pb::TrackDescriptor> {
    let counters = schedule.server_lanes().map(|(server, _)| {
        let name = trace.header.servers.get(server.index());
        let uuid = track::FIRST_SERVER + u64::from(server.0);
        let name = format!("{}: left of the budget", name.map_or("", |name| name));
        counter(
            pb::UNIT_TIME_NS,
            track::SERVERS,
            uuid,
            i32::from(server.0),
            name,
        )
    });
    let mut tracks: Vec<_> = counters.collect();
    if !tracks.is_empty() {
        tracks.insert(0, process(track::SERVERS, 3, "Servers"));
    }
    tracks
}

/// The process of the queues, if the levels of some are told, and a counter for each.
fn queues(trace: &Trace, schedule: &Schedule) -> Vec<pb::TrackDescriptor> {
    let counters = schedule.queue_lanes().map(|(queue, _)| {
        let name = trace.header.queues.get(usize::from(queue));
        let uuid = track::FIRST_QUEUE + u64::from(queue);
        let name = format!("{}: messages", name.map_or("", |name| name));
        counter(pb::UNIT_COUNT, track::QUEUES, uuid, queue.into(), name)
    });
    let mut tracks: Vec<_> = counters.collect();
    if !tracks.is_empty() {
        tracks.insert(0, process(track::QUEUES, 4, "Queues"));
    }
    tracks
}

/// The process of the reservations, if some are told, and two counters for each.
fn reservations(trace: &Trace, schedule: &Schedule) -> Vec<pb::TrackDescriptor> {
    let counters = schedule.reservation_lanes().flat_map(|(task, _)| {
        let (name, number) = (&trace.header.tasks[task.index()].name, u64::from(task.0));
        let rank = 2 * i32::from(task.0);
        let share = child(
            track::RESERVATIONS,
            track::FIRST_SHARE + number,
            rank,
            format!("{name}: share"),
        );
        let period = counter(
            pb::UNIT_TIME_NS,
            track::RESERVATIONS,
            track::FIRST_PERIOD + number,
            rank + 1,
            format!("{name}: period"),
        );
        let percent = pb::CounterDescriptor {
            unit: None,
            unit_name: Some("%".into()),
        };
        let share = pb::TrackDescriptor {
            counter: Some(percent),
            ..share
        };
        [share, period]
    });
    let mut tracks: Vec<_> = counters.collect();
    if !tracks.is_empty() {
        tracks.insert(0, process(track::RESERVATIONS, 5, "Reservations"));
    }
    tracks
}

/// A counter for each CPU that is ever told an operating point.
fn speeds(schedule: &Schedule) -> impl Iterator<Item = pb::TrackDescriptor> {
    let changing = schedule
        .cpu_lanes()
        .filter(|(_, lane)| !lane.speeds.is_empty());
    changing.map(|(CpuId(cpu), _)| {
        counter(
            pb::UNIT_COUNT,
            track::CPUS,
            track::FIRST_SPEED + u64::from(cpu),
            // Behind the number of ready tasks.
            513 + i32::from(cpu),
            format!("CPU {cpu}: operating point"),
        )
    })
}

/// The processes of CPUs and tasks and the tracks in them, in the order of their numbers.
fn tracks(trace: &Trace) -> Vec<pb::TrackDescriptor> {
    let header = &trace.header;
    let mut tracks = vec![
        process(track::CPUS, 1, "CPUs"),
        process(track::TASKS, 2, "Tasks"),
    ];
    for cpu in 0..header.cpus {
        let (number, rank) = (u64::from(cpu), 2 * i32::from(cpu));
        let name = format!("CPU {cpu}");
        tracks.push(child(track::CPUS, track::FIRST_CPU + number, rank, name));
        tracks.push(counter(
            pb::UNIT_TIME_NS,
            track::CPUS,
            track::FIRST_URGENCY + number,
            rank + 1,
            format!("CPU {cpu}: time to the running job's deadline"),
        ));
    }
    let name = "ready tasks".into();
    tracks.push(counter(
        pb::UNIT_COUNT,
        track::CPUS,
        track::READY,
        512,
        name,
    ));
    // Tasks beyond the sixteen bits of their ids have no events.
    for (rank, task) in (0..=i32::from(u16::MAX)).zip(&header.tasks) {
        let uuid = track::FIRST_TASK + u64::from(rank.unsigned_abs());
        tracks.push(child(track::TASKS, uuid, rank, task.name.clone()));
    }
    tracks
}

#[expect(clippy::cast_precision_loss, reason = "at most 16 CPUs in millionths")]
fn percent(ppm: u64) -> f64 {
    ppm as f64 / 10_000.0
}

fn event(point: &Point) -> pb::TracePacket {
    let (kind, value, percent) = match point.kind {
        Kind::Begin => (pb::TYPE_SLICE_BEGIN, None, None),
        Kind::End => (pb::TYPE_SLICE_END, None, None),
        Kind::Instant => (pb::TYPE_INSTANT, None, None),
        Kind::Counter(value) => (pb::TYPE_COUNTER, Some(value), None),
        Kind::Millionths(ppm) => (pb::TYPE_COUNTER, None, Some(percent(ppm))),
    };
    let named = matches!(point.kind, Kind::Begin | Kind::Instant);
    let notes = point.notes.iter().flatten();
    let time = point.time.as_nanos().min(i64::MAX.unsigned_abs());
    pb::TracePacket {
        timestamp: Some(time),
        track_event: Some(pb::TrackEvent {
            r#type: Some(kind),
            track_uuid: Some(point.track),
            name_iid: named.then_some(point.name),
            category_iids: named.then_some(point.category.iid()).into_iter().collect(),
            counter_value: value,
            double_counter_value: percent,
            flow_ids: point.leaves.into_iter().collect(),
            terminating_flow_ids: point.comes.into_iter().collect(),
            debug_annotations: notes
                .map(|&(key, value)| pb::DebugAnnotation {
                    name_iid: Some(key.iid()),
                    uint_value: Some(value),
                })
                .collect(),
        }),
        ..packet()
    }
}
