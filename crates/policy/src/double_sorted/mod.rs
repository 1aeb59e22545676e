//! Double-sorted scheduling as a policy: each task has a group besides what its order asks for.
//!
//! `DoubleSorted<Ranked<O, Q>>` with a queue `Q` of [`queue`](crate::queue) that knows groups is the
//! policy `O`, and equals are served group by group. The policy and the queue do all of it; this only
//! hands on the group that a task comes with. With a table ([`Storage`]) it also keeps the operating
//! point that a task is to run at, and says so when the task is picked; and groups may be joined and
//! parted while it runs ([`Sorts`]).
//!
//! ```
//! use flyball_policy::order::Level;
//! use flyball_policy::{
//!     Costs, DoubleSorted, FixedPriority, Inline, Kept, Ranked, StrictLists, Visits,
//! };
//!
//! // Fixed priorities from 0 to 31 for up to 16 tasks, in two groups, of which the second is dear
//! // to reach.
//! type Policy = DoubleSorted<Ranked<FixedPriority, StrictLists<Level, Inline<16>, 1, 2>>>;
//! let costs = Costs::new(&[[0, 1_000], [800, 0]]).unwrap();
//! let queue = StrictLists::with(16, Visits::cheapest(&costs, Kept::ALL));
//! let policy = Policy::new(Ranked::with_queue(FixedPriority, queue));
//! ```
//!
//! Source: see [`queue`](crate::queue) and [`costs`](crate::costs).

mod sorts;

pub use sorts::Sorts;

use crate::encode::Encode;
use crate::forward::forward;
use crate::group::{Group, MOST_GROUPS};
use crate::grouping::Grouping;
use crate::policy::{Dispatch, Parameter, Policy, Ready, Refused, Resched, Stop, Usage, Wants};
use crate::storage::{Nothing, Storage, Table};
use flyball_trace::{CpuId, Speed, TaskId, Time};
use sorts::Serving;

/// What a task tells a double-sorted policy.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Grouped<P> {
    /// What it tells the policy in it.
    pub params: P,
    /// Its group, below [`MOST_GROUPS`].
    pub group: Group,
    /// The operating point that the CPU is to run at with it; `None`: it stays where it is.
    pub speed: Option<Speed>,
}

impl<P: Encode> Encode for Grouped<P> {
    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        self.params.emit(put);
        (self.group.0, self.speed.unwrap_or(STAYS).0).emit(put);
    }

    fn parse(bytes: &mut &[u8]) -> Option<Grouped<P>> {
        let (params, group, speed) = <(P, u8, u8)>::parse(bytes)?;
        let group = Group(group);
        let speed = Some(Speed(speed)).filter(|&speed| speed != STAYS);
        (group.index() < MOST_GROUPS).then_some(Grouped {
            params,
            group,
            speed,
        })
    }
}

/// In place of an operating point: the CPU stays where it is.
const STAYS: Speed = Speed(u8::MAX);

/// What is tuned of a double-sorted policy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tune<T> {
    /// The policy in it.
    Within(T),
    /// How far groups are told apart.
    Sorts(Sorts),
}

/// `P`, with a group for each task, and an operating point if there is a table for that in `S`.
#[repr(C)]
pub struct DoubleSorted<P, S: Storage = Nothing> {
    policy: P,
    rows: S::Table<Row>,
    serving: Serving,
}

/// What is kept of a task.
#[derive(Clone, Copy)]
struct Row {
    /// Its own group; `None`: it is no member.
    group: Option<Group>,
    /// Its operating point.
    speed: Speed,
}

impl<P: Grouping> DoubleSorted<P> {
    /// The same policy, told of the groups of its members. Operating points are left alone, and groups are
    /// always told apart.
    pub fn new(policy: P) -> DoubleSorted<P> {
        DoubleSorted::sorting(policy, Sorts::ALWAYS)
    }
}

impl<P: Grouping, S: Storage> DoubleSorted<P, S> {
    /// Whether it has a table.
    const KNOWS: bool = size_of::<S::Table<Row>>() > 0;

    /// The same policy, told of the groups of its members; it keeps them and their operating points in `S`.
    /// Without a table groups are always told apart.
    pub fn sorting(policy: P, sorts: Sorts) -> DoubleSorted<P, S> {
        let row = Row {
            group: None,
            speed: STAYS,
        };
        DoubleSorted {
            rows: Table::new(policy.capacity(), row),
            policy,
            serving: Serving::new(sorts),
        }
    }

    fn keep(&mut self, task: TaskId, speed: Option<Speed>) {
        if let Some(row) = self.rows.find_mut(task.index()) {
            row.speed = speed.unwrap_or(STAYS);
        }
    }

    /// From now on the member is in this group.
    fn place(&mut self, task: TaskId, group: Group, now: Time) -> Resched {
        let Some(row) = self.rows.find_mut(task.index()) else {
            return self.policy.regroup(task, group, now);
        };
        let from = row.group.replace(group);
        if self.serving.moved(from, Some(group)) {
            self.serve_all(now)
        } else {
            let served = self.serving.queued(group);
            self.policy.regroup(task, served, now)
        }
    }

