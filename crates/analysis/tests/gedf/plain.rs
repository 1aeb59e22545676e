//! The formulas of the literature, word for word: no short cut, and fractions of big numbers
//! throughout.

use flyball_analysis::gedf::{Task, Test};
use num_bigint::BigInt;
use num_rational::BigRational;
use std::collections::BTreeSet;

type Q = BigRational;

fn int(value: u64) -> Q {
    Q::from_integer(value.into())
}

fn over(a: u64, b: u64) -> Q {
    Q::new(a.into(), b.into())
}

fn utilisation(tasks: &[Task]) -> Q {
    tasks.iter().map(|task| over(task.wcet, task.period)).sum()
}

fn densities(tasks: &[Task]) -> impl Iterator<Item = Q> {
    tasks.iter().map(|task| over(task.wcet, task.deadline))
}

/// Whether `test` accepts.
pub(crate) fn accepts(test: Test, tasks: &[Task], cpus: u32) -> bool {
    let m = u64::from(cpus);
    if !is_eligible(tasks, cpus) {
        return false;
    }
    if tasks.is_empty() {
        return true;
    }
    match test {
        Test::Gfb => densities(tasks).sum::<Q>() <= mu(tasks, m),
        Test::Bak => tasks.iter().all(|k| bak(tasks, k, m)),
        Test::Bak05 => tasks.iter().all(|k| bak05(tasks, k, m)),
        Test::Bcl => (0..tasks.len()).all(|k| bcl(tasks, k, m)),
        Test::Bcli => rounds(tasks, |k, slacks| bcli(tasks, k, slacks, m)),
        Test::Rta => rounds(tasks, |k, slacks| rta(tasks, k, slacks, m)),
        Test::Load => load(tasks) <= load_bound(tasks, m),
        Test::FfDbf => ffdbf(tasks, m),
        Test::Bar => bar(tasks, m),
        Test::Rtalc => rounds(tasks, |k, slacks| rtalc(tasks, k, slacks, m)),
    }
}

/// C ≤ D ≤ T and U ≤ m.
fn is_eligible(tasks: &[Task], cpus: u32) -> bool {
    let within = |task: &Task| task.wcet <= task.deadline && task.deadline <= task.period;
    tasks.iter().all(within) && utilisation(tasks) <= int(cpus.into())
}

/// m − (m − 1) δ_max.
fn mu(tasks: &[Task], m: u64) -> Q {
    int(m) - int(m - 1) * densities(tasks).max().unwrap()
}

fn bak(tasks: &[Task], k: &Task, m: u64) -> bool {
    let lambda = over(k.wcet, k.deadline);
    let beta = |task: &Task| {
        let u = over(task.wcet, task.period);
        let early = over(task.period - task.deadline, k.deadline);
        let carried = (int(task.wcet) - &lambda * int(task.period)) / int(k.deadline);
        let more = if u > lambda { carried } else { int(0) };
        u * (int(1) + early) + more
    };
    let sum: Q = tasks.iter().map(|task| beta(task).min(int(1))).sum();
    sum <= int(m) * (int(1) - &lambda) + lambda
}

fn bak05(tasks: &[Task], k: &Task, m: u64) -> bool {
    let own = over(k.wcet, k.deadline);
    let utilisations = tasks.iter().map(|task| over(task.wcet, task.period));
    let mut choices: Vec<Q> = utilisations.filter(|u| *u >= own).collect();
    choices.push(own);
    choices.into_iter().any(|lambda| {
        let rest = int(1) - &lambda;
        let beta = |task: &Task| {
            let u = over(task.wcet, task.period);
            let window = int(k.deadline);
            if u <= lambda {
                let shorter = &u * (int(1) - over(task.deadline, k.deadline));
                let whole = shorter + over(task.wcet, k.deadline);
                u.max(whole)
            } else if lambda >= over(task.wcet, task.deadline) {
                u
            } else {
                u + (int(task.wcet) - &lambda * int(task.deadline)) / window
            }
        };
        let sum: Q = tasks.iter().map(|task| beta(task).min(rest.clone())).sum();
        sum < int(m) * rest
    })
}

fn bcl(tasks: &[Task], k: usize, m: u64) -> bool {
    let window = tasks[k].deadline;
    let rest = int(1) - over(tasks[k].wcet, window);
    let beta = |task: &Task| {
        let jobs = if task.deadline > window {
            0
        } else {
            (window - task.deadline) / task.period + 1
        };
        let last = window.saturating_sub(jobs * task.period).min(task.wcet);
        over(jobs * task.wcet + last, window)
    };
    let betas: Vec<Q> = others(tasks, k).map(|(_, task)| beta(task)).collect();
    let sum: Q = betas.iter().map(|beta| beta.min(&rest)).sum();
    let bound = int(m) * &rest;
    let small = betas.iter().any(|beta| *beta > int(0) && *beta <= rest);
    sum < bound || (sum == bound && small)
}

