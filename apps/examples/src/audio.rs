//! An audio pipeline that never stops: a converter, a filter bank, a spectrum and a display.
//!
//! ```text
//! timer's interrupt      thread `filter`      thread `spectrum`     timer's interrupt
//!      source ──INPUT──► three band-passes ──FILTERED──► FFT ──LOUDEST──► sink
//! ```
//!
//! The source has a block of samples every 10 ms, and the sink wants a result as often. Neither
//! waits. A block that finds no room is an *overrun*, and a result that does not come in time is an
//! *underrun*. The two threads need 70 % of the CPU, and a third one, `batch`, computes all the time.
//! So the policy alone decides whether blocks get lost. Each binary chooses one. The sink begins when half of
//! what the queues hold has come.
//!
//! All machines have a timer for applications, and one interrupt of it drives both the source and the
//! sink. Each thread takes the same CPU time for a block on all machines, whatever its code takes.
//! Lengths are whole milliseconds, and the source starts 0.95 ms after one. A block is filtered in a microsecond
//! more, and `batch` offers the CPU at no multiple of a time slice, so nothing else happens at the very end of a slice.
//! So all machines lose the same blocks, as long as the kernel's own work adds up to less than 0.95 ms.
//!
//! Arithmetic up to the FFT is in integers. The FFT adds and multiplies floats by a table, which gives
//! the same bits on all machines.

use core::sync::atomic::{AtomicBool, AtomicI16, AtomicU32, AtomicUsize, Ordering::Relaxed};
use dsp_fixedpoint::Q32;
use dsp_process::SplitProcess as _;
use flyball_app::{cpu_time, prelude::*, println};
use idsp::iir::{Biquad, DirectForm1};
use microfft::{Complex32, real::rfft_256};

/// How often the source has a block, and the sink wants a result.
const PERIOD: Duration = Duration::from_millis(10);
/// When source and sink start.
const START: Time = Time::from_nanos(950_000);
/// How many blocks the source has in all.
const BLOCKS: u32 = 100;
/// How many messages each of the three queues holds.
const CAPACITY: u16 = 16;
/// How many periods after a block the sink wants its result: half of what the queues hold.
const LATENCY: u32 = 3 * CAPACITY as u32 / 2;
/// How long the thread [`filter`] computes for a block.
const FILTERING: Duration = Duration::from_micros(6_001);
/// How long the thread [`spectrum`] computes for a block.
const TRANSFORM: Duration = Duration::from_millis(1);
/// How long the batch job computes before it offers the CPU to its equals.
const PIECE: Duration = Duration::from_millis(103);

/// Samples, which their source or a thread has until it sends a reference to the next.
type Block = [AtomicI16; 256];

/// How many blocks are in use at once: in two queues, in two threads, and in the source.
const IN_USE: usize = 2 * CAPACITY as usize + 3;
static POOL: [Block; IN_USE] = [const { [const { AtomicI16::new(0) }; 256] }; IN_USE];
/// What the converter hears: a low tone that is loudest, one in the middle, and a high one.
static TONES: Block = [const { AtomicI16::new(0) }; 256];

/// The loudest bin of a block's spectrum, and its power.
#[derive(Clone, Copy)]
struct Loudest {
    bin: u32,
    power: f32,
}

static INPUT: Queue<&Block> = Queue::new(CAPACITY);
static FILTERED: Queue<&Block> = Queue::new(CAPACITY);
static LOUDEST: Queue<Loudest> = Queue::new(CAPACITY);

/// Blocks that the source could not put in.
static OVERRUNS: AtomicU32 = AtomicU32::new(0);
/// Results that the sink did not get.
static UNDERRUNS: AtomicU32 = AtomicU32::new(0);
/// The loudest bin of the last result.
static BIN: AtomicU32 = AtomicU32::new(0);
/// The bits of all powers, added up.
static BITS: AtomicU32 = AtomicU32::new(0);
/// The sink has had its last result.
static DONE: AtomicBool = AtomicBool::new(false);

/// The stack of the thread [`filter`].
pub static FILTER: Stack<512> = Stack::new();
/// The stack of the thread [`spectrum`].
pub static SPECTRUM: Stack<1024> = Stack::new();
/// The stack of the thread [`batch`].
pub static BATCH: Stack<512> = Stack::new();

/// Starts source and sink.
///
/// # Errors
/// As [`Interrupt::attach`].
pub fn start() -> Result<(), Error> {
    for (n, sample) in (0..).zip(&TONES) {
        // The phase is an integer of 32 bits: bin 1 is a whole turn in a block of 256 samples.
        let tone = |bin: i32| idsp::cossin((n * bin) << 24).1;
        let sum = (tone(5) >> 17) + (tone(20) >> 18) + (tone(60) >> 19);
        sample.store(clamped(sum), Relaxed);
    }
    Interrupt::timer().attach(tick)?;
    set_timer(START.since(now()));
    Ok(())
}

