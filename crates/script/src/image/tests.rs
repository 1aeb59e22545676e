//! What is written is read back, and bad bytes are refused.

use super::*;
use crate::op::Length;
use flyball_trace::Speed;
use proptest::prelude::*;
use std::vec;
use std::vec::Vec;

fn contents() -> Contents {
    let ns = Duration::from_nanos;
    let task = |number: u8| TaskContents {
        task: Task {
            cpu: number % 3,
            arrival: Arrival::Periodic,
            on_miss: OnMiss::Abort,
            period: ns(10),
            phase: ns(u64::from(number)),
            deadline: Duration::MAX,
            ..Task::default()
        },
        params: (0..number % 7).collect(),
        operations: vec![Op::Lock(0), Op::Compute(Length::Drawn(0)), Op::End],
        lengths: vec![ns(7), ns(u64::MAX - 1)],
        subtasks: (0..number % 4)
            .map(|n| (subtask(n, u64::from(number)), vec![n; n.into()]))
            .collect(),
    };
    Contents {
        common: Common {
            cpus: 4,
            cluster: 2,
            start: Time::from_nanos(5),
            end: Time::from_nanos(99),
            tick: ns(4),
            instruction: ns(16),
            shape: 2,
        },
        scheduler: "mine".to_owned(),
        settings: vec![1, 2, 3, 4, 5],
        controller: vec![6, 7, 8],
        mutexes: vec![true, false],
        semaphores: vec![u32::MAX],
        queues: vec![(9, None), (7, Some(GaugeKind::Stock))],
        tasks: vec![task(3), task(255)],
        new_modes: vec![task(4), task(5)],
        changes: vec![
            change(7, 0, ChangeKind::NewMode(3)),
            change(7, 1, ChangeKind::Start),
            change(50, 0, ChangeKind::Stop),
        ],
        interrupts: Vec::new(),
        transitions: vec![vec![ns(0), ns(1)], vec![ns(2), ns(0)]],
    }
}

/// Three tasks on two clusters of CPUs, whose jobs are listed but for those of the last one.
fn listed(releases: &[Interrupt]) -> Contents {
    let task = |cpu, arrival| {
        let mut contents = contents().tasks[0].clone();
        contents.subtasks.clear();
        (contents.task.cpu, contents.task.arrival) = (cpu, arrival);
        contents
    };
    Contents {
        tasks: vec![
            task(1, Arrival::Listed),
            task(2, Arrival::Listed),
            task(3, Arrival::Periodic),
        ],
        new_modes: Vec::new(),
        changes: Vec::new(),
        interrupts: releases.to_vec(),
        ..contents()
    }
}

fn release(task: u16, arrival: u64, at: u64) -> Interrupt {
    let [arrival, at] = [arrival, at].map(Duration::from_nanos);
    let brings = Brings::Job { task, arrival };
    Interrupt { at, brings }
}

#[test]
fn releases_are_those_of_a_cluster() {
    let all = [release(0, 1, 5), release(0, 5, 5), release(1, 2, 3)];
    let bytes = listed(&all).to_bytes().unwrap();
    let image = Image::new(&bytes).unwrap();
    let of = |cluster| {
        image
            .interrupts_of(cluster)
            .map(|n| image.interrupt(n).unwrap())
    };
    assert!(of(0).eq(all[..2].iter().copied()));
    assert!(of(1).eq(all[2..].iter().copied()));
    assert!(of(2).eq([]));
    assert_eq!(image.interrupt(3), None);
}

#[test]
fn releases_of_nothing_are_refused() {
    let here = release(0, 2, 5);
    for releases in [
        // Before the last one, before the job arrives, of a task that comes with the clock, of one
        // that there is not, and of a cluster whose others are elsewhere.
        vec![here, release(0, 2, 4)],
        vec![release(0, 2, 1)],
        vec![release(2, 2, 5)],
        vec![release(3, 2, 5)],
        vec![release(1, 2, 5), here],
    ] {
        let bytes = listed(&releases).to_bytes().unwrap();
        assert_eq!(
            Image::new(&bytes).err(),
            Some(ImageError::Interrupt),
            "{releases:?}"
        );
    }
}

fn subtask(cpu: u8, n: u64) -> Subtask {
    let ns = Duration::from_nanos;
    Subtask {
        cpu: CpuId(cpu),
        wcet: ns(n),
        from: ns(n + 1),
        until: ns(n + 2),
    }
}

