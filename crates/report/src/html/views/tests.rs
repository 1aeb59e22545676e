use super::*;
use crate::slices::{CpuLane, Mark, Slice, TaskLane, What};
use flyball_trace::TaskId;

const MOST: Most = Most {
    slices: 20_000,
    marks: 60_000,
};

fn at(ns: u64) -> Time {
    Time::from_nanos(ns)
}

/// So many slices of 5 ns, one every 10 ns, and a miss somewhere.
fn schedule(slices: u64, miss: Option<u64>) -> Schedule {
    let slice = |number: u64| Slice {
        task: TaskId(0),
        job: 1,
        start: at(number * 10),
        end: at(number * 10 + 5),
    };
    let miss = miss.map(|time| Mark {
        time: at(time),
        job: 1,
        what: What::Miss,
    });
    Schedule {
        start: Time::ZERO,
        end: at(slices * 10),
        cpus: vec![CpuLane {
            slices: (0..slices).map(slice).collect(),
            ..CpuLane::default()
        }],
        tasks: vec![TaskLane {
            marks: miss.into_iter().collect(),
            ..TaskLane::default()
        }],
        servers: Vec::new(),
        queues: Vec::new(),
        reservations: Vec::new(),
    }
}

fn windows(slices: u64, miss: Option<u64>) -> Vec<(u64, u64)> {
    let views = views(&schedule(slices, miss), miss.map(at), MOST);
    for view in &views {
        let (window, initial) = (&view.window, &view.initial);
        assert!(window.start <= initial.start && initial.end <= window.end);
        assert!(initial.start < initial.end);
    }
    let nanos = |view: &View| (view.window.start.as_nanos(), view.window.end.as_nanos());
    views.iter().map(nanos).collect()
}

#[test]
fn a_short_schedule_is_shown_in_full() {
    assert_eq!(windows(100, None), [(0, 1000)]);
    assert_eq!(windows(20_000, Some(150_000)), [(0, 200_000)]);
    assert!(views(&Schedule::default(), None, MOST).is_empty());
}

#[test]
fn a_long_one_is_cut_and_a_late_miss_has_a_view_of_its_own() {
    assert_eq!(windows(50_000, None), [(0, 200_000)]);
    assert_eq!(windows(50_000, Some(1_000)), [(0, 200_000)]);
    assert_eq!(
        windows(50_000, Some(300_000)),
        [(0, 200_000), (200_000, 400_000)]
    );
    // Close to the end there is less behind the miss.
    assert_eq!(
        windows(50_000, Some(499_995)),
        [(0, 200_000), (400_000, 500_000)]
    );
}

#[test]
fn the_first_look_is_at_the_miss() {
    let views = views(&schedule(10_000, Some(40_000)), Some(at(40_000)), MOST);
    let initial = &views[0].initial;
    assert_eq!(
        initial.start.as_nanos()..initial.end.as_nanos(),
        39_650..40_350
    );
}

#[test]
fn no_view_is_longer_than_numbers_in_a_script_are_exact() {
    let mut long = schedule(10, None);
    long.end = at(u64::MAX - 1);
    assert_eq!(views(&long, None, MOST)[0].window.end.as_nanos(), 1 << 53);
    let far = at(1 << 60);
    let window = &views(&long, Some(far), MOST)[1].window;
    assert!(contains(window, far));
    assert!(window.end.since(window.start).as_nanos() <= 1 << 53);
}
