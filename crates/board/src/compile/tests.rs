//! Task sets as data, and those that do not fit.

use super::*;
use flyball_catalogue::sorting::{By, Sorting};
use flyball_catalogue::{
    Affine, Boot, CcEdf, Clustered, Cruise, Dss, Edf, Ipi, Pd2, Shape, Written,
};
use flyball_model::{Length, Mutex, OnMiss, Queue, Semaphore, Step, read_file};
use flyball_policy::Sorts;
use flyball_policy::cruise::Domains;
use flyball_policy::i_plus_pi::Settings;
use flyball_script::Image;
use flyball_script::op;
use flyball_trace::Time;
use std::fs;
use std::path::Path;

const MACHINE: Machine = Machine::CortexM3;

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn options(until: Duration) -> Options<'static> {
    Options {
        until,
        seed: 7,
        ..Options::of(&Ipi {
            settings: Settings::THESIS,
        })
    }
}

fn one(task: Task) -> TaskSet {
    TaskSet {
        tasks: vec![task],
        ..TaskSet::default()
    }
}

fn random() -> Step {
    Step::Compute(Length::Uniform {
        min: ms(1),
        max: ms(2),
    })
}

#[test]
fn a_set_becomes_an_image() {
    let mut set = one(Task::periodic("a", ms(10), ms(2)));
    set.tasks.push(Task {
        arrival: Arrival::Once,
        deadline: None,
        phase: ms(4),
        priority: Some(9),
        on_miss: OnMiss::Skip,
        share: Some(flyball_model::Share::from_millionths(250_000)),
        importance: Some(125),
        behaviour: vec![Step::Lock(0), Step::Unlock(0)],
        ..Task::periodic("b", ms(1), ms(1))
    });
    set.platform.tick = Some(ms(1));
    set.mutexes.push(Mutex {
        name: "m".into(),
        protocol: Protocol::Inherit,
    });
    set.semaphores.push(Semaphore {
        name: "s".into(),
        initial: 3,
    });
    set.queues.push(Queue {
        name: "q".into(),
        capacity: 256,
        gauge: None,
    });
    let contents = contents(MACHINE, &set, &options(ms(50))).unwrap();
    let blob = blob(MACHINE, &contents).unwrap();
    let image = Image::new(&blob).unwrap();
    let common = Common {
        cpus: 1,
        cluster: 1,
        start: Time::from_millis(1),
        end: Time::from_millis(51),
        tick: ms(1),
        shape: 0,
        instruction: Duration::from_nanos(1),
    };
    assert_eq!(image.common(), common);
    assert!(image.inherits(0));
    assert_eq!((image.initial(0), image.capacity(0)), (3, 256));
    let (a, b) = (image.task(0).unwrap(), image.task(1).unwrap());
    assert_eq!((a.arrival, a.period), (image::Arrival::Periodic, ms(10)));
    assert_eq!(a.deadline, ms(10));
    let compute = Op::Compute(op::Length::Fixed(ms(2)));
    assert_eq!(image.operation(&a, 0), Some(compute));
    assert_eq!(
        (b.arrival, b.period),
        (image::Arrival::Once, Duration::ZERO)
    );
    assert_eq!((b.deadline, b.phase), (Duration::MAX, ms(4)));
    assert_eq!(b.on_miss, image::OnMiss::Skip);
    // What the policy is told is what the simulator tells it.
    assert_eq!(image.scheduler(), "ipi");
    let ipi = Ipi::find("ipi", Shape::One, &mut image.settings()).unwrap();
    for (task, row) in set.tasks.iter().zip([a, b]) {
        let params = ipi.decode(&mut image.params(&row)).unwrap();
        assert_eq!(params, Ipi::share(&Facts::of(&set, task)));
    }
}

