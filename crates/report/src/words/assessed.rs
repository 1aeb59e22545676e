//! What the analyses say of one task set on several CPUs.

use super::{upper, utilisation_of};
use flyball_analysis::charged::{NoSet, Unmade};
use flyball_analysis::gedf::{Explanation, Set, Share};
use flyball_analysis::overheads::Unpayable;
use flyball_analysis::{Criterion, SporadicTask};
use flyball_model::TaskSet;
use flyball_study::assess::{Assessment, Said};
use flyball_study::reason::{ChargedWork, NoPolicy, WhyNot};
use flyball_trace::Duration;

/// The tests count in nanoseconds.
const UNIT: Duration = Duration::from_nanos(1);

/// The name of the task at a place among `tasks`, which are numbers of the set's.
fn name<'a>(set: &'a TaskSet, tasks: &[usize], place: usize) -> &'a str {
    let task = tasks.get(place).and_then(|&task| set.tasks.get(task));
    task.map_or("?", |task| &task.name)
}

/// Why no policy can hold `set`; `tasks` are those of [`Assessment::tasks`].
pub fn no_policy(why: &NoPolicy, tasks: &[usize], set: &TaskSet) -> String {
    match why {
        NoPolicy::Alone(task) => {
            format!(
                "\"{}\" cannot be in time even alone",
                name(set, tasks, *task)
            )
        }
        NoPolicy::Overload => format!("The tasks ask for {}", utilisation_of(set)),
        NoPolicy::Interval(Some(says)) => upper(&says.to_string()),
        NoPolicy::Interval(None) => {
            "There is an interval in which the jobs ask for more than all CPUs".into()
        }
    }
}

/// Which of the kernel's work is charged.
pub fn charged(work: ChargedWork) -> String {
    match work {
        ChargedWork::Nothing => "nothing".into(),
        ChargedWork::All => "all".into(),
        ChargedWork::AllBut(part) => format!("all but {part}"),
    }
}

/// Why a test does not accept `set`, if it does not.
pub fn why_not(said: &Said, found: &Assessment, set: &TaskSet) -> Option<String> {
    let name = |place: usize| name(set, &found.tasks, place);
    Some(match said.why.as_ref()? {
        WhyNot::Stopped(stop) => upper(&stop.to_string()),
        WhyNot::TooLong(task, times) => too_long(name(*task), times),
        WhyNot::NoSet(none) => no_set(*none, name),
        WhyNot::Explained(why) => explained(why, name, found),
        WhyNot::Overload => "A task by itself, or all together, ask for more than there is".into(),
        WhyNot::NotSure(task) => format!(
            "\"{}\" is not sure to be in time with the priorities of the file",
            name(*task)
        ),
        WhyNot::NoPriorities => {
            "There is a task that is not sure to be in time, whatever priorities are tried".into()
        }
        WhyNot::NoPartition => {
            "However tasks are divided, the test of some CPU rejects its own".into()
        }
        WhyNot::SlotsAndTicks => "That a tick delays slots is not covered".into(),
        WhyNot::Slots(slot) => format!(
            "In whole slots of {slot}, with the wait for the first one, the tasks ask for more than \
             there is"
        ),
        WhyNot::NoRoom(task, times) => {
            let needs = times.map_or_else(String::new, |times| needs(&times, found.is_charged));
            let name = name(*task);
            match said.criterion {
                Criterion::Clustered(_) => {
                    format!("No cluster has room for \"{name}\"{needs} when its turn comes")
                }
                Criterion::EdfWm | Criterion::CEqualsD => {
                    format!("No CPU has room for \"{name}\"{needs}, and it cannot be split")
                }
                _ => format!("No CPU has room for \"{name}\"{needs} when its turn comes"),
            }
        }
    })
}

/// What a task asks for, in brackets.
fn needs(task: &SporadicTask, is_charged: bool) -> String {
    let work = if is_charged {
        ", the kernel's work included"
    } else {
        ""
    };
    let within = if task.deadline() == task.period() {
        String::new()
    } else {
        format!(" within {}", task.deadline())
    };
    format!(" ({}{within} every {}{work})", task.wcet(), task.period())
}

