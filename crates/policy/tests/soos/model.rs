//! SOOS from one unit of time to the next.

use crate::soos::world::{END, Event, Program, Schedule, Work};
use flyball_policy::soos::{Slack, Switches};

/// A server of the model.
struct Plain {
    q: u64,
    d: u64,
    p: u64,
    /// In millionths; `None`: that of all.
    alpha: Option<u32>,
    left: u64,
    /// What it takes of the CPU with a whole budget, and by how much later than it comes.
    takes: u64,
    late: u64,
    /// Slots' ends that are on its budget.
    wasted: u64,
    /// It has had a budget.
    has_been: bool,
    last: u64,
    next: u64,
    /// It has work, and waits for this instant.
    waits: Option<u64>,
    /// It is ready: the number of the event that made it so.
    ready: Option<u64>,
}

impl Plain {
    /// The server of a task; `None`: it has none.
    fn of(work: &Work, switches: Switches) -> Option<Plain> {
        let reservation = work.reservation()?;
        let (q, d, p) = (
            reservation.budget.as_nanos(),
            reservation.deadline.as_nanos(),
            reservation.period.as_nanos(),
        );
        let (left, last, next) = (q, 0, 0);
        let slot = switches.slot.as_nanos();
        let takes = match switches.slack {
            Slack::None => q.next_multiple_of(slot),
            Slack::One => q + slot,
            Slack::All => q,
        };
        Some(Plain {
            q,
            d,
            p,
            alpha: reservation.alpha.millionths(),
            left,
            takes,
            late: slot,
            wasted: 0,
            has_been: false,
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

    fn is_out(&self) -> bool {
        self.left <= self.wasted
    }

    fn renew(&mut self, at: u64) {
        (self.last, self.left, self.wasted) = (at, self.q, 0);
        self.has_been = true;
    }

    fn exhausted(&mut self, is_hard: bool, event: u64) {
        self.ready = None;
        if is_hard {
            self.waits = Some(self.last + self.p);
        } else {
            self.renew(self.last + self.p);
            self.ready = Some(event);
        }
    }

    /// It is seen at a slot.
    fn seen(&mut self, is_hard: bool, event: u64, slot: u64) {
        let at = self.waits.take().unwrap();
        let has_much = || {
            let left = (self.takes + self.left).saturating_sub(self.q + self.wasted);
            let time = self.deadline().saturating_sub(slot);
            left * self.d.saturating_sub(self.late) > time * self.takes
        };
        if !self.has_been || at >= self.deadline() || has_much() {
            self.renew(at);
        }
        self.ready = Some(event);
        if self.is_out() {
            self.exhausted(is_hard, event);
        }
    }
}

/// The schedule, and whether a server had its deadline behind it and a budget.
pub(crate) fn model(switches: Switches, works: &[Work]) -> (Schedule, bool) {
    let Switches { slack, bids, .. } = switches;
    let slot = switches.slot.as_nanos();
    let is_hard = bids.budgets.is_hard;
    let mut servers: Vec<Option<Plain>> =
        works.iter().map(|work| Plain::of(work, switches)).collect();
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
        let begins = first_job.is_some_and(|first| (t - first) % slot == 0);
        let look = |servers: &mut Vec<Option<Plain>>, event: &mut u64| {
            for server in servers.iter_mut().flatten() {
                while begins && server.waits.is_some_and(|at| at <= t) {
                    *event += 1;
                    server.seen(is_hard, *event, t);
                }
            }
        };
        look(&mut servers, &mut event);
        if let Some(server) = ran.and_then(|task| servers[task].as_mut())
            && server.is_out()
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
            if let Some(Event::Pauses) = happened
                && !goes_on
            {
                let first = first_job.unwrap();
                let rest = slot - (t - first) % slot;
                servers[ran.unwrap()].as_mut().unwrap().wasted += rest;
            }
        }
        is_late |= servers
            .iter()
            .flatten()
            .any(|server| server.ready.is_some() && server.deadline() <= t && !server.is_out());
        schedule.push(slot_of.or(background.first().copied()));
    }
    (schedule, is_late)
}
