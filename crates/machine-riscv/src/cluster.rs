//! CPUs that share a kernel core, and the lock around it.

use crate::board::{Bells, HARTS};
use crate::config::HartConfig;
use crate::context::Context;
use crate::migration::{Migrations, SplitThread};
use crate::plant::Handover;
use crate::probe;
use alloc::vec::Vec;
use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use flyball_kernel::{Config, Core};
use flyball_multicore::{FairLock, Presence};
use flyball_policy::{CpuId, Storage, Table};

/// CPUs that share a kernel core.
pub(crate) struct Cluster<C: HartConfig> {
    /// The hart of its first CPU, and how many there are.
    pub(crate) first: u8,
    pub(crate) cpus: u8,
    /// Whether other CPUs than one come here, so that the lock is needed.
    is_shared: AtomicBool,
    lock: FairLock<HARTS>,
    here: Presence<HARTS>,
    /// The hart that has the lock: its number, plus one.
    owner: AtomicU8,
    /// Interprocessor interrupts that were sent, and those that were not, as the other CPU was
    /// about to look by itself.
    rung: AtomicU64,
    spared: AtomicU64,
    /// Threads that go from CPU to CPU.
    pub(crate) migrations: Migrations<C>,
    state: UnsafeCell<State<C>>,
}

/// The core, and what the machine adds to it.
pub(crate) struct State<C: HartConfig> {
    pub(crate) core: Core<C>,
    pub(crate) contexts: Contexts<C>,
    /// Those that go from CPU to CPU, and are here, or are going to be.
    pub(crate) split_threads: Vec<&'static mut SplitThread<C>>,
    /// What a controller's CPU asks of this one.
    pub(crate) handover: Handover<C>,
}

pub(crate) type Contexts<C> = <<C as Config>::Threads as Storage>::Table<Context>;

/// What CPUs of a cluster had to do with each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Traffic {
    /// How often the lock was taken. A CPU that is alone in its cluster has none.
    pub taken: u64,
    /// How often a CPU had to wait for it.
    pub contended: u64,
    /// Interprocessor interrupts that were sent.
    pub rung: u64,
    /// Those that were not, as the other CPU was about to look by itself.
    pub spared: u64,
}

impl<C: HartConfig> Cluster<C> {
    /// The CPUs from hart `first` on, `cpus` of them.
    pub(crate) fn new(first: u8, cpus: u8, core: Core<C>, threads: usize) -> Cluster<C> {
        Cluster {
            first,
            cpus,
            is_shared: AtomicBool::new(cpus > 1),
            lock: FairLock::new(),
            here: Presence::new(),
            owner: AtomicU8::new(0),
            rung: AtomicU64::new(0),
            spared: AtomicU64::new(0),
            migrations: Migrations::new(),
            state: UnsafeCell::new(State {
                core,
                contexts: Table::new(threads, Context::default()),
                split_threads: Vec::new(),
                handover: Handover::new(),
            }),
        }
    }

    /// The core, and what belongs to it.
    ///
    /// # Safety
    /// The caller is inside the kernel, or at a fault there, or no other hart runs; and it has
    /// nothing of the state from before.
    #[expect(clippy::mut_from_ref, reason = "the lock says who may have it")]
    #[inline]
    pub(crate) unsafe fn state(&self) -> &mut State<C> {
        // SAFETY: as the caller promises.
        unsafe { &mut *self.state.get() }
    }

    /// Another CPU of the cluster has to look, and is interrupted unless it is about to.
    #[inline]
    pub(crate) fn call(&self, other: u8) {
        let rang = self.here.call(self.first + other, &Bells);
        let counter = if rang { &self.rung } else { &self.spared };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// What happened so far.
    pub(crate) fn traffic(&self) -> Traffic {
        Traffic {
            taken: self.lock.taken(),
            contended: self.lock.contended(),
            rung: self.rung.load(Ordering::Relaxed),
            spared: self.spared.load(Ordering::Relaxed),
        }
    }

    /// The CPU that a hart is, as the core counts.
    #[inline]
    pub(crate) fn cpu(&self, hart: u8) -> CpuId {
        CpuId(hart - self.first)
    }

    /// CPUs of other clusters come here, too. Before threads run.
    pub(crate) fn share(&self) {
        self.is_shared.store(true, Ordering::SeqCst);
        self.migrations.use_them();
    }

    /// Whether the lock is needed.
    #[inline]
    pub(crate) fn is_shared(&self) -> bool {
        self.is_shared.load(Ordering::Relaxed)
    }

    /// Waits until no other CPU is in the kernel of this cluster.
    #[inline]
    pub(crate) fn enter(&self, hart: u8) {
        if self.is_shared() {
            self.here.arrive(hart);
            self.acquire(hart);
        }
    }

    /// Takes the lock. Returns whether the hart that calls had to wait for it.
    #[inline]
    pub(crate) fn acquire(&self, hart: u8) -> bool {
        let waited = self.lock.acquire(hart, &Bells);
        self.owner.store(hart + 1, Ordering::Relaxed);
        waited
    }

    /// Gives the lock back.
    #[inline]
    pub(crate) fn release(&self, hart: u8) {
        self.owner.store(0, Ordering::Relaxed);
        self.lock.release(hart, &Bells);
    }

    /// Whether the hart that calls is in the kernel already, as it is when it has come to a fault
    /// there.
    pub(crate) fn is_inside(&self, hart: u8) -> bool {
        self.owner.load(Ordering::Relaxed) == hart + 1
    }

    /// After a decision.
    #[inline]
    pub(crate) fn leave(&self, hart: u8) {
        probe::finish();
        if self.is_shared() {
            self.here.depart(hart);
            self.release(hart);
        }
    }

    /// Without a decision. Returns whether this CPU must reschedule.
    pub(crate) fn leave_undecided(&self, hart: u8) -> bool {
        if !self.is_shared() {
            return false;
        }
        // SAFETY: the lock is held.
        let asks = unsafe { (*self.state.get()).core.needs_resched(self.cpu(hart)) };
        // The signal for these may have been forgotten while this hart waited for the lock.
        let asks = asks || self.migrations.are_announced();
        self.here.depart(hart);
        self.release(hart);
        asks
    }
}
