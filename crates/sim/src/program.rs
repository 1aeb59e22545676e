//! What a job does, step by step: the script of its task, and its random numbers.

use flyball_model::behaviour::count;
use flyball_model::random::Random;
use flyball_model::{Share, Slowdown, Step, Task};
use flyball_script::{Length, Op, Outcome, Place};
use flyball_trace::{Duration, Time};

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
    /// The part of the time in which the task waits for memory, where computations differ in that.
    stalls: Option<Share>,
}

impl Script {
    /// The script of a behaviour. The steps are flattened; repetitions become jumps. Where `stalls` is
    /// the part of its time in which the task waits for memory, it says so, too.
    pub fn new(behaviour: &[Step], stalls: Share) -> Script {
        let mut script = Script::default();
        let differs = |step: &Step| matches!(step, Step::Stalling { .. });
        if count(behaviour, &differs) > 0 {
            script.stalls = Some(stalls);
        } else if stalls != Share::default() {
            script.operations.push(Op::Stalls(stalls.millionths()));
        }
        script.flatten(behaviour, 0);
        script.operations.push(Op::End);
        script
    }

    /// The same for a machine that is not told when a job waits for memory: fixed computations are as
    /// long as they take at a `pace`, which depends on the part of the time in which the job waits.
    #[must_use]
    pub fn at(mut self, pace: impl Fn(Share) -> Slowdown) -> Script {
        let mut now = pace(Share::default());
        // Where each operation is among those that stay, as jumps lead back to some.
        let mut places = Vec::with_capacity(self.operations.len());
        let mut place = 0;
        self.operations.retain_mut(|op| {
            places.push(place);
            match op {
                Op::Stalls(millionths) => now = pace(Share::from_millionths(*millionths)),
                Op::Compute(Length::Fixed(time)) => *time = now.stretch(*time),
                Op::Again { to, .. } => *to = places[*to as usize],
                _ => {}
            }
            let stays = !matches!(op, Op::Stalls(_));
            place += u32::from(stays);
            stays
        });
        self
    }

