//! Rounds of slack: what BCLI and RTA have in common.
//!
//! Both bound the response time R_k of a task from the slacks s of all others, where larger slacks
//! make it no larger. What is left before the deadline is slack s_k = D_k − R_k, or none if the
//! task is late. So there is a monotone function s ↦ g(s) of all slacks, the rounds go up from zero
//! to its least fixed point, and the set is accepted if no task is late there.
//!
//! * The order of the updates does not matter: any fair order reaches the least fixed point of a
//!   monotone function (chaotic iteration; Cousot and Cousot 1977). So a task that is in time once
//!   stays in time, and if no task is late, even with slacks that are smaller than they might be,
//!   the set is accepted.
//! * No slack is larger than D − C. From there the rounds go down, to the greatest fixed point, and
//!   all the time they stay above the least. So a task that is late with *these* slacks is late at
//!   the least fixed point, and the set is rejected.
//!
//! One round goes up, then one goes down, and so on. A task that is late going up is tested at once
//! with the larger slacks, too; that settles most sets that are rejected. A task that was late in
//! the last round comes first in the next one, and if no task is late any more, that is all. And
//! what a response time is with the larger slacks, it is at least with the smaller ones: a place
//! for the search to begin. Where the first tasks are all late going up, that round is put off,
//! since most such sets are rejected going down.

use super::Set;
use super::interference::{Row, by_deadline};
use super::word::Word;
use crate::Stop;
use crate::work::Meter;
use core::ops::Sub;

/// Tasks by ascending deadlines, each with a slack.
pub(super) trait Slacks: Clone {
    /// A length of time.
    type Time: Copy + Ord + Sub<Output = Self::Time>;

    /// How many tasks there are.
    fn tasks(&self) -> usize;

    /// C of τ_k.
    fn wcet(&self, k: usize) -> Self::Time;

    /// D of τ_k.
    fn deadline(&self, k: usize) -> Self::Time;

    /// What every job of τ_k is known to have left when it ends.
    fn slack(&self, k: usize) -> Self::Time;

    fn set_slack(&mut self, k: usize, slack: Self::Time);
}

/// A bound for response times.
pub(super) trait Response {
    type Tasks: Slacks;

    /// The bound for τ_k, given the slacks of all; `None` if it is beyond the deadline. It is known
    /// to be `least` or more.
    fn response(
        &mut self,
        tasks: &Self::Tasks,
        k: usize,
        least: Time<Self>,
        meter: &mut Meter,
    ) -> Result<Option<Time<Self>>, Stop>;

    /// A bound that is no better, but cheaper; `None` if and only if the other one is.
    fn quick(
        &mut self,
        tasks: &Self::Tasks,
        k: usize,
        least: Time<Self>,
        meter: &mut Meter,
    ) -> Result<Option<Time<Self>>, Stop> {
        self.response(tasks, k, least, meter)
    }
}

type Time<R> = <<R as Response>::Tasks as Slacks>::Time;

pub(super) struct Rounds<R: Response> {
    response: R,
    /// With slacks at or below the least fixed point.
    sure: R::Tasks,
    /// With slacks at or above it, and so at or above the greatest.
    hoped: R::Tasks,
    /// The tasks that are late with the sure slacks, as far as is known.
    late: Vec<usize>,
    /// Whether the sure slacks are from the quick bounds.
    quick: bool,
    /// For how many rounds more the slacks that one may hope for are expected to fall, and whether
    /// they have fallen in this one.
    falls: u8,
    fallen: bool,
}

/// If so many are late at once, one after the other, a round upwards is put off as long as slacks
/// fall, but not for ever.
const SAMPLE: usize = 24;
const PUT_OFF: u8 = 3;

/// What a round has shown.
enum Shown {
    Accepts,
    Rejects,
    Nothing,
}

impl<R: Response> Rounds<R> {
    /// Begins with slacks that are no larger than those of the least fixed point.
    ///
    /// By ascending deadlines, as a task with a short deadline suffers most from what others carry
    /// in, and is late first.
    pub(super) fn new(sure: R::Tasks, response: R) -> Rounds<R> {
        let mut hoped = sure.clone();
        for k in 0..hoped.tasks() {
            hoped.set_slack(k, hoped.deadline(k) - hoped.wcet(k));
        }
        Rounds {
            response,
            late: (0..sure.tasks()).collect(),
            quick: false,
            falls: PUT_OFF,
            fallen: false,
            sure,
            hoped,
        }
    }

    /// The same as [`Rounds::decide`], with the quick bounds for as long as they make anything
    /// better. Their slacks are no larger than those of the least fixed point, by induction: so if
    /// no task is late with them, that is all, and if one is, they are a start.
    pub(super) fn decide_quickly_first(&mut self, meter: &mut Meter) -> Result<bool, Stop> {
        self.quick = true;
        while self.quick {
            match self.up(meter)? {
                Shown::Accepts => return Ok(true),
                // By a task that is late even with the slacks that one may hope for.
                Shown::Rejects => return Ok(false),
                Shown::Nothing => {}
            }
        }
        self.decide(meter)
    }

