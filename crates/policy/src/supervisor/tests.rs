//! The supervisor against CPUs that divide themselves exactly in proportion to shares.

mod controlled;
mod machine;

use super::*;
use machine::{Machine, PERIOD, Small, TASKS, TOLERANCE, change, id, requirement};
use proptest::prelude::*;

/// The thesis's rescaling, on several CPUs.
#[test]
fn set_points_are_rescaled() {
    let set_points = |cpus, tasks: &[(u64, u16)]| -> Vec<i64> {
        let mut machine = Machine::new(Settings::default(), cpus);
        for &(thousandths, importance) in tasks {
            let requirement = Requirement {
                importance,
                ..requirement(thousandths)
            };
            machine.come(requirement, ONE, 0);
        }
        machine.step();
        let set_points = machine.here().map(|task| machine.member(task).set_point);
        set_points
            .map(|part| (part * 1_000 + ONE / 2) / ONE)
            .collect()
    };
    let thirds = [(200, 1), (200, 1), (200, 1)];
    assert_eq!(set_points(1, &thirds), [333, 333, 333]);
    assert_eq!(set_points(2, &thirds), [667, 667, 667]);
    assert_eq!(set_points(4, &thirds), [1000, 1000, 1000]);
    // No task can use more than one CPU; the others share the rest.
    assert_eq!(
        set_points(2, &[(900, 1), (300, 1), (150, 1)]),
        [1000, 667, 333]
    );
    // Overload: 2.4 of 2 CPUs.
    assert_eq!(
        set_points(2, &[(600, 3), (600, 1), (600, 1), (600, 1)]),
        [1000, 333, 333, 333]
    );
    assert_eq!(
        set_points(1, &[(600, 0), (600, 1), (600, 2)]),
        [0, 333, 667]
    );
    // Tasks that want nothing get what no other task can have.
    assert_eq!(set_points(2, &[(500, 1), (0, 1), (0, 1)]), [1000, 500, 500]);
    assert_eq!(
        set_points(2, &[(500, 1), (700, 1), (0, 1)]),
        [1000, 1000, 0]
    );
}

/// The pole of the loop is 1 − g: with g = ½, what a task got too little is halved each period.
#[test]
fn a_deficit_fades_as_predicted() {
    let mut machine = Machine::with(1, &[(300, 0), (700, 0)]);
    for (task, deficit) in [(0, ONE / 4), (1, -ONE / 4)] {
        machine.supervisor.members[task].as_mut().unwrap().deficit = deficit;
    }
    // The shares are from before.
    machine.period();
    for period in 0..20 {
        let expected = (ONE / 4) >> period;
        let deficit = machine.member(0).deficit;
        assert!(
            (deficit - expected).abs() <= 2,
            "{period}: {deficit} for {expected}"
        );
        machine.period();
    }
}

/// Three tasks on two CPUs: there is no way but to move, and not too often.
#[test]
fn two_thirds_each_on_two_cpus() {
    let mut machine = Machine::with(2, &[(500, 0), (500, 0), (500, 0)]);
    machine.error(10);
    let mut moves = 0;
    let mut sums = [0_i64; 3];
    for _ in 0..300 {
        for (sum, error) in sums.iter_mut().zip(machine.period()) {
            *sum += error;
        }
        moves += machine.moved;
    }
    for sum in sums {
        assert!(sum.abs() < 2 * ONE, "{sums:?}");
    }
    assert!((50..=300).contains(&moves), "{moves}");
}

