//! How harts begin: each on a stack of its own, the first with `main`, on one that is larger, the
//! others asleep until they are rung for.

use core::arch::global_asm;

global_asm!(
    ".section .text.start, \"ax\"",
    ".global _start",
    "_start:",
    "csrw mie, zero",
    ".option push",
    ".option norelax",
    "la gp, __global_pointer$",
    ".option pop",
    "la t0, flyball_trap",
    "csrw mtvec, t0",
    // Floating point may be used.
    "li t0, 1 << 13",
    "csrs mstatus, t0",
    "csrr t0, mhartid",
    "la sp, __hart_stacks",
    "addi t1, t0, 1",
    "slli t1, t1, 14", // 16 KB each
    "add sp, sp, t1",
    "bnez t0, 2f",
    "la sp, __main_stack",
    "la t1, __bss_start",
    "la t2, __bss_end",
    "1:",
    "bgeu t1, t2, 3f",
    "sd zero, 0(t1)",
    "addi t1, t1, 8",
    "j 1b",
    "3:",
    "call flyball_main",
    // The others: a hart that is never rung for sleeps for ever.
    "2:",
    "li t1, 64",
    "bgeu t0, t1, 4f",
    "li t1, 8", // MSIE
    "csrw mie, t1",
    "4:",
    "wfi",
    "csrr t1, mip",
    "andi t1, t1, 8",
    "beqz t1, 4b",
    "call flyball_other_hart",
);

/// What an interrupt or an exception begins with: keeps what a call may change, and where to go on.
mod trap {
    use core::arch::global_asm;

    global_asm!(
        ".section .text.flyball_trap, \"ax\"",
        ".global flyball_trap",
        ".balign 4",
        "flyball_trap:",
        "addi sp, sp, -144",
        "sd ra, 0(sp)",
        ".irp n,0,1,2",
        "sd t\\n, 8+8*\\n(sp)",
        ".endr",
        ".irp n,0,1,2,3,4,5,6,7",
        "sd a\\n, 32+8*\\n(sp)",
        ".endr",
        ".irp n,3,4,5,6",
        "sd t\\n, 72+8*\\n(sp)",
        ".endr",
        "csrr t0, mepc",
        "csrr t1, mstatus",
        "sd t0, 128(sp)",
        "sd t1, 136(sp)",
        "csrr a0, mcause",
        "mv a1, sp",
        "call flyball_trapped",
        "ld t0, 128(sp)",
        "ld t1, 136(sp)",
        "csrw mepc, t0",
        // Of mstatus only what interrupts were before (MPIE) and the privilege mode: which
        // registers of floating point are kept where has changed meanwhile.
        "li t2, 0x1880",
        "and t1, t1, t2",
        "csrc mstatus, t2",
        "csrs mstatus, t1",
        "ld ra, 0(sp)",
        ".irp n,0,1,2",
        "ld t\\n, 8+8*\\n(sp)",
        ".endr",
        ".irp n,0,1,2,3,4,5,6,7",
        "ld a\\n, 32+8*\\n(sp)",
        ".endr",
        ".irp n,3,4,5,6",
        "ld t\\n, 72+8*\\n(sp)",
        ".endr",
        "addi sp, sp, 144",
        "mret",
    );
}
