//! What a policy is told, as plain numbers: for where there are no types yet, as in an image that is
//! loaded into a board's memory.

use flyball_trace::Duration;

/// A policy's settings as words. What each means is the policy's own affair: the first is the quantum
/// of those that have one, and [`i_plus_pi::Settings`](crate::i_plus_pi::Settings) are all of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Words(pub [u64; Words::COUNT]);

impl Words {
    /// How many there are.
    pub const COUNT: usize = 11;
    /// For a policy without settings.
    pub const NONE: Words = Words([0; Words::COUNT]);

    /// The settings of a policy that has only a quantum.
    pub const fn of_quantum(quantum: Duration) -> Words {
        let mut words = Words::NONE;
        words.0[0] = quantum.as_nanos();
        words
    }

    /// The quantum, where a policy has only that; zero: none.
    pub const fn quantum(self) -> Duration {
        Duration::from_nanos(self.0[0])
    }
}
