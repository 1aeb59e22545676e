//! Threads that yield, on the host machine: the way into the kernel, the decision, and the switch.

use super::{Kind, Measured, Results, Task};
use crate::Error;
use crate::clock::{Clock, stamp};
use crate::measurements::Quantity;
use crate::stats::Samples;
use core::cell::{Cell, RefCell};
use core::ptr::with_exposed_provenance;
use flyball_kernel::{Attributes, Core, Timing};
use flyball_machine_host::{Kernel, Machine};
use flyball_policy::Duration;
use flyball_trace::NoTrace;

/// After so many yields a little time passes, or the machine takes it that its threads wait in
/// vain.
const PATIENCE: usize = 1 << 19;

/// How many yields are timed together where the clock is not to be in between.
const BATCH: usize = 100;

/// For how long the threads that are done compute: longer than the machine runs.
const LONG: Duration = Duration::from_secs(1);

/// What the threads share.
struct Stage<K: Kind + 'static> {
    kernel: &'static Kernel<Measured<K, 1>>,
    clock: Clock,
    /// How many yields there are between two stamps.
    batch: Cell<usize>,
    /// The last stamp; 0: there is none.
    left: Cell<u64>,
    /// How many yields are to come.
    to_come: Cell<usize>,
    samples: RefCell<Samples>,
}

/// Measures how long a yield takes, each and in the mean. The threads are equals, and take turns.
pub(super) fn measure<K: Kind + 'static>(task: Task<'_>) -> Result<Results, Error> {
    let kernel: &'static Kernel<Measured<K, 1>> = Box::leak(Box::default());
    kernel.init(K::policy(1)?, NoTrace, Timing::Tickless);
    let stage: &'static Stage<K> = Box::leak(Box::new(Stage {
        kernel,
        clock: *task.clock,
        batch: Cell::new(BATCH),
        left: Cell::new(0),
        to_come: Cell::new(0),
        samples: RefCell::new(Samples::with_capacity(task.repetitions)),
    }));
    for _ in 0..task.threads.max(2) {
        let argument = core::ptr::from_ref(stage).expose_provenance();
        let params = K::equals()?;
        // SAFETY: `yields` may be called with the address of a stage of its type that exists for
        // ever, and no job is given up.
        let spawned =
            unsafe { kernel.spawn_on(&mut [], Attributes::THREAD, params, yields::<K>, argument) };
        spawned?;
    }
    // Each thread begins, and learns.
    stage.run(task.repetitions / 10 + task.threads)?;
    stage.samples.take();
    stage.batch.set(BATCH);
    stage.run(task.repetitions.max(2 * BATCH))?;
    let untimed = stage.samples.take().summary();
    stage.batch.set(1);
    stage.run(task.repetitions)?;
    // SAFETY: the threads have nothing on their stacks that would have to be dropped, and the
    // kernel and the stage, which they refer to, are not there.
    unsafe { kernel.tear_down() };
    Ok(vec![
        (Quantity::YieldUntimed, untimed),
        (Quantity::Yield, stage.samples.take().summary()),
    ])
}

impl<K: Kind> Stage<K> {
    /// Lets the threads yield so many times.
    fn run(&self, yields: usize) -> Result<(), Error> {
        self.to_come.set(yields);
        self.left.set(0);
        let end = self.kernel.now() + LONG;
        self.kernel.run(end)?;
        Ok(())
    }

    /// A thread is about to yield: the beginning of a sample, and with a batch the end of another
    /// one.
    #[inline]
    fn stamped(&self) {
        let batch = self.batch.get();
        if batch > 1 && self.left.get() != 0 {
            let now = stamp();
            #[expect(clippy::cast_precision_loss, reason = "a batch is small")]
            let each = self.clock.net(self.left.get(), now) / batch as f64;
            self.samples.borrow_mut().push(each);
        }
        self.left.set(stamp());
    }

    /// A thread has the processor again: the end of a sample that another one began.
    #[inline]
    fn arrived(&self) {
        let now = stamp();
        if self.left.get() != 0 {
            let nanoseconds = self.clock.net(self.left.get(), now);
            self.samples.borrow_mut().push(nanoseconds);
        }
    }
}

/// A thread, to which it is told where its stage is.
extern "C" fn yields<K: Kind + 'static>(argument: usize) -> ! {
    // SAFETY: the creator of the thread gave it the address of a stage of this type, which exists
    // for ever and is shared by what runs in this thread of the operating system only.
    let stage = unsafe { &*with_exposed_provenance::<Stage<K>>(argument) };
    let Stage { kernel, .. } = stage;
    loop {
        let Some(to_come) = stage.to_come.get().checked_sub(1) else {
            kernel.compute(LONG);
            continue;
        };
        stage.to_come.set(to_come);
        if to_come % PATIENCE == 0 {
            kernel.compute(Duration::from_nanos(1));
        }
        let batch = stage.batch.get();
        if to_come % batch == 0 {
            stage.stamped();
        }
        // A thread that calls is no handler, so this cannot be refused.
        let _ = kernel.act(Core::yield_now);
        // It may have been away for so long that something else is measured now.
        if stage.batch.get() == 1 {
            stage.arrived();
        }
    }
}
