//! How far priorities are loosened.

use core::num::NonZeroU8;

/// Which levels are taken to be one. Level 0 is the most urgent one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scope {
    /// So many levels, the most urgent ones, are for real-time tasks: none of them is loosened.
    pub real_time: u8,
    /// So many of the other levels share their lists, from the first of them on; 1: priorities are
    /// strict.
    pub levels: NonZeroU8,
}

/// As in the source: two on one (Fig 3.3), but none of the levels 0 to 99.
impl Default for Scope {
    fn default() -> Scope {
        Scope {
            real_time: 100,
            levels: NonZeroU8::MIN.saturating_add(1),
        }
    }
}

impl Scope {
    /// The last one of the levels that share their lists with this one; at most 255.
    #[inline]
    pub fn shared(self, level: u8) -> u8 {
        let Some(beyond) = level.checked_sub(self.real_time) else {
            return level;
        };
        let levels = self.levels.get();
        level.saturating_add(levels - 1 - beyond % levels)
    }
}
