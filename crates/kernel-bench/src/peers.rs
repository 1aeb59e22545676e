//! Other kernels' figures, which are data: see the file for what they are.

use crate::error::BenchError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Figures by name or number, each with one for each kernel.
type Figures = BTreeMap<String, Vec<u32>>;

/// The file.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Peers {
    pub(crate) kernels: Vec<String>,
    pub(crate) calls: Figures,
    pub(crate) first: Figures,
    pub(crate) all: Figures,
    pub(crate) tick: Figures,
    #[serde(rename = "thread-metric")]
    pub(crate) thread_metric: Metric,
    pub(crate) sizes: Bytes,
    pub(crate) one_stack: Vec<OneStack>,
}

/// A framework whose tasks share one stack, and run to their next await. What there is no figure of is left out.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OneStack {
    pub(crate) name: String,
    /// Of the minimal image: code and constants, and RAM without the stack.
    pub(crate) bytes: Option<[u32; 2]>,
    pub(crate) calls: BTreeMap<String, u32>,
    pub(crate) first: BTreeMap<String, u32>,
    pub(crate) all: BTreeMap<String, u32>,
    pub(crate) tick: BTreeMap<String, u32>,
    /// Bytes of RAM a task, by what it does.
    pub(crate) task: BTreeMap<String, u32>,
}

/// The Thread-Metric tests.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Metric {
    pub(crate) kernels: Vec<String>,
    pub(crate) instructions: u32,
    pub(crate) counts: Figures,
}

/// Sizes.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Bytes {
    pub(crate) kernels: Vec<String>,
    pub(crate) bytes: Vec<u32>,
}

impl Peers {
    pub(crate) fn read(path: &Path) -> Result<Peers, BenchError> {
        let text = fs::read_to_string(path);
        let text = text.map_err(|error| BenchError::File {
            path: path.into(),
            error,
        })?;
        toml::from_str(&text).map_err(BenchError::Peers)
    }

    /// What each kernel takes for several calls together; empty if that of one is not known.
    pub(crate) fn sum(&self, calls: &[&str]) -> Vec<f64> {
        let figures: Option<Vec<&Vec<u32>>> =
            calls.iter().map(|&call| self.calls.get(call)).collect();
        let Some(figures) = figures else {
            return Vec::new();
        };
        let of = |kernel: usize| figures.iter().map(|figure| f64::from(figure[kernel])).sum();
        (0..self.kernels.len()).map(of).collect()
    }
}

impl OneStack {
    /// What it takes for several calls together.
    pub(crate) fn sum(&self, calls: &[&str]) -> Option<f64> {
        let one = |&call: &&str| self.calls.get(call).copied().map(f64::from);
        calls.iter().map(one).sum()
    }
}

impl Metric {
    /// Instructions a count of each kernel.
    pub(crate) fn instructions(&self, test: &str) -> Vec<f64> {
        let counts = self.counts.get(test).into_iter().flatten();
        counts
            .map(|&count| f64::from(self.instructions) / f64::from(count))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_has_a_figure_for_each_kernel() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let peers = Peers::read(&root.join("benches/kernel-peers.toml")).unwrap();
        for figures in [&peers.calls, &peers.first, &peers.all, &peers.tick] {
            assert!(figures.values().all(|row| row.len() == peers.kernels.len()));
        }
        let metric = &peers.thread_metric;
        assert!(
            metric
                .counts
                .values()
                .all(|row| row.len() == metric.kernels.len())
        );
        assert_eq!(peers.sizes.kernels.len(), peers.sizes.bytes.len());
        assert!(peers.sum(&["lock", "unlock"]).contains(&70.0));
        assert!(peers.sum(&["lock", "nonsense"]).is_empty());
        let [rtic, embassy] = &peers.one_stack[..] else {
            panic!("two frameworks")
        };
        assert_eq!(rtic.sum(&["signal_wakes", "wait_blocks"]), Some(123.0));
        assert_eq!(embassy.sum(&["signal_wakes", "wait_blocks"]), Some(120.0));
        assert_eq!(embassy.sum(&["spawn_runs"]), None);
    }
}