/// The converter's interrupt, each period.
fn tick() {
    static TICKS: AtomicU32 = AtomicU32::new(0);
    let tick = TICKS.load(Relaxed) + 1;
    TICKS.store(tick, Relaxed);
    if tick > LATENCY {
        consume();
    }
    if tick <= BLOCKS {
        produce();
    }
    if tick == BLOCKS + LATENCY {
        DONE.store(true, Relaxed);
    } else {
        let next = START + PERIOD * u64::from(tick);
        set_timer(next.since(now()));
    }
}

/// The sink takes a result.
fn consume() {
    if let Ok(Loudest { bin, power }) = LOUDEST.try_receive() {
        BIN.store(bin, Relaxed);
        BITS.store(BITS.load(Relaxed).wrapping_add(power.to_bits()), Relaxed);
    } else {
        UNDERRUNS.fetch_add(1, Relaxed);
    }
}

/// The source has a block. Its place in the pool is free for the next one if the block is lost.
fn produce() {
    static SENT: AtomicUsize = AtomicUsize::new(0);
    let sent = SENT.load(Relaxed);
    let block = &POOL[sent % POOL.len()];
    for (sample, tones) in block.iter().zip(&TONES) {
        sample.store(tones.load(Relaxed), Relaxed);
    }
    if INPUT.try_send(block).is_ok() {
        SENT.store(sent + 1, Relaxed);
    } else {
        OVERRUNS.fetch_add(1, Relaxed);
    }
}

/// Returns the sample, or the nearest one that 16 bits have room for.
fn clamped(sample: i32) -> i16 {
    i16::try_from(sample).unwrap_or(if sample < 0 { i16::MIN } else { i16::MAX })
}

/// Makes a band-pass of the coefficients `b0 = -b2`, `-a1` and `-a2`, in units of 2⁻³⁰.
///
/// They are those of Bristow-Johnson's "Audio EQ cookbook" with a gain of 1 at the peak and Q = 2.
fn band_pass(b0: i32, a1: i32, a2: i32) -> Biquad<Q32<30>> {
    Biquad {
        ba: [b0, 0, -b0, a1, a2].map(Q32::from_bits),
    }
}

/// The body of the thread that filters: an equaliser, which makes the tone in the middle the loudest.
pub fn filter() {
    // Around bins 5, 20 and 60, and by how many bits each band gets quieter.
    let bands = [
        (band_pass(31_883_641, 2_068_045_849, -1_009_974_542), 3),
        (band_pass(113_199_168, 1_694_245_987, -847_343_487), 0),
        (band_pass(213_920_310, 168_554_492, -645_901_205), 1),
    ];
    let mut states: [DirectForm1<i32>; 3] = Default::default();
    while let Ok(block) = INPUT.receive() {
        let begun = cpu_time();
        for sample in block {
            let input = i32::from(sample.load(Relaxed)) << 8;
            let each = bands.iter().zip(&mut states);
            let output: i32 = each
                .map(|((band, quieter), state)| band.process(state, input) >> (8 + quieter))
                .sum();
            sample.store(clamped(output), Relaxed);
        }
        take_all_of(FILTERING, begun);
        if FILTERED.send(block).is_err() {
            return;
        }
    }
}

/// The body of the thread that finds the loudest bin.
pub fn spectrum() {
    while let Ok(block) = FILTERED.receive() {
        let begun = cpu_time();
        let mut samples = block
            .each_ref()
            .map(|sample| f32::from(sample.load(Relaxed)));
        // Bin 0 has two real numbers: those of the frequencies 0 and 128.
        let powers = rfft_256(&mut samples).iter().map(Complex32::norm_sqr);
        let each = (0..).zip(powers).skip(1);
        let loudest = each.max_by(|(_, one), (_, other)| one.total_cmp(other));
        let (bin, power) = loudest.unwrap_or_default();
        take_all_of(TRANSFORM, begun);
        if LOUDEST.send(Loudest { bin, power }).is_err() {
            return;
        }
    }
}

/// Computes until the calling thread has used `length` of CPU time since it had used `begun`.
///
/// What its code takes depends on the machine, and so does the rest of `length`. The sum does not.
fn take_all_of(length: Duration, begun: Duration) {
    let used = cpu_time().saturating_sub(begun);
    compute(length.saturating_sub(used));
}

/// The body of the thread that computes all the time. It says how many blocks got lost under `policy`,
/// and ends the program.
pub fn batch(policy: &str) {
    while !DONE.load(Relaxed) {
        compute(PIECE);
        yield_now();
    }

    println!(
        "audio under {policy}: {BLOCKS} blocks, {} overruns, {} underruns, loudest bin {}, powers {:08x}",
        OVERRUNS.load(Relaxed),
        UNDERRUNS.load(Relaxed),
        BIN.load(Relaxed),
        BITS.load(Relaxed),
    );
    shut_down(0)
}
