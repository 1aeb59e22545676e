//! At which operating points do the exact tests of one CPU still hold a task set?
//!
//! Two questions: how slow may all CPUs be, if they stay at one point; and how slow may one task be, if
//! a CPU goes over to another point for it alone, and all others run at the fastest. Execution times are
//! those of the points ([`TaskSet::slowed`]).
//!
//! In the second case a CPU changes its point whenever it begins with the task, or goes on with another
//! one behind it. With preemptive priorities, and jobs that only compute, each job makes a CPU begin with
//! something twice: with itself, and with what it has preempted. Besides, it may come while a change is
//! under way that was begun for a less urgent task. So each job is charged three of the longest changes
//! between the two points; nothing is said of sets with other jobs unless changes are free, nor where CPUs share a
//! clock, so that one CPU's changes are another's, too.

use crate::reason::Obstacle;
use crate::registry::{Entry, Registry};
use crate::theory::Effort;
use flyball_model::{Length, Speeds, Step, TaskSet};
use flyball_trace::{Duration, Speed};

/// The policies that are asked, by name: fixed priorities, and the earliest deadline.
const POLICIES: [&str; 4] = ["rm", "dm", "fp", "edf"];

/// How slow CPUs may be under a policy that is known to hold the set at the fastest point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slowest {
    /// The policy's name.
    pub policy: &'static str,
    /// The test that says so.
    pub test: &'static str,
    /// The slowest point at which the set is known to hold if CPUs always stay there.
    pub all: Speed,
    /// By task, the slowest point at which it alone may run; `None`: it is not known of this set.
    pub each: Option<Vec<Speed>>,
}

/// How slow CPUs may be under each policy that is known to hold the set, which `file` is the name of;
/// none where the platform has no operating points, or where theory does not cover the set. O(tasks ·
/// points) tests.
pub fn slowest(registry: &Registry, file: &str, set: &TaskSet, effort: Effort) -> Vec<Slowest> {
    let Some(speeds) = &set.platform.speeds else {
        return Vec::new();
    };
    let of = |name| {
        let entry = registry.find(name).ok()?;
        of_policy(entry, file, set, speeds, effort)
    };
    POLICIES.into_iter().filter_map(of).collect()
}

fn of_policy(
    entry: &Entry,
    file: &str,
    set: &TaskSet,
    speeds: &Speeds,
    effort: Effort,
) -> Option<Slowest> {
    let fastest = speeds.fastest();
    // Only the verdict is asked for.
    let effort = Effort {
        slacks: 0,
        ..effort
    };
    let test = |slowed: &TaskSet| {
        let values = entry.values(file, slowed).ok()?;
        let findings = entry.analyse(&values, slowed, effort).ok()?;
        (findings.holds == Some(true)).then_some(findings.test)
    };
    // From the slowest on: a change to a faster point may take longer, so each is asked.
    let first = |holds: &dyn Fn(Speed) -> bool| {
        let mut points = (0..fastest.0).map(Speed);
        points.find(|&point| holds(point)).unwrap_or(fastest)
    };
    let name = test(&set.slowed(speeds, |_| fastest))?;
    let all = first(&|point| test(&set.slowed(speeds, |_| point)).is_some());
    let alone = |task: usize| {
        first(&|point| {
            let mut slowed =
                set.slowed(speeds, |other| if other == task { point } else { fastest });
            let there = speeds.transition(fastest, point);
            charge(&mut slowed, there.max(speeds.transition(point, fastest)));
            test(&slowed).is_some()
        })
    };
    let is_known = speeds.transitions().iter().flatten().all(|it| it.is_zero())
        || speeds.clocks().is_empty()
            && set.tasks.iter().all(|task| only_computes(&task.behaviour));
    Some(Slowest {
        policy: entry.name,
        test: name,
        all,
        each: is_known.then(|| (0..set.tasks.len()).map(alone).collect()),
    })
}

/// Whether jobs do nothing but compute.
fn only_computes(steps: &[Step]) -> bool {
    steps.iter().all(|step| match step {
        Step::Compute(_) | Step::Stalling { .. } => true,
        Step::Repeat { times, body } => times.is_some() && only_computes(body),
        _ => false,
    })
}

/// Whether each CPU has a clock of its own. Otherwise it may be at a faster point than its task asks for, and changes for
/// other CPUs are its own, too.
///
/// # Errors
/// It has not.
pub(crate) fn own_clocks(speeds: &Speeds) -> Result<(), Obstacle> {
    if speeds.clocks().is_empty() {
        return Ok(());
    }
    let why = "no test covers CPUs that share a clock: one goes over to another operating point for the other";
    Err(Obstacle::Own(why.to_owned()))
}

/// Adds three changes to each job, of which the longest takes so long.
pub(crate) fn charge(set: &mut TaskSet, longest: Duration) {
    let charged = longest * 3;
    if charged.is_zero() {
        return;
    }
    for task in &mut set.tasks {
        task.wcet += charged;
        task.behaviour.push(Step::Compute(Length::Fixed(charged)));
    }
}
