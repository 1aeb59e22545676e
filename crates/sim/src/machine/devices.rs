//! Sources and sinks: devices that put messages into queues and take them out when their clocks say so.

use super::{CPU, Node};
use crate::error::SimError;
use flyball_catalogue::Scheduler;
use flyball_model::TaskSet;
use flyball_model::endpoint::{End, Endpoint, Instants};
use flyball_policy::Time;
use flyball_trace::Sink;

/// The sources and sinks of a cluster.
pub(super) struct Devices {
    all: Vec<Device>,
    /// When something happens next; [`Time::NEVER`]: there are none.
    pub(super) next: Time,
}

struct Device {
    endpoint: Endpoint,
    instants: Instants,
}

impl Devices {
    /// Those of a set whose queues the tasks with these numbers use. The first cluster has those whose queues no
    /// task uses.
    pub(super) fn of(set: &TaskSet, numbers: &[usize], is_first: bool, seed: u64) -> Devices {
        let is_here = |queue: u16| {
            let user = set.user_of(queue);
            user.map_or(is_first, |task| numbers.contains(&task))
        };
        let all = set.endpoints.iter().enumerate();
        let all = all.filter(|(_, it)| is_here(it.queue));
        let mut devices = Devices {
            all: all
                .map(|(number, it)| Device {
                    endpoint: it.clone(),
                    instants: it.instants(number, seed),
                })
                .collect(),
            next: Time::NEVER,
        };
        devices.set_next();
        devices
    }

    /// Whether a source of a queue is due by `at`, if messages come, or a sink.
    pub(super) fn are_due(&self, queue: u16, come: bool, at: Time) -> bool {
        let moves = |end: End| (end == End::Source) == come;
        let mut all = self.all.iter();
        all.any(|it| {
            it.endpoint.queue == queue && moves(it.endpoint.end) && it.instants.peek() <= at
        })
    }

    fn set_next(&mut self) {
        let nexts = self.all.iter().map(|it| it.instants.peek());
        self.next = nexts.min().unwrap_or(Time::NEVER);
    }
}

impl<S: Scheduler, T: Sink> Node<S, T> {
    /// The devices whose instants have come put messages in and take them out, in the order of the set. Returns how
    /// many interrupts that is.
    pub(super) fn serve_devices(&mut self, now: Time) -> Result<u32, SimError> {
        let mut interrupts = 0;
        for number in 0..self.devices.all.len() {
            while self.devices.all[number].instants.peek() <= now {
                let Device { endpoint, instants } = &mut self.devices.all[number];
                instants.next();
                interrupts += 1;
                let queue = self.queues[usize::from(endpoint.queue)];
                let gauge = self.gauges[usize::from(endpoint.queue)];
                let (core, count) = (&mut self.core, endpoint.count);
                let done = match (endpoint.end, gauge) {
                    (End::Source, None) => core.feed(CPU, queue, &(), count, now),
                    (End::Sink, None) => core.drain(CPU, queue, count, now, |()| ()),
                    (End::Source, Some(gauge)) => core.feed_gauge(CPU, gauge, count, now),
                    (End::Sink, Some(gauge)) => core.drain_gauge(CPU, gauge, count, now),
                };
                done.map_err(|error| SimError::Refused {
                    what: endpoint.end.key().to_owned(),
                    error,
                })?;
            }
        }
        self.devices.set_next();
        Ok(interrupts)
    }
}
