//! Reads what the jobs of a task do, step by step, and follows the locks that they hold.
//!
//! A job has to release every mutex that it locks, the last one first, and each round of a
//! repetition has to leave the locks as it found them. So the locks held at any step are the same
//! in every job and every round, and one walk over the steps as written proves it for all.

use super::length::length;
use super::resources::{Resources, Sort};
use super::table::{Node, Read, Table, describe, list, stalls, whole};
use crate::behaviour::takes_time;
use crate::error::{Kind, ModelError};
use crate::hint;
use crate::source::{At, Source};
use crate::taskset::Step;
use toml::de::DeValue;

/// How deep repetitions may stand in one another.
const DEEPEST: usize = 8;

/// How many mutexes a job may hold at once.
const MOST_HELD: usize = 64;

/// The keys of a step; each step has one of them, a computation may also have `actual` or `stalls`,
/// a repetition has `do`, and `raise` and `lower` may have `by`.
const KEYS: &[&str] = &[
    "compute",
    "actual",
    "stalls",
    "suspend",
    "lock",
    "unlock",
    "wait",
    "signal",
    "send",
    "receive",
    "try_send",
    "try_receive",
    "raise",
    "lower",
    "by",
    "result",
    "repeat",
    "do",
];

/// Reads the behaviour of one task.
pub(super) struct Steps<'d> {
    source: &'d Source<'d>,
    resources: &'d Resources<'d>,
    /// Whether the task arrives only once.
    once: bool,
    /// The mutexes that are held, in the order in which they were locked.
    held: Vec<At<u16>>,
    /// How many of them were locked outside of the innermost repetition.
    outside: usize,
}

