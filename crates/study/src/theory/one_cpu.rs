//! Policies of one CPU, with their tests: what is known of one, and what follows for a task set.

use super::clusters::clusters;
use super::cover::stays_behind;
use super::guarantee::Guarantee;
use super::proof::{Effort, Findings};
use crate::reason::{Because, Obstacle};
use crate::recurring::recurring;
use crate::results;
use flyball_analysis::sensitivity::{Breakdown, Margin, breakdown, slack};
use flyball_analysis::{Answer, Outcome, Reason, Response, SporadicTask, Verdict, WorkLimit};
use flyball_model::{Arrival, TaskSet};
use flyball_trace::Duration;

/// What is known about a policy of one CPU.
///
/// `jobs` are the numbers of tasks in a task set that come again, and `tasks` are the same in the
/// words of the analyses.
pub trait OneCpu: Sync {
    /// The name of the test.
    fn name(&self) -> &'static str;

    /// Why no deadline is missed where the test accepts.
    fn because(&self) -> Because;

    /// What is known instead where it depends on the task set; `None`: this.
    fn of(&self, _set: &TaskSet) -> Option<&dyn OneCpu> {
        None
    }

    /// Whether the test accepts tasks that compute and do nothing else, in so many steps. Asked
    /// again for each CPU on which a task might be placed. What it accepts it has to accept without
    /// one of the tasks.
    fn accepts(
        &self,
        set: &TaskSet,
        jobs: &[usize],
        tasks: &[SporadicTask],
        limit: WorkLimit,
    ) -> Answer;

    /// Whether some of these jobs, which may all arrive together, are late on a CPU whenever
    /// [`OneCpu::accepts`] rejects them there. If that is not known, they are not said to be late.
    fn is_exact(&self, set: &TaskSet, jobs: &[usize]) -> bool {
        let _ = (set, jobs);
        false
    }

    /// Whether [`OneCpu::analyse`] is about jobs that compute for more than they declare, too
    /// ([`Step::Overrun`](flyball_model::Step::Overrun)).
    fn knows_overruns(&self) -> bool {
        false
    }

    /// What servers give to their tasks, if it is a policy with servers.
    fn guarantee(&self) -> Guarantee {
        Guarantee::Nothing
    }

    /// All that is known of the tasks, with so much work.
    ///
    /// # Errors
    /// [`Obstacle`] if they have something that the test does not cover.
    fn analyse(
        &self,
        set: &TaskSet,
        jobs: &[usize],
        tasks: Vec<SporadicTask>,
        effort: Effort,
    ) -> Result<Analysed, Obstacle>;

    /// Whether a thread that has neither period nor deadline runs only while no job wants to, so
    /// that no job is later for it.
    fn is_last(&self, set: &TaskSet, thread: usize, jobs: &[usize]) -> bool;
}

/// What a test says about the tasks of one CPU.
#[derive(Clone, Debug)]
pub struct Analysed {
    /// The verdict.
    pub outcome: Outcome,
    /// Whether a "no" is about this very set, and not about another order of arrival among equals.
    pub definite: bool,
    /// Why the set may miss deadlines even where the test accepts: the test is about some of the
    /// tasks.
    pub about_some: Option<Because>,
    /// Each task's longest response time; none, where they are not known.
    pub responses: Vec<Response>,
    /// By how much each task's WCET may grow alone, where that was found.
    pub slacks: Vec<Option<Duration>>,
    /// By how much all may grow together, if it was asked.
    pub breakdown: Option<Margin<Breakdown>>,
}

impl Analysed {
    /// What a test says, with how far execution times may grow until it rejects; the test has to be
    /// sustainable: what it accepts, it accepts with shorter execution times.
    pub fn by(
        test: impl Fn(&[SporadicTask], WorkLimit) -> Outcome,
        tasks: &[SporadicTask],
        responses: Vec<Response>,
        effort: Effort,
    ) -> Analysed {
        let outcome = test(tasks, effort.verdict);
        // Of the tasks as they are it is known already, with a larger limit.
        let holds = |longer: &[SporadicTask]| {
            if longer == tasks {
                Answer::from(&outcome)
            } else {
                Answer::from(&test(longer, effort.probe))
            }
        };
        let slacks = if tasks.len() <= effort.slacks && outcome.holds() {
            (0..tasks.len())
                .map(|task| slack(tasks, task, holds).exactly().copied())
                .collect()
        } else {
            vec![None; tasks.len()]
        };
        let breakdown = (effort.slacks > 0).then(|| breakdown(tasks, holds));
        Analysed {
            outcome,
            definite: true,
            about_some: None,
            responses,
            slacks,
            breakdown,
        }
    }
}

