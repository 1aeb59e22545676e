//! The rules that hold for a task set whatever file it comes from: names are fit for names and
//! unique, and the values of a task fit together.

use crate::behaviour::{self, Demand};
use crate::error::{Kind, ModelError};
use crate::groups::Groups;
use crate::hint;
use crate::settings::Settings;
use crate::share::Share;
use crate::source::{At, Source, Span};
use crate::taskset::{Arrival, Length, OnMiss, Reserve, Step, Task, Trigger};
use flyball_trace::{Duration, Speed};
use std::collections::{BTreeMap, HashMap};
use std::ops::RangeInclusive;

/// Most tasks in a set: a task's number has 16 bits, and one of the values is left for *none*.
pub const MOST_TASKS: usize = 65_535;

/// Most CPUs of a platform.
pub const MOST_CPUS: u8 = 128;

/// The nice values of Linux.
pub(crate) const NICE: RangeInclusive<i8> = -20..=19;

/// Most steps that one job may take, repetitions counted, so that a short file cannot describe a
/// job that takes days to simulate.
pub const MOST_STEPS: u64 = 1_000_000;

/// Longest name in characters.
const LONGEST_NAME: usize = 100;

/// Names that are taken, and where.
#[derive(Default)]
pub(crate) struct Names(HashMap<String, Span>);

impl Names {
    /// Takes a name, which has to be fit for a name and free.
    pub(crate) fn claim(
        &mut self,
        source: &Source<'_>,
        name: &At<String>,
    ) -> Result<(), ModelError> {
        is_name(source, name).map_err(|error| error.within("name"))?;
        match self.0.insert(name.value.clone(), name.span.clone()) {
            None => Ok(()),
            Some(first) => {
                let line = source.place(first.start).line;
                let help = format!("the first one is in line {line}; rename one of them");
                let message = format!("{} is there already", hint::quoted(&name.value));
                let error = source.error(Kind::Duplicate, &name.span, message);
                Err(error.within("name").help(help))
            }
        }
    }
}

/// Whether a text is fit for a name.
pub(crate) fn is_name(source: &Source<'_>, name: &At<String>) -> Result<(), ModelError> {
    let (why, help) = if name.value.is_empty() {
        ("is no name".into(), "write at least one character")
    } else if name.value.chars().nth(LONGEST_NAME).is_some() {
        let why = format!("is longer than {LONGEST_NAME} characters");
        (why, "choose a shorter name")
    } else if name.value.trim() != name.value || name.value.contains(char::is_control) {
        let why = "begins or ends with a space, or has a control character in it";
        (why.into(), "use plain text")
    } else {
        return Ok(());
    };
    let message = format!("{} {why}", hint::quoted(&name.value));
    let error = source.error(Kind::OutOfRange, &name.span, message);
    Err(error.help(help))
}

/// Refuses more tasks than there may be. `span` is the first that is too many.
pub(crate) fn too_many_tasks(source: &Source<'_>, span: &Span) -> ModelError {
    let message = format!(
        "too many tasks: at most 65,535 (this is number {})",
        MOST_TASKS + 1
    );
    let error = source.error(Kind::TooMany, span, message);
    error.help("split the set into several files")
}

/// Refuses a CPU that is none of the `cpus` that there are.
pub(crate) fn no_such_cpu(source: &Source<'_>, cpu: &At<u8>, cpus: u8) -> ModelError {
    let (cpu, span) = (cpu.value, &cpu.span);
    let message = match cpus {
        1 => format!("there is no CPU {cpu}: the platform has one CPU, number 0"),
        _ => format!(
            "there is no CPU {cpu}: the platform has CPUs 0 to {}",
            cpus - 1
        ),
    };
    let help = format!(
        "raise `cpus` of `[platform]` to at least {}",
        u16::from(cpu) + 1
    );
    source.error(Kind::OutOfRange, span, message).help(help)
}

