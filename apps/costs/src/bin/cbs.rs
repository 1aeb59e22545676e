//! Constant bandwidth servers, one for each thread, and one for those of the same urgency. Budgets are
//! longer than anything here.
#![no_std]
#![no_main]

use flyball_app::policy::Fifo;
use flyball_app::policy::servers::{ConstantBandwidth, Reservation, Seat, Servers};
use flyball_app::{Bitmap, Inline, Ranked};
use flyball_costs::{Rank, Urgency};

type Background = Ranked<Fifo, Bitmap<(), Inline<128>, 1>>;

fn seat(rank: Rank) -> Seat<()> {
    let period = rank.length();
    match rank {
        Rank::Middle => Seat::Shared(0, Reservation::every(period, period)),
        Rank::High(_) | Rank::Low(_) => Seat::Own(Reservation::every(period, period)),
    }
}

flyball_costs::image! {
    policy: Servers<ConstantBandwidth, Background, Inline<128>> =
        Servers::new(ConstantBandwidth::HARD, Ranked::new(Fifo, 128), 128),
    urgency: Urgency::Constant,
    params: seat,
}
