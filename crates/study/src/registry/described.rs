//! What there is to say of a policy, for a reader.

use super::Entry;
use flyball_analysis::Criterion;
use flyball_catalogue::Profile;
use flyball_schedulers::reads::Read;

impl Entry {
    /// How it works and where it was published.
    pub fn profile(&self) -> Profile {
        self.schedulers.profile
    }

    /// What it reads from a task.
    pub fn reads(&self) -> Vec<Read> {
        let mut reads = self.schedulers.reads();
        let optional = |key| Read {
            key,
            is_needed: false,
        };
        reads.extend(self.placement.reads().iter().copied().map(optional));
        reads.extend(self.knows_affinities().then(|| optional("cpus")));
        reads
    }

    /// Whether tasks run in the servers that they name.
    pub fn has_servers(&self) -> bool {
        self.schedulers.reads().iter().any(|it| it.key == "server")
    }

    /// The names of the tests that a study asks of it, beside those of every policy.
    pub fn tests(&self) -> Vec<&'static str> {
        self.theory.tests()
    }

    /// The tests of `analyse` that are about it.
    pub fn criteria(&self) -> impl Iterator<Item = Criterion> + use<> {
        let name = self.name;
        Criterion::all().filter(move |test| test.policy().name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::Registry;

    #[test]
    fn what_a_policy_reads_from_a_task_is_found_out_by_asking_it() {
        let registry = Registry::standard();
        let reads = |name: &str| -> Vec<String> {
            let entry = registry.find(name).expect("it is in the catalogue");
            let shown = |read: &Read| {
                let needed = if read.is_needed { "!" } else { "" };
                format!("{}{needed}", read.key)
            };
            entry.reads().iter().map(shown).collect()
        };
        assert_eq!(reads("edf"), ["deadline", "cpu", "cpus"]);
        assert_eq!(reads("rm"), ["period", "cpu", "cpus"]);
        assert_eq!(reads("fp"), ["priority!", "cpu", "cpus"]);
        assert_eq!(
            reads("linux-o1"),
            ["priority", "nice", "speed", "cpu", "cpus"]
        );
        assert_eq!(reads("linux-2.0"), ["priority", "nice", "cpu", "cpus"]);
        assert_eq!(reads("g-llf"), ["deadline", "wcet", "cpus"]);
        assert_eq!(reads("c-rr"), ["cpu"]);
        assert_eq!(reads("pd2"), ["period!", "phase", "deadline", "wcet"]);
        assert_eq!(
            reads("ipi"),
            [
                "period",
                "deadline",
                "wcet",
                "share",
                "importance",
                "cpu",
                "cpus"
            ]
        );
    }

    #[test]
    fn every_policy_says_where_it_was_published_and_what_it_costs() {
        for entry in Registry::standard().iter() {
            let profile = entry.profile();
            let texts = [
                profile.queue,
                profile.queue_complexity,
                profile.decision,
                profile.source,
            ];
            assert!(texts.iter().all(|text| !text.is_empty()), "{}", entry.name);
        }
    }
}
