//! How a job's result moves the next reactivation of its server.
//!
//! A task under BIDS returns a value when its job ends. Zero says that the last instance was
//! important. With any other value the server is reactivated later than its period, and what it does
//! not ask for is left to others. It is never reactivated earlier, so what was admitted stays
//! admitted.
//!
//! Sources: Ordinez, Donari, Santos and Orozco, *A behavior priority driven approach for resource
//! reservation scheduling*, SAC 2008 (two levels), and *Resource sharing in behavioral based
//! scheduling*, SAC 2009 (an integer). The formula is reconstructed: only abstracts were at hand.

use crate::encode::Encode;
use flyball_trace::Duration;

/// α and the levels of φ: a server of period P is reactivated P·(1 + α·φ) after it was last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Behaviour {
    /// α, in millionths.
    pub alpha: u32,
    /// The largest φ. With 1 there are two levels, important or not.
    pub levels: u8,
}

impl Behaviour {
    /// One.
    const MILLION: u128 = 1_000_000;

    /// How long after its last reactivation a server of this period is reactivated at the earliest,
    /// when its task has returned `result`; at least the period. φ is the result, up to the levels.
    pub fn separation(self, period: Duration, result: u8) -> Duration {
        let phi = result.min(self.levels);
        let more = u128::from(period.as_nanos()) * u128::from(self.alpha) * u128::from(phi);
        let more = u64::try_from(more / Self::MILLION).unwrap_or(u64::MAX);
        period + Duration::from_nanos(more)
    }
}

impl Encode for Behaviour {
    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        (self.alpha, self.levels).emit(put);
    }

    fn parse(bytes: &mut &[u8]) -> Option<Behaviour> {
        let (alpha, levels) = Encode::parse(bytes)?;
        Some(Behaviour { alpha, levels })
    }
}
