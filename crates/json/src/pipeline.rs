//! What `analyse` prints of a pipeline. Shares of a CPU, factors and parts are millionths, times are nanoseconds, and
//! rates are numbers in a second, to the nearest millionth. All of it is about means, and no guarantee.

use serde::{Deserialize, Serialize};

/// What the pipeline of a task set needs on the average.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Pipeline {
    /// One entry a queue, in the order of the task set.
    pub queues: Vec<Queue>,
    /// One entry a task that loops for ever and uses queues there, in the order of the task set.
    pub stages: Vec<Stage>,
    /// What all stages need together of one CPU.
    pub all: Needs,
    /// The longest that messages spend in queues on their way through the pipeline, while all stages keep up: the sum
    /// of `delay_ns` on the longest way.
    pub longest_delay_ns: u64,
    /// The shortest period that the policy `pp` sets.
    pub pp_shortest_ns: u64,
    /// The longest period that the policy `pp` sets.
    pub pp_longest_ns: u64,
    /// The part of a queue that moves in the period of a stage.
    pub pp_threshold_ppm: u64,
    /// Tasks that use queues and do not loop for ever, whose messages do not count.
    pub others: Vec<String>,
    /// What was asked for with `--latency`, and what comes of it; left out where nothing was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency: Option<Latency>,
}

/// What goes through a queue.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "PipelineQueue"))]
pub struct Queue {
    /// Its name.
    #[serde(rename = "queue")]
    pub name: String,
    /// How many messages it can hold.
    pub capacity: u16,
    /// Messages that come in; `null`: not known.
    pub comes_per_s: Option<f64>,
    /// Messages that its receivers take out if there are always enough; `null`: not known.
    pub goes_per_s: Option<f64>,
    /// How many messages more come in than go, so the queue fills for ever, or (below 0) empties; left out where the
    /// rates are the same, or not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gain_per_s: Option<f64>,
    /// After how long it is full, or empty, at the latest because of that; left out where `gain_per_s` is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_up_ns: Option<u64>,
    /// The longest that a message waits in it while receivers keep up: capacity ÷ rate; `null`: no rate is known.
    pub delay_ns: Option<u64>,
    /// How many messages it may hold for what was asked for with `--latency`; left out where nothing was asked for,
    /// or no rate is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity_for_latency: Option<u32>,
}

/// What a task of the pipeline needs.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "PipelineStage"))]
pub struct Stage {
    /// Its name.
    pub task: String,
    /// How many rounds of its loop it does; `null`: nothing gives it a rate.
    pub rounds_per_s: Option<f64>,
    /// What it needs of one CPU; `null`: no rate is known.
    pub needs: Option<Needs>,
    /// The same as `may_grow_ppm` on a CPU of its own; `null`: no rate is known, or it needs no time.
    pub may_grow_alone_ppm: Option<u64>,
    /// The period in which the part `pp_threshold_ppm` of the first of its queues moves, so no longer one is good for
    /// it; `null`: no rate is known, or no message moves.
    pub longest_period_ns: Option<u64>,
}

/// Shares of one CPU, and by how much they may grow.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Needs {
    /// The share on the average.
    pub share_mean_ppm: u64,
    /// The share if each round takes the greatest time.
    pub share_greatest_ppm: u64,
    /// By what the mean may be multiplied until all stages need a whole CPU, the others as they are; `null`: no time is
    /// needed.
    pub may_grow_ppm: Option<u64>,
}

/// How long messages may be in queues.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Latency {
    /// What was asked for.
    pub asked_ns: u64,
    /// The longest that messages spend in queues with each `capacity_for_latency`. It is above what was asked for
    /// where two messages to a queue are too many.
    pub delay_ns: u64,
}
