//! EDF with windows of deadlines on one CPU, at the operating points of its tasks.
//!
//! The test is processor demand with a window to spare ([`edf_windows`]). Where it does not accept the tasks, only
//! EDF's own test can say that they miss deadlines: no policy holds them then.
//!
//! Where the platform has operating points, execution times are those of the tasks' own, and changes are
//! charged as in `slowest`: three of the longest ones for each job. That argument is about
//! preemptive priorities of jobs, and holds for any order among equals: in an interval of too much demand each
//! job makes the CPU begin with something at most twice, with itself and with the one that it has preempted, as
//! an arrival preempts one job or none. Jobs that do more than compute are not covered then, unless changes are free.

use super::blocking;
use super::clusters::clusters;
use super::cover::{beyond_computing, check_set, stays_behind};
use super::one_cpu::{Analysed, OneCpu};
use super::proof::Effort;
use crate::reason::{Because, Obstacle};
use crate::recurring::recurring;
use crate::slowest::{charge, own_clocks};
use flyball_analysis::sensitivity::Margin;
use flyball_analysis::{
    Answer, Outcome, SporadicTask, Strength, Verdict, WorkLimit, edf_demand, edf_windows,
};
use flyball_catalogue::{DssEdf, Scheduler};
use flyball_model::{Arrival, Speeds, TaskSet, Value};
use flyball_trace::Duration;

/// The earliest window of deadlines is served first.
pub(super) struct Windows;

/// The window that a task set chooses.
fn window(set: &TaskSet) -> Duration {
    let settings = set.policies.get(DssEdf::NAME);
    let said = settings.and_then(|settings| settings.values.get(DssEdf::WINDOW.name));
    match said.map(|said| &said.value) {
        Some(Value::Duration(window)) => *window,
        _ => Duration::ZERO,
    }
}

/// The longest change between two points at which tasks of the set run, or CPUs start.
fn longest_change(set: &TaskSet, speeds: &Speeds) -> Duration {
    let used = || {
        let of_tasks = set.tasks.iter().map(|task| speeds.of(task));
        of_tasks.chain([speeds.fastest()])
    };
    let changes = used().flat_map(|from| used().map(move |to| (from, to)));
    let longest = changes.map(|(from, to)| speeds.transition(from, to)).max();
    longest.unwrap_or_default()
}

/// The tasks of one CPU at their points: as they are, and with what changes of the point may take of them.
struct AtPoints {
    asking: Vec<SporadicTask>,
    charged: Vec<SporadicTask>,
}

impl AtPoints {
    /// # Errors
    /// [`Obstacle`] for a time that is out of range, and if the number of changes is not known.
    fn of(set: &TaskSet, speeds: &Speeds, jobs: &[usize]) -> Result<AtPoints, Obstacle> {
        own_clocks(speeds)?;
        let change = longest_change(set, speeds);
        if !change.is_zero()
            && let Some((task, what)) = beyond_computing(set, |_| false)
        {
            return Err(Obstacle::Does(task, what));
        }
        let slowed = set.slowed(speeds, |task| speeds.of(&set.tasks[task]));
        let mut charged = slowed.clone();
        charge(&mut charged, change);
        Ok(AtPoints {
            asking: known(&slowed, jobs)?,
            charged: known(&charged, jobs)?,
        })
    }

    fn test(&self, window: Duration, limit: WorkLimit) -> Outcome {
        let half = limit.divided(2);
        let verdict = match edf_windows::test(&self.charged, window, half).verdict {
            Verdict::Holds => Verdict::Holds,
            // With what is charged the tasks ask for more than they do.
            Verdict::Fails(reason) | Verdict::Unknown(reason) => {
                match edf_demand::test(&self.asking, half).verdict {
                    Verdict::Fails(certain) => Verdict::Fails(certain),
                    Verdict::Holds | Verdict::Unknown(_) => Verdict::Unknown(reason),
                }
            }
        };
        Outcome {
            verdict,
            strength: Strength::Sufficient,
        }
    }
}

/// These tasks as the analyses know them.
fn known(set: &TaskSet, jobs: &[usize]) -> Result<Vec<SporadicTask>, Obstacle> {
    let known = jobs.iter().filter_map(|&number| {
        let task = &set.tasks[number];
        let known = recurring(task)?;
        Some(known.map_err(|error| Obstacle::Invalid(task.name.clone(), error)))
    });
    known.collect()
}

impl OneCpu for Windows {
    fn name(&self) -> &'static str {
        "processor demand and windows"
    }

    fn because(&self) -> Because {
        Because::DemandAndWindow
    }

    fn accepts(
        &self,
        set: &TaskSet,
        jobs: &[usize],
        tasks: &[SporadicTask],
        limit: WorkLimit,
    ) -> Answer {
        let Some(speeds) = &set.platform.speeds else {
            return Answer::from(&edf_windows::test(tasks, window(set), limit));
        };
        let at_points = AtPoints::of(set, speeds, jobs);
        at_points.map_or(Answer::Rejects, |it| {
            Answer::from(&it.test(window(set), limit))
        })
    }

    /// A "no" is that of EDF, whatever the window is.
    fn analyse(
        &self,
        set: &TaskSet,
        jobs: &[usize],
        tasks: Vec<SporadicTask>,
        effort: Effort,
    ) -> Result<Analysed, Obstacle> {
        blocking::none(set, jobs)?;
        let window = window(set);
        let Some(speeds) = &set.platform.speeds else {
            let test = |tasks: &[SporadicTask], limit| edf_windows::test(tasks, window, limit);
            return Ok(Analysed::by(test, &tasks, Vec::new(), effort));
        };
        let outcome = AtPoints::of(set, speeds, jobs)?.test(window, effort.verdict);
        Ok(Analysed {
            outcome,
            definite: true,
            about_some: None,
            responses: Vec::new(),
            slacks: vec![None; tasks.len()],
            breakdown: None,
        })
    }

    /// What has no deadline is in a window of its own, behind all others.
    fn is_last(&self, _: &TaskSet, _: usize, _: &[usize]) -> bool {
        true
    }
}

/// The longest window with which the policy `dss-edf` is known to hold the set on the CPUs that its tasks name, in whole
/// nanoseconds; each CPU may take so many steps. `None` if it is not known, if none is, and if no task has a deadline.
pub fn largest_window(set: &TaskSet, limit: WorkLimit) -> Option<Duration> {
    check_set(set, false).ok()?;
    if set.platform.cpus > 1 && set.tasks.iter().any(|task| task.cpu.is_none()) {
        return None;
    }
    let mut largest = Duration::MAX;
    for cpu in clusters(set, 1) {
        let is_single = |task: &usize| set.tasks[*task].arrival == Arrival::Once;
        let (once, jobs): (Vec<usize>, Vec<usize>) = cpu.tasks.iter().partition(|it| is_single(it));
        for thread in once {
            stays_behind(set, thread, true).ok()?;
        }
        blocking::none(set, &jobs).ok()?;
        let tasks = match &set.platform.speeds {
            Some(speeds) => AtPoints::of(set, speeds, &jobs).ok()?.charged,
            None => known(set, &jobs).ok()?,
        };
        let Margin::Exactly(here) = edf_windows::largest(&tasks, limit) else {
            return None;
        };
        largest = largest.min(here);
    }
    (largest < Duration::MAX).then_some(largest)
}
