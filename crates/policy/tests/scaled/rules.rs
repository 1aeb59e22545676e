//! What is refused, what is kept, and when the CPU looks again; by hand.

use super::world::{CPU, Conserving, Edf, Static, settings};
use flyball_policy::scaled::{Admission, Points, Settings};
use flyball_policy::{
    Deadline, Duration, EarliestDeadline, Encode, Policy, Ready, Refused, Resched, Speed, Stop,
    TaskId, Time, Timed, Usage,
};
use proptest::prelude::*;

const A: TaskId = TaskId(0);
const B: TaskId = TaskId(1);
const MHZ: [u64; 3] = [500, 750, 1000];
const RELEASED: Ready = Ready::Released {
    release: Time::ZERO,
};

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn at(at: u64) -> Time {
    Time::ZERO + ms(at)
}

fn timed(wcet: u64, window: u64) -> Timed<Deadline> {
    Timed {
        params: Deadline(ms(window)),
        wcet: ms(wcet),
        window: ms(window),
    }
}

fn conserving(mhz: &[u64]) -> Conserving {
    Conserving::new(Edf::new(EarliestDeadline, 8), settings(mhz))
}

fn speed(policy: &mut impl Policy, now: u64) -> Option<Speed> {
    policy.pick(CPU, at(now)).unwrap().speed
}

/// The rule of the source by hand: three tasks, of 3 in 8, 3 in 10 and 1 in 14, at 0.5, 0.75 and 1 of the highest frequency.
#[test]
fn three_tasks_by_hand() {
    const C: TaskId = TaskId(2);
    let mut policy = conserving(&MHZ);
    for (task, wcet, window) in [(A, 3, 8), (B, 3, 10), (C, 1, 14)] {
        policy.admit(task, timed(wcet, window), Time::ZERO).unwrap();
        let _ = policy.ready(CPU, task, RELEASED, Time::ZERO);
    }
    // 0.375 + 0.3 + 0.071 = 0.746: the static point, too.
    assert_eq!(speed(&mut policy, 0), Some(Speed(1)));
    let mut end = |task, micros, now| {
        let used = Usage::time(Duration::from_micros(micros));
        let _ = policy.stopped(CPU, task, used, Stop::Completed, at(now));
        let speed = policy.speed();
        let _ = policy.pick(CPU, at(now));
        speed
    };
    // It has computed for 2 at 0.75: 0.25 + 0.3 + 0.071 = 0.621.
    assert_eq!(end(A, 2_667, 2), Speed(1));
    // For 1 at 0.75: 0.25 + 0.1 + 0.071 = 0.421.
    assert_eq!(end(B, 1_333, 4), Speed(0));
    // For 1 at 0.5.
    assert_eq!(end(C, 2_000, 6), Speed(0));
    // 0.375 + 0.1 + 0.071 = 0.546.
    let _ = policy.ready(CPU, A, RELEASED, at(8));
    assert_eq!(speed(&mut policy, 8), Some(Speed(1)));
    // For 1: 0.125 + 0.1 + 0.071 = 0.296; then 0.125 + 0.3 + 0.071 = 0.496.
    let used = Usage::time(Duration::from_micros(1_333));
    let _ = policy.stopped(CPU, A, used, Stop::Completed, at(9));
    assert_eq!(policy.speed(), Speed(0));
    let _ = policy.ready(CPU, B, RELEASED, at(10));
    assert_eq!(speed(&mut policy, 10), Some(Speed(0)));
}

#[test]
fn a_sum_that_grows_makes_the_cpu_look_again() {
    let mut policy = conserving(&MHZ);
    for (task, wcet, window) in [(A, 4, 10), (B, 4, 20)] {
        policy.admit(task, timed(wcet, window), Time::ZERO).unwrap();
    }
    let _ = policy.ready(CPU, B, RELEASED, Time::ZERO);
    let _ = policy.ready(CPU, A, RELEASED, Time::ZERO);
    // 0.6.
    assert_eq!(speed(&mut policy, 0), Some(Speed(1)));
    let _ = policy.stopped(CPU, A, Usage::time(ms(1)), Stop::Completed, at(1));
    // B goes on with 0.075 + 0.2.
    assert_eq!(speed(&mut policy, 1), Some(Speed(0)));
    // A has a later deadline than B, which goes on, and faster.
    let later = Ready::Released { release: at(15) };
    assert_eq!(policy.ready(CPU, A, later, at(15)), Resched::One(CPU));
    let _ = policy.stopped(CPU, B, Usage::time(ms(3)), Stop::Preempted, at(15));
    let choice = policy.pick(CPU, at(15)).unwrap();
    assert_eq!((choice.task, choice.speed), (B, Some(Speed(1))));
    // B has used 1.5 at the first point and 0.75 at the second: 2.25 of 20; and A is taken out, which asks for nothing now.
    let _ = policy.stopped(CPU, B, Usage::time(ms(1)), Stop::Completed, at(16));
    assert_eq!(policy.speed(), Speed(1), "0.4 + 0.1125 is above a half");
}

