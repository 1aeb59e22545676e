//! Queues whose capacity changes.

use super::super::world::{CPU, TestObjects, World};
use super::books::{Books, ROOM};
use crate::Error;
use flyball_policy::Policy;

impl<P: Policy, const CHECKS: bool, O: TestObjects> World<P, CHECKS, O> {
    /// Changes the capacity of the `n`-th queue. Its messages stay, and behind them come those of
    /// senders that waited, as many as fit.
    pub(super) fn resize(&mut self, n: usize, capacity: u8, books: &mut Books<O>) {
        let (queue, capacity) = (books.queues[n], u16::from(capacity) % (ROOM[n] + 2));
        let before = self.core.messages_of(queue);
        let waiters = self.core.queues.rows[n].waiters;
        let mut waiting = Vec::new();
        if !before.is_empty() {
            let senders = self.core.links.iter(waiters);
            waiting.extend(senders.map(|task| self.core.hands[task.index()]));
        }
        let resized = self.core.resize(CPU, queue, capacity, self.now);
        let is_resized = (1..=ROOM[n]).contains(&capacity);
        let expected = match capacity {
            0 => Err(Error::Invalid),
            _ if is_resized => Ok(()),
            _ => Err(Error::Full),
        };
        assert_eq!(resized, expected);
        if is_resized {
            books.capacities[n] = capacity;
        }
        let after = self.core.messages_of(queue);
        let (stay, come) = after.split_at(before.len());
        assert_eq!(stay, before);
        let room = usize::from(books.capacities[n]).saturating_sub(before.len());
        assert_eq!(come.len(), room.min(waiting.len()));
        assert!(come.iter().all(|message| waiting.contains(message)));
    }
}
