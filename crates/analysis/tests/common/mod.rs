//! The model that the analyses are measured against: a scheduler that goes from one unit of time
//! to the next, and small random task sets.
#![allow(dead_code, unreachable_pub)] // Each test binary uses its own share.

use flyball_analysis::{Level, SporadicTask};
use flyball_trace::Duration;
use proptest::prelude::*;
use std::cmp::Reverse;

/// WCET, period, deadline, jitter in units of 1 ns.
pub fn task(c: u64, t: u64, d: u64, j: u64) -> SporadicTask {
    let ns = Duration::from_nanos;
    let task = SporadicTask::new(ns(c), ns(t), ns(d)).unwrap();
    task.with_jitter(ns(j)).unwrap()
}

/// One job. Jitter can put its arrival before the start.
#[derive(Clone, Debug)]
pub struct Job {
    pub task: usize,
    pub arrival: i64,
    pub release: i64,
    pub deadline: i64,
    pub left: u64,
    pub finish: Option<i64>,
}

impl Job {
    pub fn new(index: usize, task: &SporadicTask, arrival: i64, release: i64) -> Job {
        Job {
            task: index,
            arrival,
            release,
            deadline: arrival + int(task.deadline()),
            left: task.wcet().as_nanos(),
            finish: None,
        }
    }

    pub fn response(&self) -> Option<i64> {
        Some(self.finish? - self.arrival)
    }
}

pub fn int(length: Duration) -> i64 {
    length.as_nanos().try_into().unwrap()
}

/// Runs the released job with the smallest key in each unit of time.
pub fn simulate<K: Ord>(jobs: &mut [Job], until: i64, key: impl Fn(&Job) -> K) {
    simulate_on(|_, _| true, jobs, until, key);
}

/// The same, where `gives` says whether they have the CPU in the unit from this instant on, given whether
/// there is a job.
pub fn simulate_on<K: Ord>(
    mut gives: impl FnMut(i64, bool) -> bool,
    jobs: &mut [Job],
    until: i64,
    key: impl Fn(&Job) -> K,
) {
    jobs.sort_by_key(|job| job.release);
    let mut ready: Vec<usize> = Vec::new();
    let mut next = 0;
    for now in 0..until {
        while next < jobs.len() && jobs[next].release <= now {
            ready.push(next);
            next += 1;
        }
        let chosen = (0..ready.len()).min_by_key(|&i| key(&jobs[ready[i]]));
        let given = gives(now, chosen.is_some());
        let Some(chosen) = chosen.filter(|_| given) else {
            continue;
        };
        let job = &mut jobs[ready[chosen]];
        job.left -= 1;
        if job.left == 0 {
            job.finish = Some(now + 1);
            ready.swap_remove(chosen);
        }
    }
}

/// Fixed priorities; equals by release, and a job of `last` behind equals released with it.
pub fn fixed_priority(levels: &[Level], last: usize) -> impl Fn(&Job) -> FixedKey {
    move |job| {
        let level = Reverse(levels[job.task].0);
        (level, job.release, job.task == last, job.task, job.arrival)
    }
}

pub type FixedKey = (Reverse<u32>, i64, bool, usize, i64);

/// Earliest deadline first; a job of `last` behind all with the same deadline.
pub fn edf(last: usize) -> impl Fn(&Job) -> (i64, bool, usize) {
    move |job| (job.deadline, job.task == last, job.task)
}

/// Earliest deadline first, equal deadlines by release; a job of `last` behind all that have both
/// in common with it.
pub fn edf_fifo(last: usize) -> impl Fn(&Job) -> (i64, i64, bool, usize) {
    move |job| (job.deadline, job.release, job.task == last, job.task)
}

/// Released at 0 with full jitter, and then as early as can be.
pub fn densest(index: usize, task: &SporadicTask, until: i64) -> Vec<Job> {
    let (period, jitter) = (int(task.period()), int(task.jitter()));
    (0..=(until + jitter).div_euclid(period))
        .map(|k| k * period - jitter)
        .filter(|&arrival| arrival < until)
        .map(|arrival| Job::new(index, task, arrival, arrival.max(0)))
        .collect()
}

/// Released a period apart from `phase` on, all with full jitter.
pub fn latest(index: usize, task: &SporadicTask, phase: i64, until: i64) -> Vec<Job> {
    let (period, jitter) = (int(task.period()), int(task.jitter()));
    (0..=until.div_euclid(period))
        .map(|k| phase + k * period)
        .filter(|&release| release < until)
        .map(|release| Job::new(index, task, release - jitter, release))
        .collect()
}

/// Any arrivals and releases that the task allows.
pub fn random(index: usize, task: &SporadicTask, random: &mut Random, until: i64) -> Vec<Job> {
    let (period, jitter) = (int(task.period()), int(task.jitter()));
    let mut jobs = Vec::new();
    let mut arrival = random.below(period + 1) - jitter;
    let mut release = 0;
    while arrival < until {
        release = release.max(arrival + random.below(jitter + 1)).max(0);
        jobs.push(Job::new(index, task, arrival, release));
        arrival += period;
        if random.below(3) == 0 {
            arrival += random.below(period);
        }
    }
    jobs
}

