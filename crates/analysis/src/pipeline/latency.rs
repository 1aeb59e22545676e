//! How long messages are in queues, and how large these may be for that.

use super::{InvalidPipeline, Needs, Pipeline};

/// The least capacity that lets sender and receiver go on at once.
const LEAST: u32 = 2;

/// Capacities with which messages spend no more than some time in queues.
#[derive(Clone, PartialEq, Debug)]
pub struct Capacities {
    /// By queue, in messages; `None`: no rate is known, or none is above 0.
    pub queues: Vec<Option<u32>>,
    /// The longest time, in seconds, that messages spend in queues of these capacities. It is above what was asked for where
    /// two messages to a queue are too many.
    pub delay: f64,
}

/// The longest time, in seconds, that messages spend in queues on a way through the pipeline, while all
/// stages keep up: the sum of capacity ÷ rate. Queues without a rate do not count, nor does what closes a
/// circle; stages themselves take no time. O(stages · ends of queues).
pub fn longest_delay(pipeline: &Pipeline, needs: &Needs) -> f64 {
    let ways = Ways::new(pipeline, needs);
    let delays: Vec<f64> = needs
        .queues
        .iter()
        .map(|it| it.delay().unwrap_or(0.0))
        .collect();
    ways.through(&delays).into_iter().fold(0.0, f64::max)
}

/// Divides `latency` seconds evenly over the queues of each way through the pipeline. A queue gets rate ·
/// part, in whole messages, and at least 2; on several ways, the part is that of the way with the most
/// queues. O(stages · ends of queues).
///
/// # Errors
/// A latency that is not above 0, or no number.
pub fn capacities(
    pipeline: &Pipeline,
    needs: &Needs,
    latency: f64,
) -> Result<Capacities, InvalidPipeline> {
    if !(latency > 0.0 && latency.is_finite()) {
        return Err(InvalidPipeline::Asked);
    }
    let ways = Ways::new(pipeline, needs);
    let rate = |queue: usize| needs.queues[queue].rate().filter(|rate| *rate > 0.0);
    let places = 0..needs.queues.len();
    let one = |queue| f64::from(u8::from(rate(queue).is_some()));
    let numbers: Vec<f64> = places.clone().map(one).collect();
    let longest = ways.through(&numbers);
    let queues: Vec<Option<u32>> = (places.clone())
        .map(|queue| Some(whole(rate(queue)? * latency / longest[queue])))
        .collect();
    let delay = |queue: usize| Some(f64::from(queues[queue]?) / rate(queue)?);
    let delays: Vec<f64> = places.map(|queue| delay(queue).unwrap_or(0.0)).collect();
    let delay = ways.through(&delays).into_iter().fold(0.0, f64::max);
    Ok(Capacities { queues, delay })
}

/// Whole messages, at least two; what is short of a whole one by no more than an error of rounding counts.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "casts of floating point numbers saturate"
)]
fn whole(messages: f64) -> u32 {
    ((messages * (1.0 + super::TOLERANCE)) as u32).max(LEAST)
}

/// Which queue follows which, without what closes a circle.
struct Ways {
    /// By queue, those that its receivers send to.
    after: Vec<Vec<usize>>,
    /// The queues, each before those that follow it.
    order: Vec<usize>,
}

impl Ways {
    fn new(pipeline: &Pipeline, needs: &Needs) -> Ways {
        let queues = pipeline.capacities.len();
        let mut after = vec![Vec::new(); queues];
        for (stage, need) in pipeline.stages.iter().zip(&needs.stages) {
            for from in stage.receives.iter().filter(|_| need.is_some()) {
                after[from.queue].extend(stage.sends.iter().map(|to| to.queue));
            }
        }
        let mut ways = Ways {
            after,
            order: Vec::new(),
        };
        let sources = pipeline.sources.iter().map(|it| it.queue);
        let mut seen = vec![Seen::No; queues];
        for queue in sources.chain(0..queues) {
            ways.visit(queue, &mut seen);
        }
        ways.order.reverse();
        ways
    }

    /// Puts a queue into the (reversed) order, behind all that follow it; depth first.
    fn visit(&mut self, start: usize, seen: &mut [Seen]) {
        if seen[start] != Seen::No {
            return;
        }
        seen[start] = Seen::OnTheWay;
        let mut way = vec![(start, 0)];
        while let Some((queue, next)) = way.last_mut() {
            let queue = *queue;
            match self.after[queue].get(*next).copied() {
                Some(to) if seen[to] == Seen::OnTheWay => {
                    self.after[queue].swap_remove(*next);
                }
                Some(to) => {
                    *next += 1;
                    if seen[to] == Seen::No {
                        seen[to] = Seen::OnTheWay;
                        way.push((to, 0));
                    }
                }
                None => {
                    seen[queue] = Seen::Done;
                    self.order.push(queue);
                    way.pop();
                }
            }
        }
    }

    /// By queue, the greatest sum of lengths on a way through it.
    fn through(&self, lengths: &[f64]) -> Vec<f64> {
        let mut before = vec![0.0_f64; lengths.len()];
        for &queue in &self.order {
            for &to in &self.after[queue] {
                before[to] = before[to].max(before[queue] + lengths[queue]);
            }
        }
        let mut behind = vec![0.0_f64; lengths.len()];
        for &queue in self.order.iter().rev() {
            let longest = self.after[queue].iter().map(|&to| behind[to] + lengths[to]);
            behind[queue] = longest.fold(0.0, f64::max);
        }
        let sums = before.iter().zip(&behind).zip(lengths);
        sums.map(|((before, behind), length)| before + length + behind)
            .collect()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Seen {
    No,
    OnTheWay,
    Done,
}
