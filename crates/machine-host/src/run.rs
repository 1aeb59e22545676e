//! The loop: which thread runs, what happens when, and why it ends.

use crate::devices::Interrupts;
use crate::kernel::{CPU, Kernel};
use crate::threads::{Body, Thread, resume};
use core::fmt;
use corosensei::stack::DefaultStack;
use flyball_kernel::{Clock, Config, Core, Entry, Error, ThreadId};
use flyball_policy::{CpuId, Duration, Speed, TaskId, Time};
use flyball_port::{EntryPoint, Machine, Port, decide, finish};

/// How often threads may go on at one instant. Far beyond what a program can mean.
const MOST_RESUMED: u64 = 1_000_000;

/// Why the machine has stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// It came to the instant that was asked for.
    Until,
    /// All threads have ended.
    Finished,
    /// So many threads wait for ever: there is nothing left that could wake them.
    Stuck(usize),
    /// Threads call the kernel again and again, and no time passes.
    Spinning,
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ended::Until => f.write_str("the time is over"),
            Ended::Finished => f.write_str("all threads have ended"),
            Ended::Stuck(1) => {
                f.write_str("the only thread waits for ever: nothing is left that could wake it")
            }
            Ended::Stuck(threads) => write!(
                f,
                "all {threads} threads wait for ever: nothing is left that could wake one"
            ),
            Ended::Spinning => f.write_str(
                "threads call the kernel again and again, and no time passes; what takes time has \
                 to say so with `compute`",
            ),
        }
    }
}

/// All that the machine knows.
pub(crate) struct State<C: Config<Stamp = Time>> {
    pub(crate) core: Core<C>,
    pub(crate) now: Time,
    /// By row; rows that have never had a thread are empty.
    pub(crate) threads: Vec<Option<Thread>>,
    /// The row of the thread whose code runs.
    pub(crate) active: Option<usize>,
    /// The handler of an interrupt runs.
    pub(crate) in_handler: bool,
    /// What is due at this instant has to be served, and then it is decided which thread runs.
    pub(crate) serving: bool,
    /// How often threads went on at this instant.
    pub(crate) resumed: u64,
    pub(crate) interrupts: Interrupts,
}

/// The process during one kernel entry: its [`Port`]. The loop asks the core itself when the timer
/// fires, and which thread runs, so there is nothing to be done about either.
pub struct Cpu<'a> {
    now: Time,
    threads: &'a mut Vec<Option<Thread>>,
}

impl Port<Time> for Cpu<'_> {
    type Stack = DefaultStack;

    #[inline]
    fn clock(&mut self) -> impl Clock<Time> {
        self.now
    }

    fn set_timer(&mut self, _: CpuId, _: Time) {}

    unsafe fn begin(
        &mut self,
        thread: ThreadId,
        _: u32,
        stack: DefaultStack,
        entry: EntryPoint,
        argument: usize,
    ) {
        let row = thread.task().index();
        if self.threads.len() <= row {
            self.threads.resize_with(row + 1, || None);
        }
        self.threads[row] = Some(Thread::new(stack, thread, entry, argument));
    }

    unsafe fn restart(&mut self, thread: TaskId) {
        if let Some(Some(thread)) = self.threads.get_mut(thread.index()) {
            // SAFETY: as the caller promises.
            unsafe { thread.restart() };
        }
    }

    fn switch(&mut self, _: Option<TaskId>) {}

    // The clock is virtual, and what threads compute takes as long as they say.
    fn set_speed(&mut self, _: CpuId, _: Speed) {}
}

/// What the loop has to do, outside of the kernel.
enum Step {
    /// Nothing; look again.
    Again,
    /// Let the thread of this row run.
    Resume(usize),
    /// Call the handler of an interrupt.
    Handle(extern "C" fn()),
    /// Stop.
    End(Ended),
}

impl<C: Config<Stamp = Time>> State<C> {
    fn step(&mut self, until: Time) -> Step {
        if self.serving || self.core.needs_resched(CPU) {
            self.serving = true;
            if let Some(handler) = self.interrupts.due(self.now) {
                self.in_handler = true;
                return Step::Handle(handler);
            }
            let entry = Entry::instant(CPU, self.now);
            if self.core.next_timer(CPU) <= self.now {
                self.core.timer(CPU, self.now);
            }
            self.end(entry);
            self.serving = false;
            return Step::Again;
        }
        let running = self.core.running(CPU).map(ThreadId::task);
        let left = running.and_then(|task| Some(self.thread(task)?.left));
        if let Some(task) = running
            && left.is_none_or(Duration::is_zero)
        {
            self.resumed += 1;
            return if self.resumed > MOST_RESUMED {
                Step::End(Ended::Spinning)
            } else {
                Step::Resume(task.index())
            };
        }
        let end = left.map_or(Time::NEVER, |left| self.now + left);
        let event = self.core.next_timer(CPU).min(self.interrupts.next());
        let next = end.min(event).max(self.now);
        if next.is_never() && until.is_never() {
            return Step::End(self.last());
        }
        self.pass(running, next.min(until));
        if next >= until {
            return Step::End(Ended::Until);
        }
        // A thread that has computed all it had to makes its calls before anything else happens.
        self.serving = end > next;
        Step::Again
    }