/// What others take of a CPU is not counted as left by its tasks; they are compensated elsewhere.
#[test]
fn a_slow_cpu_is_made_up_for() {
    let mut machine = Machine::with(2, &[(300, 0), (200, 0), (300, 1), (200, 1)]);
    let mut sums = [0_i64; 4];
    for _ in 0..400 {
        // CPU 1 has only three quarters for tasks.
        machine
            .supervisor
            .lost(CpuId(1), Duration::from_nanos(PERIOD.as_nanos() / 4));
        for (task, sum) in sums.iter_mut().enumerate() {
            let member = machine.member(task);
            let slow = member.cpu == CpuId(1);
            let shares = machine.supervisor.cpus[member.cpu.index()].shares;
            let got = scale(if slow { ONE * 3 / 4 } else { ONE }, member.share, shares);
            *sum += got;
            machine
                .supervisor
                .measured(id(task), Duration::from_nanos(got.unsigned_abs()));
        }
        machine.step();
        assert!((0..4).all(|task| machine.member(task).limit.is_none()));
    }
    let expected = [0.525, 0.35, 0.525, 0.35];
    for (sum, expected) in sums.into_iter().zip(expected) {
        #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
        let got = sum as f64 / ONE as f64 / 400.0;
        assert!((got - expected).abs() < 0.015, "{got} for {expected}");
    }
}

/// A task that waits has a limit, which ends as soon as it takes what it is offered again.
#[test]
fn what_is_not_taken_goes_to_the_others_everywhere() {
    let mut machine = Machine::with(2, &[(500, 0), (500, 0), (500, 1), (500, 1)]);
    machine.tasks[0].as_mut().unwrap().1 = ONE / 10;
    machine.error(30);
    assert!(machine.member(0).limit.is_some());
    assert!((machine.member(3).set_point - ONE * 19 / 30).abs() < 100);
    assert!(machine.error(60) < 0.03);
    machine.tasks[0].as_mut().unwrap().1 = 0;
    machine.error(10);
    assert!((machine.member(3).set_point - ONE * 2 / 3).abs() < 100);
    machine.tasks[0].as_mut().unwrap().1 = ONE;
    machine.error(2);
    assert_eq!(machine.member(0).limit, None);
    machine.error(20);
    assert!(machine.error(40) < 0.03);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let mut supervisor = Small::new(Settings::default(), 2, TASKS);
    assert_eq!(
        supervisor.admit(TaskId(0), requirement(1), CpuId(2)),
        Err(Refused::Invalid(crate::Parameter::Cpus))
    );
    assert_eq!(
        supervisor.admit(id(TASKS), requirement(1), CpuId(0)),
        Err(Refused::Full)
    );
    assert_eq!(
        supervisor.adjust(TaskId(0), requirement(1)),
        Err(Refused::NotAdmitted)
    );
    supervisor
        .admit(TaskId(0), requirement(1), CpuId(0))
        .unwrap();
    assert_eq!(
        supervisor.admit(TaskId(0), requirement(1), CpuId(0)),
        Err(Refused::Member)
    );
    // No task there, or nothing told.
    supervisor.step(PERIOD);
    supervisor.retire(TaskId(0));
    supervisor.step(PERIOD);
    assert_eq!(supervisor.cpu(TaskId(0)), None);
}

fn tasks(per_cpu: usize) -> impl Strategy<Value = (u8, Vec<(u64, u8)>)> {
    (1..=8_u8).prop_flat_map(move |cpus| {
        let most = (usize::from(cpus) * per_cpu).min(TASKS);
        let tasks = prop::collection::vec((1..=1_000_u64, 0..8_u8), 1..=most);
        (Just(cpus), tasks)
    })
}

/// Two of these tasks are to have a CPU each for themselves. No move or exchange makes the requests
/// any more equal once one of them has a small neighbour, so only pressure separates them.
#[test]
fn a_task_that_needs_a_whole_cpu_gets_it() {
    let requirements = [458, 57, 948, 463, 480, 107, 102, 824, 461];
    let cpus = [6, 1, 2, 3, 0, 3, 7, 5, 6];
    let tasks: Vec<(u64, u8)> = requirements.into_iter().zip(cpus).collect();
    let mut machine = Machine::with(5, &tasks);
    let alone = [2, 7];
    assert!(alone.map(|task| machine.member(task).set_point) == [ONE; 2]);
    machine.error(30);
    for _ in 0..400 {
        let errors = machine.period();
        assert_eq!(alone.map(|task| errors[task]), [0; 2]);
    }
}

