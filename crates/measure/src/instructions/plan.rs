//! What is run.

use crate::overheads::Policy;
use core::fmt;
use flyball_trace::Duration;

/// The numbers of CPUs for which waits are computed.
pub const HARTS: [u8; 6] = [2, 4, 8, 16, 32, 64];

/// How long a CPU computes between two entries, where waits are computed.
pub const THINK: [Duration; 3] = [
    Duration::from_micros(100),
    Duration::from_millis(1),
    Duration::from_millis(10),
];

/// The most threads with which waits are computed, if there are fewer in the plan.
const MOST_AT_LOCKS: usize = 125;

/// What is run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// The policies.
    pub policies: Vec<Policy>,
    /// Global policies are run a second time, with so many CPUs in a cluster.
    pub cluster: Option<u8>,
    /// The numbers of threads.
    pub threads: Vec<usize>,
    /// The number of CPUs.
    pub cpus: u8,
    /// The numbers of CPUs for which waits for the lock are computed.
    pub harts: Vec<u8>,
    /// For how long each task set runs.
    pub until: Duration,
    /// What tasks are drawn from.
    pub seed: u64,
}

impl Default for Plan {
    fn default() -> Plan {
        Plan {
            policies: Policy::USUAL.to_vec(),
            cluster: Some(2),
            threads: crate::overheads::plan::THREADS.to_vec(),
            cpus: 4,
            harts: HARTS.to_vec(),
            until: Duration::from_millis(400),
            seed: 0,
        }
    }
}

/// A policy, and how many CPUs share their tasks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Kind {
    /// The policy.
    pub policy: Policy,
    /// So many, if not all or each by itself.
    pub cluster: Option<u8>,
}

impl Kind {
    /// Its name, on the command line and in files: `g-edf` in clusters is `c-edf`.
    pub fn name(self) -> String {
        let name = self.policy.name();
        match (self.cluster, name.strip_prefix("g-")) {
            (Some(_), Some(rule)) => format!("c-{rule}"),
            _ => name.to_owned(),
        }
    }

    /// How many of `cpus` CPUs share their tasks.
    pub fn cluster(self, cpus: u8) -> u8 {
        match self.cluster {
            _ if !self.policy.is_global() => 1,
            Some(cluster) => cluster.min(cpus),
            None => cpus,
        }
    }
}

/// What a machine can hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// CPUs.
    pub cpus: u8,
    /// Threads.
    pub threads: usize,
    /// The longest run.
    pub until: Duration,
}

/// The shortest run that says anything: some ten releases.
const SHORTEST: Duration = Duration::from_millis(10);

/// Why a plan cannot be carried out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlanError {
    /// There is nothing to run: no policy, or no number of threads.
    Nothing(&'static str),
    /// A number that the machine has no room for.
    Number {
        /// Of what.
        what: &'static str,
        /// The number.
        found: usize,
        /// The largest that there can be.
        most: usize,
    },
    /// Clusters that do not divide the CPUs, or are none.
    Cluster {
        /// CPUs of a cluster.
        cluster: u8,
        /// CPUs of the machine.
        cpus: u8,
    },
    /// Too short, or longer than the machine's timers count.
    Until {
        /// How long.
        until: Duration,
        /// The longest.
        most: Duration,
    },
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlanError::Nothing(what) => write!(f, "there is nothing to measure: no {what}"),
            PlanError::Number { what, found, most } => {
                write!(f, "{found} {what}: there can be from 1 to {most}")
            }
            PlanError::Cluster { cluster, cpus } => write!(
                f,
                "clusters of {cluster}: they have to divide {cpus} CPUs into two or more, of at least two"
            ),
            PlanError::Until { until, most } => {
                write!(f, "runs of {until}: there can be from {SHORTEST} to {most}")
            }
        }
    }
}

impl core::error::Error for PlanError {}

/// Whether `cpus` CPUs are two clusters of `cluster`, or more.
fn divides(cluster: u8, cpus: u8) -> bool {
    cluster > 1 && cluster < cpus && cpus.is_multiple_of(cluster)
}

