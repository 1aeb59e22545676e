//! Reasons, in words.

use super::UNIT;
use flyball_analysis::Criterion;
use flyball_analysis::gedf::{Explanation, Share};
use flyball_trace::Duration;

/// A set with overheads that take all there is.
pub(super) const NOTHING_LEFT: &str = "The kernel's own work leaves nothing of a CPU";

pub(super) fn cpus(count: u32) -> String {
    match count {
        1 => "1 CPU".to_owned(),
        _ => format!("{count} CPUs"),
    }
}

/// Why a test does not accept a set, where nothing is known in numbers.
pub(super) const fn why_not(criterion: Criterion) -> &'static str {
    match criterion {
        Criterion::GlobalFixed(_) => {
            "There is a task that is not sure to be in time, whatever priorities are tried"
        }
        Criterion::PartitionedFixed(_) => {
            "There is a task that no CPU has room for when its turn comes"
        }
        Criterion::Clustered(_) => {
            "There is a task that no cluster has room for when its turn comes"
        }
        Criterion::EdfWm | Criterion::CEqualsD => {
            "There is a task that no CPU has room for, and that cannot be split"
        }
        Criterion::Fair => "In whole slots of 1ms the tasks ask for more than there is",
        Criterion::Global(_) | Criterion::Partitioned(_) => "",
    }
}

/// Why a test of global EDF does not accept a set.
pub(super) fn why(reason: &Explanation, names: &[&str], cpus: u32) -> String {
    let name = |task: usize| names.get(task).copied().unwrap_or("?");
    match *reason {
        Explanation::LateDeadline(task) => format!(
            "The deadline of \"{}\" is beyond its period, which the test is not about",
            name(task)
        ),
        Explanation::TooLong(task) => {
            format!("\"{}\" cannot be in time even alone", name(task))
        }
        Explanation::NoBound(task) => format!(
            "For \"{}\" no response time within its deadline can be proven",
            name(task)
        ),
        Explanation::OneCpu => "The test is for two CPUs or more".into(),
        Explanation::Share { what, share, bound } => match what {
            Share::Utilisation => format!("The tasks ask for {share:.4} of {}", self::cpus(cpus)),
            Share::Densities => {
                format!("The densities add up to {share:.4}, and {bound:.4} is accepted")
            }
            Share::Load => format!("The load is {share:.4}, and {bound:.4} is accepted"),
            Share::LargestDensity => {
                format!("The largest density is {share:.4}, and {bound:.4} is accepted")
            }
        },
        Explanation::Window {
            task: Some(task),
            interval,
            work,
            room,
        } => format!(
            "\"{}\": in {} up to its deadline others may want {}, and {} is accepted",
            name(task),
            UNIT * interval,
            rounded(work, u128::div_ceil),
            rounded(room, |a, b| a / b)
        ),
        Explanation::Window {
            task: None,
            interval,
            work,
            room,
        } => format!(
            "In {} jobs may want {}, and {} is accepted",
            UNIT * interval,
            rounded(work, u128::div_ceil),
            rounded(room, |a, b| a / b)
        ),
        Explanation::Stopped(stop) => sentence(&stop.to_string()),
    }
}

/// A time of five digits, since a person compares sizes.
fn rounded(units: u128, divide: fn(u128, u128) -> u128) -> Duration {
    let digits = units.checked_ilog10().map_or(1, |log| log + 1);
    let unit = 10_u128.pow(digits.saturating_sub(5));
    let units = divide(units, unit) * unit;
    u64::try_from(units).map_or(Duration::MAX, |units| UNIT * units)
}

/// With a capital letter.
pub(super) fn sentence(text: &str) -> String {
    let mut text = text.to_owned();
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}