/// A task as a file gives it, before its values have been looked at together.
pub(crate) struct Draft {
    pub(crate) name: At<String>,
    pub(crate) period: Option<At<Duration>>,
    pub(crate) sporadic: Option<At<Duration>>,
    pub(crate) gap: Option<At<Length>>,
    pub(crate) released_by: Option<At<Trigger>>,
    pub(crate) wcet: Option<At<Duration>>,
    pub(crate) bcet: Option<At<Duration>>,
    pub(crate) deadline: Option<At<Duration>>,
    pub(crate) phase: Option<At<Duration>>,
    pub(crate) jitter: Option<At<Duration>>,
    pub(crate) priority: Option<At<u8>>,
    pub(crate) nice: Option<At<i8>>,
    pub(crate) share: Option<At<Share>>,
    pub(crate) reserve: Option<At<Reserve>>,
    pub(crate) importance: Option<At<u16>>,
    pub(crate) cpu: Option<At<u8>>,
    pub(crate) cpus: Option<At<Vec<At<u8>>>>,
    pub(crate) server: Option<At<u16>>,
    pub(crate) stalls: Option<At<Share>>,
    pub(crate) speed: Option<At<u8>>,
    pub(crate) groups: Groups,
    pub(crate) on_miss: Option<At<OnMiss>>,
    pub(crate) behaviour: Option<At<Vec<Step>>>,
    pub(crate) policies: BTreeMap<String, Settings>,
    /// Where the task begins in the file.
    pub(crate) span: Span,
}

impl Draft {
    /// Looks at all values together. `cpus` is the number of CPUs that there are.
    pub(crate) fn finish(self, source: &Source<'_>, cpus: u8) -> Result<Task, ModelError> {
        let arrival = self.arrival(source)?;
        let wcet = self.demand(source)?;
        let deadline = self.deadline(source, &arrival, wcet)?;
        if let (Some(_), Some(list)) = (&self.cpu, &self.cpus) {
            let message = "a task is bound to one CPU or may run on several, not both";
            let error = source.error(Kind::Inconsistent, &list.span, message);
            return Err(error.within("cpus").help("leave out `cpu` or `cpus`"));
        }
        let several = self.cpus.iter().flat_map(|list| &list.value);
        let named = self.cpu.iter().map(|cpu| ("cpu", cpu));
        let named = named.chain(several.map(|cpu| ("cpus", cpu)));
        if let Some((key, cpu)) = named.into_iter().find(|(_, cpu)| cpu.value >= cpus) {
            return Err(no_such_cpu(source, cpu, cpus).within(key));
        }
        let jitter = self.jitter(source, &arrival)?;
        let computes = self.computes(source, wcet)?;
        let simple = || vec![Step::Compute(computes)];
        Ok(Task {
            name: self.name.value,
            arrival,
            phase: self.phase.map_or(Duration::ZERO, |phase| phase.value),
            jitter,
            deadline,
            wcet,
            priority: self.priority.map(|priority| priority.value),
            nice: self.nice.map(|nice| nice.value),
            share: self.share.map(|share| share.value),
            reserve: self.reserve.map(|reserve| reserve.value),
            importance: self.importance.map(|importance| importance.value),
            cpu: self.cpu.map(|cpu| cpu.value),
            cpus: self.cpus.map(|list| {
                let mut cpus: Vec<u8> = list.value.into_iter().map(|cpu| cpu.value).collect();
                cpus.sort_unstable();
                cpus
            }),
            server: self.server.map(|server| server.value),
            stalls: self.stalls.map_or(Share::default(), |stalls| stalls.value),
            speed: self.speed.map(|speed| Speed(speed.value)),
            groups: self.groups,
            on_miss: self
                .on_miss
                .map_or_else(OnMiss::default, |on_miss| on_miss.value),
            behaviour: self
                .behaviour
                .map_or_else(simple, |behaviour| behaviour.value),
            policies: self.policies,
            location: source.location(&self.span),
        })
    }

