//! The controller against a plant that is a list: what it says is what a supervisor says that is
//! told the same, and each knob is turned once.

use super::super::*;
use super::machine::{CPUS, PERIOD, TASKS, id};
use crate::control::{Controller, Denied, Plant};
use crate::i_plus_pi::{IPlusPi, Share};
use crate::storage::Inline;
use flyball_trace::Time;
use proptest::prelude::*;

type Ipi = IPlusPi<Inline<TASKS>>;
type Shares = SharesOfCpus<Inline<TASKS>, Inline<CPUS>>;

/// Tasks by number: where each is, what it has used, its parameters, and whether it can move.
#[derive(Default)]
struct List {
    tasks: Vec<Option<Task>>,
    lost: [Duration; CPUS],
    knobs: u32,
}

#[derive(Clone, Copy)]
struct Task {
    cpu: CpuId,
    used: Duration,
    share: Option<Share>,
    bound: bool,
}

impl Plant<Ipi> for List {
    fn place(&mut self, task: TaskId) -> Option<CpuId> {
        Some((*self.tasks.get(task.index())?)?.cpu)
    }

    fn used(&mut self, task: TaskId) -> Duration {
        let task = self.tasks.get(task.index()).copied().flatten();
        task.map_or(Duration::ZERO, |task| task.used)
    }

    fn misses(&mut self, _: TaskId) -> u32 {
        unreachable!("it does not say that it reads misses")
    }

    fn lost(&mut self, cpu: CpuId) -> Duration {
        self.lost[cpu.index()]
    }

    fn adjust(&mut self, task: TaskId, share: Share) -> Result<(), Denied> {
        self.knobs += 1;
        let task = self.tasks[task.index()].as_mut().ok_or(Denied::Gone)?;
        task.share = Some(share);
        Ok(())
    }

    fn migrate(&mut self, task: TaskId, to: CpuId, share: Share) -> Result<(), Denied> {
        self.knobs += 1;
        let task = self.tasks[task.index()].as_mut().ok_or(Denied::Gone)?;
        if task.bound {
            return Err(Denied::Bound);
        }
        (task.cpu, task.share) = (to, Some(share));
        Ok(())
    }
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Comes(u64, u8, bool),
    Goes(usize),
    Wants(usize, u64),
    /// So many parts of the period late.
    Runs(u64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        2 => (0..=1_000_u64, 0..8_u8, any::<bool>()).prop_map(|(w, c, b)| Step::Comes(w, c, b)),
        1 => (0..TASKS).prop_map(Step::Goes),
        1 => (0..TASKS, 0..=1_000_u64).prop_map(|(t, w)| Step::Wants(t, w)),
        4 => (0..40_u64).prop_map(|late| Step::Runs(late.saturating_sub(30))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 2 } else { 200 }))]

    #[test]
    fn it_says_what_its_supervisor_says(
        cpus in 1..=8_u8,
        steps in prop::collection::vec(step(), 0..80),
    ) {
        let start = Time::ZERO + PERIOD;
        let mut shares = Shares::new(Settings::default(), cpus, TASKS, PERIOD, start);
        let mut model = super::machine::Small::new(Settings::default(), cpus, TASKS);
        let mut admitted = [false; TASKS];
        let mut requirements: Vec<Requirement> = Vec::new();
        let mut list = List::default();
        let (mut last, mut next) = (start, start + PERIOD);
        for step in steps {
            match step {
                Step::Comes(thousandths, cpu, bound) if requirements.len() < TASKS => {
                    let task = id(requirements.len());
                    requirements.push(super::machine::requirement(thousandths));
                    let cpu = CpuId(cpu % cpus);
                    list.tasks.push(Some(Task { cpu, used: Duration::ZERO, share: None, bound }));
                    shares.supervise(task, requirements[task.index()]).unwrap();
                }
                Step::Goes(task) if task < requirements.len() => list.tasks[task] = None,
                Step::Wants(task, thousandths) if list.tasks.get(task).is_some_and(Option::is_some) => {
                    requirements[task] = super::machine::requirement(thousandths);
                    shares.supervise(id(task), requirements[task]).unwrap();
                    if admitted[task] {
                        model.adjust(id(task), requirements[task]).unwrap();
                    }
                }
                Step::Runs(late) => {
                    prop_assert_eq!(Controller::<Ipi>::next(&shares), next);
                    let now = next + Duration::from_nanos(PERIOD.as_nanos() / 4 * late);
                    let passed = now.since(last);
                    last = now;
                    while next <= now {
                        next += PERIOD;
                    }
                    for cpu in 0..cpus {
                        let lost = passed.as_nanos() / 16 * u64::from(cpu % 2);
                        list.lost[usize::from(cpu)] += Duration::from_nanos(lost);
                        model.lost(CpuId(cpu), Duration::from_nanos(lost));
                    }
                    for (number, place) in list.tasks.iter_mut().enumerate() {
                        let task = id(number);
                        match place {
                            None if admitted[number] => {
                                model.retire(task);
                                admitted[number] = false;
                            }
                            None => {}
                            Some(there) => {
                                let used = passed.as_nanos() / (number as u64 + 2);
                                there.used += Duration::from_nanos(used);
                                if admitted[number] {
                                    model.measured(task, Duration::from_nanos(used));
                                } else {
                                    model.admit(task, requirements[number], there.cpu).unwrap();
                                    admitted[number] = true;
                                }
                            }
                        }
                    }
                    model.step(passed);
                    let before: Vec<Option<Task>> = list.tasks.clone();
                    list.knobs = 0;
                    Controller::<Ipi>::run(&mut shares, &mut list, now);
                    let mut moves = Moves::default();
                    let mut knobs = 0;
                    for (number, before) in before.iter().enumerate() {
                        let Some(before) = before else { continue };
                        let after = list.tasks[number].unwrap();
                        let to = model.cpu(id(number)).unwrap();
                        let share = Share::new(model.share(id(number)).unwrap());
                        knobs += 1;
                        if to != before.cpu && before.bound {
                            moves.denied += 1;
                            model.stays(id(number), before.cpu);
                            prop_assert_eq!(after.cpu, before.cpu);
                        } else {
                            moves.made += u32::from(to != before.cpu);
                            prop_assert_eq!((after.cpu, after.share), (to, Some(share)));
                        }
                    }
                    prop_assert_eq!(list.knobs, knobs);
                    prop_assert_eq!(shares.moves(), moves);
                }
                _ => {}
            }
        }
    }
}

/// A run that comes twice at one instant does nothing the second time.
#[test]
fn no_time_is_no_period() {
    let mut shares = Shares::new(Settings::default(), 1, TASKS, PERIOD, Time::ZERO);
    let mut list = List::default();
    let now = Time::ZERO + PERIOD;
    for _ in 0..2 {
        Controller::<Ipi>::run(&mut shares, &mut list, now);
        assert_eq!(Controller::<Ipi>::next(&shares), now + PERIOD);
    }
    assert_eq!(
        shares.supervise(id(TASKS), super::machine::requirement(1)),
        Err(Refused::Full)
    );
}
