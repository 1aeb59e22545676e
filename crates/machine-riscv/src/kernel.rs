//! The clusters of CPUs, each with a core and a lock around it, and the way in and out.

use crate::board::{Alarm, Bells, Clock, HARTS};
use crate::cluster::{Cluster, Contexts, State, Traffic};
use crate::config::HartConfig;
use crate::context::{Context, abandon, switch};
use crate::cpu::Cpu;
use crate::hart::{self, Mask};
use crate::probe::{self, Part, Path};
use alloc::boxed::Box;
use core::cell::UnsafeCell;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, Ordering};
use flyball_kernel::{Core, Entry, Sizes, Timing};
use flyball_policy::{CpuId, Table, TaskId, Time};
use flyball_port::stack::PAINT;
use flyball_port::{Port, decide, finish};

/// The kernel of an application: one static, made by [`kernel!`](crate::kernel!).
pub struct Kernel<C: HartConfig> {
    /// By hart. All harts of a cluster have the same.
    clusters: [AtomicPtr<Cluster<C>>; HARTS],
    harts: [Hart; HARTS],
    cpus: AtomicU8,
    /// When the clock started.
    start: UnsafeCell<Option<Clock>>,
    /// Threads may run.
    started: AtomicBool,
}

// SAFETY: the clock is written before other harts run; all else protects itself.
unsafe impl<C: HartConfig> Sync for Kernel<C> {}

/// What a hart is at. Only it touches this, but for what is atomic.
struct Hart {
    /// Whose registers it has.
    current: AtomicPtr<Context>,
    /// The context in which it began, and in which it idles.
    idle: UnsafeCell<Context>,
    /// It serves an interrupt of the application.
    handles: AtomicBool,
}

/// How many CPUs there are, and how many share a core.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cpus {
    /// All of them; 1 to 64.
    pub all: u8,
    /// Those of a cluster; the last cluster may have fewer.
    pub cluster: u8,
}

