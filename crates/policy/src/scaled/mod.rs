//! Static and cycle-conserving scaling: the CPU runs at the slowest operating point at which a policy that
//! needs a part of a CPU for each task, as EDF does, still has what it needs.
//!
//! The part of a task is its worst-case execution time ÷ its window, the smaller of its deadline and its
//! period. [`Scaled`] keeps the sum of the parts, and the CPU runs at the slowest point whose frequency is that part of the
//! highest one, or more.
//!
//! ```text
//!                   admit, retire
//!                         |
//!  ready  (cc: whole) --> parts --sum--> slowest point --at--> CPU
//!  stopped (cc: used) -->
//! ```
//!
//! * **Static**: the sum is that of all members.
//! * **Cycle-conserving**: when a job ends, its task's part becomes what the job has used ÷ its window, and when the
//!   next one is released it is the whole part again. A sum that grows while another task runs makes the CPU reschedule.
//!
//! **What a job has used** is CPU time · frequency ÷ highest frequency, for each dispatch at its own point: its *capacity*. No
//! deadline is missed under EDF, for in an interval that ends at a deadline the CPU gives at least the sum of the parts, and over
//! its window the part of a job comes to at least what it used: it is never below used ÷ window. That holds for
//! jobs that wait for memory, too. Their work takes less capacity at a slow point than at the highest frequency, and
//! never more than their worst-case execution time.
//!
//! **A job that overruns** its worst-case execution time has a part that is too small while it does so; deadlines may
//! be missed. When it ends its part is what it used, up to a whole CPU.
//!
//! **Changes** of the point take time, and a computation ends at a whole nanosecond. [`Settings::charge`] is added to each job
//! for that. Without it the proof is about changes that take no time.
//!
//! **Rounding**: a sum is in parts of 2⁻³² of a CPU. Each part is rounded up by less than one of them, or by less than three
//! where the window is longer than 4.3 s; frequencies are rounded down by less than one, and what is used up to the next nanosecond. So
//! the point may be the next faster one where the sum is almost the frequency, and is never too slow.
//!
//! **Admission**: with several points a member is refused if all would ask for more than the whole CPU, without charges. There,
//! parts are rounded down, so a sum may be too large by 2⁻³² for each task. With one point there is no admission.
//!
//! Source: Pillai and Shin, *Real-time dynamic voltage scaling for low-power embedded operating systems*, SOSP 2001, for
//! implicit deadlines; that a window may be shorter follows as above, as does what is said of memory.
//!
//! Costs: O(points) whenever a task becomes ready or is picked; cycle-conserving: a division when a job is released, and one
//! when it ends. 32 bytes a task.

mod parts;

pub use parts::{Admission, Points};

use crate::encode::Encode;
use crate::forward::forward;
use crate::policy::{Dispatch, ONLY_CPU, Policy, Ready, Refused, Resched, Stop, Usage, Wants};
use crate::storage::{Storage, Table};
use flyball_trace::{CpuId, Duration, Speed, TaskId, Time};
use parts::part_up;

/// What a task tells [`Scaled`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Timed<P> {
    /// What it tells the policy within.
    pub params: P,
    /// The worst-case execution time of a job, at the highest frequency.
    pub wcet: Duration,
    /// The smaller of its relative deadline and its period. Zero: it has neither, asks for nothing and runs behind all others.
    pub window: Duration,
}

impl<P: Encode> Encode for Timed<P> {
    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        self.params.emit(put);
        (self.wcet, self.window).emit(put);
    }

    fn parse(bytes: &mut &[u8]) -> Option<Timed<P>> {
        let (params, wcet, window) = Encode::parse(bytes)?;
        Some(Timed {
            params,
            wcet,
            window,
        })
    }
}

/// How the CPU is scaled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The operating points.
    pub points: Points,
    /// What is added to the execution time of each job, for changes of the point and for rounding.
    pub charge: Duration,
}

impl Encode for Settings {
    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        (self.points, self.charge).emit(put);
    }

    fn parse(bytes: &mut &[u8]) -> Option<Settings> {
        let (points, charge) = Encode::parse(bytes)?;
        Some(Settings { points, charge })
    }
}

/// `P` on one CPU, at the slowest operating point at which it has what it needs: for all members' worst cases, or, if
/// `CONSERVES`, for what jobs may still use.
pub struct Scaled<P, S: Storage, const CONSERVES: bool> {
    policy: P,
    settings: Settings,
    /// What all parts come to.
    sum: u64,
    /// What members ask for without charges.
    admission: Admission,
    /// The point that was last chosen, and whether a task runs there.
    at: Speed,
    runs: bool,
    tasks: S::Table<Row>,
}

/// What is known of a task.
#[derive(Clone, Copy, Default)]
struct Row {
    wcet: Duration,
    window: Duration,
    /// What its present job has used, at the fastest point.
    used: Duration,
    /// Its part of the sum.
    part: u64,
}

impl Row {
    fn of<P>(params: &Timed<P>) -> Row {
        Row {
            wcet: params.wcet,
            window: params.window,
            ..Row::default()
        }
    }

    fn asks(&self) -> (Duration, Duration) {
        (self.wcet, self.window)
    }
}

