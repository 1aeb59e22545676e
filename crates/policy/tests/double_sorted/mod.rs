//! Double-sorted scheduling: costs, queues with a second key, and what they promise.

mod costs;
mod epochs;
mod figures;
mod models;
mod policy;
mod ranked;
mod sorts;
mod starvation;
mod windows;

use flyball_policy::queue::Levelled;
use flyball_policy::{Costs, Inline, TaskId};

/// A level for tests; 0 is the most urgent one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
struct Lane(u8);

impl Levelled for Lane {
    fn level(self) -> u8 {
        self.0
    }
}

const TASKS: u16 = 16;
type Small = Inline<16>;

/// The example of the source, Table 3.1: 104, 208, 416, 520 and 620 MHz, in cycles.
fn table_3_1() -> Costs {
    Costs::new(&[
        [0, 1000, 2500, 3000, 4000],
        [800, 0, 1000, 2800, 3500],
        [1200, 800, 0, 2000, 2500],
        [2000, 1500, 1000, 0, 2000],
        [3000, 2500, 2000, 1500, 0],
    ])
    .unwrap()
}

/// Numbers below `end`, the same ones in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % end
    }

    fn task(&mut self) -> TaskId {
        TaskId(u16::try_from(self.below(TASKS.into())).unwrap())
    }

    fn byte_below(&mut self, end: u64) -> u8 {
        u8::try_from(self.below(end)).unwrap()
    }
}
