//! One task set under several policies: what theory proves, what the simulation shows.

use crate::about_pipelines;
use crate::about_sections::about_sections;
use crate::about_tasks;
use crate::assigned::Assigned;
use crate::charges::Charges;
use crate::error::StudyError;
use crate::exact_times::doubt;
use crate::horizon::{Horizon, MOST_JOBS, horizon};
use crate::note::{AboutPolicy, ByPolicy, Note};
use crate::partition::{affinities, assigned};
use crate::paths::message_paths;
use crate::reason::Obstacle;
use crate::registry::{Entry, Registry};
use crate::results::{PolicyReport, Schedulable, Simulated, Study, TaskReport, Verdict};
use crate::theory::{Effort, Findings};
use crate::verdict::weigh;
use flyball_analysis::Fit;
use flyball_model::{Jitter, TaskSet};
use flyball_schedulers::Recorder;
use flyball_schedulers::Values;
use flyball_sim::{Ended, Options, SpeedUse};
use flyball_trace::file::Trace;
use flyball_trace::metrics::Summary;
use flyball_trace::{Duration, Time};
use std::ops::ControlFlow;

/// What to study, and how.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StudyOptions {
    /// The policies' names; none: all that fit the task set.
    pub policies: Vec<String>,
    /// Instead of the platform's number of CPUs.
    pub cpus: Option<u8>,
    /// Instead of the policies' settings: how many CPUs a cluster has under clustered policies.
    pub cluster: Option<u8>,
    /// Instead of the policies' settings: how tasks are divided among CPUs, where they do not say
    /// on which they run.
    pub fit: Option<Fit>,
    /// When simulations end; `None`: after as long as it takes to know, or `jobs` jobs.
    pub until: Option<Duration>,
    /// How many jobs a simulation has at most, about, if it is not said when it ends.
    pub jobs: u64,
    /// Whether simulations end at the first deadline that is missed.
    pub stop_at_miss: bool,
    /// What all random numbers come from.
    pub seed: u64,
    /// How late jobs with release jitter are released, instead of as the platform says.
    pub jitter: Option<Jitter>,
    /// How many events of each simulation are kept.
    pub keep: usize,
    /// How much work the tests may be; `None`: none is asked.
    pub tests: Option<Effort>,
    /// Overheads that were measured, which are charged instead of the platform's.
    pub overheads: Option<Charges>,
}

impl StudyOptions {
    /// Puts `set` on the platform that is asked for: so many CPUs, in clusters of so many, with jobs so late.
    pub fn on_platform(&self, registry: &Registry, set: &mut TaskSet) {
        if let Some(jitter) = self.jitter {
            set.platform.jitter = jitter;
        }
        if let Some(cpus) = self.cpus {
            set.platform.cpus = cpus.max(1);
        }
        if let Some(cluster) = self.cluster {
            registry.set_cluster(set, cluster);
        }
    }
}

impl Default for StudyOptions {
    fn default() -> StudyOptions {
        StudyOptions {
            policies: Vec::new(),
            cpus: None,
            cluster: None,
            fit: None,
            until: None,
            jobs: MOST_JOBS,
            stop_at_miss: false,
            seed: 0,
            jitter: None,
            keep: 200_000,
            tests: Some(Effort::FULL),
            overheads: None,
        }
    }
}

/// How far a study has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress<'a> {
    /// The policy that is looked at.
    pub policy: &'a str,
    /// Its place among the policies, from 0.
    pub number: usize,
    /// How many policies there are.
    pub of: usize,
    /// How far its simulation has come.
    pub now: Time,
    /// When it ends.
    pub until: Time,
}

/// Told how far a study has come; may end it.
pub type Watch<'a> = dyn FnMut(Progress<'_>) -> ControlFlow<()> + 'a;

