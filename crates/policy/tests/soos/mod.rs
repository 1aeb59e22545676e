//! SOOS against a model that goes from one unit of time to the next; what it promises; and the
//! algorithm that was printed.

mod figure_3;
mod model;
mod world;

use flyball_policy::servers::{Reservation, Seat};
use flyball_policy::soos::{Slack, Soos, Switches};
use flyball_policy::{
    Boxed, Duration, Fifo, Flagged, Heap, Parameter, Policy, Queue, Refused, SortedList, TaskId,
    Time, TopTwo, Unsorted,
};
use model::model;
use proptest::prelude::*;
use world::{Background, END, Job, Schedule, Work, run, switches, units, works};

/// The same tasks, but only as many with servers as are guaranteed their budgets; the others run in
/// the background.
fn fitting(switches: Switches, works: &[Work], is_aligned: bool) -> Vec<Work> {
    /// Parts of the CPU.
    const ALL: u64 = 1 << 40;
    let slot = switches.slot.as_nanos();
    let mut taken = 0;
    let mut works = works.to_vec();
    // Seen late by up to a slot, if not all is in whole slots.
    let late = if is_aligned { 0 } else { slot };
    for work in &mut works {
        let Some(reservation) = work.reservation() else {
            continue;
        };
        let budget = reservation.budget.as_nanos();
        let budget = match switches.slack {
            Slack::None => budget.next_multiple_of(slot),
            Slack::One => budget + slot,
            Slack::All => budget,
        };
        let time = reservation.deadline.as_nanos().saturating_sub(late);
        let more = (budget * ALL)
            .checked_div(time)
            .map_or(ALL + 1, |it| it + 1);
        if taken + more <= ALL {
            taken += more;
        } else {
            work.seat = Seat::Background(());
        }
    }
    works
}

/// The same tasks with arrivals, periods, deadlines and postponements in whole slots.
fn aligned(switches: Switches, works: &[Work]) -> (Switches, Vec<Work>) {
    let slot = switches.slot.as_nanos();
    let mut works = works.to_vec();
    for work in &mut works {
        if let Seat::Own(reservation) | Seat::Shared(_, reservation) = &mut work.seat {
            reservation.period = reservation.period * slot;
            reservation.deadline = reservation.deadline * slot;
        }
        for job in &mut work.jobs {
            (job.at, job.pause) = (job.at * slot, None);
        }
    }
    let mut switches = switches;
    switches.bids.alpha = switches.bids.alpha.next_multiple_of(1_000_000);
    (switches, works)
}

/// The tasks with a server whose jobs behave, and are late.
fn late(schedule: &Schedule, works: &[Work]) -> Vec<usize> {
    let is_late = |&task: &usize| {
        let work = &works[task];
        let Some(reservation) = work.reservation() else {
            return false;
        };
        let jobs = &work.jobs;
        let is_short = |job: &Job| job.length <= reservation.budget.as_nanos();
        let behaves = jobs
            .iter()
            .all(|job| is_short(job) && job.pause.is_none() && job.result == 0)
            && jobs
                .windows(2)
                .all(|two| two[1].at - two[0].at >= reservation.period.as_nanos());
        let mut needed = 0;
        behaves
            && jobs.iter().any(|job| {
                needed += job.length;
                let deadline = job.at + reservation.deadline.as_nanos();
                let until = &schedule[..usize::try_from(deadline.min(END)).unwrap()];
                let had = until.iter().filter(|&&it| it == Some(task)).count();
                deadline <= END && (had as u64) < needed
            })
    };
    (0..works.len()).filter(is_late).collect()
}

