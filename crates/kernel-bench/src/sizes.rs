//! How small an image can be.

use crate::error::BenchError;
use crate::image;
use serde::Serialize;
use std::collections::BTreeMap;

/// Threads that the smaller of two images has room for; the other has room for twice as many.
const THREADS: u64 = 8;

/// Bytes of an image.
#[derive(Clone, Copy, Serialize)]
pub(crate) struct Size {
    /// Code, constants, and what variables begin with.
    pub(crate) code: u64,
    /// Variables, stacks among them.
    pub(crate) ram: u64,
    /// Variables for each thread, without its stack.
    pub(crate) ram_per_thread: u64,
}

/// The minimal images, by policy.
#[derive(Serialize)]
pub(crate) struct Sizes(pub(crate) BTreeMap<&'static str, Size>);

impl Sizes {
    /// Builds the images, and looks at them.
    pub(crate) fn measure() -> Result<Sizes, BenchError> {
        let images = [
            ("fp", "minimal-fp"),
            ("edf", "minimal-edf"),
            ("soos", "minimal-soos"),
        ];
        let all = || -> Result<Vec<_>, BenchError> {
            let sizes = images.iter().map(|(_, name)| image::size(name, "small"));
            sizes.collect()
        };
        image::build("flyball-minimal", "small", &["small", "twice"])?;
        let twice = all()?;
        image::build("flyball-minimal", "small", &["small"])?;
        let once = all()?;
        let sizes = images.iter().zip(once.into_iter().zip(twice));
        let sizes = sizes.map(|(&(policy, _), (once, twice))| {
            let ram_per_thread = (twice.ram - once.ram) / THREADS;
            (
                policy,
                Size {
                    code: once.code,
                    ram: once.ram,
                    ram_per_thread,
                },
            )
        });
        Ok(Sizes(sizes.collect()))
    }
}
