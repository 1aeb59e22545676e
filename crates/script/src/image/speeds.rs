//! Operating points, among which the policy chooses: how long a CPU takes from one to another.
//!
//! What tasks compute is in the image as long as it takes at the point at which the task runs.

use super::task::Stretch;
use super::{Image, ImageError, TRANSITIONS_AT};
use flyball_policy::Encode;
use flyball_trace::{Duration, Speed};

impl Image<'_> {
    /// How many operating points there are, of which the last one is the fastest; zero if the policy
    /// chooses none.
    pub fn speeds(self) -> u8 {
        u8::try_from(self.transitions().count).unwrap_or(0)
    }

    /// How long a CPU takes from one point to another; `None`: there are no such points.
    pub fn transition(self, from: Speed, to: Speed) -> Option<Duration> {
        let row = usize::from(self.speeds()) * size_of::<u64>();
        let row = self.transitions().place(from.0.into(), row)?;
        let here = to.0 < self.speeds();
        let at = here.then(|| row.checked_add(usize::from(to.0) * size_of::<u64>()))?;
        self.long(at?).map(Duration::from_nanos)
    }

    fn transitions(self) -> Stretch {
        let mut stretch = self.bytes.get(TRANSITIONS_AT..).unwrap_or_default();
        Stretch::parse(&mut stretch).unwrap_or_default()
    }

    /// There are as many as the header says.
    pub(super) fn check_transitions(self) -> Result<(), ImageError> {
        let Some(last) = self.transitions().count.checked_sub(1) else {
            return Ok(());
        };
        let last = u8::try_from(last).map(Speed);
        let found = last.ok().and_then(|last| self.transition(last, last));
        found.map(|_| ()).ok_or(ImageError::Truncated)
    }
}
