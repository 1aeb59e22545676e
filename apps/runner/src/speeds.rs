//! Operating points. The machine has one, so what tasks compute is as long in the image as it takes at
//! theirs, and a CPU that goes over to another point is busy for as long as that takes.

use crate::machine::{self, CPUS, SpinLock};
use flyball_kernel::{Config, Core};
use flyball_policy::{CpuId, Duration, Speed};
use flyball_script::image::Image;

/// The image, and the point of each CPU. Written before the first thread runs.
static POINTS: SpinLock<Option<(Image<'static>, [Speed; CPUS])>> = SpinLock::new(None);

/// The CPUs of a cluster start at the fastest of the points among which the policy chooses.
pub(crate) fn start<C: Config>(core: &mut Core<C>, image: Image<'static>, cluster: u8) {
    let Some(fastest) = image.speeds().checked_sub(1).map(Speed) else {
        return;
    };
    let common = image.common();
    let left = common.cpus.saturating_sub(cluster * common.cluster);
    for cpu in 0..common.cluster.min(left) {
        core.starts_at(CpuId(cpu), fastest);
    }
    POINTS.with(|points| *points = Some((image, [fastest; CPUS])));
}

/// `cpu`, which is this one, goes over to another point.
pub(crate) fn change(cpu: CpuId, speed: Speed) {
    let takes = POINTS.with(|points| {
        let (image, points) = points.as_mut()?;
        let before = core::mem::replace(points.get_mut(cpu.index())?, speed);
        Some((image.transition(before, speed)?, image.common().instruction))
    });
    // Without a table of points a change takes no time.
    if let Some((takes, instruction)) = takes.filter(|(takes, _)| *takes > Duration::ZERO) {
        machine::keep_busy(takes, instruction);
    }
}
