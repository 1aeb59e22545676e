//! The equations of chapter 2 in real numbers: Algorithm 1 with τt° = α(τr + bc), as eqs. 2.5 to
//! 2.7, figure 2.2 and the authors' implementation have it.
//!
//! This is what the policy's fixed point is compared with, so it shares no code with it.

/// The regulators of an I+PI scheduler. Times are in one unit, whichever.
#[derive(Clone, Debug)]
pub(super) struct Equations {
    pub(super) kpi: f64,
    pub(super) krr: f64,
    pub(super) zrr: f64,
    /// The shortest and the longest burst.
    pub(super) limits: [f64; 2],
    /// The burst of each task in the next round.
    pub(super) bursts: Vec<f64>,
    correction: f64,
    error: f64,
}

impl Equations {
    /// The regulators in the state that they begin with: kpi ½, krr 0.9, zrr 0.88.
    pub(super) fn new(limits: [f64; 2], set_point: f64, alpha: &[f64]) -> Equations {
        let mut equations = Equations {
            kpi: 0.5,
            krr: 0.9,
            zrr: 0.88,
            limits,
            bursts: vec![0.0; alpha.len()],
            correction: 0.0,
            error: 0.0,
        };
        equations.reinitialise(set_point, alpha);
        equations
    }

    /// The regulators after an empty round before the first one: how they begin if they are not
    /// reinitialised, with bursts of nothing.
    pub(super) fn from_nothing(limits: [f64; 2], set_point: f64, alpha: &[f64]) -> Equations {
        let nothing = vec![0.0; alpha.len()];
        let mut equations = Equations {
            bursts: nothing.clone(),
            ..Equations::new(limits, set_point, alpha)
        };
        equations.end_round(set_point, alpha, &vec![true; alpha.len()], &nothing);
        equations
    }

    /// All regulators begin anew (2.3.3).
    pub(super) fn reinitialise(&mut self, set_point: f64, alpha: &[f64]) {
        let [shortest, longest] = self.limits;
        (self.correction, self.error) = (0.0, 0.0);
        for (burst, alpha) in self.bursts.iter_mut().zip(alpha) {
            *burst = (alpha * set_point).clamp(shortest, longest);
        }
    }

    /// A round is over in which each task used so much; `ready` says which tasks want to run.
    pub(super) fn end_round(
        &mut self,
        set_point: f64,
        alpha: &[f64],
        ready: &[bool],
        used: &[f64],
    ) {
        let [shortest, longest] = self.limits;
        let round: f64 = used.iter().sum();
        let error = set_point - round;
        let mut correction = self.correction + self.krr * error - self.krr * self.zrr * self.error;
        let mut bursts = self.bursts.iter().zip(ready);
        if bursts.all(|(&burst, ready)| !ready || burst >= longest) {
            correction = correction.min(self.correction);
        }
        let tasks = f64::from(u16::try_from(used.len()).unwrap_or(u16::MAX));
        self.correction = correction.clamp(-round, longest * tasks);
        self.error = error;
        let next = round + self.correction;
        for ((burst, used), alpha) in self.bursts.iter_mut().zip(used).zip(alpha) {
            *burst = (*burst + self.kpi * (alpha * next - used)).clamp(shortest, longest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: [f64; 2] = [20.0, 2_000.0];

    /// Two tasks, the first of which blocks after `part` of its burst and is away for `away` more
    /// rounds. The lengths of the rounds from when it is back, in units of 10 µs.
    fn back(feedforward: bool, reinitialise: bool, part: f64, away: usize) -> Vec<f64> {
        let both = [0.5, 0.5];
        let mut equations = Equations::new(LIMITS, 800.0, &both);
        let mut rounds = Vec::new();
        let mut was_ready = true;
        for k in 0..away + 8 {
            let used = match k {
                0 => [part, equations.bursts[1]],
                k if k <= away => [0.0, equations.bursts[1]],
                _ => [equations.bursts[0], equations.bursts[1]],
            };
            rounds.push(used.iter().sum());
            let is_ready = k >= away;
            let alpha = if is_ready || !feedforward {
                both
            } else {
                [0.0, 1.0]
            };
            let ready = [is_ready, true];
            if reinitialise && is_ready != was_ready {
                equations.reinitialise(800.0, &alpha);
            } else {
                equations.end_round(800.0, &alpha, &ready, &used);
            }
            was_ready = is_ready;
        }
        rounds.split_off(away + 1)
    }

    fn near(rounds: &[f64], expected: &[f64]) {
        for (round, expected) in rounds.iter().zip(expected) {
            assert!((round - expected).abs() <= 0.5, "{round}, not {expected}");
        }
    }

    /// The bare equations, as derived by hand: 38 rounds away.
    #[test]
    fn feedback_alone_has_the_known_spike() {
        let rounds = back(false, false, 0.0, 37);
        near(&rounds, &[2762.0, 2248.0, 1860.0, 1568.0, 1350.0, 1189.0]);
    }

    /// With feedforward the spike is 1200 less half of what the task had used of its last burst:
    /// its regulator is not frozen yet in that round. So it is 1000 if it blocks at the end of its
    /// burst.
    #[test]
    fn the_spike_with_feedforward_depends_on_where_the_task_blocks() {
        for part in [0.0, 100.0, 200.0, 300.0, 400.0] {
            let round = back(true, false, part, 40)[0];
            assert!(
                (round - (1200.0 - part / 2.0)).abs() < 2.0,
                "{part}: {round}"
            );
        }
    }

    #[test]
    fn reinitialised_there_is_no_spike() {
        near(&back(true, true, 123.0, 28), &[800.0; 7]);
    }
}
