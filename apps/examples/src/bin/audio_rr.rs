//! The [audio pipeline](flyball_examples::audio) under round robin: the batch job takes its time
//! slices, and blocks get lost meanwhile.
#![cfg_attr(target_os = "none", no_std, no_main)]

use flyball_app::catalogue::Rr;
use flyball_app::policy::Weighted;
use flyball_app::{PolicyOf, policy_of, prelude::*};
use flyball_examples::{audio, machine};

flyball_app::kernel! {
    machine: machine,
    policy: PolicyOf<Rr, 4> = policy_of::<Rr, 4, 0, 64>(&[]),
    init: init,
    threads: 4,
    messages: 64,
}

const SLICE: Weighted<()> = Weighted {
    params: (),
    quantum: Duration::from_millis(10),
};

fn init() -> Result<(), Error> {
    spawn(&audio::FILTER, Thread::once(), SLICE, audio::filter)?;
    spawn(&audio::SPECTRUM, Thread::once(), SLICE, audio::spectrum)?;
    spawn(&audio::BATCH, Thread::once(), SLICE, || audio::batch("rr"))?;
    audio::start()
}
