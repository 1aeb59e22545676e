//! What a job does, step by step: the script of its task, and its random numbers.

use flyball_model::random::Random;
use flyball_model::{Step, Task};
use flyball_script::{Length, Op, Place};
use flyball_trace::Duration;

pub use flyball_script::Call;

/// A task's operations, and the distributions that their random lengths come from, by number.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// The operations; [`Op::End`] is the last one.
    pub operations: Vec<Op>,
    /// The distributions.
    pub lengths: Vec<flyball_model::Length>,
    /// How many repetitions there are at most around an operation.
    depth: u16,
}

impl Script {
    /// The script of a behaviour. The steps are flattened; repetitions become jumps.
    pub fn new(behaviour: &[Step]) -> Script {
        let mut script = Script::default();
        script.flatten(behaviour, 0);
        script.operations.push(Op::End);
        script
    }

    fn flatten(&mut self, steps: &[Step], depth: u16) {
        for step in steps {
            let op = match step {
                Step::Compute(length) => Op::Compute(self.length(length)),
                Step::Suspend(length) => Op::Suspend(self.length(length)),
                Step::Yield => Op::Yield,
                Step::Lock(n) => Op::Lock(*n),
                Step::Unlock(n) => Op::Unlock(*n),
                Step::Wait(n) => Op::Wait(*n),
                Step::Signal(n) => Op::Signal(*n),
                Step::Send(n) => Op::Send(*n),
                Step::Receive(n) => Op::Receive(*n),
                Step::Repeat { times, body } => {
                    let counter = times.map(|times| {
                        let counter = depth;
                        self.operations.push(Op::Begin { counter, times });
                        counter
                    });
                    // A behaviour cannot have so many steps that their numbers do not fit.
                    let to = u32::try_from(self.operations.len()).unwrap_or(u32::MAX);
                    let inner = depth + u16::from(counter.is_some());
                    self.depth = self.depth.max(inner);
                    self.flatten(body, inner);
                    Op::Again { counter, to }
                }
            };
            self.operations.push(op);
        }
    }

    fn length(&mut self, length: &flyball_model::Length) -> Length {
        match length {
            flyball_model::Length::Fixed(time) => Length::Fixed(*time),
            // What cannot vary needs no random number.
            length if length.is_fixed() => Length::Fixed(length.longest()),
            length => {
                let number = u16::try_from(self.lengths.len()).unwrap_or(u16::MAX);
                self.lengths.push(length.clone());
                Length::Drawn(number)
            }
        }
    }
}

/// The jobs of a task, one after the other.
#[derive(Clone, Debug)]
pub struct Program {
    operations: Box<[Op]>,
    place: Place<Box<[u32]>>,
    /// What is left of the present computation.
    pub left: Duration,
    /// Where lengths that are not fixed come from, if there are any.
    random: Option<Box<(Random, Vec<flyball_model::Length>)>>,
}

impl Program {
    /// The program of `task`, the `number`-th of its set. Every task draws from a stream of random
    /// numbers of its own, so that what one task draws does not depend on the others.
    pub fn new(task: &Task, number: usize, seed: u64) -> Program {
        let script = Script::new(&task.behaviour);
        let random = || Box::new((Random::new(seed, number as u64), script.lengths.clone()));
        Program {
            random: (!script.lengths.is_empty()).then(random),
            operations: script.operations.into(),
            place: Place::new(vec![0; usize::from(script.depth)].into()),
            left: Duration::ZERO,
        }
    }

    /// Goes back to the beginning, for a new job.
    pub fn restart(&mut self) {
        self.place.restart();
        self.left = Duration::ZERO;
    }

    /// Whether the job has done all that it had to do.
    pub fn is_done(&self) -> bool {
        self.place.is_done(|at| self.operations[at as usize])
    }

    /// The next thing that the job asks for. Begins again after the end of a job.
    #[inline]
    pub fn step(&mut self) -> Call {
        self.place.step(|at| self.operations[at as usize])
    }

    /// How long that is, this time.
    #[inline]
    pub fn draw(&mut self, length: Length) -> Duration {
        match (length, &mut self.random) {
            (Length::Fixed(time), _) => time,
            (Length::Drawn(number), Some(random)) => {
                let (random, lengths) = &mut **random;
                random.draw(&lengths[usize::from(number)])
            }
            // Only a script with distributions draws.
            (Length::Drawn(_), None) => Duration::ZERO,
        }
    }

    /// The random lengths that the first `jobs` jobs need, in the order in which they need them. No
    /// more than `most`, and fewer if a job does very many other things first.
    pub fn lengths(mut self, jobs: u64, most: usize) -> Vec<Duration> {
        const MOST_STEPS: u32 = 1 << 28;
        let mut drawn = Vec::new();
        let mut ended = 0;
        if self.random.is_none() {
            return drawn;
        }
        for _ in 0..MOST_STEPS {
            if ended >= jobs || drawn.len() >= most {
                break;
            }
            match self.step() {
                Call::Compute(length @ Length::Drawn(_))
                | Call::Suspend(length @ Length::Drawn(_)) => drawn.push(self.draw(length)),
                Call::End => ended += 1,
                _ => {}
            }
        }
        drawn
    }
}

/// Whether every job does exactly the same.
pub fn is_fixed(steps: &[Step]) -> bool {
    steps.iter().all(|step| match step {
        Step::Compute(length) | Step::Suspend(length) => length.is_fixed(),
        Step::Repeat { body, .. } => is_fixed(body),
        _ => true,
    })
}
