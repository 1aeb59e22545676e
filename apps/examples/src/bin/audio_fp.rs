//! The [audio pipeline](flyball_examples::audio) under fixed priorities without an analysis: all
//! threads have the same one. So the pipeline waits until the batch job offers the CPU. With
//! `Priority(2)` for the two threads of the pipeline no block gets lost.
#![cfg_attr(target_os = "none", no_std, no_main)]

use flyball_app::prelude::*;
use flyball_examples::{audio, machine};

flyball_app::kernel! {
    machine: machine,
    policy: FixedPriorities<4> = FixedPriorities::new(FixedPriority, 4),
    init: init,
    threads: 4,
    messages: 64,
}

fn init() -> Result<(), Error> {
    spawn(&audio::FILTER, Thread::once(), Priority(1), audio::filter)?;
    spawn(
        &audio::SPECTRUM,
        Thread::once(),
        Priority(1),
        audio::spectrum,
    )?;
    spawn(&audio::BATCH, Thread::once(), Priority(1), || {
        audio::batch("fp");
    })?;
    audio::start()
}
