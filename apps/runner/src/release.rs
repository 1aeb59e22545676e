//! Jobs that the image lists, as they are sporadic or late by their jitter: the
//! application's timer interrupts at each release, and its handler tells the kernel.

use crate::change::{catch_up, thread_of};
use crate::machine::{CLUSTERS, EARLY, Kernel, Machine, SpinLock};
use crate::{Program, Runner, output};
use core::ops::Range;
use flyball_kernel::Error;
use flyball_policy::{CpuId, Time};
use flyball_script::image::{Common, Image, JobRelease};

const CPU: CpuId = CpuId(0);

/// The releases on a cluster of CPUs that are still to come.
#[derive(Clone)]
pub(crate) struct Releases {
    image: Option<Image<'static>>,
    /// When the task set starts.
    start: Time,
    numbers: Range<u32>,
    next: Option<JobRelease>,
}

static RELEASES: [SpinLock<Releases>; CLUSTERS] = [const {
    SpinLock::new(Releases {
        image: None,
        start: Time::ZERO,
        numbers: 0..0,
        next: None,
    })
}; CLUSTERS];

impl Releases {
    /// Those that the image has are to come, on the cluster of that number.
    pub(crate) fn init(image: Image<'static>, cluster: u8) {
        RELEASES[usize::from(cluster)].with(|releases| {
            releases.image = Some(image);
            releases.start = image.common().start;
            releases.numbers = image.releases_of(cluster);
            releases.advance();
        });
    }

    /// When the timer is to interrupt for the next one on a cluster.
    pub(crate) fn due_on(cluster: u8, common: &Common) -> Time {
        RELEASES[usize::from(cluster)].with(|releases| releases.due(common))
    }

    /// Makes those on a cluster, whose first CPU this is, whose time has come.
    pub(crate) fn make<P: Program>(
        kernel: &'static Kernel<Runner<P>>,
        cluster: u8,
        common: &Common,
    ) {
        let place = &RELEASES[usize::from(cluster)];
        let mut releases = place.with(|releases| releases.clone());
        if releases.due(common) <= kernel.now() {
            while kernel.now() < releases.at() {}
            kernel.with_kernel(|kernel| {
                if releases.at() == releases.start {
                    // As in a simulation, which begins with what the clock releases.
                    catch_up(kernel.core, kernel.now);
                }
                while let Some(next) = releases.next
                    && releases.at() <= kernel.now
                {
                    let arrival = releases.start + next.arrival;
                    let Some(thread) = thread_of(next.task.into()) else {
                        output::fail("a job is released of a task that has not begun")
                    };
                    match kernel.core.release(CPU, thread, arrival, kernel.now) {
                        // A task that is far behind loses some, and the trace says so; nothing more
                        // arrives for one that has ended.
                        Ok(()) | Err(Error::Full | Error::Dead) => releases.advance(),
                        Err(error) => output::fail(error),
                    }
                }
                catch_up(kernel.core, kernel.now);
            });
        }
        place.with(|place| *place = releases);
    }

    /// Goes on to the next one.
    fn advance(&mut self) {
        let number = self.numbers.next();
        self.next = number.and_then(|number| self.image?.release(number));
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
