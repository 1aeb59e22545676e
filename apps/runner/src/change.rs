//! Mode changes of a task set, as `flyball_sim::Modes` has them: the mode of each thread, and the
//! one that it has from its next job on.
//!
//! The application's timer interrupts at each change, and at the end. The handler tells the policy
//! and makes threads; a thread that has a job changes its mode when that is complete.

use crate::interrupts::Interrupts;
use crate::machine::{
    self, EntryPoint, Kernel, Machine, MachineConfig, SpinLock, StackArea, THREADS, ThreadStack,
};
use crate::output::or_fail;
use crate::{Chosen, Program, Runner, output};
use flyball_kernel::{
    Attributes, Config, Core, Error, OnMiss, QueueId, Release, SemaphoreId, ThreadId, Trigger,
};
use flyball_policy::{CpuId, Duration, Time};
use flyball_port::{LockedKernel, Port};
use flyball_script::image::{self, Arrival, Change, ChangeKind, Common, Image, Task};
use static_cell::StaticCell;

const CPU: CpuId = CpuId(0);

/// So many instructions before its instant the timer interrupts for a change: interrupts may be
/// masked for as long, or nearly so. Then the handler waits for the instant, and the kernel's timer
/// waits for the handler, so that what is released at that instant is new, as in a simulation.
const EARLY: u64 = 1_000;

/// What the jobs of a thread do.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Mode {
    /// What the row of this number says.
    Row(u16),
    /// Nothing: it ends with its next job.
    #[default]
    Nothing,
}

/// What is known of a thread. It stays when a job is given up.
#[derive(Clone, Copy)]
struct Progress {
    thread: Option<ThreadId>,
    mode: Mode,
    /// The mode from its next job on, if that is another one.
    next: Option<Mode>,
    /// How many random lengths it has used up in this mode.
    drawn: u32,
    /// Its program has begun.
    has_begun: bool,
}

static PROGRESS: [SpinLock<Progress>; THREADS] = [const {
    SpinLock::new(Progress {
        thread: None,
        mode: Mode::Nothing,
        next: None,
        drawn: 0,
        has_begun: false,
    })
}; THREADS];

fn with<R>(number: usize, f: impl FnOnce(&mut Progress) -> R) -> R {
    PROGRESS[number].with(f)
}

impl Mode {
    /// What the thread of that number does.
    pub(crate) fn of(number: usize) -> Mode {
        with(number, |progress| progress.mode)
    }

    /// The task; for a thread that does nothing, the first one of the image.
    pub(crate) fn task(self, image: Image<'_>) -> Task {
        let row = match self {
            Mode::Row(row) => row,
            Mode::Nothing => 0,
        };
        let task = image.task(row);
        task.unwrap_or_else(|| output::fail("a thread has no task"))
    }
}

/// Returns the thread that the task of a number began as, if it has begun.
pub fn thread_of(number: usize) -> Option<ThreadId> {
    with(number, |progress| progress.thread)
}

/// The number of the next random length of a thread's task.
pub(crate) fn draw(number: usize) -> u32 {
    with(number, |progress| {
        let drawn = progress.drawn;
        progress.drawn += 1;
        drawn
    })
}

/// The program of a thread begins. Returns whether it does so anew, as its job was given up.
pub(crate) fn begins_anew(number: usize) -> bool {
    with(number, |progress| {
        core::mem::replace(&mut progress.has_begun, true)
    })
}

/// A job was given up: what it would still have drawn is passed over, if each draws `draws`.
pub(crate) fn pass_over(number: usize, draws: impl FnOnce() -> u32) {
    if with(number, |progress| progress.drawn) > 0 {
        // Not with interrupts masked: it goes through all that a job does.
        let draws = draws();
        with(number, |progress| {
            progress.drawn = progress.drawn.next_multiple_of(draws);
        });
    }
}

/// Whether the thread of a number has a new mode from its next job on.
pub(crate) fn is_pending(number: usize) -> bool {
    with(number, |progress| progress.next.is_some())
}

/// The thread of a number has no job, or has just begun with one: it takes its new mode. Returns
/// whether there is one.
pub(crate) fn turn<C: Config>(core: &mut Core<C>, image: Image<'_>, number: usize) -> bool {
    with(number, |progress| {
        let (Some(next), Some(thread)) = (progress.next, progress.thread) else {
            return false;
        };
        if let Mode::Row(_) = next {
            let task = next.task(image);
            if task.arrival == Arrival::Periodic {
                let deadline = match task.deadline {
                    Duration::MAX => task.period,
                    deadline => deadline,
                };
                match core.retime(thread, task.period, deadline) {
                    Ok(()) => {}
                    // It has to catch up first.
                    Err(Error::Invalid) if core.has_job(thread) => return false,
                    Err(error) => output::fail(error),
                }
            }
        }
        *progress = Progress {
            mode: next,
            next: None,
            drawn: 0,
            ..*progress
        };
        true
    })
}

