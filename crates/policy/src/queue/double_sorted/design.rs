//! Any of the designs, chosen when a program runs.

use super::super::bitmap::Levelled;
use super::super::{End, Queue};
use super::{Breadth, LooseLists, LooseWalk, Scope, StrictLists, StrictWalk, TourLists};
use crate::costs::{Costs, Kept, Round, Visits};
use crate::encode::Encode;
use crate::group::Group;
use crate::storage::Storage;
use core::num::NonZeroU8;
use flyball_trace::TaskId;

/// Which design a queue is of, with its settings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Design {
    /// [`StrictLists`].
    StrictLists,
    /// [`LooseLists`].
    LooseLists(Scope),
    /// [`StrictWalk`].
    StrictWalk,
    /// [`LooseWalk`].
    LooseWalk(Breadth),
    /// [`TourLists`].
    TourLists,
}

/// The number of the design, and its settings.
impl Encode for Design {
    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        match *self {
            Design::StrictLists => 0_u8.emit(put),
            Design::LooseLists(Scope { real_time, levels }) => {
                (1_u8, real_time, levels.get()).emit(put);
            }
            Design::StrictWalk => 2_u8.emit(put),
            Design::LooseWalk(breadth) => {
                (3_u8, breadth.real_time, breadth.demotes).emit(put);
                (breadth.sorting, breadth.adjustment).emit(put);
            }
            Design::TourLists => 4_u8.emit(put),
        }
    }

    fn parse(bytes: &mut &[u8]) -> Option<Design> {
        Some(match u8::parse(bytes)? {
            0 => Design::StrictLists,
            1 => {
                let (real_time, levels) = Encode::parse(bytes)?;
                let levels = NonZeroU8::new(levels)?;
                Design::LooseLists(Scope { real_time, levels })
            }
            2 => Design::StrictWalk,
            3 => {
                let (real_time, demotes, sorting, adjustment) = Encode::parse(bytes)?;
                Design::LooseWalk(Breadth {
                    real_time,
                    demotes,
                    sorting,
                    adjustment,
                })
            }
            4 => Design::TourLists,
            _ => return None,
        })
    }
}

/// A queue of one of the designs, for 256 levels and 8 groups. It takes the room of the largest.
#[expect(
    clippy::large_enum_variant,
    reason = "a queue lives in a static or in a simulator, and there is no heap"
)]
#[expect(missing_docs, reason = "a variant is the queue in it")]
pub enum AnyDesign<K, S: Storage> {
    StrictLists(StrictLists<K, S>),
    LooseLists(LooseLists<K, S>),
    StrictWalk(StrictWalk<K, S>),
    LooseWalk(LooseWalk<K, S>),
    TourLists(TourLists<K, S>),
}

/// The same expression of whatever queue it is.
macro_rules! each {
    ($design:expr, $queue:ident => $result:expr) => {
        match $design {
            AnyDesign::StrictLists($queue) => $result,
            AnyDesign::LooseLists($queue) => $result,
            AnyDesign::StrictWalk($queue) => $result,
            AnyDesign::LooseWalk($queue) => $result,
            AnyDesign::TourLists($queue) => $result,
        }
    };
}

impl<K: Levelled, S: Storage> AnyDesign<K, S> {
    /// An empty queue of this design, which visits those groups in the order that costs the least.
    pub fn with(capacity: usize, design: Design, costs: &Costs, kept: Kept) -> Self {
        let visits = || Visits::cheapest(costs, kept);
        match design {
            Design::StrictLists => AnyDesign::StrictLists(StrictLists::with(capacity, visits())),
            Design::LooseLists(scope) => {
                AnyDesign::LooseLists(LooseLists::with(capacity, scope, visits()))
            }
            Design::StrictWalk => AnyDesign::StrictWalk(StrictWalk::new(capacity)),
            Design::LooseWalk(breadth) => AnyDesign::LooseWalk(LooseWalk::with(capacity, breadth)),
            Design::TourLists => {
                let round = Round::cheapest(costs, kept);
                AnyDesign::TourLists(TourLists::with(capacity, round))
            }
        }
    }
}

impl<K: Levelled, S: Storage> Queue<K> for AnyDesign<K, S> {
    const NAME: &'static str = "double-sorted lists";
    const COMPLEXITY: &'static str = "O(1); by the designs that walk O(n) to put in";
    const GROUPS: usize = StrictLists::<K, S>::GROUPS;
    type Storage = S;

    /// [`StrictLists`].
    fn new(capacity: usize) -> Self {
        AnyDesign::StrictLists(StrictLists::new(capacity))
    }

    fn capacity(&self) -> usize {
        each!(self, queue => queue.capacity())
    }

    fn accepts(&self, key: K) -> bool {
        each!(self, queue => queue.accepts(key))
    }

    fn insert(&mut self, task: TaskId, key: K, end: End) -> bool {
        each!(self, queue => queue.insert(task, key, end))
    }

    fn remove(&mut self, task: TaskId) -> Option<K> {
        each!(self, queue => queue.remove(task))
    }

    fn take(&mut self, task: TaskId) {
        each!(self, queue => queue.take(task));
    }

    fn rotate(&mut self, task: TaskId) {
        each!(self, queue => queue.rotate(task));
    }

    fn first(&self) -> Option<TaskId> {
        each!(self, queue => queue.first())
    }

    fn key(&self, task: TaskId) -> Option<K> {
        each!(self, queue => queue.key(task))
    }

    fn regroup(&mut self, task: TaskId, group: Group) {
        each!(self, queue => queue.regroup(task, group));
    }

    fn group(&self, task: TaskId) -> Group {
        each!(self, queue => queue.group(task))
    }

    fn prefer(&mut self, group: Group) {
        each!(self, queue => queue.prefer(group));
    }

    fn serve(&mut self, task: TaskId) {
        each!(self, queue => queue.serve(task));
    }
}
