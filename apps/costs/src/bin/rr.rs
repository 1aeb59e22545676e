//! Round robin. The quantum is longer than anything here.
#![no_std]
#![no_main]

use flyball_app::policy::{Fifo, RoundRobin};
use flyball_app::{Bitmap, Duration, Inline, Ranked};
use flyball_costs::{Rank, Urgency};

flyball_costs::image! {
    policy: Ranked<RoundRobin<Fifo>, Bitmap<(), Inline<128>, 1>> = Ranked::new(RoundRobin { order: Fifo, quantum: Duration::from_secs(60) }, 128),
    urgency: Urgency::None,
    params: |_: Rank| (),
}
