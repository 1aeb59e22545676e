//! Global fixed priorities: the formulas word for word, what one test says of another, and what is
//! accepted, run.

use crate::gedf::random::{Random, sets};
use crate::gedf::simulated::{is_late_by_levels, is_late_by_priorities};
use flyball_analysis::gedf::{Set, Task};
use flyball_analysis::gfp::{
    Test, by_d_less_kc, by_deadlines, first_late, first_late_by_levels, optimal, test, test_best,
};
use flyball_analysis::{Level, WorkLimit, priority};
use std::cmp::Reverse;

const LIMIT: WorkLimit = WorkLimit::steps(u64::MAX);

/// W.
fn within(task: &Task, length: u64) -> u64 {
    length / task.period * task.wcet + (length % task.period).min(task.wcet)
}

/// Whether a response time of `length` fulfils Guan's equation, with bounds for those of tasks with
/// higher priorities.
fn fulfils(tasks: &[Task], m: u64, k: usize, higher: &[(usize, u64)], length: u64) -> bool {
    let wcet = tasks[k].wcet;
    let most = length - wcet + 1;
    let of = |&(i, bound): &(usize, u64)| {
        let task = &tasks[i];
        let plain = within(task, length).min(most);
        let all = within(task, length + bound - task.wcet).min(most);
        (plain, all - plain)
    };
    let (plain, mut more): (Vec<u64>, Vec<u64>) = higher.iter().map(of).unzip();
    more.sort_unstable_by(|a, b| b.cmp(a));
    let carriers = usize::try_from(m - 1).unwrap();
    let sum = plain.iter().sum::<u64>() + more.iter().take(carriers).sum::<u64>();
    wcet + sum / m <= length
}

fn plain(which: Test, tasks: &[Task], cpus: u32, order: &[usize]) -> bool {
    let mut higher: Vec<(usize, u64)> = Vec::new();
    order.iter().all(|&k| {
        let Task { wcet, deadline, .. } = tasks[k];
        let mut lengths = match which {
            Test::DaLc => deadline..=deadline,
            Test::RtaLc => wcet..=deadline,
        };
        let found = lengths.find(|&length| fulfils(tasks, cpus.into(), k, &higher, length));
        let bound = if which == Test::DaLc {
            Some(deadline)
        } else {
            found
        };
        higher.extend(bound.map(|bound| (k, bound)));
        found.is_some()
    })
}

fn permuted(tasks: usize, random: &mut Random) -> Vec<usize> {
    let mut order: Vec<usize> = (0..tasks).collect();
    for last in (1..tasks).rev() {
        let other = random.between(0, last as u64);
        order.swap(last, usize::try_from(other).unwrap());
    }
    order
}

#[test]
fn the_quick_way_is_the_plain_way_and_response_times_accept_more() {
    let mut accepted = [0; 2];
    for seed in 0..sets(6000) {
        let mut random = Random(seed ^ 0xf1);
        let (tasks, cpus) = random.set(30);
        let set = Set::new(tasks.clone()).unwrap();
        let order = match random.between(0, 2) {
            0 => by_deadlines(&set),
            1 => by_d_less_kc(&set, cpus),
            _ => permuted(tasks.len(), &mut random),
        };
        let said = Test::ALL.map(|which| test(which, &set, cpus, &order, LIMIT).accepts());
        if set.is_eligible(cpus) {
            let expected = Test::ALL.map(|which| plain(which, &tasks, cpus, &order));
            assert_eq!(said, expected, "{tasks:?} on {cpus} by {order:?}");
        }
        let [less, more] = said;
        assert!(more || !less, "{tasks:?} on {cpus} by {order:?}");
        accepted[0] += u32::from(less);
        accepted[1] += u32::from(more);
    }
    assert!(
        accepted[0] > 200 && accepted[1] > accepted[0] + 20,
        "{accepted:?}"
    );
}

/// Against all orders of a few tasks.
#[test]
fn audsley_finds_priorities_if_there_are_any() {
    let (mut found, mut none) = (0, 0);
    for seed in 0..sets(2000) {
        let mut random = Random(seed ^ 0xa5);
        let (mut tasks, _) = random.set(20);
        tasks.truncate(5);
        let set = Set::new(tasks.clone()).unwrap();
        if !set.is_eligible(2) || tasks.len() < 4 {
            continue;
        }
        let order = optimal(&set, 2, LIMIT).unwrap();
        if let Some(order) = &order {
            assert!(test(Test::DaLc, &set, 2, order, LIMIT).accepts());
        } else {
            let all = orders(tasks.len());
            let any = all
                .into_iter()
                .find(|order| plain(Test::DaLc, &tasks, 2, order));
            assert_eq!(any, None, "{tasks:?}");
        }
        found += u32::from(order.is_some());
        none += u32::from(order.is_none());
    }
    assert!(found > 20 && none > 20, "{found} {none}");
}

fn orders(tasks: usize) -> Vec<Vec<usize>> {
    let Some(last) = tasks.checked_sub(1) else {
        return vec![Vec::new()];
    };
    let longer = |order: Vec<usize>| {
        (0..tasks).map(move |place| {
            let mut order = order.clone();
            order.insert(place, last);
            order
        })
    };
    orders(last).into_iter().flat_map(longer).collect()
}

