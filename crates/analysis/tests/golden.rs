//! Published task sets, and the response times that are known for them.

use flyball_analysis::{
    Answer, Level, SporadicTask, Utilisation, WorkLimit, edf_demand, edf_response, fixed_priority,
    hyperbolic, liu_layland, priority, sensitivity,
};
use flyball_trace::Duration;

/// Period and WCET, with the deadline at the end of the period.
fn implicit(of: &[(u64, u64)], unit: fn(u64) -> Duration) -> Vec<SporadicTask> {
    of.iter()
        .map(|&(t, c)| SporadicTask::new(unit(c), unit(t), unit(t)).unwrap())
        .collect()
}

fn responses(tasks: &[SporadicTask], levels: &[Level]) -> Vec<Duration> {
    fixed_priority::response_times(tasks, levels, WorkLimit::default())
        .unwrap()
        .into_iter()
        .map(|response| response.bound().unwrap())
        .collect()
}

fn rate_monotonic(tasks: &[SporadicTask]) -> Vec<Level> {
    priority::distinct(&priority::rate_monotonic(tasks))
}

/// Generic Avionics Platform: Locke, Vogel and Mesler 1991, in the form of Tindell, Burns and
/// Wellings 1994. The first task's deadline is 5 ms.
fn gap() -> Vec<SporadicTask> {
    let ms = Duration::from_millis;
    let mut tasks = implicit(
        &[
            (200, 3),
            (25, 2),
            (25, 5),
            (40, 1),
            (50, 3),
            (50, 5),
            (59, 8),
            (80, 9),
            (80, 2),
            (100, 5),
            (200, 1),
            (200, 3),
            (200, 1),
            (200, 1),
            (200, 3),
            (1000, 1),
            (1000, 1),
        ],
        ms,
    );
    tasks[0] = SporadicTask::new(ms(3), ms(200), ms(5)).unwrap();
    tasks
}

/// Kim, Ryu, Hong, Saksena, Choi and Shin, RTSS 1996.
fn cnc() -> Vec<SporadicTask> {
    implicit(
        &[
            (2400, 35),
            (2400, 40),
            (4800, 180),
            (4800, 720),
            (2400, 165),
            (2400, 165),
            (9600, 570),
            (7800, 570),
        ],
        Duration::from_micros,
    )
}

/// Inertial navigation: Katcher, Arakawa and Strosnider 1993; Burns, Tindell and Wellings 1995.
fn ins() -> Vec<SporadicTask> {
    implicit(
        &[
            (2500, 1180),
            (40_000, 4280),
            (62_500, 10_280),
            (1_000_000, 20_280),
            (1_000_000, 100_280),
            (1_250_000, 25_000),
        ],
        Duration::from_micros,
    )
}

#[test]
fn utilisations() {
    for (tasks, shown) in [(gap(), "0.8501"), (cnc(), "0.4887"), (ins(), "0.8840")] {
        assert_eq!(Utilisation::of(&tasks).to_string(), shown);
    }
}

#[test]
fn avionics_hold_deadline_monotonic_and_fail_rate_monotonic() {
    let tasks = gap();
    let ms = Duration::from_millis;
    let levels = priority::distinct(&priority::deadline_monotonic(&tasks));
    let found = responses(&tasks, &levels);
    assert_eq!(found[0], ms(3));
    assert_eq!(found[13..], [ms(99), ms(138), ms(139), ms(140)]);
    let outcome = fixed_priority::test(&tasks, &levels, WorkLimit::default()).unwrap();
    assert_eq!(outcome.to_string(), "holds (exact test)");

    let levels = rate_monotonic(&tasks);
    let outcome = fixed_priority::test(&tasks, &levels, WorkLimit::default()).unwrap();
    assert_eq!(
        outcome.verdict.to_string(),
        "fails: task 0: response time 74ms exceeds the deadline 5ms"
    );
    assert!(edf_demand::test(&tasks, WorkLimit::default()).holds());
}

#[test]
fn avionics_with_equal_priorities() {
    // The five tasks with a period of 200 ms and long deadlines share a level, and so do the last
    // two. Each then waits for one job of every equal, as the last of them would if they differed.
    let tasks = gap();
    let ms = Duration::from_millis;
    let found = responses(&tasks, &priority::deadline_monotonic(&tasks));
    assert_eq!(found[10..15], [ms(138); 5]);
    assert_eq!(found[15..], [ms(140); 2]);
}

#[test]
fn machine_tool() {
    let tasks = cnc();
    let found = responses(&tasks, &rate_monotonic(&tasks));
    let us = Duration::from_micros;
    assert_eq!(found[6], us(2850));
    assert_eq!(found[7], us(1875)); // 570 + 405 every 2400 + 900 every 4800.
    assert!(liu_layland::test(&tasks).holds());
    assert!(hyperbolic::test(&tasks).holds());
}

#[test]
fn inertial_navigation() {
    let tasks = ins();
    let found = responses(&tasks, &rate_monotonic(&tasks));
    let us = Duration::from_micros;
    assert_eq!(found[2], us(28_720));
    assert_eq!(found[5], us(592_220));
    assert!(!liu_layland::test(&tasks).holds());
    let bound = hyperbolic::test(&tasks);
    assert_eq!(
        bound.to_string(),
        "unknown: utilisation 0.8840 is above the hyperbolic bound (sufficient test)"
    );
}

#[test]
fn edf_beats_rate_monotonic() {
    // Lipari's lecture example: U = 23/24, which EDF holds and rate monotonic does not.
    let tasks = implicit(&[(4, 1), (6, 2), (8, 3)], Duration::from_millis);
    let limit = WorkLimit::default();
    let levels = rate_monotonic(&tasks);
    assert!(
        !fixed_priority::test(&tasks, &levels, limit)
            .unwrap()
            .holds()
    );
    assert!(edf_demand::test(&tasks, limit).holds());
    for (task, response) in tasks
        .iter()
        .zip(edf_response::response_times(&tasks, limit))
    {
        assert_eq!(response.is_within(task.deadline()), Some(true));
    }
}

#[test]
fn inertial_navigation_breaks_down_later_under_edf() {
    let tasks = ins();
    let limit = WorkLimit::default();
    let levels = rate_monotonic(&tasks);
    let rm = sensitivity::breakdown(&tasks, |tasks| {
        Answer::from(&fixed_priority::test(tasks, &levels, limit).unwrap())
    });
    let edf = sensitivity::breakdown(&tasks, |tasks| {
        Answer::from(&edf_demand::test(tasks, limit))
    });
    assert_eq!((rm.stopped(), edf.stopped()), (None, None));
    let (rm, edf) = (rm.proven().unwrap(), edf.proven().unwrap());
    assert!(rm.factor < edf.factor);
    assert!(rm.utilisation < edf.utilisation);
    // 1/U = 1/0.88404 = 1.131170…
    assert_eq!(edf.factor.to_string(), "1.131170");
    assert_eq!(edf.utilisation.to_string(), "1.0000");
}