/// Where CPUs share their tasks a task may be kept to some of them.
#[test]
fn affinities_are_for_global_policies() {
    let mut set = one(Task::periodic("a", ms(10), ms(2)));
    set.tasks.push(Task {
        cpus: Some(vec![0, 2]),
        ..Task::periodic("b", ms(10), ms(2))
    });
    // No more than all there are.
    set.tasks.push(Task {
        cpus: Some(vec![0, 1, 2]),
        ..Task::periodic("c", ms(10), ms(2))
    });
    set.platform.cpus = 3;
    let compiled = |set: &TaskSet, policy, scheduler: &dyn Written, cluster| {
        let options = Options {
            policy,
            until: ms(50),
            cluster,
            ..Options::of(scheduler)
        };
        contents(Machine::Riscv, set, &options)
    };
    let edf = Affine(Edf);
    let cpus = |params: &Vec<u8>| edf.decode(&mut &params[..]).unwrap().cpus.bits();
    let tasks = compiled(&set, "g-edf", &edf, 3).unwrap().tasks;
    let affinities = tasks.iter().map(|task| cpus(&task.params));
    assert_eq!(affinities.collect::<Vec<_>>(), [u128::MAX, 0b101, 0b111]);
    assert!(compiled(&set, "p-edf", &Edf, 1).is_ok());
    let (clustered, pd2) = (Clustered::global(Edf), Pd2 { quantum: ms(1) });
    let refused: [(_, &dyn Written, _); 3] = [
        ("c-edf", &clustered, 2),
        ("g-edf", &edf, 2),
        ("pd2", &pd2, 3),
    ];
    for (policy, scheduler, cluster) in refused {
        let error = compiled(&set, policy, scheduler, cluster).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "task \"b\": to keep it to some CPUs under {policy} is not supported on machine riscv \
                 yet"
            )
        );
    }
    set.tasks.remove(1);
    assert!(compiled(&set, "pd2", &pd2, 3).is_ok());
}

#[test]
fn lengths_are_enough_and_those_of_the_simulation() {
    let task = Task {
        behaviour: vec![random(), Step::Result(vec![1, 2, 9]), random()],
        ..Task::periodic("a", ms(10), ms(4))
    };
    let simulated =
        Program::new(&task, 0, 7).lengths(100, Duration::MAX, 1_000, |_| Slowdown::NONE);
    let drawn = contents(MACHINE, &one(task), &options(ms(95)))
        .unwrap()
        .tasks;
    // Jobs are released at 0, 10, …, 90.
    assert!(drawn[0].lengths.len() >= 30);
    assert_eq!(drawn[0].lengths, simulated[..drawn[0].lengths.len()]);
}

#[test]
fn a_job_without_end_has_lengths_for_the_whole_time() {
    let task = Task {
        arrival: Arrival::Once,
        deadline: None,
        wcet: Duration::MAX,
        behaviour: vec![Step::Repeat {
            times: None,
            body: vec![random(), Step::Result(vec![0, 255])],
        }],
        ..Task::periodic("a", ms(10), ms(4))
    };
    let drawn = contents(MACHINE, &one(task), &options(ms(100)))
        .unwrap()
        .tasks;
    let sum: Duration = drawn[0].lengths.iter().copied().sum();
    assert!(sum > ms(100) && sum <= ms(102), "{sum}");
}

#[test]
fn too_many_lengths_are_refused() {
    let task = Task {
        behaviour: vec![random()],
        ..Task::periodic("a", Duration::from_micros(1), ms(2))
    };
    let error = contents(MACHINE, &one(task), &options(Duration::from_secs(2))).unwrap_err();
    assert!(matches!(error, BoardError::TooLarge { .. }), "{error}");
}

#[test]
fn what_does_not_fit_is_refused() {
    let task = |n| Task::periodic(format!("{n}"), ms(5), ms(1));
    let mut set = TaskSet {
        tasks: (0..33).map(task).collect(),
        ..TaskSet::default()
    };
    let error = contents(MACHINE, &set, &options(ms(9))).unwrap_err();
    assert_eq!(
        error.to_string(),
        "33 tasks, and machine cortex-m3 holds 32"
    );
    set.tasks.pop();
    assert!(contents(MACHINE, &set, &options(ms(9))).is_ok());
    set.platform.cpus = 2;
    let error = contents(MACHINE, &set, &options(ms(9))).unwrap_err();
    assert_eq!(error.to_string(), "2 CPUs, and machine cortex-m3 holds 1");
}

