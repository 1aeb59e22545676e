//! What a test that accepts or rejects says, and the third thing that it can say.

use crate::{Outcome, Reason, Stop, Verdict};

/// What a test says about a set. A search that stopped is never a rejection: [`Answer::Stopped`]
/// stays apart in everything that is made of answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// No job ever misses its deadline.
    Accepts,
    /// The test is done, and does not accept. Of a sufficient test: most such sets hold
    /// nevertheless.
    Rejects,
    /// The test was not done when it had to stop.
    Stopped(Stop),
}

impl Answer {
    /// Returns [`Answer::Accepts`], or else [`Answer::Rejects`].
    pub const fn accepts_if(accepts: bool) -> Answer {
        if accepts {
            Answer::Accepts
        } else {
            Answer::Rejects
        }
    }

    /// Whether the set is proven to hold.
    pub fn accepts(self) -> bool {
        self == Answer::Accepts
    }

    /// Why the test stopped, if it did.
    pub const fn stopped(self) -> Option<Stop> {
        match self {
            Answer::Stopped(stop) => Some(stop),
            Answer::Accepts | Answer::Rejects => None,
        }
    }

    /// Returns what several tests say together: they accept if one does, and else reject if all are
    /// done. Tests after the first that accepts are not asked.
    pub fn any(answers: impl IntoIterator<Item = Answer>) -> Answer {
        let mut all = Answer::Rejects;
        for answer in answers {
            match (all, answer) {
                (_, Answer::Accepts) => return Answer::Accepts,
                (Answer::Rejects, Answer::Stopped(_)) => all = answer,
                _ => {}
            }
        }
        all
    }
}

impl From<Result<bool, Stop>> for Answer {
    fn from(accepts: Result<bool, Stop>) -> Answer {
        accepts.map_or_else(Answer::Stopped, Answer::accepts_if)
    }
}

impl From<&Outcome> for Answer {
    fn from(outcome: &Outcome) -> Answer {
        match outcome.verdict {
            Verdict::Holds => Answer::Accepts,
            Verdict::Unknown(Reason::Stopped(stop)) => Answer::Stopped(stop),
            Verdict::Fails(_) | Verdict::Unknown(_) => Answer::Rejects,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stopped_is_no_rejection() {
        let stopped = Answer::Stopped(Stop::WorkLimit);
        assert_eq!(Answer::any([Answer::Rejects, stopped]), stopped);
        assert_eq!(Answer::any([stopped, Answer::Rejects]), stopped);
        assert_eq!(Answer::any([stopped, Answer::Accepts]), Answer::Accepts);
        assert_eq!(Answer::any([Answer::Rejects; 2]), Answer::Rejects);
        assert_eq!(Answer::any([]), Answer::Rejects);
        assert_eq!(Answer::from(Err(Stop::WorkLimit)), stopped);
    }
}