    /// Time passes, and the running thread computes.
    fn pass(&mut self, running: Option<TaskId>, to: Time) {
        let passed = to.since(self.now);
        if let Some(thread) = running.and_then(|task| self.thread(task)) {
            thread.left = thread.left.saturating_sub(passed);
        }
        if !passed.is_zero() {
            self.resumed = 0;
        }
        self.now = self.now.max(to);
    }

    /// Decides already in the call after which it is to be decided which thread runs, if nothing
    /// else is due at this instant: what the loop would do next.
    #[inline]
    pub(crate) fn end_at_once(&mut self, entry: Entry) {
        if !self.serving
            && self.interrupts.next() > self.now
            && self.core.next_timer(CPU) > self.now
        {
            self.end(entry);
        } else {
            entry.cancel();
        }
    }

    /// Ends an entry.
    #[inline]
    fn end(&mut self, entry: Entry) {
        let (core, mut cpu) = self.split();
        let next = decide(entry, core, &mut cpu);
        if next.rest.is_needed(core) {
            finish(next.rest, core, &mut cpu);
        }
    }

    /// The core, and the process.
    #[inline]
    pub(crate) fn split(&mut self) -> (&mut Core<C>, Cpu<'_>) {
        let cpu = Cpu {
            now: self.now,
            threads: &mut self.threads,
        };
        (&mut self.core, cpu)
    }

    fn thread(&mut self, task: TaskId) -> Option<&mut Thread> {
        self.threads.get_mut(task.index())?.as_mut()
    }

    /// The thread of a row is about to run: its coroutine, which is not kept here meanwhile.
    #[inline]
    fn gives_way(&mut self, row: usize) -> Option<Box<Body>> {
        let body = self.threads.get_mut(row)?.as_mut()?.take()?;
        self.active = Some(row);
        Some(body)
    }

    /// The thread that ran, if one did, has given the processor back.
    #[inline]
    fn came_back(&mut self, body: Option<Box<Body>>) {
        if let Some(body) = body
            && let Some(row) = self.active.take()
            && let Some(Some(thread)) = self.threads.get_mut(row)
        {
            thread.put(body);
        }
    }

    /// Nothing will ever happen again.
    fn last(&mut self) -> Ended {
        let threads = self.threads.iter().flatten();
        let alive = threads.filter(|thread| self.core.cpu_time(thread.id, self.now).is_ok());
        match alive.count() {
            0 => Ended::Finished,
            alive => Ended::Stuck(alive),
        }
    }
}

impl<C: Config<Stamp = Time> + 'static> Kernel<C> {
    /// Lets the machine run until `until`, at which nothing happens any more; or, with
    /// [`Time::NEVER`], for as long as there is something to do. It can go on after that.
    ///
    /// # Errors
    /// [`Error::Unknown`] if there is no kernel here, or it runs already.
    pub fn run(&'static self, until: Time) -> Result<Ended, Error> {
        let idle = self.with(|state| state.active.is_none() && !state.in_handler);
        if idle != Some(true) {
            return Err(Error::Unknown);
        }
        let mut back = None;
        loop {
            let step = self.with(|state| {
                state.came_back(back.take());
                let step = state.step(until);
                let body = match step {
                    Step::Resume(row) => state.gives_way(row),
                    _ => None,
                };
                (step, body)
            });
            match step {
                Some((Step::Resume(_), Some(mut body))) => {
                    resume(&mut body);
                    back = Some(body);
                }
                Some((Step::Again | Step::Resume(_), _)) => {}
                Some((Step::Handle(handler), _)) => {
                    handler();
                    self.with(|state| state.in_handler = false);
                }
                Some((Step::End(ended), _)) => return Ok(ended),
                None => return Err(Error::Unknown),
            }
        }
    }

    /// As [`Machine::start`].
    pub(crate) fn run_to_the_end(&'static self) -> ! {
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            hook(info);
            std::process::exit(101);
        }));
        let code = match self.run(Time::NEVER) {
            Ok(Ended::Finished) => 0,
            Ok(ended) => {
                eprintln!("flyball: {}: {ended}", self.now());
                1
            }
            Err(error) => {
                eprintln!("flyball: {error}");
                1
            }
        };
        self.shut_down(code)
    }
}
