//! Images that do what no task may: the task set's second task goes wrong in its third job.
//!
//! Otherwise they are those that run task sets under fixed priorities, so a test can see that the
//! fault is named, and that what the other tasks did before it is not lost.
#![no_std]

use core::hint::black_box;
use core::marker::PhantomData;
use core::ptr;
use core::task::Poll;
use flyball_catalogue::Fp;
use flyball_kernel::{Config, Core, Numbered};
use flyball_machine_cortexm::board::Chosen;
use flyball_machine_cortexm::{BoardConfig, Kernel, Machine, MachineConfig, Stacks, compute};
use flyball_policy::order::Level;
use flyball_policy::{Bitmap, FixedPriority, Inline, Nothing, Ranked, TaskId};
use flyball_runner::{Program, Runner, thread};
use flyball_trace::NoTrace;

/// A kernel with room for so many threads, for images that run no task set.
pub struct App<const THREADS: usize>;

impl<const THREADS: usize> Config for App<THREADS> {
    type Policy = Ranked<FixedPriority, Bitmap<Level, Inline<8>>>;
    type Trace = NoTrace;
    type Message = ();
    type Stamp = flyball_machine_cortexm::stamp!(Self);
    type Cpus = Inline<1>;
    type Threads = Inline<THREADS>;
    type Objects = Numbered<Inline<1>, Inline<1>, Inline<1>>;
    type Owned = Nothing;
    type Ceilings = Nothing;
    type Queues = Inline<1>;
    type Messages = Inline<1>;
    type Jobs = Inline<THREADS>;
    type Arrivals = Inline<1>;
    type Accounts = Inline<THREADS>;
    type Counts = Nothing;
    type Budgets = Nothing;
}

impl<const THREADS: usize> BoardConfig for App<THREADS> {
    type Board = Chosen;
}

impl<const THREADS: usize> MachineConfig for App<THREADS> {
    fn name(thread: TaskId) -> Option<&'static str> {
        (thread == TaskId(0)).then_some("diver")
    }
}

/// What goes wrong, and how it is to be noticed.
pub trait Fault: Sized + 'static {
    /// What is done about stacks that are too small.
    const STACKS: Stacks = Stacks::Guarded;

    /// Goes wrong.
    fn happen(kernel: &'static Kernel<Runner<Image<Self>>>);
}

/// The image with a [`Fault`].
pub struct Image<F>(PhantomData<F>);

impl<F: Fault> Program for Image<F> {
    type Boot = Fp;
    const STACKS: Stacks = F::STACKS;
}

/// What each thread does. The second one computes for 500 µs in its first two jobs, and goes wrong
/// after 200 µs of the third one.
pub fn thread_of<F: Fault>(kernel: &'static Kernel<Runner<Image<F>>>, number: usize) -> ! {
    if number != 1 {
        thread(kernel, number)
    }
    for _ in 0..2 {
        compute(500_000);
        let _ = kernel.call(Core::wait_next);
    }
    compute(200_000);
    F::happen(kernel);
    // This has not been noticed, and is noticed no earlier than at the next context switch.
    compute(1_300_000);
    loop {
        let _ = kernel.call(Core::wait_next);
    }
}

/// Calls itself, and `each` at each depth, until its stack is `bytes` bytes deep, or at address
/// zero.
pub fn descend(bytes: usize, each: &dyn Fn()) {
    let here = 0_u32;
    go((ptr::from_ref(&here) as usize).saturating_sub(bytes), each);
}

#[inline(never)]
fn go(lowest: usize, each: &dyn Fn()) {
    // Every word is written, as no probe sees a stack pointer that only jumps.
    let local = black_box([lowest; 4]);
    each();
    if ptr::from_ref(&local) as usize > lowest {
        go(lowest, each);
    }
    black_box(local);
}

/// A call of the kernel, during which interrupts are masked.
pub fn call<F: Fault>(kernel: &'static Kernel<Runner<Image<F>>>) {
    let _ = kernel.call(|core, cpu, now| core.yield_now(cpu, now).map(Poll::Ready));
}
