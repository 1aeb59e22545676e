//! What a reader should know about a study, in sentences.

use flyball_analysis::Sequence;
use flyball_study::note::{AboutPolicy, Harm, Note, Shared, SplitNote, Way};
use flyball_trace::Duration;
use std::ops::Range;

/// Up to how many tasks it is said of each where it runs.
const MOST_NAMES: usize = 60;

/// Up to how many tasks are named whose critical sections are in the way of another one.
const MOST_OWNERS: usize = 8;

/// A note, in whole sentences.
pub fn note(note: &Note) -> String {
    match note {
        Note::Policies(names, about) => format!("{}: {}", names.join(", "), about_policy(about)),
        Note::Policy(about) => capital(&about_policy(about)),
        Note::Charged {
            processor,
            statistic,
        } => {
            format!("Charged are the overheads that were measured on {processor} ({statistic}).")
        }
        Note::FirstEvents(kept) => format!(
            "Charts and traces have the first {kept} events of a simulation; the numbers are of all."
        ),
        Note::NoSlacks(most) => format!(
            "By how much each task may grow was not searched for: that is done for up to {most} tasks."
        ),
        Note::DoesNotRepeat(until) => format!(
            "Sporadic, random and endless work does not repeat itself: simulated for {until}."
        ),
        Note::LongJitter(task) => format!(
            "The release jitter of {task:?} is not below its period: several of its jobs may come at once."
        ),
        Note::ResultsUnheard { task, heard_by } => format!(
            "Results of jobs, as {task:?} has them, do nothing but under {}.",
            heard_by.join(", ")
        ),
        Note::NothingDrives { queue } => format!(
            "Nothing drives the pipeline of queue {queue:?}: without a `[[source]]`, a `[[sink]]` or a task with a period its tasks \
             have no rate to keep up with, and take all of the CPU that they get."
        ),
        Note::OneMessage { queue } => format!(
            "Queue {queue:?} holds one message, so each message is a swing of all of it, whatever a stage's period is. Periods \
             are found where a queue holds some messages: raise its `capacity`."
        ),
        Note::NoReadings { gauge, task } => no_readings(gauge, task),
        Note::ServersAskTooMuch {
            cpu,
            server,
            asked,
            taken,
        } => {
            let left = 1_000_000_u64.saturating_sub(taken.parts_per_million());
            let left = format!("{}.{:04}", left / 1_000_000, left % 1_000_000 / 100);
            format!(
                "The servers of CPU {cpu} ask for more than it has: {server:?} asks for {asked}, and \
                 {left} is left. So none is sure of its budget."
            )
        }
        Note::LongHyperperiod { length, simulated } => {
            let long = match length {
                Some(length) => format!("is {}", years(*length)),
                None => "is longer than 584 years".to_owned(),
            };
            format!(
                "The hyperperiod {long}: only the first {simulated} were simulated. Use `--until` \
                 for another length."
            )
        }
        Note::Feasible => {
            "With these affinities the tasks can be held, if not by the policies here.".to_owned()
        }
        Note::NotOverloaded => {
            "No CPUs are asked for more than there is of them by tasks that may \
                                run on no others."
                .to_owned()
        }
        Note::TooLarge(task) => {
            format!("No policy can hold these tasks: \"{task}\" asks for more than a whole CPU.")
        }
        Note::Overloaded {
            tasks,
            cpus,
            utilisation,
        } => {
            let numbers: Vec<_> = cpus.iter().map(usize::to_string).collect();
            format!(
                "No policy can hold these tasks: {} may run on CPU {} only, and ask for {utilisation} \
                 of {}.",
                tasks.join(", "),
                numbers.join(", "),
                cpus.len()
            )
        }
        Note::OverheadsIgnored => {
            "The overheads in the file are ignored: the board has its own.".to_owned()
        }
        Note::KernelNotFree => "Bounds, slacks and proofs take the kernel's work to be free; on \
                                the board it is not."
            .to_owned(),
        Note::ShortRun { ran, whole } => format!(
            "Ran for {ran} only; a simulation would go on for {whole}. Use `--until` for another \
             length."
        ),
        Note::NotMeasured { policy, machine } => {
            format!("\"{policy}\" was not measured: machine {machine} has no image for it.")
        }
        Note::EventsLost { after, lost } => format!(
            "The board keeps so many events and no more, which it had after {after}: {lost} later \
             ones are not known, and no number is of them."
        ),
    }
}

/// What there is to say of a policy, behind its name and a colon.
fn no_readings(gauge: &str, task: &str) -> String {
    format!(
        "A gauge without readings: nothing raises {gauge:?}, so task {task:?}, which lowers it, is of best effort as far as this \
         gauge says. Let a `[[source]]` or a task raise it."
    )
}