#[test]
fn a_job_that_is_given_up_makes_the_cpu_slower() {
    let mut policy = conserving(&MHZ);
    for (task, wcet, window) in [(A, 4, 10), (B, 4, 20)] {
        policy.admit(task, timed(wcet, window), Time::ZERO).unwrap();
        let _ = policy.ready(CPU, task, RELEASED, Time::ZERO);
    }
    assert_eq!(speed(&mut policy, 0), Some(Speed(1)));
    let resched = policy.stopped(CPU, B, Usage::default(), Stop::Completed, at(1));
    assert_eq!(resched, Resched::One(CPU));
    assert_eq!(speed(&mut policy, 1), Some(Speed(0)));
}

#[test]
fn a_job_that_overruns_counts_with_what_it_used() {
    let mut policy = conserving(&MHZ);
    policy.admit(A, timed(4, 10), Time::ZERO).unwrap();
    let _ = policy.ready(CPU, A, RELEASED, Time::ZERO);
    assert_eq!(speed(&mut policy, 0), Some(Speed(0)));
    let _ = policy.stopped(CPU, A, Usage::time(ms(18)), Stop::Completed, at(18));
    assert_eq!(policy.speed(), Speed(2), "9 of 10");
    let _ = policy.ready(CPU, A, RELEASED, at(20));
    let _ = policy.pick(CPU, at(20));
    let _ = policy.stopped(CPU, A, Usage::time(ms(400)), Stop::Completed, at(420));
    assert_eq!(policy.speed(), Speed(2));
    let _ = policy.ready(CPU, A, RELEASED, at(420));
    assert_eq!(policy.speed(), Speed(0));
}

#[test]
fn what_is_beyond_a_cpu_is_refused_with_the_excess() {
    let mut policy = Static::new(Edf::new(EarliestDeadline, 8), settings(&MHZ));
    let excess = |refused: Result<(), Refused>| match refused {
        Err(Refused::Overload { excess }) => excess.percent(),
        other => panic!("{other:?}"),
    };
    assert_eq!(excess(policy.admit(A, timed(11, 10), Time::ZERO)), 10);
    policy.admit(A, timed(6, 10), Time::ZERO).unwrap();
    assert_eq!(excess(policy.admit(B, timed(5, 10), Time::ZERO)), 10);
    // 0.6 + 0.4 is all of it.
    policy.admit(B, timed(4, 10), Time::ZERO).unwrap();
    assert_eq!(policy.speed(), Speed(2));
    let adjusted = policy.adjust(B, timed(5, 10), Time::ZERO);
    assert_eq!(excess(adjusted.map(|_| ())), 10);
    // 0.1 and 0.4 are both rounded up, to just above a half.
    let _ = policy.adjust(A, timed(1, 10), Time::ZERO).unwrap();
    assert_eq!(policy.speed(), Speed(1));
    policy.retire(A, Time::ZERO);
    let _ = policy.adjust(B, timed(10, 10), Time::ZERO).unwrap();
    // What has neither deadline nor period asks for nothing.
    let endless = Timed {
        params: Deadline(Duration::MAX),
        ..timed(7, 0)
    };
    policy.admit(A, endless, Time::ZERO).unwrap();
    assert_eq!(policy.admit(A, endless, Time::ZERO), Err(Refused::Member));
    // With one point it is EDF.
    let mut edf = conserving(&[1000]);
    for task in [A, B] {
        edf.admit(task, timed(9, 10), Time::ZERO).unwrap();
    }
}

#[test]
fn a_charge_counts_for_each_job() {
    let settings = Settings {
        charge: ms(1),
        ..settings(&MHZ)
    };
    let mut policy = Conserving::new(Edf::new(EarliestDeadline, 8), settings);
    // 5 of 10 with the charge, and 6 of 10.
    policy.admit(A, timed(4, 10), Time::ZERO).unwrap();
    assert_eq!(policy.speed(), Speed(0));
    let _ = policy.adjust(A, timed(5, 10), Time::ZERO).unwrap();
    assert_eq!(policy.speed(), Speed(1));
    // What is admitted is without charges.
    policy.admit(B, timed(5, 10), Time::ZERO).unwrap();
    assert_eq!(policy.speed(), Speed(2));
}