    /// Whether no task is late at the least fixed point.
    pub(super) fn decide(&mut self, meter: &mut Meter) -> Result<bool, Stop> {
        loop {
            for round in [Self::up, Self::down] {
                match round(self, meter)? {
                    Shown::Accepts => return Ok(true),
                    Shown::Rejects => return Ok(false),
                    Shown::Nothing => {}
                }
            }
        }
    }

    /// A round upwards.
    fn up(&mut self, meter: &mut Meter) -> Result<Shown, Stop> {
        let before = core::mem::take(&mut self.late);
        let mut better = false;
        for (place, &k) in before.iter().enumerate() {
            let put_off = self.falls > 0 && !self.quick;
            if put_off && place == SAMPLE && self.late.len() == SAMPLE {
                // All so far: most sets of this kind are rejected, which going down shows.
                self.late = before;
                return Ok(Shown::Nothing);
            }
            if self.update(k, &mut better, meter)? {
                if self.hope(k, meter)? {
                    return Ok(Shown::Rejects);
                }
                self.late.push(k);
            }
        }
        if self.late.is_empty() {
            return Ok(Shown::Accepts);
        }
        for k in 0..self.sure.tasks() {
            // Both in ascending order.
            if before.binary_search(&k).is_err() {
                self.update(k, &mut better, meter)?;
            }
        }
        Ok(if better || self.quick {
            self.quick = better && self.quick;
            Shown::Nothing
        } else {
            Shown::Rejects
        })
    }

    /// Brings the sure slack of τ_k up to date, and returns whether it is late.
    fn update(&mut self, k: usize, better: &mut bool, meter: &mut Meter) -> Result<bool, Stop> {
        let (d, slack) = (self.sure.deadline(k), self.sure.slack(k));
        let least = d - self.hoped.slack(k);
        let response = if self.quick {
            self.response.quick(&self.sure, k, least, meter)?
        } else {
            self.response.response(&self.sure, k, least, meter)?
        };
        if let Some(response) = response {
            // The quick bound may be worse than it was, where the other one stood in for it.
            *better |= d - response > slack;
            self.sure.set_slack(k, slack.max(d - response));
        }
        Ok(response.is_none())
    }

    /// Brings the slack that one may hope for up to date, and returns whether τ_k is late.
    fn hope(&mut self, k: usize, meter: &mut Meter) -> Result<bool, Stop> {
        let (d, slack) = (self.hoped.deadline(k), self.hoped.slack(k));
        let response = self.response.response(&self.hoped, k, d - slack, meter)?;
        if let Some(response) = response {
            self.fallen |= d - response < slack;
            self.hoped.set_slack(k, d - response);
        }
        Ok(response.is_none())
    }

    /// A round downwards.
    fn down(&mut self, meter: &mut Meter) -> Result<Shown, Stop> {
        let tasks = self.hoped.tasks();
        self.fallen = false;
        for k in 0..tasks {
            if self.late.binary_search(&k).is_ok() {
                continue;
            }
            if self.hope(k, meter)? {
                return Ok(Shown::Rejects);
            }
            // Now and then: is what the others have lost enough for the one with the least hope?
            if k % (tasks / 8 + 1) == 0 {
                let worst = self.late.iter().min_by_key(|&&late| self.hoped.slack(late));
                if let Some(&worst) = worst
                    && self.hope(worst, meter)?
                {
                    return Ok(Shown::Rejects);
                }
            }
        }
        for late in 0..self.late.len() {
            if self.hope(self.late[late], meter)? {
                return Ok(Shown::Rejects);
            }
        }
        self.falls = if self.fallen {
            self.falls.saturating_sub(1)
        } else {
            0
        };
        Ok(Shown::Nothing)
    }

    /// Goes up to the least fixed point. Returns the tasks with their slacks there, and the tasks
    /// that are late.
    fn least(mut self, meter: &mut Meter) -> Result<(R::Tasks, Vec<usize>), Stop> {
        loop {
            let (mut late, mut better) = (Vec::new(), false);
            for k in 0..self.sure.tasks() {
                if self.update(k, &mut better, meter)? {
                    late.push(k);
                }
            }
            if !better {
                return Ok((self.sure, late));
            }
        }
    }
}

/// What the rounds of a test come to, with the tasks in the order of the set.
pub(super) struct Outcome {
    /// Slacks that all tasks have if no task is late.
    pub(super) slacks: Vec<u64>,
    pub(super) late: Vec<usize>,
}

/// The least fixed point of rounds over `set`.
pub(super) fn outcome<W: Word>(
    set: &Set,
    response: impl Response<Tasks = Vec<Row<W>>>,
    meter: &mut Meter,
) -> Result<Outcome, Stop> {
    let (rows, late) = Rounds::new(by_deadline(set), response).least(meter)?;
    let tasks = set.tasks();
    let mut places: Vec<usize> = (0..tasks.len()).collect();
    places.sort_by_key(|&place| tasks[place].deadline);
    let mut slacks = vec![0; tasks.len()];
    for (&place, row) in places.iter().zip(&rows) {
        // No longer than a deadline, so it fits; and none would be on the sure side.
        slacks[place] = u64::try_from(row.slack.wide()).unwrap_or(0);
    }
    let late = late.into_iter().map(|k| places[k]).collect();
    Ok(Outcome { slacks, late })
}