impl<'d> Steps<'d> {
    pub(super) fn new(
        source: &'d Source<'d>,
        resources: &'d Resources<'d>,
        once: bool,
    ) -> Steps<'d> {
        Steps {
            source,
            resources,
            once,
            held: Vec::new(),
            outside: 0,
        }
    }

    /// Reads all steps of a job.
    pub(super) fn read(mut self, node: &'d Node<'d>) -> Read<Vec<Step>> {
        let steps = self.sequence(node, 0)?;
        match self.held.last() {
            None => Ok(steps),
            Some(lock) => Err(self.still_held(lock, "at the end of the job")),
        }
    }

    /// Reads a list of steps which stands inside of `depth` repetitions.
    fn sequence(&mut self, node: &'d Node<'d>, depth: usize) -> Read<Vec<Step>> {
        let nodes = list(self.source, node)?;
        if nodes.is_empty() {
            let error = self
                .source
                .error(Kind::OutOfRange, &node.span(), "there are no steps");
            return Err(error.help("write at least one, as in `{ compute = \"1ms\" }`"));
        }
        let mut steps = Vec::with_capacity(nodes.len());
        for (index, node) in nodes.iter().enumerate() {
            let last = index + 1 == nodes.len();
            let step = self.step(node, depth, last);
            steps.push(step.map_err(|error| error.within(&format!("step {}", index + 1)))?);
        }
        Ok(steps)
    }

    /// Reads one step. `last`: whether it is the last one of its list.
    fn step(&mut self, node: &'d Node<'d>, depth: usize, last: bool) -> Read<Step> {
        match node.get_ref() {
            DeValue::String(word) if word == "yield" => return Ok(Step::Yield),
            DeValue::String(word) if word == "control" => return Ok(Step::Control),
            DeValue::Table(_) => {}
            other => {
                let found = describe(other);
                let message =
                    format!("expected \"yield\", \"control\" or a step in braces, found {found}");
                let error = self.source.error(Kind::WrongType, &node.span(), message);
                let word = other
                    .as_str()
                    .and_then(|word| hint::closest(word, ["yield", "control"]));
                return Err(error.help(match word {
                    Some("yield") => "did you mean \"yield\"?",
                    Some(_) => "did you mean \"control\"?",
                    None => "a step looks like `{ compute = \"1ms\" }`",
                }));
            }
        }
        let table = Table::open(self.source, node, KEYS)?;
        let key = self.only_key(&table)?;
        let resources = self.resources;
        let find = |sort| {
            move |source: &'d Source<'d>, node: &'d Node<'d>| resources.find(sort, source, node)
        };
        Ok(match key {
            "compute" => {
                let declared = table.require(key, "", length)?.value;
                match table.get("actual", length)? {
                    None => match table.get("stalls", stalls)? {
                        None => Step::Compute(declared),
                        Some(At { value: stalls, .. }) => Step::Stalling {
                            compute: declared,
                            stalls,
                        },
                    },
                    Some(At { value: actual, .. }) => Step::Overrun { declared, actual },
                }
            }
            "suspend" => Step::Suspend(table.require(key, "", length)?.value),
            "wait" => Step::Wait(table.require(key, "", find(Sort::Semaphore))?.value),
            "signal" => Step::Signal(table.require(key, "", find(Sort::Semaphore))?.value),
            "send" => Step::Send(table.require(key, "", find(Sort::Queue))?.value),
            "receive" => Step::Receive(table.require(key, "", find(Sort::Queue))?.value),
            "try_send" => Step::TrySend(table.require(key, "", find(Sort::Queue))?.value),
            "try_receive" => Step::TryReceive(table.require(key, "", find(Sort::Queue))?.value),
            "raise" | "lower" => {
                let gauge = table.require(key, "", find(Sort::Gauge))?.value;
                let by = table.get("by", whole(1..=u16::MAX))?;
                let by = by.map_or(1, |by| by.value);
                match key {
                    "raise" => Step::Raise { gauge, by },
                    _ => Step::Lower { gauge, by },
                }
            }
            "result" => Step::Result(table.require(key, "", results)?.value),
            "lock" => {
                let mutex = table.require(key, "", find(Sort::Mutex))?;
                Step::Lock(self.lock(mutex).map_err(|error| error.within(key))?)
            }
            "unlock" => {
                let mutex = table.require(key, "", find(Sort::Mutex))?;
                Step::Unlock(self.unlock(&mutex).map_err(|error| error.within(key))?)
            }
            _ => self.repeat(&table, depth, last)?,
        })
    }

    /// The one key that says what a step does.
    fn only_key(&self, table: &Table<'d>) -> Read<&'static str> {
        let found: Vec<_> = KEYS
            .iter()
            .filter_map(|&key| Some((table.key(key)?, key)))
            .collect();
        let (span, message, help) = match &found[..] {
            [(_, "repeat"), (_, "do")] => return Ok("repeat"),
            [(_, "compute"), (_, "actual" | "stalls")] => return Ok("compute"),
            [(_, "raise"), (_, "by")] => return Ok("raise"),
            [(_, "lower"), (_, "by")] => return Ok("lower"),
            [(span, "by")] => (
                span,
                "`by` without `raise` or `lower`".to_owned(),
                "write `{ raise = \"GAUGE\", by = 3 }`",
            ),
            [(span, "stalls")] => (
                span,
                "`stalls` without `compute`".to_owned(),
                "write `{ compute = \"1ms\", stalls = 0.2 }`",
            ),
            [(span, "actual")] => (
                span,
                "`actual` without `compute`".to_owned(),
                "write `{ compute = \"1ms\", actual = \"5ms\" }`",
            ),
            [(span, "do")] => (
                span,
                "`do` without `repeat`".to_owned(),
                "write `{ repeat = 3, do = […] }`",
            ),
            [(_, key)] => return Ok(key),
            [] => (
                &table.span,
                "the step is empty".to_owned(),
                "say what it does, as in `{ compute = \"1ms\" }`",
            ),
            [first, .., last] => {
                let behind = if first.0.start < last.0.start {
                    last
                } else {
                    first
                };
                let words: Vec<_> = found.iter().map(|&(_, key)| key).collect();
                let words = hint::list(&words, "and");
                let message = format!("a step does one thing, but this one has {words}");
                (
                    &behind.0,
                    message,
                    "write several steps, each in braces of its own",
                )
            }
        };
        Err(self
            .source
            .error(Kind::Inconsistent, span, message)
            .help(help))
    }

    fn lock(&mut self, mutex: At<u16>) -> Read<u16> {
        let number = mutex.value;
        if let Some(first) = self.held.iter().find(|held| held.value == number) {
            let line = self.source.place(first.span.start).line;
            let message = format!("the job holds this mutex already, since line {line}");
            let error = self.source.error(Kind::Inconsistent, &mutex.span, message);
            return Err(error.help("a mutex cannot be locked twice; it would wait for itself"));
        }
        if self.held.len() == MOST_HELD {
            let message = format!("a job may hold {MOST_HELD} mutexes at once, not more");
            return Err(self.source.error(Kind::TooMany, &mutex.span, message));
        }
        self.held.push(mutex);
        Ok(number)
    }

    fn unlock(&mut self, mutex: &At<u16>) -> Read<u16> {
        let inside = &self.held[self.outside..];
        let (message, help) = match inside.last() {
            Some(last) if last.value == mutex.value => {
                self.held.pop();
                return Ok(mutex.value);
            }
            Some(last) if inside.iter().any(|held| held.value == mutex.value) => {
                let line = self.source.place(last.span.start).line;
                let message = format!("the mutex locked in line {line} has to be unlocked first");
                (message, "unlock in the opposite order of locking")
            }
            _ if self.held.iter().any(|held| held.value == mutex.value) => (
                "the mutex was locked outside of this repetition".to_owned(),
                "lock and unlock it both inside or both outside",
            ),
            _ => {
                let message = "the job does not hold this mutex".to_owned();
                (message, "lock it first, or leave this step out")
            }
        };
        Err(self
            .source
            .error(Kind::Inconsistent, &mutex.span, message)
            .help(help))
    }

    fn still_held(&self, lock: &At<u16>, when: &str) -> ModelError {
        let message = format!("the mutex is still locked {when}");
        let error = self.source.error(Kind::Inconsistent, &lock.span, message);
        error.help("add an `unlock` step for it")
    }

    fn repeat(&mut self, table: &Table<'d>, depth: usize, last: bool) -> Read<Step> {
        let source = self.source;
        let times = table.require("repeat", "", times)?;
        let fault = |kind, message: &str, help: &str| {
            Err(source
                .error(kind, &times.span, message)
                .within("repeat")
                .help(help))
        };
        if depth == DEEPEST {
            let message = format!("repetitions stand more than {DEEPEST} deep in one another");
            return fault(
                Kind::TooMany,
                &message,
                "multiply the counts of the inner ones",
            );
        }
        let forever = times.value.is_none();
        if forever && !self.once {
            let message = "only a task that arrives once may go on forever";
            return fault(
                Kind::Inconsistent,
                message,
                "leave out the task's `period` or `sporadic`, or write a count",
            );
        }
        if forever && depth > 0 {
            let message = "what goes on forever may not stand in another repetition";
            return fault(
                Kind::Inconsistent,
                message,
                "put it at the end of the behaviour",
            );
        }
        if forever && !last {
            let message = "what goes on forever has to be the last step of the job";
            return fault(
                Kind::Inconsistent,
                message,
                "no step behind it would ever be reached",
            );
        }
        let before = std::mem::replace(&mut self.outside, self.held.len());
        let what = "the list of steps to repeat";
        let body = table.require("do", what, |_, node| self.sequence(node, depth + 1))?;
        if let Some(lock) = self.held.get(self.outside) {
            return Err(self.still_held(lock, "at the end of the round"));
        }
        self.outside = before;
        if forever && !takes_time(&body.value) {
            let message = "each round has to compute or suspend for more than zero time";
            let error = source
                .error(Kind::Inconsistent, &body.span, message)
                .within("do");
            return Err(error.help("otherwise it would go round without end at one instant"));
        }
        Ok(Step::Repeat {
            times: times.value,
            body: body.value,
        })
    }
}

