//! Quantities, in the one form that they have on pages and terminals.

use flyball_analysis::{SporadicTask, Utilisation};
use flyball_model::{Step, Task, TaskSet};
use flyball_study::results::{Breakdown, Simulated, SpeedUse};
use flyball_trace::Duration;
use flyball_trace::metrics::{PathSummary, Summary};

/// The part of a CPU that a task asks for; `None`: it does not come again, or its times are too
/// long to count.
pub fn share(task: &Task) -> Option<Utilisation> {
    let period = task.arrival.period()?;
    let task = SporadicTask::new(task.wcet, period, period).ok()?;
    Some(Utilisation::of(&[task]))
}

/// What all tasks that come again ask for together, in CPUs.
pub fn utilisation(set: &TaskSet) -> Utilisation {
    let known = set.tasks.iter().filter_map(|task| {
        let period = task.arrival.period()?;
        SporadicTask::new(task.wcet, period, period).ok()
    });
    Utilisation::of(&known.collect::<Vec<_>>())
}

/// The same, and of how many CPUs: `0.8501 of 1 CPU`.
pub fn utilisation_of(set: &TaskSet) -> String {
    format!("{} of {}", utilisation(set), cpus(set.platform.cpus))
}

/// Whether a task goes on without end, so that what it asks for has to be measured.
pub fn is_endless(task: &Task) -> bool {
    let goes_on = |step: &Step| matches!(step, Step::Repeat { times: None, .. });
    task.wcet == Duration::MAX || task.behaviour.iter().any(goes_on)
}

/// The names of the queues of a path.
pub fn queues<'s>(path: &'s PathSummary, set: &'s TaskSet) -> impl Iterator<Item = &'s str> {
    let queues = path.queues.iter();
    queues.filter_map(|&queue| Some(&*set.queues.get(usize::from(queue))?.name))
}

/// What the tasks of a set ask for: `utilisation 0.8501 of 1 CPU`. What tasks ask for that go on without end
/// has to be measured, and tasks that come once ask for nothing again.
pub fn asks(set: &TaskSet) -> String {
    let endless = set.tasks.iter().filter(|task| is_endless(task));
    let comes_again = set.tasks.iter().any(|task| task.arrival.period().is_some());
    match (endless.count(), comes_again) {
        (0, false) if !set.tasks.is_empty() => {
            format!("one job each on {}", cpus(set.platform.cpus))
        }
        (0, _) => format!("utilisation {}", utilisation_of(set)),
        (_, true) => format!("utilisation {} and endless tasks", utilisation_of(set)),
        (_, false) => format!("endless tasks on {}", cpus(set.platform.cpus)),
    }
}

/// In how much of the time the CPUs worked for tasks: `CPU 85.0 % busy`.
pub fn busy(summary: &Summary) -> String {
    let percent = tenths(summary.utilisation_ppm());
    match summary.cpus.len() {
        0 | 1 => format!("CPU {percent} busy"),
        all => format!("all {all} CPUs {percent} busy"),
    }
}

/// How often CPUs went over to another operating point, and what energy all took: `12 changes of
/// speed (6.1 % of context switches, 0.2 % of the time), 1.234 J (1.500 J with idling)`.
pub fn speeds(used: &SpeedUse, simulated: &Simulated) -> String {
    let adjustments = used.adjustments();
    let changes = match adjustments {
        0 => "no change of speed".to_owned(),
        1 => "1 change of speed".to_owned(),
        _ => format!("{adjustments} changes of speed"),
    };
    let energy = used
        .energy()
        .map(|(busy, all)| format!(", {busy} ({all} with idling)"));
    let energy = energy.unwrap_or_default();
    if adjustments == 0 {
        return changes + &energy;
    }
    let switches = simulated.context_switches.max(1);
    let part = adjustments.saturating_mul(1_000_000) / switches;
    let changing: Duration = used.cpus.iter().map(|cpu| cpu.changing).sum();
    let all: Duration = used.cpus.iter().flat_map(|cpu| &cpu.at).copied().sum();
    let (part, time) = (tenths(part), tenths(part_ppm(changing, all)));
    format!("{changes} ({part} of context switches, {time} of the time){energy}")
}

/// Which part of `all` this is, in millionths, rounded down; 0 if that is nothing.
pub fn part_ppm(time: Duration, all: Duration) -> u64 {
    let millionths = u128::from(time.as_nanos()) * 1_000_000;
    let part = millionths.checked_div(all.as_nanos().into());
    part.and_then(|ppm| u64::try_from(ppm).ok()).unwrap_or(0)
}

/// The margin: by how much all worst-case execution times together may grow, or have to shrink, in
/// per cent of what they are. What is not known is said.
pub fn margin(breakdown: Option<Breakdown>) -> String {
    let Some(Breakdown {
        factor_ppm,
        at_least,
        ..
    }) = breakdown
    else {
        return "–".into();
    };
    if factor_ppm >= 1_000_000 {
        let more = if at_least { " or more" } else { "" };
        format!("+{}{more}", tenths(factor_ppm - 1_000_000))
    } else {
        // Rounded up: shrinking by this much is enough.
        let shrink = tenths((1_000_000 - factor_ppm).next_multiple_of(1_000));
        let less = if at_least { " or less" } else { "" };
        format!("−{shrink}{less}")
    }
}

/// Millionths as per cent with a tenth, rounded down.
pub fn tenths(ppm: u64) -> String {
    format!("{}.{} %", ppm / 10_000, ppm / 1_000 % 10)
}

/// `1 CPU`, `2 CPUs`.
fn cpus(count: u8) -> String {
    match count {
        1 => "1 CPU".into(),
        _ => format!("{count} CPUs"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn margins_are_safe_and_say_what_is_not_known() {
        let of = |factor_ppm, at_least| {
            margin(Some(Breakdown {
                factor_ppm,
                utilisation_ppm: 0,
                at_least,
            }))
        };
        let factor = |factor_ppm| of(factor_ppm, false);
        assert_eq!(factor(1_176_470), "+17.6 %");
        assert_eq!(factor(1_000_000), "+0.0 %");
        assert_eq!(factor(999_999), "−0.1 %");
        assert_eq!(of(1_176_470, true), "+17.6 % or more");
        assert_eq!(of(999_999, true), "−0.1 % or less");
        assert_eq!(margin(None), "–");
    }

    #[test]
    fn utilisation_says_of_how_many_cpus() {
        let mut set = TaskSet::default();
        let ms = flyball_trace::Duration::from_millis;
        set.tasks.push(Task::periodic("a", ms(4), ms(3)));
        assert_eq!(utilisation_of(&set), "0.7500 of 1 CPU");
        set.platform.cpus = 4;
        set.tasks.push(Task::periodic("b", ms(4), ms(3)));
        assert_eq!(utilisation_of(&set), "1.5000 of 4 CPUs");
    }

    #[test]
    fn tasks_that_do_not_come_again_have_no_utilisation() {
        let mut set = TaskSet::default();
        let ms = flyball_trace::Duration::from_millis;
        let mut task = Task::periodic("a", ms(4), ms(3));
        task.arrival = flyball_model::Arrival::Once;
        set.tasks.push(task.clone());
        assert_eq!(asks(&set), "one job each on 1 CPU");
        // It suspends for ever, so it computes for no time.
        task.behaviour = vec![Step::Repeat {
            times: None,
            body: vec![Step::Suspend(flyball_model::Length::Fixed(ms(1)))],
        }];
        set.tasks = vec![task];
        assert_eq!(asks(&set), "endless tasks on 1 CPU");
    }
}