#[test]
fn what_does_not_fit_a_small_board_is_refused() {
    let task = |n| Task {
        behaviour: vec![random()],
        ..Task::periodic(format!("{n}"), ms(5), ms(2))
    };
    let set = |tasks| TaskSet {
        tasks: (0..tasks).map(task).collect(),
        ..TaskSet::default()
    };
    let refused = |set: &TaskSet, until| {
        let contents = contents(Machine::Lm3s6965, set, &options(until));
        let refused = contents.and_then(|contents| blob(Machine::Lm3s6965, &contents));
        refused.map(drop).map_err(|error| error.to_string())
    };
    assert_eq!(refused(&set(8), ms(1_000)), Ok(()));
    let tasks = "9 tasks, and machine lm3s6965 holds 8";
    assert_eq!(refused(&set(9), ms(9)), Err(tasks.to_owned()));
    let far = "machine lm3s6965 runs for 3600s at most, and this is 3601s";
    assert_eq!(refused(&set(1), ms(3_601_000)), Err(far.to_owned()));
    // 8 tasks of 2,000 jobs each draw 128,000 bytes.
    let large = "the task set with all its random lengths and releases does not fit into the 64 KiB that \
                 the board has for it";
    assert_eq!(refused(&set(8), ms(10_000)), Err(large.to_owned()));
}

#[test]
fn the_board_counts_so_deep_and_so_far() {
    let nested = |depth| {
        let body = vec![random()];
        let behaviour = (0..depth).fold(body, |body, _| {
            vec![Step::Repeat {
                times: Some(1),
                body,
            }]
        });
        one(Task {
            behaviour,
            ..Task::periodic("deep", ms(5), ms(2))
        })
    };
    assert!(contents(MACHINE, &nested(8), &options(ms(9))).is_ok());
    let error = contents(MACHINE, &nested(9), &options(ms(9))).unwrap_err();
    assert!(error.to_string().contains("\"deep\": more than 8"));
    let error = contents(MACHINE, &nested(1), &options(ms(4_000_000))).unwrap_err();
    assert_eq!(
        error.to_string(),
        "machine cortex-m3 runs for 3600s at most, and this is 4000s"
    );
}

#[test]
fn what_cannot_change_is_refused() {
    let task = Task::periodic("a", ms(10), ms(2));
    let skips = Task {
        on_miss: OnMiss::Skip,
        ..task.clone()
    };
    let modes = Modes::from(one(task)).then(ms(20), vec![skips]);
    let error = changing(MACHINE, &modes, &options(ms(50))).unwrap_err();
    assert!(
        error.to_string().starts_with("task \"a\": changes of"),
        "{error}"
    );
}

/// Tasks that become something, begin and end; and all kinds of steps.
fn all_of_it() -> Modes {
    let named = |name: &str| name.to_owned();
    let nested = Step::Repeat {
        times: Some(3),
        body: vec![
            Step::Yield,
            Step::Control,
            Step::Repeat {
                times: Some(2),
                body: vec![random(), Step::Signal(0)],
            },
        ],
    };
    let a = Task {
        behaviour: vec![
            nested,
            Step::Lock(0),
            random(),
            Step::Unlock(0),
            Step::Send(0),
        ],
        ..Task::periodic("a", ms(40), ms(14))
    };
    let b = Task {
        on_miss: OnMiss::Abort,
        behaviour: vec![
            Step::Wait(0),
            Step::Receive(0),
            Step::Result(vec![1, 2]),
            Step::Suspend(Length::Fixed(ms(1))),
        ],
        ..Task::periodic("b", ms(50), ms(1))
    };
    let c = Task {
        arrival: Arrival::Once,
        deadline: None,
        wcet: Duration::MAX,
        behaviour: vec![Step::Repeat {
            times: None,
            body: vec![random()],
        }],
        ..Task::periodic("c", ms(1), ms(1))
    };
    let shorter = Task {
        behaviour: vec![random()],
        ..Task::periodic("a", ms(20), ms(2))
    };
    let set = TaskSet {
        tasks: vec![a, b.clone()],
        mutexes: vec![Mutex {
            name: named("m"),
            protocol: Protocol::Inherit,
        }],
        semaphores: vec![Semaphore {
            name: named("s"),
            initial: 1,
        }],
        queues: vec![Queue {
            name: named("q"),
            capacity: 4,
            gauge: None,
        }],
        ..TaskSet::default()
    };
    Modes::from(set)
        .then(ms(30), vec![shorter.clone(), b, c.clone()])
        .then(ms(60), vec![shorter, c])
}

