//! Tasks by their fixed priorities, and the search for a task's worst response time among them.
//!
//! `fixed_priority` explains F(s) and why the search is complete.

use crate::busy::{hyperperiod, request, settle};
use crate::utilisation::Load;
use crate::work::Meter;
use crate::{Answer, Level, LevelMismatch, SporadicTask, Stop, Supply, WorkLimit};
use core::cmp::{Ordering, Reverse};
use core::ops::Range;

/// The tasks by falling urgency.
pub(crate) struct Ranking {
    /// The tasks in this order.
    pub(crate) tasks: Vec<SporadicTask>,
    /// Where each of them stands in the caller's slice.
    pub(crate) places: Vec<usize>,
    /// The tasks of each level.
    groups: Vec<Range<usize>>,
    /// What they have of a CPU.
    supply: Supply,
}

/// One level among all: its tasks, and those above it. They ask for no more than the supply.
pub(crate) struct Rank<'a> {
    supply: Supply,
    /// The tasks of this level and above.
    tasks: &'a [SporadicTask],
    /// Which of `tasks` are of this level. Those before are more urgent.
    pub(crate) members: Range<usize>,
    /// The load of those before, on this supply.
    load_above: Load,
    /// Whether they ask for all of it with those of this level.
    full: bool,
}

/// What a search has found.
#[derive(Default)]
pub(crate) struct Worst {
    /// The largest response time so far. What is not above the value that the caller puts here is
    /// not looked for.
    pub(crate) response: u64,
    /// F(0), or something below it if the search stopped before it got there.
    pub(crate) first: u64,
}

impl Ranking {
    pub(crate) fn new(
        supply: Supply,
        tasks: &[SporadicTask],
        levels: &[Level],
    ) -> Result<Ranking, LevelMismatch> {
        if tasks.len() != levels.len() {
            return Err(LevelMismatch {
                tasks: tasks.len(),
                levels: levels.len(),
            });
        }
        let mut places: Vec<usize> = (0..tasks.len()).collect();
        places.sort_by_key(|&place| Reverse(levels[place]));
        let mut groups = Vec::new();
        let mut begin = 0;
        for group in places.chunk_by(|&a, &b| levels[a] == levels[b]) {
            groups.push(begin..begin + group.len());
            begin += group.len();
        }
        Ok(Ranking {
            tasks: places.iter().map(|&place| tasks[place]).collect(),
            places,
            groups,
            supply,
        })
    }

    /// Where the level of the task at `index` begins.
    pub(crate) fn first_of_level(&self, index: usize) -> usize {
        let group = self.groups.iter().find(|group| group.contains(&index));
        group.map_or(index, |group| group.start)
    }

    /// The levels down to which the supply suffices, the most urgent first.
    pub(crate) fn feasible_ranks(&self) -> impl Iterator<Item = Rank<'_>> {
        let mut load = self.supply.load();
        self.groups.iter().map_while(move |members| {
            let load_above = load;
            for task in &self.tasks[members.clone()] {
                load.add(task);
            }
            let tasks = &self.tasks[..members.end];
            let fullness = self.supply.compare(&load, tasks);
            (fullness != Ordering::Greater).then(|| Rank {
                supply: self.supply,
                tasks,
                members: members.clone(),
                load_above,
                full: fullness == Ordering::Equal,
            })
        })
    }

    /// Whether all deadlines are met from the level of the task at `index` on. `firsts` gives each
    /// task's F(0) or something below it, and takes what is found.
    pub(crate) fn holds(&self, index: usize, firsts: &mut [u64], limit: WorkLimit) -> Answer {
        let mut meter = limit.meter();
        let mut end = 0;
        for rank in self.feasible_ranks() {
            end = rank.members.end;
            if end <= index {
                continue;
            }
            for this in rank.members.clone() {
                let deadline = self.tasks[this].d();
                let mut worst = Worst {
                    response: deadline,
                    first: 0,
                };
                let known = rank.search(this, firsts[this], deadline, &mut worst, &mut meter);
                firsts[this] = worst.first;
                if worst.response > deadline {
                    return Answer::Rejects;
                }
                if let Err(stop) = known {
                    return Answer::Stopped(stop);
                }
            }
        }
        // Below the last of these levels, the tasks ask for more than the supply.
        Answer::accepts_if(end == self.tasks.len())
    }
}

