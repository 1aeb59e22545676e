//! How long do CPUs wait for a lock that they share?
//!
//! CPUs compute for a while, *Z* in the mean, and then pass through the kernel, for *L* in the mean
//! of which they hold the lock. That is a closed queueing network of one station and *n* customers.
//! Mean value analysis solves it exactly: an arriving customer finds the queue that *n* − 1
//! customers have in the mean.
//!
//! ```text
//! R(n) = L (1 + Q(n−1))    X(n) = n / (Z + R(n))    Q(n) = X(n) R(n)    Q(0) = 0
//! ```
//!
//! Source: M. Reiser and S. S. Lavenberg, "Mean-value analysis of closed multichain queuing
//! networks", Journal of the ACM 27(2), 1980. It is exact where service is first come, first served
//! and its lengths are exponential. Kernel entries vary less than that, so they wait
//! less: the numbers are on the careful side.

/// What a lock is asked for by each CPU.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Demand {
    /// How long a CPU computes between two entries, in the mean; not negative, in any unit.
    pub think: f64,
    /// How long it holds the lock in each of them, in the mean; positive, in the same unit.
    pub service: f64,
}

/// What comes of it, with a certain number of CPUs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Contention {
    /// From when a CPU wants the lock until it gives it back, in the mean.
    pub response: f64,
    /// Entries in a unit of time, of all CPUs together.
    pub throughput: f64,
    /// CPUs that wait for the lock or hold it, in the mean.
    pub queue: f64,
    /// The part of all time that CPUs spend waiting for the lock: 0 to 1.
    pub lost: f64,
}

impl Demand {
    /// What comes of it with `cpus` CPUs. O(cpus).
    pub fn shared_by(self, cpus: u8) -> Contention {
        let mut now = Contention {
            response: self.service,
            throughput: 0.0,
            queue: 0.0,
            lost: 0.0,
        };
        for n in 1..=cpus {
            let response = self.service * (1.0 + now.queue);
            let cycle = self.think + response;
            let throughput = f64::from(n) / cycle;
            now = Contention {
                response,
                throughput,
                queue: throughput * response,
                lost: (response - self.service) / cycle,
            };
        }
        now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(left: f64, right: f64) {
        assert!(
            (left - right).abs() <= 1e-9 * right.abs().max(1.0),
            "{left} is not {right}"
        );
    }

    #[test]
    fn one_cpu_never_waits() {
        let one = Demand {
            think: 9.0,
            service: 1.0,
        }
        .shared_by(1);
        close(one.response, 1.0);
        close(one.throughput, 0.1);
        close(one.lost, 0.0);
        close(
            Demand {
                think: 9.0,
                service: 1.0,
            }
            .shared_by(0)
            .lost,
            0.0,
        );
    }

    #[test]
    fn of_two_one_finds_what_the_other_leaves() {
        // R = L (1 + L / (Z + L)).
        let two = Demand {
            think: 9.0,
            service: 1.0,
        }
        .shared_by(2);
        close(two.response, 1.1);
        close(two.throughput, 2.0 / 10.1);
        close(two.lost, 0.1 / 10.1);
    }

    /// The machine repairman's closed form: no customer is at the lock with the probability 1 / Σ
    /// n! / (n−k)! (L/Z)^k.
    #[test]
    fn it_is_the_machine_repairman() {
        for (think, service) in [(100.0, 1.0), (5.0, 1.0), (0.5, 2.0)] {
            for n in 1..=64_u8 {
                let mut term = 1.0;
                let mut sum = 1.0;
                for k in 0..n {
                    term *= f64::from(n - k) * service / think;
                    sum += term;
                }
                let throughput = (1.0 - 1.0 / sum) / service;
                close(
                    Demand { think, service }.shared_by(n).throughput,
                    throughput,
                );
            }
        }
    }

    #[test]
    fn in_the_end_the_lock_is_always_held() {
        // Each waits for all others: of a round of n L, all but Z and its own L.
        let demand = Demand {
            think: 10.0,
            service: 1.0,
        };
        let many = demand.shared_by(255);
        close(many.throughput, 1.0);
        close(many.lost, (255.0 - 11.0) / 255.0);
        let mut before = 0.0;
        for n in 2..=255 {
            let lost = demand.shared_by(n).lost;
            assert!(lost > before, "{n}");
            before = lost;
        }
    }
}
