//! Servers that threads share, what is left of their budgets, and the end of these.

#![allow(unsafe_code)]

use core::sync::atomic::{AtomicU32, Ordering};
use flyball_app::policy::servers::{ConstantBandwidth, Servers};
use flyball_app::prelude::*;
use flyball_app::{Inline, Reservation, Seat, Server, budget_left};

type Policy = Servers<ConstantBandwidth, FixedPriorities<8>, Inline<8>>;

flyball_app::kernel! {
    machine: flyball_machine_host,
    policy: Policy =
        Servers::new(ConstantBandwidth::HARD, FixedPriorities::new(FixedPriority, 8), 8),
    init: init,
    overruns: true,
}

const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

static VIDEO: Server = Server::new(Reservation::every(ms(10), ms(4)));
static USED_UP: Semaphore = Semaphore::new(0);
static SIGNALS: AtomicU32 = AtomicU32::new(0);
static COMPUTED: AtomicU32 = AtomicU32::new(0);
static STACKS: [Stack<128>; 4] = [const { Stack::new() }; 4];

fn init() -> Result<(), Error> {
    let hog = spawn(&STACKS[0], Thread::once(), VIDEO.seat(), || {
        assert_eq!(budget_left(), Some(ms(4)));
        compute(ms(3));
        assert_eq!(budget_left(), Some(ms(1)));
        loop {
            compute(ms(1));
            COMPUTED.fetch_add(1, Ordering::Relaxed);
        }
    })?;
    spawn(&STACKS[1], Thread::once(), VIDEO.seat(), || exit())?;
    hog.on_exhaust(&USED_UP)?;
    let own = Seat::Own(Reservation::every(ms(5), ms(1)));
    spawn(&STACKS[2], Thread::once(), own, move || {
        for end in [4, 14] {
            USED_UP.wait().unwrap();
            assert_eq!(now(), Time::ZERO + ms(end));
            assert_eq!(hog.budget().unwrap().unwrap().left, ms(0));
            SIGNALS.fetch_add(1, Ordering::Relaxed);
        }
        let much = Reservation::every(ms(10), ms(11));
        assert!(matches!(
            hog.adjust(VIDEO.seat_with(much)),
            Err(Error::Refused(_))
        ));
        let little = Reservation::every(ms(10), ms(1));
        hog.adjust(VIDEO.seat_with(little)).unwrap();
    })?;
    spawn(
        &STACKS[3],
        Thread::once(),
        Seat::Background(Priority(1)),
        move || {
            assert_eq!(budget_left(), None);
            sleep_until(Time::ZERO + ms(55));
            assert_eq!(SIGNALS.load(Ordering::Relaxed), 2);
            // After the two budgets of 4 ms, the next one pays for what the smaller ones would not have had.
            assert_eq!(COMPUTED.load(Ordering::Relaxed), 6);
            println!("all is well");
            shut_down(0)
        },
    )?;
    Ok(())
}
