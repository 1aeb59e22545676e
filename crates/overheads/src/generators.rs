//! Programs whose behaviour is known, for counters to be looked at.
//!
//! Process cruise control needs to know how a task behaves that waits for memory, and one that does not
//! (Weissel and Bellosa, *Process Cruise Control*, CASES 2002, use such programs to find their frequency
//! domains). Each of these does the same work every time.

use core::hint::black_box;

/// A program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Generator {
    /// Ends at once: what the program around the others takes.
    Nothing,
    /// Goes through 64 MiB, line after line in an order that no processor foresees: each step waits for
    /// memory.
    Memory,
    /// Multiplies and shifts in registers.
    Computation,
}

/// Lines of 64 bytes, a power of two.
const LINES: usize = 1 << 20;

/// Numbers a line.
const LINE: usize = 8;

impl Generator {
    /// All of them.
    pub const ALL: [Generator; 3] = [
        Generator::Nothing,
        Generator::Memory,
        Generator::Computation,
    ];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Generator::Nothing => "nothing",
            Generator::Memory => "mem",
            Generator::Computation => "alu",
        }
    }

    /// Runs it. The result means nothing.
    pub fn run(self) -> u64 {
        match self {
            Generator::Nothing => 0,
            Generator::Memory => memory(),
            Generator::Computation => computation(),
        }
    }
}

fn memory() -> u64 {
    let mut lines = vec![0_u64; LINES * LINE];
    for line in lines.chunks_exact_mut(LINE) {
        line[0] = black_box(1);
    }
    let mut at = 1_usize;
    for _ in 0..2 * LINES {
        // A generator of full period: each line is visited once in so many steps. What is found is added, so
        // that the next step has to wait for it.
        let found = usize::try_from(lines[(at & (LINES - 1)) * LINE]).unwrap_or(0);
        at = at
            .wrapping_mul(1_664_525)
            .wrapping_add(1_013_904_222 + found);
    }
    black_box(at) as u64
}

fn computation() -> u64 {
    let mut number = black_box(0x9E37_79B9_7F4A_7C15_u64);
    for _ in 0..5_000_000 {
        number ^= number << 13;
        number ^= number >> 7;
        number = black_box(number.wrapping_mul(0x2545_F491_4F6C_DD1D));
    }
    number
}
