//! Stacks, and changing from one to another.
//!
//! A context switch is a call: what a caller need not keep is in the context of the thread that
//! stops, and what it has to keep is on its stack by the rules of calls, or by `trap` if an
//! interrupt came. So a thread that is preempted and one that waits are the same.
//!
//! Floating-point registers are kept of those threads that have written any, as `mstatus` tells.

use crate::config::HartConfig;
use core::mem::offset_of;
use core::ops::Range;
use core::ptr::null_mut;
use flyball_port::EntryPoint;

/// A thread that does not run. `flyball_switch` and `flyball_switch_c` rely on the order of the fields.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Context {
    /// Where it goes on, its stack pointer, and s0 to s11.
    ra: usize,
    sp: usize,
    saved: [usize; 12],
    /// Whether what follows is anything.
    floats: usize,
    float: [u64; 32],
    fcsr: usize,
    low: *mut usize,
    end: *mut usize,
    entry: usize,
    argument: usize,
}

const _: () = {
    assert!(offset_of!(Context, saved) == 16 && offset_of!(Context, floats) == 112);
    assert!(offset_of!(Context, float) == 120 && offset_of!(Context, fcsr) == 376);
    assert!(offset_of!(Context, argument) == 408);
};

impl Default for Context {
    fn default() -> Context {
        Context::NONE
    }
}

impl Context {
    /// The context of no thread.
    pub(crate) const NONE: Context = Context {
        ra: 0,
        sp: 0,
        saved: [0; 12],
        floats: 0,
        float: [0; 32],
        fcsr: 0,
        low: null_mut(),
        end: null_mut(),
        entry: 0,
        argument: 0,
    };

    /// The stack.
    pub(crate) fn stack(&self) -> Range<*mut usize> {
        self.low..self.end
    }

    /// What the thread began with.
    pub(crate) fn argument(&self) -> usize {
        self.argument
    }

    /// The thread begins at `entry` with `argument`, on `stack`, which no other thread has.
    pub(crate) fn begin(&mut self, stack: Range<*mut usize>, entry: EntryPoint, argument: usize) {
        *self = Context {
            low: stack.start,
            end: stack.end,
            entry: entry as usize,
            argument,
            ..Context::NONE
        };
        self.restart();
    }

    /// The thread begins anew when it goes on.
    pub(crate) fn restart(&mut self) {
        self.ra = flyball_begin as *const () as usize;
        self.sp = self.end.addr();
        self.saved[0] = self.entry;
        self.saved[1] = self.argument;
        self.floats = 0;
    }
}

unsafe extern "C" {
    /// Keeps what `from` needs to go on, and goes on with `to`. Comes back when `from` goes on,
    /// maybe on another hart.
    ///
    /// # Safety
    /// Interrupts are masked, both stay in place, and no other hart goes on with `to`, or with
    /// `from` until it has been left.
    fn flyball_switch(from: *mut Context, to: *const Context);

    /// The same between threads of C, whose pointer is their argument ([`MachineConfig::C_LIBRARY`]).
    ///
    /// [`MachineConfig::C_LIBRARY`]: flyball_port::MachineConfig::C_LIBRARY
    ///
    /// # Safety
    /// As for [`flyball_switch`].
    fn flyball_switch_c(from: *mut Context, to: *const Context);

    /// Calls the handler of an interrupt, which may compute with floating-point numbers, as C does
    /// ([`MachineConfig::C_LIBRARY`]): keeps those of the registers that a call may change.
    ///
    /// [`MachineConfig::C_LIBRARY`]: flyball_port::MachineConfig::C_LIBRARY
    pub(crate) safe fn flyball_call_c(handler: extern "C" fn());

    /// Begins a thread: s0 its entry, s1 its argument.
    fn flyball_begin();
}

/// Switches in the way that threads of the configuration need.
///
/// # Safety
/// As for [`flyball_switch`].
#[inline(always)]
pub(crate) unsafe fn switch<C: HartConfig>(from: *mut Context, to: *const Context) {
    if C::C_LIBRARY {
        // SAFETY: as the caller promises.
        unsafe { flyball_switch_c(from, to) };
    } else {
        // SAFETY: as the caller promises.
        unsafe { flyball_switch(from, to) };
    }
}

