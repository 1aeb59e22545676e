//! Dividing 64-bit numbers in few bytes of code, bit by bit: the compiler's own function takes 900. Only
//! some policies divide times; what is not called is left out.
//!
//! Run-time ABI for the Arm Architecture (IHI 0043), 4.3.1: integer division.

core::arch::global_asm!(
    // r1:r0 / r3:r2; the quotient in r1:r0, and the remainder in r3:r2. The divisor is not zero: that is
    // looked at before, wherever it may be.
    ".section .text.divide, \"ax\", %progbits",
    ".global __aeabi_uldivmod",
    ".type __aeabi_uldivmod, %function",
    ".thumb_func",
    "__aeabi_uldivmod:",
    "push  {{r4, r5, r6, lr}}",
    "movs  r4, #0",
    "movs  r5, #0",
    "movs  r6, #64",
    "1:",
    // The next bit of the dividend goes from r1:r0 to the remainder in r5:r4, and one of the quotient
    // takes its place.
    "adds  r0, r0, r0",
    "adcs  r1, r1",
    "adcs  r4, r4",
    "adcs  r5, r5",
    // A remainder of 65 bits is more than any divisor.
    "bcs   2f",
    "cmp   r5, r3",
    "it    eq",
    "cmpeq r4, r2",
    "blo   3f",
    "2:",
    "subs  r4, r4, r2",
    "sbcs  r5, r3",
    "adds  r0, #1",
    "3:",
    "subs  r6, #1",
    "bne   1b",
    "mov   r2, r4",
    "mov   r3, r5",
    "pop   {{r4, r5, r6, pc}}",
    ".text",
);
