//! What is written is read back as it was, whatever the task set.

use flyball_model::{
    Arrival, Cost, End, Endpoint, Format, Frequency, Groups, Jitter, LAST_GROUP, Length, Location,
    MOST_SPEEDS, Mutex, OnMiss, Overheads, Platform, Power, Powers, Protocol, Queue, Reserve,
    Semaphore, Server, ServerMode, Setting, Settings, Share, Speeds, Step, Task, TaskSet, Value,
    behaviour, parse_duration, read_str, to_csv, to_toml,
};
use flyball_trace::{Duration, GaugeKind, Speed};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

const MUTEXES: u16 = 3;
const SEMAPHORES: u16 = 2;
const QUEUES: u16 = 2;
const GAUGES: [GaugeKind; 2] = [GaugeKind::Backlog, GaugeKind::Stock];
/// How many operating points there are at least, where there are any.
const FEWEST: u8 = 2;

fn time(range: std::ops::Range<u64>) -> impl Strategy<Value = Duration> {
    // Round numbers, as people write them, and any others.
    let exponent = 0..9_u32;
    (range.clone(), exponent, any::<bool>()).prop_map(move |(ns, exponent, round)| {
        let unit = 10_u64.pow(exponent);
        let rounded = ns / unit * unit;
        Duration::from_nanos(if round && range.contains(&rounded) {
            rounded
        } else {
            ns
        })
    })
}

fn length(range: std::ops::Range<u64>) -> impl Strategy<Value = Length> {
    prop_oneof![
        time(range.clone()).prop_map(Length::Fixed),
        (time(range.clone()), time(range.clone())).prop_map(|(a, b)| Length::Uniform {
            min: a.min(b),
            max: a.max(b)
        }),
        vec(time(range.clone()), 1..4).prop_map(Length::OneOf),
        (vec(time(range.clone()), 1..4), time(1..1 << 50))
            .prop_map(|(lengths, every)| Length::Cycle { lengths, every }),
        vec((time(range.clone()), 1..=u32::MAX), 1..4).prop_map(Length::Empirical),
        ([(); 3].map(|()| time(range.clone())), time(range)).prop_map(|(mut times, deviation)| {
            times.sort_unstable();
            let [min, mean, max] = times;
            Length::Normal {
                mean,
                deviation,
                min,
                max,
            }
        }),
    ]
}

fn stalls() -> impl Strategy<Value = Share> {
    (0_u32..=1_000_000).prop_map(Share::from_millionths)
}

/// Some operating points, [`FEWEST`] at least.
fn speeds() -> impl Strategy<Value = Speeds> {
    let frequencies = proptest::collection::btree_set(1_u64..=1_000_000_000_000, 2..=MOST_SPEEDS);
    let transition = vec(vec(time(0..1 << 40), MOST_SPEEDS), MOST_SPEEDS);
    let power = || (0..=Power::MOST.as_microwatts()).prop_map(power);
    let powers = (
        vec(power(), MOST_SPEEDS),
        vec(power(), MOST_SPEEDS),
        power(),
    );
    (frequencies, transition, option::of(powers), stalls()).prop_map(
        |(frequencies, mut transition, powers, kernel_stalls)| {
            let count = frequencies.len();
            transition.truncate(count);
            for (point, row) in transition.iter_mut().enumerate() {
                row.truncate(count);
                row[point] = Duration::ZERO;
            }
            let powers = powers.map(|(mut computing, mut stalled, idle)| {
                computing.truncate(count);
                stalled.truncate(count);
                Powers {
                    computing,
                    stalled,
                    idle,
                }
            });
            let frequencies = frequencies
                .into_iter()
                .filter_map(Frequency::hertz)
                .collect();
            let speeds = Speeds::new(frequencies, transition, powers).unwrap();
            speeds.with_kernel_stalls(kernel_stalls)
        },
    )
}

fn power(microwatts: u64) -> Power {
    Power::microwatts(microwatts).unwrap()
}

