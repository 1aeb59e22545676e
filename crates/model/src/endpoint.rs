//! Sources and sinks: devices with clocks of their own at the ends of pipelines.

use crate::random::Random;
use crate::taskset::Length;
use flyball_trace::{Duration, Time};

/// A device that puts messages into a queue, or takes them out, from time to time. It never waits: messages
/// that find no room are lost, and what is missing is missing. Either is a miss of the task set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Endpoint {
    /// Which end of a pipeline it is.
    pub end: End,
    /// Its queue, by its place in the task set's table.
    pub queue: u16,
    /// How long after one instant the next one comes; never zero.
    pub every: Length,
    /// How many messages it puts in or takes out at each instant; not zero.
    pub count: u16,
    /// The first instant, counted from the start.
    pub phase: Duration,
}

/// An end of a pipeline.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum End {
    /// Messages come from it.
    Source,
    /// Messages go to it.
    Sink,
}

impl Endpoint {
    /// How many messages it moves in a second on the average: `count` ÷ the mean of `every`. In a cycle, each
    /// of the lengths is valid for the same time, so their rates are averaged.
    #[expect(clippy::cast_precision_loss, reason = "a mean is approximate")]
    pub fn rate(&self) -> f64 {
        const NANOS: f64 = 1e9;
        let per_second = match &self.every {
            Length::Cycle { lengths, .. } => {
                let rates = lengths.iter().map(|it| NANOS / it.as_nanos() as f64);
                rates.sum::<f64>() / lengths.len() as f64
            }
            every => NANOS / every.mean_nanos(),
        };
        f64::from(self.count) * per_second
    }
}

impl End {
    /// The key of its tables in a file.
    pub const fn key(self) -> &'static str {
        match self {
            End::Source => "source",
            End::Sink => "sink",
        }
    }
}

/// The instants of an endpoint, by rising time: an endless iterator. A simulation and a board with the
/// same seed have the same ones.
#[derive(Clone, Debug)]
pub struct Instants {
    every: Length,
    random: Random,
    next: Time,
}

impl Endpoint {
    /// Returns the instants of this endpoint, the `number`-th of its set.
    pub fn instants(&self, number: usize, seed: u64) -> Instants {
        /// Away from the numbers of tasks, whose streams have this seed, too.
        const FIRST_STREAM: u64 = 1 << 32;
        Instants {
            every: self.every.clone(),
            random: Random::new(seed, FIRST_STREAM + number as u64),
            next: Time::ZERO + self.phase,
        }
    }
}

impl Instants {
    /// Returns the instant that comes next.
    pub fn peek(&self) -> Time {
        self.next
    }
}

impl Iterator for Instants {
    type Item = Time;

    fn next(&mut self) -> Option<Time> {
        let now = self.next;
        self.next += self.random.draw(&self.every, now);
        Some(now)
    }
}
