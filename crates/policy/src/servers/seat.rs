//! Where a task runs.

use super::account::Reservation;
use crate::encode::Encode;

/// What a task tells [`Servers`](super::Servers).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seat<P> {
    /// In a server of its own.
    Own(Reservation),
    /// In the server of this number, together with all others that name it. All name the same
    /// reservation.
    Shared(u16, Reservation),
    /// In none: it runs in the background, and this is what it tells the policy there.
    Background(P),
}

impl<P: Encode> Encode for Seat<P> {
    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        match self {
            Seat::Own(reservation) => (0_u8, *reservation).emit(put),
            Seat::Shared(number, reservation) => (1_u8, *number, *reservation).emit(put),
            Seat::Background(params) => {
                0x2_u8.emit(put);
                params.emit(put);
            }
        }
    }

    fn parse(bytes: &mut &[u8]) -> Option<Seat<P>> {
        Some(match u8::parse(bytes)? {
            0 => Seat::Own(Encode::parse(bytes)?),
            1 => {
                let (number, reservation) = Encode::parse(bytes)?;
                Seat::Shared(number, reservation)
            }
            2 => Seat::Background(P::parse(bytes)?),
            _ => return None,
        })
    }
}