/// A step that stands alone, or a few that belong together.
fn gauge() -> impl Strategy<Value = u16> {
    QUEUES..QUEUES + 2
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    const LONGEST: u64 = 1 << 40;
    let one = prop_oneof![
        length(0..LONGEST).prop_map(Step::Compute),
        length(0..LONGEST).prop_map(Step::Suspend),
        (length(0..LONGEST), length(0..LONGEST))
            .prop_map(|(declared, actual)| Step::Overrun { declared, actual }),
        (length(0..LONGEST), stalls())
            .prop_map(|(compute, stalls)| Step::Stalling { compute, stalls }),
        Just(Step::Yield),
        Just(Step::Control),
        (0..SEMAPHORES).prop_map(Step::Wait),
        (0..SEMAPHORES).prop_map(Step::Signal),
        (0..QUEUES).prop_map(Step::Send),
        (0..QUEUES).prop_map(Step::Receive),
        (0..QUEUES).prop_map(Step::TrySend),
        (0..QUEUES).prop_map(Step::TryReceive),
        (gauge(), 1..=u16::MAX).prop_map(|(gauge, by)| Step::Raise { gauge, by }),
        (gauge(), 1..3_u16).prop_map(|(gauge, by)| Step::Lower { gauge, by }),
        vec(any::<u8>(), 1..4).prop_map(Step::Result),
    ];
    let leaf = vec(one, 1..4);
    let nested = leaf.prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            inner.clone(),
            (1_u32..5, inner.clone()).prop_map(|(times, body)| vec![Step::Repeat {
                times: Some(times),
                body
            }]),
            (inner.clone(), inner).prop_map(|(a, b)| [a, b].concat()),
        ]
    });
    // One critical section around some part: locks nest in the order of their numbers.
    (nested.clone(), nested, 0..=MUTEXES).prop_map(|(inside, outside, locks)| {
        let lock = (0..locks).map(Step::Lock);
        let unlock = (0..locks).rev().map(Step::Unlock);
        lock.chain(inside).chain(unlock).chain(outside).collect()
    })
}

fn arrival() -> impl Strategy<Value = Arrival> {
    const RANGE: std::ops::Range<u64> = 1..1 << 62;
    prop_oneof![
        time(RANGE).prop_map(|period| Arrival::Periodic { period }),
        (time(RANGE), length(RANGE)).prop_map(|(separation, gap)| {
            let fits = gap.shortest() >= separation;
            let gap = if fits { gap } else { Length::Fixed(separation) };
            Arrival::Sporadic { separation, gap }
        }),
        Just(Arrival::Once),
    ]
}

/// A reservation of a share, of a period, or of both.
fn reserve() -> impl Strategy<Value = Reserve> {
    let share = (1_u32..=1_000_000).prop_map(Share::from_millionths);
    (share, time(1..u64::MAX), 0..3_u8).prop_map(|(share, period, which)| Reserve {
        share: (which != 1).then_some(share),
        period: (which != 2).then_some(period),
    })
}

fn on_miss() -> impl Strategy<Value = OnMiss> {
    prop_oneof![
        Just(OnMiss::Continue),
        Just(OnMiss::Skip),
        Just(OnMiss::Abort)
    ]
}

