//! Reservations that set themselves, for each thread one: the more urgent, the shorter its period.
#![no_std]
#![no_main]

use flyball_app::policy::Fifo;
use flyball_app::policy::proportion_period::{Part, ProportionPeriod, Request, Settings};
use flyball_app::{Bitmap, Duration, Inline, Ranked};
use flyball_costs::{Rank, Urgency};

type Background = Ranked<Fifo, Bitmap<(), Inline<128>, 1>>;

/// Shares that last for all that is measured.
fn request(rank: Rank) -> Request {
    let (share, seconds) = match rank {
        Rank::High(0) => (100_000, 2),
        Rank::High(_) => (4_000, 2),
        Rank::Middle => (350_000, 3),
        Rank::Low(_) => (500, 4),
    };
    Request {
        share: Some(Part::millionths(share)),
        period: Some(Duration::from_secs(seconds)),
        importance: 1,
    }
}

flyball_costs::image! {
    policy: ProportionPeriod<Background, Inline<128>> =
        ProportionPeriod::new(Settings::DEFAULT, Ranked::new(Fifo, 128), 128),
    urgency: Urgency::Moving,
    params: request,
}
