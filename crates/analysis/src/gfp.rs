//! Global fixed priorities on several CPUs: two sufficient tests, and the priorities that suit
//! them.
//!
//! The m jobs with the highest priorities run, on whatever CPU. Each task has a priority of its
//! own. As for [global EDF](crate::gedf), no exact test of reasonable cost is known.
//!
//! | [`Test`] | condition for τ_k | source |
//! |---|---|---|
//! | DA-LC | Ω(D_k) < m (D_k − C_k + 1), with P = D for all | Davis and Burns 2011 |
//! | RTA-LC | Ω(R) < m (R − C_k + 1) for some R ≤ D_k, the least of which is P_k | Guan, Stigge, Yi and Yu 2009 |
//!
//! ```text
//!   Ω(L) = Σ_{i∈hp(k)} NC_i + the m − 1 largest (CI_i − NC_i)       each cut off at L − C_k + 1
//!
//!   NC_i = W(L)    CI_i = W(L + P_i − C_i)    W(z) = ⌊z/T_i⌋ C_i + min(C_i, z mod T_i)
//! ```
//!
//! NC is for tasks that have no job there when the window begins, and CI for those that do: the
//! first such job ends P after its arrival, as late as it may, and the others come as early as they
//! may (Bertogna and Cirinei 2007). The window begins at the last instant before τ_k's job at which
//! a CPU has nothing more urgent to do, so that fewer than m tasks are of the second kind (Baruah
//! 2007). Unlike under EDF, one window is enough: if more urgent jobs kept all CPUs busy from the
//! window's beginning to the job's arrival and beyond, they would do so in the first L units, too,
//! which Ω(L) rules out (Guan et al.). Then the job is complete L units after the *window* has
//! begun.
//!
//! The equations are those of Davis and Burns, "Improved priority assignment for global fixed
//! priority pre-emptive scheduling in multiprocessor real-time systems", Real-Time Systems 47(1),
//! 2011, who have both tests in one form (Guan et al., "New response time bounds for fixed priority
//! multiprocessor scheduling", RTSS 2009, let a carried-in job have at most C − 1 left, which is
//! not made use of here).
//!
//! With the same priorities RTA-LC accepts what DA-LC accepts: Ω only falls with P, and from R =
//! D_k the least R is not far. But its P_i depend on the order of the tasks with higher priorities,
//! and so it is no test for Audsley's algorithm.
//!
//! # Priorities
//!
//! DA-LC asks only *which* tasks have higher priorities, and not in which order, and τ_k stays
//! schedulable if one of them has a lower one instead. So priorities are found that it accepts, if
//! there are any, by giving the lowest one to some task that may have it, and so on (Audsley 1991,
//! 2001; that it works for this test: Davis and Burns 2011). D-monotonic and D − kC-monotonic ones
//! (Andersson and Jonsson 2000; "`DkC`") are for RTA-LC.
//!
//! All take sets with C ≤ D ≤ T for every task and U ≤ m, count in whole units of time ([`Task`])
//! and are exact.
//!
//! Complexity: O(n²) for DA-LC with given priorities, and O(n³) to find them; RTA-LC is
//! pseudo-polynomial.

use crate::gedf::growth::last_above;
use crate::gedf::interference::{Row, is_short, rows};
use crate::gedf::word::Word;
use crate::gedf::{Answer, Set, Task};
use crate::work::Meter;
use crate::{Level, Stop, WorkLimit};
use core::cmp::{Ordering, Reverse};
use core::fmt;
use num_bigint::BigUint;

/// A sufficient test of global fixed priorities.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Test {
    /// Davis and Burns 2011: interference up to the deadline.
    DaLc,
    /// Guan, Stigge, Yi and Yu 2009: response times.
    RtaLc,
}

impl Test {
    /// Both.
    pub const ALL: [Test; 2] = [Test::DaLc, Test::RtaLc];

    /// Its name, as in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Test::DaLc => "DA-LC",
            Test::RtaLc => "RTA-LC",
        }
    }
}

