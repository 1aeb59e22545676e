//! The Cortex-M3: one CPU, and tables in place.

use crate::{Chosen, Program, Runner};
use flyball_kernel::{Error, ThreadId, Timing};
use flyball_policy::{Duration, Inline, Time};
use flyball_script::image::{Common, Image, Task};
use flyball_trace::Record;
use static_cell::ConstStaticCell;

pub use flyball_machine_cortexm as machine;
pub use flyball_machine_cortexm::board::Chosen as ChosenBoard;
use flyball_machine_cortexm::board::{self, Board, Timer};
pub use flyball_machine_cortexm::{
    BoardConfig, EntryPoint, Fault, Kernel, Machine, MachineConfig, SpinLock, Stack, StackArea,
    Stacks,
};

use crate::TraceBuffer;

/// Whether the board is one with 64 KB of RAM.
const IS_SMALL: bool = cfg!(feature = "lm3s6965");
/// How many threads there are at most.
pub const THREADS: usize = if IS_SMALL { 8 } else { 32 };
/// So many instructions before its instant the timer interrupts for a release: what the way to the
/// handler takes, but for as late as the kernel's timer is, which comes after it if it is set to the
/// same instant.
pub(crate) const EARLY: u64 = 100;
/// How many CPUs there are at most.
pub(crate) const CPUS: usize = 1;
/// How many clusters of CPUs there are at most.
pub(crate) const CLUSTERS: usize = 1;
/// Tables with a row for each thread.
pub type Rows = Inline<THREADS>;
/// Tables with a row for each CPU.
pub type Cpus = Inline<1>;
/// Tables with a row for each object of a kind.
pub type Objects = Inline<{ crate::program::OBJECTS }>;
/// Room for messages.
pub type Messages = Inline<{ if IS_SMALL { 64 } else { 256 } }>;
/// What a thread has for a stack, in words of four bytes.
pub type ThreadStack = Stack<512>;

/// The task set, and memory for a trace: what the board has besides the linker's, or some of that.
/// `None`: it has been taken.
pub fn take_memory(_: usize) -> Option<(&'static [u8], &'static mut [u8])> {
    /// 512 events, if the board has no other memory.
    const BYTES: usize = 512 * Record::SIZE;
    static BUFFER: ConstStaticCell<[u8; if IS_SMALL { BYTES } else { 0 }]> =
        ConstStaticCell::new([0; _]);
    let (loaded, spare) = board::take_memory::<ChosenBoard>()?;
    Some(match spare {
        [] => (loaded, BUFFER.try_take()?),
        _ => (loaded, spare),
    })
}

/// Makes the kernel.
pub(crate) fn init<P: Program>(
    kernel: &'static Kernel<Runner<P>>,
    chosen: &Chosen<P::Boot>,
    _: Image<'static>,
    timing: Timing,
    mut tape: impl FnMut(u8, usize) -> TraceBuffer,
) {
    let policy = chosen.policy(THREADS, 1);
    kernel.init(policy, tape(0, 1), timing);
}

/// The parts of a task that is split are on several CPUs, of which there is one.
pub(crate) fn split<P: Program>(
    _: &'static Kernel<Runner<P>>,
    _: &Chosen<P::Boot>,
    _: Image<'static>,
    _: &Task,
    _: ThreadId,
    _: Time,
) -> Result<(), Error> {
    Err(Error::Invalid)
}

/// How many clusters of CPUs there are.
pub(crate) fn clusters(_: &Common) -> u8 {
    1
}

/// Keeps the thread busy for so long: to the nearest instruction.
pub(crate) fn compute<P: Program>(
    _: &'static Kernel<Runner<P>>,
    length: Duration,
    instruction: Duration,
) {
    keep_busy(length, instruction);
}

/// The same within the kernel.
pub(crate) fn keep_busy(length: Duration, instruction: Duration) {
    // A power of two, so this is a shift.
    let shift = instruction.as_nanos().trailing_zeros();
    let half = (1 << shift) / 2;
    machine::compute(length.as_nanos().saturating_add(half) >> shift);
}

/// The cluster of the CPU that calls.
pub(crate) fn cluster<P: Program>(_: &'static Kernel<Runner<P>>, _: &Common) -> u8 {
    0
}

/// The application's timer interrupts after `after`.
pub(crate) fn set_timer<P: Program>(
    _: &'static Kernel<Runner<P>>,
    _: u8,
    _: &Common,
    after: Duration,
) {
    let ticks = after / Duration::from_nanos(ChosenBoard::TICK_NS.into());
    let ticks = u32::try_from(ticks).unwrap_or(u32::MAX).max(1);
    ChosenBoard::one_shot(Timer::Application, ticks);
}

/// The trace of this cluster is complete; comes back when all are.
pub(crate) fn retire<P: Program>(_: &'static Kernel<Runner<P>>, _: &Common) {}