fn task(cpus: u8) -> impl Strategy<Value = Task> {
    let behaviour = prop_oneof![
        time(1..1 << 40).prop_map(|wcet| vec![Step::Compute(Length::Fixed(wcet))]),
        (time(0..1 << 40), time(1..1 << 40)).prop_map(|(bcet, more)| {
            let (min, max) = (bcet, bcet + more);
            vec![Step::Compute(Length::Uniform { min, max })]
        }),
        steps(),
    ];
    (
        arrival(),
        (behaviour, any::<bool>(), option::of(time(0..1 << 30))),
        (time(0..u64::MAX), option::of(time(0..1 << 62))),
        option::of(time(1..1 << 62)),
        (
            option::of(any::<u8>()),
            option::of(-20_i8..20),
            option::of((0_u32..=1_000_000).prop_map(Share::from_millionths)),
            option::of(reserve()),
            option::of(any::<u16>()),
            option::of(0..cpus),
            option::of(prop::collection::btree_set(0..cpus, 1..4)),
        ),
        (
            on_miss(),
            btree_map("[a-z_]{1,8}|\\PC{0,4}", settings(), 0..3),
            stalls(),
            option::of((0..FEWEST).prop_map(Speed)),
        ),
    )
        .prop_map(
            |(arrival, (mut steps, forever, spare), (phase, jitter), deadline, numbers, rest)| {
                let (on_miss, policies, stalls, speed) = rest;
                let (priority, nice, share, reserve, importance, cpu, allowed) = numbers;
                let allowed = allowed.filter(|_| cpu.is_none());
                if forever && arrival == Arrival::Once && behaviour::takes_time(&steps) {
                    steps = vec![Step::Repeat {
                        times: None,
                        body: steps,
                    }];
                }
                let computes = behaviour::demand(&steps).unwrap().compute;
                // More than the steps add up to, at times.
                let wcet = spare.map_or(computes, |spare| computes + spare);
                let least = wcet.max(Duration::from_nanos(1));
                let deadline = match (wcet, arrival.period()) {
                    (Duration::MAX, _) => None,
                    (_, Some(period)) => Some(deadline.unwrap_or(period).max(least)),
                    (_, None) => deadline.map(|deadline| deadline.max(least)),
                };
                let name = String::new();
                let jitter = jitter.filter(|_| arrival != Arrival::Once);
                let jitter = jitter.unwrap_or_default();
                Task {
                    name,
                    arrival,
                    phase,
                    jitter,
                    deadline,
                    wcet,
                    priority,
                    nice,
                    share,
                    reserve,
                    importance,
                    cpu,
                    cpus: allowed.map(|cpus| cpus.into_iter().collect()),
                    server: None,
                    stalls,
                    speed,
                    groups: Groups::default(),
                    on_miss,
                    behaviour: steps,
                    policies,
                    location: Location::default(),
                }
            },
        )
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof!["[A-Za-z][A-Za-z0-9 _-]{0,9}", "\\PC{1,20}"]
        .prop_map(|name| name.trim().to_owned())
        .prop_filter("names hold something printable", |name| {
            !name.is_empty() && !name.contains(char::is_control)
        })
}

/// So many different names.
fn names(count: usize) -> impl Strategy<Value = Vec<String>> {
    proptest::collection::hash_set(name(), count).prop_map(|names| names.into_iter().collect())
}

fn cost() -> impl Strategy<Value = Cost> {
    prop_oneof![
        Just(Cost::default()),
        time(0..1 << 30).prop_map(Cost::fixed),
        btree_map(1..100_u32, time(0..1 << 30), 1..4)
            .prop_map(|points| Cost::table(points.into_iter().collect())),
    ]
}

fn platform() -> impl Strategy<Value = Platform> {
    let overheads = vec(cost(), 8).prop_map(|mut costs| {
        let mut cost = || costs.pop().unwrap_or_default();
        Overheads {
            release: cost(),
            call: cost(),
            scheduling: cost(),
            context_switch: cost(),
            tick: cost(),
            control: cost(),
            ipi: cost(),
            cache: cost(),
        }
    });
    let jitter = prop_oneof![Just(Jitter::Random), Just(Jitter::Worst)];
    let tick = option::of(time(1..1 << 40));
    let clocks = vec(vec(0..128_u8, 0..5), 0..3);
    (
        1..=128_u8,
        tick,
        overheads,
        jitter,
        option::of(speeds()),
        clocks,
    )
        .prop_map(|(cpus, tick, overheads, jitter, speeds, mut clocks)| {
            for clock in &mut clocks {
                clock.retain(|&cpu| cpu < cpus);
            }
            Platform {
                cpus,
                tick,
                overheads,
                jitter,
                speeds: speeds.map(|speeds| speeds.with_clocks(clocks)),
            }
        })
}

