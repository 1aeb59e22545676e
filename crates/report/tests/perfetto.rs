//! Perfetto traces: their structure, and the way back.
//!
//! With `FLYBALL_PERFETTO_OUT` set to a folder, the traces that are checked here are also written
//! there, for `perfetto_schema.py`.

use crate::common;

use common::{example, migrating, run};
use flyball_catalogue::{Allowance, Edf, Fp, OwnServers, Rm};
use flyball_model::{Cost, TaskSet};
use flyball_policy::servers::ConstantBandwidth;
use flyball_report::perfetto::messages::{self as pb, TracePacket};
use flyball_report::perfetto::{PerfettoError, from_perfetto, to_perfetto};
use flyball_report::slices::Schedule;
use flyball_trace::file::{Header, Trace};
use flyball_trace::metrics::TaskInfo;
use flyball_trace::{Cause, CpuId, Duration, Event, Kind, Object, Record, ServerId, TaskId, Time};
use proptest::prelude::*;
use prost::Message;
use std::collections::{HashMap, HashSet};

/// Whatever every file has to keep to. Returns the slices of each track.
fn check(bytes: &[u8]) -> HashMap<u64, Vec<(u64, u64, String)>> {
    let packets = pb::Trace::decode(bytes).expect("it is a trace").packet;
    let first = packets.first().expect("there is a first packet");
    assert_eq!(
        first.sequence_flags,
        Some(pb::SEQ_INCREMENTAL_STATE_CLEARED)
    );
    let interned = first.interned_data.as_ref().expect("names come first");
    let table = |list: &[pb::Interned]| -> HashMap<u64, String> {
        let pairs = list.iter().map(|entry| {
            let iid = entry.iid.unwrap();
            assert_ne!(iid, 0);
            (iid, entry.name.clone().unwrap())
        });
        let table: HashMap<_, _> = pairs.collect();
        assert_eq!(table.len(), list.len(), "a number stands for one name");
        table
    };
    let names = table(&interned.event_names);
    let categories = table(&interned.event_categories);
    let keys = table(&interned.debug_annotation_names);
    let mut tracks = HashSet::new();
    let mut counters = HashSet::new();
    let mut time = 0;
    let mut open: HashMap<u64, Vec<(u64, String)>> = HashMap::new();
    let mut slices: HashMap<u64, Vec<(u64, u64, String)>> = HashMap::new();
    for packet in &packets {
        let &TracePacket {
            timestamp,
            trusted_packet_sequence_id: sequence,
            ref track_event,
            ref track_descriptor,
            ref native,
            ..
        } = packet;
        assert!(native.is_some() || sequence == Some(1));
        if let Some(track) = track_descriptor {
            let uuid = track.uuid.unwrap();
            assert!(uuid != 0 && tracks.insert(uuid), "a track is declared once");
            assert!(
                track
                    .parent_uuid
                    .is_none_or(|parent| tracks.contains(&parent))
            );
            if track.counter.is_some() {
                counters.insert(uuid);
            }
        }
        let Some(event) = track_event else { continue };
        let now = timestamp.expect("events have a time");
        assert!(
            now >= time && i64::try_from(now).is_ok(),
            "{now} after {time}"
        );
        time = now;
        let track = event.track_uuid.unwrap();
        assert!(
            tracks.contains(&track),
            "a track is declared before it is used"
        );
        assert!(
            event
                .category_iids
                .iter()
                .all(|iid| categories.contains_key(iid))
        );
        let mut notes = event.debug_annotations.iter();
        assert!(notes.all(|note| keys.contains_key(&note.name_iid.unwrap())));
        let name = event.name_iid.map(|iid| names[&iid].clone());
        match event.r#type.unwrap() {
            pb::TYPE_SLICE_BEGIN => open.entry(track).or_default().push((now, name.unwrap())),
            pb::TYPE_SLICE_END => {
                let (start, name) = open.get_mut(&track).unwrap().pop().expect("it began");
                // Perfetto's time ends after 292 years.
                assert!(start < now || now == i64::MAX.unsigned_abs());
                slices.entry(track).or_default().push((start, now, name));
            }
            pb::TYPE_INSTANT => assert!(name.is_some()),
            pb::TYPE_COUNTER => {
                assert!(counters.contains(&track));
                let (whole, part) = (event.counter_value, event.double_counter_value);
                assert!(whole.is_some() != part.is_some());
            }
            other => panic!("an event of type {other}"),
        }
    }
    assert!(open.values().all(Vec::is_empty), "every slice ends");
    slices
}

