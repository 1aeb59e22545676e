//! I+PI: a scheduler that is a controller.
//!
//! Tasks run one after the other, each for a *burst*; once through is a *round*. After each round
//! two nested regulators compute the next bursts from what was measured, so that the length of the
//! round, and the part of it that every task gets, are the ones asked for, whatever blocks, yields
//! or overruns.
//!
//! ```text
//!  set points                     regulators                               tasks
//!  τr° ──────────────>(−)──e──> PI ──bc──>(+)──> α × ──τt°──>(−)──> I ──b──> run ──┬─> τt
//!  α (shares, importance)  ^               ^                  ^                    │
//!                          └───── τr ──────┴──────── Σ <──────┴────────────────────┘
//! ```
//!
//! After F. Terraneo's thesis (A. Leva, M. Maggio: "Design of a control-based real-time operating
//! system", chapter 2) and the kernel that it came with. The names are the thesis's. Where text and
//! Algorithm 1 contradict each other (the algorithm forgets *bc* in τt° = α(τr + bc)), this follows
//! eqs. 2.5 to 2.7, figure 2.2 and the implementation.
//!
//! # Numbers
//!
//! Bursts and corrections are kept in multiples of 2⁻¹⁶ ns, gains are multiples of 2⁻¹⁶ and α is
//! one of 2⁻²⁸. The outer regulator is then exact; a burst is wrong by less than 2⁻¹⁵ ns for each
//! round, plus what the rounding of α does to it, and a CPU is given whole nanoseconds. Since the
//! loop is stable, errors fade and do not add up: with *g* for what an error of one in each
//! measurement can add up to (the sum of the impulse responses: 4 for the default gains), bursts
//! stay within 0.5 + *g* ns + *g*·2⁻²⁶ of the longest round of what the same equations give in real
//! numbers. Tested against these, with random stable gains. In the long run shares are those of α
//! to 2⁻²⁷. Rounds count up to [`LONGEST_ROUND`].

mod encode;
mod gains;
mod round;
mod set_point;
#[cfg(test)]
mod tests;

use crate::storage::{Storage, Table};
use flyball_trace::{Duration, TaskId, Time};
pub use gains::{Gain, Gains, Unstable};
use set_point::Divider;
pub use set_point::{Division, Fraction, Load, Round, Sequence, Share, Wake};

/// What a round counts as, in nanoseconds, if it takes longer: 4.29 s.
pub const LONGEST_ROUND: u64 = u32::MAX as u64;

/// How an [`IPlusPi`] works. The defaults are those of the thesis's implementation.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The regulators' gains: kpi ½, krr 0.9, zrr 0.88.
    pub gains: Gains,
    /// The shortest burst: 200 µs. With zero, a task whose burst becomes zero is left out of a
    /// round.
    pub shortest: Duration,
    /// The longest burst: 20 ms. If it is below the shortest, or 1 µs, it is that.
    pub longest: Duration,
    /// The set point of the round: 4 ms for each task.
    pub round: Round,
    /// How the round is divided.
    pub division: Division,
    /// Which task comes first.
    pub sequence: Sequence,
    /// What happens when a task becomes ready.
    pub wake: Wake,
    /// A blocked task needs nothing: its α is zero (2.3.3). Without it, all tasks always count.
    pub feedforward: bool,
    /// The regulators start anew when α changes (2.3.3).
    pub reinitialise: bool,
}

/// The scheduler.
///
/// A task that becomes ready waits for its place in the round, this one if that is still to come,
/// else the next; it runs at once if no other does. A round costs O(tasks) and every other choice
/// O(1), amortised.
#[repr(C)]
pub struct IPlusPi<S: Storage> {
    // What is small comes first, see `Bitmap`.
    tasks: usize,
    /// How many are ready.
    ready: usize,
    /// The place of the present task in the round; `tasks`: the round is over.
    place: usize,
    runs: bool,
    /// The round is over, although tasks may have something left of their bursts.
    broken: bool,
    /// The task that has just ceased to be ready.
    leaving: Option<TaskId>,
    /// α is out of date.
    changed: bool,
    /// The outer regulator's state: bc(k − 1), in 2⁻¹⁶ ns, and the error of a round ago, in ns.
    correction: i64,
    error: i64,
    settings: Settings,
    /// The tasks in their order in a round; the first `tasks` rows count.
    order: S::Table<TaskId>,
    members: S::Table<Option<Member>>,
}

