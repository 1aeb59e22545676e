//! What the processor begins with. That of `cortex-m-rt` calls `main`, which is the program's here.

// The rest of memory is the loader's: the image is an ELF file. What a debugger has changed before is
// undone, so a reset starts the program anew.
core::arch::global_asm!(
    ".section .text.flyball_reset, \"ax\", %progbits",
    ".global flyball_reset",
    ".type flyball_reset, %function",
    ".thumb_func",
    "flyball_reset:",
    "ldr r0, =__sdata",
    "ldr r1, =__edata",
    "ldr r2, =__sidata",
    "1:",
    "cmp r0, r1",
    "bhs 2f",
    "ldm r2!, {{r3}}",
    "stm r0!, {{r3}}",
    "b 1b",
    "2:",
    "ldr r0, =__sbss",
    "ldr r1, =__ebss",
    "movs r3, #0",
    "3:",
    "cmp r0, r1",
    "bhs 4f",
    "stm r0!, {{r3}}",
    "b 3b",
    "4:",
    "bl flyball_main",
    "udf #0",
    ".ltorg",
);
