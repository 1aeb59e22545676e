//! What policies do not take, and what they say about it.

use flyball_policy::order::Fifo;
use flyball_policy::pfair::Weight;
use flyball_policy::{
    Affine, Bitmap, CpuId, CpuSet, Deadline, Duration, EarliestDeadline, FixedPriority, Heap,
    Inline, Laxity, LeastLaxity, Parameter, Pd2, Pinned, Policy, Priority, Ranked, Ready, Refused,
    RoundRobin, TaskId, Time,
};

const TASK: TaskId = TaskId(0);
type Small = Inline<4>;
type OneCpu<O, K> = Ranked<O, Heap<K, Small>>;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn admit<P: Policy>(mut policy: P, params: P::Params) -> Result<(), Refused> {
    policy.admit(TASK, params, Time::ZERO)
}

/// The excess in hundredths of a CPU.
fn excess(answer: Result<(), Refused>) -> u8 {
    match answer {
        Err(Refused::Overload { excess }) => excess.percent(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_parameter_that_makes_no_sense_is_named() {
    let edf = OneCpu::new(EarliestDeadline, 4);
    let invalid = |parameter| Err(Refused::Invalid(parameter));
    assert_eq!(
        admit(edf, Deadline(Duration::ZERO)),
        invalid(Parameter::Deadline)
    );
    // One word has levels for priorities from 0 to 31.
    let small = || Ranked::<_, Bitmap<_, Small, 1>>::new(FixedPriority, 4);
    assert_eq!(admit(small(), Priority(31)), Ok(()));
    assert_eq!(admit(small(), Priority(32)), invalid(Parameter::Priority));
    let round_robin = RoundRobin {
        order: Fifo,
        quantum: Duration::ZERO,
    };
    assert_eq!(
        admit(OneCpu::new(round_robin, 4), ()),
        invalid(Parameter::Quantum)
    );
    let affine = Affine::<_, Small, Inline<2>>::new(EarliestDeadline, 4, 2);
    let pinned = Pinned {
        params: Deadline(ms(1)),
        cpus: CpuSet::EMPTY.with(CpuId(2)),
    };
    assert_eq!(admit(affine, pinned), invalid(Parameter::Cpus));
}

#[test]
fn an_overload_has_a_figure() {
    let llf = OneCpu::new(LeastLaxity { quantum: ms(1) }, 4);
    let params = Laxity {
        deadline: ms(8),
        wcet: ms(9),
    };
    assert_eq!(excess(admit(llf, params)), 13);
    let pd2 = || Pd2::<Small, Inline<2>>::new(ms(1), 4, 2);
    let weight = |wcet, period| Weight {
        wcet: Duration::from_micros(wcet),
        period: Duration::from_micros(period),
    };
    // 3 quanta in 2: the execution time is rounded up, the period down.
    assert_eq!(excess(admit(pd2(), weight(2_100, 2_900))), 50);
    assert_eq!(admit(pd2(), weight(2_000, 2_900)), Ok(()));
    let period = Err(Refused::Invalid(Parameter::Period));
    assert_eq!(admit(pd2(), weight(100, 900)), period);
    assert_eq!(admit(pd2(), weight(100, 2_000_000_000)), period);
}

#[test]
fn members_are_admitted_once_and_have_a_row() {
    let mut edf = OneCpu::new(EarliestDeadline, 4);
    let (now, deadline) = (Time::ZERO, Deadline(ms(1)));
    assert_eq!(edf.adjust(TASK, deadline, now), Err(Refused::NotAdmitted));
    assert_eq!(edf.admit(TASK, deadline, now), Ok(()));
    assert_eq!(edf.admit(TASK, deadline, now), Err(Refused::Member));
    assert_eq!(edf.admit(TaskId(4), deadline, now), Err(Refused::Full));
    assert_eq!(
        edf.adjust(TaskId(4), deadline, now),
        Err(Refused::NotAdmitted)
    );
    edf.retire(TASK, now);
    assert_eq!(edf.adjust(TASK, deadline, now), Err(Refused::NotAdmitted));
    assert_eq!(edf.admit(TASK, deadline, now), Ok(()));
}

#[test]
fn a_weight_changes_between_jobs_only() {
    let mut pd2 = Pd2::<Small, Inline<2>>::new(ms(1), 4, 2);
    let weight = Weight {
        wcet: ms(1),
        period: ms(2),
    };
    let now = Time::ZERO;
    pd2.admit(TASK, weight, now).unwrap();
    assert!(pd2.adjust(TASK, weight, now).is_ok());
    let _ = pd2.ready(CpuId(0), TASK, Ready::Released { release: now }, now);
    assert_eq!(pd2.adjust(TASK, weight, now), Err(Refused::Busy));
}
