//! Stacks, and changing from one to another.
//!
//! At an exception the processor pushes r0–r3, r12, lr, pc and xPSR onto the stack of the thread
//! that it interrupts; `PendSV` pushes the others, and then all that is left to keep is the stack
//! pointer:
//!
//! ```text
//!   kept -> | r4 … r11 | r0 … r3 | r12 | lr | pc | xPSR |  what the thread had on its stack
//!           \- PendSV -/\------- the processor ---------/
//! ```

use core::ptr::null_mut;

/// Room for a thread's stack: `N` words. A thread is given one for ever.
#[repr(align(8))]
pub struct Stack<const N: usize>([u32; N]);

impl<const N: usize> Stack<N> {
    /// An unused stack.
    pub const fn new() -> Stack<N> {
        const {
            assert!(
                N >= 64 && N.is_multiple_of(2),
                "a stack is too small, or not even"
            );
        }
        Stack([0; N])
    }

    /// The end of its last word.
    pub(crate) fn end(&'static mut self) -> *mut u32 {
        self.words().as_mut_ptr_range().end
    }

    /// Its words.
    pub(crate) fn words(&'static mut self) -> &'static mut [u32] {
        &mut self.0
    }
}

impl<const N: usize> Default for Stack<N> {
    fn default() -> Self {
        Stack::new()
    }
}

/// What a thread is begun with: the words of a frame as `PendSV` and the processor push them. They
/// stay free at the end of the stack, so that a thread can be begun anew while it runs.
const FRAME: usize = 16;

/// What a thread does: takes a number, and never returns.
pub type Entry = extern "C" fn(usize) -> !;

/// A thread that does not run: where its stack pointer is, and how it begins. `PendSV` relies on the
/// pointer being the first field.
#[repr(C)]
pub(crate) struct Context {
    pointer: *mut u32,
    end: *mut u32,
    entry: Option<(Entry, usize)>,
}

impl Default for Context {
    fn default() -> Context {
        Context {
            pointer: null_mut(),
            end: null_mut(),
            entry: None,
        }
    }
}

impl Context {
    /// The thread begins at `entry` with `argument`, on the stack that ends at `end`.
    ///
    /// # Safety
    /// The stack is big enough for the first frame, and no other thread uses it.
    pub(crate) unsafe fn begin(&mut self, end: *mut u32, entry: Entry, argument: usize) {
        self.end = end;
        self.entry = Some((entry, argument));
        // SAFETY: as the caller promises.
        unsafe { self.restart() }
    }

    /// The thread begins anew, whatever it does now, even if it runs.
    ///
    /// # Safety
    /// As for [`Context::begin`], and interrupts are masked.
    pub(crate) unsafe fn restart(&mut self) {
        /// Thumb code.
        const XPSR: usize = 1 << 24;
        let Some((entry, argument)) = self.entry else {
            return;
        };
        let mut frame = [0_usize; FRAME];
        frame[8] = argument;
        frame[9] = entry as usize;
        // SAFETY: the caller promises that there is room for the frame below `end`.
        let first = unsafe { self.end.sub(FRAME) };
        frame[10] = first as usize;
        frame[14] = flyball_begin as *const () as usize;
        frame[15] = XPSR;
        // SAFETY: as above; and the thread itself never uses these words of its stack.
        unsafe { core::ptr::copy_nonoverlapping(frame.as_ptr(), first.cast(), FRAME) };
        self.pointer = first;
        // SAFETY: interrupts are masked, so nobody else uses it. If this very thread is running,
        // what it had is kept nowhere.
        unsafe {
            if core::ptr::eq(FLYBALL_SWITCH.from, self) {
                FLYBALL_SWITCH.from = &raw mut NOBODY;
            }
        }
    }
}

/// Whose stack pointer is to be kept at the next change, and whose is to be taken.
#[repr(C)]
struct Switch {
    from: *mut Context,
    to: *mut Context,
}

#[unsafe(no_mangle)]
static mut FLYBALL_SWITCH: Switch = Switch {
    from: null_mut(),
    to: null_mut(),
};

/// The context of who never runs again.
static mut NOBODY: Context = Context {
    pointer: null_mut(),
    end: null_mut(),
    entry: None,
};

unsafe extern "C" {
    /// Begins a thread: r0 its argument, r1 its entry, r2 the end of the stack that it may use.
    fn flyball_begin();
}

core::arch::global_asm!(
    ".global flyball_begin",
    ".type flyball_begin, %function",
    ".thumb_func",
    "flyball_begin:",
    "mov sp, r2",
    "bx  r1",
);

/// From now on `context` is the one that runs.
///
/// # Safety
/// Interrupts are masked, and `context` is in place for as long as the machine runs.
pub(crate) unsafe fn run_on(context: *mut Context) {
    // SAFETY: interrupts are masked, so nobody else uses it.
    unsafe {
        FLYBALL_SWITCH.from = context;
        FLYBALL_SWITCH.to = context;
    }
}

/// Changes to `context` as soon as no interrupt is being served.
///
/// # Safety
/// As for [`run_on`].
pub(crate) unsafe fn change_to(context: *mut Context) {
    // SAFETY: interrupts are masked, and `PendSV`, which reads it, is an interrupt.
    let (from, to) = unsafe {
        let to = FLYBALL_SWITCH.to;
        FLYBALL_SWITCH.to = context;
        (FLYBALL_SWITCH.from, to)
    };
    if context != from || context != to {
        cortex_m::peripheral::SCB::set_pendsv();
    }
}

// The whole change. r3 keeps the address of the two pointers, as `ldrd` leaves it alone. An interrupt
// between the instructions may set another `to`; it pends `PendSV` again, which then goes on from the
// one that this one went to.
core::arch::global_asm!(
    ".global PendSV",
    ".type PendSV, %function",
    ".thumb_func",
    "PendSV:",
    "mrs   r0, psp",
    "ldr   r3, =FLYBALL_SWITCH",
    "stmdb r0!, {{r4-r11}}",
    "ldrd  r1, r2, [r3]",
    "str   r0, [r1]",
    "str   r2, [r3]",
    "ldr   r0, [r2]",
    "ldmia r0!, {{r4-r11}}",
    "msr   psp, r0",
    "bx    lr",
    ".ltorg",
);
