//! First in, first out.
#![no_std]
#![no_main]

use flyball_app::policy::Fifo;
use flyball_app::{Bitmap, Inline, Ranked};
use flyball_costs::{Rank, Urgency};

flyball_costs::image! {
    policy: Ranked<Fifo, Bitmap<(), Inline<128>, 1>> = Ranked::new(Fifo, 128),
    urgency: Urgency::None,
    params: |_: Rank| (),
}