fn keep(name: &str, bytes: &[u8]) {
    if let Some(folder) = std::env::var_os("FLYBALL_PERFETTO_OUT") {
        let path = std::path::Path::new(&folder).join(name);
        std::fs::write(path, bytes).expect("the folder can be written to");
    }
}

fn with_overheads(mut set: TaskSet) -> TaskSet {
    let cost = |us| Cost::fixed(Duration::from_micros(us));
    set.platform.tick = Some(Duration::from_millis(1));
    set.platform.overheads.tick = cost(3);
    set.platform.overheads.scheduling = cost(5);
    set.platform.overheads.context_switch = cost(8);
    set.platform.overheads.cache = cost(40);
    set
}

#[test]
fn schedules_are_slices_and_come_back() {
    let ms = Duration::from_millis;
    let traces = [
        ("gap-rm", run(&example("gap.toml"), "rm", &Rm, ms(1000)).1),
        (
            "overheads",
            run(&with_overheads(example("gap.toml")), "edf", &Edf, ms(500)).1,
        ),
        (
            "inversion",
            run(&example("priority-inversion.toml"), "fp", &Fp, ms(600)).1,
        ),
    ];
    for (name, trace) in traces {
        let bytes = to_perfetto(&trace);
        keep(&format!("{name}.pftrace"), &bytes);
        let tracks = check(&bytes);
        let schedule = Schedule::of(&trace);
        let cpu = &schedule.cpus[0];
        let mut expected: Vec<_> = cpu
            .slices
            .iter()
            .map(|slice| {
                let name = trace.header.tasks[slice.task.index()].name.clone();
                (slice.start.as_nanos(), slice.end.as_nanos(), name)
            })
            .collect();
        let kernel = cpu.kernel.iter().filter(|work| work.cause != Cause::Cache);
        expected.extend(kernel.map(|work| {
            let name = format!("kernel: {}", work.cause);
            (work.start.as_nanos(), work.end.as_nanos(), name)
        }));
        expected.sort();
        assert_eq!(tracks[&0x100], expected, "{name}");
        assert_eq!(from_perfetto(&bytes).expect("it comes back"), trace);
    }
}

/// An arrow from the slice of the CPU that a job leaves to the one where it goes on, and no other.
#[test]
fn a_migration_is_an_arrow() {
    let (summary, trace) = common::migrating();
    assert_eq!(summary.job_migrations(), 1);
    let bytes = to_perfetto(&trace);
    check(&bytes);
    keep("migration", &bytes);
    let packets = pb::Trace::decode(&bytes[..]).unwrap().packet;
    let events: Vec<_> = packets
        .into_iter()
        .filter_map(|packet| Some((packet.timestamp?, packet.track_event?)))
        .collect();
    let arrows = |ids: fn(&pb::TrackEvent) -> &Vec<u64>| -> Vec<_> {
        let on_cpu = |event: &pb::TrackEvent| event.track_uuid < Some(0x1_0000);
        let with = events
            .iter()
            .filter(|(_, event)| !ids(event).is_empty() && on_cpu(event));
        with.map(|(time, event)| {
            (
                *time,
                event.r#type.unwrap(),
                event.track_uuid.unwrap(),
                ids(event).clone(),
            )
        })
        .collect()
    };
    // *long* runs on CPU 0 from 2 ms to 4 ms, and goes on on CPU 1 at 5 ms.
    assert_eq!(
        arrows(|event| &event.flow_ids),
        [(2_000_000, pb::TYPE_SLICE_BEGIN, 0x100, vec![1])]
    );
    assert_eq!(
        arrows(|event| &event.terminating_flow_ids),
        [(5_000_000, pb::TYPE_SLICE_BEGIN, 0x101, vec![1])]
    );
}

