//! Which task comes first, and what happens when one wakes.

use super::*;
use crate::policy::Resched;

fn tasks(pool: &mut Pool, steps: usize) -> Vec<u16> {
    let steps = (0..steps).map(|_| pool.step(|_| Does::Compute(0)).unwrap().0.0);
    steps.collect()
}

/// A task that wakes before its place in the round waits for it, or comes next.
#[test]
fn a_task_that_wakes_waits_or_comes_next() {
    let order = |wake, wakes: u16| {
        let settings = Settings {
            wake,
            feedforward: false,
            ..Settings::default()
        };
        let mut pool = Pool::new(settings, &shares(&[10; 4]));
        // One round, so that all have bursts.
        tasks(&mut pool, 4);
        pool.block(TaskId(wakes));
        let mut order = tasks(&mut pool, 2);
        pool.wake(TaskId(wakes));
        order.extend(tasks(&mut pool, 3));
        order
    };
    assert_eq!(order(Wake::Wait, 3), [0, 1, 2, 3, 0]);
    assert_eq!(order(Wake::Next, 3), [0, 1, 3, 2, 0]);
    // Its place is past.
    assert_eq!(order(Wake::Wait, 0), [1, 2, 3, 0, 1]);
    assert_eq!(order(Wake::Next, 0), [1, 2, 0, 3, 1]);
    // The round is over.
    assert_eq!(order(Wake::Round, 3), [0, 1, 0, 1, 2]);
}

/// The nearest deadline first, as soon as there is one, but late jobs last.
#[test]
fn urgency_is_earliest_deadline_first_for_tasks_that_are_not_late() {
    let ms = |ms| Time::ZERO + Duration::from_millis(ms);
    let mut scheduler = IPlusPi::<Inline<16>>::new(Settings::DEADLINE_AWARE, 16);
    for (task, deadline) in [(0, 20), (1, 10), (2, 5)] {
        let share = Share {
            deadline: Duration::from_millis(deadline),
            ..Share::new(Fraction::percent(30))
        };
        scheduler.admit(TaskId(task), share, Time::ZERO).unwrap();
    }
    let release = |scheduler: &mut IPlusPi<_>, task, at| {
        scheduler.ready(
            CpuId(0),
            TaskId(task),
            Ready::Released { release: ms(at) },
            ms(at),
        )
    };
    let stop = |scheduler: &mut IPlusPi<_>, task, used, why, at| {
        let used = Usage::time(Duration::from_millis(used));
        let _ = scheduler.stopped(CPU, TaskId(task), used, why, ms(at));
    };
    let pick = |scheduler: &mut IPlusPi<_>, at| {
        let chosen = scheduler.pick(CPU, ms(at)).unwrap();
        (chosen.task.0, chosen.burst.unwrap().as_nanos() / 1_000)
    };
    let _ = release(&mut scheduler, 0, 0);
    let _ = release(&mut scheduler, 1, 0);
    // Two of three times 4 ms are there.
    assert_eq!(pick(&mut scheduler, 0), (1, 6_000));
    // A task that wakes begins a round at once.
    assert_eq!(release(&mut scheduler, 2, 1), Resched::One(CPU));
    stop(&mut scheduler, 1, 1, Stop::Preempted, 1);
    assert_eq!(pick(&mut scheduler, 1), (2, 4_000));
    stop(&mut scheduler, 2, 1, Stop::Completed, 2);
    assert_eq!(pick(&mut scheduler, 2), (1, 4_000));
    // At 12, task 1 is late; with the next round it is the last.
    let _ = release(&mut scheduler, 2, 12);
    stop(&mut scheduler, 1, 3, Stop::Preempted, 12);
    assert_eq!(pick(&mut scheduler, 12).0, 2);
    stop(&mut scheduler, 2, 1, Stop::Completed, 13);
    assert_eq!(pick(&mut scheduler, 13).0, 0);
    stop(&mut scheduler, 0, 1, Stop::Completed, 14);
    assert_eq!(pick(&mut scheduler, 14).0, 1);
}

proptest! {
    /// Whatever happens, a task runs if any is ready, for some time, and every task has its place.
    #[test]
    fn no_task_is_lost(
        wake in prop::sample::select(vec![Wake::Wait, Wake::Next, Wake::Round]),
        sequence in prop::sample::select(vec![Sequence::Admission, Sequence::Urgency]),
        percents in prop::collection::vec(1_u32..=40, 1..=5),
        script in prop::collection::vec((0_u16..5, any::<bool>(), does()), 0..200),
    ) {
        let settings = Settings { sequence, wake, ..Settings::default() };
        let mut pool = Pool::new(settings, &shares(&percents));
        let tasks = u16::try_from(percents.len()).unwrap();
        for (task, runs, does) in script {
            let task = TaskId(task % tasks);
            if pool.scheduler.members[task.index()].unwrap().ready {
                pool.block(task);
            } else {
                pool.wake(task);
            }
            if runs {
                let ran = pool.step(|_| does);
                prop_assert_eq!(ran.is_some(), pool.scheduler.ready > 0);
            }
            let mut order: Vec<_> = (0..usize::from(tasks)).map(|n| pool.scheduler.order[n].0).collect();
            order.sort_unstable();
            prop_assert_eq!(order, (0..tasks).collect::<Vec<_>>());
        }
    }
}
