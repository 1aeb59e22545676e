//! What an image runs, and what its kernel consists of.

use crate::machine::{
    Cpus, Fault, Kernel, Machine, MachineConfig, Messages, Objects, Rows, SpinLock, Stacks,
};
use crate::{TraceBuffer, output, speeds};
use core::fmt::Display;
use core::marker::PhantomData;
use flyball_catalogue::{Boot, Shape, Size};
use flyball_kernel::{Config, Numbered};
use flyball_policy::{CpuId, Nothing, Speed};
use flyball_script::image::Image;

/// How many objects of each kind there are at most.
pub(crate) const OBJECTS: usize = 16;

/// What an image runs.
pub trait Program: 'static {
    /// One scheduler, or one of several.
    type Boot: Boot;
    /// What is done about stacks that are too small.
    const STACKS: Stacks = Stacks::Guarded;

    /// Prepares what else is to run. The threads of all tasks have been made, and none runs yet.
    fn prepare(kernel: &'static Kernel<Runner<Self>>, image: Image<'static>)
    where
        Self: Sized,
    {
        let _ = (kernel, image);
    }
}

impl<B: Boot + 'static> Program for B {
    type Boot = B;
}

/// What the kernel consists of.
pub struct Runner<P>(PhantomData<P>);

/// The scheduler that the task set names, once it is known.
pub struct Chosen<B>(SpinLock<Option<B>>);

impl<B: Boot> Chosen<B> {
    /// None yet.
    pub const fn new() -> Chosen<B> {
        Chosen(SpinLock::new(None))
    }

    /// Finds the scheduler that the task set names.
    pub(crate) fn choose(&self, image: Image<'_>) {
        let shape = Shape::from_byte(image.common().shape);
        let find = |shape| B::find(image.scheduler(), shape, &mut image.settings());
        match shape.and_then(find) {
            Some(scheduler) => self.0.with(|chosen| *chosen = Some(scheduler)),
            None => output::fail(format_args!(
                "this image has no policy \"{}\" with such settings",
                image.scheduler()
            )),
        }
    }

    /// Makes the policy of a cluster.
    pub(crate) fn policy(&self, threads: usize, cpus: usize) -> B::Policy<Rows, Cpus> {
        self.with(|scheduler| scheduler.boot(Size::new(threads, cpus)))
    }

    /// What a task tells the policy in these bytes.
    pub(crate) fn params(&self, mut bytes: &[u8]) -> B::Params {
        match self.with(|scheduler| scheduler.decode(&mut bytes)) {
            Some(params) => params,
            None => output::fail("a task tells the policy nothing that it understands"),
        }
    }

    fn with<R>(&self, f: impl FnOnce(&B) -> R) -> R {
        let done = self.0.with(|chosen| chosen.as_ref().map(f));
        done.unwrap_or_else(|| output::fail("no policy is chosen yet"))
    }
}

impl<B: Boot> Default for Chosen<B> {
    fn default() -> Chosen<B> {
        Chosen::new()
    }
}

/// Where mutexes and semaphores are; condition variables are in no script.
pub(crate) type Places = Numbered<Objects, Objects, Nothing>;

impl<P: Program> Config for Runner<P> {
    type Policy = <P::Boot as Boot>::Policy<Rows, Cpus>;
    type Trace = TraceBuffer;
    type Message = ();
    type Stamp = crate::machine::machine::stamp!(Self);
    type Cpus = Cpus;
    type Threads = Rows;
    type Objects = Places;
    type Owned = Nothing;
    type Ceilings = Nothing;
    type Queues = Objects;
    type Messages = Messages;
    type Jobs = Rows;
    type Arrivals = Objects;
    type Accounts = Rows;
    /// No board counts events.
    type Counts = Nothing;
    type Budgets = Rows;
}

#[cfg(target_arch = "arm")]
impl<P: Program> crate::machine::BoardConfig for Runner<P> {
    type Board = crate::machine::ChosenBoard;
}

impl<P: Program> MachineConfig for Runner<P> {
    const STACKS: Stacks = P::STACKS;

    fn speed(cpu: CpuId, speed: Speed) {
        speeds::change(cpu, speed);
    }

    /// What happened up to now goes to the host, and why it goes no further.
    fn fault(
        kernel: &'static impl Machine<Config = Self>,
        fault: &Fault,
        message: Option<&dyn Display>,
    ) -> ! {
        kernel.look(|core| output::fault(core.trace(), fault, message));
        output::fail(fault)
    }
}

/// The tasks that a cluster begins with.
pub(crate) fn of_cluster(image: Image<'static>, cluster: u8) -> impl Iterator<Item = u16> {
    let size = image.common().cluster;
    let is_here = move |number: &u16| {
        let task = image.task(*number);
        task.is_some_and(|task| task.cpu / size == cluster)
    };
    (0..image.first()).filter(is_here)
}