/// Each arrow leaves once and arrives once, and not before it leaves: from releases to slices, and
/// from who unlocks, sends or signals to who goes on or is released.
#[test]
fn causes_are_arrows_to_their_effects() {
    for (name, least) in [("producer-consumer.toml", 100), ("event-chain.toml", 100)] {
        let (_, trace) = run(&example(name), "fp", &Fp, Duration::from_millis(500));
        let bytes = to_perfetto(&trace);
        check(&bytes);
        let packets = pb::Trace::decode(&bytes[..]).unwrap().packet;
        let (mut leaves, mut comes) = (HashMap::new(), HashMap::new());
        let interned = packets[0].interned_data.clone().unwrap().event_names;
        let named = |event: &pb::TrackEvent| {
            let name = interned.iter().find(|it| it.iid == event.name_iid);
            name.unwrap().name.clone().unwrap()
        };
        let mut words = HashSet::new();
        for packet in &packets {
            let (Some(time), Some(event)) = (packet.timestamp, &packet.track_event) else {
                continue;
            };
            for &id in &event.flow_ids {
                assert_eq!(leaves.insert(id, time), None, "it leaves once");
                words.insert(named(event));
            }
            for &id in &event.terminating_flow_ids {
                assert_eq!(comes.insert(id, time), None, "it comes once");
                words.insert(named(event));
            }
        }
        assert!(leaves.len() > least, "{}", leaves.len());
        assert_eq!(leaves.len(), comes.len());
        for (id, left) in leaves {
            assert!(comes[&id] >= left);
        }
        let expected = match name {
            "event-chain.toml" => [
                "release",
                "running",
                "releases a job of task \"filter\"",
                "a job arrives from task \"filter\"",
            ],
            _ => [
                "release",
                "running",
                "wakes task \"filter\"",
                "woken by task \"sampler\"",
            ],
        };
        for word in expected {
            assert!(words.contains(word), "{word} in {words:?}");
        }
    }
}

/// Under EDF the job whose time to its deadline is the shortest runs.
#[test]
fn a_counter_tells_how_urgent_the_running_job_is() {
    let text = "schema = 1\n[[task]]\nperiod = \"5ms\"\nwcet = \"1ms\"\n\
                [[task]]\nperiod = \"10ms\"\nwcet = \"4ms\"\n";
    let set = flyball_model::read_str(text, flyball_model::Format::Toml, "t.toml").unwrap();
    let (_, trace) = run(&set, "edf", &Edf, Duration::from_millis(9));
    let packets = pb::Trace::decode(&to_perfetto(&trace)[..]).unwrap().packet;
    let values = packets.iter().filter_map(|packet| {
        let event = packet.track_event.as_ref()?;
        let value = event
            .counter_value
            .filter(|_| event.track_uuid == Some(0x200))?;
        Some((packet.timestamp? / 1_000_000, value / 1_000_000))
    });
    let values: Vec<_> = values.collect();
    assert_eq!(values, [(0, 5), (1, 9), (5, 5), (6, 0)]);
}

/// A server of 2 ms in 5 ms whose task computes for 3 ms: at the end of the budget the next one comes,
/// and at the end of the job 1 ms of that is left.
#[test]
fn a_counter_tells_what_is_left_of_a_budget() {
    let text = "schema = 1\n[[server]]\nname = \"s\"\nbudget = \"2ms\"\nperiod = \"5ms\"\n\
                [[task]]\nserver = \"s\"\nphase = \"1ms\"\nperiod = \"20ms\"\nwcet = \"3ms\"\n";
    let set = flyball_model::read_str(text, flyball_model::Format::Toml, "t.toml").unwrap();
    let rule = ConstantBandwidth::SOFT;
    let scheduler = OwnServers {
        rule,
        allowance: Allowance::default(),
        quantum: Duration::from_millis(10),
    };
    let (_, trace) = run(&set, "cbs", &scheduler, Duration::from_millis(9));
    let bytes = to_perfetto(&trace);
    check(&bytes);
    let packets = pb::Trace::decode(&bytes[..]).unwrap().packet;
    let values = packets.iter().filter_map(|packet| {
        let event = packet.track_event.as_ref()?;
        let value = event.counter_value?;
        let is_it = event.track_uuid == Some(0x2_0000);
        is_it.then_some((packet.timestamp? / 1_000_000, value / 1_000_000))
    });
    let values: Vec<_> = values.collect();
    assert_eq!(values, [(1, 2), (3, 0), (3, 2), (4, 1)]);
    let named = |packet: &pb::TracePacket| packet.track_descriptor.as_ref()?.name.clone();
    assert!(
        packets
            .iter()
            .filter_map(named)
            .any(|name| name == "s: left of the budget")
    );
}