    fn flatten(&mut self, steps: &[Step], depth: u16) {
        for step in steps {
            if let Some(stalls) = self.stalls {
                let stalls = match step {
                    Step::Compute(_) | Step::Overrun { .. } => Some(stalls),
                    Step::Stalling { stalls, .. } => Some(*stalls),
                    _ => None,
                };
                let op = stalls.map(|stalls| Op::Stalls(stalls.millionths()));
                self.operations.extend(op);
            }
            let op = match step {
                Step::Compute(length)
                | Step::Overrun { actual: length, .. }
                | Step::Stalling {
                    compute: length, ..
                } => self.timed(length, Op::Compute),
                Step::Suspend(length) => self.timed(length, Op::Suspend),
                Step::Yield => Op::Yield,
                Step::Control => Op::Control,
                Step::Lock(n) => Op::Lock(*n),
                Step::Unlock(n) => Op::Unlock(*n),
                Step::Wait(n) => Op::Wait(*n),
                Step::Signal(n) => Op::Signal(*n),
                Step::Send(n) => Op::Send(*n),
                Step::Receive(n) => Op::Receive(*n),
                Step::TrySend(n) => Op::TrySend(*n),
                Step::TryReceive(n) => Op::TryReceive(*n),
                Step::Raise { gauge, by } => Op::Raise(*gauge, *by),
                Step::Lower { gauge, by } => Op::Lower(*gauge, *by),
                Step::Result(results) => Op::Result(self.outcome(results)),
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

    /// The operation, made by `op`, that takes such a length; of one that follows the clock, the last one of
    /// those among which the clock chooses.
    fn timed(&mut self, length: &flyball_model::Length, op: fn(Length) -> Op) -> Op {
        if let flyball_model::Length::Cycle { lengths, every } = length
            && let [first @ .., last] = &lengths[..]
            && !length.is_fixed()
        {
            self.operations.push(Op::ByClock {
                // The reader lets no more through.
                count: u16::try_from(lengths.len()).unwrap_or(u16::MAX),
                every: *every,
            });
            let fixed = first.iter().map(|&length| op(Length::Fixed(length)));
            self.operations.extend(fixed);
            return op(Length::Fixed(*last));
        }
        op(self.length(length))
    }

    fn length(&mut self, length: &flyball_model::Length) -> Length {
        match length {
            flyball_model::Length::Fixed(time) => Length::Fixed(*time),
            // What cannot vary needs no random number.
            length if length.is_fixed() => Length::Fixed(length.longest()),
            length => Length::Drawn(self.distribution(length.clone())),
        }
    }

    /// One of some results, which are not times, but are drawn like them.
    fn outcome(&mut self, results: &[u8]) -> Outcome {
        let first = results.first().copied().unwrap_or_default();
        if results.iter().all(|&result| result == first) {
            return Outcome::Fixed(first);
        }
        let results = results.iter().copied().map(u64::from);
        let results = results.map(Duration::from_nanos).collect();
        Outcome::Drawn(self.distribution(flyball_model::Length::OneOf(results)))
    }

    fn distribution(&mut self, length: flyball_model::Length) -> u32 {
        // A job takes a million steps at most, so it draws no more often than that.
        let number = u32::try_from(self.lengths.len()).unwrap_or(u32::MAX);
        self.lengths.push(length);
        number
    }
}

/// The jobs of a task, one after the other.
#[derive(Clone, Debug)]
pub struct Program {
    operations: Box<[Op]>,
    place: Place<Box<[u32]>>,
    /// How long the present computation takes yet, at the present pace; rounded up.
    pub left: Duration,
    /// By how much that has been rounded up, in parts of a nanosecond of which there are 2^32.
    surplus: u32,
    /// How much longer computations take than at the fastest operating point.
    pace: Slowdown,
    /// The part of them in which the job waits for memory.
    stalls: Share,
    /// What the present job has said of itself so far.
    result: u8,
    /// Where lengths that are not fixed come from, if there are any.
    random: Option<Box<Drawing>>,
}

/// Random lengths.
#[derive(Clone, Debug)]
struct Drawing {
    random: Random,
    lengths: Vec<flyball_model::Length>,
    /// How many of them the present job has drawn.
    drawn: u32,
}

impl Program {
    /// The program of `task`, the `number`-th of its set. Every task draws from a stream of random
    /// numbers of its own, so that what one task draws does not depend on the others.
    pub fn new(task: &Task, number: usize, seed: u64) -> Program {
        Program::of(Script::new(&task.behaviour, task.stalls), number, seed)
    }

    /// The program of the `number`-th task of a set, whose jobs do this.
    pub fn of(script: Script, number: usize, seed: u64) -> Program {
        let random = || {
            Box::new(Drawing {
                random: Random::new(seed, number as u64),
                lengths: script.lengths.clone(),
                drawn: 0,
            })
        };
        Program {
            random: (!script.lengths.is_empty()).then(random),
            operations: script.operations.into(),
            place: Place::new(vec![0; usize::from(script.depth)].into()),
            left: Duration::ZERO,
            surplus: 0,
            pace: Slowdown::NONE,
            stalls: Share::default(),
            result: 0,
        }
    }

    /// Begins a computation that takes so long at the fastest operating point.
    #[inline]
    pub fn compute(&mut self, length: Duration) {
        self.left = length;
        if self.pace != Slowdown::NONE {
            self.surplus = 0;
            self.stretch(Slowdown::NONE, self.pace);
        }
    }

    /// The part of its computations in which the job waits for memory.
    pub fn stalls(&self) -> Share {
        self.stalls
    }

    /// From now on it is this part, and computations have this pace.
    pub fn stall(&mut self, stalls: Share, pace: Slowdown) {
        self.stalls = stalls;
        self.pace = pace;
    }

    /// The CPU goes on at this pace. What is left of the present computation takes longer, or less
    /// long, by the ratio of the two, exact to 2^-31 of a nanosecond.
    pub fn go_on_at(&mut self, pace: Slowdown) {
        if pace == self.pace {
            return;
        }
        let before = std::mem::replace(&mut self.pace, pace);
        if !self.left.is_zero() && self.left != Duration::MAX {
            self.stretch(before, pace);
        }
    }

    /// What takes `left` at one pace takes so long at another one.
    fn stretch(&mut self, from: Slowdown, to: Slowdown) {
        if self.left == Duration::MAX {
            return;
        }
        // What was rounded up is less than a nanosecond.
        let exact = (u128::from(self.left.as_nanos()) << 32).saturating_sub(self.surplus.into());
        let (over, under) = from.fraction();
        let work = times(exact, under, over);
        let (over, under) = to.fraction();
        let exact = times(work, over, under);
        let nanos = exact.div_ceil(1 << 32);
        // Less than one nanosecond of 2^32 parts.
        self.surplus = u32::try_from((nanos << 32) - exact).unwrap_or(0);
        self.left = u64::try_from(nanos).map_or(Duration::MAX, Duration::from_nanos);
    }

    /// Goes back to the beginning, for a new job. The random lengths that the present one would
    /// still have drawn are passed over, if it has drawn any: where they have been drawn
    /// beforehand, as for a board, each length stays with the step that it was drawn for.
    pub fn restart(&mut self) {
        if self.random.as_ref().is_some_and(|random| random.drawn > 0) {
            for _ in 0..flyball_model::MOST_STEPS {
                match self.step(Time::ZERO) {
                    Call::Compute(length) | Call::Suspend(length) => {
                        self.draw(length);
                    }
                    Call::Result(result) => self.note(result),
                    Call::End => break,
                    _ => {}
                }
            }
        }
        self.place.restart();
        self.left = Duration::ZERO;
        self.result = 0;
    }

    /// Whether the job has done all that it had to do.
    pub fn is_done(&self) -> bool {
        self.place.is_done(|at| self.operations[at as usize])
    }

    /// The next thing that the job asks for, at `now`. Begins again after the end of a job.
    #[inline]
    pub fn step(&mut self, now: Time) -> Call {
        let op = |at: u32| self.operations[at as usize];
        let call = self.place.step(op, || now.since(Time::ZERO));
        if call == Call::End
            && let Some(random) = &mut self.random
        {
            random.drawn = 0;
        }
        call
    }

    /// If the job is about to compute, for a time that is known, it is as if it had said so
    /// already.
    #[inline]
    pub fn begin(&mut self) {
        if self.left.is_zero()
            && let Op::Compute(Length::Fixed(time)) = self.operations[self.place.next() as usize]
            && !time.is_zero()
        {
            self.place.pass();
            self.compute(time);
        }
    }

    /// How long that is, this time.
    #[inline]
    pub fn draw(&mut self, length: Length) -> Duration {
        match length {
            Length::Fixed(time) => time,
            Length::Drawn(number) => self.next_random(number),
        }
    }

    /// Notes what the job says of itself.
    pub fn note(&mut self, result: Outcome) {
        self.result = match result {
            Outcome::Fixed(result) => result,
            // The distribution was made of such numbers.
            Outcome::Drawn(number) => {
                u8::try_from(self.next_random(number).as_nanos()).unwrap_or(u8::MAX)
            }
        };
    }

    /// What the job that has just ended said of itself; 0 for one that said nothing.
    pub fn take_result(&mut self) -> u8 {
        core::mem::take(&mut self.result)
    }

    fn next_random(&mut self, distribution: u32) -> Duration {
        // Only a script with distributions draws.
        let Some(random) = &mut self.random else {
            return Duration::ZERO;
        };
        random.drawn = random.drawn.saturating_add(1);
        // Lengths that follow the clock are not drawn.
        let length = &random.lengths[distribution as usize];
        random.random.draw(length, Time::ZERO)
    }

    /// The random lengths that the first `jobs` jobs need, in the order in which they need them
    /// (and results, as nanoseconds): as many as suffice if the lengths alone take `until`. No more
    /// than `most`, and fewer if a job does very many other things first. Computations are as long as
    /// they take at a `pace`, as in [`Script::at`].
    pub fn lengths(
        mut self,
        jobs: u64,
        until: Duration,
        most: usize,
        pace: impl Fn(Share) -> Slowdown,
    ) -> Vec<Duration> {
        const MOST_STEPS: u32 = 1 << 28;
        let mut drawn = Vec::new();
        let mut ended = 0;
        let mut sum = Duration::ZERO;
        let mut now = pace(Share::default());
        if self.random.is_none() {
            return drawn;
        }
        for _ in 0..MOST_STEPS {
            if ended >= jobs || drawn.len() >= most || sum > until {
                break;
            }
            match self.step(Time::ZERO) {
                Call::Compute(length @ Length::Drawn(_)) => {
                    let length = now.stretch(self.draw(length));
                    sum += length;
                    drawn.push(length);
                }
                Call::Suspend(length @ Length::Drawn(_)) => {
                    let length = self.draw(length);
                    sum += length;
                    drawn.push(length);
                }
                Call::Stalls(millionths) => now = pace(Share::from_millionths(millionths)),
                Call::Result(Outcome::Drawn(number)) => drawn.push(self.next_random(number)),
                Call::End => ended += 1,
                _ => {}
            }
        }
        drawn
    }
}

/// `number * over / under`, rounded up; the largest number if it is beyond that. `under` is not zero.
fn times(number: u128, over: u64, under: u64) -> u128 {
    let (over, under) = (u128::from(over), u128::from(under));
    // The second product is below 2^128, as both are below 2^64.
    let whole = (number / under).saturating_mul(over);
    whole.saturating_add((number % under * over).div_ceil(under))
}

/// Whether every job does exactly the same.
pub fn is_fixed(steps: &[Step]) -> bool {
    steps.iter().all(|step| match step {
        Step::Compute(length)
        | Step::Suspend(length)
        | Step::Overrun { actual: length, .. }
        | Step::Stalling {
            compute: length, ..
        } => length.is_fixed(),
        Step::Result(results) => results.windows(2).all(|two| two[0] == two[1]),
        Step::Repeat { body, .. } => is_fixed(body),
        _ => true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use flyball_model::{Frequency, Speeds};
    use flyball_trace::Speed;
    use proptest::prelude::*;

    proptest! {
        /// However often the pace changes, a computation is over less than 2 ns after the instant that
        /// exact fractions give, and not before it.
        #[test]
        #[expect(clippy::cast_precision_loss, reason = "all numbers are below 2^53")]
        fn work_is_kept_to_the_nanosecond(
            length in 1_u64..1 << 40,
            changes in prop::collection::vec((0_u8..3, 0_u32..=4, 0_u64..1 << 38), 1..12),
        ) {
            // 3, 5 and 7 MHz.
            let frequencies = [3, 5, 7].iter().filter_map(|mhz| Frequency::hertz(mhz * 1_000_000));
            let transition = vec![vec![Duration::ZERO; 3]; 3];
            let speeds = Speeds::new(frequencies.collect(), transition, None).unwrap();
            let mut task = Task::periodic("a", Duration::MAX, Duration::from_nanos(length));
            task.behaviour = vec![Step::Compute(flyball_model::Length::Fixed(task.wcet))];
            let mut program = Program::new(&task, 0, 0);
            program.begin();
            // What is left, at 7 MHz, in nanoseconds.
            let mut exact = length as f64;
            let mut ratio = 1.0;
            for (speed, quarters, ran) in changes {
                let stalls = Share::from_millionths(quarters * 250_000);
                program.go_on_at(speeds.slowdown(Speed(speed), stalls));
                let stalls = f64::from(quarters) / 4.0;
                ratio = (1.0 - stalls) * 7.0 / f64::from(3 + 2 * speed) + stalls;
                let ran = Duration::from_nanos(ran).min(program.left);
                program.left = program.left.saturating_sub(ran);
                exact -= ran.as_nanos() as f64 / ratio;
                if program.left.is_zero() {
                    break;
                }
            }
            let exact = exact * ratio;
            let left = program.left.as_nanos() as f64;
            // The rounding of this model is far below a nanosecond.
            prop_assert!(left >= exact - 0.01 && left < exact + 2.0, "{left} {exact}");
        }
    }

    /// Steps of which some wait for memory, in repetitions that may nest.
    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let length = (1_u64..100)
            .prop_map(|nanos| flyball_model::Length::Fixed(Duration::from_nanos(nanos)));
        let step = (length, 0_u32..4, 0_u32..1_000_000).prop_map(|(length, kind, stalls)| {
            let stalls = Share::from_millionths(stalls);
            match kind {
                0 => Step::Compute(length),
                1 => Step::Suspend(length),
                2 => Step::Yield,
                _ => Step::Stalling {
                    compute: length,
                    stalls,
                },
            }
        });
        let steps = proptest::collection::vec(step, 1..4);
        steps.prop_recursive(3, 20, 3, |inner| {
            let repeat = |(before, times, body, after): (Vec<Step>, u32, Vec<Step>, Vec<Step>)| {
                let repeat = Step::Repeat {
                    times: Some(times),
                    body,
                };
                [before, vec![repeat], after].concat()
            };
            (inner.clone(), 1_u32..4, inner.clone(), inner).prop_map(repeat)
        })
    }

    proptest! {
        /// What a machine is told that knows nothing of memory takes as long, step by step.
        #[test]
        fn a_script_at_a_pace_takes_as_long(steps in steps(), stalls in 0_u32..1_000_000) {
            let frequencies = [3, 7].map(Frequency::hertz).into_iter().flatten();
            let transition = vec![vec![Duration::ZERO; 2]; 2];
            let speeds = Speeds::new(frequencies.collect(), transition, None).unwrap();
            let pace = |stalls| speeds.slowdown(Speed(0), stalls);
            let script = || Script::new(&steps, Share::from_millionths(stalls));
            let mut told = Program::of(script().at(pace), 0, 0);
            let mut knows = Program::of(script(), 0, 0);
            for _ in 0..200 {
                let expected = loop {
                    match knows.step(Time::ZERO) {
                        Call::Stalls(millionths) => {
                            let stalls = Share::from_millionths(millionths);
                            knows.stall(stalls, pace(stalls));
                        }
                        Call::Compute(Length::Fixed(time)) => {
                            knows.compute(time);
                            break Call::Compute(Length::Fixed(knows.left));
                        }
                        call => break call,
                    }
                };
                prop_assert_eq!(told.step(Time::ZERO), expected);
            }
        }
    }

    /// More than sixteen bits can number: each computation still has its own distribution.
    #[test]
    fn many_random_lengths_are_told_apart() {
        let between = |min: u64| flyball_model::Length::Uniform {
            min: Duration::from_micros(min),
            max: Duration::from_micros(min + 1),
        };
        let lengths: Vec<_> = (0..70_000).map(between).collect();
        let steps: Vec<_> = lengths.iter().cloned().map(Step::Compute).collect();
        let mut task = Task::periodic("a", Duration::MAX, Duration::MAX);
        task.behaviour = steps;
        let drawn =
            Program::new(&task, 0, 7).lengths(1, Duration::MAX, 100_000, |_| Slowdown::NONE);
        assert_eq!(drawn.len(), lengths.len());
        for (drawn, length) in drawn.iter().zip(&lengths) {
            assert!(*drawn <= length.longest());
            assert!(length.longest().saturating_sub(*drawn) <= Duration::from_micros(1));
        }
    }

    /// The last result of a job counts, and one that is drawn beforehand for a board is the same.
    #[test]
    fn results_are_drawn_as_lengths_are() {
        let us = Duration::from_micros;
        let mut task = Task::periodic("a", us(100), us(50));
        let length = flyball_model::Length::OneOf(vec![us(1), us(2)]);
        let results = [0, 0, 3];
        task.behaviour = vec![
            Step::Result(vec![9]),
            Step::Compute(length),
            Step::Result(results.to_vec()),
        ];
        assert!(!is_fixed(&task.behaviour[2..]));
        let beforehand =
            Program::new(&task, 0, 7).lengths(200, Duration::MAX, 1_000, |_| Slowdown::NONE);
        assert_eq!(beforehand.len(), 400);
        let mut program = Program::new(&task, 0, 7);
        let mut seen = [0; 4];
        for drawn in beforehand.chunks(2) {
            loop {
                match program.step(Time::ZERO) {
                    Call::Compute(length) => assert_eq!(program.draw(length), drawn[0]),
                    Call::Result(result) => program.note(result),
                    _ => break,
                }
            }
            let result = program.take_result();
            assert_eq!(Duration::from_nanos(result.into()), drawn[1]);
            assert_eq!(program.take_result(), 0);
            seen[usize::from(result)] += 1;
        }
        assert_eq!(seen[0] + seen[3], 200);
        assert!(seen[0] > seen[3] && seen[3] > 30, "{seen:?}");
    }

    #[test]
    fn a_job_that_is_given_up_leaves_the_next_one_its_lengths() {
        let us = Duration::from_micros;
        let between = |min, max| {
            Step::Compute(flyball_model::Length::Uniform {
                min: us(min),
                max: us(max),
            })
        };
        let mut task = Task::periodic("a", us(100), us(50));
        task.behaviour = vec![between(1, 9), Step::Yield, between(20, 29)];
        let beforehand =
            Program::new(&task, 0, 7).lengths(3, Duration::MAX, 100, |_| Slowdown::NONE);
        assert_eq!(beforehand.len(), 6);
        let mut program = Program::new(&task, 0, 7);
        let mut next = |restart: bool| {
            if restart {
                program.restart();
            }
            loop {
                if let Call::Compute(length) = program.step(Time::ZERO) {
                    return program.draw(length);
                }
            }
        };
        // The first job is given up before its second computation, the second one after it.
        let drawn = [
            next(false),
            next(true),
            next(false),
            next(true),
            next(false),
        ];
        let expected = [0, 2, 3, 4, 5].map(|at| beforehand[at]);
        assert_eq!(drawn, expected);
    }
}