fn about_policy(about: &AboutPolicy) -> String {
    match about {
        AboutPolicy::LeftOut(why) => format!("left out: {why}."),
        AboutPolicy::Assigned {
            way,
            instead_of,
            size,
            clusters,
        } => {
            let what = if *size == 1 {
                "CPUs".to_owned()
            } else {
                format!("clusters of {size} CPUs")
            };
            let places = places(clusters);
            let Way::Fit(fit, sequence) = way else {
                return format!("tasks were assigned to {what} by trying all ways: {places}.");
            };
            let by = match sequence {
                Sequence::Utilisation => " decreasing",
                Sequence::Period => " by rising period",
                Sequence::Given => " in their order",
            };
            let why = match instead_of {
                None => String::new(),
                Some((fit, None)) => format!(", as tests accept no places by {}", fit.name()),
                Some((fit, Some(stop))) => {
                    format!(", as a test of places by {} {stop}", fit.name())
                }
            };
            let fit = fit.name();
            format!("tasks were assigned to {what}, {fit}{by}{why}: {places}.")
        }
        AboutPolicy::Split(tasks) if tasks.is_empty() => "no task had to be split.".to_owned(),
        AboutPolicy::Split(tasks) => {
            let tasks: Vec<_> = tasks.iter().map(split).collect();
            format!("split tasks: {}.", tasks.join("; "))
        }
        AboutPolicy::Shares(shared) => shares(shared),
        AboutPolicy::SharesMore(mutexes) => {
            format!("and so on, for {mutexes} more mutexes of tasks.")
        }
    }
}

/// How critical sections hurt a server.
fn shares(shared: &Shared) -> String {
    let Shared {
        task,
        server,
        mutex,
        owners,
        locks,
        harm,
    } = shared;
    let others = quoted(owners);
    let budget = match server {
        Some(server) => format!("the budget of server \"{server}\""),
        None => format!("the budget of \"{task}\""),
    };
    let waits = match harm {
        Harm::Budget {
            section: Some(section),
            is_once: true,
            ..
        } => {
            let job = match locks {
                Some(locks) if *locks > 1 && *section * *locks < Duration::MAX => {
                    format!(", {} a job", *section * *locks)
                }
                _ => String::new(),
            };
            format!(
                "critical sections of {others} use up to {section} of {budget} each time \"{task}\" locks \
                 \"{mutex}\"{job}"
            )
        }
        Harm::Budget {
            section: Some(section),
            ..
        } => format!(
            "critical sections of {others} use {budget} while \"{task}\" waits for \"{mutex}\": up to {section} \
             each, and it is not known how many come first"
        ),
        Harm::Budget { section: None, .. } => format!(
            "critical sections of {others} use {budget} while \"{task}\" waits for \"{mutex}\", and it is not known \
             how much of it, as one lies inside of another or has no end"
        ),
        Harm::Wait { longest } => {
            let long = match longest {
                Some(longest) => format!("up to {longest} each time"),
                None => "and it is not known how long".to_owned(),
            };
            format!(
                "\"{task}\" waits for \"{mutex}\" while {others} may be without a budget in a critical \
                 section, {long}"
            )
        }
    };
    match harm {
        Harm::Budget { pauses: true, .. } => {
            format!("{waits}; it also waits while one suspends itself, waits or yields there.")
        }
        _ => format!("{waits}."),
    }
}

/// Names, as many as can be read.
fn quoted(names: &[String]) -> String {
    let shown = |names: &[String]| {
        let names: Vec<_> = names.iter().map(|name| format!("\"{name}\"")).collect();
        names.join(", ")
    };
    match names.get(..MOST_OWNERS) {
        Some(first) if names.len() > MOST_OWNERS => {
            format!("{} and {} more", shown(first), names.len() - MOST_OWNERS)
        }
        _ => shown(names),
    }
}

/// Which tasks are on which CPUs.
fn places(clusters: &[(Range<u8>, Vec<String>)]) -> String {
    let all: usize = clusters.iter().map(|(_, tasks)| tasks.len()).sum();
    let of = |(cpus, tasks): &(Range<u8>, Vec<String>)| {
        let tasks = match tasks.len() {
            0 => "none".to_owned(),
            1 if all > MOST_NAMES => "1 task".to_owned(),
            many if all > MOST_NAMES => format!("{many} tasks"),
            _ => tasks.join(", "),
        };
        match cpus.len() {
            1 => format!("CPU {}: {tasks}", cpus.start),
            _ => format!("CPUs {}–{}: {tasks}", cpus.start, cpus.end - 1),
        }
    };
    clusters.iter().map(of).collect::<Vec<_>>().join("; ")
}

fn split(task: &SplitNote) -> String {
    let subtask = |(wcet, window, cpu): &(Duration, Duration, usize)| {
        format!("{wcet} within {window} on CPU {cpu}")
    };
    let subtasks: Vec<_> = task.subtasks.iter().map(subtask).collect();
    format!("{} has {}", task.task, subtasks.join(", then "))
}

/// A length of time that a person can imagine.
fn years(length: Duration) -> String {
    const YEAR: u64 = 365 * 24 * 3600;
    let seconds = length.as_nanos() / 1_000_000_000;
    if seconds >= YEAR {
        format!("{} years", seconds / YEAR)
    } else if seconds >= 2 * 24 * 3600 {
        format!("{} days", seconds / (24 * 3600))
    } else if seconds >= 2 * 3600 {
        format!("{} hours", seconds / 3600)
    } else {
        length.to_string()
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}