#[test]
fn names_are_those_of_the_task_set() {
    let set = example("priority-inversion.toml");
    let (_, trace) = run(&set, "fp", &Fp, Duration::from_millis(50));
    let tracks = check(&to_perfetto(&trace));
    let bus_manager: Vec<_> = tracks[&0x1_0000]
        .iter()
        .map(|(.., name)| name.as_str())
        .collect();
    assert_eq!(
        bus_manager,
        ["blocked: mutex \"information bus\"", "running"]
    );
}

#[test]
fn what_is_no_perfetto_trace_of_ours_says_so() {
    let error = from_perfetto(b"FLYTRACE and so on").unwrap_err();
    assert!(matches!(error, PerfettoError::NotPerfetto(_)), "{error}");
    let foreign = pb::Trace {
        packet: vec![TracePacket {
            timestamp: Some(7),
            ..TracePacket::default()
        }],
    };
    let error = from_perfetto(&foreign.encode_to_vec()).unwrap_err();
    assert!(
        error.to_string().contains("Flyball did not write"),
        "{error}"
    );
    assert!(matches!(from_perfetto(b""), Err(PerfettoError::NotFlyball)));
    let trace = run(&example("gap.toml"), "rm", &Rm, Duration::from_millis(10)).1;
    let bytes = to_perfetto(&trace);
    let error = from_perfetto(&bytes[..bytes.len() - 1]).unwrap_err();
    assert!(matches!(error, PerfettoError::NotPerfetto(_)), "{error}");
    let twice = [&bytes[..], &bytes[..]].concat();
    let error = from_perfetto(&twice).unwrap_err();
    assert!(matches!(error, PerfettoError::Trace(_)), "{error}");
}

/// A native trace of several mebibytes is in several packets.
#[test]
fn long_traces_come_in_parts() {
    let event = |ns| Event {
        time: Time::from_nanos(ns),
        cpu: CpuId(0),
        kind: Kind::Tick,
    };
    let trace = Trace {
        header: Header {
            cpus: 1,
            end_ns: 200_000,
            ..Header::default()
        },
        events: (0..100_000).map(event).collect(),
    };
    let bytes = to_perfetto(&trace);
    let packets = pb::Trace::decode(&bytes[..]).unwrap().packet;
    let parts: Vec<_> = packets
        .iter()
        .filter_map(|packet| packet.native.as_ref())
        .collect();
    assert_eq!(parts.len(), 100_000 * Record::SIZE / (1 << 20) + 1);
    assert!(parts.iter().all(|part| part.len() <= 1 << 20));
    assert_eq!(from_perfetto(&bytes).unwrap(), trace);
}

/// Traces with events of every kind, times in order, and strange names.
/// Counters of a task's share and period have a value where it changes.
#[test]
fn counters_tell_reservations() {
    let task = TaskId(1);
    let reserve = |ms, share, period| Event {
        time: Time::ZERO + Duration::from_millis(ms),
        cpu: CpuId(0),
        kind: Kind::Reserve {
            task,
            share,
            period: Duration::from_millis(period),
        },
    };
    let eighth = Kind::WHOLE_CPU / 8;
    let (_, mut trace) = migrating();
    trace.events = vec![
        reserve(1, eighth, 40),
        reserve(3, 2 * eighth, 40),
        reserve(5, 2 * eighth, 20),
    ];
    let bytes = to_perfetto(&trace);
    check(&bytes);
    keep("reservations.pftrace", &bytes);
    let packets = pb::Trace::decode(&bytes[..]).unwrap().packet;
    let values = |track| -> Vec<(u64, Option<f64>, Option<i64>)> {
        let value = |packet: &pb::TracePacket| {
            let event = packet.track_event.as_ref()?;
            let value = (event.double_counter_value, event.counter_value);
            let at = packet.timestamp? / 1_000_000;
            (event.track_uuid == Some(track)).then_some((at, value.0, value.1))
        };
        packets.iter().filter_map(value).collect()
    };
    assert_eq!(
        values(0x4_0001),
        [(1, Some(12.5), None), (3, Some(25.0), None)]
    );
    assert_eq!(
        values(0x5_0001),
        [(1, None, Some(40_000_000)), (5, None, Some(20_000_000))]
    );
    let named = |packet: &pb::TracePacket| packet.track_descriptor.as_ref()?.name.clone();
    let names: Vec<_> = packets.iter().filter_map(named).collect();
    for name in ["middle: share", "middle: period"] {
        assert!(names.iter().any(|it| it == name), "{name} in {names:?}");
    }
}