/// Reads what a job says of itself: a number, or several of which one is drawn.
fn results<'d>(source: &'d Source<'d>, node: &'d Node<'d>) -> Read<Vec<u8>> {
    const HELP: &str =
        "write a number, or several of which one is drawn, as in `{ one_of = [0, 0, 3] }`";
    let result = whole(0..=u8::MAX);
    if !node.get_ref().is_table() {
        let error = |error: ModelError| error.help(HELP);
        return result(source, node).map(|one| vec![one]).map_err(error);
    }
    let table = Table::open(source, node, &["one_of"])?;
    let all = table.require("one_of", "the numbers of which one is drawn", |_, node| {
        let items = list(source, node)?.iter();
        items
            .map(|node| result(source, node))
            .collect::<Read<Vec<_>>>()
    })?;
    if all.value.is_empty() {
        let error = source.error(Kind::OutOfRange, &all.span, "the list is empty");
        return Err(error.within("one_of").help(HELP));
    }
    Ok(all.value)
}

/// Reads how often something is repeated; `None` is without end.
fn times(source: &Source<'_>, node: &Node<'_>) -> Read<Option<u32>> {
    match node.get_ref() {
        DeValue::String(word) if word == "forever" => Ok(None),
        DeValue::Integer(_) => whole(1..=u32::MAX)(source, node).map(Some),
        other => {
            let message = format!("expected a count or \"forever\", found {}", describe(other));
            Err(source.error(Kind::WrongType, &node.span(), message))
        }
    }
}
