//! Releases by no clock of the kernel's: a table of jobs, those of each cluster of CPUs together and
//! in the order of their releases.
//!
//! ```text
//! job        20 bytes: its release, 8 bytes; its arrival, 8; the task, 2; nothing, 2
//! ```

use super::task::Stretch;
use super::{Arrival, Image, ImageError, RELEASES_AT};
use core::ops::Range;
use flyball_policy::Encode;
use flyball_trace::Duration;

/// The release of a job. Both instants count from [`Common::start`](super::Common::start).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct JobRelease {
    /// When the kernel hears of it.
    pub at: Duration,
    /// When it has arrived; its deadline counts from then.
    pub arrival: Duration,
    /// The task's number.
    pub task: u16,
}

impl JobRelease {
    /// The length of a row in bytes.
    pub const SIZE: usize = 20;
}

impl Encode for JobRelease {
    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        (self.at, self.arrival, self.task, 0_u16).emit(put);
    }

    fn parse(bytes: &mut &[u8]) -> Option<JobRelease> {
        let (at, arrival, task, _) = <(Duration, Duration, u16, u16)>::parse(bytes)?;
        Some(JobRelease { at, arrival, task })
    }
}

impl Image<'_> {
    /// A release, if there is one of that number.
    pub fn release(self, number: u32) -> Option<JobRelease> {
        let at = self.releases().place(number, JobRelease::SIZE)?;
        JobRelease::parse(&mut self.bytes.get(at..)?)
    }

    /// The numbers of the releases on a cluster of CPUs. O(releases).
    pub fn releases_of(self, cluster: u8) -> Range<u32> {
        let all = self.releases().count;
        let find = |from: u32, is: &dyn Fn(Option<u8>) -> bool| {
            let found = (from..all).find(|&number| is(self.cluster_of(number)));
            found.unwrap_or(all)
        };
        let first = find(0, &|other| other >= Some(cluster));
        first..find(first, &|other| other > Some(cluster))
    }

    fn releases(self) -> Stretch {
        let stretch = self.bytes.get(RELEASES_AT..);
        let stretch = stretch.and_then(|mut bytes| Stretch::parse(&mut bytes));
        stretch.unwrap_or_default()
    }

    /// The cluster on which a job is released, if its task has such jobs.
    fn cluster_of(self, number: u32) -> Option<u8> {
        let task = self.task(self.release(number)?.task)?;
        (task.arrival == Arrival::Listed).then(|| task.cpu / self.common().cluster)
    }

    /// Releases are all there, in order, of tasks that there are from the start.
    pub(super) fn check_releases(self) -> Result<(), ImageError> {
        let (tasks, mut last) = (self.first(), (0, Duration::ZERO));
        for number in 0..self.releases().count {
            let release = self.release(number).ok_or(ImageError::Truncated)?;
            let cluster = self.cluster_of(number).ok_or(ImageError::Release)?;
            let next = (cluster, release.at);
            if release.task >= tasks || next < last || release.arrival > release.at {
                return Err(ImageError::Release);
            }
            last = next;
        }
        Ok(())
    }
}