/// `SplitMix64` (Steele, Lea and Flood 2014), so that a pattern follows from its seed.
pub struct Random(pub u64);

impl Random {
    /// Anything from 0 up to, and not including, `bound`.
    pub fn below(&mut self, bound: i64) -> i64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        i64::try_from((z ^ (z >> 31)) % u64::try_from(bound).unwrap()).unwrap()
    }
}

/// Longer than the longest busy interval, even if something blocks at its start, and any response
/// time in it. Where the interval never ends (full load and jitter), many rounds of it.
pub fn horizon(tasks: &[SporadicTask]) -> i64 {
    let mut length = 1;
    let blocking = tasks
        .iter()
        .map(|task| int(task.blocking()))
        .max()
        .unwrap_or(0);
    let margin: i64 = tasks
        .iter()
        .map(|task| int(task.deadline()).max(int(task.period())) + int(task.jitter()))
        .sum();
    loop {
        let jobs = |task: &SporadicTask| {
            (length + int(task.jitter()) + int(task.period()) - 1) / int(task.period())
        };
        let work: i64 = tasks.iter().map(|task| jobs(task) * int(task.wcet())).sum();
        let work = work + blocking;
        if work <= length || length > 2000 {
            return length.min(2000) + margin;
        }
        length = work;
    }
}

/// A small set with a utilisation of at most one. `full` fills it up to one; with periods that
/// divide 24, so that two rounds fit into what [`horizon`] looks at.
pub fn small_set(jitter: bool) -> impl Strategy<Value = (Vec<SporadicTask>, Vec<Level>)> {
    let raw = (0..7_usize, 0..1000_u64, 0..1000_u64, 0..1000_u64, 0..3_u32);
    let seeds = prop::collection::vec(raw, 1..7);
    (seeds, any::<bool>(), 0..4_u32).prop_map(move |(seeds, full, deadlines)| {
        const UNITS: u64 = 24;
        let mut free = UNITS;
        let mut tasks = Vec::new();
        let mut levels = Vec::new();
        let mut add = |c: u64, t: u64, d: u64, j: u64, level: u32| {
            let deadline = match deadlines {
                0 => t,
                1 => c + d % (t - c + 1),
                2 => t + d % (2 * t),
                _ => 1 + d % (3 * t),
            };
            let jitter = if jitter && j.is_multiple_of(2) {
                j % (2 * t)
            } else {
                0
            };
            tasks.push(task(c, t, deadline, jitter));
            levels.push(Level(level));
        };
        for (t, c, d, j, level) in seeds {
            let t = [2, 3, 4, 6, 8, 12, 24][t];
            let most = free * t / UNITS;
            if most > 0 {
                let c = 1 + c % most.div_ceil(2);
                free -= c * UNITS / t;
                add(c, t, d, j, level);
            }
        }
        if full && free > 0 {
            add(free, UNITS, 7 * free, 0, 1);
        }
        (tasks, levels)
    })
}

/// A small set of any periods, below full load.
pub fn coprime_set(jitter: bool) -> impl Strategy<Value = (Vec<SporadicTask>, Vec<Level>)> {
    let raw = (1..14_u64, 0..1000_u64, 0..1000_u64, 0..1000_u64, 0..3_u32);
    let seeds = prop::collection::vec(raw, 1..8);
    (seeds, 20..96_u64).prop_map(move |(seeds, percent)| {
        let mut free = percent * 1000;
        let mut tasks = Vec::new();
        let mut levels = Vec::new();
        for (t, c, d, j, level) in seeds {
            let most = free * t / 100_000;
            if most > 0 {
                let c = 1 + c % most.div_ceil(2);
                free -= (c * 100_000).div_ceil(t).min(free);
                let jitter = if jitter && j.is_multiple_of(2) {
                    j % (2 * t)
                } else {
                    0
                };
                tasks.push(task(c, t, 1 + d % (3 * t), jitter));
                levels.push(Level(level));
            }
        }
        (tasks, levels)
    })
}

/// Sets with times as they are in practice, up to 99 % load: in ns, nothing shares a factor.
pub fn large_set(most: usize) -> impl Strategy<Value = Vec<SporadicTask>> {
    let raw = (20_u32..31, 0..u64::MAX, 1..1000_u64, 0..2000_u64, 0..8_u32);
    let seeds = prop::collection::vec(raw, 1..=most);
    (seeds, 50..100_u64).prop_map(|(seeds, percent)| {
        let shares: u64 = seeds.iter().map(|seed| seed.2).sum();
        let tasks = seeds.iter().map(|&(log, t, share, d, j)| {
            let t = (1 << log) + t % (1 << log);
            let c = (t * share / shares * percent / 100).max(1);
            let jitter = if j == 0 { t / 5 } else { 0 };
            task(c, t, c + t * d / 1000, jitter)
        });
        tasks.collect()
    })
}
