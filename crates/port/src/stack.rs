//! Stacks, and how much of them was used.
//!
//! ```text
//!   low                                       end
//!    | canary | painted …        | used …      |
//!                                <- grows
//! ```
//!
//! A stack is painted before its thread begins, so a word that has kept its colour was never used.

use core::ops::Range;
use flyball_kernel::Error;

/// What a thread does: takes a number, and never returns.
pub type EntryPoint = extern "C" fn(usize) -> !;

/// What an unused word contains. An address at which nothing is, and no likely number.
#[expect(
    clippy::cast_possible_truncation,
    reason = "of a machine with words of 32 bits it is the lower half"
)]
pub const PAINT: usize = 0xC5A5_5AC5_C5A5_5AC5_u64 as usize;

/// The least that a thread needs, in words: what interrupts keep of it, and a call of the kernel.
const LEAST: usize = if size_of::<usize>() == 4 { 56 } else { 128 };

/// What is done about stacks that are too small. What is not chosen costs nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stacks {
    /// Nothing: a thread that needs more overwrites what is below.
    Unwatched,
    /// They are painted, and whenever a thread stops the lowest word of its stack is compared. That
    /// is cheap, but late: something else may have been overwritten.
    Canary,
    /// They are painted, and the memory protection unit stops the very store. A machine without
    /// such a unit takes this for [`Canary`](Stacks::Canary).
    Guarded,
}

impl Stacks {
    /// Whether stacks are painted.
    pub const fn are_painted(self) -> bool {
        !matches!(self, Stacks::Unwatched)
    }
}

/// Room for a thread's stack: `N` words. A thread is given one for ever.
///
/// The smallest guard there is has 32 bytes, and has to be aligned to that.
#[repr(align(32))]
pub struct Stack<const N: usize>([usize; N]);

impl<const N: usize> Stack<N> {
    /// An unused stack.
    pub const fn new() -> Stack<N> {
        const {
            assert!(
                N >= LEAST && N.is_multiple_of(2),
                "a stack is too small, or not even"
            );
        }
        Stack([0; N])
    }

    /// Its words.
    pub fn words(&'static mut self) -> &'static mut [usize] {
        &mut self.0
    }
}

impl<const N: usize> Default for Stack<N> {
    fn default() -> Self {
        Stack::new()
    }
}

/// Memory on which a thread can begin, and which has no other owner.
pub struct StackArea(Range<*mut usize>);

// SAFETY: the words have no other owner.
unsafe impl Send for StackArea {}

impl StackArea {
    /// What of `words` can be a stack: from its low end, which a guard wants aligned to its size,
    /// to the one where a thread begins, which processors want aligned to two words. It is painted
    /// if `stacks` says so. O(words).
    ///
    /// # Errors
    /// [`Error::Invalid`] if there are too few words.
    pub fn new(words: &'static mut [usize], stacks: Stacks) -> Result<StackArea, Error> {
        const ALIGN: usize = 2 * size_of::<usize>();
        if stacks.are_painted() {
            words.fill(PAINT);
        }
        let Range { start, end } = words.as_mut_ptr_range();
        let start = start.map_addr(|start| start.next_multiple_of(32));
        let end = end.map_addr(|end| end & !(ALIGN - 1));
        let enough = end.addr().saturating_sub(start.addr()) >= LEAST * size_of::<usize>();
        enough
            .then_some(StackArea(start..end))
            .ok_or(Error::Invalid)
    }

    /// The same of a [`Stack`], which is aligned and large enough.
    pub fn of<const N: usize>(stack: &'static mut Stack<N>, stacks: Stacks) -> StackArea {
        if stacks.are_painted() {
            stack.0.fill(PAINT);
        }
        StackArea(stack.0.as_mut_ptr_range())
    }

    /// Its words.
    pub fn range(&self) -> Range<*mut usize> {
        self.0.clone()
    }
}

/// How many words of a painted stack were ever used, of those above the lowest `reserved`.
/// O(words).
///
/// # Safety
/// The words are there, those of a [`StackArea`].
pub unsafe fn used(stack: &Range<*mut usize>, reserved: usize) -> usize {
    // SAFETY: all are words of the stack, or its end. Its thread may be writing them; each is read
    // once, and any value will do.
    unsafe {
        let mut word = stack.start.add(reserved);
        while word < stack.end && word.read_volatile() == PAINT {
            word = word.add(1);
        }
        usize::try_from(stack.end.offset_from(word)).unwrap_or(0)
    }
}
