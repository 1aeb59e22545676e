//! Settings that change while a policy runs.

use flyball_policy::i_plus_pi::{Fraction, Round, Settings, Share};
use flyball_policy::order::Fifo;
use flyball_policy::pfair::Weight;
use flyball_policy::{
    CpuId, Duration, Heap, IPlusPi, Inline, Parameter, Pd2, Policy, Ranked, Ready, Refused,
    RoundRobin, Stop, TaskId, Time, Usage,
};

const CPU: CpuId = CpuId(0);
type Small = Inline<4>;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// Lets a policy run; every task computes to the end of what it is granted.
struct Run<P> {
    policy: P,
    now: Time,
}

impl<P: Policy> Run<P> {
    /// Tasks 0 and 1, which are ready.
    fn new(mut policy: P, params: P::Params) -> Run<P> {
        let now = Time::ZERO;
        for task in [TaskId(0), TaskId(1)] {
            policy.admit(task, params, now).unwrap();
            let _ = policy.ready(CPU, task, Ready::Unblocked, now);
        }
        Run { policy, now }
    }

    /// The next burst: its task and its length.
    fn next(&mut self) -> (TaskId, Duration) {
        let choice = self.policy.pick(CPU, self.now).unwrap();
        let burst = choice.burst.unwrap();
        self.stop(choice.task, burst, Stop::BurstEnd);
        (choice.task, burst)
    }

    fn stop(&mut self, task: TaskId, used: Duration, why: Stop) {
        self.now += used;
        let _ = self
            .policy
            .stopped(CPU, task, Usage::time(used), why, self.now);
    }
}

fn round_robin(quantum: Duration) -> RoundRobin<Fifo> {
    RoundRobin {
        order: Fifo,
        quantum,
    }
}

#[test]
fn a_new_quantum_counts_from_the_next_time_slice_on() {
    let policy = Ranked::<_, Heap<(), Small>>::new(round_robin(ms(10)), 4);
    let mut run = Run::new(policy, ());
    let first = run.policy.pick(CPU, run.now).unwrap().task;
    run.stop(first, ms(4), Stop::Preempted);
    let _ = run.policy.tune(round_robin(ms(25)), run.now).unwrap();
    // Both have a slice already: the first one the rest of its own.
    assert_eq!(run.next(), (TaskId(0), ms(6)));
    assert_eq!(run.next(), (TaskId(1), ms(10)));
    assert_eq!(run.next(), (TaskId(0), ms(25)));
    let zero = run.policy.tune(round_robin(Duration::ZERO), run.now);
    assert_eq!(zero.unwrap_err(), Refused::Invalid(Parameter::Quantum));
    assert_eq!(run.next(), (TaskId(1), ms(25)));
    assert_eq!(run.next(), (TaskId(0), ms(25)));
}

#[test]
fn a_new_round_of_i_plus_pi_is_the_next_one() {
    let settings = |round| Settings {
        round: Round::Constant(round),
        ..Settings::THESIS
    };
    let policy = IPlusPi::<Small>::new(settings(ms(4)), 4);
    let mut run = Run::new(policy, Share::new(Fraction::percent(50)));
    assert_eq!(run.next(), (TaskId(0), ms(2)));
    let _ = run.policy.tune(settings(ms(12)), run.now).unwrap();
    assert_eq!(run.next(), (TaskId(1), ms(2)));
    for _ in 0..20 {
        assert_eq!(run.next(), (TaskId(0), ms(6)));
        assert_eq!(run.next(), (TaskId(1), ms(6)));
    }
}

#[test]
fn a_policy_that_cannot_be_tuned_says_so() {
    let mut pd2 = Pd2::<Small, Inline<2>>::new(ms(1), 4, 2);
    let weight = Weight {
        wcet: ms(1),
        period: ms(2),
    };
    pd2.admit(TaskId(0), weight, Time::ZERO).unwrap();
    assert_eq!(pd2.tune((), Time::ZERO), Err(Refused::Fixed));
}
