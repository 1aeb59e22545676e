//! The [audio pipeline](flyball_examples::audio) under reservations that set themselves: no thread says a priority,
//! a share or a period, and no block gets lost.
//!
//! The batch job is made last. What nothing else has claimed is a new thread's for its first period, so a batch job that is
//! made first has the CPU for most of the first 500 ms, and blocks get lost until then.
#![cfg_attr(target_os = "none", no_std, no_main)]

use flyball_app::catalogue::Pp;
use flyball_app::policy::proportion_period::Request;
use flyball_app::{PolicyOf, policy_of, prelude::*};
use flyball_examples::{audio, machine};

flyball_app::kernel! {
    machine: machine,
    policy: PolicyOf<Pp, 4> = policy_of::<Pp, 4, 0, 64>(&[]),
    init: init,
    threads: 4,
    messages: 64,
}

fn init() -> Result<(), Error> {
    let nothing = Request::NOTHING;
    spawn(&audio::FILTER, Thread::once(), nothing, audio::filter)?;
    spawn(&audio::SPECTRUM, Thread::once(), nothing, audio::spectrum)?;
    spawn(&audio::BATCH, Thread::once(), nothing, || {
        audio::batch("pp");
    })?;
    audio::start()
}