    fn arrival(&self, source: &Source<'_>) -> Result<Arrival, ModelError> {
        if let (Some(_), Some(sporadic)) = (&self.period, &self.sporadic) {
            let message = "a task is either periodic or sporadic, not both";
            let error = source
                .error(Kind::Inconsistent, &sporadic.span, message)
                .within("sporadic");
            return Err(error.help("leave out `period` or `sporadic`"));
        }
        if let (Some(gap), None) = (&self.gap, &self.sporadic) {
            let message = "only a sporadic task has a gap between arrivals";
            let error = source
                .error(Kind::Inconsistent, &gap.span, message)
                .within("gap");
            return Err(error.help("write the least separation as `sporadic`, or leave out `gap`"));
        }
        let (key, given) = match (&self.period, &self.sporadic, &self.released_by) {
            (Some(period), ..) => ("period", period),
            (None, Some(separation), _) => ("sporadic", separation),
            (None, None, Some(trigger)) => return self.event(source, trigger),
            (None, None, None) => return Ok(Arrival::Once),
        };
        if given.value.is_zero() {
            let message = format!(
                "a {} of zero would release jobs without end",
                match key {
                    "period" => "period",
                    _ => "separation",
                }
            );
            let error = source
                .error(Kind::OutOfRange, &given.span, message)
                .within(key);
            return Err(error.help("write at least \"1ns\""));
        }
        if let Some(trigger) = &self.released_by {
            return self.event(source, trigger);
        }
        if key == "period" {
            return Ok(Arrival::Periodic {
                period: given.value,
            });
        }
        let gap = match &self.gap {
            None => Length::Fixed(given.value),
            Some(gap) if gap.value.shortest() < given.value => {
                let shortest = gap.value.shortest();
                let message = format!(
                    "the shortest gap, {shortest}, is below the least separation, {}",
                    given.value
                );
                let error = source
                    .error(Kind::Inconsistent, &gap.span, message)
                    .within("gap");
                return Err(error.help("raise `gap`, or lower `sporadic`"));
            }
            Some(gap) => gap.value.clone(),
        };
        Ok(Arrival::Sporadic {
            separation: given.value,
            gap,
        })
    }

    /// How jobs arrive that `trigger` releases.
    fn event(&self, source: &Source<'_>, trigger: &At<Trigger>) -> Result<Arrival, ModelError> {
        let fault = |key, span: &Span, message: &str, help: &str| {
            let error = source.error(Kind::Inconsistent, span, message).within(key);
            Err(error.help(help))
        };
        if let Some(gap) = &self.gap {
            let message = "messages or signals say when jobs come, and how far apart";
            return fault(
                "gap",
                &gap.span,
                message,
                "leave out `gap` or `released_by`",
            );
        }
        if let Some(jitter) = self.jitter.as_ref().filter(|it| !it.value.is_zero()) {
            let message = "a message or a signal releases its job at once, without jitter";
            let help = "leave out `jitter` or `released_by`";
            return fault("jitter", &jitter.span, message, help);
        }
        match (&self.sporadic, &self.period) {
            (Some(separation), _) => Ok(Arrival::Event {
                by: trigger.value,
                separation: separation.value,
            }),
            (None, Some(period)) => {
                let message = "a periodic task is released by the clock";
                let help = "write the least separation as `sporadic`, or leave out `released_by`";
                fault("period", &period.span, message, help)
            }
            (None, None) => {
                let message = "nothing says how far apart jobs are at least";
                let help = "add the least separation, as in `sporadic = \"10ms\"`";
                fault("released_by", &trigger.span, message, help)
            }
        }
    }

    fn jitter(&self, source: &Source<'_>, arrival: &Arrival) -> Result<Duration, ModelError> {
        match &self.jitter {
            None => Ok(Duration::ZERO),
            Some(jitter) if *arrival == Arrival::Once && !jitter.value.is_zero() => {
                let message = "a task that arrives once has no release jitter";
                let error = source
                    .error(Kind::Inconsistent, &jitter.span, message)
                    .within("jitter");
                Err(error.help("say when it arrives, as `phase`, or give it a `period`"))
            }
            Some(jitter) => Ok(jitter.value),
        }
    }

    /// How long a job computes that does nothing else.
    fn computes(&self, source: &Source<'_>, wcet: Duration) -> Result<Length, ModelError> {
        let Some(bcet) = &self.bcet else {
            return Ok(Length::Fixed(wcet));
        };
        let fault = |message: &str, help: &str| {
            let error = source.error(Kind::Inconsistent, &bcet.span, message);
            Err(error.within("bcet").help(help))
        };
        if self.behaviour.is_some() {
            let help =
                "leave out `bcet`, or write `{ compute = { uniform = [\"1ms\", \"2ms\"] } }`";
            return fault("the behaviour says how long a job computes", help);
        }
        match bcet.value {
            min if min > wcet => fault(
                &format!("the best-case execution time, {min}, is above the worst case, {wcet}"),
                "lower it, or raise `wcet`",
            ),
            min if min == wcet => Ok(Length::Fixed(wcet)),
            min => Ok(Length::Uniform { min, max: wcet }),
        }
    }

