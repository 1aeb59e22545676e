//! What a policy that ranks tasks knows of each of them.

use crate::order::{Order, TimeSlice};
use crate::policy::{Ready, Refused};
use flyball_trace::Duration;

/// What the policy knows of one task.
pub(crate) struct Member<O: Order> {
    /// `None`: the task is no member.
    pub(crate) params: Option<O::Params>,
    /// The key of its present job.
    pub(crate) own: O::Key,
    /// The key of the most urgent task that waits for it (priority inheritance).
    pub(crate) lent: Option<O::Key>,
    /// The more urgent of the two: the one that counts.
    pub(crate) key: O::Key,
    /// What is left of its slice, where equals take turns.
    pub(crate) slice: O::Slice,
}

impl<O: Order> Clone for Member<O> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<O: Order> Copy for Member<O> {}

impl<O: Order> Member<O> {
    /// The key is computed anew, after one of its sources has changed.
    #[inline]
    pub(crate) fn rank(&mut self) {
        self.key = self.with(self.own);
    }

    /// The key that counts if the task's own one is `own`.
    #[inline]
    pub(crate) fn with(&self, own: O::Key) -> O::Key {
        self.lent.map_or(own, |lent| lent.min(own))
    }
}

impl<O: Order> Member<O> {
    /// What stands where no task is.
    pub(crate) fn absent() -> Member<O> {
        Member {
            params: None,
            own: O::Key::default(),
            lent: None,
            key: O::Key::default(),
            slice: O::Slice::full(None),
        }
    }

    /// A task that has just become a member, with a slice of so long.
    pub(crate) fn new(params: O::Params, quantum: Option<Duration>) -> Member<O> {
        Member {
            params: Some(params),
            slice: O::Slice::full(quantum),
            ..Member::absent()
        }
    }

    /// It can run from now on: with a new job, or again. Its slice is a whole one.
    #[inline]
    pub(crate) fn begin(&mut self, order: &O, why: Ready) {
        if let Ready::Released { release } = why
            && let Some(params) = &self.params
        {
            self.own = order.key(params, release);
            self.rank();
        }
        self.slice = O::Slice::full(order.quantum());
    }

    /// It has other parameters from now on, which the policy accepts.
    ///
    /// # Errors
    /// [`Refused::NotAdmitted`] if it is no member.
    pub(crate) fn adjust(&mut self, order: &O, params: O::Params) -> Result<(), Refused> {
        if self.params.is_none() {
            return Err(Refused::NotAdmitted);
        }
        self.params = Some(params);
        self.own = order.adjusted(&params, self.own);
        self.rank();
        Ok(())
    }

    /// The most urgent of those who wait for it has this key. Returns whether that changes its own one.
    pub(crate) fn inherit(&mut self, lent: Option<O::Key>) -> bool {
        if self.lent == lent {
            return false;
        }
        let before = self.key;
        self.lent = lent;
        self.rank();
        self.key != before
    }

    /// It ran for `time`. Returns whether its slice is over, and gives it a new one if it is.
    pub(crate) fn ran(&mut self, order: &O, time: Duration, yielded: bool) -> bool {
        if O::DYNAMIC {
            self.own = order.ran(self.own, time);
            self.rank();
        }
        self.slice = self.slice.spend(time);
        let is_over = yielded || self.slice.remaining().is_some_and(Duration::is_zero);
        if is_over {
            self.slice = O::Slice::full(order.quantum());
        }
        is_over
    }
}
