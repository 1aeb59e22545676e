//! Process cruise control: each task runs at the slowest operating point at which it loses little.
//!
//! A task that waits for memory most of its time is hardly slower at a low frequency, and takes less
//! power there. Which tasks do so the processor's counters tell: how many requests to memory there are for how many
//! instructions. [`Cruise`] reads them whenever a task stops, looks up the slowest point
//! that fits ([`Domains`]), and has the CPU run there whenever the task is picked.
//!
//! ```text
//!  counters --counted--> part in which it computes --learn--> its average --slowest--> its point --at--> CPU
//!                                                                              `-----> its group in the policy within
//! ```
//!
//! The policy within is any. If it takes notice of groups, equals are served point by point, so that
//! points change seldom: double-sorted scheduling.
//!
//! * A task begins at the fastest point, and leaves it with its first reading.
//! * **Average**: a reading counts for a quarter, as long as it does not depart from the average by more than a
//!   quarter of it and 1/64. One that departs counts less ([`Settings::doubt`]).
//! * **Change of behaviour**: if two readings in turn depart in the same direction, the average begins anew with
//!   the second.
//! * The part is that of the time at the fastest point, so that a change of point does not look
//!   like a change of behaviour.
//! * A task that comes with a point is pinned there.
//!
//! A task that changes its behaviour from reading to reading is judged by the one that it has more often. With
//! a doubt of 0 it is judged by the mean.
//!
//! Sources: Weissel and Bellosa, *Process Cruise Control*, CASES 2002; Finster, *Double-sorted scheduling in
//! process cruise control environments*, Universität Karlsruhe 2005, 2.2, which proposes to compare each
//! reading with the overall rating. How it is compared is ours, and so is that the matrix is computed.
//!
//! Costs: O(1) a stop, and what it costs the policy within to regroup a task whose point changes. 8 bytes a task.

mod domains;

pub use domains::{Computing, Domains};

use crate::counts::Counts;
use crate::encode::Encode;
use crate::forward::forward;
use crate::group::Group;
use crate::grouping::Grouping;
use crate::policy::{Dispatch, Policy, Refused, Resched, Wants};
use crate::storage::{Storage, Table};
use flyball_trace::{CpuId, Speed, TaskId, Time};

/// What a task tells [`Cruise`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Paced<P> {
    /// What it tells the policy within.
    pub params: P,
    /// The operating point that it is pinned to; a point beyond the fastest is the fastest. `None`: its
    /// behaviour decides.
    pub speed: Option<Speed>,
}

impl<P: Encode> Encode for Paced<P> {
    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        self.params.emit(put);
        self.speed.map(|speed| speed.0).emit(put);
    }

    fn parse(bytes: &mut &[u8]) -> Option<Paced<P>> {
        let params = P::parse(bytes)?;
        let speed = Option::<u8>::parse(bytes)?.map(Speed);
        Some(Paced { params, speed })
    }
}

/// How tasks are judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Which operating point fits.
    pub domains: Domains,
    /// A reading that departs counts 2^doubt times less than another, up to [`Settings::MOST_DOUBT`].
    pub doubt: u8,
    /// Whether the policy within sorts equals by their points.
    pub sorts: bool,
}

impl Settings {
    /// The largest doubt: a reading that departs counts for next to nothing.
    pub const MOST_DOUBT: u8 = 16;
}

impl Encode for Settings {
    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        (self.domains, self.doubt, self.sorts).emit(put);
    }

    fn parse(bytes: &mut &[u8]) -> Option<Settings> {
        let (domains, doubt, sorts) = Encode::parse(bytes)?;
        (doubt <= Settings::MOST_DOUBT).then_some(Settings {
            domains,
            doubt,
            sorts,
        })
    }
}

/// A reading counts for 2^-2 of the average.
const WEIGHT: u8 = 2;

/// `P`, in which each task runs at the slowest operating point at which it loses little.
pub struct Cruise<P, S: Storage> {
    policy: P,
    settings: Settings,
    tasks: S::Table<Behaviour>,
}

/// What is known of a task.
#[derive(Clone, Copy)]
struct Behaviour {
    /// The average.
    computing: Computing,
    /// The point that it runs at.
    speed: Speed,
    known: Known,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    /// There is no reading yet.
    Nothing,
    /// The last reading was as those before.
    Steady,
    /// The last one departed, and needs a faster point.
    Faster,
    /// The last one departed, and needs no faster point.
    Slower,
    /// The point is given.
    Pinned,
}

impl Behaviour {
    /// A task that is given a point, or begins at the fastest.
    fn new(given: Option<Speed>, fastest: Speed) -> Behaviour {
        let (speed, known) = match given {
            Some(speed) => (speed.min(fastest), Known::Pinned),
            None => (fastest, Known::Nothing),
        };
        Behaviour {
            computing: Computing::default(),
            speed,
            known,
        }
    }

