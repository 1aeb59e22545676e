//! Sentences: why results are what they are, as people read it.
//!
//! The values are those of [`flyball_study::reason`]. Sentences that are part of others come
//! without a full stop.

mod assessed;
mod notes;
mod numbers;

pub use assessed::{charged, no_policy, why_not};
pub use notes::note;
pub use numbers::{
    asks, busy, is_endless, margin, part_ppm, queues, share, speeds, tenths, utilisation,
    utilisation_of,
};

use flyball_analysis::{Reason, Response, Utilisation};
use flyball_model::End;
use flyball_study::StudyError;
use flyball_study::compare::Parting;
use flyball_study::reason::{Because, Doubt, Evidence, Obstacle, Seen, Uncovered};
use flyball_study::results::{Schedulable, Verdict};

/// Why a verdict is what it is, in whole sentences; nothing where that is not known.
pub fn verdict(verdict: &Verdict) -> String {
    let Some(evidence) = &verdict.evidence else {
        return String::new();
    };
    let text = if evidence.measured {
        of_a_machine(evidence, verdict.schedulable)
    } else {
        of_a_simulation(evidence, verdict.schedulable)
    };
    match &evidence.seen {
        Seen::Repeats { doubt: Some(doubt) } if verdict.schedulable == Schedulable::ExactTimes => {
            let doubt = self::doubt(doubt);
            format!("{text}. Where a job computes for less, another one might be late: {doubt}.")
        }
        _ => text + ".",
    }
}

fn of_a_simulation(evidence: &Evidence, concluded: Schedulable) -> String {
    let seen = self::seen(&evidence.seen);
    let theory = match &evidence.theory {
        Ok(theory) => theory,
        Err(obstacle) => return nothing_said(&evidence.seen, seen, obstacle),
    };
    let because = self::because(&theory.because);
    match (&evidence.seen, theory.holds) {
        (_, Some(true)) => because,
        (Seen::NoMiss { .. }, _) if concluded == Schedulable::Not => because,
        (Seen::NoMiss { .. }, _) => format!("{seen}. {because}"),
        (_, None) if matches!(theory.because, Because::Isolated(_)) => {
            format!("{seen}. {because}")
        }
        (_, None) => seen,
        (Seen::Repeats { .. }, Some(false)) => {
            format!("{seen}; with other phases it might miss: {because}")
        }
        (_, Some(false)) => format!("{because} (seen: {})", lower(&seen)),
    }
}

fn of_a_machine(evidence: &Evidence, concluded: Schedulable) -> String {
    let seen = self::seen(&evidence.seen) + " on the board";
    let theory = match &evidence.theory {
        Ok(theory) => theory,
        Err(obstacle) => return nothing_said(&evidence.seen, seen, obstacle),
    };
    let because = self::because(&theory.because);
    match (&evidence.seen, theory.holds) {
        (_, Some(true)) => format!(
            "{seen}. With a kernel whose work is free it would hold: {}",
            lower(&because)
        ),
        (Seen::NoMiss { .. }, _) if concluded == Schedulable::Not => format!("{because}. {seen}"),
        (Seen::NoMiss { .. }, _) | (_, Some(false)) => format!("{seen}. {because}"),
        (_, None) => seen,
    }
}

/// What was `seen`, and why theory says nothing.
fn nothing_said(what: &Seen, seen: String, obstacle: &Obstacle) -> String {
    let obstacle = self::obstacle(obstacle);
    match what {
        Seen::NoMiss { is_worst: true, .. } => {
            format!("{seen}, which proves nothing about the time after it. {obstacle}")
        }
        Seen::NoMiss { .. } => format!("{seen}. {obstacle}"),
        _ => seen,
    }
}

/// What was seen in a schedule.
fn seen(seen: &Seen) -> String {
    match seen {
        Seen::Miss { task, job, at } => {
            format!("Job {job} of \"{task}\" misses its deadline at {at}")
        }
        Seen::Glitch { end, queue, at } => match end {
            End::Source => format!("A source finds no room in queue \"{queue}\" at {at}"),
            End::Sink => format!("A sink finds too few messages in queue \"{queue}\" at {at}"),
        },
        Seen::Misses => "A deadline is missed".into(),
        Seen::Deadlock { task, mutex, at } => format!(
            "Deadlock at {at}: \"{task}\" waits for \"{mutex}\", whose owner waits for \"{task}\""
        ),
        Seen::Repeats { .. } => "The simulated schedule repeats itself without a miss".into(),
        Seen::NoMiss { length, is_worst } => {
            let but = if *is_worst {
                ""
            } else {
                ", but jobs may compute for longer than they did"
            };
            format!("No miss in {length}{but}")
        }
    }
}