/// Three servers, and which of them each of some tasks runs in. Their tasks are bound to the CPUs of
/// theirs, or to none.
fn servers(cpus: u8) -> impl Strategy<Value = (Vec<Server>, Vec<Option<u16>>)> {
    let mode = option::of(select(vec![ServerMode::Hard, ServerMode::Soft]));
    let lengths = (1_u64..1 << 40, 0_u64..1 << 40, 0_u64..1 << 40);
    let alpha = option::of(0..=1_000_000_000_u32);
    let server =
        (lengths, mode, alpha, option::of(0..cpus)).prop_map(|(lengths, mode, alpha, cpu)| {
            let (budget, slack, rest) = lengths;
            Server {
                name: String::new(),
                budget: Duration::from_nanos(budget),
                period: Duration::from_nanos(budget + slack + rest),
                deadline: Duration::from_nanos(budget + slack),
                mode,
                alpha,
                cpu,
                location: Location::default(),
            }
        });
    let which = vec(option::of(0..3_u16), 6);
    (vec(server, 3), which)
}

/// The groups of some tasks: their numbers, and which of three programs and devices they name.
fn groups() -> impl Strategy<Value = Vec<(u8, Option<u16>, Option<u16>)>> {
    let names = || option::of(0..3_u16);
    vec((0..=LAST_GROUP, names(), names()), 6)
}

/// Gives each of these numbers, which are the first to the last of so many `names`, the place at which
/// it comes first; returns the names in that order.
fn in_order<'a>(
    numbers: impl Iterator<Item = &'a mut Option<u16>>,
    names: &[String],
) -> Vec<String> {
    let mut order = Vec::new();
    for number in numbers.flatten() {
        let place = order.iter().position(|it| it == number);
        let place = place.unwrap_or_else(|| {
            order.push(*number);
            order.len() - 1
        });
        *number = u16::try_from(place).unwrap();
    }
    order
        .iter()
        .map(|&it| names[usize::from(it)].clone())
        .collect()
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        time(0..u64::MAX).prop_map(Value::Duration),
        any::<i64>().prop_map(Value::Integer),
        "-?(0|[1-9][0-9]{0,3})\\.[0-9]{1,4}(e-?[0-9]{1,2})?".prop_map(Value::Decimal),
        any::<bool>().prop_map(Value::Bool),
        any::<String>()
            .prop_filter("a text that is no time", |text| parse_duration(text)
                .is_err())
            .prop_map(Value::Text),
        vec(vec(any::<u32>(), 0..4), 1..4).prop_map(Value::Table),
    ]
}

fn settings() -> impl Strategy<Value = Settings> {
    btree_map(
        "[a-z_]{1,8}|\\PC{0,4}",
        value().prop_map(Setting::from),
        0..4,
    )
    .prop_map(|values| Settings {
        values,
        place: None,
    })
}

fn endpoint(end: End) -> impl Strategy<Value = Endpoint> {
    let parts = (
        0..QUEUES + 2,
        length(1..1 << 40),
        1..=u16::MAX,
        time(0..1 << 40),
    );
    parts.prop_map(move |(queue, every, count, phase)| Endpoint {
        end,
        queue,
        every,
        count,
        phase,
    })
}

fn endpoints() -> impl Strategy<Value = Vec<Endpoint>> {
    let both = (
        vec(endpoint(End::Source), 0..3),
        vec(endpoint(End::Sink), 0..3),
    );
    both.prop_map(|(sources, sinks)| [sources, sinks].concat())
}

fn task_set() -> impl Strategy<Value = TaskSet> {
    (without_endpoints(), endpoints()).prop_map(|(set, endpoints)| TaskSet { endpoints, ..set })
}

