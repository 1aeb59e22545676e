//! Global earliest deadline first on several CPUs, by the sum of the densities.
//!
//! With δ = C / D, D ≤ T, and m CPUs that serve one queue, EDF misses nothing if
//!
//! ```text
//! Σ δ_i ≤ m − (m − 1) · max δ_i
//! ```
//!
//! Sufficient, not necessary. For D = T: Goossens, Funk and Baruah,
//! "Priority-driven scheduling of periodic task systems on multiprocessors", Real-Time Systems 25(2–3),
//! 2003; for D < T: Bertogna, Cirinei and Lipari, ECRTS 2005. Where D > T two jobs of a task could be
//! served at once as far as the proof is concerned, but not by this kernel, so nothing is said then.
//!
//! Complexity: as [`Utilisation::of`] for n + m tasks.

use crate::{Outcome, Reason, SporadicTask, Utilisation, Verdict};

/// Tests whether `tasks` meet all deadlines under global EDF on `cpus` CPUs. Sufficient; tasks with
/// jitter, with blocking, or with deadlines beyond their periods are not covered.
pub fn test(tasks: &[SporadicTask], cpus: u32) -> Outcome {
    let uncovered = |task: &SporadicTask| task.j() > 0 || task.b() > 0 || task.d() > task.t();
    if let Some(task) = tasks.iter().position(uncovered) {
        return Outcome::sufficient(Verdict::Unknown(Reason::NotApplicable {
            task,
            needs: "neither jitter nor blocking, and a deadline within its period",
        }));
    }
    let mut dense: Vec<_> = tasks.iter().copied().map(SporadicTask::dense).collect();
    let largest = dense.iter().copied().max_by(|a, b| {
        let (left, right) = (
            u128::from(a.c()) * u128::from(b.t()),
            u128::from(b.c()) * u128::from(a.t()),
        );
        left.cmp(&right)
    });
    // The largest density counts m times in all, then the sum is compared with m.
    let again = cpus.saturating_sub(1) as usize;
    dense.extend(
        largest
            .into_iter()
            .flat_map(|task| std::iter::repeat_n(task, again)),
    );
    let verdict = if Utilisation::of(&dense).cmp_cpus(cpus).is_le() {
        Verdict::Holds
    } else {
        Verdict::Unknown(Reason::AboveBound {
            bound: "density bound",
            utilisation: Utilisation::of(tasks),
        })
    };
    Outcome::sufficient(verdict)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flyball_trace::Duration;

    fn task(c: u64, t: u64, d: u64) -> SporadicTask {
        let ns = Duration::from_nanos;
        SporadicTask::new(ns(c), ns(t), ns(d)).unwrap()
    }

    /// By hand: on two CPUs the sum may be 2 less the largest density.
    #[test]
    fn the_bound_is_met_exactly() {
        let third = task(1, 3, 3);
        assert!(test(&[third; 5], 2).holds());
        assert!(!test(&[third; 6], 2).holds());
        // 5/3 + 1/3 = 2, and a nanosecond in 10⁹ is too much.
        let more = [
            third,
            third,
            third,
            third,
            task(333_333_334, 1_000_000_000, 1_000_000_000),
        ];
        assert!(!test(&more, 2).holds());
        // A deadline before the period makes it denser.
        assert!(!test(&[third, third, third, third, task(1, 3, 2)], 2).holds());
        assert!(test(&[third; 3], 1).holds());
        assert!(!test(&[task(1, 3, 2), third, third], 1).holds());
        assert!(!test(&[task(1, 3, 4)], 1).holds());
        assert!(test(&[], 0).holds() && !test(&[third], 0).holds());
        // Dhall's effect: next to nothing beside one whole CPU, for any number of CPUs.
        let dhall = [task(2, 100, 100), task(101, 101, 101)];
        assert!(!test(&dhall, 2).holds() && !test(&dhall, 128).holds());
    }
}