impl fmt::Display for Test {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What `test` says about a set on so many CPUs, whose tasks have these priorities: their
/// positions, the most urgent one first. It takes at most `limit` steps.
///
/// # Panics
/// If `order` is no permutation of the tasks' positions.
pub fn test(test: Test, set: &Set, cpus: u32, order: &[usize], limit: WorkLimit) -> Answer {
    let mut seen = vec![false; set.tasks().len()];
    for &task in order {
        assert!(!core::mem::replace(&mut seen[task], true), "{task} twice");
    }
    assert_eq!(order.len(), seen.len(), "a priority for each task");
    if !set.is_eligible(cpus) {
        return Answer::Rejects;
    }
    Answer::from(first_late(test, set, cpus, order, limit).map(|late| late.is_none()))
}

/// The position of the most urgent task that is not sure to be in time, by `test` with these
/// priorities. The set is one that the [tests take](Set::is_eligible), and `order` a permutation of
/// its positions.
///
/// # Errors
/// If it had to stop, after `limit` steps.
pub fn first_late(
    test: Test,
    set: &Set,
    cpus: u32,
    order: &[usize],
    limit: WorkLimit,
) -> Result<Option<usize>, Stop> {
    let are_equal = |_, _| false;
    let mut meter = limit.meter();
    if is_short(set) {
        Judge::<u64>::new(set, cpus).first_late(test, order, are_equal, &mut meter)
    } else {
        Judge::<u128>::new(set, cpus).first_late(test, order, are_equal, &mut meter)
    }
}

/// The same with a level for each task, which may be equal to another's, where jobs of equals are
/// served in the order of their arrival.
///
/// Each task is asked about as if it came after all of its equals. That is enough: let the window
/// begin where a CPU has nothing of a *strictly* higher level to do, so that fewer than m of those
/// carry in. As long as no job was late, and D ≤ T, at most one job of each equal is served before
/// τ_k's, and NC_i is no less than its C_i. An equal's response time is at most its deadline until
/// it was asked about itself; the first job that is late, if there is one, comes before any bound
/// is wrong.
///
/// # Errors
/// If it had to stop, after `limit` steps.
///
/// # Panics
/// If there are not as many levels as tasks.
pub fn first_late_by_levels(
    test: Test,
    set: &Set,
    cpus: u32,
    levels: &[Level],
    limit: WorkLimit,
) -> Result<Option<usize>, Stop> {
    assert_eq!(levels.len(), set.tasks().len(), "a level for each task");
    let mut order: Vec<usize> = (0..levels.len()).collect();
    order.sort_by_key(|&task| Reverse(levels[task]));
    let are_equal = |one: usize, other: usize| levels[one] == levels[other];
    let mut meter = limit.meter();
    if is_short(set) {
        Judge::<u64>::new(set, cpus).first_late(test, &order, are_equal, &mut meter)
    } else {
        Judge::<u128>::new(set, cpus).first_late(test, &order, are_equal, &mut meter)
    }
}

/// What `test` says about a set with the [best priorities](best) that are known for it.
pub fn test_best(which: Test, set: &Set, cpus: u32, limit: WorkLimit) -> Answer {
    Answer::from(best(which, set, cpus, limit).map(|order| order.is_some()))
}

/// The best priorities that are known for a set, the most urgent task first; `None` if `which`
/// accepts it with none of them. For DA-LC these are optimal. For RTA-LC they are D − kC-monotonic,
/// or D-monotonic, or those for DA-LC, whichever it accepts. Each takes at most `limit` steps.
///
/// # Errors
/// If none was accepted, and it had to stop.
pub fn best(
    which: Test,
    set: &Set,
    cpus: u32,
    limit: WorkLimit,
) -> Result<Option<Vec<usize>>, Stop> {
    if !set.is_eligible(cpus) {
        return Ok(None);
    }
    let mut stopped = None;
    if which == Test::RtaLc {
        for order in [by_d_less_kc(set, cpus), by_deadlines(set)] {
            match test(which, set, cpus, &order, limit) {
                Answer::Accepts => return Ok(Some(order)),
                Answer::Rejects => {}
                Answer::Stopped(stop) => stopped = Some(stop),
            }
        }
    }
    // What DA-LC accepts RTA-LC does, with the same priorities.
    let order = optimal(set, cpus, limit)?;
    match (order, stopped) {
        (None, Some(stop)) => Err(stop),
        (order, _) => Ok(order),
    }
}

/// Deadline-monotonic: the positions of the tasks by rising deadlines, of equals the first one
/// first. O(n log n).
pub fn by_deadlines(set: &Set) -> Vec<usize> {
    let mut order: Vec<usize> = (0..set.tasks().len()).collect();
    order.sort_by_key(|&task| set.tasks()[task].deadline);
    order
}

/// The positions of the tasks by rising D − kC, of equals the first one first, where
/// k = (m − 1 + √(5m² − 6m + 1)) / 2m: zero on one CPU, and at most 1.62 (Andersson and Jonsson
/// 2000, who have T for D). Compared exactly. O(n log n).
pub fn by_d_less_kc(set: &Set, cpus: u32) -> Vec<usize> {
    let tasks = set.tasks();
    let mut order: Vec<usize> = (0..tasks.len()).collect();
    order.sort_by(|&a, &b| compare(&tasks[a], &tasks[b], cpus));
    order
}

/// How D − kC of two tasks compare: the sign of 2m (D_a − D_b) − (m − 1) (C_a − C_b) − √q (C_a −
/// C_b).
fn compare(a: &Task, b: &Task, cpus: u32) -> Ordering {
    // All are below 2⁶², and m is below 2³².
    let difference = |a: u64, b: u64| i128::from(a) - i128::from(b);
    let m = i128::from(cpus);
    let wcets = difference(a.wcet, b.wcet);
    let rational = 2 * m * difference(a.deadline, b.deadline) - (m - 1) * wcets;
    // (5m − 1) (m − 1), which is zero for one CPU and not negative.
    let root = (5 * m.unsigned_abs() - 1) * (m.unsigned_abs().saturating_sub(1));
    let left = BigUint::from(rational.unsigned_abs()).pow(2);
    let right = BigUint::from(wcets.unsigned_abs()).pow(2) * root;
    // rational against √q · wcets: by their signs, and by their squares if these are the same.
    let both_zero = left == right && rational == 0;
    match (rational < 0, wcets < 0) {
        (false, false) => left.cmp(&right),
        (true, true) => right.cmp(&left),
        (false, true) if both_zero => Ordering::Equal,
        (false, true) => Ordering::Greater,
        (true, false) => Ordering::Less,
    }
}

/// Priorities with which DA-LC accepts the set, the most urgent task first; `None` if there are
/// none. It takes at most `limit` steps.
///
/// Source: Audsley, "On priority assignment in fixed priority scheduling", Information Processing
/// Letters 79(1), 2001.
///
/// # Errors
/// If it had to stop.
pub fn optimal(set: &Set, cpus: u32, limit: WorkLimit) -> Result<Option<Vec<usize>>, Stop> {
    if !set.is_eligible(cpus) {
        return Ok(None);
    }
    let mut meter = limit.meter();
    // A task with much time left can wait, and is tried first.
    let mut candidates = by_d_less_kc(set, cpus);
    if is_short(set) {
        Judge::<u64>::new(set, cpus).assign(&mut candidates, &mut meter)
    } else {
        Judge::<u128>::new(set, cpus).assign(&mut candidates, &mut meter)
    }
}

struct Judge<W: Word> {
    /// D less the slack is P.
    rows: Vec<Row<W>>,
    cpus: W,
    by_cpus: W::Divisor,
    carriers: usize,
    /// CI − NC, and by how much NC and CI surely grow with the window.
    more: Vec<(W, W, W)>,
    growth: Vec<W>,
}

impl<W: Word> Judge<W> {
    fn new(set: &Set, cpus: u32) -> Judge<W> {
        Judge {
            rows: rows(set),
            cpus: W::new(cpus.into()),
            by_cpus: W::divisor(cpus.into()),
            carriers: cpus as usize - 1,
            more: Vec::new(),
            growth: Vec::new(),
        }
    }

