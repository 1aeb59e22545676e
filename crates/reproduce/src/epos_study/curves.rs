//! The curves of eight CPUs, by name.

use flyball_sweep::Results;

/// A scenario's and a test's results, for claims.
#[derive(Clone, Copy)]
pub(super) struct Curve<'r> {
    results: &'r Results,
    scenario: usize,
    label: usize,
}

impl<'r> Curve<'r> {
    /// The curve of a test in a scenario, both by name; `None` if there is none.
    pub(super) fn find(results: &'r Results, scenario: &str, label: &str) -> Option<Curve<'r>> {
        Some(Curve {
            results,
            scenario: results.scenario(scenario)?,
            label: results.label(label)?,
        })
    }

    /// The part accepted at each cap.
    pub(super) fn points(self) -> impl Iterator<Item = (f64, f64)> + 'r {
        let caps = self.results.study().caps.iter().enumerate();
        caps.filter_map(move |(place, cap)| {
            let ratio = self.results.ratio(self.scenario, place, self.label)?;
            Some((cap.cpus(), ratio.share()))
        })
    }

    /// The part accepted at a cap; no number where there is no such cap.
    pub(super) fn at(self, cap: f64) -> f64 {
        let mut points = self.points();
        points
            .find(|(x, _)| (x - cap).abs() < 1e-9)
            .map_or(f64::NAN, |(_, share)| share)
    }

    /// The last cap up to which all sets are accepted but one in a hundred.
    pub(super) fn falls(self) -> f64 {
        let good = self.points().take_while(|&(_, share)| share >= 0.99);
        good.last().map_or(0.0, |(cap, _)| cap)
    }

    /// The first cap from which on none are but one in a hundred.
    pub(super) fn is_over(self) -> Option<f64> {
        let last = self
            .points()
            .filter(|&(_, share)| share > 0.01)
            .last()
            .map_or(0.0, |(cap, _)| cap);
        self.points().map(|(cap, _)| cap).find(|&cap| cap > last)
    }

    /// The weighted schedulability.
    pub(super) fn weighted(self) -> f64 {
        self.results
            .weighted(self.scenario, self.label)
            .map_or(f64::NAN, |it| it.value)
    }
}

/// What was found of uniform light utilisations, without Baruah's test, and of all others; and of
/// the other reading of the bimodal ones.
pub(super) struct Curves {
    pub(super) light: Results,
    pub(super) others: Results,
    pub(super) wide: Results,
}

impl Curves {
    /// A curve by names.
    pub(super) fn curve(&self, scenario: &str, label: &str) -> Option<Curve<'_>> {
        let mut all = [&self.light, &self.others, &self.wide].into_iter();
        all.find_map(|results| Curve::find(results, scenario, label))
    }

    /// The weighted schedulability by names; no number where there is none, so that no claim holds.
    pub(super) fn weighted(&self, scenario: &str, label: &str) -> f64 {
        self.curve(scenario, label)
            .map_or(f64::NAN, Curve::weighted)
    }
}