    /// Takes notice of a reading.
    #[inline]
    fn learn(&mut self, read: Computing, doubt: u8) {
        let departs = self.departs(read);
        let is_new =
            self.known == Known::Nothing || departs != Known::Steady && departs == self.known;
        if is_new {
            self.computing = read;
            self.known = Known::Steady;
            return;
        }
        let weight = WEIGHT + if departs == Known::Steady { 0 } else { doubt };
        self.computing = average(self.computing, read, weight);
        self.known = departs;
    }

    /// Whether a reading departs from the average, and what it asks for.
    #[inline]
    fn departs(self, read: Computing) -> Known {
        if is_above(read, self.computing) {
            Known::Faster
        } else if is_above(self.computing, read) {
            Known::Slower
        } else {
            Known::Steady
        }
    }
}

/// Whether one part is more than a quarter and 1/64 above another.
#[inline]
fn is_above(part: Computing, other: Computing) -> bool {
    part.0 > other.0 + other.0 / 4 + Computing::ONE / 64
}

/// The average of which a new value is 2^-weight, rounded down.
#[inline]
fn average(before: Computing, new: Computing, weight: u8) -> Computing {
    // Both are below 2^26.
    let more = new.0.wrapping_sub(before.0).cast_signed() >> weight;
    Computing(before.0.wrapping_add_signed(more))
}

impl<P: Grouping, S: Storage> Cruise<P, S> {
    /// The same policy, in which tasks run at the points that fit them.
    pub fn new(policy: P, settings: Settings) -> Cruise<P, S> {
        let behaviour = Behaviour::new(None, settings.domains.fastest());
        let tasks = Table::new(policy.capacity(), behaviour);
        Cruise {
            policy,
            settings,
            tasks,
        }
    }

    /// The policy within.
    pub fn within(&self) -> &P {
        &self.policy
    }

    /// The operating point of a member, as its behaviour has it: a policy within that serves its point with a
    /// higher one ([`Sorts`](crate::Sorts)) has it run there.
    pub fn speed(&self, task: TaskId) -> Speed {
        self.tasks[task.index()].speed
    }

    /// Puts a task among those of its point.
    fn sort(&mut self, task: TaskId, now: Time) -> Resched {
        if !self.settings.sorts {
            return Resched::None;
        }
        let group = Group::of(self.speed(task).index());
        self.policy.regroup(task, group, now)
    }
}

impl<P: Grouping, S: Storage> Policy for Cruise<P, S> {
    type Params = Paced<P::Params>;
    type Settings = P::Settings;
    const WANTS: Wants = P::WANTS.and(Wants::SPEEDS).and(Wants::COUNTS);

    fn admit(&mut self, task: TaskId, params: Self::Params, now: Time) -> Result<(), Refused> {
        self.policy.admit(task, params.params, now)?;
        self.tasks[task.index()] = Behaviour::new(params.speed, self.settings.domains.fastest());
        // It is not queued yet, so no CPU has to look.
        let _ = self.sort(task, now);
        Ok(())
    }

    /// What is known of the task stays, unless it gets a point or loses it.
    fn adjust(
        &mut self,
        task: TaskId,
        params: Self::Params,
        now: Time,
    ) -> Result<Resched, Refused> {
        let resched = self.policy.adjust(task, params.params, now)?;
        let row = &mut self.tasks[task.index()];
        if params.speed.is_some() || row.known == Known::Pinned {
            *row = Behaviour::new(params.speed, self.settings.domains.fastest());
        }
        Ok(resched.and(self.sort(task, now)))
    }

    fn counted(&mut self, _: CpuId, task: TaskId, counts: &Counts, now: Time) -> Resched {
        let domains = &self.settings.domains;
        let row = &mut self.tasks[task.index()];
        if row.known == Known::Pinned {
            return Resched::None;
        }
        let Some(read) = domains.computing(counts) else {
            return Resched::None;
        };
        row.learn(read, self.settings.doubt);
        let slower = Speed(row.speed.0.saturating_sub(1));
        let stays = domains.fits(row.computing, row.speed)
            && (slower == row.speed || !domains.fits(row.computing, slower));
        if stays {
            return Resched::None;
        }
        row.speed = domains.slowest(row.computing);
        self.sort(task, now)
    }

    #[inline]
    fn pick(&mut self, cpu: CpuId, now: Time) -> Option<Dispatch> {
        let choice = self.policy.pick(cpu, now)?;
        let row = &self.tasks[choice.task.index()];
        // The policy within may serve its group in a higher one.
        let is_raised = self.settings.sorts && row.known != Known::Pinned;
        let speed = if is_raised {
            row.speed.max(Speed(self.policy.group(choice.task).0))
        } else {
            row.speed
        };
        Some(choice.at(speed))
    }

    forward! {
        policy: capacity tune control retire ready stopped ended alarm next_alarm has_alarms released_cpu
        has_budgets server_of budget compare inherit waits takes_waits
    }
}