/// Why a set may not hold with other times, behind a colon.
fn doubt(doubt: &Doubt) -> String {
    match doubt {
        Doubt::Policy => "the policy is not known to be sustainable".into(),
        Doubt::Sporadic(task) => format!("\"{task}\" may come later"),
        Doubt::Overheads => "the kernel's own work takes time".into(),
        Doubt::Does(task, what) => does(task, *what),
        Doubt::Overlap(task) => {
            format!("a job of \"{task}\" may have to wait for the one before it")
        }
    }
}

fn does(task: &str, what: Uncovered) -> String {
    let what = match what {
        Uncovered::Mutex => "uses a mutex",
        Uncovered::Overruns => "computes for another time than it declares",
        Uncovered::Suspends => "suspends itself",
        Uncovered::Semaphore => "uses a semaphore",
        Uncovered::Queue => "uses a queue",
        Uncovered::Yields => "yields",
        Uncovered::Between => "may arrive between the budgets of its server",
        Uncovered::Results => "has results, and its server comes later or earlier for them",
        Uncovered::Jitter => "has release jitter",
        Uncovered::Event => "is released by messages or signals",
        Uncovered::SomeCpus => "may run on some CPUs only",
    };
    format!("\"{task}\" {what}")
}

/// Why a test says what it says; nothing where none was asked.
fn because(because: &Because) -> String {
    match because {
        Because::Nothing => String::new(),
        Because::InTime => "Every task's longest response time is within its deadline".into(),
        Because::Demand => "In no interval do jobs ask for more than its length".into(),
        Because::DemandAndWindow => {
            "In each interval jobs leave as much time as a window is long".into()
        }
        Because::Served => {
            "Each server has its budgets by their deadlines, and that is enough for its tasks"
                .into()
        }
        Because::Isolated(tasks) => format!(
            "Whatever \"{}\" may do, the others meet their deadlines, as their servers have their budgets",
            tasks.join("\", \"")
        ),
        Because::DemandBeside => {
            "In no interval do jobs ask for more than is left of it beside a job that began before"
                .into()
        }
        Because::DemandOfParts => {
            "On no CPU do jobs and their parts ask for more than any interval has".into()
        }
        Because::AcceptedBy(tests) if tests.is_empty() => {
            "There is no task that has a deadline".into()
        }
        Because::AcceptedBy(tests) => format!(
            "Accepted by {}, so no deadline is ever missed",
            tests.join(", ")
        ),
        Because::Slots {
            quantum,
            cpus,
            rounded: false,
        } => format!(
            "In whole slots of {quantum} the tasks ask for no more than {}",
            all_cpus(*cpus)
        ),
        Because::Slots { quantum, cpus, .. } => format!(
            "The tasks ask for no more than {} even with execution times rounded up, and the time \
             for each job down, to whole slots of {quantum}",
            all_cpus(*cpus)
        ),
        Because::Test { says, task } => rejected(says, task.as_deref().unwrap_or("?")),
        Because::Own(words) => (*words).to_owned(),
        Because::Alone(task) => format!("\"{task}\" asks for more than a whole CPU"),
        Because::NoPartition => "However tasks are divided, some CPU does not hold its own".into(),
        Because::TooDense(cpus) => format!(
            "There is an interval in which the jobs ask for more than all of CPUs {}–{}",
            cpus.start,
            cpus.end - 1
        ),
        Because::Overload {
            utilisation,
            cpus: 1,
            ..
        } => too_much(utilisation),
        Because::Overload {
            utilisation,
            cpus,
            cluster,
        } => {
            let of = cluster.as_ref().map_or_else(String::new, |cluster| {
                format!(" on CPUs {}–{}", cluster.start, cluster.end - 1)
            });
            format!("The tasks{of} ask for {utilisation} of {cpus} CPUs")
        }
    }
}

/// Why a test of one CPU rejects its tasks, or cannot tell.
fn rejected(reason: &Reason, name: &str) -> String {
    match reason {
        Reason::Late {
            response: Response::Unbounded,
            ..
        } => format!("The response time of \"{name}\" grows without bound"),
        Reason::Late {
            response,
            deadline,
            blocking,
            ..
        } => {
            let blocked = if blocking.is_zero() {
                String::new()
            } else {
                format!(" (of which {blocking} blocking)")
            };
            format!("\"{name}\" can take {response}{blocked}, beyond its deadline of {deadline}")
        }
        Reason::Demand {
            interval,
            demand,
            blocking,
        } => {
            let beside = if blocking.is_zero() {
                String::new()
            } else {
                format!(", and a job that began before be in their way for {blocking}")
            };
            format!("Jobs can ask for {demand} in an interval of {interval}{beside}")
        }
        Reason::Window {
            interval,
            demand,
            window,
        } => format!(
            "Jobs can ask for {demand} in an interval of {interval}, which leaves less than a window of {window}"
        ),
        Reason::Overload { utilisation } => too_much(utilisation),
        other => upper(&other.to_string()),
    }
}

/// That a utilisation is above one.
fn too_much(utilisation: &Utilisation) -> String {
    let shown = utilisation.to_string();
    if shown == "1.0000" {
        "The tasks ask for a little more than the whole CPU".into()
    } else {
        format!("The tasks ask for {shown} of the CPU")
    }
}