fn others(tasks: &[Task], k: usize) -> impl Iterator<Item = (usize, &Task)> {
    tasks.iter().enumerate().filter(move |(i, _)| *i != k)
}

/// In rounds: `response` of a task, given the slack of each task.
fn rounds(tasks: &[Task], response: impl Fn(usize, &[u64]) -> Option<u64>) -> bool {
    let mut slacks = vec![0; tasks.len()];
    loop {
        let responses: Vec<_> = (0..tasks.len()).map(|k| response(k, &slacks)).collect();
        if responses.iter().all(Option::is_some) {
            return true;
        }
        let after = |(task, response): (&Task, &Option<u64>)| {
            response.map_or(0, |response| task.deadline - response)
        };
        let next: Vec<u64> = tasks.iter().zip(&responses).map(after).collect();
        if next == slacks {
            return false;
        }
        slacks = next;
    }
}

/// E_i.
fn before(task: &Task, window: u64, slack: u64) -> u64 {
    let rest = (window % task.period).saturating_sub(slack);
    window / task.period * task.wcet + rest.min(task.wcet)
}

fn bcli(tasks: &[Task], k: usize, slacks: &[u64], m: u64) -> Option<u64> {
    let Task { wcet, deadline, .. } = tasks[k];
    let work =
        |(i, task): (usize, &Task)| before(task, deadline, slacks[i]).min(deadline - wcet + 1);
    let response = wcet + others(tasks, k).map(work).sum::<u64>() / m;
    (response <= deadline).then_some(response)
}

fn rta(tasks: &[Task], k: usize, slacks: &[u64], m: u64) -> Option<u64> {
    let Task { wcet, deadline, .. } = tasks[k];
    let mut response = wcet;
    while response <= deadline {
        let work = |(i, task): (usize, &Task)| {
            let reach = response + task.deadline - task.wcet - slacks[i];
            let within = reach / task.period * task.wcet + (reach % task.period).min(task.wcet);
            within
                .min(before(task, deadline, slacks[i]))
                .min(response - wcet + 1)
        };
        let next = wcet + others(tasks, k).map(work).sum::<u64>() / m;
        if next == response {
            return Some(response);
        }
        response = next;
    }
    None
}

/// The work of jobs that arrive at `first` and every period later, with up to `left` of the first
/// one left at zero: of those that arrive by `last`, up to `end`.
fn pattern(task: &Task, first: i64, left: i64, last: i64, end: i64) -> i64 {
    let Task { wcet, period, .. } = *task;
    let arrivals = (0..).map(|j| first + j * int64(period));
    arrivals
        .take_while(|&arrival| arrival <= last)
        .map(|arrival| {
            let most = if arrival < 0 { left } else { int64(wcet) };
            most.min(end - arrival.max(0)).max(0)
        })
        .sum()
}

fn int64(value: u64) -> i64 {
    value.try_into().unwrap()
}

/// The most work of a task that has no job there before a window, in any pattern.
fn without(task: &Task, last: i64, end: i64) -> i64 {
    let firsts = 0..=int64(task.period);
    firsts
        .map(|first| pattern(task, first, 0, last, end))
        .max()
        .unwrap()
}

/// The same of one that has, with up to `most` left, and a response time of up to `response`.
fn with(task: &Task, most: i64, response: i64, last: i64, end: i64) -> i64 {
    let firsts = 1..response;
    firsts
        .map(|before| pattern(task, -before, most.min(response - before), last, end))
        .max()
        .unwrap_or(0)
}

fn rtalc(tasks: &[Task], k: usize, slacks: &[u64], m: u64) -> Option<u64> {
    let everyone = rtalc_everyone(tasks, k, slacks, m);
    everyone
        .into_iter()
        .chain(rtalc_limited(tasks, k, slacks, m))
        .min()
}

/// (2).
fn rtalc_everyone(tasks: &[Task], k: usize, slacks: &[u64], m: u64) -> Option<u64> {
    let Task { wcet, deadline, .. } = tasks[k];
    (wcet..=deadline).find(|&response| {
        let most = response - wcet + 1;
        let work = |(i, task): (usize, &Task)| {
            let last = int64(deadline) - int64(task.deadline);
            let end = int64(response);
            let known = int64(task.deadline - slacks[i]);
            with(task, int64(task.wcet), known, last, end)
                .max(without(task, last, end))
                .min(int64(most))
        };
        others(tasks, k).map(work).sum::<i64>() < int64(m * most)
    })
}