#[derive(Clone, Copy)]
struct Member {
    share: Share,
    ready: bool,
    /// The part of a round that it should get.
    alpha: u32,
    /// The inner regulator's state, in 2⁻¹⁶ ns.
    burst: i64,
    /// What it has used in this round: the sensor.
    used: Duration,
    /// It runs no more in this round, although its burst is not used up.
    passed: bool,
    /// When its job is due, and what that has used.
    due: Time,
    used_by_job: Duration,
}

impl Settings {
    /// The thesis's implementation.
    pub const THESIS: Settings = Settings {
        gains: Gains::DEFAULT,
        shortest: Duration::from_micros(200),
        longest: Duration::from_millis(20),
        round: Round::PerTask(Duration::from_millis(4)),
        division: Division::Shares,
        sequence: Sequence::Admission,
        wake: Wake::Wait,
        feedforward: true,
        reinitialise: true,
    };

    /// What the thesis does not have: earliest deadline first among the tasks that still have
    /// something of their bursts, late jobs last, and a new round whenever a task wakes. While no
    /// job has to be late none is, as under EDF; in overload shares and importance decide. Bursts
    /// may be as short as it takes. Of a family of settings it does best in the Hartstone
    /// benchmarks with overload, at no more switches than round robin with time slices of 1 ms
    /// (`flyball_reproduce::hartstone`).
    pub const DEADLINE_AWARE: Settings = Settings {
        shortest: Duration::ZERO,
        sequence: Sequence::Urgency,
        wake: Wake::Round,
        ..Settings::THESIS
    };

    /// The settings that work: no longest burst is below the shortest, nor below 1 µs.
    fn limited(self) -> Settings {
        let least = self.shortest.max(Duration::from_micros(1));
        Settings {
            longest: self.longest.max(least),
            ..self
        }
    }
}

impl Default for Settings {
    fn default() -> Settings {
        Settings::THESIS
    }
}

/// Nanoseconds as a fixed-point number.
fn fixed(nanos: u64) -> i64 {
    i64::try_from(nanos.min(2 * LONGEST_ROUND)).unwrap_or(i64::MAX) << Gain::BITS
}

/// `factor` has `bits` fraction bits, at least 16. |x| < 2⁵¹ and |factor| ≤ 2²⁸, so nothing
/// overflows.
fn times(x: i64, factor: i64, bits: u32) -> i64 {
    let (high, low) = (x >> 16, x & 0xffff);
    (high * factor + ((low * factor) >> 16)) >> (bits - 16)
}

impl<S: Storage> IPlusPi<S> {
    /// The scheduler without tasks, with room for task ids below `capacity` (storages whose size is
    /// part of their type have room for that many instead).
    pub fn new(settings: Settings, capacity: usize) -> Self {
        IPlusPi {
            settings: settings.limited(),
            members: Table::new(capacity, None),
            order: Table::new(capacity, TaskId(0)),
            tasks: 0,
            ready: 0,
            place: 0,
            runs: false,
            broken: false,
            leaving: None,
            changed: false,
            correction: 0,
            error: 0,
        }
    }

    /// What the task should get of each round, in multiples of 2⁻²⁸, as of the last one.
    pub fn alpha(&self, task: TaskId) -> Option<u32> {
        Some(self.members.find(task.index())?.as_ref()?.alpha)
    }

    /// The burst that the task gets in this round.
    pub fn burst(&self, task: TaskId) -> Option<Duration> {
        let member = self.members.find(task.index())?.as_ref()?;
        Some(Duration::from_nanos(member.nanos()))
    }

