//! Which task runs where under partitioned EDF.

use super::SEARCH;
use super::case::Case;
use crate::note::Way;
use crate::theory::Effort;
use flyball_analysis::criterion::{Payer, Policy};
use flyball_analysis::sensitivity::{Margin, slack};
use flyball_analysis::{Answer, Fit, Sequence, SporadicTask, Utilisation, WorkLimit, edf_response};
use flyball_trace::Duration;

/// A way to divide tasks among CPUs, each of which holds.
#[derive(Clone, Debug)]
pub struct Division {
    /// How it was found.
    pub way: Way,
    /// The CPU of each task, from 0.
    pub places: Vec<usize>,
    /// What each CPU is asked for, the kernel's work included.
    pub loads: Vec<Utilisation>,
    /// How long each task's jobs can take, where that is known.
    pub bounds: Vec<Option<Duration>>,
    /// How much longer each task's jobs may compute on that CPU if no others do; `None`: it was not
    /// asked.
    pub slacks: Vec<Option<Margin<Duration>>>,
}

impl Case<'_> {
    /// The first way that the heuristics find, or else any that there is; `None` if there is none, or
    /// if a search stopped before it was found.
    pub(super) fn division(&self, limit: WorkLimit) -> Option<Division> {
        if !self.is_known(Policy::PartitionedEdf) {
            return None;
        }
        let charged = self.with(self.tasks);
        let mut fits = [Fit::First, Fit::Best, Fit::Worst].into_iter();
        let by_fit = |fit| {
            let places = charged.divide(fit, limit).ok()?;
            Some((Way::Fit(fit, Sequence::Utilisation), places))
        };
        let in_any_way = || Some((Way::Any, charged.divide_anyhow()?));
        let (way, places) = fits.find_map(by_fit).or_else(in_any_way)?;
        let mut loads = Vec::new();
        let mut bounds = vec![None; self.tasks.len()];
        let mut slacks = vec![None; self.tasks.len()];
        for cpu in 0..self.cpus as usize {
            let here: Vec<usize> = (0..places.len())
                .filter(|&task| places[task] == cpu)
                .collect();
            let tasks: Vec<SporadicTask> = here.iter().map(|&task| self.tasks[task]).collect();
            if self.tasks.len() <= Effort::FULL.slacks {
                for (place, &task) in here.iter().enumerate() {
                    slacks[task] = Some(slack(&tasks, place, |longer| {
                        if longer == tasks {
                            Answer::Accepts // They have been found to hold.
                        } else {
                            charged.hold_on_one(longer, SEARCH)
                        }
                    }));
                }
            }
            // They have been found to hold with it.
            let tasks = charged.inflated(&tasks, Payer::Partitioned).ok()?;
            loads.push(Utilisation::of(&tasks));
            let each = limit.divided(self.cpus as usize);
            let responses = edf_response::response_times(&tasks, each);
            for (task, response) in here.into_iter().zip(responses) {
                bounds[task] = response.bound();
            }
        }
        Some(Division {
            way,
            places,
            loads,
            bounds,
            slacks,
        })
    }
}
