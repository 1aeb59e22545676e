//! Objects that are words in the program's memory: a mutex, a semaphore or a condition variable, as
//! long as no thread waits for it.
//!
//! What can be done without waiting is one change of such a word, by any CPU, without the kernel. Where
//! threads have to wait, the kernel puts the number of the first one into the word, and takes it out
//! when no thread waits any more. While it is there only the kernel changes the word, under its lock.
//!
//! ```text
//!                   no thread waits               threads wait       signals release jobs
//!   mutex           0: free                       first × 4 + 1
//!                   an even number: the owner
//!   semaphore       count × 2                     first × 4 + 1      task × 4 + 3
//!   condition       0                             first × 4 + 1
//! ```
//!
//! So a word of zero is a mutex that is free, a semaphore that lets no thread pass, and a condition variable
//! for which no thread waits.

use crate::atomic::{AtomicU32, Ordering};

/// Whether a CPU shares its memory with no other: of microcontrollers with such processors the kernel has one CPU each. What one thread
/// has written there, another one reads in the same order, without a barrier.
const IS_ALONE: bool = cfg!(all(target_arch = "arm", target_os = "none"));

/// The compiler moves no access to memory across this.
#[inline]
fn keep_order() {
    core::sync::atomic::compiler_fence(core::sync::atomic::Ordering::SeqCst);
}

/// What a word says.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct State(u32);

impl State {
    /// A free mutex; a semaphore that lets no thread pass; a condition variable for which no thread waits.
    pub const FREE: State = State(0);

    /// The largest count of a semaphore.
    pub const MOST: u32 = u32::MAX >> 1;

    /// A mutex that a thread owns which has ended. No thread has this name.
    pub const ORPHAN: State = State(u32::MAX - 1);

    /// A mutex whose owner has this name: an even number, and not zero.
    #[inline]
    pub const fn owned_by(name: u32) -> State {
        debug_assert!(
            name != 0 && name.is_multiple_of(2),
            "this is no thread's name"
        );
        State(name)
    }

    /// A semaphore that lets so many threads pass, [`State::MOST`] at most.
    #[inline]
    pub const fn count(count: u32) -> State {
        State(count << 1)
    }

    /// Threads wait; this is the number of the first.
    #[inline]
    pub const fn waited_for(first: u16) -> State {
        State((first as u32) << 2 | 1)
    }

    /// A semaphore whose signals release jobs of the task of this number.
    #[inline]
    pub const fn trigger(task: u16) -> State {
        State((task as u32) << 2 | 3)
    }

    /// The name of the owner of a mutex that no thread waits for; zero if it is free.
    #[inline]
    pub const fn owner(self) -> Option<u32> {
        if self.0.is_multiple_of(2) {
            Some(self.0)
        } else {
            None
        }
    }

    /// How many threads a semaphore lets pass that no thread waits for, and that releases no jobs.
    #[inline]
    pub const fn passes(self) -> Option<u32> {
        if self.0.is_multiple_of(2) {
            Some(self.0 >> 1)
        } else {
            None
        }
    }

    /// The number of the first thread that waits, if any does.
    #[inline]
    pub const fn first(self) -> Option<u16> {
        if self.0 & 3 == 1 {
            Some(self.names())
        } else {
            None
        }
    }

    /// The task that is named: the first that waits, or the one whose jobs signals release. Otherwise it means nothing.
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "it was put there as 16 bits"
    )]
    pub const fn names(self) -> u16 {
        (self.0 >> 2) as u16
    }

    /// The task whose jobs signals release.
    #[inline]
    pub const fn task(self) -> Option<u16> {
        if self.0 & 3 == 3 {
            Some(self.names())
        } else {
            None
        }
    }
}

/// An object: what it says, and, in a second word that hardly ever changes, what it is.
///
/// One of zeros is a mutex that is free, without a protocol; a semaphore that lets no thread pass; and
/// a condition variable.
#[repr(C)]
#[derive(Debug)]
pub struct Word {
    state: AtomicU32,
    about: AtomicU32,
}

impl Word {
    /// An object in this state, with so much about it.
    #[cfg(not(loom))]
    pub const fn new(state: State, about: u32) -> Word {
        Word {
            state: AtomicU32::new(state.0),
            about: AtomicU32::new(about),
        }
    }

    /// An object in this state, with so much about it.
    #[cfg(loom)]
    pub fn new(state: State, about: u32) -> Word {
        Word {
            state: AtomicU32::new(state.0),
            about: AtomicU32::new(about),
        }
    }

    /// The thread of this name, which calls, becomes the owner of a free mutex; returns whether it did. A
    /// thread that has to ask the kernel has the name 0. Lock-free, O(1).
    #[inline]
    pub fn try_lock(&self, name: u32) -> bool {
        name != 0 && self.change(0, name, Ordering::Acquire)
    }

