//! What the trace says of budgets, checked against what has run.

use flyball_trace::{Duration, Event, Kind, ServerId, Time};

/// Keeps the budget of each server by what its tasks run, and compares it with what the trace says.
/// Only without inheritance, where it is known which server pays.
pub(crate) struct Ledger {
    budgets: Vec<Duration>,
    /// The server of each task.
    seats: Vec<Option<usize>>,
    left: Vec<Duration>,
    /// What has been used since, at its own cost.
    used: Vec<Duration>,
    /// Whether a budget may come back in pieces, up to the same deadline.
    in_pieces: bool,
    deadlines: Vec<Option<Time>>,
    /// When a server was last replenished.
    replenished: Vec<Option<Time>>,
    running: Option<usize>,
    now: Time,
    /// How many budgets were compared.
    pub(crate) compared: usize,
    /// What differs first.
    pub(crate) difference: Option<String>,
}

impl Ledger {
    pub(crate) fn new(
        budgets: Vec<Duration>,
        seats: Vec<Option<usize>>,
        in_pieces: bool,
    ) -> Ledger {
        let servers = budgets.len();
        Ledger {
            budgets,
            seats,
            left: vec![Duration::ZERO; servers],
            used: vec![Duration::ZERO; servers],
            in_pieces,
            deadlines: vec![None; servers],
            replenished: vec![None; servers],
            running: None,
            now: Time::ZERO,
            compared: 0,
            difference: None,
        }
    }

    fn server(&self, server: ServerId) -> usize {
        self.seats[server.index()].expect("the task whose number it has is in a server")
    }

    /// The trace says that the server has this much.
    fn compare(&mut self, server: ServerId, says: Duration) {
        let server = self.server(server);
        self.compared += 1;
        let used = std::mem::take(&mut self.used[server]);
        let left = self.left[server].saturating_sub(used);
        let is_new = self.replenished[server] == Some(self.now);
        let is_right = if is_new {
            says >= left && says <= self.budgets[server]
        } else {
            // A part of a nanosecond is counted as one.
            says <= left && left.saturating_sub(says) <= Duration::from_nanos(1)
        };
        if !is_right && self.difference.is_none() {
            let now = self.now;
            self.difference = Some(format!("server {server} at {now}: {says}, and not {left}"));
        }
        self.left[server] = says;
    }

    /// The next event of the trace.
    pub(crate) fn see(&mut self, event: &Event) {
        if let Some(server) = self.running {
            let used = event.time.since(self.now);
            self.used[server] += used;
        }
        self.now = event.time;
        match event.kind {
            Kind::Replenish { server, deadline } => {
                let server = self.server(server);
                let before = self.deadlines[server].replace(deadline);
                if self.in_pieces || before.is_none_or(|before| before < deadline) {
                    self.replenished[server] = Some(event.time);
                }
            }
            Kind::Budget { server, left } => self.compare(server, left),
            Kind::Exhaust { server } => self.compare(server, Duration::ZERO),
            Kind::Reclaim { server, length } => {
                let server = self.server(server);
                self.used[server] = self.used[server].saturating_sub(length);
            }
            Kind::Dispatch { task, .. } => self.running = self.seats[task.index()],
            Kind::Idle | Kind::Complete { .. } | Kind::Block { .. } => self.running = None,
            _ => {}
        }
    }
}