    /// The worst-case execution time: as given, or else what the behaviour adds up to.
    fn demand(&self, source: &Source<'_>) -> Result<Duration, ModelError> {
        if let Some(wcet) = self.wcet.as_ref().filter(|wcet| wcet.value.is_zero()) {
            let message = "a worst-case execution time of zero does nothing";
            let error = source
                .error(Kind::OutOfRange, &wcet.span, message)
                .within("wcet");
            return Err(error.help("write at least \"1ns\""));
        }
        let Some(steps) = &self.behaviour else {
            let Some(wcet) = &self.wcet else {
                let message = "neither `wcet` nor `behaviour` says what a job does";
                let error = source.error(Kind::Missing, &self.span, message);
                return Err(error.help("add the worst-case execution time, as in `wcet = \"1ms\"`"));
            };
            return Ok(wcet.value);
        };
        let (kind, message) = match (behaviour::demand(&steps.value), &self.wcet) {
            (Ok(Demand { steps, .. }), _) if steps > MOST_STEPS => {
                let message = format!("a job would take {steps} steps, more than {MOST_STEPS}");
                (Kind::TooMany, message)
            }
            (Err(behaviour::TooLarge), _) => (
                Kind::OutOfRange,
                "the steps add up to more than 584 years, or 2^64 steps".to_owned(),
            ),
            (Ok(demand), None) => return Ok(demand.compute),
            (Ok(demand), Some(wcet)) if demand.compute <= wcet.value => return Ok(wcet.value),
            (Ok(demand), Some(wcet)) => {
                let wcet = wcet.value;
                let message = match demand.compute {
                    Duration::MAX => format!("computes without end, but `wcet` is {wcet}"),
                    total => format!("computes up to {total}, more than the `wcet` of {wcet}"),
                };
                let error = source.error(Kind::Inconsistent, &steps.span, message);
                let help = "raise `wcet`, or leave it out: it is then taken from the behaviour";
                return Err(error.within("behaviour").help(help));
            }
        };
        let error = source.error(kind, &steps.span, message).within("behaviour");
        Err(error.help("lower the counts of `repeat`"))
    }

    fn deadline(
        &self,
        source: &Source<'_>,
        arrival: &Arrival,
        wcet: Duration,
    ) -> Result<Option<Duration>, ModelError> {
        let Some(deadline) = self.deadline.as_ref() else {
            return match arrival.period() {
                Some(period) if period < wcet => {
                    let span = self.wcet.as_ref().map(|wcet| &wcet.span);
                    let (key, span) = match (span, &self.behaviour) {
                        (Some(span), _) => ("wcet", span),
                        (None, Some(steps)) => ("behaviour", &steps.span),
                        (None, None) => ("wcet", &self.span),
                    };
                    let message = format!(
                        "the worst-case execution time, {wcet}, is above the deadline, which is \
                         the period, {period}"
                    );
                    let error = source.error(Kind::Inconsistent, span, message).within(key);
                    Err(error.help("lower it, raise the period, or give a later `deadline`"))
                }
                implicit => Ok(implicit),
            };
        };
        let fault = |kind, message: &str, help: &str| {
            Err(source
                .error(kind, &deadline.span, message)
                .within("deadline")
                .help(help))
        };
        match deadline.value {
            Duration::ZERO => fault(
                Kind::OutOfRange,
                "a deadline of zero cannot be met",
                "write at least \"1ns\"",
            ),
            _ if wcet == Duration::MAX => {
                let message = "a job that computes without end has no deadline";
                fault(Kind::Inconsistent, message, "leave out `deadline`")
            }
            given if given < wcet => {
                let message = format!(
                    "the deadline, {given}, is below the worst-case execution time, {wcet}"
                );
                fault(
                    Kind::Inconsistent,
                    &message,
                    "no job could meet it; raise it, or lower `wcet`",
                )
            }
            given => Ok(Some(given)),
        }
    }
}