type StampOf<P> = <Runner<P> as Config>::Stamp;

/// Deadlines that have become earlier may have passed, and it is the instant of a change, at which
/// others are released. As in a simulation that is noticed before it is decided which thread runs;
/// the timer's interrupt would come afterwards.
pub(crate) fn catch_up<C: Config>(core: &mut Core<C>, now: Time) {
    core.timer(CPU, now);
}

/// The changes that are still to come, and the end.
pub(crate) struct ModeChanges {
    image: Image<'static>,
    /// When the task set starts, and when it ends.
    start: Time,
    end: Time,
    /// By how much changes are made before their instants.
    early: Duration,
    /// The number of the next change.
    number: u32,
    /// Its instant; [`Time::NEVER`]: there is none before the end.
    next: Time,
    /// Those of threads that have not begun yet.
    stacks: [Option<StackArea>; THREADS],
}

/// Taken out while changes are made.
static CHANGES: SpinLock<Option<&'static mut ModeChanges>> = SpinLock::new(None);
static CHANGES_PLACE: StaticCell<ModeChanges> = StaticCell::new();

impl ModeChanges {
    pub(crate) fn new<P: Program>(
        image: Image<'static>,
        stacks: &'static mut [ThreadStack; THREADS],
    ) -> &'static mut ModeChanges {
        let prepare =
            |stack: &'static mut ThreadStack| Some(StackArea::of(stack, Runner::<P>::STACKS));
        let common = image.common();
        let changes = CHANGES_PLACE.init(ModeChanges {
            image,
            start: common.start,
            end: common.end,
            early: common.instruction * EARLY,
            number: 0,
            next: Time::NEVER,
            stacks: stacks.each_mut().map(prepare),
        });
        changes.go_on(0);
        changes
    }

    /// The next change is the one of that number. What would be at the end or later never is.
    fn go_on(&mut self, number: u32) {
        let next = self.image.change(number);
        let at = next.map(|change| self.start + change.at);
        self.number = number;
        self.next = at.filter(|&at| at < self.end).unwrap_or(Time::NEVER);
    }

    /// When the timer is to interrupt for the next change.
    fn due(&self) -> Time {
        Time::ZERO + self.next.since(Time::ZERO + self.early)
    }

    /// The changes at the instant of the next one.
    fn changes(&self) -> impl Iterator<Item = Change> + use<> {
        let (image, at) = (self.image, self.next.since(self.start));
        let changes = (self.number..).map_while(move |number| image.change(number));
        changes.take_while(move |change| change.at == at)
    }

    /// From now on the application's timer interrupts for what is to come.
    pub(crate) fn start<P: Program>(&'static mut self, kernel: &'static Kernel<Runner<P>>) {
        let common = self.image.common();
        CHANGES.with(|changes| *changes = Some(self));
        for cluster in 0..machine::clusters(&common) {
            wait(kernel, cluster, &common);
        }
    }

    /// A thread begins with the task of that number, whose phase counts from `start`.
    ///
    /// # Safety
    /// As [`run`](crate::run).
    pub(crate) unsafe fn begin<P: Program>(
        &mut self,
        kernel: &mut LockedKernel<'_, Runner<P>, impl Port<StampOf<P>, Stack = StackArea>>,
        chosen: &Chosen<P::Boot>,
        number: u16,
        start: Time,
        entry: EntryPoint,
    ) {
        let mode = Mode::Row(number);
        let task = mode.task(self.image);
        let number = usize::from(number);
        let Some(stack) = self.stacks[number].take() else {
            output::fail("a task begins again")
        };
        let attributes = Attributes {
            release: match task.arrival {
                Arrival::Once => Release::Once,
                Arrival::Periodic => Release::Periodic {
                    period: task.period,
                },
                Arrival::Message(_) | Arrival::Signal(_) | Arrival::Listed => Release::Sporadic {
                    separation: task.period,
                },
            },
            start: start + task.phase,
            deadline: Some(task.deadline).filter(|&deadline| deadline < Duration::MAX),
            on_miss: match task.on_miss {
                image::OnMiss::Continue => OnMiss::Continue,
                image::OnMiss::Skip => OnMiss::Skip,
                image::OnMiss::Abort => OnMiss::Abort,
                image::OnMiss::Latest => OnMiss::Latest,
            },
            alert: None,
        };
        // A split task tells the policy about its first part.
        let first = self.image.params_of_subtask(&task, 0);
        let params = chosen.params(first.unwrap_or_else(|| self.image.params(&task)));
        // SAFETY: as the caller promises.
        let thread = unsafe { kernel.spawn_on(stack, attributes, params, entry, number) };
        let thread = or_fail(thread);
        // Objects of a kernel are made in the order of their numbers.
        let trigger = match task.arrival {
            Arrival::Message(queue) => Some(Trigger::Queue(QueueId::from_number(queue))),
            Arrival::Signal(semaphore) => {
                Some(Trigger::Semaphore(SemaphoreId::from_number(semaphore)))
            }
            Arrival::Once | Arrival::Periodic | Arrival::Listed => None,
        };
        if let Some(trigger) = trigger {
            or_fail(kernel.core.release_by(thread, trigger));
        }
        with(number, |progress| {
            progress.thread = Some(thread);
            progress.mode = mode;
        });
    }

    /// Makes a change at the next instant, but for the start of a task.
    fn make<P: Program>(
        &self,
        kernel: &mut LockedKernel<'_, Runner<P>, impl Port<StampOf<P>, Stack = StackArea>>,
        chosen: &Chosen<P::Boot>,
        change: Change,
    ) {
        let number = usize::from(change.task);
        let next = match change.kind {
            ChangeKind::Start => return,
            ChangeKind::NewMode(row) => Mode::Row(row),
            ChangeKind::Stop => Mode::Nothing,
        };
        let Some(thread) = thread_of(number) else {
            output::fail("a task changes that has not begun")
        };
        if let Mode::Row(_) = next {
            let params = chosen.params(self.image.params(&next.task(self.image)));
            match kernel.core.adjust(CPU, thread, params, kernel.now) {
                // Its only job is over.
                Err(Error::Dead) => return,
                adjusted => or_fail(adjusted),
            }
        }
        with(number, |progress| progress.next = Some(next));
        // A job that should have been released before this instant, and has had to wait for it, is
        // of the old kind.
        if !kernel.core.has_job(thread) && kernel.core.next_release(thread) >= self.next {
            turn(kernel.core, self.image, number);
        }
    }

    /// Makes the changes whose time has come.
    ///
    /// # Safety
    /// As [`run`](crate::run).
    unsafe fn make_all<P: Program>(
        &mut self,
        kernel: &'static Kernel<Runner<P>>,
        chosen: &'static Chosen<P::Boot>,
        entry: EntryPoint,
    ) {
        while self.due() <= kernel.now() {
            // A thread that begins is there before, and is released at the instant with all others.
            let begins = |change: &Change| change.kind == ChangeKind::Start;
            if self.changes().any(|change| begins(&change)) {
                kernel.with_kernel(|kernel| {
                    for change in self.changes().filter(begins) {
                        let start = self.next;
                        // SAFETY: as the caller promises.
                        unsafe { self.begin::<P>(kernel, chosen, change.task, start, entry) };
                    }
                });
            }
            // The kernel's timer has the same priority as this one.
            while kernel.now() < self.next {}
            // At once if there are several: no thread runs in between.
            let mut number = self.number;
            kernel.with_kernel(|kernel| {
                for change in self.changes() {
                    self.make::<P>(kernel, chosen, change);
                    number += 1;
                }
                catch_up(kernel.core, kernel.now);
            });
            self.go_on(number);
        }
    }
}