/// Of tasks that cannot pay for the kernel's work, or have times that a test does not count.
fn no_set<'a>(none: NoSet, name: impl Fn(usize) -> &'a str) -> String {
    match none {
        NoSet::Unmade(Unmade::Unpriced) => "It is not known what the kernel's work costs".into(),
        NoSet::Unmade(Unmade::Unpayable(why)) => match why {
            Unpayable::NothingLeft => "The kernel's own work leaves nothing of a CPU".into(),
            Unpayable::NoTime { task } => format!(
                "The kernel's own work leaves nothing of the period or of the deadline of \"{}\"",
                name(task)
            ),
            Unpayable::TooLong { task } => format!(
                "\"{}\" cannot be in time even alone with the kernel's work",
                name(task)
            ),
        },
        NoSet::Jitter { task } => format!(
            "\"{}\" has release jitter, which this test knows nothing of",
            name(task)
        ),
        NoSet::TooLong { task } => format!(
            "\"{}\" has a time that is longer than this test counts",
            name(task)
        ),
    }
}

/// Of a task with a time that is longer than a test counts, with what it pays.
fn too_long(name: &str, task: &SporadicTask) -> String {
    let times = [
        ("period", task.period()),
        ("deadline", task.deadline()),
        ("execution time", task.wcet()),
    ];
    let most = UNIT * Set::LONGEST;
    let is_long = |(_, time): &&(&str, Duration)| *time >= most;
    match times.iter().find(is_long) {
        Some((what, time)) => {
            format!("The {what} of \"{name}\", {time}, is beyond the {most} that this test counts")
        }
        None => format!(
            "With the kernel's work \"{name}\" takes longer than the {most} that this test counts"
        ),
    }
}

fn cpus(count: u32) -> String {
    match count {
        1 => "1 CPU".to_owned(),
        _ => format!("{count} CPUs"),
    }
}

/// Why a test of global EDF does not accept a set.
fn explained<'a>(why: &Explanation, name: impl Fn(usize) -> &'a str, found: &Assessment) -> String {
    match *why {
        Explanation::LateDeadline(task) => format!(
            "The deadline of \"{}\" is beyond its period, which the test is not about",
            name(task)
        ),
        Explanation::TooLong(task) => {
            let with = if found.is_charged {
                " with the kernel's work"
            } else {
                ""
            };
            format!("\"{}\" cannot be in time even alone{with}", name(task))
        }
        Explanation::NoBound(task) => format!(
            "For \"{}\" no response time within its deadline can be proven",
            name(task)
        ),
        Explanation::OneCpu => "The test is for two CPUs or more".into(),
        Explanation::Share { what, share, bound } => {
            let accepted = match bound {
                ..0.00005 => "none is accepted".to_owned(),
                _ => format!("{bound:.4} is accepted"),
            };
            match what {
                Share::Utilisation if share <= bound => format!(
                    "The tasks ask for all of {}, and the test needs some to spare",
                    cpus(found.cpus)
                ),
                Share::Utilisation => {
                    format!("The tasks ask for {share:.4} of {}", cpus(found.cpus))
                }
                Share::Densities => format!("The densities add up to {share:.4}, and {accepted}"),
                Share::Load => format!("The load is {share:.4}, and {accepted}"),
                Share::LargestDensity => {
                    format!("The largest density is {share:.4}, and {accepted}")
                }
            }
        }
        Explanation::Window {
            task,
            own,
            interval,
            work,
            room,
        } => {
            let who = if own { "jobs" } else { "others" };
            let window = UNIT * interval;
            // Some tests accept only what is less than there is room for.
            let less = if work <= room { "less than " } else { "" };
            let (wanted, room_shown) = (rounded(work), rounded(room));
            let more = if wanted == room_shown && work > room {
                "a little more than "
            } else {
                ""
            };
            let accepted = format!("{less}{room_shown} is accepted");
            let work = format!("{more}{wanted}");
            match task {
                Some(task) => format!(
                    "\"{}\": in {window} up to its deadline {who} may want {work}, and {accepted}",
                    name(task)
                ),
                None => format!("In {window} {who} may want {work}, and {accepted}"),
            }
        }
        Explanation::Stopped(stop) => upper(&stop.to_string()),
    }
}

/// A time of five digits, since a person compares sizes.
fn rounded(units: u128) -> String {
    let digits = units.checked_ilog10().map_or(1, |log| log + 1);
    let unit = 10_u128.pow(digits.saturating_sub(5));
    let units = (units + unit / 2) / unit * unit;
    u64::try_from(units).map_or_else(
        |_| "more than 584 years".into(),
        |units| (UNIT * units).to_string(),
    )
}
