//! Proportionate fairness (PF, PD²) on several CPUs, by the utilisation.
//!
//! Where jobs are released at the beginnings of slots, compute for whole slots and have to be
//! complete by the next release, they can all be held if and only if they ask for no more than all
//! CPUs, and PF and PD² do it (Baruah, Cohen, Plaxton and Varvel, Algorithmica 15(6), 1996;
//! Srinivasan and Anderson, "Optimal rate-based scheduling on multiprocessors", JCSS 72(6), 2006,
//! for jobs that come later than they could).
//!
//! Anything else is rounded to the safe side: execution times up to whole slots, and the time for a
//! job down, of which a deadline before the next release and the wait for the first slot take a
//! part:
//!
//! ```text
//!   e = ⌈C / q⌉      p = ⌊(min(D, T) − J) / q⌋      Σ e/p ≤ m and e ≤ p: holds
//! ```
//!
//! where J is the longest time from a release to the beginning of a slot. That is sufficient, and
//! no more.
//!
//! Complexity: as [`Utilisation::of`].

use crate::{Outcome, Reason, SporadicTask, Utilisation, Verdict};
use flyball_trace::Duration;

/// Tests whether `tasks` meet all deadlines under PF and PD² with slots of `quantum` on `cpus`
/// CPUs. A task's jitter is the longest time from a release to the beginning of a slot; tasks with
/// blocking are not covered.
///
/// Exact where nothing has to be rounded and deadlines are at the ends of periods.
pub fn test(tasks: &[SporadicTask], quantum: Duration, cpus: u32) -> Outcome {
    let q = quantum.as_nanos().max(1);
    let mut exact = true;
    let mut rounded = Vec::with_capacity(tasks.len());
    for (task, known) in tasks.iter().enumerate() {
        let time = known.d().min(known.t());
        exact &= known.j() == 0 && known.d() >= known.t();
        exact &= known.c().is_multiple_of(q) && known.t().is_multiple_of(q);
        let slots = Duration::from_nanos(time.saturating_sub(known.j()) / q);
        let quanta = Duration::from_nanos(known.c().div_ceil(q));
        let fits = known.b() == 0 && quanta <= slots;
        match SporadicTask::new(quanta, slots, slots) {
            Ok(weight) if fits => rounded.push(weight),
            _ if known.c() > known.t() => return overload(tasks),
            _ => {
                let needs =
                    "no blocking, and as many whole slots before its deadline as it computes for";
                return Outcome::sufficient(Verdict::Unknown(Reason::NotApplicable {
                    task,
                    needs,
                }));
            }
        }
    }
    let strength = if exact {
        Outcome::exact
    } else {
        Outcome::sufficient
    };
    if Utilisation::of(&rounded).cmp_cpus(cpus).is_le() {
        return strength(Verdict::Holds);
    }
    if exact || Utilisation::of(tasks).cmp_cpus(cpus).is_gt() {
        return overload(tasks);
    }
    Outcome::sufficient(Verdict::Unknown(Reason::AboveBound {
        bound: "number of CPUs, in whole slots",
        utilisation: Utilisation::of(&rounded),
    }))
}

fn overload(tasks: &[SporadicTask]) -> Outcome {
    Outcome::exact(Verdict::Fails(Reason::Overload {
        utilisation: Utilisation::of(tasks),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Strength;

    fn us(n: u64) -> Duration {
        Duration::from_micros(n)
    }

    fn task(c: u64, t: u64, d: u64) -> SporadicTask {
        SporadicTask::new(us(c), us(t), us(d)).unwrap()
    }

    fn judge(tasks: &[SporadicTask], cpus: u32) -> Outcome {
        test(tasks, us(10), cpus)
    }

    #[test]
    fn whole_slots_are_held_up_to_the_last_one() {
        let third = task(20, 30, 30);
        for (tasks, cpus, holds) in [
            (vec![third; 3], 2, true),
            (vec![third; 4], 2, false),
            (vec![task(10, 10, 10); 4], 4, true),
            (vec![], 1, true),
            // It cannot have two CPUs at once.
            (vec![task(20, 10, 10)], 4, false),
        ] {
            let outcome = judge(&tasks, cpus);
            assert_eq!(outcome.holds(), holds, "{tasks:?}");
            assert_eq!(outcome.strength, Strength::Exact);
            assert!(holds || matches!(outcome.verdict, Verdict::Fails(Reason::Overload { .. })));
        }
    }

    #[test]
    fn the_rest_is_rounded_to_the_safe_side() {
        // 15 are two slots; of 39 three, of 29 two.
        for (tasks, cpus, holds) in [
            (vec![task(15, 39, 39); 3], 2, true),
            (vec![task(15, 29, 29); 3], 2, false),
            (vec![task(15, 29, 29); 2], 2, true),
            // A deadline in two slots, a period of four.
            (vec![task(10, 40, 20); 4], 2, true),
            (vec![task(10, 40, 20); 5], 2, false),
        ] {
            let outcome = judge(&tasks, cpus);
            assert_eq!(outcome.holds(), holds, "{tasks:?}");
            assert_eq!(outcome.strength, Strength::Sufficient);
            assert!(
                holds || matches!(outcome.verdict, Verdict::Unknown(Reason::AboveBound { .. }))
            );
        }
        // Up to 9 until the first slot: one slot less.
        let waits = task(10, 40, 20).with_jitter(us(9)).unwrap();
        assert!(judge(&[waits; 2], 2).holds() && !judge(&[waits; 3], 2).holds());
        // Not a whole slot for a job, and yet it may be met.
        let outcome = judge(&[task(5, 40, 9)], 2);
        assert!(matches!(
            outcome.verdict,
            Verdict::Unknown(Reason::NotApplicable { .. })
        ));
    }
}