fn is_isolated(switches: Switches, works: &[Work]) -> Result<(), TestCaseError> {
    prop_assert!(!model(switches, works).1);
    let schedule = run::<TopTwo<Time, Boxed>>(switches, works);
    prop_assert_eq!(late(&schedule, works), Vec::<usize>::new());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5_000))]

    /// Whatever the list is.
    #[test]
    fn soos_does_what_the_model_does(switches in switches(), works in works()) {
        let (expected, _) = model(switches, &works);
        prop_assert_eq!(&run::<TopTwo<Time, Boxed>>(switches, &works), &expected);
        prop_assert_eq!(&run::<SortedList<Time, Boxed>>(switches, &works), &expected);
        prop_assert_eq!(&run::<Unsorted<Time, Boxed>>(switches, &works), &expected);
        prop_assert_eq!(&run::<Flagged<Time, Boxed>>(switches, &works), &expected);
        prop_assert_eq!(&run::<Heap<Time, Boxed>>(switches, &works), &expected);
    }

    /// Servers that fit, with what slots cost, have their budgets by their deadlines, and so no job
    /// is late that asks for no more, whatever the others do.
    #[test]
    fn servers_that_fit_are_isolated(switches in switches(), works in works()) {
        is_isolated(switches, &fitting(switches, &works, false))?;
        let (switches, works) = aligned(switches, &works);
        is_isolated(switches, &fitting(switches, &works, true))?;
    }
}

/// A server is one task's.
#[test]
fn a_server_is_not_shared() {
    let background = Background::new(Fifo, 4);
    let mut policy = Soos::new(
        Switches::default(),
        TopTwo::<Time, Boxed>::new(4),
        background,
    );
    let reservation = Reservation::every(units(5), units(1));
    let mut admit = |task, seat| policy.admit(TaskId(task), seat, Time::ZERO);
    assert_eq!(admit(0, Seat::Shared(7, reservation)), Ok(()));
    let refused = Err(Refused::Invalid(Parameter::Server));
    assert_eq!(admit(1, Seat::Shared(7, reservation)), refused);
    assert_eq!(admit(1, Seat::Shared(8, reservation)), Ok(()));
    assert_eq!(admit(1, Seat::Own(reservation)), Err(Refused::Member));
    assert_eq!(admit(4, Seat::Own(reservation)), Err(Refused::Full));
    let nothing = Reservation::every(units(5), Duration::ZERO);
    assert_eq!(
        admit(2, Seat::Own(nothing)),
        Err(Refused::Invalid(Parameter::Budget))
    );
}

/// Six servers with a unit in eight each, and slots of four units. In the two slots up to the
/// deadline one server runs in each, or two, or all run in the first.
#[test]
fn slack_is_worth_what_slots_cost() {
    let reservation = Reservation::every(units(8), units(1));
    let job = Job {
        at: 0,
        length: 1,
        pause: None,
        result: 0,
    };
    let work = Work {
        seat: Seat::Own(reservation),
        jobs: vec![job],
    };
    let works = vec![work; 6];
    for (slack, served) in [(Slack::None, 2), (Slack::One, 4), (Slack::All, 6)] {
        let switches = Switches {
            slot: units(4),
            slack,
            ..Switches::default()
        };
        let schedule = run::<TopTwo<Time, Boxed>>(switches, &works);
        let expected: Vec<usize> = (served..6).collect();
        assert_eq!(late(&schedule, &works), expected, "{slack:?}");
        let fits = |work: &&Work| work.reservation().is_some();
        let works = fitting(switches, &works, true);
        assert!(works.iter().filter(fits).count() <= served);
    }
}

/// A task that waits in each slot wastes the rest of it, where no other server may have it; that is on its
/// own budget, and makes no other task late. The servers fit: 4 ÷ (8 − 2) and 2 ÷ (8 − 2).
#[test]
fn a_task_that_waits_pays_for_the_slot() {
    let work = |budget, at, length, pause| Work {
        seat: Seat::Own(Reservation::every(units(8), units(budget))),
        jobs: vec![Job {
            at,
            length,
            pause,
            result: 0,
        }],
    };
    let works = [work(4, 0, 8, Some((1, 1))), work(2, 1, 2, None)];
    for is_hard in [true, false] {
        let mut switches = Switches {
            slot: units(2),
            slack: Slack::None,
            ..Switches::default()
        };
        switches.bids.budgets.is_hard = is_hard;
        is_isolated(switches, &works).unwrap();
    }
}