/// The most of all R_A.
fn rtalc_limited(tasks: &[Task], k: usize, slacks: &[u64], m: u64) -> Option<u64> {
    let room = int(m) - utilisation(tasks);
    if room <= int(0) {
        return None;
    }
    let carried: u64 = tasks.iter().map(|task| task.wcet).sum();
    let longest = tasks.iter().map(|task| task.period).max().unwrap();
    let until = (utilisation(tasks) * int(2 * longest) + int(carried)) / room;
    let until = u64::try_from(until.ceil().to_integer()).unwrap();
    let mut most = 0;
    for before in 0..=until {
        let found = (tasks[k].wcet..=tasks[k].deadline)
            .find(|&response| rtalc_at(tasks, k, slacks, m, before, response))?;
        most = most.max(found);
    }
    Some(most)
}

/// (1).
pub(crate) fn rtalc_at(
    tasks: &[Task],
    k: usize,
    slacks: &[u64],
    m: u64,
    before: u64,
    response: u64,
) -> bool {
    let Task { wcet, deadline, .. } = tasks[k];
    let most = before + response - wcet + 1;
    let mut sum = 0;
    let mut more = Vec::new();
    for (i, task) in tasks.iter().enumerate() {
        let (last, end, most) = if i == k {
            let last = int64(before) - int64(task.period);
            (last, int64(before), int64(before))
        } else {
            let last = int64(before + deadline) - int64(task.deadline);
            (last, int64(before + response), int64(most))
        };
        let known = int64(task.deadline - slacks[i]);
        let plain = without(task, last, end).min(most);
        let all = with(task, int64(task.wcet) - 1, known, last, end).min(most);
        sum += plain;
        more.push((all - plain).max(0));
    }
    more.sort_unstable_by(|a, b| b.cmp(a));
    sum += more
        .iter()
        .take(usize::try_from(m - 1).unwrap())
        .sum::<i64>();
    sum < int64(m * most)
}

fn dbf(task: &Task, length: u64) -> u64 {
    length
        .checked_sub(task.deadline)
        .map_or(0, |after| (after / task.period + 1) * task.wcet)
}

/// All D_i + j T_i up to `until`.
fn steps(tasks: &[Task], until: u64) -> BTreeSet<u64> {
    let of = |task: &Task| {
        let next = task.period;
        (task.deadline..=until).step_by(usize::try_from(next).unwrap())
    };
    tasks.iter().flat_map(of).collect()
}

/// The largest dbf(t)/t: over a hyperperiod, or it is the utilisation.
pub(crate) fn load(tasks: &[Task]) -> Q {
    let hyperperiod = tasks
        .iter()
        .fold(1, |lcm, task| num_integer::lcm(lcm, task.period));
    let at = |length| over(tasks.iter().map(|task| dbf(task, length)).sum(), length);
    let points = steps(tasks, hyperperiod);
    points.into_iter().map(at).fold(utilisation(tasks), Q::max)
}

pub(crate) fn load_bound(tasks: &[Task], m: u64) -> Q {
    let densest = densities(tasks).max().unwrap();
    let mu = mu(tasks, m);
    let ceiling = mu.ceil();
    let first = mu - (&ceiling - int(1)) * &densest;
    first.max(&ceiling - int(1) - (ceiling - int(2)) * densest)
}

fn ffdbf(tasks: &[Task], m: u64) -> bool {
    if m < 2 {
        return false;
    }
    let densest = densities(tasks).max().unwrap();
    let limit = (int(m) - utilisation(tasks)) / int(m - 1) - over(1, 10);
    let limit = limit.min(int(1));
    let until = Q::from_integer((10 * tasks.iter().map(|task| task.wcet).sum::<u64>()).into());
    let later = (1..=50)
        .map(|step| over(step, 50))
        .filter(|speed| *speed > densest);
    let mut speeds = std::iter::once(densest.clone()).chain(later.collect::<Vec<_>>());
    speeds.any(|speed| speed <= limit && forced(tasks, m, &speed, &until))
}