impl Plan {
    /// Whether all of it can be run on a machine.
    ///
    /// # Errors
    /// The first thing that cannot.
    pub fn check(&self, limits: Limits) -> Result<(), PlanError> {
        if self.policies.is_empty() {
            return Err(PlanError::Nothing("policy"));
        }
        if self.threads.is_empty() {
            return Err(PlanError::Nothing("number of threads"));
        }
        let number = |what, found, most| {
            let error = PlanError::Number { what, found, most };
            (1..=most).contains(&found).then_some(()).ok_or(error)
        };
        for &threads in &self.threads {
            number("threads", threads, limits.threads)?;
        }
        for &cpus in self.harts.iter().chain([&self.cpus]) {
            number("CPUs", cpus.into(), limits.cpus.into())?;
        }
        let cpus = self.cpus;
        match self.cluster {
            Some(cluster) if !divides(cluster, cpus) => {
                return Err(PlanError::Cluster { cluster, cpus });
            }
            _ => {}
        }
        let most = limits.until;
        if !(SHORTEST..=most).contains(&self.until) {
            let until = self.until;
            return Err(PlanError::Until { until, most });
        }
        Ok(())
    }

    /// What is run, in the order of the policies.
    pub fn kinds(&self) -> Vec<Kind> {
        let both = |&policy: &Policy| {
            let clustered = self.cluster.filter(|_| policy.is_global()).map(Some);
            let clusters = [None].into_iter().chain(clustered);
            clusters.map(move |cluster| Kind { policy, cluster })
        };
        self.policies.iter().flat_map(both).collect()
    }

    /// Of what waits for the lock are computed: all that share one, with each number of CPUs.
    pub(crate) fn waits(&self) -> impl Iterator<Item = (Kind, u8)> {
        let kinds = self
            .kinds()
            .into_iter()
            .filter(|kind| kind.policy.is_global());
        kinds.flat_map(move |kind| {
            let harts = self.harts.iter().copied();
            harts
                .filter(move |&cpus| kind.cluster.is_none_or(|cluster| divides(cluster, cpus)))
                .map(move |cpus| (kind, cpus))
        })
    }

    /// With how many threads they are computed.
    pub fn threads_at_locks(&self) -> usize {
        let threads = self.threads.iter().copied();
        let usual = threads.clone().filter(|&threads| threads <= MOST_AT_LOCKS);
        usual.max().or(threads.min()).unwrap_or(MOST_AT_LOCKS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits {
        cpus: 64,
        threads: 1024,
        until: Duration::from_secs(10),
    };

    #[test]
    fn what_cannot_be_run_is_refused() {
        assert_eq!(Plan::default().check(LIMITS), Ok(()));
        let bad = |change: fn(&mut Plan)| {
            let mut plan = Plan::default();
            change(&mut plan);
            plan.check(LIMITS).unwrap_err().to_string()
        };
        assert_eq!(
            bad(|plan| plan.policies.clear()),
            "there is nothing to measure: no policy"
        );
        assert_eq!(
            bad(|plan| plan.threads.push(1025)),
            "1025 threads: there can be from 1 to 1024"
        );
        assert_eq!(
            bad(|plan| plan.cpus = 0),
            "0 CPUs: there can be from 1 to 64"
        );
        assert_eq!(
            bad(|plan| plan.harts.push(65)),
            "65 CPUs: there can be from 1 to 64"
        );
        assert_eq!(
            bad(|plan| plan.cluster = Some(3)),
            "clusters of 3: they have to divide 4 CPUs into two or more, of at least two"
        );
        assert_eq!(
            bad(|plan| plan.until = Duration::from_secs(11)),
            "runs of 11s: there can be from 10ms to 10s"
        );
    }

    #[test]
    fn global_policies_are_run_in_clusters_too() {
        let plan = Plan {
            policies: vec![Policy::GLOBAL_EDF, Policy::PARTITIONED_EDF],
            ..Plan::default()
        };
        let kinds = plan.kinds();
        let names: Vec<_> = kinds.iter().map(|kind| kind.name()).collect();
        assert_eq!(names, ["g-edf", "c-edf", "p-edf"]);
        let clusters: Vec<_> = kinds.iter().map(|kind| kind.cluster(4)).collect();
        assert_eq!(clusters, [4, 2, 1]);
        // Two CPUs are no two clusters of two.
        assert_eq!(plan.waits().count(), 6 + 5);
        assert_eq!(plan.threads_at_locks(), 125);
    }
}