/// What fuzzing begins with are images of today; `UPDATE_GOLDEN=1` writes them anew.
#[test]
fn seeds_of_fuzzing_are_images() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let example = root.join("examples/priority-inversion.toml");
    let seeds = [
        ("changing", all_of_it()),
        ("priority-inversion", read_file(example).unwrap().into()),
    ];
    for (name, modes) in seeds {
        let contents = changing(MACHINE, &modes, &options(ms(90))).unwrap();
        let bytes = blob(MACHINE, &contents).unwrap();
        assert_eq!(Image::new(&bytes).map(Image::len), Ok(bytes.len()));
        let file = root.join(format!("fuzz/seeds/image/{name}.img"));
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&file, &bytes).unwrap();
        }
        assert!(fs::read(&file).unwrap() == bytes, "{name}: UPDATE_GOLDEN=1");
    }
}

/// A board has one operating point, so a task computes for as long as it would at its own, and the board
/// is told how long changes take. Under a policy that chooses none CPUs stay at the fastest, whose times
/// those of the set are.
#[test]
fn a_task_computes_as_long_as_at_its_operating_point() {
    let text = "schema = 1\n[platform.speeds]\nfrequencies = [\"1MHz\", \"2MHz\"]\n\
                transition = [[\"0\", \"3us\"], [\"4us\", \"0\"]]\n\
                [[task]]\nperiod = \"10ms\"\npriority = 1\nstalls = 0.5\nspeed = 0\nbehaviour = [\
                { compute = \"1ms\" }, { suspend = \"1ms\" }, { compute = \"1ms\", stalls = 0.25 }, \
                { compute = { one_of = [\"2ms\", \"4ms\"] } }]\n\
                [[task]]\nperiod = \"10ms\"\nwcet = \"1ms\"\npriority = 1\n";
    let set = flyball_model::read_str(text, flyball_model::Format::Toml, "speeds.toml").unwrap();
    let dss = Dss {
        sorting: Sorting {
            by: By::Speed,
            design: None,
            costs: None,
            sorts: Sorts::ALWAYS,
        },
        quantum: ms(10),
    };
    let mut options = Options::of(&dss);
    options.until = ms(100);
    let told = contents(MACHINE, &set, &options).unwrap();
    let us = Duration::from_micros;
    let compute = |length| Op::Compute(op::Length::Fixed(us(length)));
    // What never waits takes twice as long.
    assert_eq!(
        told.tasks[0].operations,
        [
            compute(1_500),
            Op::Suspend(op::Length::Fixed(ms(1))),
            compute(1_750),
            Op::Compute(op::Length::Drawn(0)),
            Op::End
        ]
    );
    assert_eq!(told.tasks[1].operations, [compute(1_000), Op::End]);
    let lengths = &told.tasks[0].lengths;
    assert!(lengths.iter().all(|length| [ms(3), ms(6)].contains(length)));
    assert!([ms(3), ms(6)].iter().all(|length| lengths.contains(length)));
    assert_eq!(
        told.transitions,
        [[us(0), us(3)], [us(4), us(0)]].map(Vec::from)
    );
    let mut shared = set.clone();
    shared.platform.cpus = 2;
    let speeds = shared.platform.speeds.take();
    shared.platform.speeds = speeds.map(|speeds| speeds.with_clocks([vec![0, 1]]));
    let refused = contents(MACHINE, &shared, &options).unwrap_err();
    assert!(
        refused.to_string().contains("leave out `clocks`"),
        "{refused}"
    );
    let told = contents(MACHINE, &set, &Options::of(&Edf)).unwrap();
    assert_eq!(
        told.tasks[0].operations[..2],
        [compute(1_000), Op::Suspend(op::Length::Fixed(ms(1)))]
    );
    assert!(told.transitions.is_empty());
    let counts = Cruise {
        dss,
        settings: flyball_policy::cruise::Settings {
            domains: Domains::new(&[1_000_000, 2_000_000], 100, 100_000).unwrap(),
            doubt: 2,
            sorts: true,
        },
    };
    let error = contents(MACHINE, &set, &Options::of(&counts)).unwrap_err();
    let expected = "counts no cycles, instructions and requests to memory";
    assert!(error.to_string().contains(expected), "{error}");
    let scales = CcEdf {
        settings: flyball_policy::scaled::Settings {
            points: flyball_policy::scaled::Points::new(&[1_000_000, 2_000_000]).unwrap(),
            charge: us(12),
        },
    };
    let error = contents(MACHINE, &set, &Options::of(&scales)).unwrap_err();
    let expected = "the policy changes the point of the CPU: leave out `[platform.speeds]`";
    assert!(error.to_string().contains(expected), "{error}");
}