/// Studies `set`, read from `file`, under several policies.
///
/// Policies that cannot take the task set are left out, with a note, unless they were asked for by
/// name.
///
/// # Errors
/// [`StudyError`].
pub fn study(
    registry: &Registry,
    file: &str,
    mut set: TaskSet,
    options: &StudyOptions,
    watch: &mut Watch<'_>,
) -> Result<Study, StudyError> {
    registry.check_settings(file, &set)?;
    options.on_platform(registry, &mut set);
    let mut about = ByPolicy::default();
    let mut left_out = Vec::new();
    let mut entries: Vec<(&Entry, Assigned<'_>)> = Vec::new();
    let prepare = |entry: &Entry| {
        let values = entry.values(file, &set)?;
        let mut here = assigned(&set, entry, &values, options.fit)?;
        if let Some(charges) = &options.overheads {
            here.set.to_mut().platform.overheads = charges.of(entry.name)?;
        }
        entry.fits(&values, &here.set)?;
        Ok(here)
    };
    if options.policies.is_empty() {
        for entry in registry.iter() {
            if entry.is_another(file, &set)? {
                continue;
            }
            match prepare(entry) {
                Ok(here) => entries.push((entry, here)),
                Err(error @ StudyError::Model(_)) => return Err(error),
                Err(error) => {
                    about.add(entry.name, AboutPolicy::LeftOut(error.to_string()));
                    left_out.push((entry.name.to_owned(), error));
                }
            }
        }
    } else {
        for name in &options.policies {
            let entry = registry.find(name)?;
            if entries.iter().all(|(other, _)| other.name != entry.name) {
                entries.push((entry, prepare(entry)?));
            }
        }
    }
    if entries.is_empty() {
        return Err(StudyError::NothingFits(left_out));
    }
    let mut policies = Vec::with_capacity(entries.len());
    let of = entries.len();
    for (number, (entry, here)) in entries.into_iter().enumerate() {
        let mut watch = |now, until| {
            watch(Progress {
                policy: entry.name,
                number,
                of,
                now,
                until,
            })
        };
        policies.push(study_assigned(entry, file, &here, options, &mut watch)?);
        let values = entry.values(file, &here.set)?;
        for note in about_sections(entry, &values, &here.set) {
            about.add(entry.name, note);
        }
        if let Some(note) = here.note {
            about.add(entry.name, note);
        }
    }
    let mut notes = about.notes();
    if let Some(charges) = &options.overheads {
        notes.push(Note::Charged {
            processor: charges.file.provenance.processor.clone(),
            statistic: charges.statistic.name(),
        });
    }
    notes.extend(common_notes(&mut policies));
    notes.extend(affinities(&set));
    notes.extend(about_tasks::long_jitter(&set));
    notes.extend(about_tasks::unheard_results(registry, &set, &policies));
    notes.extend(about_pipelines::notes(registry, &set, &policies));
    notes.extend(about_tasks::overloaded_servers(registry, &set, &policies));
    Ok(Study {
        file: file.to_owned(),
        cpus: set.platform.cpus,
        set,
        policies,
        notes,
        measured: None,
    })
}

/// Takes out the notes that all policies share.
fn common_notes(policies: &mut [PolicyReport]) -> Vec<Note> {
    let Some((first, others)) = policies.split_first() else {
        return Vec::new();
    };
    let common: Vec<Note> = first
        .notes
        .iter()
        .filter(|note| others.iter().all(|policy| policy.notes.contains(note)))
        .cloned()
        .collect();
    for policy in policies {
        policy.notes.retain(|note| !common.contains(note));
    }
    common
}

/// Studies `set` under one policy. `watch` is told how far the simulation has come, and when it
/// ends.
///
/// # Errors
/// [`StudyError`].
pub fn study_policy(
    entry: &Entry,
    file: &str,
    set: &TaskSet,
    options: &StudyOptions,
    watch: &mut dyn FnMut(Time, Time) -> ControlFlow<()>,
) -> Result<PolicyReport, StudyError> {
    let assigned = Assigned::as_it_is(set);
    study_assigned(entry, file, &assigned, options, watch)
}

fn study_assigned(
    entry: &Entry,
    file: &str,
    assigned: &Assigned<'_>,
    options: &StudyOptions,
    watch: &mut dyn FnMut(Time, Time) -> ControlFlow<()>,
) -> Result<PolicyReport, StudyError> {
    let set = &*assigned.set;
    let values = entry.values(file, set)?;
    entry.fits(&values, set)?;
    let mut theory = match options.tests {
        Some(effort) => entry.analyse(&values, set, effort),
        None => Err(Obstacle::NotAsked),
    };
    if assigned.never {
        theory = Ok(Findings::no_partition(theory, set.tasks.len()));
    }
    let decided = theory.as_ref().is_ok_and(Findings::is_decided);
    let Horizon { until, note } = match options.until {
        Some(until) => Horizon { until, note: None },
        None => horizon(
            set,
            decided,
            entry.shortest_burst(&values, set),
            options.jobs,
        ),
    };
    let mut recorder = Recorder::new(set, set.platform.cpus, entry.name, options.keep);
    recorder.follow_paths(message_paths(set));
    let run = Options {
        until,
        stop_at_miss: options.stop_at_miss,
        seed: options.seed,
    };
    let end = Time::ZERO + until;
    if watch(Time::ZERO, end).is_break() {
        return Err(StudyError::Interrupted);
    }
    let mut watch_time = |now| watch(now, end);
    let outcome = entry.simulate(&values, set, &run, &mut recorder, &mut watch_time)?;
    if outcome.why == Ended::Interrupted {
        return Err(StudyError::Interrupted);
    }
    let doubt = doubt(set, entry.sustainable(set));
    let first_miss = recorder.first_miss();
    let verdict = weigh(set, entry.name, &theory, doubt, &outcome, first_miss)?;
    let group_changes = recorder.group_changes();
    let (summary, trace) = recorder.finish(outcome.ended);
    let mut notes: Vec<Note> = note.into_iter().collect();
    if options.keep > 0 && trace.header.dropped > 0 {
        notes.push(Note::FirstEvents(options.keep));
    }
    let simulated = Simulated {
        until: outcome.ended.since(Time::ZERO),
        jobs: outcome.jobs,
        misses: outcome.misses,
        preemptions: outcome.preemptions,
        context_switches: outcome.context_switches,
        group_changes,
    };
    let observed = Observed {
        verdict,
        simulated,
        speeds: outcome.speeds,
        summary,
        trace,
    };
    let most = options.tests.map_or(0, |effort| effort.slacks);
    Ok(report(entry, &values, set, theory, observed, most, notes))
}

/// What was seen, and what is concluded.
pub struct Observed {
    /// What is concluded.
    pub verdict: Verdict,
    /// What happened.
    pub simulated: Simulated,
    /// How operating points were used, where that is known.
    pub speeds: Option<SpeedUse>,
    /// Its numbers.
    pub summary: Summary,
    /// Its events, as many as were kept.
    pub trace: Trace,
}

/// What theory found and what was seen, together. Slacks were searched for up to so many tasks.
pub fn report(
    entry: &Entry,
    values: &Values,
    set: &TaskSet,
    theory: Result<Findings, Obstacle>,
    observed: Observed,
    most_slacks: usize,
    mut notes: Vec<Note>,
) -> PolicyReport {
    let Observed {
        verdict,
        simulated,
        speeds,
        summary,
        trace,
    } = observed;
    let findings = theory.unwrap_or_else(|_| Findings::nothing(set.tasks.len()));
    let holds_at_worst = matches!(
        verdict.schedulable,
        Schedulable::Always | Schedulable::ExactTimes
    );
    // A test that is sufficient only may put the edge before a set that holds; that is no edge
    // then.
    let breakdown = findings
        .breakdown
        .filter(|found| !holds_at_worst || found.factor_ppm >= 1_000_000);
    if most_slacks > 0 && set.tasks.len() > most_slacks && findings.holds.is_some() {
        notes.push(Note::NoSlacks(most_slacks));
    }
    let tasks = set.tasks.iter().zip(&summary.tasks).enumerate();
    let tasks = tasks.map(|(number, (task, measured))| TaskReport {
        name: task.name.clone(),
        response_bound: findings.bounds[number],
        slack: findings.slacks[number],
        measured: measured.clone(),
    });
    PolicyReport {
        policy: entry.name.to_owned(),
        title: entry.title.to_owned(),
        settings: entry.shown(values, set),
        verdict,
        simulated,
        speeds,
        tasks: tasks.collect(),
        breakdown,
        summary,
        trace,
        notes,
    }
}
