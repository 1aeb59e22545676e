//! SOOS from one unit of time to the next.

use crate::world::{END, Event, Program, Schedule, Work};
use flyball_policy::soos::{Slack, Switches};

/// A server of the model.
struct Plain {
    q: u64,
    d: u64,
    p: u64,
    /// In millionths; `None`: that of all.
    alpha: Option<u32>,
    left: u64,
    last: u64,
    next: u64,
    /// It has work, and waits for this instant.
    waits: Option<u64>,
    /// It is ready: the number of the event that made it so.
    ready: Option<u64>,
}

impl Plain {
    /// The server of a task; `None`: it has none.
    fn of(work: &Work) -> Option<Plain> {
        let reservation = work.reservation()?;
        let (q, d, p) = (
            reservation.budget.as_nanos(),
            reservation.deadline.as_nanos(),
            reservation.period.as_nanos(),
        );
        let (left, last, next) = (q, 0, 0);
        Some(Plain {
            q,
            d,
            p,
            alpha: reservation.alpha.millionths(),
            left,
            last,
            next,
            waits: None,
            ready: None,
        })
    }

    fn deadline(&self) -> u64 {
        self.last + self.d
    }

    fn wait(&mut self, at: u64) {
        self.waits = Some(at.max(self.next));
    }

    fn exhausted(&mut self, is_hard: bool, event: u64) {
        self.ready = None;
        if is_hard {
            self.waits = Some(self.last + self.p);
        } else {
            (self.last, self.left) = (self.last + self.p, self.q);
            self.ready = Some(event);
        }
    }

    /// It is seen at a slot.
    fn seen(&mut self, is_hard: bool, event: u64) {
        let at = self.waits.take().unwrap();
        let has_much = || self.left * self.d > (self.deadline() - at) * self.q;
        if at >= self.deadline() || has_much() {
            (self.last, self.left) = (at, self.q);
        }
        self.ready = Some(event);
        if self.left == 0 {
            self.exhausted(is_hard, event);
        }
    }
}

/// The schedule, and whether a server had its deadline behind it and a budget.
pub(crate) fn model(switches: Switches, works: &[Work]) -> (Schedule, bool) {
    let Switches { slack, bids, .. } = switches;
    let is_hard = bids.budgets.is_hard;
    let mut servers: Vec<Option<Plain>> = works.iter().map(Plain::of).collect();
    let mut programs = Program::all(works);
    let mut background: Vec<usize> = Vec::new();
    let (mut slot_of, mut shared) = (None, false);
    let mut schedule = Schedule::new();
    let mut event = 0;
    let mut is_late = false;
    let mut first_job = None;
    for t in 0..END {
        let ran = schedule.last().copied().flatten();
        let happened = ran.and_then(|task: usize| programs[task].ran(t));
        let mut gives_up = false;
        match ran.map(|task| (task, &mut servers[task])) {
            Some((task, None)) if happened.is_some() => background.retain(|&it| it != task),
            Some((_, Some(server))) => {
                server.left -= 1;
                if happened.is_some() {
                    (server.ready, server.next) = (None, 0);
                    gives_up = true;
                }
                if let Some(Event::Ends(result)) = happened {
                    let phi = u64::from(result.min(bids.levels));
                    let alpha = u64::from(server.alpha.unwrap_or(bids.alpha));
                    server.next =
                        server.last + server.p + (server.p * alpha * phi).div_ceil(1_000_000);
                }
            }
            _ => {}
        }
        for task in 0..works.len() {
            match (programs[task].arrives(t), &mut servers[task]) {
                (None, _) => {}
                (Some(_), None) => background.push(task),
                (Some(Event::Comes(at)), Some(server)) => server.wait(at),
                (Some(_), Some(server)) => server.wait(t),
            }
        }
        if servers
            .iter()
            .flatten()
            .any(|server| server.waits.is_some())
        {
            first_job.get_or_insert(t);
        }
        let begins = first_job.is_some_and(|first| (t - first) % switches.slot.as_nanos() == 0);
        let look = |servers: &mut Vec<Option<Plain>>, event: &mut u64| {
            for server in servers.iter_mut().flatten() {
                while begins && server.waits.is_some_and(|at| at <= t) {
                    *event += 1;
                    server.seen(is_hard, *event);
                }
            }
        };
        look(&mut servers, &mut event);
        if let Some(server) = ran.and_then(|task| servers[task].as_mut())
            && server.left == 0
            && happened.is_none()
        {
            gives_up = true;
            event += 1;
            server.exhausted(is_hard, event);
        }
        look(&mut servers, &mut event);
        let ready = (0..works.len()).filter_map(|task| {
            let server = servers[task].as_ref()?;
            Some((server.deadline(), server.ready?, task))
        });
        let first = ready.min().map(|(.., task)| task);
        if begins {
            (slot_of, shared) = (first, false);
        } else if gives_up {
            let goes_on = match slack {
                Slack::None => false,
                Slack::One => !shared,
                Slack::All => true,
            };
            slot_of = first.filter(|_| goes_on);
            shared = true;
        }
        is_late |= servers
            .iter()
            .flatten()
            .any(|server| server.ready.is_some() && server.deadline() <= t && server.left > 0);
        schedule.push(slot_of.or(background.first().copied()));
    }
    (schedule, is_late)
}