/// Goes on with `next`, and never returns to the caller.
///
/// # Safety
/// As for [`flyball_switch`].
#[cold]
#[inline(never)]
pub(crate) unsafe fn abandon<C: HartConfig>(next: *const Context) -> ! {
    let mut nobody = Context::NONE;
    // SAFETY: as the caller promises.
    unsafe { switch::<C>(&raw mut nobody, next) };
    unreachable!("nobody goes on with nobody")
}

core::arch::global_asm!(
    ".option push",
    ".option norelax",
    ".option arch, +d",
    ".section .text.flyball_switch, \"ax\"",
    ".global flyball_switch",
    ".balign 4",
    "flyball_switch:",
    "sd ra, 0(a0)",
    "sd sp, 8(a0)",
    ".irp n,0,1,2,3,4,5,6,7,8,9,10,11",
    "sd s\\n, 16+8*\\n(a0)",
    ".endr",
    // mstatus.FS: 3 if any has been written since it was last kept.
    "csrr t0, mstatus",
    "srli t0, t0, 13",
    "andi t0, t0, 3",
    "addi t0, t0, -3",
    "bnez t0, 1f",
    "addi t1, a0, 120",
    ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
    "fsd f\\n, 8*\\n(t1)",
    ".endr",
    "frcsr t2",
    "sd t2, 376(a0)",
    "li t2, 1",
    "sd t2, 112(a0)",
    "1:",
    "ld t2, 112(a1)",
    "beqz t2, 2f",
    "addi t1, a1, 120",
    ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
    "fld f\\n, 8*\\n(t1)",
    ".endr",
    "ld t2, 376(a1)",
    "fscsr t2",
    "2:",
    // What is in the registers now is kept: clean.
    "li t0, 3 << 13",
    "csrc mstatus, t0",
    "li t0, 2 << 13",
    "csrs mstatus, t0",
    "ld ra, 0(a1)",
    "ld sp, 8(a1)",
    ".irp n,0,1,2,3,4,5,6,7,8,9,10,11",
    "ld s\\n, 16+8*\\n(a1)",
    ".endr",
    "ret",
    ".global flyball_begin",
    ".balign 4",
    "flyball_begin:",
    "call flyball_begun",
    "csrsi mstatus, 8",
    "mv a0, s1",
    "jr s0",
    ".option pop",
);

core::arch::global_asm!(
    ".section .text.flyball_switch_c, \"ax\"",
    ".global flyball_switch_c",
    ".balign 4",
    "flyball_switch_c:",
    "ld tp, 408(a1)",
    "tail flyball_switch",
);

core::arch::global_asm!(
    ".option push",
    ".option norelax",
    ".option arch, +d",
    ".section .text.flyball_call_c, \"ax\"",
    ".global flyball_call_c",
    ".balign 4",
    "flyball_call_c:",
    "addi sp, sp, -176",
    "sd ra, 0(sp)",
    "frcsr t0",
    "sd t0, 8(sp)",
    ".irp n,0,1,2,3,4,5,6,7",
    "fsd f\\n, 16+8*\\n(sp)",
    ".endr",
    ".irp n,10,11,12,13,14,15,16,17",
    "fsd f\\n, 8*\\n(sp)",
    ".endr",
    ".irp n,28,29,30,31",
    "fsd f\\n, 8*\\n-80(sp)",
    ".endr",
    "jalr a0",
    ".irp n,0,1,2,3,4,5,6,7",
    "fld f\\n, 16+8*\\n(sp)",
    ".endr",
    ".irp n,10,11,12,13,14,15,16,17",
    "fld f\\n, 8*\\n(sp)",
    ".endr",
    ".irp n,28,29,30,31",
    "fld f\\n, 8*\\n-80(sp)",
    ".endr",
    "ld t0, 8(sp)",
    "fscsr t0",
    "ld ra, 0(sp)",
    "addi sp, sp, 176",
    "ret",
    ".option pop",
);
