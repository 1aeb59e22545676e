//! Shares that tasks say themselves: promised to all of them together, and renegotiated where that is wanted.
//!
//! > "The controller may renegotiate the reservation with the application, either because it notices that the
//! > reservation is going unused or because there is a more important job that needs the resources" (3.1).
//!
//! * *Unused*: a task that has used less than three quarters of its budget in each of sixteen periods gets no more than it
//!   has used, and a quarter; what is left of its share is lent to others. When that is not enough, its share comes
//!   back at the next run of the controllers.
//! * *More important*: a task is admitted if its share fits beside those of tasks that are as important or more so. Of less
//!   important ones each level, from the top, has what is left over, in proportion, and each of its tasks 0.2 % at the least.

use super::part::Sum;
use super::policy::{Controlled, Member};
use super::rule::Use;
use super::serving::Serving;
use super::{LEAST, Part, Promised, Request, Settings};
use crate::policy::{Excess, Refused};
use crate::storage::Storage;
use flyball_trace::{Duration, TaskId};

/// After so many periods it is looked at what a task has used.
const PERIODS: u8 = 16;

/// A share that a task says, and what it has of it.
#[derive(Clone, Copy, Default)]
pub(super) struct Offer {
    /// What of it the task has; `None`: all.
    part: Option<Part>,
    /// How many periods have ended since it was looked at what has been used.
    periods: u8,
}

impl Offer {
    /// The controllers run; a period `is_over` or not.
    pub(super) fn step(&mut self, used: &mut Use, share: Part, period: Duration, is_over: bool) {
        if core::mem::take(&mut used.is_short) {
            *self = Offer::default();
            used.most = 0;
        }
        self.periods += u8::from(is_over);
        if self.periods < PERIODS {
            return;
        }
        let budget = share.in_period(period).as_nanos();
        let most = u64::from(core::mem::take(&mut used.most));
        let enough = Part::of(Duration::from_nanos(most + most / 4), period);
        self.part = (most < budget - budget / 4).then(|| enough.max(LEAST).min(share));
        self.periods = 0;
    }
}

impl Settings {
    /// What a task keeps of the share that it says, however much another one asks for.
    pub fn kept_beside(&self, it: &Request, other: &Request) -> Part {
        let share = it.share.unwrap_or_default();
        if self.renegotiates && it.importance < other.importance {
            share.min(LEAST)
        } else {
            share
        }
    }
}

impl<V: Serving, S: Storage> Controlled<V, S> {
    pub(super) fn admitted(&self) -> impl Iterator<Item = (TaskId, &Member)> {
        let rows = (0..self.last).map(|row| (TaskId(row), &self.members[usize::from(row)]));
        rows.filter(|(_, member)| member.is_admitted)
    }

    /// What all tasks have said that they need, together.
    pub(super) fn said(&self) -> V::Sum {
        let shares = self
            .admitted()
            .filter_map(|(_, member)| member.request.share);
        shares.fold(V::Sum::default(), Sum::and)
    }

    /// Checks that there is room for what a task says. O(tasks).
    ///
    /// # Errors
    /// [`Refused::Overload`].
    pub(super) fn check(&self, task: TaskId, request: &Request) -> Result<(), Refused> {
        let Some(share) = request.share else {
            return Ok(());
        };
        let others = self.admitted().filter(|&(other, _)| other != task);
        let requests = others.map(|(_, other)| other.request);
        let promised = Promised::beside(&self.settings, requests, request);
        let beyond = promised
            .with(request, share)
            .beyond(&self.settings, self.servers.cpus());
        let old = &self.members[task.index()];
        let has_less = old.is_admitted
            && old.request.share >= request.share
            && (!V::SEVERAL || old.request.is_real_time() || !request.is_real_time());
        if beyond == 0 || has_less {
            return Ok(());
        }
        // As times, of which one stands for all of a CPU.
        let all = Duration::from_nanos(Part::ALL.into());
        let needed = Duration::from_nanos(beyond.saturating_add(Part::ALL.into()));
        let excess = Excess::of(needed, all);
        Err(Refused::Overload { excess })
    }

    /// Gives tasks that say a share what they have of it, and returns all that together. O(tasks), and where more is
    /// promised than there is, O(tasks) for each level of importance.
    pub(super) fn offer(&mut self) -> V::Sum {
        let limit = self.for_fixed();
        let mut all = V::Sum::default();
        for row in 0..usize::from(self.last) {
            let member = &mut self.members[row];
            if let Some(share) = member.request.share.filter(|_| member.is_admitted) {
                member.share = member.offer.part.unwrap_or(share);
                member.is_squished = false;
                all = all.and(member.share);
            }
        }
        if all <= limit {
            return all;
        }
        self.offer_by_level(limit)
    }

    /// Tasks that say shares have what there is, level by level of importance. Returns what they have together.
    #[inline(never)]
    fn offer_by_level(&mut self, limit: V::Sum) -> V::Sum {
        let mut room = limit;
        let mut level = self.level_below(None);
        while let Some(importance) = level {
            room = self.offer_level(importance, room);
            level = self.level_below(level);
        }
        limit.without(room)
    }

    /// The greatest importance of tasks that say a share, below `level`.
    fn level_below(&self, level: Option<u16>) -> Option<u16> {
        let fixed = self
            .admitted()
            .filter(|(_, member)| member.request.share.is_some());
        let levels = fixed.map(|(_, member)| member.request.importance);
        levels
            .filter(|&it| level.is_none_or(|level| it < level))
            .max()
    }

    /// Tasks as important as this share `room`, but for what less important ones have at the least. Returns what is left
    /// of it.
    fn offer_level(&mut self, importance: u16, room: V::Sum) -> V::Sum {
        let (mut asked, mut least) = (V::Sum::default(), V::Sum::default());
        let fixed = self
            .admitted()
            .filter(|(_, member)| member.request.share.is_some());
        for (_, member) in fixed.filter(|(_, member)| member.request.importance <= importance) {
            least = least.and(member.share.min(LEAST));
            if member.request.importance == importance {
                asked = asked.and(member.share.without(LEAST));
            }
        }
        let mine = room.without(least);
        let mut left = room;
        for row in 0..usize::from(self.last) {
            let member = &mut self.members[row];
            let is_it = member.is_admitted && member.request.importance == importance;
            if !is_it || member.request.share.is_none() {
                continue;
            }
            if asked > mine {
                let more = u64::from(member.share.without(LEAST).0);
                let part = more * mine.into() / asked.into();
                let least = member.share.min(LEAST);
                // Less than what has been asked for.
                let part = u32::try_from(part).map_or(Part::NOTHING, Part);
                member.share = least.and(part);
                member.is_squished = true;
            }
            left = left.without(Sum::of(member.share));
        }
        left
    }
}
