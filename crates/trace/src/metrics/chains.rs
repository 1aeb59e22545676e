//! Chains of jobs that release each other by messages and signals.

use super::Spread;
use crate::{TaskId, Time};
use std::collections::HashMap;

/// The end-to-end latency of a chain: how long it took from the release of a job of the first task
/// to the completion of the job of the last one that it released, through those between them.
#[derive(Clone, Debug)]
pub struct Chain {
    /// The tasks, at least two.
    pub tasks: Vec<TaskId>,
    /// How long it took.
    pub latency: Spread,
}

/// All chains that were seen, and what they begin with.
#[derive(Default)]
pub(super) struct Chains {
    seen: Vec<Chain>,
    /// What a chain is with one more task; of none, that task alone.
    longer: HashMap<(Option<usize>, TaskId), usize>,
}

/// Where a job is: in a chain that began at some instant.
#[derive(Clone, Copy)]
pub(super) struct Link {
    chain: usize,
    since: Time,
}

impl Chains {
    /// A job of `sender`, which was released at `release` or is at `link` itself, releases one of
    /// `task`.
    pub(super) fn go_on(
        &mut self,
        (sender, link, release): (TaskId, Option<Link>, Time),
        task: TaskId,
    ) -> Link {
        let begins = |chains: &mut Chains| Link {
            chain: chains.with(None, sender),
            since: release,
        };
        let link = link.unwrap_or_else(|| begins(self));
        Link {
            chain: self.with(Some(link.chain), task),
            ..link
        }
    }

    /// The job there is complete.
    pub(super) fn complete(&mut self, link: Link, now: Time) {
        self.seen[link.chain].latency.add(now.since(link.since));
    }

    /// Those of which some job was complete, in the order in which they were first seen.
    pub(super) fn finish(self) -> Vec<Chain> {
        let mut seen = self.seen;
        seen.retain(|chain| chain.latency.count() > 0);
        seen
    }

    fn with(&mut self, chain: Option<usize>, task: TaskId) -> usize {
        let seen = &mut self.seen;
        *self.longer.entry((chain, task)).or_insert_with(|| {
            let mut tasks = chain.map_or_else(Vec::new, |chain| seen[chain].tasks.clone());
            tasks.push(task);
            let latency = Spread::default();
            seen.push(Chain { tasks, latency });
            seen.len() - 1
        })
    }
}