    /// The `n`-th task of the round.
    fn member(&self, n: usize) -> (TaskId, Option<&Member>) {
        let task = self.order[n];
        (task, self.members[task.index()].as_ref())
    }

    /// All tasks, in the order of the round.
    fn members(&self) -> impl Iterator<Item = &Member> {
        (0..self.tasks).filter_map(|n| self.member(n).1)
    }

    /// Does something with all tasks, in the order of the round.
    fn for_each(&mut self, mut f: impl FnMut(&mut Member)) {
        for n in 0..self.tasks {
            if let Some(member) = &mut self.members[self.order[n].index()] {
                f(member);
            }
        }
    }

    // ---- the regulators: 2.2 -------------------------------------------------------------------

    /// A round is over: computes the bursts of the next one.
    fn end_round(&mut self, now: Time, begin_anew: bool) {
        // A division that begins anew is for the ready tasks only.
        let all_count = !self.settings.feedforward && !begin_anew;
        let load = self.load(all_count, now);
        let set_point = self.settings.round.set_point(&load);
        let changed = core::mem::replace(&mut self.changed, begin_anew);
        if changed || begin_anew || self.settings.division == Division::Demand {
            self.divide(&load, all_count, now);
        }
        if begin_anew || (changed && self.settings.reinitialise) {
            self.reinitialise(set_point);
        } else {
            self.regulate(set_point);
        }
        self.for_each(|member| {
            member.used = Duration::ZERO;
            member.passed = false;
        });
        if self.settings.sequence != Sequence::Admission {
            self.sort(now);
        }
        self.place = 0;
    }

    /// The outer regulator corrects the round, and the inner ones the bursts (eqs. 2.3 and 2.6).
    fn regulate(&mut self, set_point: u64) {
        let Gains { kpi, krr, .. } = self.settings.gains;
        let krr_zrr = self.settings.gains.krr_zrr();
        let (shortest, longest) = self.limits();
        let round = self.members().map(|member| member.used.as_nanos()).sum();
        let round: u64 = LONGEST_ROUND.min(round);
        #[expect(clippy::cast_possible_wrap, reason = "32 bits each")]
        let error = set_point as i64 - round as i64;
        let mut correction = self.correction + krr * error - krr_zrr * self.error;
        // Joint saturation: if no burst can grow, neither can the correction (2.2.4).
        let is_saturated = |member: &Member| !member.ready || member.burst >= longest;
        if self.members().all(is_saturated) {
            correction = correction.min(self.correction);
        }
        // The next round takes some time, and no more than it can.
        let tasks = i64::try_from(self.tasks).unwrap_or(i64::MAX);
        let most = longest.saturating_mul(tasks).min(fixed(LONGEST_ROUND));
        self.correction = correction.clamp(-fixed(round), most);
        self.error = error;
        let next = fixed(round) + self.correction;
        self.for_each(|member| {
            let set_point = times(next, member.alpha.into(), Divider::BITS);
            let used = fixed(member.used.as_nanos().min(LONGEST_ROUND));
            let burst = member.burst + times(set_point - used, kpi, Gain::BITS);
            member.saturate(burst, shortest, longest);
        });
    }

    /// All regulators start from the state in which they would stay if nothing happened (2.3.3).
    fn reinitialise(&mut self, set_point: u64) {
        self.correction = 0;
        self.error = 0;
        let (shortest, longest) = self.limits();
        self.for_each(|member| {
            let burst = times(fixed(set_point), member.alpha.into(), Divider::BITS);
            member.saturate(burst, shortest, longest);
        });
    }

    // ---- the set points: 2.3 -------------------------------------------------------------------

    /// The shortest and the longest burst.
    fn limits(&self) -> (i64, i64) {
        let Settings {
            shortest, longest, ..
        } = self.settings;
        (fixed(shortest.as_nanos()), fixed(longest.as_nanos()))
    }

