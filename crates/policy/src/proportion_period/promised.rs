//! What tasks say that they need, against what there is: the admission.

use super::part::{Part, Sum};
use super::{Request, Settings};

/// What tasks that say a share have been promised together, in 2⁻²⁸ of a CPU.
///
/// On m CPUs, each of which has L for them (`limit` without `spare`), a task is admitted if
/// * no share is above L, and all are not above m·L together;
/// * of the tasks that also say their period, and are served before all others there, all shares together
///   are not above m·L − (m − 1)·u, where u is the largest of them. Then each has its share by the end of each of its periods, as
///   these are served by their ends (EDF): Goossens, Funk and Baruah, *Priority-driven scheduling of periodic
///   task systems on multiprocessors*, Real-Time Systems 25, 2003; for servers, Baruah, Goossens and Lipari, RTAS 2002.
///
/// On one CPU both are the same: the sum is not above L.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Promised {
    all: u64,
    real_time: u64,
    largest: u64,
}

impl Promised {
    /// What `others` keep, however much `request` asks for.
    pub fn beside(
        settings: &Settings,
        others: impl Iterator<Item = Request>,
        request: &Request,
    ) -> Promised {
        others.fold(Promised::default(), |sum, other| {
            sum.with(&other, settings.kept_beside(&other, request))
        })
    }

    /// With a task that has said `request`, and gets this share.
    #[must_use]
    pub fn with(self, request: &Request, share: Part) -> Promised {
        let share = u64::from(share);
        let all = self.all + share;
        if !request.is_real_time() {
            return Promised { all, ..self };
        }
        Promised {
            all,
            real_time: self.real_time + share,
            largest: self.largest.max(share),
        }
    }

    /// By how much it is more than `cpus` CPUs have, in 2⁻²⁸ of one; zero: it fits.
    pub fn beyond(&self, settings: &Settings, cpus: usize) -> u64 {
        let each = settings.limit.without(settings.spare);
        let all: u64 = Sum::times(each, cpus);
        // The largest share but on one CPU. CPUs have numbers of a byte.
        let others: u64 = u64::try_from(cpus.saturating_sub(1)).unwrap_or(u64::MAX);
        let largest = self.largest.saturating_mul(others);
        let beyond = self.all.saturating_sub(all);
        let real_time = self.real_time.saturating_add(largest).saturating_sub(all);
        beyond.max(real_time)
    }

    /// The largest share that a task with this request may have besides, on so many CPUs.
    pub fn left(&self, request: &Request, settings: &Settings, cpus: usize) -> Part {
        let fits = |share: u32| self.with(request, Part(share)).beyond(settings, cpus) == 0;
        let each = settings.limit.without(settings.spare);
        // The largest one that fits, bit by bit: a smaller one always fits, too.
        let share = (0..u32::BITS).rev().fold(0, |share, bit| {
            let more = share | 1 << bit;
            if more <= each.0 && fits(more) {
                more
            } else {
                share
            }
        });
        Part(share)
    }
}
