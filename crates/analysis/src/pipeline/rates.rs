//! Rates, from sources along the queues, and from sinks backwards.

use super::{Drive, Flow, Moves, Pipeline, Stage};

/// By stage, its rounds in a second; `None`: nothing drives it. O(stages² · ends of queues).
pub(super) fn rounds(pipeline: &Pipeline) -> Vec<Option<f64>> {
    let forward = Side {
        drives: &pipeline.sources,
        others: &pipeline.sinks,
        inputs: |stage| &stage.receives,
        outputs: |stage| &stage.sends,
    };
    let backward = Side {
        drives: &pipeline.sinks,
        others: &pipeline.sources,
        inputs: |stage| &stage.sends,
        outputs: |stage| &stage.receives,
    };
    let mut rounds = vec![None; pipeline.stages.len()];
    // First what is driven by all of its queues; what is driven by some, in a circle, if there is no other.
    let ways = [
        (&forward, true),
        (&forward, false),
        (&backward, true),
        (&backward, false),
    ];
    while let Some((stage, rate)) =
        (ways.iter()).find_map(|(side, all)| side.slowest(pipeline, &rounds, *all))
    {
        rounds[stage] = Some(rate);
    }
    rounds
}

/// By queue, what comes and goes. O(queues · ends of queues).
pub(super) fn flows(pipeline: &Pipeline, rounds: &[Option<f64>]) -> Vec<Flow> {
    let flow = |(queue, &capacity): (usize, &u32)| {
        let comes = total(pipeline, &pipeline.sources, |it| &it.sends, queue, rounds);
        let goes = total(pipeline, &pipeline.sinks, |it| &it.receives, queue, rounds);
        let goes = goes.map(|goes| {
            // A receiver that does not wait may as well find nothing.
            let least = goes - without_waiting(pipeline, queue, rounds);
            comes.map_or(goes, |comes| comes.clamp(least.min(goes), goes))
        });
        Flow {
            comes,
            goes,
            capacity: capacity.into(),
        }
    };
    pipeline.capacities.iter().enumerate().map(flow).collect()
}

/// In which direction rates are followed: the words are those of the forward direction.
struct Side<'a> {
    drives: &'a [Drive],
    others: &'a [Drive],
    inputs: fn(&Stage) -> &[Moves],
    outputs: fn(&Stage) -> &[Moves],
}

impl Side<'_> {
    /// Of the stages without a rate whose inputs (all, or some) have one, that with the slowest, so that what it
    /// leaves is there for others.
    fn slowest(
        &self,
        pipeline: &Pipeline,
        rounds: &[Option<f64>],
        all: bool,
    ) -> Option<(usize, f64)> {
        let open =
            (pipeline.stages.iter().enumerate()).filter(|(place, _)| rounds[*place].is_none());
        open.filter_map(|(place, stage)| Some((place, self.rate(pipeline, rounds, stage, all)?)))
            .min_by(|(_, a), (_, b)| a.total_cmp(b))
    }

    /// The rounds of a stage that its inputs allow; it follows those that it does not wait for only if it
    /// waits for none.
    fn rate(
        &self,
        pipeline: &Pipeline,
        rounds: &[Option<f64>],
        stage: &Stage,
        all: bool,
    ) -> Option<f64> {
        let inputs = || (self.inputs)(stage).iter().filter(|it| it.messages > 0);
        let waits = inputs().any(|it| it.waits);
        let mut least = None;
        for input in inputs().filter(|it| it.waits == waits) {
            match self.allowed(pipeline, rounds, input.queue) {
                Some(rate) => least = Some(least.map_or(rate, |least: f64| least.min(rate))),
                None if all => return None,
                None => {}
            }
        }
        least
    }

    /// How many rounds a queue allows to each receiver without a rate, all doing equally many.
    fn allowed(&self, pipeline: &Pipeline, rounds: &[Option<f64>], queue: usize) -> Option<f64> {
        let comes = total(pipeline, self.drives, self.outputs, queue, rounds)?;
        let mut left = comes - driven(self.others, queue);
        let mut sharing = 0.0;
        for (stage, rounds) in pipeline.stages.iter().zip(rounds) {
            let takes = moved((self.inputs)(stage), queue);
            match rounds {
                Some(rounds) => left -= takes * rounds,
                None => sharing += takes,
            }
        }
        Some(left.max(0.0) / sharing)
    }
}

/// What these devices and stages move of a queue in a second; `None` if there are none, or of a stage the
/// rate is not known.
fn total(
    pipeline: &Pipeline,
    drives: &[Drive],
    moves: fn(&Stage) -> &[Moves],
    queue: usize,
    rounds: &[Option<f64>],
) -> Option<f64> {
    let mut total = driven(drives, queue);
    let mut any = total > 0.0;
    for (stage, rounds) in pipeline.stages.iter().zip(rounds) {
        let messages = moved(moves(stage), queue);
        if messages > 0.0 {
            any = true;
            total += messages * (*rounds)?;
        }
    }
    any.then_some(total)
}

/// What stages would receive in a second without waiting for it.
fn without_waiting(pipeline: &Pipeline, queue: usize, rounds: &[Option<f64>]) -> f64 {
    let rates = pipeline.stages.iter().zip(rounds);
    let rates = rates.filter_map(|(stage, rounds)| {
        let tries: Vec<Moves> = (stage.receives.iter().copied())
            .filter(|it| !it.waits)
            .collect();
        Some(moved(&tries, queue) * (*rounds)?)
    });
    rates.sum()
}

fn driven(drives: &[Drive], queue: usize) -> f64 {
    let here = drives.iter().filter(|it| it.queue == queue);
    here.map(|it| it.rate).sum()
}

#[expect(clippy::cast_precision_loss, reason = "rates are approximate")]
fn moved(moves: &[Moves], queue: usize) -> f64 {
    let here = moves.iter().filter(|it| it.queue == queue);
    here.map(|it| it.messages as f64).sum()
}
