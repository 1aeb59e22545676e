//! From an image to threads.

use crate::change::{self, Mode, ModeChanges};
use crate::interrupts::Interrupts;
use crate::machine::{
    self, EntryPoint, Kernel, Machine, SpinLock, Stack, THREADS, ThreadStack, take_memory,
};
use crate::output::or_fail;
use crate::program::{OBJECTS, Places, of_cluster};
use crate::{Chosen, IMAGE, Program, Runner, TraceBuffer, output, speeds};
use core::task::Poll;
use flyball_kernel::{
    Config, Core, Error, GaugeId, MutexId, Protocol, QueueId, SemaphoreId, Timing,
};
use flyball_policy::{Duration, Time};
use flyball_script::image::{Arrival, Common, Image, Task};
use flyball_script::{Call, Length, Op, Outcome, Place};
use static_cell::{ConstStaticCell, StaticCell};

/// How deep repetitions nest at most.
const DEPTH: usize = 8;

/// What threads have to know. Written before the first one runs. Objects have the same numbers in
/// all clusters.
struct Shared {
    image: Image<'static>,
    common: Common,
    mutexes: [Option<MutexId>; OBJECTS],
    semaphores: [Option<SemaphoreId>; OBJECTS],
    queues: [Option<QueueId>; OBJECTS],
}

static SHARED: SpinLock<Option<&'static Shared>> = SpinLock::new(None);
static SHARED_PLACE: StaticCell<Shared> = StaticCell::new();

/// The threads' stacks, none of which begins at a multiple of 1 KB. At its beginning is its guard, which no
/// access reaches; and what cannot be read at the first address of a KB, the emulator takes for unreadable
/// as a whole where it makes a call of the host, be the call's arguments elsewhere in it.
#[repr(C, align(1024))]
struct Placed {
    before: [u8; 512],
    stacks: [ThreadStack; THREADS],
}

static STACKS: ConstStaticCell<Placed> = ConstStaticCell::new(Placed {
    before: [0; 512],
    stacks: [const { Stack::new() }; THREADS],
});

/// Makes the kernel and the first threads of the image that was loaded, and starts. `entry` is what
/// each thread does, given its number: [`thread`]; `alarm`, which the application's timer calls:
/// [`alarm`](crate::alarm).
///
/// # Safety
/// `entry` may be left at any instant and called again: that is what happens to a thread that is
/// late, if the image says so.
pub unsafe fn run<P: Program>(
    kernel: &'static Kernel<Runner<P>>,
    chosen: &'static Chosen<P::Boot>,
    entry: EntryPoint,
    alarm: extern "C" fn(),
) -> ! {
    let Some((script, mut memory)) = take_memory(IMAGE) else {
        output::fail("the memory is in use")
    };
    let image = Image::new(script).unwrap_or_else(|error| output::fail(error));
    let common = image.common();
    if !common.instruction.as_nanos().is_power_of_two() {
        output::fail("an instruction takes a power of two of nanoseconds");
    }
    let timing = match common.tick {
        Duration::ZERO => Timing::Tickless,
        tick => Timing::Tick(tick),
    };
    if usize::from(image.tasks()) > THREADS {
        output::fail("there are more tasks than threads");
    }
    // What takes long comes before the clock starts: the task set does soon afterwards.
    chosen.choose(image);
    let changes = ModeChanges::new::<P>(image, &mut STACKS.take().stacks);
    for cluster in 0..machine::clusters(&common) {
        Interrupts::init(image, cluster);
    }
    machine::init(kernel, chosen, image, timing, |cluster, all| {
        let part = memory.len() / (all - usize::from(cluster));
        let (mine, rest) = core::mem::take(&mut memory).split_at_mut(part / 8 * 8);
        memory = rest;
        let tape = TraceBuffer::new(mine, cluster);
        tape.unwrap_or_else(|error| output::lost(&error))
    });
    let mut made = None;
    for cluster in 0..machine::clusters(&common) {
        let shared = kernel.with_kernel_of(cluster, |kernel| {
            let shared = make_objects(kernel.core, image);
            speeds::start(kernel.core, image, cluster);
            for number in of_cluster(image, cluster) {
                // SAFETY: as the caller promises.
                unsafe { changes.begin::<P>(kernel, chosen, number, common.start, entry) };
            }
            shared
        });
        made = Some(or_fail(or_fail(shared.ok_or(Error::Unknown))));
    }
    for number in 0..image.first() {
        let task = image.task(number).filter(|task| task.subtasks() > 0);
        let thread = change::thread_of(number.into());
        if let (Some(task), Some(thread)) = (task, thread) {
            or_fail(machine::split(
                kernel,
                chosen,
                image,
                &task,
                thread,
                common.start,
            ));
        }
    }
    let shared = SHARED_PLACE.init(or_fail(made.ok_or(Error::Unknown)));
    SHARED.with(|place| *place = Some(shared));
    P::prepare(kernel, image);
    let timer = kernel.timer_line();
    or_fail(kernel.attach(timer, alarm));
    changes.start(kernel);
    kernel.start()
}