/// Sets the timer of a cluster to the next interrupt or change, or to the end if that comes first.
fn wait<P: Program>(kernel: &'static Kernel<Runner<P>>, cluster: u8, common: &Common) {
    let change = CHANGES.with(|changes| changes.as_ref().map(|changes| changes.due()));
    let due = change
        .unwrap_or(Time::NEVER)
        .min(Interrupts::due_on(cluster, common))
        .min(common.end);
    machine::set_timer(kernel, cluster, common, due.since(kernel.now()));
}

/// What the application's timer calls: jobs are released and changes are made whose time has come,
/// or the time is over and the trace goes to the host.
///
/// # Safety
/// As [`run`](crate::run), with the same `entry`.
pub unsafe fn alarm<P: Program>(
    kernel: &'static Kernel<Runner<P>>,
    chosen: &'static Chosen<P::Boot>,
    entry: EntryPoint,
) {
    let common = CHANGES.with(|changes| Some(changes.as_ref()?.image.common()));
    let Some(common) = common else {
        output::fail("the kernel was never initialised")
    };
    let now = kernel.now();
    if now >= common.end {
        kernel.look(|core| {
            core.notice_misses(CPU, now);
            output::end(core.trace(), || machine::retire(kernel, &common))
        });
    }
    let cluster = machine::cluster(kernel, &common);
    Interrupts::make(kernel, cluster, &common);
    let now = kernel.now();
    if let Some(changes) = CHANGES.with(|place| place.take_if(|changes| changes.due() <= now)) {
        // SAFETY: as the caller promises.
        unsafe { changes.make_all(kernel, chosen, entry) };
        CHANGES.with(|place| *place = Some(changes));
    }
    wait(kernel, cluster, &common);
}