fn without_endpoints() -> impl Strategy<Value = TaskSet> {
    let tasks = platform().prop_flat_map(|platform| {
        let cpus = platform.cpus;
        (
            Just(platform),
            vec(task(cpus), 1..6),
            servers(cpus),
            (groups(), names(3), names(3)),
        )
    });
    let sharing = (
        any::<[bool; MUTEXES as usize]>(),
        any::<u32>(),
        1..=u16::MAX / QUEUES,
    );
    (
        (any::<String>(), option::of(any::<String>())),
        tasks,
        names(6),
        names((MUTEXES + SEMAPHORES + QUEUES + 2 + 3).into()),
        sharing,
        btree_map("[a-z_]{1,8}|\\PC{0,4}", settings(), 0..3),
    )
        .prop_map(
            |(
                (name, source),
                (platform, mut tasks, servers, groups),
                names,
                shared,
                sharing,
                policies,
            )| {
                for (task, name) in tasks.iter_mut().zip(names) {
                    task.name = name;
                    task.speed = task.speed.filter(|_| platform.speeds.is_some());
                }
                let (mut servers, which) = servers;
                for (task, which) in tasks.iter_mut().zip(which) {
                    task.server = which;
                    if let Some(number) = which {
                        (task.cpu, task.cpus) = (servers[usize::from(number)].cpu, None);
                    }
                }
                let (groups, programs, devices) = groups;
                for (task, (number, program, device)) in tasks.iter_mut().zip(groups) {
                    task.groups = Groups {
                        number,
                        program,
                        device,
                    };
                }
                let of_tasks = tasks.iter_mut().map(|task| &mut task.groups.program);
                let programs = in_order(of_tasks, &programs);
                let of_tasks = tasks.iter_mut().map(|task| &mut task.groups.device);
                let devices = in_order(of_tasks, &devices);
                let (inherit, initial, capacity) = sharing;
                let mut shared = shared.into_iter();
                let mutexes = inherit.map(|inherit| Mutex {
                    name: shared.next().unwrap(),
                    protocol: if inherit {
                        Protocol::Inherit
                    } else {
                        Protocol::None
                    },
                });
                let semaphores = shared.by_ref().take(SEMAPHORES.into());
                let semaphores = semaphores.map(|name| Semaphore { name, initial }).collect();
                let queues = shared.by_ref().take(QUEUES.into());
                let queue = |gauge| {
                    move |name| Queue {
                        name,
                        capacity,
                        gauge,
                    }
                };
                let mut queues: Vec<Queue> = queues.map(queue(None)).collect();
                // They come behind the queues.
                for gauge in GAUGES {
                    queues.extend(shared.next().map(queue(Some(gauge))));
                }
                for (server, name) in servers.iter_mut().zip(shared) {
                    server.name = name;
                }
                let mutexes = mutexes.into();
                TaskSet {
                    name,
                    source,
                    platform,
                    tasks,
                    mutexes,
                    semaphores,
                    queues,
                    servers,
                    programs,
                    devices,
                    policies,
                    endpoints: Vec::new(),
                }
            },
        )
}

/// What a table can hold of a set.
fn flat(mut set: TaskSet) -> TaskSet {
    set.tasks
        .retain(|task| matches!(task.arrival, Arrival::Periodic { .. }) && !task.wcet.is_zero());
    for task in &mut set.tasks {
        (task.cpus, task.server, task.reserve) = (None, None, None);
        task.groups = Groups::default();
        task.policies.clear();
        (task.stalls, task.speed) = (Share::default(), None);
        let is_range = matches!(
            task.behaviour[..],
            [Step::Compute(Length::Uniform { min, max })] if min < max && max == task.wcet
        );
        if !is_range {
            task.behaviour = vec![Step::Compute(Length::Fixed(task.wcet))];
        }
    }
    let cpus = set
        .tasks
        .iter()
        .filter_map(|task| task.cpu)
        .max()
        .map_or(1, |cpu| cpu + 1);
    let platform = Platform {
        cpus,
        ..Platform::default()
    };
    TaskSet {
        name: "flat".into(),
        platform,
        tasks: set.tasks,
        ..TaskSet::default()
    }
}

