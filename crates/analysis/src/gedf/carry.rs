//! Work of a task in a window that may begin in the midst of a job: exactly the most that two facts
//! allow at once.
//!
//! A window of some `length` begins at time zero. Of a task τ, with response times of at most P = D
//! − s, jobs count that arrive no later than `a`, so that their deadlines are early enough. If none
//! of them was there before, then the most work is done if the first one arrives at zero and the
//! others as early as they may:
//!
//! ```text
//!   NC = min( (⌊a/T⌋ + 1) C, W(length) )      0 if a < 0          W(z) = ⌊z/T⌋ C + min(C, z mod T)      0 if z < 0
//! ```
//!
//! Both are the same jobs, so no other arrivals make more of it: to come later takes nothing but
//! work away.
//!
//! If one was there before, since −y, then it has at most min(Q, P − y) left, where Q is what a job
//! can have left at all when the window begins, and those after it arrive at T − y, 2T − y, … :
//!
//! ```text
//!   f(y) = min(Q, P − y) + min( ⌊(a + y)/T⌋ C, W(length + y − T) )          for −a ≤ y < P
//!
//!   |--- length ---------------------------|
//!  ▇|▇▇_________|▇▇▇▇▇_________|▇▇▇▇▇______|__          three deadlines of which are early enough, or two
//! -y  P-y      T-y            2T-y         a
//! ```
//!
//! For which y is that the most? Let y* = P − Q, and y′ be the least y > y* at which a + y is a
//! multiple of T.
//!
//! * For y ≤ y* the first part is Q, and the second one never falls with y: so y*, if it may be
//!   that.
//! * From there on the first part falls as fast as y grows, and the second one grows no faster, as
//!   at most one job is cut off by the end of the window, but for one leap: at y′ another job's
//!   deadline is early enough. The next leap would be at y′ + T > P.
//!
//! So CI = max(f(y*), f(y′)), of those that may be. It is at most what each fact allows alone, that
//! is min(W, E) of [`interference`](super::interference) if Q = C: each of these is the most over
//! all y of something that is no less than f(y).
//!
//! Source: the two bounds are those of Bertogna and Cirinei 2007, and that it matters which tasks
//! were there before is Baruah's observation (2007). To maximise over both at once is our
//! derivation; others may well have found it before.

use super::interference::Row;
use super::word::Word;

/// An amount of work in a window.
#[derive(Clone, Copy)]
pub(super) struct Work<W> {
    pub(super) most: W,
    /// If the window is longer by x, then it is more by min(x, that), or more than that.
    pub(super) grows: W,
    /// If the window ends x earlier, and so do the deadlines that count, then it is less by min(x,
    /// that), up to the next [bend](Row::bend).
    falls: W,
}

impl<W: Word> Work<W> {
    /// Work that the end of the window makes no difference to.
    pub(super) const fn fixed(most: W) -> Work<W> {
        Work {
            most,
            grows: W::ZERO,
            falls: W::ZERO,
        }
    }

    /// The same, but no more than `most`, which grows with the window.
    pub(super) fn at_most(self, most: W) -> Work<W> {
        if self.most <= most {
            return self;
        }
        Work {
            most,
            grows: self.most - most + self.grows,
            falls: self.falls,
        }
    }

    /// How much earlier it is cut off by `most` which falls as fast: once it does not fall itself.
    fn cut(self, most: W) -> Option<W> {
        (self.most < most).then(|| most - self.most + self.falls)
    }
}

impl<W: Word> Row<W> {
    /// What a response time is known not to exceed.
    fn response(&self) -> W {
        self.d - self.slack
    }

    /// NC, for a = `reach` − D: deadlines count up to `reach`.
    pub(super) fn without(&self, reach: W, length: W) -> Work<W> {
        if reach < self.d {
            return Work::fixed(W::ZERO);
        }
        let jobs = (reach - self.d).over(self.by_t) + W::ONE;
        self.stairs(jobs, length, W::ZERO)
    }

    /// CI, for a = `reach` − D and Q = `left`, which is at most C.
    pub(super) fn with(&self, left: W, reach: W, length: W) -> Work<W> {
        let [one, other] = self.both(left, reach, length);
        if other.most > one.most { other } else { one }
    }

    /// f(y*) and f(y′), or nothing.
    #[inline]
    fn both(&self, left: W, reach: W, length: W) -> [Work<W>; 2] {
        let nothing = Work::fixed(W::ZERO);
        // a + y* = reach − s − Q.
        let taken = self.slack + left;
        if reach < taken {
            // That is y′ − y*.
            return [nothing, Self::late(left, taken - reach)];
        }
        let whole = (reach - taken).over(self.by_t);
        let rest = reach - taken - whole * self.t;
        let end = length + (self.response() - left);
        let mut work = self.stairs(whole, end, self.t);
        work.most += left;
        let later = self.t - rest;
        if later >= left {
            return [work, nothing];
        }
        let mut other = Self::late(left, later);
        let after = self.stairs(whole + W::ONE, end, rest);
        other.most += after.most;
        other.grows = after.grows;
        [work, other]
    }

