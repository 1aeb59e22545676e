//! Overload: shares that together are more than there is are *squished* by importance (paper, section 2).

use super::part::Part;

/// What a task would have of the CPU, and how important it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Claim {
    /// The share that it asks for.
    pub share: Part,
    /// Its importance relative to that of others: 1 or more.
    pub importance: u16,
}

impl Claim {
    /// What is left of the claim under a pressure *c*, in 2⁻⁸: share · m ÷ (m + c). So all give something up, the important ones
    /// less, and each keeps something.
    pub fn under(self, pressure: u64) -> Part {
        let important = u64::from(self.importance) << 8;
        let share = u64::from(self.share.0) * important / (important + pressure);
        // Not more than the share.
        u32::try_from(share).map_or(self.share, Part)
    }
}

/// The least pressure under which `claims` fit into `room`; zero: they do so as they are. O(claims), and in
/// overload 40 times that.
pub fn pressure<I: Iterator<Item = Claim>>(claims: impl Fn() -> I, room: Part) -> u64 {
    let fits = |pressure: u64| {
        let sum = claims().map(|claim| u64::from(claim.under(pressure).0));
        sum.sum::<u64>() <= u64::from(room.0)
    };
    if fits(0) {
        return 0;
    }
    // Above any importance by so much that next to nothing is left.
    let (mut low, mut high) = (0, 1 << 40);
    while high - low > 1 {
        let middle = u64::midpoint(low, high);
        if fits(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}