proptest! {
    #[test]
    fn toml(set in task_set()) {
        let text = to_toml(&set);
        match read_str(&text, Format::Toml, "x.toml") {
            Ok(read) => prop_assert_eq!(read, set),
            Err(error) => prop_assert!(false, "{}\n{}", error, text),
        }
    }

    #[test]
    fn csv(set in task_set().prop_map(flat)) {
        prop_assume!(!set.tasks.is_empty());
        let text = to_csv(&set).unwrap();
        match read_str(&text, Format::Csv, "some/flat.csv") {
            Ok(read) => prop_assert_eq!(read, set),
            Err(error) => prop_assert!(false, "{}\n{}", error, text),
        }
    }

    /// A set goes into a table exactly if nothing is lost there.
    #[test]
    fn csv_refuses_what_it_would_lose(set in task_set()) {
        let same = flat(set.clone()) == TaskSet { name: "flat".into(), ..set.clone() };
        prop_assert_eq!(to_csv(&set).is_ok(), same);
    }

    #[test]
    fn no_text_makes_it_panic(text in any::<String>()) {
        let _ = read_str(&text, Format::Toml, "x.toml");
        let _ = read_str(&format!("schema = 1\n{text}"), Format::Toml, "x.toml");
        let _ = read_str(&text, Format::Csv, "x.csv");
        let _ = read_str(&format!("period,wcet,name\n{text}"), Format::Csv, "x.csv");
    }
}

/// Written as a person would.
#[test]
fn golden() {
    let ms = Duration::from_millis;
    let mut radar = Task::periodic("Radar", ms(25), ms(2));
    radar.priority = Some(3);
    let mut camera = Task::periodic("Camera", ms(40), ms(3));
    camera.deadline = Some(ms(30));
    camera.behaviour = vec![
        Step::Lock(0),
        Step::Compute(Length::Uniform {
            min: ms(1),
            max: ms(1) + Duration::from_micros(500),
        }),
        Step::Unlock(0),
        Step::Repeat {
            times: Some(3),
            body: vec![
                Step::Yield,
                Step::Control,
                Step::Compute(Length::Fixed(Duration::from_micros(500))),
            ],
        },
        Step::Result(vec![2]),
        Step::Result(vec![0, 0, 3]),
    ];
    let mut set = TaskSet {
        name: "Two".into(),
        tasks: vec![radar, camera],
        ..TaskSet::default()
    };
    set.mutexes.push(Mutex {
        name: "bus".into(),
        protocol: Protocol::None,
    });
    set.platform.tick = Some(ms(1));
    let points = vec![
        (15, Duration::from_micros(2)),
        (5, Duration::from_micros(1)),
    ];
    set.platform.overheads.scheduling = Cost::table(points);
    let mut quantum = Settings::default();
    quantum
        .values
        .insert("quantum".into(), Value::Duration(ms(10)).into());
    set.policies.insert("rr".into(), quantum.clone());
    set.tasks[0].policies.insert("rr".into(), quantum);
    let gain = Setting::from(Value::Decimal("0.50".into()));
    let other = set.tasks[0].policies.entry("my own".into()).or_default();
    other.values.insert("gain".into(), gain);
    let expected = r#"schema = 1
name = "Two"

[platform]
cpus = 1
tick = "1ms"

[platform.overheads]
scheduling = { 5 = "1us", 15 = "2us" }

[policies.rr]
quantum = "10ms"

[[mutex]]
name = "bus"
protocol = "none"

[[task]]
name = "Radar"
period = "25ms"
wcet = "2ms"
priority = 3

[task.policies."my own"]
gain = 0.50

[task.policies.rr]
quantum = "10ms"

[[task]]
name = "Camera"
period = "40ms"
deadline = "30ms"
behaviour = [
    { lock = "bus" },
    { compute = { uniform = ["1ms", "1.5ms"] } },
    { unlock = "bus" },
    { repeat = 3, do = [
        "yield",
        "control",
        { compute = "500us" },
    ] },
    { result = 2 },
    { result = { one_of = [0, 0, 3] } },
]
"#;
    assert_eq!(to_toml(&set), expected);
    assert_eq!(read_str(expected, Format::Toml, "x.toml"), Ok(set));
}

