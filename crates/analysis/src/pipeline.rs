//! What a pipeline needs: stages that receive from and send to bounded queues, between sources and sinks.
//!
//! Rates are means, so nothing here is a test of schedulability, and no verdict depends on it: floating
//! point numbers are good enough.
//!
//! The rate of a stage is the number of rounds of its endless loop in a second. It comes from the sources:
//! a stage does as many rounds as the slowest of the queues that it waits for lets it. Stages that share a
//! queue do equally many rounds, if nothing else limits them. Where no source gives a rate, sinks do, in
//! the same way backwards. In a circle of queues, those are followed whose rate is known first.

mod latency;
mod rates;

pub use latency::{Capacities, capacities, longest_delay};

use core::fmt;

/// Two rates are the same if they differ by no more than this part of the greater one.
pub const TOLERANCE: f64 = 1e-6;

/// What a stage does with a queue in one round of its loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moves {
    /// The queue, by its place.
    pub queue: usize,
    /// How many messages it moves; none are no moves.
    pub messages: u64,
    /// Whether it waits for messages, or for room; otherwise it goes on without.
    pub waits: bool,
}

/// A time that differs from round to round, in seconds.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Spread {
    /// The least.
    pub least: f64,
    /// The mean.
    pub mean: f64,
    /// The greatest.
    pub greatest: f64,
}

/// A task that does the same round without end.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Stage {
    /// What it receives in a round.
    pub receives: Vec<Moves>,
    /// What it sends in a round.
    pub sends: Vec<Moves>,
    /// How long it computes in a round.
    pub computes: Spread,
}

/// A source or a sink: it moves messages by a clock of its own.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Drive {
    /// The queue, by its place.
    pub queue: usize,
    /// Messages in a second, on the average; more than 0.
    pub rate: f64,
}

/// Stages, and what is between them.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Pipeline {
    /// How many messages each queue holds, at least 1.
    pub capacities: Vec<u32>,
    /// What puts messages in.
    pub sources: Vec<Drive>,
    /// What takes messages out.
    pub sinks: Vec<Drive>,
    /// The stages.
    pub stages: Vec<Stage>,
}

/// What makes no sense about a pipeline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InvalidPipeline {
    /// There is no queue of this number.
    NoQueue(usize),
    /// This queue holds nothing.
    NoRoom(usize),
    /// The rate of a source or sink of this queue is not a number above 0.
    Rate(usize),
    /// The times of this stage are no numbers, below 0, or not in order.
    Time(usize),
    /// A part of a queue is not above 0 and at most 1, or a latency is not above 0.
    Asked,
}

impl fmt::Display for InvalidPipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InvalidPipeline::NoQueue(queue) => write!(f, "there is no queue {queue}"),
            InvalidPipeline::NoRoom(queue) => write!(f, "queue {queue} has no room"),
            InvalidPipeline::Rate(queue) => {
                write!(
                    f,
                    "the rate of a source or sink of queue {queue} is not above 0"
                )
            }
            InvalidPipeline::Time(stage) => write!(f, "the times of stage {stage} make no sense"),
            InvalidPipeline::Asked => {
                f.write_str("a part is above 0 and at most 1, and a latency is above 0")
            }
        }
    }
}

impl core::error::Error for InvalidPipeline {}

/// What goes through a queue, in messages a second.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Flow {
    /// What comes in; `None`: not known, as no source or sink leads to a rate.
    pub comes: Option<f64>,
    /// What its receivers take out if there is always enough; `None`: not known.
    pub goes: Option<f64>,
    /// The capacity in messages.
    capacity: f64,
}

impl Flow {
    /// The rate, the greater one if they differ; `None`: not known.
    pub fn rate(&self) -> Option<f64> {
        match (self.comes, self.goes) {
            (Some(comes), Some(goes)) => Some(comes.max(goes)),
            (comes, goes) => comes.or(goes),
        }
    }

    /// How many messages more come in a second than go, if the rates differ by more than [`TOLERANCE`]: the queue fills
    /// for ever, or (below 0) it empties.
    pub fn gain(&self) -> Option<f64> {
        let (comes, goes) = (self.comes?, self.goes?);
        let gain = comes - goes;
        (gain.abs() > TOLERANCE * comes.max(goes)).then_some(gain)
    }

    /// In how many seconds an empty queue fills up, or a full one empties, because of [`Flow::gain`].
    pub fn used_up(&self) -> Option<f64> {
        self.gain().map(|gain| self.capacity / gain.abs())
    }

    /// The longest that a message waits in the queue, in seconds, while receivers keep up: capacity ÷ rate.
    pub fn delay(&self) -> Option<f64> {
        Some(self.capacity / self.rate().filter(|rate| *rate > 0.0)?)
    }
}

