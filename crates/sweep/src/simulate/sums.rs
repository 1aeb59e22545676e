//! What adds up over the simulations of a set under a policy.

use super::{Count, counts};
use flyball_model::TaskSet;
use flyball_model::study::{Measure, Simulations};
use flyball_sim::{Outcome, SpeedUse};
use flyball_trace::Duration;
use flyball_trace::metrics::{Summary, TaskSummary};

/// Parts are counted in these.
const MILLIONTHS: u128 = 1_000_000;

/// Sums and largest values of simulations.
#[derive(Default)]
pub(super) struct Sums {
    released: u64,
    completed: u64,
    misses: u64,
    preemptions: u64,
    migrations: u64,
    switches: u64,
    /// In nanoseconds.
    tardiness: u128,
    most_tardiness: Duration,
    /// In millionths of deadlines.
    response: u128,
    most_response: u128,
    /// In microjoules.
    energy: u128,
    /// In millionths of a CPU.
    share_error: u128,
}

impl Sums {
    /// Adds a simulation.
    pub(super) fn add(&mut self, set: &TaskSet, outcome: &Outcome, summary: &Summary) {
        self.completed += outcome.jobs;
        self.misses += outcome.misses;
        self.preemptions += outcome.preemptions;
        self.switches += outcome.context_switches;
        self.migrations += summary.job_migrations();
        let energy = outcome.speeds.as_ref().and_then(SpeedUse::energy);
        self.energy += energy.map_or(0, |(_, all)| all.microjoules());
        for (task, found) in set.tasks.iter().zip(&summary.tasks) {
            self.released += found.released;
            self.tardiness += found.tardiness_sum;
            self.most_tardiness = self.most_tardiness.max(found.tardiness_max);
            let deadline = task.deadline.unwrap_or(Duration::MAX);
            let part = |nanos: u128| nanos * MILLIONTHS / u128::from(deadline.as_nanos().max(1));
            self.response += part(found.response.sum());
            let most = found.response.max().unwrap_or_default();
            self.most_response = self.most_response.max(part(most.as_nanos().into()));
            let error = share_error(task.wcet, task.arrival.period(), found, summary.elapsed);
            self.share_error = self.share_error.max(error);
        }
    }

    /// The numbers that a study counts.
    pub(super) fn counts(&self, simulations: &Simulations) -> Vec<u64> {
        let each = counts(simulations)
            .into_iter()
            .map(|count| self.count(count));
        // More than 2^63 of anything does not fit into a file.
        each.map(|number| {
            u64::try_from(number)
                .unwrap_or(u64::MAX)
                .min(i64::MAX.unsigned_abs())
        })
        .collect()
    }

    fn count(&self, count: Count) -> u128 {
        let jobs = u128::from(self.completed.max(1));
        let measure = match count {
            Count::Released => return self.released.into(),
            Count::Completed => return self.completed.into(),
            Count::Measure(measure) => measure,
        };
        match measure {
            Measure::Misses => self.misses.into(),
            Measure::MaxTardiness => self.most_tardiness.as_nanos().into(),
            Measure::MeanTardiness => self.tardiness / jobs,
            Measure::MaxResponse => self.most_response,
            Measure::MeanResponse => self.response / jobs,
            Measure::Preemptions => self.preemptions.into(),
            Measure::Migrations => self.migrations.into(),
            Measure::Switches => self.switches.into(),
            Measure::Energy => self.energy,
            Measure::ShareError => self.share_error,
        }
    }
}

/// By how much the part of `elapsed` in which a task ran differs from its utilisation, in
/// millionths, rounded down each.
fn share_error(
    wcet: Duration,
    period: Option<Duration>,
    found: &TaskSummary,
    elapsed: Duration,
) -> u128 {
    let part = |of: Duration, all: Duration| {
        u128::from(of.as_nanos()) * MILLIONTHS / u128::from(all.as_nanos().max(1))
    };
    period.map_or(0, |period| {
        part(found.cpu_time, elapsed).abs_diff(part(wcet, period))
    })
}
