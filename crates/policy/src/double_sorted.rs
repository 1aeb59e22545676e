//! Double-sorted scheduling as a policy: each task has a group besides what its order asks for.
//!
//! `DoubleSorted<Ranked<O, Q>>` with a queue `Q` of [`queue`](crate::queue) that knows groups is the
//! policy `O`, and equals are served group by group. The policy and the queue do all of it; this only
//! hands on the group that a task comes with. With a table ([`Storage`]) it also keeps the operating
//! point that a task is to run at, and says so when the task is picked.
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

use crate::encode::Encode;
use crate::forward::forward;
use crate::group::{Group, MOST_GROUPS};
use crate::grouping::Grouping;
use crate::policy::{Dispatch, Parameter, Policy, Refused, Resched, Wants};
use crate::storage::{Nothing, Storage, Table};
use flyball_trace::{CpuId, Speed, TaskId, Time};

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

/// `P`, with a group for each task, and an operating point if there is a table for that in `S`.
#[repr(C)]
pub struct DoubleSorted<P, S: Storage = Nothing> {
    policy: P,
    /// The operating point of each member.
    speeds: S::Table<Speed>,
}

impl<P: Grouping> DoubleSorted<P> {
    /// The same policy, told of the groups of its members. Operating points are left alone.
    pub fn new(policy: P) -> DoubleSorted<P> {
        DoubleSorted::with_speeds(policy)
    }
}

impl<P: Grouping, S: Storage> DoubleSorted<P, S> {
    /// Whether it knows operating points.
    const SPEEDS: bool = size_of::<S::Table<Speed>>() > 0;

    /// The same policy, told of the groups of its members; it keeps their operating points in `S`.
    pub fn with_speeds(policy: P) -> DoubleSorted<P, S> {
        let speeds = Table::new(policy.capacity(), STAYS);
        DoubleSorted { policy, speeds }
    }

    fn keep(&mut self, task: TaskId, speed: Option<Speed>) {
        if let Some(kept) = self.speeds.find_mut(task.index()) {
            *kept = speed.unwrap_or(STAYS);
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
        self.policy.regroup(task, group, now)
    }

    fn group(&self, task: TaskId) -> Group {
        self.policy.group(task)
    }

    fn prefer(&mut self, cpu: CpuId, group: Group) {
        self.policy.prefer(cpu, group);
    }
}

impl<P: Grouping, S: Storage> Policy for DoubleSorted<P, S> {
    type Params = Grouped<P::Params>;
    type Settings = P::Settings;
    const WANTS: Wants = P::WANTS.and(Wants::SPEEDS.when(Self::SPEEDS));

    /// # Errors
    /// [`Refused::Invalid`] of [`Parameter::Other`] if there is no such group; else those of `P`.
    fn admit(&mut self, task: TaskId, params: Self::Params, now: Time) -> Result<(), Refused> {
        Self::check(params.group)?;
        self.policy.admit(task, params.params, now)?;
        self.keep(task, params.speed);
        // It is not queued yet, so no CPU has to look.
        let _ = self.policy.regroup(task, params.group, now);
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
        Ok(resched.and(self.policy.regroup(task, params.group, now)))
    }

    #[inline]
    fn pick(&mut self, cpu: CpuId, now: Time) -> Option<Dispatch> {
        let choice = self.policy.pick(cpu, now);
        if !Self::SPEEDS {
            return choice;
        }
        let choice = choice?;
        match self.speeds[choice.task.index()] {
            STAYS => Some(choice),
            speed => Some(choice.at(speed)),
        }
    }

    forward! {
        policy: capacity tune retire ready stopped ended counted takes_counts alarm next_alarm has_alarms
        released_cpu server_of budget compare inherit waits takes_waits
    }
}
