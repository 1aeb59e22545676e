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

use core::arch::asm;
use core::ops::Range;
use core::ptr::null_mut;
use flyball_port::EntryPoint;

/// What a thread is begun with: the words of a frame as `PendSV` and the processor push them. They
/// stay free at the end of the stack, so that a thread can be begun anew while it runs.
const FRAME: usize = 16;

/// How many of its words `PendSV` pushes: the others are the processor's.
const SAVED: usize = 8;

/// Thumb code.
const XPSR: usize = 1 << 24;

/// A thread that does not run: where its stack pointer is, and where its stack. `PendSV` relies on
/// the order of the fields.
///
/// A row of 16 bytes is found in one instruction less than one of another size.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub(crate) struct Context {
    pointer: *mut usize,
    low: *mut usize,
    end: *mut usize,
    /// See [`flyball_port::Machine::name`].
    name: u32,
}

impl Default for Context {
    fn default() -> Context {
        Context::NONE
    }
}

impl Context {
    const NONE: Context = Context {
        pointer: null_mut(),
        low: null_mut(),
        end: null_mut(),
        name: 0,
    };

    /// What runs now on `stack`, and goes on there.
    pub(crate) fn on(stack: Range<*mut usize>) -> Context {
        Context {
            pointer: null_mut(),
            low: stack.start,
            end: stack.end,
            name: 0,
        }
    }

    /// The stack.
    pub(crate) fn stack(&self) -> Range<*mut usize> {
        self.low..self.end
    }

    /// The thread of this name begins at `entry` with `argument`, on `stack`. A thread that had this context
    /// before has ended, and may still be the one whose stack is in use: asleep, as no other thread
    /// could run.
    ///
    /// # Safety
    /// The stack is big enough for the first frame, no other thread uses it, and interrupts are
    /// masked.
    pub(crate) unsafe fn begin(
        &mut self,
        name: u32,
        stack: Range<*mut usize>,
        entry: EntryPoint,
        argument: usize,
        switch: &mut Switch,
    ) {
        // SAFETY: as the caller promises.
        unsafe { self.abandon(switch) };
        *self = Context {
            name,
            ..Context::on(stack)
        };
        // SAFETY: the caller promises that there is room for the frame below `end`.
        let first = unsafe { self.end.sub(FRAME) };
        let mut frame = [0_usize; FRAME];
        frame[8] = argument;
        frame[9] = entry as usize;
        frame[10] = first as usize;
        frame[14] = flyball_begin as *const () as usize;
        frame[15] = XPSR;
        // SAFETY: as above.
        unsafe {
            core::ptr::copy_nonoverlapping(frame.as_ptr(), first, FRAME);
        }
        self.pointer = first;
    }

    /// The thread begins anew, whatever it does now, even if it runs. Its first frame is still
    /// there: the thread itself never uses these words, and an interrupt before it has left them
    /// puts back what was there.
    ///
    /// # Safety
    /// The thread has begun once, and interrupts are masked.
    pub(crate) unsafe fn restart(&mut self, switch: &mut Switch) {
        // SAFETY: that is where the first frame is, and as the caller promises.
        unsafe {
            self.abandon(switch);
            self.pointer = self.end.sub(FRAME);
        }
    }

    /// The thread, which does not run, calls `entry` before it goes on, with what [`Context::end_call`] is
    /// passed. Returns whether the stack has room for that above its lowest `reserved` words.
    ///
    /// # Safety
    /// The thread has begun and has not ended, another one runs, and interrupts are masked.
    pub(crate) unsafe fn begin_call(&mut self, reserved: usize, entry: EntryPoint) -> bool {
        // Procedure Call Standard for the Arm Architecture: a stack is aligned to 8 bytes at a call.
        let below = self.pointer.map_addr(|address| address & !7);
        let room = (below.addr() - self.low.addr()) / size_of::<usize>();
        if room < reserved + FRAME {
            return false;
        }
        let mut frame = [0_usize; FRAME];
        frame[SAVED] = self.pointer.expose_provenance();
        frame[SAVED + 6] = entry as usize;
        frame[SAVED + 7] = XPSR;
        // SAFETY: there is room below what the thread has on its stack. What it has there begins with
        // the registers that `PendSV` has saved, and that the function called is to find.
        unsafe {
            let first = below.sub(FRAME);
            core::ptr::copy_nonoverlapping(self.pointer, frame.as_mut_ptr(), SAVED);
            core::ptr::copy_nonoverlapping(frame.as_ptr(), first, FRAME);
            self.pointer = first;
        }
        true
    }

    /// The thread, which runs and calls this, goes on as it would have without the call. `PendSV` takes it
    /// there, so each register and flag is as it was.
    ///
    /// # Safety
    /// `pointer` was passed to the function that [`Context::begin_call`] has let this thread call; interrupts are
    /// masked, and the thread does nothing else when they are not any more.
    pub(crate) unsafe fn end_call(&mut self, pointer: *mut usize, switch: &mut Switch) {
        // SAFETY: as the caller promises.
        unsafe { self.abandon(switch) };
        self.pointer = pointer;
        pend_sv();
    }

    /// If this very thread is running, what it has is kept nowhere when another one does.
    ///
    /// # Safety
    /// Interrupts are masked.
    unsafe fn abandon(&self, switch: &mut Switch) {
        if core::ptr::eq(switch.from, self) {
            // SAFETY: interrupts are masked, so no other code uses the static.
            unsafe { NOBODY = Context::on(self.stack()) };
            switch.from = &raw mut NOBODY;
        }
    }
}

