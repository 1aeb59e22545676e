//! As `dss`, and the operating points of threads are found by what the processor counts.
#![no_std]
#![no_main]

use flyball_app::policy::cruise::{Domains, Settings};
use flyball_app::policy::{Cruise, DoubleSorted, Paced, RoundRobin, StrictLists};
use flyball_app::{Duration, FixedPriority, Inline, Level, Ranked};
use flyball_costs::{Rank, Urgency};

type Sorted =
    DoubleSorted<Ranked<RoundRobin<FixedPriority>, StrictLists<Level, Inline<128>, 1, 5>>>;

/// Five points, at which a request to memory takes up to 100 cycles.
fn settings() -> Settings {
    let hertz = [104, 208, 416, 520, 620].map(|mhz| mhz * 1_000_000);
    let Some(domains) = Domains::new(&hertz, 100, 100_000) else {
        unreachable!("the frequencies rise");
    };
    Settings {
        domains,
        doubt: 2,
        sorts: true,
    }
}

flyball_costs::image! {
    policy: Cruise<Sorted, Inline<128>> = Cruise::new(DoubleSorted::new(Ranked::new(RoundRobin { order: FixedPriority, quantum: Duration::from_secs(60) }, 128)), settings()),
    urgency: Urgency::Constant,
    params: |rank: Rank| Paced { params: rank.in_group(5), speed: None },
}