impl Rank<'_> {
    fn above(&self) -> &[SporadicTask] {
        &self.tasks[..self.members.start]
    }

    /// Looks for a response time of task `this` above `worst`, until it has found one above
    /// `enough` or knows the worst of all. `from` is anything not above F(0).
    pub(crate) fn search(
        &self,
        this: usize,
        from: u64,
        enough: u64,
        worst: &mut Worst,
        meter: &mut Meter,
    ) -> Result<(), Stop> {
        let jitter = self.tasks[this].j();
        let (_, base) = self.look_before(this, 0, meter)?;
        worst.first = from;
        let in_time = if enough < u64::MAX {
            enough.saturating_sub(jitter)
        } else {
            enough
        };
        let first = self.finish(base, from, in_time, meter)?;
        worst.first = first;
        let response = first.checked_add(jitter).ok_or(Stop::TimeRange)?;
        worst.response = worst.response.max(response);
        if worst.response > enough || self.is_quiet_until(this, first) {
            return Ok(());
        }
        let mut below = self.horizon(this, first, meter)?;
        while let Some(last) = below.checked_sub(1) {
            let (release, base) = self.look_before(this, last, meter)?;
            if release == 0 {
                break; // That was the first.
            }
            // Any t in which there is time for base + request(t) will do in place of F, if it is no worse.
            let wait = worst.response - jitter;
            let known = release.checked_add(wait).ok_or(Stop::TimeRange)?;
            meter.spend(self.members.start)?;
            let work = request(self.above(), known)?;
            let work = base.checked_add(work).ok_or(Stop::TimeRange)?;
            let mut finish = self.supply.time_for(work)?;
            if finish > known {
                finish = self.finish(base, first, u64::MAX, meter)?;
                let end = finish.checked_add(jitter).ok_or(Stop::TimeRange)?;
                worst.response = worst.response.max(end.saturating_sub(release));
                if worst.response > enough {
                    break;
                }
            }
            below = release.min(finish.saturating_sub(worst.response - jitter));
        }
        Ok(())
    }

    /// F for the `base` that goes before it, or the first value above `enough` on the way there.
    fn finish(&self, base: u64, from: u64, enough: u64, meter: &mut Meter) -> Result<u64, Stop> {
        // The tasks above use their share of any interval at least (Sjödin and Hansson 1998), and no
        // supply is more than its share.
        let least = self.load_above.stretched_at_least(base).unwrap_or(0);
        settle(
            self.supply,
            base,
            self.above(),
            from.max(least),
            enough,
            meter,
        )
    }

    /// The last s ≤ `last` that needs to be looked at, and what goes before the end of a job of
    /// `this` released then (or up to `last`), but for the tasks above.
    fn look_before(&self, this: usize, last: u64, meter: &mut Meter) -> Result<(u64, u64), Stop> {
        meter.spend(self.members.len())?;
        let mut release = 0;
        let mut base = self.tasks[this].b();
        for (index, task) in self.members.clone().zip(&self.tasks[self.members.clone()]) {
            let jitter = if index == this { 0 } else { task.j() };
            let since_first = last.checked_add(jitter).ok_or(Stop::TimeRange)?;
            let since = since_first % task.t();
            release = release.max(last.saturating_sub(since));
            let jobs = (since_first / task.t()).checked_add(1);
            let work = jobs.and_then(|jobs| jobs.checked_mul(task.c()));
            base = work
                .and_then(|work| base.checked_add(work))
                .ok_or(Stop::TimeRange)?;
        }
        Ok((release, base))
    }

    /// Whether no s in (0, `end`) needs to be looked at.
    fn is_quiet_until(&self, this: usize, end: u64) -> bool {
        self.members
            .clone()
            .zip(&self.tasks[self.members.clone()])
            .all(|(index, task)| {
                let jitter = if index == this { 0 } else { task.j() };
                task.t() - jitter % task.t() >= end
            })
    }

    /// The worst case of task `this` is found below this: the length of the longest busy interval
    /// of its level, or the hyperperiod if that never ends. `first` is F(0).
    fn horizon(&self, this: usize, first: u64, meter: &mut Meter) -> Result<u64, Stop> {
        let blocking = self.tasks[this].b();
        let backlog =
            blocking > 0 || !self.supply.is_whole() || self.tasks.iter().any(|task| task.j() > 0);
        if self.full && backlog {
            hyperperiod(self.supply, self.tasks).ok_or(Stop::TimeRange)
        } else {
            settle(self.supply, blocking, self.tasks, first, u64::MAX, meter)
        }
    }

    /// From F(0) of task `this`, something not above F(0) of any task of a lower level: that
    /// contains all the same jobs, but not its blocking.
    pub(crate) fn warm_start(&self, this: usize, first: u64) -> u64 {
        if self.tasks[this].b() == 0 { first } else { 0 }
    }

    /// What a job of `this` takes in any case.
    pub(crate) fn least(&self, this: usize) -> u64 {
        let task = &self.tasks[this];
        task.c().saturating_add(task.j())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flyball_trace::Duration;

    fn task(c: u64, t: u64) -> SporadicTask {
        let ns = Duration::from_nanos;
        SporadicTask::new(ns(c), ns(t), ns(t)).unwrap()
    }

    #[test]
    fn lehoczkys_jobs_one_by_one() {
        // RTSS 1990: the jobs of the second task take 114, 102, 116, 104, 118, 106 and 94.
        let tasks = [task(26, 70), task(62, 100)];
        let ranking = Ranking::new(Supply::CPU, &tasks, &[Level(1), Level(0)]).unwrap();
        let rank = ranking.feasible_ranks().nth(1).unwrap();
        let mut meter = WorkLimit::default().meter();
        let mut response = |release| {
            let (at, base) = rank.look_before(1, release, &mut meter).unwrap();
            assert_eq!(at, release);
            rank.finish(base, 0, u64::MAX, &mut meter).unwrap() - release
        };
        let jobs: Vec<_> = (0..7).map(|q| response(q * 100)).collect();
        assert_eq!(jobs, [114, 102, 116, 104, 118, 106, 94]);
        assert_eq!(rank.horizon(1, 114, &mut meter), Ok(694));
    }

    #[test]
    fn releases_of_equals_are_looked_at() {
        let ns = Duration::from_nanos;
        let tasks = [task(1, 10), task(2, 4).with_jitter(ns(5)).unwrap()];
        let ranking = Ranking::new(Supply::CPU, &tasks, &[Level(0); 2]).unwrap();
        let rank = ranking.feasible_ranks().next().unwrap();
        let mut meter = WorkLimit::default().meter();
        // The second has released two jobs at 0, and one at 3, 7 and 11.
        let mut look = |last| rank.look_before(0, last, &mut meter).unwrap();
        assert_eq!([look(12), look(10), look(9)], [(11, 12), (10, 10), (7, 9)]);
        assert_eq!([look(6), look(2)], [(3, 7), (0, 5)]);
        assert!(rank.is_quiet_until(0, 3));
        assert!(!rank.is_quiet_until(0, 4));
    }
}