fn change(at: u64, task: u16, kind: ChangeKind) -> Change {
    let at = Duration::from_nanos(at);
    Change { at, task, kind }
}

#[test]
fn what_is_written_is_read_back() {
    let contents = contents();
    let mut bytes = contents.to_bytes().unwrap();
    let length = bytes.len();
    // Behind it may be anything: it is read out of a memory.
    bytes.extend([0xaa; 100]);
    let image = Image::new(&bytes).unwrap();
    assert_eq!(image.len(), length);
    assert_eq!(image.common(), contents.common);
    assert_eq!(image.scheduler(), contents.scheduler);
    assert_eq!(image.settings(), contents.settings);
    assert_eq!(image.controller(), contents.controller);
    assert_eq!(
        (image.mutexes(), image.semaphores(), image.queues()),
        (2, 1, 2)
    );
    assert_eq!([0, 1].map(|n| image.inherits(n)), [true, false]);
    let points = [0, 1, 2].map(Speed);
    let row = |from| points.map(|to| image.transition(from, to).map(Duration::as_nanos));
    assert_eq!(
        points.map(row),
        [
            [Some(0), Some(1), None],
            [Some(2), Some(0), None],
            [None; 3]
        ]
    );
    assert_eq!(image.speeds(), 2);
    assert_eq!((image.initial(0), image.capacity(0)), (u32::MAX, 9));
    assert_eq!(image.tasks(), 2);
    assert_eq!((image.rows(), image.first()), (4, 1));
    let changes: Vec<Change> = (0..).map_while(|number| image.change(number)).collect();
    assert_eq!(changes, contents.changes);
    let rows = contents.tasks.iter().chain(&contents.new_modes);
    for (number, expected) in (0u16..).zip(rows) {
        let task = image.task(number).unwrap();
        let expected_row = Task {
            rest: task.rest,
            ..expected.task
        };
        assert_eq!(task, expected_row);
        assert_eq!(image.params(&task), expected.params);
        let operations: Vec<Op> = (0..).map_while(|at| image.operation(&task, at)).collect();
        assert_eq!(operations, expected.operations);
        let lengths: Vec<Duration> = (0..).map_while(|at| image.length(&task, at)).collect();
        assert_eq!(lengths, expected.lengths);
        let subtask = |at| {
            Some((
                image.subtask(&task, at)?,
                image.params_of_subtask(&task, at)?.to_vec(),
            ))
        };
        let subtasks: Vec<(Subtask, Vec<u8>)> = (0..).map_while(subtask).collect();
        assert_eq!(subtasks, expected.subtasks);
        assert_eq!(task.subtasks() as usize, subtasks.len());
    }
    assert_eq!(image.task(4), None);
}

#[test]
fn bad_images_are_refused() {
    let bytes = contents().to_bytes().unwrap();
    assert_eq!(Image::new(b"FLYTRACE").err(), Some(ImageError::Magic));
    let mut other = bytes.clone();
    other[8] = 1;
    assert_eq!(Image::new(&other).err(), Some(ImageError::Version(1)));
    for end in 8..bytes.len() {
        assert_eq!(Image::new(&bytes[..end]).err(), Some(ImageError::Truncated));
    }
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(
        is_listed in any::<bool>(),
        at in any::<prop::sample::Index>(),
        with in any::<[u8; 4]>(),
    ) {
        let releases = [release(0, 1, 5), release(1, 2, 3)];
        let contents = if is_listed { listed(&releases) } else { contents() };
        let mut bytes = contents.to_bytes().unwrap();
        let end = bytes.len();
        // Anywhere behind the magic.
        let at = 8 + at.index(end - 8);
        for (place, byte) in (at..end).zip(with) {
            bytes[place] = byte;
        }
        if let Ok(image) = Image::new(&bytes) {
            for number in 0..image.rows() {
                let task = image.task(number).unwrap();
                let _ = (image.operation(&task, 0), image.length(&task, u32::MAX));
                let _ = (image.params(&task), image.scheduler(), image.settings(), image.controller());
                prop_assert!((0..task.subtasks()).all(|at| image.params_of_subtask(&task, at).is_some()));
                prop_assert!((0..task.subtasks()).all(|at| image.subtask(&task, at).is_some()));
            }
            prop_assert!(image.first() <= image.tasks() && image.tasks() <= image.rows());
            let mut releases = (0..64).flat_map(|cluster| image.interrupts_of(cluster));
            prop_assert!(releases.all(|number| image.interrupt(number).is_some()));
            let changes = (0..).map_while(|number| image.change(number));
            for change in changes {
                prop_assert!(change.task < image.tasks());
                if let ChangeKind::NewMode(row) = change.kind {
                    prop_assert!(image.task(row).is_some());
                }
            }
        }
    }
}

