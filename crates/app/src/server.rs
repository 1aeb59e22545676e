//! Servers that several threads share.

use core::sync::atomic::{AtomicU16, Ordering};
use flyball_policy::servers::{Reservation, Seat};

/// How many servers have a number, which are the numbers from one on.
static NUMBERED: AtomicU16 = AtomicU16::new(0);

/// CPU time that is kept for some threads, which share it first come, first served. (A thread with a
/// server of its own needs none of these: it says [`Seat::Own`]. One without a server says
/// [`Seat::Background`].)
///
/// ```
/// use flyball_app::catalogue::Cbs;
/// use flyball_app::{Duration, PolicyOf, Reservation, Server, policy_of, prelude::*};
/// # // The program's `main` is made by a macro, which rustdoc has to be told.
/// # macro_rules! made { () => { fn main() {} } }
///
/// flyball_app::kernel! {
///     machine: flyball_machine_host,
///     policy: PolicyOf<Cbs, 8> = policy_of::<Cbs, 8, 0, 64>(&[]),
///     init: init,
/// }
///
/// const FRAME: Duration = Duration::from_millis(40);
/// const VIDEO: Reservation = Reservation::every(FRAME, Duration::from_millis(10));
/// static SERVER: Server = Server::new(VIDEO);
/// static DECODE: Stack<512> = Stack::new();
/// static SHOW: Stack<512> = Stack::new();
///
/// fn init() -> Result<(), Error> {
///     spawn(&DECODE, Thread::periodic(FRAME), SERVER.seat(), || exit())?;
///     spawn(&SHOW, Thread::periodic(FRAME), SERVER.seat(), || exit())?;
///     Ok(())
/// }
/// ```
pub struct Server {
    reservation: Reservation,
    /// Zero: it has none yet.
    number: AtomicU16,
}

impl Server {
    /// A server with this budget in every period. The policy admits it with its first thread.
    pub const fn new(reservation: Reservation) -> Server {
        Server {
            reservation,
            number: AtomicU16::new(0),
        }
    }

    /// What its threads tell the policy.
    pub fn seat<P>(&self) -> Seat<P> {
        self.seat_with(self.reservation)
    }

    /// The same, with another reservation: `thread.adjust(SERVER.seat_with(reservation))` gives it to the
    /// server, and so to all of its threads. Those that are made later have to name it, too.
    pub fn seat_with<P>(&self, reservation: Reservation) -> Seat<P> {
        Seat::Shared(self.number(), reservation)
    }

    fn number(&self) -> u16 {
        let number = self.number.load(Ordering::Relaxed);
        if number > 0 {
            return number;
        }
        let next = NUMBERED.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        // Another CPU may have been here first. Then a number is left out.
        let set = self
            .number
            .compare_exchange(0, next, Ordering::Relaxed, Ordering::Relaxed);
        set.map_or_else(|other| other, |_| next)
    }
}