    /// Q − (y′ − y*), which falls to zero as y′ rises.
    fn late(left: W, later: W) -> Work<W> {
        let most = left.less(later);
        Work {
            most,
            grows: W::ZERO,
            falls: most,
        }
    }

    /// NC of the task's earlier jobs, all of which are over at `now`, when its next one arrives:
    /// a = `now` − T.
    pub(super) fn own_without(&self, now: W) -> W {
        now.over(self.by_t) * self.c
    }

    /// CI of these.
    pub(super) fn own_with(&self, left: W, now: W) -> W {
        let [one, other] = self.own_both(left, now);
        one.most.max(other.most)
    }

    /// f(y*) and f(y′) of these.
    fn own_both(&self, left: W, now: W) -> [Work<W>; 2] {
        // a + y* + T.
        let reach = now + (self.response() - left);
        let jobs = reach.over(self.by_t);
        let later = self.t - (reach - jobs * self.t);
        let after = jobs * self.c;
        let first = if jobs > W::ZERO {
            after - self.c + left
        } else {
            W::ZERO
        };
        let mut other = Self::late(left, later);
        if later < left {
            other.most += after;
        }
        [Work::fixed(first), other]
    }

    /// min(jobs C, W(end − before)).
    #[inline]
    fn stairs(&self, jobs: W, end: W, before: W) -> Work<W> {
        if end < before {
            return Work::fixed(W::ZERO);
        }
        let length = end - before;
        let whole = length.over(self.by_t);
        let rest = length - whole * self.t;
        let last = rest.min(self.c);
        let within = whole * self.c + last;
        let all = jobs * self.c;
        if within > all {
            return Work::fixed(all);
        }
        Work {
            most: within,
            grows: (all - within).min(self.c - last),
            falls: if rest > self.c { W::ZERO } else { rest },
        }
    }

    /// How much earlier, with the window's end and the deadlines that count, NC or CI, cut off at
    /// `most`, last stops rising, if NC does not leap before; `None` if neither ever does. Between
    /// such points and leaps both are convex, and so is the larger one.
    pub(super) fn bend(&self, left: W, reach: W, length: W, most: W) -> Option<W> {
        let without = self.without(reach, length);
        let [one, other] = self.both(left, reach, length);
        let cut = [without, one, other].map(|work| work.cut(most));
        let bends = [
            self.bend_without(reach, length),
            self.bend_with(left, reach, length),
        ];
        cut.into_iter().chain(bends).flatten().min()
    }

    /// The same of the task's own earlier jobs.
    pub(super) fn own_bend(&self, left: W, now: W) -> W {
        let reach = now + (self.response() - left);
        let rest = reach - reach.over(self.by_t) * self.t;
        let bend = if rest == W::ZERO { self.t } else { rest };
        let cut = self.own_both(left, now).map(|work| work.cut(now));
        cut.into_iter().flatten().fold(bend, W::min)
    }

    fn bend_without(&self, reach: W, length: W) -> Option<W> {
        if reach < self.d {
            return None;
        }
        let jobs = (reach - self.d).over(self.by_t) + W::ONE;
        self.bend_of_stairs(jobs, length, W::ZERO)
    }

    /// f(y′) stops rising when y′ = y*, and f(y*) where W does.
    fn bend_with(&self, left: W, reach: W, length: W) -> Option<W> {
        let taken = self.slack + left;
        if reach <= taken {
            return None;
        }
        let mut whole = (reach - taken).over(self.by_t);
        let mut rest = reach - taken - whole * self.t;
        if rest == W::ZERO {
            // It is there: so what is before.
            (whole, rest) = (whole - W::ONE, self.t);
        }
        let end = length + (self.response() - left);
        let within = self.bend_of_stairs(whole, end, self.t);
        Some(within.map_or(rest, |within| within.min(rest)))
    }

    /// How much earlier min(jobs C, W(end − before)) last stops rising.
    fn bend_of_stairs(&self, jobs: W, end: W, before: W) -> Option<W> {
        if jobs == W::ZERO || end <= before {
            return None;
        }
        let length = end - before;
        let last = (jobs - W::ONE) * self.t + self.c;
        if length > last {
            return Some(length - last);
        }
        let whole = length.over(self.by_t);
        let rest = length - whole * self.t;
        if rest > self.c {
            Some(rest - self.c)
        } else {
            (whole > W::ZERO).then(|| rest + self.t - self.c)
        }
    }
}
