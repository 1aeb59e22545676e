//! SOOS: servers in slots of 10 ms.
#![no_std]
#![no_main]

use flyball_app::policy::servers::{Reservation, Seat};
use flyball_app::policy::soos::{Soos, Switches};
use flyball_app::policy::{Fifo, Queue, TopTwo};
use flyball_app::{Bitmap, Duration, Inline, Ranked, Time};
use flyball_minimal::THREADS;

type Room = Inline<THREADS>;
type Policy = Soos<TopTwo<Time, Room>, Ranked<Fifo, Bitmap<(), Room, 1>>>;

/// A server with a budget of 2 ms.
fn server(period: u64) -> Seat<()> {
    let ms = Duration::from_millis;
    Seat::Own(Reservation::every(ms(period), ms(2)))
}

flyball_minimal::image!(
    Policy = Soos::new(
        Switches::default(),
        TopTwo::new(THREADS),
        Ranked::new(Fifo, THREADS)
    ),
    server(20),
    server(30)
);
