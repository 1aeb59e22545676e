//! What a pipeline needs, on the average: rates, shares, periods and capacities.

use flyball_analysis::pipeline::{Capacities, Spread, longest_delay};
use flyball_json::pipeline::{Latency, Needs, Pipeline, Queue, Stage};
use flyball_model::TaskSet;
use flyball_study::{PipelineNeeds, SetAnalysis};

/// Millionths, and rates in them.
const MILLION: f64 = 1e6;

/// What the pipeline needs; `None` where no queue is used by two stages, sources or sinks.
pub(super) fn pipeline(all: &SetAnalysis) -> Option<Pipeline> {
    let set = &all.set;
    let found = all.pipeline.as_ref()?;
    let sized = all.capacities.as_ref();
    let (shortest, longest, threshold) = found.periods;
    Some(Pipeline {
        queues: queues(set, found, sized.map(|(_, sized)| sized)),
        stages: stages(set, found),
        all: shares(found.needs.all, Some(found.needs.growth().0)),
        longest_delay_ns: nanos(longest_delay(&found.pipeline, &found.needs)),
        pp_shortest_ns: shortest.as_nanos(),
        pp_longest_ns: longest.as_nanos(),
        pp_threshold_ppm: threshold.into(),
        others: (found.others.iter())
            .map(|&task| set.tasks[task].name.clone())
            .collect(),
        latency: sized.map(|(asked, sized)| Latency {
            asked_ns: asked.as_nanos(),
            delay_ns: nanos(sized.delay),
        }),
    })
}

fn queues(set: &TaskSet, found: &PipelineNeeds, sized: Option<&Capacities>) -> Vec<Queue> {
    let queues = set.queues.iter().zip(&found.needs.queues).enumerate();
    let queues = queues.map(|(number, (queue, flow))| Queue {
        name: queue.name.clone(),
        capacity: queue.capacity,
        comes_per_s: flow.comes.map(rate),
        goes_per_s: flow.goes.map(rate),
        gain_per_s: flow.gain().map(rate),
        used_up_ns: flow.used_up().map(nanos),
        delay_ns: flow.delay().map(nanos),
        capacity_for_latency: sized.and_then(|sized| *sized.queues.get(number)?),
    });
    queues.collect()
}

fn stages(set: &TaskSet, found: &PipelineNeeds) -> Vec<Stage> {
    let needs = &found.needs;
    let stages = found.stages.iter().zip(&needs.stages).enumerate();
    let stages = stages.map(|(place, (&task, need))| Stage {
        task: set.tasks[task].name.clone(),
        rounds_per_s: need.map(|need| rate(need.rounds)),
        needs: need.map(|need| shares(need.share, needs.growth_beside(place).map(|it| it.0))),
        may_grow_alone_ppm: needs.growth_alone(place).and_then(|it| finite_ppm(it.0)),
        longest_period_ns: need.and_then(|need| need.period).map(nanos),
    });
    stages.collect()
}

fn shares(share: Spread, growth: Option<f64>) -> Needs {
    Needs {
        share_mean_ppm: ppm(share.mean),
        share_greatest_ppm: ppm(share.greatest),
        may_grow_ppm: growth.and_then(finite_ppm),
    }
}

/// To the nearest millionth, so that it is the same number when it has been written and read.
fn rate(per_second: f64) -> f64 {
    (per_second * MILLION).round() / MILLION
}

fn finite_ppm(factor: f64) -> Option<u64> {
    factor.is_finite().then(|| ppm(factor))
}

/// To the nearest millionth.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "casts of floating point numbers saturate, and parts are not below 0"
)]
fn ppm(part: f64) -> u64 {
    (part * MILLION).round() as u64
}

/// To the nearest nanosecond.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "casts of floating point numbers saturate, and times are not below 0"
)]
fn nanos(seconds: f64) -> u64 {
    (seconds * 1e9).round() as u64
}
