//! Least laxity first. The quantum is longer than anything here.
#![no_std]
#![no_main]

use flyball_app::policy::{Laxity, LeastLaxity};
use flyball_app::{Duration, Inline, Ranked, SortedRing, Time};
use flyball_costs::{Rank, Urgency};

flyball_costs::image! {
    policy: Ranked<LeastLaxity, SortedRing<Time, Inline<128>>> = Ranked::new(LeastLaxity { quantum: Duration::from_secs(60) }, 128),
    urgency: Urgency::Moving,
    params: |rank: Rank| Laxity { deadline: rank.length(), wcet: Duration::from_millis(1) },
}