/// What a stage needs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Need {
    /// How many rounds it does in a second.
    pub rounds: f64,
    /// The part of a CPU that it needs: 1 is all of it.
    pub share: Spread,
    /// The period, in seconds, in which the asked part of the first of its queues moves; `None`: none moves.
    pub period: Option<f64>,
}

/// What a pipeline needs.
#[derive(Clone, PartialEq, Debug)]
pub struct Needs {
    /// By queue.
    pub queues: Vec<Flow>,
    /// By stage; `None`: nothing drives it.
    pub stages: Vec<Option<Need>>,
    /// What all stages need together.
    pub all: Spread,
}

impl Needs {
    /// By what all times may be multiplied until the stages need a whole CPU: on the average, and if all rounds
    /// take the greatest time. Infinite if they need nothing.
    pub fn growth(&self) -> (f64, f64) {
        (1.0 / self.all.mean, 1.0 / self.all.greatest)
    }

    /// The same of one stage alone if the others are on the same CPU and stay as they are; 0 if they need all
    /// of it. `None`: its rate is not known, or it needs no time.
    pub fn growth_beside(&self, stage: usize) -> Option<(f64, f64)> {
        let own = self.stages.get(stage)?.as_ref()?.share;
        let of = |all: f64, own: f64| ((1.0 - (all - own)) / own).max(0.0);
        (own.mean > 0.0).then(|| {
            (
                of(self.all.mean, own.mean),
                of(self.all.greatest, own.greatest),
            )
        })
    }

    /// The same of one stage with a CPU of its own: 1 ÷ share.
    pub fn growth_alone(&self, stage: usize) -> Option<(f64, f64)> {
        let own = self.stages.get(stage)?.as_ref()?.share;
        (own.mean > 0.0).then(|| (1.0 / own.mean, 1.0 / own.greatest))
    }
}

/// Finds rates, shares, and the periods in which the part `threshold` (above 0, at most 1) of a queue moves.
/// O(stages² · ends of queues).
///
/// # Errors
/// Numbers that make no sense.
pub fn needs(pipeline: &Pipeline, threshold: f64) -> Result<Needs, InvalidPipeline> {
    if !(threshold > 0.0 && threshold <= 1.0) {
        return Err(InvalidPipeline::Asked);
    }
    check(pipeline)?;
    let rounds = rates::rounds(pipeline);
    let queues = rates::flows(pipeline, &rounds);
    let stages: Vec<Option<Need>> = (pipeline.stages.iter().zip(&rounds))
        .map(|(stage, rounds)| {
            let rounds = (*rounds)?;
            let moves = stage.receives.iter().chain(&stage.sends);
            let periods = moves.filter_map(|it| Some(threshold * queues[it.queue].delay()?));
            Some(Need {
                rounds,
                share: stage.computes.times(rounds),
                period: periods.reduce(f64::min),
            })
        })
        .collect();
    let mut all = Spread::default();
    for need in stages.iter().flatten() {
        all.least += need.share.least;
        all.mean += need.share.mean;
        all.greatest += need.share.greatest;
    }
    Ok(Needs {
        queues,
        stages,
        all,
    })
}

impl Spread {
    fn times(self, factor: f64) -> Spread {
        Spread {
            least: self.least * factor,
            mean: self.mean * factor,
            greatest: self.greatest * factor,
        }
    }
}

fn check(pipeline: &Pipeline) -> Result<(), InvalidPipeline> {
    let queues = pipeline.capacities.len();
    let known = |queue: usize| {
        if queue < queues {
            Ok(())
        } else {
            Err(InvalidPipeline::NoQueue(queue))
        }
    };
    if let Some(queue) = pipeline.capacities.iter().position(|&it| it == 0) {
        return Err(InvalidPipeline::NoRoom(queue));
    }
    for drive in pipeline.sources.iter().chain(&pipeline.sinks) {
        known(drive.queue)?;
        if !(drive.rate > 0.0 && drive.rate.is_finite()) {
            return Err(InvalidPipeline::Rate(drive.queue));
        }
    }
    for (number, stage) in pipeline.stages.iter().enumerate() {
        for moves in stage.receives.iter().chain(&stage.sends) {
            known(moves.queue)?;
        }
        let Spread {
            least,
            mean,
            greatest,
        } = stage.computes;
        let in_order = 0.0 <= least && least <= mean && mean <= greatest;
        if !(in_order && greatest.is_finite()) {
            return Err(InvalidPipeline::Time(number));
        }
    }
    Ok(())
}