#[test]
fn changes_of_nothing_are_refused() {
    let refused = |changes: &[Change]| {
        let mut contents = contents();
        // Row 3 has another arrival than the tasks, and row 4 does something else when it is late.
        contents.new_modes = vec![contents.tasks[0].clone(); 3];
        contents.new_modes[1].task.arrival = Arrival::Once;
        contents.new_modes[2].task.on_miss = OnMiss::Continue;
        contents.changes = changes.to_vec();
        Image::new(&contents.to_bytes().unwrap()).err()
    };
    let begins = change(1, 1, ChangeKind::Start);
    assert_eq!(refused(&[]), None);
    assert_eq!(
        refused(&[begins, change(1, 1, ChangeKind::NewMode(2))]),
        None
    );
    for changes in [
        // Before the last one, of a task that there is not (yet), into nothing, into what it cannot
        // be, and begun twice.
        vec![begins, change(0, 0, ChangeKind::Stop)],
        vec![change(1, 2, ChangeKind::Stop)],
        vec![change(1, 1, ChangeKind::Stop), begins],
        vec![begins, change(1, 0, ChangeKind::NewMode(5))],
        vec![begins, change(1, 0, ChangeKind::NewMode(3))],
        vec![begins, change(1, 0, ChangeKind::NewMode(4))],
        vec![change(1, 0, ChangeKind::Start)],
        vec![begins, begins],
    ] {
        assert_eq!(refused(&changes), Some(ImageError::Change), "{changes:?}");
    }
}

#[test]
fn parts_for_nobody_are_refused() {
    let refused = |change: fn(&mut TaskContents)| {
        let mut contents = contents();
        change(&mut contents.tasks[1]);
        Image::new(&contents.to_bytes().unwrap()).err()
    };
    assert_eq!(refused(|_| ()), None);
    assert_eq!(
        refused(|task| task.subtasks[2].0.cpu = CpuId(4)),
        Some(ImageError::Subtask)
    );
    assert_eq!(
        refused(|task| task.task.period = Duration::ZERO),
        Some(ImageError::Subtask)
    );
}

/// More tasks begin than there are, and than a number counts.
#[test]
fn tasks_that_there_are_not_do_not_begin() {
    for many in [1, usize::from(u16::MAX) + 1] {
        let mut contents = Contents::default();
        let numbers = (0..=u16::MAX).cycle().take(many);
        contents.changes = numbers
            .map(|task| change(0, task, ChangeKind::Start))
            .collect();
        let bytes = contents.to_bytes().unwrap();
        assert_eq!(Image::new(&bytes).err(), Some(ImageError::Change));
    }
}

#[test]
fn jumps_that_lead_nowhere_are_refused() {
    let again = |counter, to| Op::Again { counter, to };
    let begin = |times| Op::Begin { counter: 0, times };
    let refused = |operations: &[Op]| {
        let mut contents = contents();
        contents.tasks[0].operations = operations.to_vec();
        Image::new(&contents.to_bytes().unwrap()).err()
    };
    assert_eq!(refused(&[Op::Yield, again(None, 0), Op::End]), None);
    assert_eq!(
        refused(&[
            begin(2),
            Op::Yield,
            begin(3),
            Op::Yield,
            again(Some(0), 3),
            again(Some(0), 1)
        ]),
        None
    );
    for operations in [
        // To itself, forward, far beyond the end, and round and round without doing anything.
        vec![again(None, 0)],
        vec![again(None, 1), Op::Yield],
        vec![Op::Yield, again(Some(0), u32::MAX)],
        vec![Op::Yield, begin(2), again(Some(0), 1), Op::End],
        // Not even once.
        vec![begin(0), Op::Yield, again(Some(0), 1), Op::End],
    ] {
        assert_eq!(
            refused(&operations),
            Some(ImageError::Jump),
            "{operations:?}"
        );
    }
}
