//! What the counters of a virtual CPU count while a task computes.
//!
//! A task that waits for memory for a part μ of its time at the highest frequency (`stalls`) does one of two
//! things: it executes an instruction a cycle, or it waits for a request to memory. A request takes the
//! same time at any frequency, which is [`LATENCY`] cycles of the highest one. In *t* at *f*, of which the
//! part (1 − μ) · f_max / ((1 − μ) · f_max + μ · f) is not spent waiting,
//!
//! ```text
//! cycles       = t · f
//! instructions = t · f     · (1 − μ) · f_max / ((1 − μ) · f_max + μ · f)
//! requests     = t · f_max ·       μ · f     / ((1 − μ) · f_max + μ · f) / LATENCY
//! ```
//!
//! So requests · LATENCY : instructions = μ : (1 − μ) at any frequency. Each request is an access to the data
//! cache that it could not serve; there are no other accesses, and all code is in the cache. What is not a
//! whole event yet is kept to 2^-32 of one. The kernel's own work is not counted.

use super::speeds::Clocks;
use super::{Node, PolicyOf};
use flyball_catalogue::{LATENCY, Scheduler};
use flyball_model::{Share, Speeds};
use flyball_policy::{Counts, CpuId, Duration, Policy, Speed, TaskId};
use flyball_trace::Sink;

/// What is left of a task's cycles, instructions and requests, in 2^-32.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Rest([u32; 3]);

impl Rest {
    /// What is counted while a task that waits for memory for the part `stalls` computes for so long at
    /// `speed`, if `self` was left over. The largest numbers, and nothing is left over, if there are more
    /// cycles than a counter has numbers.
    fn count(&mut self, speeds: &Speeds, speed: Speed, stalls: Share, ran: Duration) -> Counts {
        const GIGA: u128 = 1_000_000_000;
        let hertz = |speed| u128::from(speeds.frequency(speed).as_hertz());
        let (frequency, fastest) = (hertz(speed), hertz(speeds.fastest()));
        let whole = u128::from(Share::ONE.millionths());
        let stalled = u128::from(stalls.millionths());
        let computing = (whole - stalled) * fastest;
        let both = computing + stalled * frequency;
        let cycles = u128::from(ran.as_nanos()) * frequency;
        if cycles / GIGA >= u128::from(u32::MAX) {
            *self = Rest::default();
            return Counts {
                cycles: u32::MAX,
                instructions: u32::MAX,
                data: u32::MAX,
                data_misses: u32::MAX,
                code_misses: 0,
            };
        }
        // In 2^-32, and so below 2^64; `both` and what it is made of are below 2^60.
        let cycles = (cycles << 32) / GIGA;
        let events = [
            cycles,
            cycles * computing / both,
            cycles * (stalled * fastest) / (both * u128::from(LATENCY)),
        ];
        let mut whole = [0; 3];
        for ((whole, rest), events) in whole.iter_mut().zip(&mut self.0).zip(events) {
            let events = events + u128::from(*rest);
            // A counter that is full says nothing: such counts are not exact.
            *whole = u32::try_from(events >> 32).unwrap_or(u32::MAX);
            #[expect(clippy::cast_possible_truncation, reason = "the lower half")]
            let part = events as u32;
            *rest = part;
        }
        let [cycles, instructions, requests] = whole;
        Counts {
            cycles,
            instructions,
            data: requests,
            data_misses: requests,
            code_misses: 0,
        }
    }
}

impl Clocks {
    /// What the counters of a CPU have counted while a task has computed for so long.
    fn count(&mut self, cpu: CpuId, task: TaskId, stalls: Share, ran: Duration) -> Counts {
        let speed = self.speed(cpu);
        let rest = self.rests.entry(task).or_default();
        rest.count(&self.speeds, speed, stalls, ran)
    }
}

impl<S: Scheduler, T: Sink> Node<S, T> {
    /// The task of `row` has computed on `cpu` for so long: the machine tells the kernel what has been
    /// counted, if the policy wants to know.
    #[inline]
    pub(super) fn count_events(&mut self, cpu: CpuId, row: usize, ran: Duration) {
        if !<PolicyOf<S> as Policy>::WANTS.counts {
            return;
        }
        let Some(clocks) = &mut self.clocks else {
            return;
        };
        let stalls = self.threads[row].program.stalls();
        let counts = clocks.count(cpu, self.details[row].number, stalls, ran);
        self.core.count_events(cpu, &counts);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flyball_model::Frequency;

    fn speeds(mhz: &[u64]) -> Speeds {
        let hertz = |mhz| Frequency::hertz(mhz * 1_000_000).unwrap();
        let free = vec![vec![Duration::ZERO; mhz.len()]; mhz.len()];
        Speeds::new(mhz.iter().map(|&mhz| hertz(mhz)).collect(), free, None).unwrap()
    }

    /// Cycles, instructions and requests of 10 ms.
    fn ten_ms(speeds: &Speeds, speed: u8, stalls: u32) -> (u32, u32, u32) {
        let stalls = Share::from_millionths(stalls);
        let ran = Duration::from_millis(10);
        let counts = Rest::default().count(speeds, Speed(speed), stalls, ran);
        (counts.cycles, counts.instructions, counts.requests())
    }

    #[test]
    fn rates_by_hand() {
        let speeds = speeds(&[200, 400]);
        // 4,000,000 cycles, of which a quarter executes instructions, and the rest is waiting.
        assert_eq!(ten_ms(&speeds, 1, 750_000), (4_000_000, 1_000_000, 30_000));
        // At half the frequency: what takes 1 of 4 takes 2 of 5. Of 2,000,000 cycles 800,000 compute, and
        // 6 ms are 24,000 requests of 100 cycles at 400 MHz.
        assert_eq!(ten_ms(&speeds, 0, 750_000), (2_000_000, 800_000, 24_000));
        assert_eq!(ten_ms(&speeds, 0, 0), (2_000_000, 2_000_000, 0));
        assert_eq!(ten_ms(&speeds, 0, 1_000_000), (2_000_000, 0, 40_000));
    }

    #[test]
    fn parts_add_up() {
        let speeds = speeds(&[333, 733]);
        let stalls = Share::from_millionths(970_000);
        let (mut rest, mut sum) = (Rest::default(), Counts::default());
        for _ in 0..10_000 {
            sum += rest.count(&speeds, Speed(0), stalls, Duration::from_micros(1));
        }
        let once = ten_ms(&speeds, 0, 970_000);
        // Each part is rounded down to 2^-32, so that the last event may be missing.
        let near = |a: u32, b: u32| a <= b && b - a <= 1;
        assert!(near(sum.cycles, once.0) && near(sum.instructions, once.1));
        assert!(near(sum.requests(), once.2));
    }

    #[test]
    fn a_full_counter_says_so() {
        let speeds = speeds(&[1_000]);
        let mut rest = Rest::default();
        let counts = |rest: &mut Rest, seconds| {
            let ran = Duration::from_secs(seconds);
            rest.count(&speeds, Speed(0), Share::default(), ran)
        };
        assert!(counts(&mut rest, 4).is_exact());
        assert!(!counts(&mut rest, 5).is_exact());
        assert!(!counts(&mut rest, u64::MAX / 2_000_000_000).is_exact());
    }
}