impl<C: HartConfig> Kernel<C> {
    /// A kernel that has not been initialised.
    #[expect(
        clippy::large_stack_arrays,
        reason = "it becomes a static; nothing is on any stack"
    )]
    pub const fn new() -> Kernel<C> {
        Kernel {
            clusters: [const { AtomicPtr::new(null_mut()) }; HARTS],
            harts: [const {
                Hart {
                    current: AtomicPtr::new(null_mut()),
                    idle: UnsafeCell::new(Context::NONE),
                    handles: AtomicBool::new(false),
                }
            }; HARTS],
            cpus: AtomicU8::new(0),
            start: UnsafeCell::new(None),
            started: AtomicBool::new(false),
        }
    }

    /// Makes several cores. `make` is told a cluster's number, and says what its core is made of;
    /// nothing: the machine has not so many CPUs.
    pub fn init_clusters(
        &'static self,
        cpus: Cpus,
        timing: Timing,
        mut make: impl FnMut(u8) -> Option<(C::Policy, C::Trace, Sizes)>,
    ) {
        // SAFETY: no other hart runs yet, and the time has not been asked for.
        unsafe { *self.start.get() = Some(Clock::start()) };
        let all = cpus.all.clamp(1, HARTS as u8);
        self.cpus.store(all, Ordering::SeqCst);
        let firsts = (0..all).step_by(usize::from(cpus.cluster.max(1)));
        for (number, first) in (0..all).zip(firsts) {
            let count = cpus.cluster.max(1).min(all - first);
            let Some((policy, trace, sizes)) = make(number) else {
                return;
            };
            let sizes = Sizes {
                cpus: usize::from(count),
                ..sizes
            };
            let threads = sizes.threads;
            let core = Core::new(policy, trace, timing, &sizes);
            let cluster = Box::leak(Box::new(Cluster::new(first, count, core, threads)));
            for hart in first..first + count {
                self.clusters[usize::from(hart)].store(cluster, Ordering::SeqCst);
            }
        }
    }

    /// The cluster of a hart, if there is one.
    #[inline]
    pub(crate) fn cluster(&'static self, hart: u8) -> Option<&'static Cluster<C>> {
        let cluster = self.clusters[usize::from(hart)].load(Ordering::Acquire);
        // SAFETY: null, or leaked for ever when the kernel was made.
        unsafe { cluster.as_ref() }
    }

    /// The cluster of the hart that calls.
    #[inline(always)]
    pub(crate) fn here(&'static self, hart: u8) -> &'static Cluster<C> {
        match self.cluster(hart) {
            Some(cluster) => cluster,
            None => panic!("the kernel has not been initialised"),
        }
    }

    /// How many CPUs there are.
    pub fn cpus(&'static self) -> u8 {
        self.cpus.load(Ordering::Relaxed)
    }

    /// With the state of this hart's cluster, and interrupts masked. `None` if there is none.
    pub(crate) fn with<R>(&'static self, f: impl FnOnce(&mut State<C>, CpuId) -> R) -> Option<R> {
        let mask = Mask::set();
        let hart = hart::number();
        let Some(cluster) = self.cluster(hart) else {
            mask.lift();
            return None;
        };
        if cluster.is_inside(hart) {
            // SAFETY: the code that had the lock is at a fault, and does not go on. What it has
            // left may be half changed, but every bit of it is a value of its type.
            let result = f(unsafe { cluster.state() }, cluster.cpu(hart));
            mask.lift();
            return Some(result);
        }
        cluster.enter(hart);
        // SAFETY: the lock is held, and `f` does not come back here.
        let result = f(unsafe { cluster.state() }, cluster.cpu(hart));
        // Another hart may have asked this one to reschedule meanwhile, and not rung.
        let needs_resched = cluster.leave_undecided(hart);
        mask.lift();
        if needs_resched {
            self.enter(Path::Interrupt, false, |_, _, _| ());
        }
        Some(result)
    }

    /// With the state of the `number`-th cluster, before other harts run.
    pub(crate) fn with_cluster<R>(
        &'static self,
        number: u8,
        f: impl FnOnce(&'static Cluster<C>, &mut State<C>) -> R,
    ) -> Option<R> {
        if self.started.load(Ordering::SeqCst) {
            return None;
        }
        let mut last = null_mut();
        let clusters = self.clusters.iter().filter_map(|cluster| {
            let cluster = cluster.load(Ordering::SeqCst);
            let is_new = !cluster.is_null() && !core::ptr::eq(cluster, last);
            last = cluster;
            is_new.then_some(cluster)
        });
        let cluster = clusters.skip(usize::from(number)).take(1).last()?;
        // SAFETY: leaked for ever.
        let cluster = unsafe { &*cluster };
        // SAFETY: only this hart runs.
        let state = unsafe { cluster.state() };
        Some(f(cluster, state))
    }

    /// One entry: `f` does what was asked, and then it is decided which thread runs. Comes back
    /// when that is the caller, maybe on another hart. `timed`: `f` tells the kernel the time.
    #[inline]
    pub(crate) fn enter<R>(
        &'static self,
        path: Path,
        timed: bool,
        f: impl FnOnce(&mut State<C>, CpuId, Time) -> R,
    ) -> R {
        let mask = Mask::set();
        probe::begin(path);
        let hart = hart::number();
        let cluster = self.here(hart);
        cluster.enter(hart);
        probe::end(Part::Lock);
        let cpu = cluster.cpu(hart);
        // What an interrupt serves does not decide: the hart keeps the registers that it has.
        let migrations = cluster.migrations.are_used() && !self.stays(hart);
        let (entry, result) = {
            // SAFETY: the lock is held, and `f` does not come back here.
            let state = unsafe { cluster.state() };
            let now = self.clock().now();
            let entry = Entry::begin(&mut state.core, cpu, timed || migrations, now);
            let result = f(state, cpu, entry.now());
            if migrations {
                state.migrate(cluster, entry.now());
            }
            probe::end(Part::Work);
            (entry, result)
        };
        self.end(hart, cluster, entry);
        if mask.has_masked() {
            self.look_after_call();
        }
        mask.lift();
        result
    }

    /// Whether entries of this hart do not decide: threads do not run yet, or it serves an
    /// interrupt of the application, and enters once more afterwards.
    #[inline]
    fn stays(&self, hart: u8) -> bool {
        let handles = &self.harts[usize::from(hart)].handles;
        !self.started.load(Ordering::Relaxed) || handles.load(Ordering::Relaxed)
    }

    /// This hart during an entry.
    #[inline]
    pub(crate) fn port<'a>(
        &'static self,
        hart: u8,
        cluster: &'static Cluster<C>,
        contexts: &'a mut Contexts<C>,
    ) -> Cpu<'a, C> {
        let me = &self.harts[usize::from(hart)];
        let current = me.current.load(Ordering::Relaxed);
        Cpu {
            clock: self.clock(),
            cluster,
            contexts,
            idle: me.idle.get(),
            from: current,
            next: current,
        }
    }

    /// The end of an entry: the lock is given back, maybe by the thread that goes on.
    #[inline]
    fn end(&'static self, hart: u8, cluster: &'static Cluster<C>, entry: Entry) {
        // SAFETY: the lock is held, and nothing else in this entry has the state any more.
        let state = unsafe { cluster.state() };
        let me = &self.harts[usize::from(hart)];
        let stays = self.stays(hart);
        let mut port = self.port(hart, cluster, &mut state.contexts);
        let core = &mut state.core;
        let ended = if stays {
            entry.defer(core, port.clock.now())
        } else {
            decide(entry, core, &mut port)
        };
        probe::end(Part::Decide);
        if !stays && ended.rest.is_needed(core) {
            finish(ended.rest, core, &mut port);
        }
        for other in ended.interrupt.iter() {
            port.interrupt(other);
        }
        let Cpu { from, next, .. } = port;
        if cluster.migrations.are_used() {
            self.set_migration(hart, state);
        }
        probe::end(Part::Tell);
        if next == from {
            return self.leave(hart, cluster);
        }
        if C::STACKS.are_painted() && !from.is_null() {
            // SAFETY: contexts stay in place, and that of `main` has no stack of ours.
            let low = unsafe { (*from).stack().start };
            // SAFETY: the lowest word of a thread's stack.
            if !low.is_null() && unsafe { low.read_volatile() } != PAINT {
                self.overflowed();
            }
        }
        me.current.store(next, Ordering::Relaxed);
        if from.is_null() {
            // SAFETY: the lock is held until `next` goes on, so no other hart goes on with it.
            unsafe { abandon::<C>(next) };
        }
        // SAFETY: the lock is held until `next` goes on, so no other hart goes on with either.
        unsafe { switch::<C>(from, next) };
        // Another hart, maybe, and maybe one of another cluster.
        self.begun();
    }

    /// The end of an entry: this hart has the registers of the thread that goes on.
    #[inline]
    fn leave(&'static self, hart: u8, cluster: &'static Cluster<C>) {
        if cluster.migrations.are_used() {
            // SAFETY: this hart is inside the kernel.
            self.send(cluster, unsafe { cluster.state() });
        }
        cluster.leave(hart);
    }

    /// A thread begins on this hart, or goes on, which has the lock.
    #[doc(hidden)]
    #[inline]
    pub fn begun(&'static self) {
        probe::end(Part::Switch);
        let hart = hart::number();
        self.leave(hart, self.here(hart));
    }

    /// Begins to run threads on the hart that calls, for ever. `main` is on its stack, or nothing.
    pub(crate) fn run(&'static self) -> ! {
        let hart = hart::number();
        let me = &self.harts[usize::from(hart)];
        me.current.store(me.idle.get(), Ordering::Relaxed);
        Alarm::program(hart);
        hart::listen(hart::MSIE | hart::MTIE);
        self.enter(Path::Interrupt, false, |_, _, _| ());
        hart::enable_interrupts();
        loop {
            hart::wait_for_interrupt();
        }
    }

    /// Threads may run from now on, on all harts.
    pub(crate) fn start_harts(&'static self) -> ! {
        self.started.store(true, Ordering::SeqCst);
        for other in 1..self.cpus() {
            flyball_multicore::Doorbell::ring(&Bells, other);
        }
        self.run()
    }

    /// Another hart has been rung for the first time.
    #[doc(hidden)]
    pub fn other_hart(&'static self) -> ! {
        Bells::forget(hart::number());
        self.run()
    }

    /// An interrupt, or an exception.
    #[doc(hidden)]
    pub fn trapped(&'static self, cause: usize) {
        const INTERRUPT: usize = 1 << 63;
        const SOFTWARE: usize = INTERRUPT | 3;
        const TIMER: usize = INTERRUPT | 7;
        let hart = hart::number();
        match cause {
            SOFTWARE => {
                Bells::forget(hart);
                self.serve_pending(hart);
                self.enter(Path::Interrupt, false, |_, _, _| ());
            }
            TIMER => self.timer(hart),
            _ => self.exception(cause),
        }
        self.call_after_interrupt();
    }

    /// The timer of a hart has fired.
    fn timer(&'static self, hart: u8) {
        let now = crate::board::ticks();
        if Alarm::Application.at(hart) <= now {
            Alarm::Application.set(hart, u64::MAX);
            self.serve_timer(hart);
        }
        if Alarm::Kernel.at(hart) <= now {
            // Whatever it is set to next is another instant than this one.
            Alarm::Kernel.set(hart, u64::MAX);
            self.enter(Path::Timer, true, |state, cpu, now| {
                probe::served(state.core.timer(cpu, now));
            });
        } else {
            self.enter(Path::Interrupt, false, |_, _, _| ());
        }
    }

    /// Serves an interrupt of the application: whatever it makes ready runs afterwards.
    pub(crate) fn handle(&'static self, hart: u8, handler: impl FnOnce()) {
        let handles = &self.harts[usize::from(hart)].handles;
        handles.store(true, Ordering::Relaxed);
        handler();
        handles.store(false, Ordering::Relaxed);
    }

    /// Whether a hart has the registers of a thread, whose context has what they were some time
    /// ago. With the lock of its cluster.
    pub(crate) fn has_registers(&self, hart: u8, context: &Context) -> bool {
        let current = self.harts[usize::from(hart)]
            .current
            .load(Ordering::Relaxed);
        core::ptr::eq(current, context)
    }

    /// Whether this hart has the registers of a thread, and serves no interrupt of the application.
    #[inline]
    pub(crate) fn runs_thread(&'static self) -> bool {
        let mask = Mask::set();
        let me = &self.harts[usize::from(hart::number())];
        let current = me.current.load(Ordering::Relaxed);
        let runs = !current.is_null()
            && !core::ptr::eq(current, me.idle.get())
            && !me.handles.load(Ordering::Relaxed);
        mask.lift();
        runs
    }

    /// The thread whose registers this hart has, found without the lock.
    pub(crate) fn current_thread(&'static self) -> Option<TaskId> {
        let hart = hart::number();
        let current = self.harts[usize::from(hart)]
            .current
            .load(Ordering::Relaxed);
        let cluster = self.cluster(hart)?;
        // SAFETY: addresses are compared; the table stays in place.
        let contexts = unsafe { &cluster.state().contexts };
        let mut rows = 0..contexts.capacity();
        let row = rows.find(|&row| core::ptr::eq(&raw const contexts[row], current))?;
        u16::try_from(row).ok().map(TaskId)
    }

    #[inline]
    pub(crate) fn clock(&'static self) -> Clock {
        // SAFETY: written before it is read for the first time, and then never more.
        match unsafe { *self.start.get() } {
            Some(clock) => clock,
            None => Clock::start(),
        }
    }

    /// What happened so far at the lock of the cluster of this hart.
    pub fn traffic(&'static self) -> Traffic {
        self.traffic_of(hart::number())
    }

    /// The same of any CPU's cluster, by its number.
    pub fn traffic_of(&'static self, cpu: u8) -> Traffic {
        let cluster = self.cluster(cpu.min(HARTS as u8 - 1));
        cluster.map(Cluster::traffic).unwrap_or_default()
    }
}

impl<C: HartConfig> Default for Kernel<C> {
    fn default() -> Self {
        Kernel::new()
    }
}
