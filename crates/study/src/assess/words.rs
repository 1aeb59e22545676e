//! Reasons, in words.

use super::UNIT;
use flyball_analysis::charged::{NoSet, Unmade};
use flyball_analysis::gedf::{Explanation, Set, Share};
use flyball_analysis::overheads::Unpayable;
use flyball_analysis::{Criterion, SporadicTask};
use flyball_trace::Duration;

/// Of tasks that cannot pay for the kernel's work, or have times that a test does not count.
pub(super) fn no_set(none: NoSet, names: &[&str]) -> String {
    match none {
        NoSet::Unmade(Unmade::Unpriced) => "It is not known what the kernel's work costs".into(),
        NoSet::Unmade(Unmade::Unpayable(why)) => match why {
            Unpayable::NothingLeft => "The kernel's own work leaves nothing of a CPU".into(),
            Unpayable::NoTime { task } => format!(
                "The kernel's own work leaves nothing of the period or of the deadline of \"{}\"",
                names[task]
            ),
            Unpayable::TooLong { task } => format!(
                "\"{}\" cannot be in time even alone with the kernel's work",
                names[task]
            ),
        },
        NoSet::TooLong { task } => format!(
            "\"{}\" has a time that is longer than this test counts",
            names[task]
        ),
    }
}

/// Of a task with a time that is longer than a test counts, with what it pays.
pub(super) fn too_long(name: &str, task: &SporadicTask) -> String {
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

pub(super) fn cpus(count: u32) -> String {
    match count {
        1 => "1 CPU".to_owned(),
        _ => format!("{count} CPUs"),
    }
}

/// Of fixed priorities that are not given.
pub(super) const NO_PRIORITIES: &str =
    "There is a task that is not sure to be in time, whatever priorities are tried";

/// Of sets that the tests do not take.
pub(super) const TOO_MUCH: &str = "A task by itself, or all together, ask for more than there is";

/// Of chosen ones.
pub(super) fn not_sure(name: &str) -> String {
    format!("\"{name}\" is not sure to be in time with the priorities of the file")
}

/// Of PD² with a tick.
pub(super) const SLOTS_AND_TICKS: &str = "That a tick delays slots is not covered";

/// Of PD².
pub(super) fn slots(slot: Duration) -> String {
    format!(
        "In whole slots of {slot}, with the wait for the first one, the tasks ask for more than there is"
    )
}

/// Of policies that divide the tasks. `task`: with what it pays for alone.
pub(super) fn no_room(
    criterion: Criterion,
    name: &str,
    task: Option<&SporadicTask>,
    is_charged: bool,
) -> String {
    let needs = task.map_or_else(String::new, |task| {
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
    });
    match criterion {
        Criterion::Clustered(_) => {
            format!("No cluster has room for \"{name}\"{needs} when its turn comes")
        }
        Criterion::EdfWm | Criterion::CEqualsD => {
            format!("No CPU has room for \"{name}\"{needs}, and it cannot be split")
        }
        _ => format!("No CPU has room for \"{name}\"{needs} when its turn comes"),
    }
}

/// Why a test of global EDF does not accept a set.
pub(super) fn why(reason: &Explanation, names: &[&str], cpus: u32, is_charged: bool) -> String {
    let name = |task: usize| names.get(task).copied().unwrap_or("?");
    match *reason {
        Explanation::LateDeadline(task) => format!(
            "The deadline of \"{}\" is beyond its period, which the test is not about",
            name(task)
        ),
        Explanation::TooLong(task) => {
            let with = if is_charged {
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
                    self::cpus(cpus)
                ),
                Share::Utilisation => {
                    format!("The tasks ask for {share:.4} of {}", self::cpus(cpus))
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
        Explanation::Stopped(stop) => sentence(&stop.to_string()),
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

/// With a capital letter.
pub(super) fn sentence(text: &str) -> String {
    let mut text = text.to_owned();
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}