/// Whose stack pointer is to be kept at the next change, and whose is to be taken. `PendSV` finds
/// it at the beginning of the kernel.
#[repr(C)]
pub(crate) struct Switch {
    from: *mut Context,
    to: *mut Context,
}

impl Switch {
    /// Before any thread runs.
    pub(crate) const NOBODY: Switch = Switch {
        from: null_mut(),
        to: null_mut(),
    };

    /// From now on `context`, which is in place for as long as the machine runs, is the one that
    /// runs.
    pub(crate) fn run_on(&mut self, context: *mut Context) {
        self.from = context;
        self.to = context;
    }

    /// Changes to `context`, which is in place for as long as the machine runs, as soon as no
    /// interrupt is being served.
    #[inline]
    pub(crate) fn change_to(&mut self, context: *mut Context) {
        // If `PendSV` is pending already, it changes to the context that it finds there when it
        // comes. If that is the one that it comes from, nothing changes.
        if context == self.from {
            self.to = context;
        } else {
            self.leave_for(context);
        }
    }

    /// The same, without a look whether that is where the processor is.
    #[inline]
    pub(crate) fn leave_for(&mut self, context: *mut Context) {
        self.to = context;
        pend_sv();
    }

    /// Before any thread runs there is none to name.
    pub(crate) fn prepare(&mut self) {
        self.to = &raw mut NOBODY;
    }

    /// The name of the thread that runs. Needs no mask, as a thread that asks is the one that runs.
    ///
    /// # Safety
    /// [`Switch::prepare`] has been called.
    #[inline(always)]
    pub(crate) unsafe fn name(switch: *const Switch) -> u32 {
        // SAFETY: `to` is a context, which stays in place; only an interrupt may write it meanwhile, and when the
        // thread goes on `to` is its own again.
        unsafe { (*(&raw const (*switch).to).read_volatile()).name }
    }

    /// What runs now; another one may be about to.
    pub(crate) fn running(&self) -> *mut Context {
        self.from
    }

    /// The stack in use; `None` before there is one.
    pub(crate) fn stack(&self) -> Option<Range<*mut usize>> {
        // SAFETY: contexts stay in place.
        unsafe { self.from.as_ref() }.map(Context::stack)
    }
}

/// Makes `PendSV` pending, by ICSR, the Interrupt Control and State Register. One instruction makes
/// the base of the processor's own registers, where the address of this one takes two.
#[inline(always)]
fn pend_sv() {
    const BASE: usize = 0xe000_e000;
    const ICSR: usize = 0xe000_ed04;
    const PENDSVSET: u32 = 1 << 28;
    // SAFETY: other bits that are zero do nothing. Memory is not said to be left alone, so what the
    // exception finds has been written before.
    unsafe {
        asm!(
            "str {set}, [{base}, #{offset}]",
            set = in(reg) PENDSVSET,
            base = in(reg) BASE,
            offset = const ICSR - BASE,
            options(nostack, preserves_flags),
        );
    }
}

/// The context of a thread that never runs again, but still is on its stack.
static mut NOBODY: Context = Context::NONE;

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

/// The whole change: `PendSV`, as [`kernel!`](crate::kernel!) puts it into an application that has
/// made its choice about [`Stacks`](crate::Stacks), and about
/// [`C_LIBRARY`](crate::MachineConfig::C_LIBRARY).
///
/// r3 keeps the address of the two pointers, as `ldrd` leaves it alone. From when they are read no interrupt
/// comes, so none begins a thread anew whose stack pointer is being kept: by `FAULTMASK`, which the exception's return
/// takes back. Nor is there a guard until then, so the registers are pushed before; and a fault there, of a stack pointer that has been
/// written over, is none that can be reported. One that comes later and sets another `to` pends `PendSV` again, which then goes on from the one that this one
/// went to. A guard needs no barrier but the `dsb`, since an exception's return is one.
#[doc(hidden)]
#[macro_export]
macro_rules! pend_sv {
    ($stacks:expr, $c_library:expr) => {
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        extern "C" fn PendSV() {
            ::core::arch::naked_asm!(
                "mrs   r0, psp",
                "ldr   r3, =FLYBALL_KERNEL",
                "stmdb r0!, {{r4-r11}}",
                "cpsid f",
                "ldrd  r1, r2, [r3]",
                "str   r0, [r1]",
                ".if {canary}",
                "ldr   r12, [r1, #4]",
                "ldr   r12, [r12]",
                "ldr   r0, ={paint}",
                "cmp   r12, r0",
                "bne.w flyball_no_canary",
                ".endif",
                "str   r2, [r3]",
                ".if {c_library}",
                "ldr   r12, [r2, #8]",
                "ldr   r0, =_impure_ptr",
                "str   r12, [r0]",
                ".endif",
                ".if {guard}",
                "ldrd  r0, r1, [r2]",
                "ldr   r12, =0xE000ED9C", // MPU_RBAR
                "str   r1, [r12]",
                "dsb",
                ".else",
                "ldr   r0, [r2]",
                ".endif",
                "ldmia r0!, {{r4-r11}}",
                "msr   psp, r0",
                "bx    lr",
                ".ltorg",
                c_library = const $c_library as u32,
                canary = const matches!($stacks, $crate::Stacks::Canary) as u32,
                guard = const matches!($stacks, $crate::Stacks::Guarded) as u32,
                paint = const $crate::PAINT,
            )
        }
    };
}
