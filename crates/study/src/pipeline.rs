//! What the pipeline of a task set needs ([`flyball_analysis::pipeline`]): the stages are the tasks with a
//! part that they repeat without end, in which they use a queue. What they do before it is left out.

use flyball_analysis::pipeline::{Drive, Moves, Needs, Pipeline, Spread, Stage, needs};
use flyball_catalogue::settings::Configured;
use flyball_catalogue::{GlobalPp, Pp, Scheduler};
use flyball_model::{End, Endpoint, Length, Step, Task, TaskSet};
use flyball_schedulers::Values;
use flyball_trace::Duration;

/// What is known of the pipeline of a task set.
#[derive(Clone, Debug)]
pub struct PipelineNeeds {
    /// The pipeline; its queues are numbered as those of the set.
    pub pipeline: Pipeline,
    /// The task of each stage, by number.
    pub stages: Vec<usize>,
    /// Tasks that use a queue and are no stages: their messages do not count.
    pub others: Vec<usize>,
    /// What it needs.
    pub needs: Needs,
    /// The shortest and the longest period that `pp` (or `g-pp`) sets, and the part of a queue at which it makes periods
    /// shorter, in millionths.
    pub periods: (Duration, Duration, u32),
}

/// Finds out what the pipeline of a task set needs; `None` if no queue is used by two stages, sources or
/// sinks. O(steps + stages² · ends of queues).
pub fn pipeline_needs(set: &TaskSet) -> Option<PipelineNeeds> {
    let mut pipeline = Pipeline {
        capacities: (set.queues.iter()).map(|it| it.capacity.into()).collect(),
        ..Pipeline::default()
    };
    for endpoint in &set.endpoints {
        let drive = Drive {
            queue: endpoint.queue.into(),
            rate: Endpoint::rate(endpoint),
        };
        match endpoint.end {
            End::Source => pipeline.sources.push(drive),
            End::Sink => pipeline.sinks.push(drive),
        }
    }
    let (mut stages, mut others) = (Vec::new(), Vec::new());
    for (number, task) in set.tasks.iter().enumerate() {
        if let Some(stage) = stage(task) {
            pipeline.stages.push(stage);
            stages.push(number);
        } else if uses_queues(&task.behaviour) {
            others.push(number);
        }
    }
    let used = |queue: usize| {
        let drives = pipeline.sources.iter().chain(&pipeline.sinks);
        let stages = pipeline.stages.iter().filter(|stage| {
            let mut moves = stage.receives.iter().chain(&stage.sends);
            moves.any(|it| it.queue == queue)
        });
        drives.filter(|it| it.queue == queue).count() + stages.count()
    };
    if !(0..set.queues.len()).any(|queue| used(queue) >= 2) {
        return None;
    }
    let values = settings(set);
    let threshold = values.millionths("threshold").clamp(1, 1_000_000);
    let needs = needs(&pipeline, f64::from(threshold) / 1e6).ok()?;
    Some(PipelineNeeds {
        pipeline,
        stages,
        others,
        needs,
        periods: (
            values.duration("shortest"),
            values.duration("longest"),
            threshold,
        ),
    })
}

/// The settings of `pp`, or those of `g-pp` if the set has only these.
fn settings(set: &TaskSet) -> Values {
    let one = (Pp::NAME, Pp::SETTINGS);
    let all = (GlobalPp::NAME, GlobalPp::SETTINGS);
    let said = [one, all]
        .into_iter()
        .find_map(|(name, settings)| Some((name, settings, set.policies.get(name)?)));
    // Settings that make no sense are refused where the policy is asked for.
    said.and_then(|(name, settings, said)| Values::new("", name, settings, Some(said)).ok())
        .or_else(|| Values::new("", one.0, one.1, None).ok())
        .unwrap_or_default()
}

/// What a task does again and again; `None` if it does nothing without end, or uses no queue there.
fn stage(task: &Task) -> Option<Stage> {
    let mut stage = Stage::default();
    add(&mut stage, round(&task.behaviour)?, 1);
    (!(stage.receives.is_empty() && stage.sends.is_empty())).then_some(stage)
}

/// The steps that are repeated without end.
fn round(steps: &[Step]) -> Option<&[Step]> {
    steps.iter().find_map(|step| match step {
        Step::Repeat { times: None, body } => round(body).or(Some(body)),
        Step::Repeat { body, .. } => round(body),
        _ => None,
    })
}

fn uses_queues(steps: &[Step]) -> bool {
    let mut stage = Stage::default();
    add(&mut stage, steps, 1);
    !(stage.receives.is_empty() && stage.sends.is_empty())
}

/// Adds what these steps do, so many times.
fn add(stage: &mut Stage, steps: &[Step], times: u64) {
    for step in steps {
        match step {
            Step::Compute(length)
            | Step::Overrun { actual: length, .. }
            | Step::Stalling {
                compute: length, ..
            } => compute(&mut stage.computes, length, times),
            Step::Send(queue) => moves(&mut stage.sends, *queue, times, true),
            Step::TrySend(queue) => moves(&mut stage.sends, *queue, times, false),
            Step::Receive(queue) => moves(&mut stage.receives, *queue, times, true),
            Step::TryReceive(queue) => moves(&mut stage.receives, *queue, times, false),
            // Gauges are never waited for.
            Step::Raise { gauge, by } => {
                moves(
                    &mut stage.sends,
                    *gauge,
                    times.saturating_mul((*by).into()),
                    false,
                );
            }
            Step::Lower { gauge, by } => {
                moves(
                    &mut stage.receives,
                    *gauge,
                    times.saturating_mul((*by).into()),
                    false,
                );
            }
            Step::Repeat {
                times: repeated,
                body,
            } => {
                let repeated = repeated.unwrap_or(1).into();
                add(stage, body, times.saturating_mul(repeated));
            }
            _ => {}
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "means are approximate")]
fn compute(sum: &mut Spread, length: &Length, times: u64) {
    let seconds = times as f64 / 1e9;
    let (least, greatest) = (length.shortest(), length.longest());
    sum.least += least.as_nanos() as f64 * seconds;
    sum.mean += length.mean_nanos() * seconds;
    sum.greatest += greatest.as_nanos() as f64 * seconds;
    // Errors of rounding aside.
    sum.mean = sum.mean.clamp(sum.least, sum.greatest);
}

fn moves(all: &mut Vec<Moves>, queue: u16, messages: u64, waits: bool) {
    let queue = queue.into();
    let mut known = all.iter_mut();
    if let Some(known) = known.find(|it| (it.queue, it.waits) == (queue, waits)) {
        known.messages = known.messages.saturating_add(messages);
    } else if messages > 0 {
        all.push(Moves {
            queue,
            messages,
            waits,
        });
    }
}
