//! The sporadic server by fixed priorities (Sprunt, Sha and Lehoczky, Real-Time Systems 1(1), 1989).
//!
//! Promises: to others a server is no more than a sporadic task of its budget and period, so a test
//! for fixed priorities says whether all are in time; what is used comes back a period after the
//! instant from which it could be used. Servers with shorter deadlines go first.
//! Does not promise: the whole budget at once. It comes back in the pieces in which it was used.
//! Source: as corrected by Stanovich, Baker, Wang and Harbour, *Defects of the POSIX sporadic server
//! and how to correct them*, RTAS 2010: each piece keeps its own instant, and an overrun is taken
//! off pieces to come. Simplified: a server becomes active when a task comes to it, and not already
//! when another thread of its priority or a higher one runs; and where there are too many pieces,
//! the last two become one, at the later instant. So no piece comes earlier than it may.

use super::account::{Account, Reservation};
use super::rule::{Arrival, Rule, Supply};
use flyball_trace::{Duration, Time};

/// The rule of the sporadic server.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sporadic;

/// So many pieces a budget may be in.
const PIECES: usize = 4;

/// A part of the budget.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Piece {
    /// When it can be used.
    at: Time,
    amount: Duration,
}

/// The whole budget of a server in pieces, the earliest first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Pieces {
    pieces: [Piece; PIECES],
    count: u8,
}

impl Pieces {
    fn all(&self) -> &[Piece] {
        &self.pieces[..usize::from(self.count)]
    }

    fn first(&self) -> Option<Piece> {
        self.all().first().copied()
    }

    /// Adds a piece that is no earlier than any other.
    fn push(&mut self, piece: Piece) {
        let count = usize::from(self.count);
        if let Some(last) = self.pieces[..count].last_mut()
            && (count == PIECES || last.at == piece.at)
        {
            last.at = piece.at;
            last.amount += piece.amount;
        } else {
            self.pieces[count] = piece;
            self.count += 1;
        }
    }

    fn pop(&mut self) {
        self.pieces.rotate_left(1);
        self.count -= 1;
    }

    /// How much there is of what can be used at `now`.
    fn available(&self, now: Time) -> Duration {
        let is_there = |piece: &&Piece| piece.at <= now;
        self.all().iter().filter(is_there).map(|it| it.amount).sum()
    }

    /// The server becomes active: what can be used can be used from now on.
    fn activate(&mut self, now: Time) {
        let amount = self.available(now);
        if amount.is_zero() {
            return;
        }
        let mut rest = Pieces::default();
        rest.push(Piece { at: now, amount });
        let is_later = |piece: &&Piece| piece.at > now;
        for piece in self.all().iter().filter(is_later) {
            rest.push(*piece);
        }
        *self = rest;
    }

    /// What has been used comes back a period after it could be used.
    fn consume(&mut self, mut used: Duration, period: Duration) {
        while !used.is_zero()
            && let Some(first) = self.first()
        {
            let amount = first.amount.min(used);
            used = used.saturating_sub(amount);
            if amount == first.amount {
                self.pop();
            } else {
                self.pieces[0].amount = first.amount.saturating_sub(amount);
            }
            let at = first.at + period;
            self.push(Piece { at, amount });
        }
    }
}

impl Account<Pieces> {
    /// The budget is what can be used at `now`.
    fn refresh(&mut self, now: Time) -> Supply {
        let available = self.state.available(now);
        self.used = self.reservation.budget.saturating_sub(available);
        match self.state.first() {
            Some(first) if available.is_zero() => Supply::Throttled(first.at),
            _ => Supply::Available,
        }
    }
}

impl Rule for Sporadic {
    type State = Pieces;

    fn key(&self, account: &Account<Pieces>) -> Time {
        account.by_deadline()
    }

    /// The whole budget can be used when the last piece of the old one could.
    fn reserve(&mut self, account: &mut Account<Pieces>, reservation: Reservation) {
        let at = account.state.all().last().map_or(Time::ZERO, |it| it.at);
        let amount = reservation.budget;
        account.state = Pieces::default();
        account.state.push(Piece { at, amount });
        account.used = amount;
        account.reservation = reservation;
    }

    fn arrives(&mut self, account: &mut Account<Pieces>, arrival: Arrival) -> Supply {
        account.state.activate(arrival.at);
        account.deadline = arrival.at + account.reservation.deadline;
        account.refresh(arrival.at)
    }

    fn charge(&self, account: &mut Account<Pieces>, used: Duration, now: Time) {
        let period = account.reservation.period;
        account.state.consume(used, period);
        account.refresh(now);
    }

    fn exhausted(&mut self, account: &mut Account<Pieces>, now: Time) -> Supply {
        account.refresh(now)
    }

    fn replenish(&mut self, account: &mut Account<Pieces>, due: Time, now: Time) -> Supply {
        account.deadline = due + account.reservation.deadline;
        account.refresh(now)
    }
}
