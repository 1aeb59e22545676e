//! What a search for the most that a test accepts has proven.

use crate::Stop;

/// How far a test accepts, as far as a search has found out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Margin<T> {
    /// The test accepts this much, and no more.
    Exactly(T),
    /// The test accepts this much. Of more it is not known, as the search stopped.
    AtLeast(T, Stop),
    /// The test rejects even the least.
    Nothing,
    /// The search stopped before the test had accepted anything.
    NotKnown(Stop),
}

impl<T> Margin<T> {
    /// The most that is proven to be accepted, if anything is.
    pub const fn proven(&self) -> Option<&T> {
        match self {
            Margin::Exactly(proven) | Margin::AtLeast(proven, _) => Some(proven),
            Margin::Nothing | Margin::NotKnown(_) => None,
        }
    }

    /// The most that is accepted, if it is known that no more is.
    pub const fn exactly(&self) -> Option<&T> {
        match self {
            Margin::Exactly(most) => Some(most),
            Margin::AtLeast(..) | Margin::Nothing | Margin::NotKnown(_) => None,
        }
    }

    /// Why it is not known whether more is accepted; `None` if it is known.
    pub const fn stopped(&self) -> Option<Stop> {
        match self {
            Margin::AtLeast(_, stop) | Margin::NotKnown(stop) => Some(*stop),
            Margin::Exactly(_) | Margin::Nothing => None,
        }
    }

    /// The same of something else.
    pub fn map<U>(self, of: impl FnOnce(T) -> U) -> Margin<U> {
        match self {
            Margin::Exactly(proven) => Margin::Exactly(of(proven)),
            Margin::AtLeast(proven, stop) => Margin::AtLeast(of(proven), stop),
            Margin::Nothing => Margin::Nothing,
            Margin::NotKnown(stop) => Margin::NotKnown(stop),
        }
    }
}
