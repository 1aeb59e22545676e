//! A hart during one kernel entry: the machine's [`Port`].

use crate::board::{Alarm, Clock};
use crate::cluster::{Cluster, Contexts};
use crate::config::HartConfig;
use crate::context::Context;
use core::ptr::null_mut;
use flyball_kernel::ThreadId;
use flyball_policy::{CpuId, Speed, TaskId, Time};
use flyball_port::{EntryPoint, Port, StackArea};

/// A hart during one kernel entry. It changes its registers when the entry is over.
pub struct Cpu<'a, C: HartConfig> {
    pub(crate) clock: Clock,
    pub(crate) cluster: &'static Cluster<C>,
    pub(crate) contexts: &'a mut Contexts<C>,
    /// The context in which the hart idles.
    pub(crate) idle: *mut Context,
    /// Where its registers are to be kept; null: nowhere.
    pub(crate) from: *mut Context,
    /// Where they are to come from.
    pub(crate) next: *mut Context,
}

impl<C: HartConfig> Port<Time> for Cpu<'_, C> {
    type Stack = StackArea;

    #[inline]
    fn clock(&mut self) -> impl flyball_kernel::Clock<Time> {
        self.clock.now()
    }

    #[inline]
    fn set_timer(&mut self, cpu: CpuId, at: Time) {
        Alarm::Kernel.set(self.cluster.first + cpu.0, self.clock.tick(at));
    }

    #[inline]
    fn interrupt(&mut self, cpu: CpuId) {
        self.cluster.call(cpu.0);
    }

    unsafe fn begin(
        &mut self,
        thread: ThreadId,
        _: u32,
        stack: StackArea,
        entry: EntryPoint,
        argument: usize,
    ) {
        let context = &mut self.contexts[thread.task().index()];
        context.begin(stack.range(), entry, argument);
    }

    unsafe fn restart(&mut self, thread: TaskId) {
        let context = &mut self.contexts[thread.index()];
        context.restart();
        // Nothing goes on with what this hart has on the thread's stack.
        self.next = &raw mut *context;
        if self.from == self.next {
            self.from = null_mut();
        }
    }

    #[inline]
    fn switch(&mut self, thread: Option<TaskId>) {
        self.next = match thread {
            Some(task) => &raw mut self.contexts[task.index()],
            None => self.idle,
        };
    }

    fn set_speed(&mut self, cpu: CpuId, speed: Speed) {
        C::speed(CpuId(self.cluster.first + cpu.0), speed);
    }
}
