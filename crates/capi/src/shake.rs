//! Preempts threads at random instants, for `flyball shake`: before the program starts, that writes a seed
//! to [`SEED`]. From then on the program's timer interrupts again and again, and the thread that runs offers
//! the CPU to others that are as urgent. With the same seed it is at the same instructions.

use core::sync::atomic::{AtomicU32, Ordering};
use flyball_app::seam::{_flyball_attach, _flyball_offer, _flyball_set_timer, _flyball_timer_line};
use flyball_trace::Duration;

/// [`MAGIC`], and a seed. Memory that no program has initialised has not this value.
#[unsafe(export_name = "__flyball_seed")]
#[unsafe(link_section = ".uninit.flyball_seed")]
static SEED: [AtomicU32; 2] = [AtomicU32::new(0), AtomicU32::new(0)];

/// "shak" in ASCII, backwards.
const MAGIC: u32 = 0x6b61_6873;

/// Begins, if there is a seed. No thread runs yet.
pub(crate) fn begin() {
    let [magic, state] = &SEED;
    if magic.load(Ordering::Relaxed) == MAGIC && state.load(Ordering::Relaxed) != 0 {
        // Every machine has this timer.
        let _ = _flyball_attach(_flyball_timer_line(), interrupt);
        next();
    }
}

extern "C" fn interrupt() {
    _flyball_offer();
    next();
}

/// The next interrupt is soon, or not so soon: lengths from a few instructions to many thousand are
/// as probable as each other.
fn next() {
    let state = &SEED[1];
    // xorshift, of George Marsaglia.
    let mut number = state.load(Ordering::Relaxed);
    number ^= number << 13;
    number ^= number >> 17;
    number ^= number << 5;
    state.store(number, Ordering::Relaxed);
    let bits = 6 + (number >> 8) % 14;
    let length = (number >> 12) & ((1 << bits) - 1);
    _flyball_set_timer(Duration::from_nanos(u64::from(length)));
}