impl<P: Policy, S: Storage, const CONSERVES: bool> Scaled<P, S, CONSERVES> {
    /// The same policy, and the CPU is scaled. No member has been admitted.
    pub fn new(policy: P, settings: Settings) -> Self {
        const { assert!(!P::WANTS.speeds, "the policy within chooses points itself") };
        let tasks = Table::new(policy.capacity(), Row::default());
        Scaled {
            policy,
            settings,
            sum: 0,
            admission: Admission::new(&settings.points),
            at: settings.points.fastest(),
            runs: false,
            tasks,
        }
    }

    /// The operating point that is slow enough and fast enough now.
    pub fn speed(&self) -> Speed {
        self.settings.points.slowest(self.sum)
    }

    /// Admits a member that is to have these times.
    ///
    /// # Errors
    /// [`Refused::Overload`] if all would ask for more than the CPU, and this one for more than before.
    fn check(&self, task: TaskId, new: &Row) -> Result<Admission, Refused> {
        let before = self
            .tasks
            .find(task.index())
            .map_or_else(Row::default, |&row| row);
        let mut admission = self.admission;
        admission.change(before.asks(), new.asks())?;
        Ok(admission)
    }

    /// From now on the task has this row, and its whole part of the sum.
    fn set(&mut self, task: TaskId, row: Row, admission: Admission) {
        self.admission = admission;
        let before = &mut self.tasks[task.index()];
        *before = Row {
            part: before.part,
            ..row
        };
        self.reserve(task, row.wcet);
    }

    /// From now on the part of a task is for jobs that use so much.
    fn reserve(&mut self, task: TaskId, used: Duration) {
        let row = &mut self.tasks[task.index()];
        let part = part_up(used + self.settings.charge, row.window);
        self.sum = self.sum - row.part + part;
        row.part = part;
    }

    /// The CPU must reschedule if a task runs there at another point than is needed.
    fn resched(&self) -> Resched {
        if self.runs && self.at != self.speed() {
            Resched::One(ONLY_CPU)
        } else {
            Resched::None
        }
    }
}

impl<P: Policy, S: Storage, const CONSERVES: bool> Policy for Scaled<P, S, CONSERVES> {
    type Params = Timed<P::Params>;
    type Settings = P::Settings;
    const WANTS: Wants = P::WANTS
        .and(Wants::SPEEDS)
        .and(Wants::USAGE.and(Wants::PREEMPTED).when(CONSERVES));

    /// # Errors
    /// [`Refused::Overload`] if members ask for more than the CPU then; else those of `P`.
    fn admit(&mut self, task: TaskId, params: Self::Params, now: Time) -> Result<(), Refused> {
        let row = Row::of(&params);
        let admission = self.check(task, &row)?;
        self.policy.admit(task, params.params, now)?;
        self.set(task, row, admission);
        Ok(())
    }

    /// # Errors
    /// As [`Scaled::admit`](Policy::admit).
    fn adjust(
        &mut self,
        task: TaskId,
        params: Self::Params,
        now: Time,
    ) -> Result<Resched, Refused> {
        let row = Row {
            used: self.tasks[task.index()].used,
            ..Row::of(&params)
        };
        let admission = self.check(task, &row)?;
        let resched = self.policy.adjust(task, params.params, now)?;
        self.set(task, row, admission);
        Ok(resched.and(self.resched()))
    }

    fn retire(&mut self, task: TaskId, now: Time) {
        self.policy.retire(task, now);
        let row = core::mem::take(&mut self.tasks[task.index()]);
        self.sum -= row.part;
        // What asks for nothing is never refused.
        let _ = self.admission.change(row.asks(), Row::default().asks());
    }

    #[inline]
    fn ready(&mut self, here: CpuId, task: TaskId, why: Ready, now: Time) -> Resched {
        if CONSERVES && why != Ready::Unblocked {
            self.reserve(task, self.tasks[task.index()].wcet);
        }
        let resched = self.policy.ready(here, task, why, now);
        resched.and(self.resched())
    }

    #[inline]
    fn stopped(&mut self, cpu: CpuId, task: TaskId, used: Usage, why: Stop, now: Time) -> Resched {
        if CONSERVES {
            let capacity = self.settings.points.capacity(self.at, used.time);
            let row = &mut self.tasks[task.index()];
            row.used += capacity;
            if why == Stop::Completed {
                let used = core::mem::take(&mut row.used);
                self.reserve(task, used);
            }
        }
        // One that does not run may be taken out, too.
        let resched = self.resched();
        if why == Stop::Preempted && !P::WANTS.preempted {
            return resched;
        }
        resched.and(self.policy.stopped(cpu, task, used, why, now))
    }

    #[inline]
    fn pick(&mut self, cpu: CpuId, now: Time) -> Option<Dispatch> {
        let choice = self.policy.pick(cpu, now);
        self.runs = choice.is_some();
        self.at = self.speed();
        Some(choice?.at(self.at))
    }

    forward! {
        policy: capacity tune control ended counted takes_counts alarm next_alarm has_alarms released_cpu has_budgets
        server_of budget compare inherit waits takes_waits
    }
}