fn all_cpus(cpus: u8) -> String {
    match cpus {
        1 => "the CPU".to_owned(),
        _ => format!("{cpus} CPUs"),
    }
}

/// Why theory has nothing to say.
pub fn obstacle(obstacle: &Obstacle) -> String {
    match obstacle {
        Obstacle::NoTest => "There is no exact test for this policy".into(),
        Obstacle::NotAsked => "No test was asked".into(),
        Obstacle::Overheads => "The tests do not count the overheads of the platform".into(),
        Obstacle::Tick => "The tests do not cover a periodic tick".into(),
        Obstacle::Endpoints => "The tests do not cover sources and sinks of queues".into(),
        Obstacle::Does(task, what) => format!("The tests do not cover that {}", does(task, *what)),
        Obstacle::SingleJob(task) => {
            format!("The tests do not cover the single job of \"{task}\"")
        }
        Obstacle::Background(task) => format!(
            "The tests do not cover \"{task}\", which has no period and may keep the CPU from tasks \
             that have one"
        ),
        Obstacle::MutexBeside(task) => {
            format!("The tests do not cover mutexes beside \"{task}\", which has no period")
        }
        Obstacle::MutexUnderEdf => "The tests do not cover mutexes under EDF".into(),
        Obstacle::NoProtocol(mutex) => {
            format!("Without a protocol, \"{mutex}\" can block without bound")
        }
        Obstacle::MutexAmongEquals => {
            "The test does not cover mutexes among equal priorities".into()
        }
        Obstacle::Nested(task) => {
            format!("The test does not cover the nested critical sections of \"{task}\"")
        }
        Obstacle::Blocking(error) => format!("The blocking times do not fit: {error}"),
        Obstacle::Invalid(task, error) => format!("The tests do not take \"{task}\": {error}"),
        Obstacle::Levels(error) => error.to_string(),
        Obstacle::GlobalOnSome => {
            "The tests for a queue of several CPUs are for tasks that may run on all of them".into()
        }
        Obstacle::GlobalInvalid(error) => {
            format!("The tests for a queue of several CPUs do not take the tasks: {error}")
        }
        Obstacle::NoneAccepts(None) => {
            "None of the policy's sufficient tests accepts the tasks".into()
        }
        Obstacle::NoneAccepts(Some(stop)) => {
            format!(
                "None of the policy's sufficient tests accepts the tasks, and one of them {stop}"
            )
        }
        Obstacle::FairOnce => "Fairness is for tasks that come again".into(),
        Obstacle::Slots { quantum, cpus } => format!(
            "Rounded to whole slots of {quantum}, execution times up and the time for each job \
             down, the tasks ask for more than {}, and fairness is proved for whole slots only",
            all_cpus(*cpus)
        ),
        Obstacle::NoPlace(task, None) => {
            format!("\"{task}\" could not be placed, whole or in parts")
        }
        Obstacle::NoPlace(task, Some(stop)) => {
            format!("No place is known for \"{task}\": a test of a CPU {stop}")
        }
        Obstacle::Own(words) => words.clone(),
        Obstacle::LateByTick(task, tick) => format!(
            "Jobs of \"{task}\" may be released a tick ({tick}) late, which leaves them no time"
        ),
    }
}

/// Why there is no study.
pub fn error(error: &StudyError) -> String {
    match error {
        StudyError::Contradiction {
            policy,
            analysis,
            simulation,
        } => format!(
            "analysis and simulation contradict each other under {policy}: {}, but {}. This is a \
             fault in Flyball; please report it with the task set",
            because(analysis),
            seen(simulation)
        ),
        error => error.to_string(),
    }
}

/// Why a measured schedule and its simulation part: a sentence.
pub const fn parting(reason: Parting) -> &'static str {
    match reason {
        Parting::Costs => {
            "The simulation charges the kernel's work by means. Where each entry of the kernel takes what it took on the \
             machine, the order is the same to the end."
        }
        Parting::Hair => {
            "By a hair: with computations and costs that are a few microseconds off, the simulation parts \
             in the same way."
        }
        Parting::OneEntry => {
            "The machine's kernel makes two releases in one entry, and decides once."
        }
        Parting::NoRoom => {
            "The machine has no room for another job that waits for earlier ones, and skips it."
        }
        Parting::LastCall => {
            "The last call of a job lets a more urgent task run; on the machine it does so before the job \
             ends."
        }
    }
}

/// A sentence as the second half of another one.
pub fn lower(sentence: &str) -> String {
    begun(sentence, str::make_ascii_lowercase)
}

/// The words of an analysis as a sentence.
fn upper(words: &str) -> String {
    begun(words, str::make_ascii_uppercase)
}

fn begun(text: &str, letter: fn(&mut str)) -> String {
    let mut text = text.to_owned();
    text.get_mut(..1).map(letter);
    text
}
