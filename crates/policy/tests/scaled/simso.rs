//! `static-edf` and `cc-edf` beside the `Static_EDF` and `CC_EDF` of SimSo 0.8.5: 200 random sets, whose jobs compute
//! for less than their worst-case execution times. `simso_sets.py` has written what SimSo does.
//!
//! A model that goes from event to event in fractions has each [`Departure`] of SimSo from the rule, and each of the policy, as
//! a switch. Without any it does what the rule says. So they explain every difference.

use super::world::{Conserving, Edf, Static, Stretch, Task, UNIT, push, run, settings};
use flyball_policy::EarliestDeadline;

/// What is done in another way than the rule says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Departure {
    /// SimSo: a task's part is its worst-case execution time ÷ its period, even where its deadline comes before that.
    Periods,
    /// SimSo: of jobs with one release and one deadline the first is that whose task was released first before: each release puts
    /// the next one in line. Here it is that of the first task.
    Ties,
    /// The policy: parts and what is used are rounded up, so that a sum that is just a frequency may be above it.
    Rounds,
}

use Departure::{Periods, Rounds, Ties};

/// Parts are in 120ths of a nanosecond in a unit of time.
const PARTS: u64 = 120;

struct Model<'a> {
    mhz: &'a [u64],
    tasks: &'a [Task],
    departures: &'a [Departure],
    conserves: bool,
    /// What each task uses in its window, in nanoseconds: all that it may, or what its last job used.
    uses: Vec<u64>,
}

impl Model<'_> {
    fn has(&self, departure: Departure) -> bool {
        self.departures.contains(&departure)
    }

    fn window(&self, task: usize) -> u64 {
        let Task {
            period, deadline, ..
        } = self.tasks[task];
        if self.has(Periods) {
            period
        } else {
            period.min(deadline)
        }
    }

    /// The lowest frequency that is as much or more.
    fn frequency(&self) -> u64 {
        let fastest = *self.mhz.last().unwrap();
        let all = 0..self.tasks.len();
        let sum: u64 = all
            .clone()
            .map(|task| self.uses[task] * (PARTS / self.window(task)))
            .sum();
        // Whether a part is no multiple of 2^-32.
        let inexact =
            |task: usize| !(self.uses[task] << 32).is_multiple_of(self.window(task) * UNIT);
        let more = u64::from(self.has(Rounds) && all.clone().any(inexact));
        let holds = |mhz: &&u64| sum * fastest + more <= *mhz * PARTS * UNIT;
        *self.mhz.iter().find(holds).unwrap_or(&fastest)
    }

    fn run(&mut self, end: u64) -> Vec<Stretch> {
        let fastest = *self.mhz.last().unwrap();
        // The number of each task's last release, of all.
        let (mut turns, mut last) = (vec![0; self.tasks.len()], 0);
        // The present job: its deadline, the number of its release, what it has used, and what is left, both times the highest frequency.
        let mut jobs: Vec<Option<(u64, u64, u64, u64)>> = vec![None; self.tasks.len()];
        let mut released = vec![0; self.tasks.len()];
        let mut stretches = Vec::new();
        let mut now = 0;
        while now < end * UNIT {
            let mut order: Vec<usize> = (0..self.tasks.len()).collect();
            if self.has(Ties) {
                order.sort_by_key(|&task| turns[task]);
            }
            for number in order {
                let task = &self.tasks[number];
                let release = (task.phase + released[number] * task.period) * UNIT;
                if release <= now && jobs[number].is_none() {
                    last += 1;
                    turns[number] = last;
                    let work = task.work(released[number]) * fastest;
                    jobs[number] = Some((release + task.deadline * UNIT, last, 0, work));
                    released[number] += 1;
                    if self.conserves {
                        self.uses[number] = task.wcet * UNIT;
                    }
                }
            }
            let releases = self.tasks.iter().enumerate();
            let releases =
                releases.map(|(n, task)| (task.phase + released[n] * task.period) * UNIT);
            let mut then = releases.filter(|&release| release > now).min().unwrap();
            let ready = (0..jobs.len()).filter(|&task| jobs[task].is_some());
            let first = ready.min_by_key(|&task| jobs[task].map(|job| (job.0, job.1)));
            if let Some(task) = first {
                let mhz = self.frequency();
                let (_, _, used, left) = jobs[task].as_mut().unwrap();
                then = then.min(now + left.div_ceil(mhz));
                // What is used is rounded up when the task stops.
                *used += (then - now) * mhz;
                *left = left.saturating_sub((then - now) * mhz);
                let (used, ends) = (*used, *left == 0);
                push(
                    &mut stretches,
                    Stretch {
                        task,
                        mhz,
                        from: now,
                        to: then,
                        ends,
                    },
                );
                if ends {
                    jobs[task] = None;
                    if self.conserves {
                        let rounds = self.has(Rounds);
                        let work = self.tasks[task].work(released[task] - 1);
                        self.uses[task] = if rounds { used.div_ceil(fastest) } else { work };
                    }
                }
            }
            now = then;
        }
        stretches
    }
}