/// Programs and devices are numbered as the tasks name them first; a table has no column for them.
#[test]
fn groups_of_tasks() {
    let task = |name: &str, keys: &str| {
        format!("[[task]]\nname = \"{name}\"\nperiod = \"9ms\"\nwcet = \"1ms\"\n{keys}\n")
    };
    let text = [
        "schema = 1\n".to_owned(),
        task("a", "program = \"mem\"\ngroup = 7"),
        task("b", "device = \"disk0\""),
        task("c", "program = \"gcc\"\ndevice = \"disk1\""),
        task("d", "program = \"mem\"\ndevice = \"disk0\""),
    ];
    let set = read_str(&text.concat(), Format::Toml, "x.toml").unwrap();
    assert_eq!(set.programs, ["mem", "gcc"]);
    assert_eq!(set.devices, ["disk0", "disk1"]);
    let groups = set.tasks.iter().map(|task| {
        let it = task.groups;
        (it.number, it.program, it.device)
    });
    let expected = [
        (7, Some(0), None),
        (0, None, Some(0)),
        (0, Some(1), Some(1)),
        (0, Some(0), Some(0)),
    ];
    assert!(groups.eq(expected));
    assert_eq!(set.program_of(&set.tasks[3]), Some("mem"));
    assert_eq!(set.device_of(&set.tasks[0]), None);
    let refused = to_csv(&set).unwrap_err();
    assert_eq!(
        refused.message,
        "a CSV file cannot hold the groups of task \"a\""
    );
}

/// A reservation says a share, a period or both; a table has no column for it.
#[test]
fn reservations() {
    let share = Some(Share::from_millionths(200_000));
    let period = Some(Duration::from_millis(30));
    let cases = [
        ("share = 0.2", share, None),
        ("period = \"30ms\"", None, period),
        ("share = 0.2, period = \"30ms\"", share, period),
    ];
    for (keys, share, period) in cases {
        let line = format!("reserve = {{ {keys} }}");
        let text = format!("schema = 1\n[[task]]\nperiod = \"9ms\"\nwcet = \"1ms\"\n{line}\n");
        let set = read_str(&text, Format::Toml, "x.toml").unwrap();
        assert_eq!(set.tasks[0].reserve, Some(Reserve { share, period }));
        assert!(to_toml(&set).lines().any(|it| it == line));
        assert_eq!(
            to_csv(&set).unwrap_err().message,
            "a CSV file cannot hold what is reserved for task \"T1\""
        );
    }
}

/// What a task says to policies keeps its places, and finds none in a table.
#[test]
fn settings_of_a_task() {
    let text = "schema = 1\n[[task]]\nname = \"x\"\nperiod = \"9ms\"\nwcet = \"1ms\"\n\
                policies.edf = {}\n[task.policies.fp-rr]\nquantum = \"2ms\"\n";
    let set = read_str(text, Format::Toml, "x.toml").unwrap();
    let policies = &set.tasks[0].policies;
    let at = |line, column| Some(flyball_model::Place { line, column });
    assert_eq!(policies["edf"].place, at(6, 10));
    assert_eq!(policies["fp-rr"].place, at(7, 16));
    let quantum = &policies["fp-rr"].values["quantum"];
    assert_eq!(quantum.place, at(8, 1));
    assert_eq!(quantum.value, Value::Duration(Duration::from_millis(2)));
    let refused = to_csv(&set).unwrap_err().to_string();
    let expected = "a CSV file cannot hold settings of policies for task \"x\"\n \
                    |\n = help: write the set as TOML";
    assert_eq!(refused, expected);
}

#[test]
fn golden_csv() {
    let ms = Duration::from_millis;
    let mut first = Task::periodic("a, b", ms(10), ms(1));
    first.on_miss = OnMiss::Skip;
    let mut second = Task::periodic("# no comment", ms(20), Duration::from_micros(2_500));
    second.deadline = Some(ms(15));
    let set = TaskSet {
        name: "x".into(),
        tasks: vec![first, second],
        ..TaskSet::default()
    };
    let expected = "name,period,wcet,deadline,on_miss\n\
                    \"a, b\",10ms,1ms,,skip\n\
                    \"# no comment\",20ms,2.5ms,15ms,\n";
    assert_eq!(to_csv(&set).unwrap(), expected);
    assert_eq!(read_str(expected, Format::Csv, "x.csv"), Ok(set));
}