fn forced(tasks: &[Task], m: u64, speed: &Q, until: &Q) -> bool {
    let slope = int(m) - int(m - 1) * speed;
    let points = tasks.iter().flat_map(|task| {
        let head = (int(task.wcet) / speed).min(int(task.deadline));
        let step = |j: u64| int(task.deadline + j * task.period);
        let ends = (0..).map(step).take_while(|end| *end <= until + &head);
        let both = |end: Q| [&end - &head, end];
        ends.flat_map(both).collect::<Vec<_>>()
    });
    let at = |length: &Q| -> Q {
        let one = |task: &Task| {
            let jobs = (length / int(task.period)).floor();
            let rest = length - &jobs * int(task.period);
            let last = if rest >= int(task.deadline) {
                int(task.wcet)
            } else {
                (int(task.wcet) - (int(task.deadline) - rest) * speed).max(int(0))
            };
            jobs * int(task.wcet) + last
        };
        tasks.iter().map(one).sum()
    };
    points
        .filter(|length| *length <= *until)
        .all(|length| at(&length) <= &slope * &length)
}

fn bar(tasks: &[Task], m: u64) -> bool {
    let room = int(m) - utilisation(tasks);
    if room <= int(0) {
        return false;
    }
    let mut wcets: Vec<u64> = tasks.iter().map(|task| task.wcet).collect();
    wcets.sort_unstable_by(|a, b| b.cmp(a));
    let carried: u64 = wcets.iter().take(usize::try_from(m - 1).unwrap()).sum();
    let early = |task: &Task| int(task.period - task.deadline) * over(task.wcet, task.period);
    let early: Q = tasks.iter().map(early).sum();
    (0..tasks.len()).all(|k| {
        let Task { wcet, deadline, .. } = tasks[k];
        let work = int(carried) - int(deadline) * &room + &early + int(m * wcet);
        let longest = (work / &room).floor() + int(deadline);
        let until = u64::try_from(longest.to_integer().max(BigInt::ZERO)).unwrap();
        let points = steps(tasks, until)
            .into_iter()
            .filter(|point| *point >= deadline);
        points.into_iter().all(|point| bar_at(tasks, k, point, m))
    })
}

fn bar_at(tasks: &[Task], k: usize, length: u64, m: u64) -> bool {
    let Task { wcet, deadline, .. } = tasks[k];
    let most = length - wcet + 1;
    let mut sum = 0;
    let mut more: Vec<u64> = Vec::new();
    for (i, task) in tasks.iter().enumerate() {
        let plain = dbf(task, length);
        let carry = length / task.period * task.wcet + (length % task.period).min(task.wcet);
        let count = |work: u64| {
            if i == k {
                (work - wcet).min(length - deadline)
            } else {
                work.min(most)
            }
        };
        sum += count(plain);
        more.push(count(carry) - count(plain));
    }
    more.sort_unstable_by(|a, b| b.cmp(a));
    sum += more
        .iter()
        .take(usize::try_from(m - 1).unwrap())
        .sum::<u64>();
    sum <= m * (length - wcet)
}

/// LOAD with the load approximated from above, to ε = 1/`fineness` (Fisher, Baker and Baruah 2006),
/// as SchedCAT has it: a task's demand is a staircase for its first jobs and the line above it from
/// then on, rounded up; ε is added to the utilisation; and the sum of the densities, where a point
/// lies above that.
pub(crate) fn accepts_approximated(tasks: &[Task], cpus: u32, fineness: u64) -> bool {
    if !is_eligible(tasks, cpus) {
        return false;
    }
    let bound = load_bound(tasks, cpus.into());
    let density: Q = densities(tasks).sum();
    if density <= utilisation(tasks) {
        return utilisation(tasks) <= bound;
    }
    let exact_jobs: Vec<u64> = tasks
        .iter()
        .map(|task| {
            let jobs = over(task.wcet, task.period) * int(tasks.len() as u64 * fineness)
                - over(task.deadline, task.period);
            u64::try_from(jobs.ceil().to_integer().max(BigInt::ZERO)).unwrap()
        })
        .collect();
    let points: BTreeSet<u64> = tasks
        .iter()
        .zip(&exact_jobs)
        .flat_map(|(task, &jobs)| (0..=jobs).map(|j| task.deadline + j * task.period))
        .collect();
    let at = |length: u64| {
        let demand = |(task, &jobs): (&Task, &u64)| {
            if length < jobs * task.period + task.deadline {
                dbf(task, length)
            } else {
                task.wcet + ((length - task.deadline) * task.wcet).div_ceil(task.period)
            }
        };
        tasks.iter().zip(&exact_jobs).map(demand).sum::<u64>()
    };
    let mut all_below = utilisation(tasks) + over(1, fineness) <= bound;
    for length in points {
        let load = at(length);
        if is_above(load, length, &density) {
            return density <= bound;
        }
        all_below &= !is_above(load, length, &bound);
    }
    all_below
}

/// Whether a/b > c.
fn is_above(a: u64, b: u64, c: &Q) -> bool {
    BigInt::from(a) * c.denom() > BigInt::from(b) * c.numer()
}