    /// Regroups all members. O(capacity), and as often what the policy within takes to regroup a task.
    #[inline(never)]
    fn serve_all(&mut self, now: Time) -> Resched {
        let mut resched = Resched::None;
        for place in 0..self.rows.capacity() {
            if let Some(group) = self.rows[place].group {
                let (task, served) = (TaskId::from_index(place), self.serving.queued(group));
                resched = resched.and(self.policy.regroup(task, served, now));
            }
        }
        resched
    }

    /// A task comes behind its equals.
    #[inline]
    fn came(&mut self, task: TaskId, now: Time) -> Resched {
        let row = self.rows.find(task.index());
        match row.and_then(|row| row.group) {
            Some(group) if self.serving.came(group) => self.serve_all(now),
            _ => Resched::None,
        }
    }

    fn check(group: Group) -> Result<(), Refused> {
        if group.index() < MOST_GROUPS {
            Ok(())
        } else {
            Err(Refused::Invalid(Parameter::Other))
        }
    }
}

impl<P: Grouping, S: Storage> Grouping for DoubleSorted<P, S> {
    fn regroup(&mut self, task: TaskId, group: Group, now: Time) -> Resched {
        self.place(task, group, now)
    }

    /// The group in which it is served.
    fn group(&self, task: TaskId) -> Group {
        let row = self.rows.find(task.index());
        let own = row.and_then(|row| row.group);
        own.map_or_else(|| self.policy.group(task), |own| self.serving.serves(own))
    }

    fn prefer(&mut self, cpu: CpuId, group: Group) {
        self.policy.prefer(cpu, self.serving.queued(group));
    }
}

impl<P: Grouping, S: Storage> Policy for DoubleSorted<P, S> {
    type Params = Grouped<P::Params>;
    type Settings = Tune<P::Settings>;
    const WANTS: Wants = P::WANTS.and(Wants::SPEEDS.when(Self::KNOWS));

    /// # Errors
    /// [`Refused::Invalid`] of [`Parameter::Other`] if there is no such group; else those of `P`.
    fn admit(&mut self, task: TaskId, params: Self::Params, now: Time) -> Result<(), Refused> {
        Self::check(params.group)?;
        self.policy.admit(task, params.params, now)?;
        self.keep(task, params.speed);
        // It is not queued yet, and its equals may be served in another order from the next choice on.
        let _ = self.place(task, params.group, now);
        Ok(())
    }

    /// # Errors
    /// As [`DoubleSorted::admit`](Policy::admit).
    fn adjust(
        &mut self,
        task: TaskId,
        params: Self::Params,
        now: Time,
    ) -> Result<Resched, Refused> {
        Self::check(params.group)?;
        let resched = self.policy.adjust(task, params.params, now)?;
        self.keep(task, params.speed);
        Ok(resched.and(self.place(task, params.group, now)))
    }

    /// How far groups are told apart changes at once, in O(tasks).
    ///
    /// # Errors
    /// [`Refused::Fixed`] if groups are to be told apart in another way and there is no table; else those of
    /// `P`.
    fn tune(&mut self, settings: Tune<P::Settings>, now: Time) -> Result<Resched, Refused> {
        match settings {
            Tune::Within(settings) => self.policy.tune(settings, now),
            Tune::Sorts(_) if !Self::KNOWS => Err(Refused::Fixed),
            Tune::Sorts(sorts) if self.serving.tune(sorts) => Ok(self.serve_all(now)),
            Tune::Sorts(_) => Ok(Resched::None),
        }
    }

    fn retire(&mut self, task: TaskId, now: Time) {
        self.policy.retire(task, now);
        let row = self.rows.find_mut(task.index());
        let from = row.and_then(|row| row.group.take());
        if from.is_some() && self.serving.moved(from, None) {
            // As when one is admitted.
            let _ = self.serve_all(now);
        }
    }

    #[inline]
    fn ready(&mut self, here: CpuId, task: TaskId, why: Ready, now: Time) -> Resched {
        let resched = self.policy.ready(here, task, why, now);
        resched.and(self.came(task, now))
    }

    #[inline]
    fn stopped(&mut self, cpu: CpuId, task: TaskId, used: Usage, why: Stop, now: Time) -> Resched {
        let resched = self.policy.stopped(cpu, task, used, why, now);
        match why {
            Stop::BurstEnd | Stop::Yielded => resched.and(self.came(task, now)),
            Stop::Blocked | Stop::Completed | Stop::Preempted => resched,
        }
    }

    #[inline]
    fn pick(&mut self, cpu: CpuId, now: Time) -> Option<Dispatch> {
        let choice = self.policy.pick(cpu, now);
        if !Self::KNOWS {
            return choice;
        }
        let choice = choice?;
        match self.rows[choice.task.index()].speed {
            STAYS => Some(choice),
            speed => Some(choice.at(speed)),
        }
    }

    forward! {
        policy: capacity control ended counted takes_counts alarm next_alarm has_alarms
        released_cpu server_of budget compare inherit waits takes_waits
    }
}
