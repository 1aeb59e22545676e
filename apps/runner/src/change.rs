//! Task sets that change while they run, as `flyball_sim::Modes` has it: what each thread is, and what
//! it becomes with its next job.
//!
//! The application's timer interrupts at each change, and at the end. The handler tells the policy and
//! makes threads; a thread that has a job looks when that is complete.

use crate::tasks::{THREADS, ThreadStack, or_fail};
use crate::{Runner, Scheduler, output};
use core::cell::Cell;
use cortex_m::interrupt::{Mutex, free};
use flyball_kernel::{Attributes, Config, Core, Error, OnMiss, Release, ThreadId};
use flyball_machine_cortexm::board::Timer;
use flyball_machine_cortexm::{Entry, Kernel, Prepared, Together};
use flyball_policy::{CpuId, Duration, Time};
use flyball_script::image::{self, Arrival, Change, Image, News, Task};

const CPU: CpuId = CpuId(0);

/// So many instructions before its instant a change is made: interrupts may be masked for as long, or
/// nearly so. What is released at the instant itself is new then, as in a simulation, where a change
/// comes before the timer.
const EARLY: u64 = 1_000;

/// What a thread does.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Form {
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
    form: Form,
    /// What it is to be from its next job on.
    next: Option<Form>,
    /// How many random lengths it has used up in this form.
    drawn: u32,
}

static PROGRESS: [Mutex<Cell<Progress>>; THREADS] = [const {
    Mutex::new(Cell::new(Progress {
        thread: None,
        form: Form::Nothing,
        next: None,
        drawn: 0,
    }))
}; THREADS];

fn with<R>(number: usize, f: impl FnOnce(&mut Progress) -> R) -> R {
    free(|cs| {
        let place = PROGRESS[number].borrow(cs);
        let mut progress = place.get();
        let result = f(&mut progress);
        place.set(progress);
        result
    })
}

impl Form {
    /// What the thread of that number does.
    pub(crate) fn of(number: usize) -> Form {
        free(|cs| PROGRESS[number].borrow(cs).get().form)
    }

    /// The task. Who does nothing does so as nobody in particular.
    pub(crate) fn task(self, image: Image<'_>) -> Task {
        let row = match self {
            Form::Row(row) => row,
            Form::Nothing => 0,
        };
        let task = image.task(row);
        task.unwrap_or_else(|| output::fail("a thread has no task"))
    }
}

/// The number of the next random length of a thread's task.
pub(crate) fn draw(number: usize) -> u32 {
    with(number, |progress| {
        let drawn = progress.drawn;
        progress.drawn += 1;
        drawn
    })
}

/// A job was given up: what it would still have drawn is passed over, if each draws `draws`.
pub(crate) fn pass_over(number: usize, draws: u32) {
    with(number, |progress| {
        if progress.drawn > 0 {
            progress.drawn = progress.drawn.next_multiple_of(draws);
        }
    });
}

/// The thread of a number has no job, or has just begun with one, and becomes what it is to become.
/// Returns whether it does.
pub(crate) fn turn<C: Config>(core: &mut Core<C>, image: Image<'_>, number: usize) -> bool {
    with(number, |progress| {
        let (Some(next), Some(thread)) = (progress.next, progress.thread) else {
            return false;
        };
        if let Form::Row(_) = next {
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
            form: next,
            next: None,
            drawn: 0,
            ..*progress
        };
        true
    })
}

/// Deadlines that have become earlier may have passed. As in a simulation that is noticed before it is
/// decided who runs; the timer's interrupt would come afterwards.
pub(crate) fn catch_up<C: Config>(core: &mut Core<C>, now: Time) {
    if core.next_timer(CPU) <= now {
        core.timer(CPU, now);
    }
}

/// The changes that are still to come, and the end.
pub(crate) struct Coming {
    image: Image<'static>,
    /// The number of the next change.
    number: u32,
    /// Those of threads that have not begun yet.
    stacks: [Option<Prepared>; THREADS],
}

static COMING: Mutex<Cell<Option<Coming>>> = Mutex::new(Cell::new(None));

