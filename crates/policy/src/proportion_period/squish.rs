//! Overload: shares that together are more than there is are *squished* by importance (paper, section 2).

use super::part::{Part, Sum};
use super::scale::Scale;

/// What a task would have of the CPU, and how important it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Claim {
    /// The share that it asks for.
    pub share: Part,
    /// Its importance relative to that of others: 1 or more.
    pub importance: u16,
}

/// What is left of claims under a pressure *c*: share · m ÷ (m + c) of a claim with an importance *m*. So all give something
/// up, the important ones less, and each keeps something.
#[derive(Clone, Copy, Debug)]
pub struct Squish {
    /// In 2⁻¹² of an importance; zero: claims are left as they are.
    pressure: u64,
    /// Of the claim that has been looked at last: others often are as important.
    last: Weight,
}

/// What a claim of an importance keeps.
#[derive(Clone, Copy, Debug)]
struct Weight {
    importance: u16,
    /// m ÷ (m + c), in 2⁻³², rounded down.
    part: u32,
}

impl Squish {
    /// Claims stay as they are.
    pub const NOT: Squish = Squish::by(0);
    /// Importance is counted in 2⁻¹².
    const SHIFT: u32 = 12;
    /// No more than so many steps are taken by Newton's rule.
    const STEPS: u32 = 12;

    const fn by(pressure: u64) -> Squish {
        Squish {
            pressure,
            last: Weight {
                importance: 0,
                part: 0,
            },
        }
    }

    /// The pressure under which `claims` fit into `room`, and nearly fill it; nothing is squished if they fit as they are.
    /// O(claims), and in overload a few times that.
    ///
    /// With f(c) = Σ share · m ÷ (m + c), which has to become the room, 1 ÷ f is concave, and a line where all are equally
    /// important. So Newton's rule for that comes nearer from below, and is there after one step in that case.
    pub fn of<I: Iterator<Item = Claim>>(claims: impl Fn() -> I, room: impl Sum) -> Squish {
        let asked: u64 = claims().map(|claim| u64::from(claim.share.0)).sum();
        if asked <= room.into() {
            return Squish::NOT;
        }
        let mut squish = Squish::NOT;
        for _ in 0..Squish::STEPS {
            let Some(more) = squish.lacks(claims(), room) else {
                return squish;
            };
            squish = Squish::by(squish.pressure.saturating_add(more.into()));
        }
        // What is lacking still, where there is next to no room.
        let mut more = (squish.pressure >> 10).max(1);
        while squish.lacks(claims(), room).is_some() {
            squish = Squish::by(squish.pressure.saturating_add(more));
            more = more.saturating_mul(2);
        }
        squish
    }

    /// Whether claims keep less than they ask for.
    pub fn is_any(&self) -> bool {
        self.pressure > 0
    }

    /// By how much the pressure has to rise at the least, in 2⁻¹²; `None`: claims fit.
    fn lacks(mut self, claims: impl Iterator<Item = Claim>, room: impl Sum) -> Option<u32> {
        // f, and its slope, Σ share · m ÷ (m + c)², in 2⁻⁴⁸.
        let (mut all, mut slope) = (0_u64, 0_u64);
        for claim in claims {
            let kept = u64::from(self.left(claim).0);
            let Weight { importance, part } = self.last;
            all += kept;
            slope += (kept * u64::from(part / u32::from(importance.max(1)))) >> 12;
        }
        let room: u64 = room.into();
        let beyond = all.checked_sub(room).filter(|&beyond| beyond > 0)?;
        let [beyond, all, slope, room] = [beyond, all, slope, room].map(Scale::of);
        let step = beyond.times(all).over(room).over(slope);
        Some(step.shifted(20 + Squish::SHIFT.cast_signed()).max(1))
    }

    /// What is left of a claim. O(1): a division of 64 bits where it is not as important as the one before.
    #[inline]
    pub fn left(&mut self, claim: Claim) -> Part {
        if self.last.importance != claim.importance {
            self.last = self.weight(claim.importance);
        }
        if self.pressure == 0 {
            return claim.share;
        }
        let left = u64::from(claim.share.0) * u64::from(self.last.part);
        // Shifted by 32: less than the share.
        let left = (left >> 32) as u32;
        Part(left)
    }

    #[inline(never)]
    fn weight(&self, importance: u16) -> Weight {
        let important = u64::from(importance) << Squish::SHIFT;
        let all = important.saturating_add(self.pressure).max(1);
        let part = (important << 32) / all;
        Weight {
            importance,
            // One itself is counted as a little less.
            part: u32::try_from(part).unwrap_or(u32::MAX),
        }
    }
}
