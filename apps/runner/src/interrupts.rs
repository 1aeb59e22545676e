//! Interrupts that the image lists. They release jobs that are sporadic or late by their jitter, put messages
//! into queues and take them out: the application's timer interrupts at each of them, and its handler tells
//! the kernel.

use crate::change::{catch_up, thread_of};
use crate::machine::{CLUSTERS, EARLY, Kernel, Machine, SpinLock};
use crate::tasks::{gauge_of, queue_of};
use crate::{Program, Runner, output};
use core::ops::Range;
use flyball_kernel::{Config, Core, Error, GaugeId};
use flyball_policy::{CpuId, Time};
use flyball_script::image::{Brings, Common, Image, Interrupt};

const CPU: CpuId = CpuId(0);

/// The interrupts on a cluster of CPUs that are still to come.
#[derive(Clone)]
pub(crate) struct Interrupts {
    image: Option<Image<'static>>,
    /// When the task set starts.
    start: Time,
    numbers: Range<u32>,
    next: Option<Interrupt>,
}

static INTERRUPTS: [SpinLock<Interrupts>; CLUSTERS] = [const {
    SpinLock::new(Interrupts {
        image: None,
        start: Time::ZERO,
        numbers: 0..0,
        next: None,
    })
}; CLUSTERS];

impl Interrupts {
    /// Those that the image has are to come, on the cluster of that number.
    pub(crate) fn init(image: Image<'static>, cluster: u8) {
        INTERRUPTS[usize::from(cluster)].with(|interrupts| {
            interrupts.image = Some(image);
            interrupts.start = image.common().start;
            interrupts.numbers = image.interrupts_of(cluster);
            interrupts.advance();
        });
    }

    /// When the timer is to interrupt for the next one on a cluster.
    pub(crate) fn due_on(cluster: u8, common: &Common) -> Time {
        INTERRUPTS[usize::from(cluster)].with(|interrupts| interrupts.due(common))
    }

    /// Makes those on a cluster, whose first CPU this is, whose time has come.
    pub(crate) fn make<P: Program>(
        kernel: &'static Kernel<Runner<P>>,
        cluster: u8,
        common: &Common,
    ) {
        let place = &INTERRUPTS[usize::from(cluster)];
        let mut interrupts = place.with(|interrupts| interrupts.clone());
        if interrupts.due(common) <= kernel.now() {
            while kernel.now() < interrupts.at() {}
            kernel.with_kernel(|kernel| {
                if interrupts.at() == interrupts.start {
                    // As in a simulation, which begins with what the clock releases.
                    catch_up(kernel.core, kernel.now);
                }
                while let Some(next) = interrupts.next
                    && interrupts.at() <= kernel.now
                {
                    match interrupts.bring(kernel.core, next.brings, kernel.now) {
                        // A task that is far behind loses some, and the trace says so; nothing more
                        // arrives for one that has ended.
                        Ok(()) | Err(Error::Full | Error::Dead) => interrupts.advance(),
                        Err(error) => output::fail(error),
                    }
                }
                catch_up(kernel.core, kernel.now);
            });
        }
        place.with(|place| *place = interrupts);
    }

    /// Tells the kernel what an interrupt brings.
    fn bring<C: Config<Message = ()>>(
        &self,
        core: &mut Core<C>,
        brings: Brings,
        now: Time,
    ) -> Result<(), Error> {
        match brings {
            Brings::Job { task, arrival } => {
                let Some(thread) = thread_of(task.into()) else {
                    output::fail("a job is released of a task that has not begun")
                };
                core.release(CPU, thread, self.start + arrival, now)
            }
            Brings::Messages(it) => match self.gauge(it.queue)? {
                Some(gauge) => core.feed_gauge(CPU, gauge, it.count, now),
                None => core.feed(CPU, queue_of(it.queue)?, &(), it.count, now),
            },
            Brings::Taker(it) => match self.gauge(it.queue)? {
                Some(gauge) => core.drain_gauge(CPU, gauge, it.count, now),
                None => core.drain(CPU, queue_of(it.queue)?, it.count, now, |()| ()),
            },
        }
    }

    /// The gauge of a number among queues; `None`: it is a queue.
    fn gauge(&self, number: u16) -> Result<Option<GaugeId>, Error> {
        let image = self.image.filter(|image| image.gauge(number).is_some());
        let gauge = |image| gauge_of(image, number, queue_of(number)?);
        image.map(gauge).transpose()
    }

    /// Goes on to the next one.
    fn advance(&mut self) {
        let number = self.numbers.next();
        self.next = number.and_then(|number| self.image?.interrupt(number));
    }

    /// The instant of the next one; [`Time::NEVER`]: there is none.
    fn at(&self) -> Time {
        self.next.map_or(Time::NEVER, |next| self.start + next.at)
    }

    /// When the timer is to interrupt for it.
    fn due(&self, common: &Common) -> Time {
        let early = common.instruction * EARLY;
        Time::ZERO + self.at().since(Time::ZERO + early)
    }
}