/// Makes the objects that tasks use.
fn make_objects<C: Config<Message = (), Objects = Places>>(
    core: &mut Core<C>,
    image: Image<'static>,
) -> Result<Shared, Error> {
    let mut shared = Shared {
        image,
        common: image.common(),
        mutexes: [None; OBJECTS],
        semaphores: [None; OBJECTS],
        queues: [None; OBJECTS],
    };
    for (number, place) in (0..image.mutexes()).zip(&mut shared.mutexes) {
        let protocol = if image.inherits(number) {
            Protocol::Inherit
        } else {
            Protocol::None
        };
        *place = Some(core.mutex(protocol)?);
    }
    for (number, place) in (0..image.semaphores()).zip(&mut shared.semaphores) {
        *place = Some(core.semaphore(image.initial(number))?);
    }
    for (number, place) in (0..image.queues()).zip(&mut shared.queues) {
        let capacity = image.capacity(number);
        *place = Some(match image.gauge(number) {
            // Its number among queues, which no call of a queue names.
            Some(kind) => QueueId::from_number(core.gauge(capacity, kind)?.number()),
            None => core.queue(capacity)?,
        });
    }
    Ok(shared)
}

/// The queue of that number in the task set.
pub(crate) fn queue_of(number: u16) -> Result<QueueId, Error> {
    let queues = SHARED.with(|shared| shared.map(|shared| shared.queues));
    let queue = queues.and_then(|queues| queues.get(usize::from(number)).copied().flatten());
    queue.ok_or(Error::Unknown)
}

/// The gauge that has a number among the queues of the task set, and this one in the kernel.
pub(crate) fn gauge_of(image: Image<'_>, number: u16, queue: QueueId) -> Result<GaugeId, Error> {
    let kind = image.gauge(number).ok_or(Error::Unknown)?;
    Ok(GaugeId::new(queue.number(), kind))
}

/// What the thread of a number does: the jobs of the task of that number, one after the other.
pub fn thread<P: Program>(kernel: &'static Kernel<Runner<P>>, number: usize) -> ! {
    let shared = SHARED.with(|shared| *shared);
    let Some(shared) = shared else {
        output::fail("a thread runs before the kernel is initialised")
    };
    let image = shared.image;
    // A thread begins here again if its job is given up.
    if change::begins_anew(number) {
        // Each random length was drawn for a step of a job, so those that the job had left are
        // passed over.
        let task = Mode::of(number).task(image);
        change::pass_over(number, || {
            draws(|at| image.operation(&task, at).unwrap_or(Op::End))
        });
        if change::is_pending(number) {
            let _ = kernel.call(|core, _, now| {
                if change::turn(core, image, number) {
                    change::catch_up(core, now);
                }
                Ok(Poll::Ready(()))
            });
        }
    }
    let mut mode = Mode::of(number);
    let mut task = mode.task(image);
    let mut place = Place::new([0; DEPTH]);
    let mut result = 0;
    loop {
        let call = match mode {
            // Whose task is to end has a last job that does nothing.
            Mode::Nothing => Call::End,
            Mode::Row(_) => place.step(
                |at| image.operation(&task, at).unwrap_or(Op::End),
                || kernel.now().since(shared.common.start),
            ),
        };
        if let Call::Result(outcome) = call {
            result = match outcome {
                Outcome::Fixed(result) => result,
                Outcome::Drawn(_) => drawn(image.result(&task, change::draw(number))),
            };
            continue;
        }
        if call != Call::End {
            perform(kernel, shared, &task, number, call);
            continue;
        }
        if task.arrival == Arrival::Once || mode == Mode::Nothing {
            let _ = kernel.call(|core, cpu, now| {
                core.exit_with(cpu, result, now)
                    .map(|()| Poll::Pending::<()>)
            });
        }
        let ended = kernel.call(|core, cpu, now| {
            let ended = core.wait_next_with(cpu, result, now);
            if change::turn(core, image, number) {
                change::catch_up(core, now);
            }
            ended
        });
        if let Err(error) = ended {
            output::fail(error);
        }
        result = 0;
        let now = Mode::of(number);
        if now != mode {
            (mode, task) = (now, now.task(image));
            place = Place::new([0; DEPTH]);
        }
    }
}