/// A task that is to have a CPU for itself makes a neighbour of any size leave, from as large a
/// machine as there is, though all other CPUs have more to do: what it loses each period adds up.
#[test]
fn pressure_makes_neighbours_leave() {
    for small in [1_u64, 10, 100, 400] {
        let others = (1..8).flat_map(|cpu| [(500, cpu), (500 - small.div_ceil(7), cpu)]);
        let tasks: Vec<(u64, u8)> = [(1_000, 0), (small, 0)].into_iter().chain(others).collect();
        let mut machine = Machine::with(8, &tasks);
        let loss = machine.member(1).share;
        assert_eq!(machine.member(0).set_point, ONE);
        let mut periods = 0;
        while machine.member(1).cpu == machine.member(0).cpu {
            machine.period();
            periods += 1;
            // Each period adds at least loss/2, and 4/3 of its request or the hysteresis is enough.
            assert!(periods < 8 + 2 * ONE / 8 / loss, "{small}: {periods}");
        }
        machine.period();
        assert_eq!(machine.member(0).pressure, 0);
    }
}

/// 300 random sets, or as many times more as the variable `SOAK` says.
fn cases() -> u32 {
    let soak = std::env::var("SOAK").ok();
    let times: u32 = soak.and_then(|soak| soak.parse().ok()).unwrap_or(1);
    if cfg!(miri) { 2 } else { 300 * times }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    /// From anywhere: after thirty periods a share over forty is right to some hundredths of a CPU.
    #[test]
    fn shares_converge((cpus, tasks) in tasks(4)) {
        let mut machine = Machine::with(cpus, &tasks);
        machine.error(30);
        let error = machine.error(40);
        prop_assert!(error < TOLERANCE, "{}", error);
    }

    /// If tasks are placed such that every CPU is full and none too full, none ever moves, and
    /// every period is exact.
    #[test]
    fn what_is_balanced_stays(
        parts in prop::collection::vec(prop::collection::vec(1..100_u64, 1..=4), 1..=8),
    ) {
        let cpus = u8::try_from(parts.len()).unwrap();
        let mut machine = Machine::new(Settings::default(), cpus);
        for (cpu, parts) in (0..).zip(&parts) {
            let whole: u64 = parts.iter().sum();
            for &part in parts {
                let cpu_time = Fraction::ratio(part, whole);
                machine.come(Requirement { cpu: cpu_time, importance: 1 }, ONE, cpu);
            }
        }
        machine.step();
        for _ in 0..100 {
            let errors = machine.period();
            prop_assert_eq!(machine.moved, 0);
            prop_assert!(errors.iter().all(|error| error.abs() < 64), "{:?}", errors);
        }
    }

    /// No task goes forth and back at once: one that has moved stays for two periods.
    #[test]
    fn no_task_plays_ping_pong((cpus, tasks) in tasks(4)) {
        let mut machine = Machine::with(cpus, &tasks);
        let mut moved = vec![None; tasks.len()];
        for period in 0..100 {
            let before: Vec<CpuId> = machine.here().map(|task| machine.member(task).cpu).collect();
            machine.period();
            for (task, moved) in moved.iter_mut().enumerate() {
                if machine.member(task).cpu != before[task] {
                    let last = moved.replace(period);
                    prop_assert!(last.is_none_or(|last| period - last >= 2));
                }
            }
        }
    }

    /// Whatever comes and goes, sets points and shares stay in their bounds (see `audit`), and
    /// errors are small again after some time in peace.
    #[test]
    fn it_recovers_from_anything(
        cpus in 1..=8_u8,
        changes in prop::collection::vec(prop::collection::vec(change(), 0..4), 0..100),
    ) {
        let mut machine = Machine::new(Settings::default(), cpus);
        for changes in changes {
            for change in changes {
                machine.change(change);
            }
            machine.period();
        }
        for task in machine.tasks.iter_mut().flatten() {
            task.1 = ONE;
        }
        machine.error(80);
        let error = machine.error(40);
        prop_assert!(error < TOLERANCE, "{}", error);
    }
}
