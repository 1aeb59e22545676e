//! Double-sorted scheduling: queues in which equals are in an order, too.
//!
//! A queue keeps tasks by priority, and nothing says in which order equals are served but the order
//! in which they came. These queues take the [`Group`](crate::Group) of a task as a second key: the
//! CPU runs one group after another, and changes from one to the next seldom.
//!
//! ```text
//!   unsorted   [low][high][low][high][low]     4 adjustments        Fig 1.1 of the source
//!   sorted     [high][high][low][low][low]     1 adjustment         Fig 1.2
//! ```
//!
//! | queue | design of the source | put in | between levels | starvation among equals |
//! |---|---|---|---|---|
//! | [`StrictLists`] | strict, O(1): 3.1.1 | O(1) | strict | yes, where a time slice puts a task behind its equals |
//! | [`LooseLists`] | loose, O(1): 3.1.2 | O(1) | some levels share their lists | the same |
//! | [`StrictWalk`] | strict, O(n): 3.2.1 | O(n) | strict | by tasks that block and come back |
//! | [`LooseWalk`] | loose, O(n): 3.2.2 | O(n) | up to one level higher | the same |
//! | [`TourLists`] | none: beyond it | O(1) | strict | none |
//! | [`Windows`] | none: beyond it | O(n) | the keys are deadlines, and those of a window are equal | none: a window ends |
//!
//! All other operations are O(1), with up to as many steps as there are groups.
//!
//! None of them preempts a task for an equal one: the task that runs stays the first of its level.
//! A task that was preempted by a more urgent one has no such claim in [`StrictLists`] and
//! [`LooseLists`]: what the CPU runs next in its level depends on the group that it is in then. That
//! is the zigzag of Fig 3.2.
//!
//! Source: Finster, *Double-sorted scheduling in process cruise control environments*, Universität
//! Karlsruhe 2005, chapter 3. Where tasks are in one group, each of them is the priority array of
//! that chapter, unsorted.

mod array;
mod design;
mod domains;
mod in_rows;
mod loose_lists;
mod loose_walk;
mod scope;
mod sorted_rows;
mod strict_lists;
mod strict_walk;
mod tour_lists;
mod windows;

pub use design::{AnyDesign, Design};
pub use loose_lists::LooseLists;
pub use loose_walk::{Breadth, LooseWalk};
pub use scope::Scope;
pub use strict_lists::StrictLists;
pub use strict_walk::StrictWalk;
pub use tour_lists::TourLists;
pub use windows::Windows;