/// A random number, which has to be in the image.
fn drawn<T>(number: Option<T>) -> T {
    number.unwrap_or_else(|| output::fail("the image has too few random lengths"))
}

/// How often a job draws a random number; at least 1.
fn draws(op: impl Fn(u32) -> Op) -> u32 {
    let mut place = Place::new([0; DEPTH]);
    let mut draws = 0;
    loop {
        match place.step(&op, || Duration::ZERO) {
            Call::Compute(Length::Drawn(_))
            | Call::Suspend(Length::Drawn(_))
            | Call::Result(Outcome::Drawn(_)) => draws += 1,
            Call::End => return draws.max(1),
            _ => {}
        }
    }
}

/// Does what a job asks for, but for its end and its result.
fn perform<P: Program>(
    kernel: &'static Kernel<Runner<P>>,
    shared: &Shared,
    task: &Task,
    number: usize,
    call: Call,
) {
    let draw = |length| match length {
        Length::Fixed(time) => time,
        Length::Drawn(_) => drawn(shared.image.length(task, change::draw(number))),
    };
    let performed = match call {
        Call::Compute(length) => {
            machine::compute(kernel, draw(length), shared.common.instruction);
            return;
        }
        Call::Suspend(length) => {
            let length = draw(length);
            kernel.call(|core, cpu, now| core.sleep_until(cpu, now + length, now))
        }
        Call::Yield => kernel.call(|core, cpu, now| core.yield_now(cpu, now).map(Poll::Ready)),
        Call::Control => kernel.call(|core, cpu, now| {
            core.control(cpu, now);
            Ok(Poll::Ready(()))
        }),
        Call::Lock(n) => with(&shared.mutexes, n, |mutex| {
            kernel.call(|core, cpu, now| core.lock(cpu, mutex, Time::NEVER, now))
        }),
        Call::Unlock(n) => with(&shared.mutexes, n, |mutex| {
            kernel.call(|core, cpu, now| core.unlock(cpu, mutex, now).map(Poll::Ready))
        }),
        Call::Wait(n) => with(&shared.semaphores, n, |semaphore| {
            kernel.call(|core, cpu, now| core.wait(cpu, semaphore, Time::NEVER, now))
        }),
        Call::Signal(n) => with(&shared.semaphores, n, |semaphore| {
            kernel.call(|core, cpu, now| core.signal(cpu, semaphore, now).map(Poll::Ready))
        }),
        Call::Send(n) => with(&shared.queues, n, |queue| {
            kernel.call(|core, cpu, now| core.send(cpu, queue, &(), Time::NEVER, now))
        }),
        Call::Receive(n) => with(&shared.queues, n, |queue| {
            kernel.call(|core, cpu, now| core.receive(cpu, queue, (), Time::NEVER, now))
        }),
        Call::TrySend(n) => with(&shared.queues, n, |queue| {
            kernel.call(|core, cpu, now| {
                let sent = core.send_now(cpu, queue, &(), now);
                sent.map(|_| Poll::Ready(()))
            })
        }),
        Call::TryReceive(n) => with(&shared.queues, n, |queue| {
            kernel.call(|core, cpu, now| {
                let received = core.receive_now(cpu, queue, (), now);
                received.map(|_| Poll::Ready(()))
            })
        }),
        Call::Raise(n, by) => with(&shared.queues, n, |queue| {
            let gauge = gauge_of(shared.image, n, queue)?;
            kernel.call(|core, cpu, now| {
                let raised = core.raise_level(cpu, gauge, by, true, now);
                raised.map(|_| Poll::Ready(()))
            })
        }),
        Call::Lower(n, by) => with(&shared.queues, n, |queue| {
            let gauge = gauge_of(shared.image, n, queue)?;
            kernel.call(|core, cpu, now| {
                let lowered = core.lower_level(cpu, gauge, by, true, now);
                lowered.map(|_| Poll::Ready(()))
            })
        }),
        // What the image has for computations takes stalls into account.
        Call::Result(_) | Call::Stalls(_) | Call::End => return,
    };
    match performed {
        Ok(_) => {}
        // As in a simulation: a thread that closes a ring of mutexes waits for ever.
        Err(Error::Deadlock) => {
            let _ = kernel.call(|core, cpu, now| core.sleep_until(cpu, Time::NEVER, now));
        }
        Err(error) => output::fail(error),
    }
}

/// Does something with the `n`-th object.
fn with<T: Copy, R>(
    objects: &[Option<T>],
    n: u16,
    f: impl FnOnce(T) -> Result<R, Error>,
) -> Result<R, Error> {
    match objects.get(usize::from(n)) {
        Some(&Some(object)) => f(object),
        _ => Err(Error::Unknown),
    }
}