fn any_trace() -> impl Strategy<Value = Trace> {
    let event = (0..50_u64, 0..26, 0..3_u16, 0..5_u32, any::<u64>());
    let events = proptest::collection::vec(event, 0..80);
    (events, "\\PC{0,9}", 0..3000_u64, any::<u64>()).prop_map(|(events, name, end, start)| {
        let mut now = start >> (start % 64);
        let events = events.into_iter().map(|(passed, kind, task, job, value)| {
            now = now.saturating_add(passed);
            let (task, mutex) = (TaskId(task), task);
            let deadline = Time::from_nanos(now.saturating_add(value % 99));
            let kind = match kind {
                0 | 1 => Kind::Release {
                    task,
                    job,
                    deadline,
                },
                2..=4 => Kind::Dispatch { task, job },
                5 => Kind::Idle,
                6 => Kind::Preempt { task, job },
                7 => Kind::Block {
                    task,
                    job,
                    on: Object::Mutex(mutex),
                },
                8 => Kind::Wake { task, job },
                9 => Kind::Lock { task, mutex },
                10 => Kind::Unlock { task, mutex },
                11 => Kind::Complete { task, job },
                12 => Kind::Miss { task, job },
                13 => Kind::Inherit {
                    to: task,
                    from: (value % 2 == 0).then_some(TaskId(0)),
                },
                14 => Kind::Exit { task },
                15 => Kind::Replenish {
                    server: ServerId(mutex % 2),
                    deadline,
                },
                16 => Kind::Budget {
                    server: ServerId(mutex % 2),
                    left: Duration::from_nanos(value % 40 + 1),
                },
                17 => Kind::Exhaust {
                    server: ServerId(mutex % 2),
                },
                18 => Kind::Reclaim {
                    server: ServerId(mutex % 2),
                    length: Duration::from_nanos(value % 9),
                },
                19 => Kind::Fill {
                    queue: mutex,
                    level: u16::from(value % 5 == 0),
                },
                20 => Kind::Overrun {
                    queue: mutex,
                    lost: 2,
                },
                21 => Kind::Underrun {
                    queue: mutex,
                    missing: 1,
                },
                22 => Kind::Reserve {
                    task,
                    share: u32::from(mutex),
                    period: Duration::from_nanos(value),
                },
                23 => Kind::Quality { task },
                _ => Kind::Overhead {
                    cause: Cause::ALL[usize::from(value % 6 == 0) * 5],
                    length: Duration::from_nanos(value % 70),
                },
            };
            let time = Time::from_nanos(now);
            Event {
                time,
                cpu: CpuId(u8::from(value % 3 == 0)),
                kind,
            }
        });
        let events = events.collect();
        let task = |name: &str| TaskInfo {
            name: name.into(),
            deadline: Some(Duration::from_nanos(20)),
            ..TaskInfo::default()
        };
        let header = Header {
            cpus: 2,
            end_ns: (start >> (start % 64)).saturating_add(end),
            tasks: vec![task(&name), task("b"), task("b")],
            mutexes: vec![name],
            servers: vec!["s".into(), "t".into()],
            queues: vec!["q".into(), "r".into()],
            ..Header::default()
        };
        Trace { header, events }
    })
}

proptest! {
    #[test]
    fn any_trace_is_well_formed_and_comes_back(trace in any_trace()) {
        let bytes = to_perfetto(&trace);
        check(&bytes);
        prop_assert_eq!(from_perfetto(&bytes).unwrap(), trace);
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = from_perfetto(&bytes);
    }

    #[test]
    fn no_damage_makes_it_panic(trace in any_trace(), at in any::<usize>(), byte in any::<u8>()) {
        let mut bytes = to_perfetto(&trace);
        let at = at % bytes.len();
        bytes[at] = byte;
        let _ = from_perfetto(&bytes);
    }
}