    fn first_late(
        &mut self,
        test: Test,
        order: &[usize],
        are_equal: impl Fn(usize, usize) -> bool,
        meter: &mut Meter,
    ) -> Result<Option<usize>, Stop> {
        let mut higher = Vec::with_capacity(order.len());
        for (place, &k) in order.iter().enumerate() {
            let equals = order[place + 1..].iter();
            higher.clear();
            higher.extend_from_slice(&order[..place]);
            higher.extend(equals.take_while(|&&other| are_equal(k, other)));
            let fits = match test {
                Test::DaLc => self.fits(k, &higher, meter)?,
                Test::RtaLc => {
                    let response = self.response(k, &higher, meter)?;
                    if let Some(response) = response {
                        let row = &mut self.rows[k];
                        row.slack = row.d - response;
                    }
                    response.is_some()
                }
            };
            if !fits {
                return Ok(Some(k));
            }
        }
        Ok(None)
    }

    /// Audsley's algorithm, from the lowest priority to the highest.
    fn assign(
        &mut self,
        candidates: &mut Vec<usize>,
        meter: &mut Meter,
    ) -> Result<Option<Vec<usize>>, Stop> {
        let mut order = Vec::with_capacity(candidates.len());
        while !candidates.is_empty() {
            let mut found = None;
            for place in (0..candidates.len()).rev() {
                let k = candidates.remove(place);
                if self.fits(k, candidates, meter)? {
                    found = Some(k);
                    break;
                }
                candidates.insert(place, k);
            }
            match found {
                Some(k) => order.push(k),
                None => return Ok(None),
            }
        }
        order.reverse();
        Ok(Some(order))
    }