    /// The owner of a mutex that no thread waits for gives it back; returns whether it did. Lock-free,
    /// O(1).
    #[inline]
    pub fn try_unlock(&self, name: u32) -> bool {
        name != 0 && self.change(name, 0, Ordering::Release)
    }

    /// Passes a semaphore if that can be done without waiting; returns whether it did. If not, the kernel has to
    /// look, as another CPU may have been quicker. Wait-free, O(1).
    #[inline]
    pub fn try_pass(&self) -> bool {
        let state = self.state();
        match state.passes().and_then(|count| count.checked_sub(1)) {
            Some(fewer) => self.change(state.0, State::count(fewer).0, Ordering::Acquire),
            None => false,
        }
    }

    /// Counts a signal that no thread waits for; returns whether it did. If not, threads wait, signals
    /// release jobs, the count is at its end, or another CPU was quicker: the kernel has to look. Wait-free, O(1).
    #[inline]
    pub fn try_give(&self) -> bool {
        let state = self.state();
        match state.passes() {
            Some(count) if count < State::MOST => {
                self.change(state.0, State::count(count + 1).0, Ordering::Release)
            }
            _ => false,
        }
    }

    /// Whether threads wait for a condition variable.
    #[inline]
    pub fn is_waited_for(&self) -> bool {
        self.state() != State::FREE
    }

    /// What the word says now. What that lets the caller do is ordered by what changes the word.
    #[inline]
    pub fn state(&self) -> State {
        State(self.state.load(Ordering::Relaxed))
    }

    /// Writes `to` where the word says `from`; returns whether it did.
    #[inline]
    pub fn replace(&self, from: State, to: State) -> bool {
        self.change(from.0, to.0, Ordering::AcqRel)
    }

    /// Writes `to` where no other CPU changes the word: threads have waited, or there is no other. What a mutex
    /// protects goes to its next owner by the lock of the kernel.
    #[inline]
    pub fn store(&self, to: State) {
        self.state.store(to.0, Ordering::Relaxed);
    }

    /// What it is.
    #[inline]
    pub fn about(&self) -> u32 {
        self.about.load(Ordering::Relaxed)
    }

    /// From now on it is this.
    #[inline]
    pub fn describe(&self, about: u32) {
        self.about.store(about, Ordering::Relaxed);
    }

    #[inline]
    fn change(&self, from: u32, to: u32, order: Ordering) -> bool {
        let later = Ordering::Relaxed;
        if !IS_ALONE {
            return self.state.compare_exchange(from, to, order, later).is_ok();
        }
        keep_order();
        // An interrupt in between is as another CPU that was quicker.
        let changed = self.state.compare_exchange_weak(from, to, later, later);
        keep_order();
        changed.is_ok()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_mutex_has_one_owner() {
        let mutex = Word::new(State::FREE, 0);
        assert!(mutex.try_lock(6));
        assert_eq!(mutex.state(), State::owned_by(6));
        assert!(!mutex.try_lock(8) && !mutex.try_lock(6) && !mutex.try_unlock(8));
        assert!(mutex.try_unlock(6));
        assert_eq!(mutex.state(), State::FREE);
    }

    #[test]
    fn a_thread_that_has_to_ask_changes_nothing() {
        let mutex = Word::new(State::FREE, 0);
        assert!(!mutex.try_lock(0) && !mutex.try_unlock(0));
        assert_eq!(mutex.state(), State::FREE);
    }

    #[test]
    fn a_semaphore_counts_to_its_end() {
        let semaphore = Word::new(State::count(1), 0);
        assert!(semaphore.try_pass() && !semaphore.try_pass());
        assert!(semaphore.try_give());
        assert_eq!(semaphore.state().passes(), Some(1));
        let full = Word::new(State::count(State::MOST), 0);
        assert!(!full.try_give());
        assert_eq!(full.state().passes(), Some(State::MOST));
    }

    #[test]
    fn while_threads_wait_nothing_is_done_without_the_kernel() {
        for state in [State::waited_for(9), State::trigger(9)] {
            let word = Word::new(state, 0);
            let tried = word.try_lock(2) || word.try_unlock(2) || word.try_pass();
            assert!(!tried && !word.try_give());
            assert_eq!(word.state(), state);
        }
        assert_eq!(State::waited_for(9).first(), Some(9));
        assert_eq!(State::trigger(9).task(), Some(9));
        assert_eq!(State::trigger(9).first(), None);
        assert_eq!(State::waited_for(9).task(), None);
        assert_eq!(State::waited_for(u16::MAX).first(), Some(u16::MAX));
        assert_eq!(State::ORPHAN.first(), None);
    }
}
