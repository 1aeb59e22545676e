//! SOOS, as its paper has it, with room for thirty tasks and a thread in the background.
#![no_std]
#![no_main]

use flyball_app::policy::servers::{Bids, ConstantBandwidth};
use flyball_app::policy::soos::{Soos, Switches};
use flyball_app::policy::{Fifo, Queue, TopTwo};
use flyball_app::{Bitmap, Inline, NoTrace, Ranked, Time, Timing};
use flyball_costs::slots::{SLOT, prepare};

type Room = Inline<32>;
type Policy = Soos<TopTwo<Time, Room>, Ranked<Fifo, Bitmap<(), Room, 1>>>;

fn policy() -> Policy {
    let switches = Switches {
        slot: SLOT,
        bids: Bids {
            budgets: ConstantBandwidth::HARD,
            ..Bids::default()
        },
        ..Switches::default()
    };
    Soos::new(switches, TopTwo::new(32), Ranked::new(Fifo, 32))
}

flyball_app::kernel! {
    machine: flyball_machine_cortexm,
    policy: Policy = policy(),
    trace: NoTrace = NoTrace,
    init: prepare::<Application>,
    threads: 32,
    mutexes: 0,
    semaphores: 0,
    conditions: 0,
    queues: 0,
    messages: 0,
    jobs: true,
    arrivals: 0,
    accounting: false,
    checks: false,
    guarded: false,
    timing: Timing::Tickless,
}