#[test]
fn what_are_no_points_is_refused() {
    assert!(Points::new(&[1, 2]).is_some() && Points::new(&[7]).is_some());
    assert!(Points::new(&[]).is_none() && Points::new(&[2, 2]).is_none());
    assert!(Points::new(&[0, 2]).is_none() && Points::new(&[1, 1_000_000_000_001]).is_none());
    assert!(Points::new(&[1, 2, 3, 4, 5, 6, 7, 8, 9]).is_none());
}

/// Rising frequencies.
fn frequencies() -> impl Strategy<Value = Vec<u64>> {
    let any = proptest::collection::btree_set(1..=1_000_000_000_000_u64, 1..=8);
    any.prop_map(|set| set.into_iter().collect())
}

/// A window of any size, and an execution time that is not longer.
fn times() -> impl Strategy<Value = (u64, u64)> {
    (1..=u64::MAX / 2, 0_u32..63, any::<u64>()).prop_map(|(window, shift, wcet)| {
        let window = (window >> shift).max(1);
        (wcet % (window + 1), window)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 4 } else { 3_000 }))]

    /// Beside fractions: the point is fast enough, and no faster than for a sum that is larger by what rounding may add.
    #[test]
    fn the_point_is_that_of_fractions(hertz in frequencies(), times in proptest::collection::vec(times(), 1..8)) {
        let settings = Settings { points: Points::new(&hertz).unwrap(), charge: Duration::ZERO };
        let mut policy = Static::new(Edf::new(EarliestDeadline, 8), settings);
        // In parts of 2^-60, down and up.
        let (mut least, mut most) = (0_u128, 0_u128);
        for (number, &(wcet, window)) in (0..).zip(&times) {
            let [wcet_time, window_time] = [wcet, window].map(Duration::from_nanos);
            let params = Timed { params: Deadline(window_time), wcet: wcet_time, window: window_time };
            let part = (u128::from(wcet) << 60) / u128::from(window);
            match policy.admit(TaskId(number), params, Time::ZERO) {
                Ok(()) => (least, most) = (least + part, most + part + (3 << 28)),
                Err(Refused::Overload { .. }) => {
                    prop_assert!(hertz.len() > 1 && least + part >= 1 << 60);
                }
                Err(other) => prop_assert!(false, "{other:?}"),
            }
        }
        let fastest = u128::from(*hertz.last().unwrap());
        let slowest = |sum: u128| {
            let holds = |&hertz: &u64| sum.min(1 << 60) * fastest <= u128::from(hertz) << 60;
            hertz.iter().position(holds).unwrap()
        };
        let point = policy.speed().index();
        prop_assert!(slowest(least) <= point, "{point} {}", slowest(least));
        // A frequency is rounded down by one part.
        prop_assert!(point <= slowest(most + (1 << 28)), "{point} {}", slowest(most));
    }

    /// What is left is admitted, and twice that and a little more is not.
    #[test]
    fn what_is_left_is_admitted(given in times(), (_, window) in times()) {
        let mut admission = Admission::new(&Points::new(&[1, 2]).unwrap());
        let nothing = (Duration::ZERO, Duration::ZERO);
        let time = Duration::from_nanos;
        admission.change(nothing, (time(given.0), time(given.1))).unwrap();
        let window = time(window);
        let left = admission.left(window);
        prop_assert!(admission.change(nothing, (left, window)).is_ok());
        prop_assert!(admission.change(nothing, (window, window)).is_err() || given.0 == 0 || left.is_zero());
    }

    #[test]
    fn settings_are_bytes(hertz in frequencies(), charge in any::<u64>(), wcet in any::<u64>()) {
        let settings = Settings { points: Points::new(&hertz).unwrap(), charge: Duration::from_nanos(charge) };
        let mut bytes = Vec::new();
        settings.emit(&mut |part| bytes.extend(part));
        let mut rest = &bytes[..];
        prop_assert_eq!(Settings::parse(&mut rest), Some(settings));
        prop_assert!(rest.is_empty());
        prop_assert_eq!(Settings::parse(&mut &bytes[1..]), None);
        let params = Timed { params: (), wcet: Duration::from_nanos(wcet), window: Duration::from_nanos(charge) };
        let mut bytes = Vec::new();
        params.emit(&mut |part| bytes.extend(part));
        prop_assert_eq!(Timed::parse(&mut &bytes[..]), Some(params));
    }
}
