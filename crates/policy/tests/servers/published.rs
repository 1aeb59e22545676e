//! Schedules of Linux's documentation and of a textbook.

use super::world::{Background, CPU, Job, Under, Work, run, units};
use flyball_policy::servers::{Alpha, Mode, Periodic, Reservation, SchedDeadline, Seat, Sporadic};
use flyball_policy::{Fifo, Policy, Ready, Stop, TaskId, Time, Usage};

/// Budget, deadline and period.
fn reservation([budget, deadline, period]: [u64; 3]) -> Reservation {
    Reservation {
        budget: units(budget),
        deadline: units(deadline),
        period: units(period),
        mode: Mode::OfRule,
        alpha: Alpha::OF_RULE,
    }
}

/// A task with a server of its own, and when its jobs come and how long they are.
fn task(lengths: [u64; 3], jobs: &[(u64, u64)]) -> Work {
    Work {
        seat: Seat::Own(reservation(lengths)),
        jobs: jobs
            .iter()
            .map(|&(at, length)| Job::new(at, length))
            .collect(),
    }
}

/// `sched-deadline.rst`, 3.2, in units of 10 ms: the sum of budget ÷ deadline is 1.1, and yet no
/// budget is late.
#[test]
fn a_sum_of_densities_above_one_may_hold() {
    let works = [
        task([5, 5, 10], &[(0, 5), (10, 5)]),
        task([1, 10, 10], &[(0, 1), (10, 1)]),
    ];
    let ran = run(SchedDeadline, &works);
    assert_eq!(ran.drawn(20), "000001----000001----");
    assert_eq!(ran.late, 0);
}

/// `sched-deadline.rst`, 2.1, with 4 in 8, of which 2 are used at 2; derived by hand. At 3 what is left
/// is no more than 4 in 8 up to the deadline, and stays, so the rest of the second job waits for 8. At 5
/// it is more, and there are 4 up to 13.
#[test]
fn a_thread_that_wakes_keeps_what_fits_up_to_its_deadline() {
    let woken = |at| run(SchedDeadline, &[task([4, 8, 8], &[(0, 2), (at, 4)])]).drawn(12);
    assert_eq!(woken(3), "00-00---00--");
    assert_eq!(woken(5), "00---0000---");
}

/// The same where the deadline is before the end of the period (`deadline.c`, the revised rule): 4
/// within 8 in 16, of which 1 is used at 1. At 4 the 3 that are left are more than 4 in 8 up to the
/// deadline, and 2 of them stay. At 10 nothing does, as the deadline is over.
#[test]
fn a_thread_with_a_short_deadline_has_a_part_of_its_budget_or_waits() {
    let woken = |at| run(SchedDeadline, &[task([4, 8, 16], &[(0, 1), (at, 3)])]).drawn(20);
    assert_eq!(woken(4), "0---00----------0---");
    assert_eq!(woken(10), "0---------------000-");
}

/// `sched-deadline.rst`, 4.4: a thread that yields has no budget up to the next period.
#[test]
fn a_thread_that_yields_waits_for_its_next_period() {
    let mut policy = Under::new(SchedDeadline, Background::new(Fifo, 1), 1);
    let (task, at) = (TaskId(0), Time::from_nanos);
    let seat = Seat::Own(reservation([4, 8, 16]));
    policy.admit(task, seat, at(0)).unwrap();
    let _ = policy.ready(CPU, task, Ready::Released { release: at(0) }, at(0));
    assert_eq!(policy.pick(CPU, at(0)).unwrap().burst, Some(units(4)));
    let _ = policy.stopped(CPU, task, Usage::time(units(1)), Stop::Yielded, at(1));
    assert_eq!(policy.pick(CPU, at(1)), None);
    assert_eq!(policy.next_alarm(CPU), Some(at(16)));
    assert!(policy.alarm(CPU, at(16)).includes(CPU));
    assert_eq!(policy.pick(CPU, at(16)).unwrap().burst, Some(units(4)));
}

/// Buttazzo, *Hard real-time computing systems*, figure 5.3: requests of 2, 1, 2 and 1 to a polling
/// server of 2 in 5, beside 1 in 4 and 2 in 6. Each waits for a period of the server, and the third one
/// is interrupted at 16. In the figure the first one waits from 2 to 5. Here it comes at 5, as the
/// periods of our server begin with it.
#[test]
fn a_polling_server_of_a_textbook() {
    let of = |period, length| (0..6_u64).map(move |job| (job * period, length));
    let works = [
        task([1, 4, 4], &of(4, 1).collect::<Vec<_>>()),
        task([2, 5, 5], &[(5, 2), (8, 1), (12, 2), (19, 1)]),
        task([2, 6, 6], &of(6, 2).collect::<Vec<_>>()),
    ];
    let ran = run(Periodic::POLLING, &works);
    assert_eq!(ran.drawn(24), "022-0112021-0221012201--");
}

/// The same, figure 5.17: a sporadic server of 5 in 10 between 1 in 5 and 4 in 15. It has requests of 2
/// at 4 and at 8, so 2 come back at 14 and 2 at 18. A third request is added here, of 4 at 11: 1 is
/// left, and it waits for what comes back.
#[test]
fn a_sporadic_server_of_a_textbook() {
    let works = [
        task([1, 5, 5], &[(0, 1), (5, 1), (10, 1), (15, 1), (20, 1)]),
        task([5, 10, 10], &[(4, 2), (8, 2), (11, 4)]),
        task([4, 15, 15], &[(0, 4), (15, 4)]),
    ];
    assert_eq!(run(Sporadic, &works).drawn(23), "022210121101--101212022");
}
