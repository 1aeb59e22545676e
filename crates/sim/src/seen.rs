//! A schedule that was seen on a machine, for a simulation to [follow](crate::Modes::following).
//!
//! A simulation charges the kernel's work by means. What an entry of a machine's kernel takes differs from
//! the mean by some hundred nanoseconds, and more where much is to be done; and where a job's call and an interrupt come nearer to each
//! other than such differences add up to, either may come first. A simulation that follows what was seen lets each entry
//! of the kernel begin, and each decision be over, when that was so on the machine, if its own instant is no more than the
//! *tolerance* away:
//!
//! ```text
//!  seen        call                 timer  dispatch
//!  ------------|--------------------|------|---------
//!  simulated     call            timer       dispatch        by means
//!  simulated   call                 timer  dispatch          following
//! ```
//!
//! A computation may be off by some more for each time that the kernel came between: the way into it and out of it is on no
//! account. Where a task goes on and it is known from its budget how much of that time it used, the kernel's entries
//! together take the rest.
//!
//! What happens in an entry, and which task is dispatched, it decides by itself. So if the events are the same then the
//! simulation explains all that the machine did; and if it is wrong about more than the kernel's costs, then the instants are too far
//! apart, or the events are other ones.

use flyball_trace::{CpuId, Duration, Event, Kind, Object, ServerId, TaskId, Time};
use std::collections::HashMap;

/// No entry takes that long that decides nothing; the budget was another task's.
const LONGEST: Duration = Duration::from_micros(20);

/// The entries of a machine's kernel, as a trace tells of them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Seen {
    /// By CPU, in order.
    cpus: Vec<(Vec<KernelEntry>, Vec<Stretch>)>,
    /// How far a simulated instant may be from the one that was seen.
    tolerance: Duration,
}

/// An entry of the kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct KernelEntry {
    pub(crate) began: Time,
    /// When it was decided which task runs; `None`: the task that ran went on.
    pub(crate) decided: Option<Time>,
    /// What happened first.
    pub(crate) first: Kind,
    /// Whether a queue holds more messages by that.
    pub(crate) rises: bool,
    /// What a task waited for that wakes by that.
    pub(crate) waited: Option<Object>,
}

/// A stretch of time in which a task ran on and it is known what of that it used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Stretch {
    pub(crate) from: Time,
    pub(crate) until: Time,
    /// What the kernel used.
    pub(crate) lost: Duration,
    /// Whether the kernel was entered but once.
    pub(crate) is_short: bool,
}

impl Seen {
    /// What events of a machine tell, in the order of time on each CPU. A simulation follows them where it is no
    /// more than `tolerance` away. O(events).
    pub fn new(events: &[Event], tolerance: Duration) -> Seen {
        let mut lanes: Vec<Lane> = Vec::new();
        let mut known = Known::default();
        for event in events {
            let cpu = event.cpu.index();
            if cpu >= lanes.len() {
                lanes.resize_with(cpu + 1, Lane::default);
            }
            lanes[cpu].see(event, &mut known);
        }
        Seen {
            cpus: lanes
                .into_iter()
                .map(|lane| (lane.entries, lane.stretches))
                .collect(),
            tolerance,
        }
    }

    /// What was seen of a CPU.
    pub(crate) fn of(&self, cpu: CpuId) -> (Vec<KernelEntry>, Vec<Stretch>) {
        self.cpus.get(cpu.index()).cloned().unwrap_or_default()
    }

    pub(crate) fn tolerance(&self) -> Duration {
        self.tolerance
    }
}

/// What earlier events have said.
#[derive(Default)]
struct Known {
    /// How many messages queues hold.
    levels: HashMap<u16, u16>,
    /// What tasks waited for when they blocked last.
    blocked: HashMap<TaskId, Object>,
    /// What servers had left of their budgets when that was said last.
    budgets: HashMap<ServerId, (Duration, Time)>,
}

/// What is seen of one CPU.
#[derive(Default)]
struct Lane {
    entries: Vec<KernelEntry>,
    stretches: Vec<Stretch>,
    /// Since when a task runs.
    since: Option<Time>,
    /// The first entry since then.
    first: usize,
    /// The event before this one gives a budget another value, whatever was used of it.
    sets: bool,
}

impl Lane {
    fn see(&mut self, event: &Event, known: &mut Known) {
        let now = event.time;
        let (mut rises, mut waited) = (false, None);
        match event.kind {
            // What a simulation says of itself, and what comes before the first entry.
            Kind::Overhead { .. } | Kind::Start { .. } => return,
            Kind::Dispatch { .. } | Kind::Idle => {
                match self.entries.last_mut() {
                    Some(last) if last.decided.is_none() => last.decided = Some(now),
                    _ => self.push(now, event.kind, Some(now), (false, None)),
                }
                self.since = (event.kind != Kind::Idle).then_some(now);
                self.first = self.entries.len();
                return;
            }
            Kind::Fill { queue, level } => {
                rises = known.levels.insert(queue, level).unwrap_or(0) < level;
            }
            Kind::Block { task, on, .. } => {
                known.blocked.insert(task, on);
            }
            Kind::Wake { task, .. } => waited = known.blocked.get(&task).copied(),
            _ => {}
        }
        let is_set = self.sets;
        self.sets = match event.kind {
            Kind::Reserve { .. } => true,
            Kind::Replenish { .. } => is_set,
            _ => false,
        };
        if self.entries.last().is_none_or(|last| last.began != now) {
            self.push(now, event.kind, None, (rises, waited));
        }
        let (server, left) = match event.kind {
            Kind::Budget { server, left } => (server, left),
            Kind::Exhaust { server } => (server, Duration::ZERO),
            _ => return,
        };
        if is_set && let Some((before, _)) = known.budgets.get_mut(&server) {
            *before = left;
            return;
        }
        let before = known.budgets.insert(server, (left, now));
        if let Some((before, told)) = before.filter(|&(before, _)| before >= left) {
            self.used(before.saturating_sub(left), told, now);
        }
    }

    fn push(
        &mut self,
        began: Time,
        first: Kind,
        decided: Option<Time>,
        (rises, waited): (bool, Option<Object>),
    ) {
        self.entries.push(KernelEntry {
            began,
            decided,
            first,
            rises,
            waited,
        });
    }

    /// The task that runs may have used so much of its budget from when that was told last until `now`. What it has not
    /// used while it ran, its kernel entries have taken.
    fn used(&mut self, used: Duration, told: Time, now: Time) {
        let Some(from) = self.since.map(|since| since.max(told)) else {
            return;
        };
        // But for the one that this was said in.
        let last = self.entries.len() - 1;
        let since = &self.entries[self.first.min(last)..last];
        let entries = since.len() - since.partition_point(|entry| entry.began < from);
        let lost = now.since(from).saturating_sub(used);
        if used <= now.since(from) && lost <= LONGEST * (1 + entries as u64) {
            self.stretches.push(Stretch {
                from,
                until: now,
                lost,
                is_short: entries == 1,
            });
        }
    }
}
