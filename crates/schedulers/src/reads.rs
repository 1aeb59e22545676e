//! What a policy reads from a task, found out by asking it: a policy reads what changes its answer.
//!
//! So nothing has to be declared, and what is said of a user's own policy is true, too.

use flyball_catalogue::settings::Defaults;
use flyball_catalogue::{Facts, Reserve, Service, Written};
use flyball_policy::i_plus_pi::Fraction;
use flyball_policy::servers::Reservation;
use flyball_policy::{Duration, Speed};

/// Something that a policy reads from a task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Read {
    /// Its key in a task set.
    pub key: &'static str,
    /// Whether the policy refuses a task without it.
    pub is_needed: bool,
}

/// Changes a task.
type Change = fn(&mut Facts);

/// The keys of a task set with what they say changed in some ways, and left out where that can be.
const KEYS: [(&str, &[Change], Option<Change>); 12] = [
    (
        "period",
        &[
            |task| task.period = Some(Duration::from_millis(5)),
            |task| task.period = Some(Duration::from_millis(20)),
        ],
        Some(|task| task.period = None),
    ),
    (
        "phase",
        &[|task| task.phase = Duration::from_micros(300)],
        None,
    ),
    (
        "deadline",
        &[|task| task.deadline = Some(Duration::from_millis(6))],
        Some(|task| task.deadline = None),
    ),
    ("wcet", &[|task| task.wcet = Duration::from_millis(3)], None),
    (
        "priority",
        &[|task| task.priority = Some(7)],
        Some(|task| task.priority = None),
    ),
    (
        "nice",
        &[|task| task.nice = Some(7)],
        Some(|task| task.nice = None),
    ),
    (
        "share",
        &[|task| task.share = Some(Fraction::percent(50))],
        Some(|task| task.share = None),
    ),
    (
        "reserve",
        &[
            |task| task.reserve = Some(reserve(Some(50), Some(5))),
            |task| task.reserve = Some(reserve(Some(50), None)),
            |task| task.reserve = Some(reserve(None, Some(5))),
        ],
        Some(|task| task.reserve = None),
    ),
    (
        "importance",
        &[|task| task.importance = Some(7)],
        Some(|task| task.importance = None),
    ),
    (
        "server",
        &[|task| {
            let reservation =
                Reservation::every(Duration::from_millis(9), Duration::from_millis(1));
            task.service = Service::Shared(0, reservation);
        }],
        None,
    ),
    ("group", &[|task| task.groups.number = 7], None),
    ("speed", &[|task| task.speed = Some(Speed(7))], None),
];

/// A reservation of so many hundredths of a CPU every so many milliseconds.
fn reserve(percent: Option<u32>, period: Option<u64>) -> Reserve {
    Reserve {
        share: percent.map(Fraction::percent),
        period: period.map(Duration::from_millis),
    }
}

/// Two tasks to begin with: one that says what share it needs, in both ways, and one that does not.
fn tasks() -> [Facts; 2] {
    let period = Duration::from_millis(10);
    let mut task = Facts::periodic(period, Duration::from_millis(2));
    task.deadline = Some(Duration::from_millis(8));
    task.priority = Some(3);
    task.importance = Some(2);
    let mut with_share = task;
    with_share.share = Some(Fraction::percent(25));
    with_share.reserve = Some(reserve(Some(25), Some(10)));
    [task, with_share]
}

/// What a task tells the policy, in the policy's own bytes; `None`: it refuses the task.
fn told(scheduler: &dyn Written, task: &Facts) -> Option<Vec<u8>> {
    let values = Defaults(scheduler.task_settings());
    let mut bytes = Vec::new();
    let put = &mut |more: &[u8]| bytes.extend_from_slice(more);
    scheduler.emit_params(task, &values, put).ok()?;
    Some(bytes)
}

/// What this policy reads from a task, by key.
pub fn reads(scheduler: &dyn Written) -> Vec<Read> {
    let read = |&(key, changes, without): &(&'static str, &[Change], Option<Change>)| {
        let answers = |change: &Change| {
            tasks().map(|task| {
                let mut changed = task;
                change(&mut changed);
                (told(scheduler, &task), told(scheduler, &changed))
            })
        };
        let is_needed = without
            .iter()
            .flat_map(answers)
            .any(|(with, without)| with.is_some() && without.is_none());
        let differs = changes.iter().chain(&without).flat_map(answers);
        let mut differs = differs.filter(|(before, after)| before != after);
        differs.next().map(|_| Read { key, is_needed })
    };
    KEYS.iter().filter_map(read).collect()
}
