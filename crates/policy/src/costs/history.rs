//! What adjustments have cost of late.

/// How many context switches there were, and what their adjustments cost. Older ones count less: both
/// numbers are halved from time to time.
///
/// The rule of thumb of the source (section 1.1): what sorting costs at a context switch should not
/// exceed what an adjustment costs times the probability that a context switch needs one. The
/// probability cannot be computed, so it is counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct History {
    switches: u32,
    cost: u64,
}

impl History {
    /// No context switch yet.
    pub const NONE: History = History {
        switches: 0,
        cost: 0,
    };

    /// After how many context switches the counts are halved.
    const LONGEST: u32 = 256;

    /// Counts a context switch and what its adjustment cost; 0: it needed none. Returns whether the
    /// counts have been halved: after 256 switches, and then after each 128.
    pub fn note(&mut self, cost: u32) -> bool {
        self.switches += 1;
        self.cost += u64::from(cost);
        let is_old = self.switches >= Self::LONGEST;
        if is_old {
            self.switches /= 2;
            self.cost /= 2;
        }
        is_old
    }

    /// Whether to sort pays, if it costs that much at each context switch. With no history it does.
    pub fn pays(&self, sorting: u32) -> bool {
        u64::from(sorting) * u64::from(self.switches) <= self.cost
    }
}
