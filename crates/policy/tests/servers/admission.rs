//! Servers that ask for too much are refused, and nothing changes.

use super::world::{Background, Under, units};
use flyball_policy::order::Fifo;
use flyball_policy::servers::{Admission, ConstantBandwidth, Grub, Reservation, Seat};
use flyball_policy::{Duration, Policy, Refused, TaskId, Time};
use proptest::prelude::*;

const TASKS: usize = 5;

fn policy(admission: Admission) -> Under<ConstantBandwidth> {
    let background = Background::new(Fifo, TASKS);
    let mut policy = Under::new(ConstantBandwidth::SOFT, background, TASKS);
    policy.limit(admission);
    policy
}

/// Linux's `to_ratio`.
fn ratio(reservation: &Reservation) -> u64 {
    (reservation.budget.as_nanos() << 20) / reservation.period.as_nanos()
}

/// What is done to a task.
#[derive(Clone, Copy, Debug)]
enum Step {
    Admit(Reservation),
    Adjust(Reservation),
    Retire,
}

fn steps() -> impl Strategy<Value = Vec<(usize, Step)>> {
    let reservation = (1_u64..50, 0_u64..50)
        .prop_map(|(budget, rest)| Reservation::every(units(budget + rest), units(budget)));
    let step = (0_u8..5, reservation).prop_map(|(kind, reservation)| match kind {
        0..2 => Step::Admit(reservation),
        2..4 => Step::Adjust(reservation),
        _ => Step::Retire,
    });
    prop::collection::vec((0..TASKS, step), 1..60)
}

proptest! {
    /// Against a list of what each task has, whose sum is taken anew at each step.
    #[test]
    fn what_is_admitted_is_never_above_the_limit(
        steps in steps(),
        limit in 1_u32..=1_000_000,
        cpus in 1_usize..5,
    ) {
        let mut policy = policy(Admission::limited(limit, cpus));
        let most = u64::from(limit) * (1 << 20) / 1_000_000 * cpus as u64;
        let mut model: [Option<Reservation>; TASKS] = [None; TASKS];
        for (task, step) in steps {
            let id = TaskId::from_index(task);
            let others = model.iter().enumerate().filter(|it| it.0 != task);
            let others: u64 = others.filter_map(|it| it.1.as_ref()).map(ratio).sum();
            let fits = |new: &Reservation| others + ratio(new) <= most;
            let (answer, taken) = match (step, model[task]) {
                (Step::Retire, Some(_)) => {
                    policy.retire(id, Time::ZERO);
                    model[task] = None;
                    continue;
                }
                (Step::Admit(new), None) => {
                    (policy.admit(id, Seat::Own(new), Time::ZERO), fits(&new))
                }
                (Step::Adjust(new), Some(old)) => {
                    let answer = policy.adjust(id, Seat::Own(new), Time::ZERO).map(drop);
                    (answer, fits(&new) || ratio(&new) <= ratio(&old))
                }
                _ => continue,
            };
            let (Step::Admit(new) | Step::Adjust(new)) = step else { continue };
            if taken {
                prop_assert_eq!(answer, Ok(()));
                model[task] = Some(new);
            } else {
                let Err(Refused::Overload { excess }) = answer else {
                    return Err(TestCaseError::fail(format!("{answer:?}")));
                };
                let above = others + ratio(&new) - most;
                let percent = (above * 100).div_ceil(1 << 20).min(255);
                prop_assert_eq!(u64::from(excess.percent()), percent);
            }
            let has = policy.account(id).map(|account| account.reservation);
            prop_assert_eq!(has, model[task]);
        }
    }

    /// The budget that is left is admitted, and a longer one is not.
    #[test]
    fn what_is_left_is_the_longest_budget(
        taken in prop::collection::vec((1_u64..1_000, 1_000_u64..10_000), 0..4),
        limit in 1_u32..=1_000_000,
        period in prop_oneof![1_u64..5_000_000_000, any::<u64>()],
    ) {
        let mut admission = Admission::limited(limit, 1);
        let nothing = Reservation::default();
        for (budget, period) in taken {
            // Some of them are refused.
            let _ = admission.change(&nothing, &Reservation::every(units(period), units(budget)));
        }
        let period = units(period.max(1));
        let left = admission.left(period);
        let with = |budget| {
            let mut admission = admission;
            admission.change(&nothing, &Reservation::every(period, budget))
        };
        prop_assert_eq!(with(left), Ok(()));
        let longer = left + units(1);
        prop_assert!(left >= period || with(longer).is_err());
    }
}

/// Half of a CPU can be given once.
#[test]
fn a_server_gives_back_what_it_had() {
    let mut policy = policy(Admission::limited(900_000, 1));
    let half = Seat::Own(Reservation::every(units(10), units(5)));
    let [a, b] = [TaskId(0), TaskId(1)];
    assert_eq!(policy.admit(a, half, Time::ZERO), Ok(()));
    assert!(policy.admit(b, half, Time::ZERO).is_err());
    assert_eq!(policy.account(b), None);
    policy.retire(a, Time::ZERO);
    assert_eq!(policy.admit(b, half, Time::ZERO), Ok(()));
}

/// A server that two tasks name is counted once, and where servers may count without tasks they do.
#[test]
fn a_shared_server_is_counted_once() {
    let background = Background::new(Fifo, TASKS);
    let mut policy = Under::new(Grub::published(), background, TASKS);
    policy.limit(Admission::limited(900_000, 1));
    let half = Reservation::every(units(10), units(5));
    for task in [TaskId(0), TaskId(1)] {
        assert_eq!(
            policy.admit(task, Seat::Shared(3, half), Time::ZERO),
            Ok(())
        );
    }
    let own = Seat::Own(half);
    assert!(policy.admit(TaskId(2), own, Time::ZERO).is_err());
    policy.retire(TaskId(0), Time::ZERO);
    assert!(policy.admit(TaskId(2), own, Time::ZERO).is_err());
    policy.retire(TaskId(1), Time::ZERO);
    assert_eq!(policy.admit(TaskId(2), own, Time::ZERO), Ok(()));
}

/// Whatever servers ask for.
#[test]
fn without_a_limit_all_are_admitted() {
    let mut policy = policy(Admission::UNLIMITED);
    let whole = Seat::Own(Reservation::every(Duration::MAX, Duration::MAX));
    for task in 0..TASKS {
        assert_eq!(
            policy.admit(TaskId::from_index(task), whole, Time::ZERO),
            Ok(())
        );
    }
    assert_eq!(Admission::UNLIMITED.left(units(7)), units(7));
}