    /// What a task needs now.
    fn needs(&self, member: &Member, now: Time) -> Fraction {
        match self.settings.division {
            Division::Shares => member.share.cpu,
            Division::Demand => member.share.demand(member.due, member.used_by_job, now),
        }
    }

    /// What all tasks need, or all that are ready.
    fn load(&self, all_count: bool, now: Time) -> Load {
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let needs = self.members().filter(|member| member.ready || all_count);
        Load {
            tasks: count(self.tasks),
            ready: count(self.ready),
            shares: needs
                .map(|member| u64::from(self.needs(member, now).bits()))
                .sum(),
        }
    }

    /// Computes α: the shares rescaled to a sum of one, in overload after they have been multiplied
    /// by the tasks' importance (2.3.2).
    fn divide(&mut self, load: &Load, all_count: bool, now: Time) {
        let weigh = |scheduler: &Self, member: &Member, rule: Weight| match rule {
            _ if !member.ready && !all_count => 0,
            Weight::Importance => {
                u64::from(scheduler.needs(member, now).bits()) * u64::from(member.share.importance)
            }
            Weight::Share => scheduler.needs(member, now).bits().into(),
            Weight::Equal => 1,
        };
        let sum = |rule| {
            let sum: u64 = self.members().map(|member| weigh(self, member, rule)).sum();
            (sum > 0).then_some((rule, sum))
        };
        let importance = load
            .is_overload()
            .then(|| sum(Weight::Importance))
            .flatten();
        let weights = importance
            .or_else(|| sum(Weight::Share))
            .or_else(|| sum(Weight::Equal));
        let mut divider = weights.map(|(rule, sum)| (rule, Divider::new(sum)));
        for n in 0..self.tasks {
            let (task, Some(member)) = self.member(n) else {
                continue;
            };
            let alpha = divider.as_mut().map_or(0, |(rule, divider)| {
                divider.next(weigh(self, member, *rule))
            });
            if let Some(member) = &mut self.members[task.index()] {
                member.alpha = alpha;
            }
        }
    }

    /// Sorts the tasks by the deadlines of their jobs; equals keep their order. O(tasks) if they
    /// are in order.
    fn sort(&mut self, now: Time) {
        let late_last = self.settings.sequence == Sequence::Urgency;
        let due = |scheduler: &Self, n: usize| {
            let member = scheduler.member(n).1.filter(|member| member.ready);
            let due = member.map_or(Time::NEVER, |member| member.due);
            (late_last && due <= now, due)
        };
        for n in 1..self.tasks {
            let mut at = n;
            while at > 0 && due(self, at) < due(self, at - 1) {
                let (here, before) = (self.order[at], self.order[at - 1]);
                self.order[at] = before;
                self.order[at - 1] = here;
                at -= 1;
            }
        }
    }

    fn find(&mut self, task: TaskId) -> Option<&mut Member> {
        self.members.find_mut(task.index())?.as_mut()
    }
}

/// What a round is divided by.
#[derive(Clone, Copy)]
enum Weight {
    /// Share times importance.
    Importance,
    Share,
    /// All tasks that count are equal: none has asked for anything.
    Equal,
}

impl Member {
    /// Saturation of each (2.2.4). A task whose α is zero gets nothing.
    fn saturate(&mut self, burst: i64, shortest: i64, longest: i64) {
        let nothing = self.ready && self.alpha == 0;
        self.burst = burst.clamp(if nothing { 0 } else { shortest }, longest);
    }

    /// The burst, which is never negative, in whole nanoseconds, to the nearest.
    fn nanos(&self) -> u64 {
        (self.burst.cast_unsigned() + (1 << (Gain::BITS - 1))) >> Gain::BITS
    }

    /// What it may still use in this round, if anything.
    fn left(&self) -> Option<Duration> {
        if !self.ready || self.passed {
            return None;
        }
        let left = Duration::from_nanos(self.nanos()).saturating_sub(self.used);
        (!left.is_zero()).then_some(left)
    }
}