/// The same stretches up to the last one of `simso`, but for some nanoseconds.
fn is_same(ours: &[Stretch], simso: &[Stretch]) -> bool {
    let near = |a: u64, b: u64| a.abs_diff(b) < 20;
    ours.len() >= simso.len()
        && ours.iter().zip(simso).all(|(a, b)| {
            (a.task, a.mhz, a.ends) == (b.task, b.mhz, b.ends)
                && near(a.from, b.from)
                && near(a.to, b.to)
        })
}

/// `task@MHz:from-to`, with `!` if a job ends.
fn stretch(word: &str) -> Stretch {
    let (task, rest) = word.split_once('@').unwrap();
    let (mhz, rest) = rest.split_once(':').unwrap();
    let (from, to) = rest.split_once('-').unwrap();
    Stretch {
        task: usize::from(task.as_bytes()[0] - b'a'),
        mhz: mhz.parse().unwrap(),
        from: from.parse().unwrap(),
        to: to.trim_end_matches('!').parse().unwrap(),
        ends: to.ends_with('!'),
    }
}

fn numbers(word: &str) -> Vec<u64> {
    word.split(',').map(|it| it.parse().unwrap()).collect()
}

fn task(word: &str) -> Task {
    let fields: Vec<&str> = word.split(':').collect();
    let number = |at: usize| fields[at].parse().unwrap();
    Task {
        phase: number(0),
        period: number(1),
        deadline: number(2),
        wcet: number(3),
        times: numbers(fields[4]),
    }
}

/// How many units of time are compared.
const UNITS: u64 = 60;

#[test]
fn every_difference_from_simso_is_explained() {
    // By whether cycles are conserved: how many sets are the same, and how many need Periods, Ties and Rounds.
    let mut found = [[0; 4]; 2];
    for line in include_str!("simso_sets.txt").lines() {
        let parts: Vec<&str> = line.split('|').map(str::trim).collect();
        let (mhz, tasks) = parts[0].split_once(' ').unwrap();
        let mhz = numbers(mhz);
        let tasks: Vec<Task> = tasks.split(' ').map(task).collect();
        for (conserves, words) in [(false, parts[1]), (true, parts[2])] {
            let simso: Vec<Stretch> = words.split(' ').map(stretch).collect();
            let edf = || Edf::new(EarliestDeadline, 8);
            let ours = if conserves {
                run(Conserving::new(edf(), settings(&mhz)), &mhz, &tasks, UNITS)
            } else {
                run(Static::new(edf(), settings(&mhz)), &mhz, &tasks, UNITS)
            };
            let model = |departures: &[Departure]| {
                let uses = tasks.iter().map(|task| task.wcet * UNIT).collect();
                let (mhz, tasks) = (&mhz, &tasks);
                let mut model = Model {
                    mhz,
                    tasks,
                    departures,
                    conserves,
                    uses,
                };
                model.run(UNITS)
            };
            let simsos = model(&[Periods, Ties]);
            assert!(is_same(&simsos, &simso), "{line}\n{simsos:?}");
            assert_eq!(model(&[Rounds]), ours, "{line}");
            let found = &mut found[usize::from(conserves)];
            found[0] += usize::from(is_same(&ours, &simso));
            found[1] += usize::from(!is_same(&model(&[Ties]), &simso));
            found[2] += usize::from(!is_same(&model(&[Periods]), &simso));
            found[3] += usize::from(ours != model(&[]));
        }
    }
    // These numbers are in the documentation.
    assert_eq!(found, [[163, 31, 4, 3], [146, 40, 4, 18]]);
}