#[test]
fn nothing_that_is_accepted_is_late() {
    let (mut accepted, mut late) = (0, 0);
    for seed in 0..sets(2000) {
        let mut random = Random(seed ^ 0xf00d);
        let longest = random.between(6, 20);
        let (tasks, cpus) = random.set(longest);
        if tasks.len() <= cpus as usize {
            continue;
        }
        let set = Set::new(tasks.clone()).unwrap();
        let orders = [by_deadlines(&set), by_d_less_kc(&set, cpus)];
        let best = optimal(&set, cpus, LIMIT).unwrap();
        for order in orders.into_iter().chain(best) {
            let accepts = test(Test::RtaLc, &set, cpus, &order, LIMIT).accepts();
            let is_late = is_late_by_priorities(&tasks, cpus, &order, &mut random);
            assert!(!(accepts && is_late), "{tasks:?} on {cpus} by {order:?}");
            accepted += u32::from(accepts);
            late += u32::from(is_late);
        }
    }
    assert!(accepted > 200 && late > 200, "{accepted} {late}");
}

#[test]
fn the_best_priorities_accept_what_any_of_them_does() {
    for seed in 0..sets(2000) {
        let (tasks, cpus) = Random(seed ^ 0xbe).set(30);
        let set = Set::new(tasks).unwrap();
        let mut orders = vec![by_deadlines(&set), by_d_less_kc(&set, cpus)];
        orders.extend(optimal(&set, cpus, LIMIT).unwrap());
        for which in Test::ALL {
            let any = orders
                .iter()
                .any(|order| test(which, &set, cpus, order, LIMIT).accepts());
            assert_eq!(
                test_best(which, &set, cpus, LIMIT).accepts(),
                any,
                "{which}: {set:?}"
            );
        }
    }
}

/// k is 1 for two CPUs, since √(20 − 12 + 1) = 3: then D − kC is D − C.
#[test]
fn k_is_one_for_two_cpus() {
    let task = |wcet, deadline| Task {
        wcet,
        period: 100,
        deadline,
    };
    let tasks = [(5, 20), (10, 24), (1, 16), (7, 22), (1, 21), (3, 20)];
    let tasks = tasks.map(|(wcet, deadline)| task(wcet, deadline));
    let set = Set::new(tasks.to_vec()).unwrap();
    assert_eq!(by_d_less_kc(&set, 2), [1, 0, 2, 3, 5, 4]);
    assert_eq!(by_d_less_kc(&set, 1), by_deadlines(&set));
}

/// The 128-bit version, on sets that the 64-bit version can do as well.
#[test]
fn wide_numbers_are_as_good() {
    for seed in 0..sets(500) {
        let (mut tasks, cpus) = Random(seed ^ 0x128).set(30);
        tasks.push(Task::implicit(1, 1 << 30));
        let say = |tasks: &[Task]| {
            let set = Set::new(tasks.to_vec()).unwrap();
            Test::ALL.map(|which| test_best(which, &set, cpus, LIMIT).accepts())
        };
        let short = say(&tasks);
        *tasks.last_mut().unwrap() = Task::implicit(1, 1 << 33);
        assert_eq!(say(&tasks), short, "{tasks:?} on {cpus}");
    }
}

/// Equals are counted as more urgent, so that what is accepted holds where they are served first
/// come, first served, and where one of them is always the first.
#[test]
fn equals_are_counted_as_more_urgent() {
    let (mut accepted, mut tied, mut late) = (0, 0, 0);
    for seed in 0..sets(2000) {
        let mut random = Random(seed ^ 0xe9);
        let longest = random.between(6, 20);
        let (tasks, cpus) = random.set(longest);
        let set = Set::new(tasks.clone()).unwrap();
        if tasks.len() <= cpus as usize || !set.is_eligible(cpus) {
            continue;
        }
        let level = |_: &Task| Level(u32::try_from(random.between(0, 3)).unwrap());
        let levels: Vec<Level> = tasks.iter().map(level).collect();
        let mut order: Vec<usize> = (0..tasks.len()).collect();
        let mut reverse: Vec<usize> = order.iter().rev().copied().collect();
        for one in [&mut order, &mut reverse] {
            one.sort_by_key(|&task| Reverse(levels[task]));
        }
        for which in Test::ALL {
            let first = first_late_by_levels(which, &set, cpus, &levels, LIMIT).unwrap();
            let apart = priority::distinct(&levels);
            assert_eq!(
                first_late_by_levels(which, &set, cpus, &apart, LIMIT).unwrap(),
                first_late(which, &set, cpus, &order, LIMIT).unwrap()
            );
            if first.is_some() {
                continue;
            }
            for order in [&order, &reverse] {
                assert!(test(which, &set, cpus, order, LIMIT).accepts(), "{tasks:?}");
                assert!(!is_late_by_priorities(&tasks, cpus, order, &mut random));
            }
            assert!(!is_late_by_levels(&tasks, cpus, &levels, &mut random));
            accepted += 1;
            tied += u32::from(apart.iter().max() > levels.iter().max());
        }
        late += u32::from(is_late_by_levels(&tasks, cpus, &levels, &mut random));
    }
    assert!(
        accepted > 200 && tied > 100 && late > 200,
        "{accepted} {tied} {late}"
    );
}