impl Coming {
    pub(crate) fn new<S: Scheduler + 'static>(
        image: Image<'static>,
        stacks: &'static mut [ThreadStack; THREADS],
    ) -> Coming {
        let prepare = |stack: &'static mut ThreadStack| {
            Some(or_fail(Prepared::new::<Runner<S>>(stack.words())))
        };
        Coming {
            image,
            number: 0,
            stacks: stacks.each_mut().map(prepare),
        }
    }

    /// The next change, and when it is to be made.
    fn next(&self) -> Option<(Time, Change)> {
        let change = self.image.change(self.number)?;
        let common = self.image.common();
        let at = common.start + change.at;
        let early = common.instruction * EARLY;
        let at = at.as_nanos().saturating_sub(early.as_nanos());
        Some((Time::from_nanos(at), change))
    }

    /// Sets the timer to the next change, or to the end if that comes first.
    pub(crate) fn wait(self, now: Time) {
        let end = self.image.common().end;
        let next = self.next().map_or(end, |(at, _)| at.min(end));
        free(|cs| COMING.borrow(cs).set(Some(self)));
        let ticks = next.since(now) / Duration::from_nanos(40);
        Timer::Application.one_shot(u32::try_from(ticks).unwrap_or(u32::MAX).max(1));
    }

    /// A thread begins with the task of that number, whose phase counts from `start`.
    ///
    /// # Safety
    /// As [`set_up`](crate::set_up).
    pub(crate) unsafe fn begin<S: Scheduler + 'static>(
        &mut self,
        kernel: &mut Together<'_, Runner<S>>,
        number: u16,
        start: Time,
        entry: Entry,
    ) {
        let form = Form::Row(number);
        let task = form.task(self.image);
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
        let params = S::params(&task);
        // SAFETY: as the caller promises.
        let thread = unsafe { kernel.spawn_on(stack, attributes, params, entry, number) };
        let thread = or_fail(thread);
        with(number, |progress| {
            progress.thread = Some(thread);
            progress.form = form;
        });
    }

    /// What becomes of a task, at `start`.
    ///
    /// # Safety
    /// As [`set_up`](crate::set_up).
    unsafe fn make<S: Scheduler + 'static>(
        &mut self,
        kernel: &mut Together<'_, Runner<S>>,
        change: Change,
        start: Time,
        entry: Entry,
    ) {
        let number = usize::from(change.task);
        let next = match change.news {
            News::Begins => {
                // SAFETY: as the caller promises.
                unsafe { self.begin::<S>(kernel, change.task, start, entry) };
                return;
            }
            News::Becomes(row) => Form::Row(row),
            News::Ends => Form::Nothing,
        };
        let thread = with(number, |progress| {
            progress.next = Some(next);
            progress.thread
        });
        let Some(thread) = thread else {
            output::fail("a task changes that has not begun")
        };
        if let Form::Row(_) = next {
            let params = S::params(&next.task(self.image));
            or_fail(kernel.core.adjust(CPU, thread, params, kernel.now));
        }
        if !kernel.core.has_job(thread) {
            turn(kernel.core, self.image, number);
        }
    }
}

/// What the application's timer calls: changes are made whose time has come, or the time is over and
/// the trace goes to the host.
///
/// # Safety
/// As [`set_up`](crate::set_up), with the same `entry`.
pub unsafe fn alarm<S: Scheduler + 'static>(kernel: &'static Kernel<Runner<S>>, entry: Entry) {
    let Some(mut coming) = free(|cs| COMING.borrow(cs).take()) else {
        output::fail("the kernel was never set up")
    };
    let now = kernel.now();
    let common = coming.image.common();
    if now >= common.end {
        kernel.look(|core| {
            core.notice_misses(CPU, now);
            output::end(core.trace())
        });
    }
    // At once if there are several: nobody runs in between.
    if coming.next().is_some_and(|(at, _)| at <= now) {
        kernel.together(|kernel| {
            while let Some((_, change)) = coming.next().filter(|&(at, _)| at <= now) {
                coming.number += 1;
                let start = common.start + change.at;
                // SAFETY: as the caller promises.
                unsafe { coming.make::<S>(kernel, change, start, entry) };
            }
            catch_up(kernel.core, kernel.now);
        });
    }
    coming.wait(kernel.now());
}
