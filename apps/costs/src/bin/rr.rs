//! Round robin. The quantum is longer than anything here.
#![no_std]
#![no_main]

use flyball_app::policy::{Fifo, RoundRobin, Sliced};
use flyball_app::{Bitmap, Duration, Inline, Ranked, Uniprocessor};
use flyball_costs::{Rank, Urgency};

flyball_costs::image! {
    policy: Ranked<RoundRobin, Bitmap<(), Inline<128>, 1>, Uniprocessor> = Ranked::new(Sliced { order: Fifo, quantum: Duration::from_secs(60) }, 128),
    urgency: Urgency::None,
    params: |_: Rank| (),
}