/// Applies what is known to each CPU of a task set.
///
/// # Errors
/// [`Obstacle`].
pub(super) fn analyse(
    theory: &dyn OneCpu,
    set: &TaskSet,
    effort: Effort,
) -> Result<Findings, Obstacle> {
    let theory = theory.of(set).unwrap_or(theory);
    let mut findings = Findings {
        holds: Some(true),
        definite: true,
        test: theory.name(),
        ..Findings::nothing(set.tasks.len())
    };
    for cpu in clusters(set, 1) {
        analyse_cpu(theory, set, &cpu.tasks, effort, &mut findings)?;
        if set.platform.cpus > 1 {
            findings.breakdown = None;
        }
    }
    // A set that fails may not fail at these phases: other offsets may never meet the worst case.
    let everyone: Vec<usize> = (0..set.tasks.len()).collect();
    findings.definite &= set.may_coincide(&everyone);
    Ok(findings)
}

/// Analyses the tasks of one CPU, whose numbers are `here`.
fn analyse_cpu(
    theory: &dyn OneCpu,
    set: &TaskSet,
    here: &[usize],
    effort: Effort,
    findings: &mut Findings,
) -> Result<(), Obstacle> {
    let background = |&task: &usize| set.tasks[task].arrival == Arrival::Once;
    let (once, jobs): (Vec<usize>, Vec<usize>) = here.iter().partition(|task| background(task));
    for &thread in &once {
        stays_behind(set, thread, theory.is_last(set, thread, &jobs))?;
    }
    let task = |&number: &usize| {
        let task = &set.tasks[number];
        let known = recurring(task)?;
        Some(known.map_err(|error| Obstacle::Invalid(task.name.clone(), error)))
    };
    let tasks = jobs.iter().filter_map(task).collect::<Result<_, _>>()?;
    let analysed = theory.analyse(set, &jobs, tasks, effort)?;
    findings.definite &= analysed.definite;
    for (&task, response) in jobs.iter().zip(&analysed.responses) {
        findings.bounds[task] = response.bound();
    }
    for (&task, slack) in jobs.iter().zip(analysed.slacks) {
        findings.slacks[task] = slack;
    }
    findings.breakdown = analysed.breakdown.and_then(|breakdown| {
        let proven = breakdown.proven()?;
        Some(results::Breakdown {
            factor_ppm: proven.factor.ppm(),
            utilisation_ppm: proven.utilisation.parts_per_million(),
            at_least: breakdown.stopped().is_some(),
        })
    });
    let (holds, because) = match (analysed.outcome.verdict, analysed.about_some) {
        (Verdict::Holds, None) => (Some(true), theory.because()),
        (Verdict::Holds, Some(because)) => (None, because),
        (Verdict::Fails(says), None) => (Some(false), rejected(says, set, &jobs)),
        (Verdict::Fails(says) | Verdict::Unknown(says), _) => (None, rejected(says, set, &jobs)),
    };
    // What is worst of the CPUs is said, and of several the first.
    let is_said = match findings.holds {
        Some(true) => true,
        None => holds == Some(false),
        Some(false) => false,
    };
    if is_said {
        (findings.holds, findings.because) = (holds, because);
    }
    Ok(())
}

/// A test's reason, with the name of the task that it is about.
fn rejected(says: Reason, set: &TaskSet, jobs: &[usize]) -> Because {
    let task = match says {
        Reason::Late { task, .. } => jobs.get(task).map(|&task| set.tasks[task].name.clone()),
        _ => None,
    };
    Because::Test { says, task }
}
