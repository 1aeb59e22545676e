//! RISC-V with several CPUs: clusters of them, and tables on a heap that are as large as the task
//! set wants.

use crate::{Chosen, Program, Runner, output};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;
use flyball_kernel::{Error, Sizes, ThreadId, Timing};
use flyball_policy::{Boxed, Duration, SplitTask, Time};
use flyball_script::image::{Common, Image, Task};

pub use flyball_machine_riscv as machine;
pub use flyball_machine_riscv::board::take_memory;
pub use flyball_machine_riscv::{
    EntryPoint, Fault, Kernel, Machine, MachineConfig, SpinLock, Stack, StackArea, Stacks,
};

use crate::TraceBuffer;
use semihosting::fs::File;
use semihosting::io::{self, Write};

/// How many threads there are at most.
pub const THREADS: usize = 1024;
/// So many instructions before its instant the timer interrupts for a release: what the way to the
/// handler takes, but for as late as the kernel's timer is, which comes after it if it is set to the
/// same instant.
pub(crate) const EARLY: u64 = 400;
/// How many CPUs there are at most.
pub(crate) const CPUS: usize = 64;
/// How many clusters of CPUs there are at most.
pub(crate) const CLUSTERS: usize = 64;
/// Tables with a row for each thread.
pub type Rows = Boxed;
/// Tables with a row for each CPU.
pub type Cpus = Boxed;
/// Tables with a row for each object of a kind.
pub type Objects = Boxed;
/// How many released jobs may wait for earlier ones.
const ARRIVALS: usize = 64;

/// Room for messages.
pub type Messages = Boxed;
/// What a thread has for a stack, in words of eight bytes.
pub type ThreadStack = Stack<512>;

/// Makes the kernel: a core for each cluster.
pub(crate) fn init<P: Program>(
    kernel: &'static Kernel<Runner<P>>,
    chosen: &Chosen<P::Boot>,
    image: Image<'static>,
    timing: Timing,
    mut tape: impl FnMut(u8, usize) -> TraceBuffer,
) {
    let common = image.common();
    let cpus = machine::Cpus {
        all: common.cpus,
        cluster: common.cluster,
    };
    let all = clusters(&common);
    kernel.init_clusters(cpus, timing, |cluster| {
        let first = cluster * common.cluster;
        let immigrants = (0..image.first()).filter(|&number| immigrates(image, number, first));
        let residents = crate::program::of_cluster(image, cluster).count();
        let threads = match image.controller() {
            [] => (residents + immigrants.count()).max(1),
            // A controller may move every task.
            _ => image.tasks().into(),
        };
        let count = common.cluster.min(common.cpus - first);
        let messages = (0..image.queues()).map(|number| usize::from(image.capacity(number)));
        let sizes = Sizes {
            threads,
            mutexes: image.mutexes().into(),
            semaphores: image.semaphores().into(),
            queues: image.queues().into(),
            messages: messages.sum(),
            arrivals: ARRIVALS,
            ..Sizes::FIXED
        };
        let policy = chosen.policy(threads, count.into());
        Some((policy, tape(cluster, all.into()), sizes))
    });
    if kernel.cpus() != common.cpus {
        output::fail("there are more CPUs than the machine has");
    }
}

/// Whether a task that is split has a subtask on a CPU that is not its home.
fn immigrates(image: Image<'static>, number: u16, cpu: u8) -> bool {
    image.task(number).is_some_and(|task| {
        let mut subtasks = (0..task.subtasks()).filter_map(|subtask| image.subtask(&task, subtask));
        task.cpu != cpu && subtasks.any(|subtask| subtask.cpu.0 == cpu)
    })
}

/// The subtasks of a task that is split are on several CPUs.
pub(crate) fn split<P: Program>(
    kernel: &'static Kernel<Runner<P>>,
    chosen: &Chosen<P::Boot>,
    image: Image<'static>,
    task: &Task,
    thread: ThreadId,
    start: Time,
) -> Result<(), Error> {
    let subtasks: Vec<_> = (0..task.subtasks())
        .filter_map(|subtask| image.subtask(task, subtask))
        .collect();
    let params = (0..task.subtasks()).filter_map(|subtask| image.params_of_subtask(task, subtask));
    let params = params.map(|bytes| chosen.params(bytes)).collect();
    let split = SplitTask::new(subtasks.into_boxed_slice(), task.period, start + task.phase);
    kernel.split(thread, split, params, TraceBuffer::name)
}

/// How many clusters of CPUs there are.
pub(crate) fn clusters(common: &Common) -> u8 {
    common.cpus.div_ceil(common.cluster)
}

/// Keeps the thread busy for so long: to the nearest tick of the clock.
pub(crate) fn compute<P: Program>(
    kernel: &'static Kernel<Runner<P>>,
    length: Duration,
    _: Duration,
) {
    kernel.compute(length);
}

/// The same within the kernel.
pub(crate) fn keep_busy(length: Duration, _: Duration) {
    machine::keep_busy(length);
}

/// The cluster of the CPU that calls.
pub(crate) fn cluster<P: Program>(kernel: &'static Kernel<Runner<P>>, common: &Common) -> u8 {
    kernel.this_cpu() / common.cluster
}

/// The application's timer of a cluster interrupts its first CPU after `after`.
pub(crate) fn set_timer<P: Program>(
    kernel: &'static Kernel<Runner<P>>,
    cluster: u8,
    common: &Common,
    after: Duration,
) {
    kernel.set_timer_of(cluster * common.cluster, after);
}

/// The trace of this cluster is complete; comes back when all are, and on the first CPU only.
pub(crate) fn retire<P: Program>(kernel: &'static Kernel<Runner<P>>, common: &Common) {
    kernel.retire(clusters(common));
    if machine::probe::ENABLED && write_counts(kernel, common).is_err() {
        output::fail("the host does not take what was counted");
    }
}

/// What was counted: a line for each, two words and some numbers, of which the first is the hart's
/// where it is about one.
fn write_counts<P: Program>(kernel: &'static Kernel<Runner<P>>, common: &Common) -> io::Result<()> {
    let mut file = File::create(c"flyball-counts.txt")?;
    let mut lines = String::new();
    for hart in 0..common.cpus {
        machine::probe::report(hart, |path, part, lengths| {
            let (count, sum, most) = (lengths.count, lengths.sum, lengths.most);
            // What there was none of is left out. Writing to a string cannot fail.
            if count > 0 {
                let _ = writeln!(lines, "{path} {part} {hart} {count} {sum} {most}");
            }
        });
        file.write_all(lines.as_bytes())?;
        lines.clear();
    }
    let mut all = machine::Traffic::default();
    for first in (0..common.cpus).step_by(common.cluster.into()) {
        let traffic = kernel.traffic_of(first);
        all.taken += traffic.taken;
        all.contended += traffic.contended;
        all.rung += traffic.rung;
        all.spared += traffic.spared;
    }
    writeln!(file, "lock taken {} 0 0", all.taken)?;
    writeln!(file, "lock contended {} 0 0", all.contended)?;
    writeln!(file, "interrupts rung {} 0 0", all.rung)?;
    writeln!(file, "interrupts spared {} 0 0", all.spared)
}