    /// Whether τ_k is in time by DA-LC.
    fn fits(&mut self, k: usize, higher: &[usize], meter: &mut Meter) -> Result<bool, Stop> {
        let Row { c, d, .. } = self.rows[k];
        let sum = self.interference(k, higher, d, meter)?;
        Ok(sum < self.cpus * (d - c + W::ONE))
    }

    /// The least R for RTA-LC; `None` if it is beyond the deadline.
    fn response(
        &mut self,
        k: usize,
        higher: &[usize],
        meter: &mut Meter,
    ) -> Result<Option<W>, Stop> {
        let Row { c, d, .. } = self.rows[k];
        let mut response = c;
        while response <= d {
            let sum = self.interference(k, higher, response, meter)?;
            let bound = self.cpus * (response - c + W::ONE);
            if sum < bound {
                return Ok(Some(response));
            }
            // A task that carries in now may do so in a longer window, so that Ω grows by at least
            // that.
            self.growth.clear();
            for (place, &(_, plain, carried)) in self.more.iter().enumerate() {
                let carries = place < self.carriers;
                self.growth.push(if carries { carried } else { plain });
            }
            let cpus = (self.cpus, self.by_cpus);
            response += last_above(sum - bound, &self.growth, cpus) + W::ONE;
        }
        Ok(None)
    }

    /// Ω for a window of this length.
    fn interference(
        &mut self,
        k: usize,
        higher: &[usize],
        length: W,
        meter: &mut Meter,
    ) -> Result<W, Stop> {
        meter.spend(2 * higher.len())?;
        let most = length - self.rows[k].c + W::ONE;
        let mut sum = W::ZERO;
        self.more.clear();
        for &i in higher {
            let row = &self.rows[i];
            let plain = work(row, length, most);
            let carried = work(row, length + row.d - row.slack - row.c, most);
            sum += plain.0;
            // W never falls as the window grows, and P ≥ C.
            self.more.push((carried.0 - plain.0, plain.1, carried.1));
        }
        let carriers = self.carriers.min(self.more.len());
        if carriers > 0 && carriers < self.more.len() {
            self.more
                .select_nth_unstable_by(carriers - 1, |one, other| other.0.cmp(&one.0));
        }
        let more = self.more[..carriers].iter();
        Ok(more.fold(sum, |sum, &(more, ..)| sum + more))
    }
}

/// W, cut off at `most`, and by how much it surely grows at the rate of one as both do.
#[inline]
fn work<W: Word>(row: &Row<W>, length: W, most: W) -> (W, W) {
    let jobs = length.over(row.by_t);
    let last = (length - jobs * row.t).min(row.c);
    let all = jobs * row.c + last;
    let grows = row.c - last;
    if all > most {
        (most, all - most + grows)
    } else {
        (all, grows)
    }
}
