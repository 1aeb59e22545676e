//! The plant of controllers over three cores, against a list of what each task is to have.

use super::world::{CPU, Fixed, World, at, fixed, ns};
use crate::{Attributes, CorePlant, Cores, Error, OnMiss, Release, ThreadId};
use flyball_policy::{Denied, Plant, Priority, Reads};
use flyball_trace::{CpuId, Duration, TaskId, Time};
use proptest::prelude::*;

const CPUS: usize = 3;

/// Cores, and where each task is.
struct Machine {
    worlds: Vec<World<Fixed>>,
    tasks: Vec<(CpuId, ThreadId)>,
}

impl Cores for Machine {
    type Config = super::world::Small<Fixed>;

    fn cpu(&mut self, task: TaskId) -> Option<CpuId> {
        Some(self.tasks.get(task.index())?.0)
    }

    fn with_core<R>(
        &mut self,
        cpu: CpuId,
        f: impl FnOnce(&mut crate::Core<Self::Config>, CpuId, Time) -> R,
    ) -> Option<R> {
        let world = self.worlds.get_mut(cpu.index())?;
        world.core.enter(CPU, world.now);
        let result = f(&mut world.core, CPU, world.now);
        world.settle();
        Some(result)
    }

    fn with_thread<R>(
        &mut self,
        task: TaskId,
        f: impl FnOnce(&mut crate::Core<Self::Config>, CpuId, ThreadId, Time) -> R,
    ) -> Option<R> {
        let (cpu, thread) = *self.tasks.get(task.index())?;
        self.with_core(cpu, |core, cpu, now| f(core, cpu, thread, now))
    }

    fn carry(&mut self, task: TaskId, to: CpuId, params: Priority) -> Result<(), Error> {
        let (from, thread) = self.tasks[task.index()];
        let moved = self.with_core(from, |core, cpu, now| core.emigrate(cpu, thread, now));
        let migrant = moved.expect("it is on a CPU")?;
        let put = |core: &mut crate::Core<_>, cpu, now| {
            let put = core.immigrate(cpu, migrant, params, now, |_, _| ());
            put.map_err(|(_, error)| error)
        };
        let thread = self.with_core(to, put).expect("there is such a CPU")?;
        self.tasks[task.index()] = (to, thread);
        Ok(())
    }
}

impl Machine {
    fn new() -> Machine {
        Machine {
            worlds: (0..CPUS).map(|_| fixed()).collect(),
            tasks: Vec::new(),
        }
    }

    fn spawn(&mut self, cpu: usize, attributes: Attributes, priority: u8) {
        let thread = self.worlds[cpu].spawn(attributes, priority);
        let cpu = CpuId(u8::try_from(cpu).unwrap());
        self.tasks.push((cpu, thread));
    }

    fn run_until(&mut self, until: Time) {
        for world in &mut self.worlds {
            world.run_until(until);
        }
    }

    /// The task that runs on a CPU.
    fn running(&self, cpu: usize) -> Option<usize> {
        let row = self.worlds[cpu].running()?;
        let is_it = |(at, thread): &(CpuId, ThreadId)| at.index() == cpu && thread.task().0 == row;
        self.tasks.iter().position(is_it)
    }
}

fn id(task: usize) -> TaskId {
    TaskId(u16::try_from(task).unwrap())
}

#[derive(Clone, Debug)]
enum Step {
    Pass(u64),
    Adjust(usize, u8),
    Migrate(usize, u8, u8),
}

fn step() -> impl Strategy<Value = Step> {
    let task = || 0..8_usize;
    prop_oneof![
        (1..20_u64).prop_map(Step::Pass),
        (task(), 0..8_u8).prop_map(|(task, priority)| Step::Adjust(task, priority)),
        (task(), 0..4_u8, 0..8_u8)
            .prop_map(|(task, cpu, priority)| Step::Migrate(task, cpu, priority)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 2 } else { 500 }))]

    /// Tasks without end are where the controller puts them, the most urgent of each CPU runs, and
    /// each reading is what the list says.
    #[test]
    fn readings_and_knobs_are_those_of_a_list(steps in prop::collection::vec(step(), 0..80)) {
        let mut machine = Machine::new();
        let mut model: Vec<(usize, u8, u64)> = Vec::new();
        for task in 0..7 {
            // No two are equally urgent.
            let (cpu, priority) = (task % CPUS, u8::try_from(9 * task).unwrap());
            machine.spawn(cpu, Attributes::THREAD, priority);
            model.push((cpu, priority, 0));
        }
        let mut now = 0;
        for step in steps {
            let runs: Vec<Option<usize>> = (0..CPUS)
                .map(|cpu| {
                    let here = (0..model.len()).filter(|&task| model[task].0 == cpu);
                    here.max_by_key(|&task| model[task].1)
                })
                .collect();
            let urgency = |task: usize, level: u8| 8 * level + u8::try_from(task).unwrap();
            match step {
                Step::Pass(time) => {
                    for (cpu, &task) in runs.iter().enumerate() {
                        prop_assert_eq!(machine.running(cpu), task);
                        if let Some(task) = task {
                            model[task].2 += time;
                        }
                    }
                    now += time;
                    machine.run_until(at(now));
                }
                Step::Adjust(task, level) => {
                    let priority = urgency(task, level);
                    let adjusted = CorePlant(&mut machine).adjust(id(task), Priority(priority));
                    if let Some(task) = model.get_mut(task) {
                        prop_assert_eq!(adjusted, Ok(()));
                        task.1 = priority;
                    } else {
                        prop_assert_eq!(adjusted, Err(Denied::Gone));
                    }
                }
                Step::Migrate(task, cpu, level) => {
                    let priority = urgency(task, level);
                    let to = CpuId(cpu);
                    let moved = CorePlant(&mut machine).migrate(id(task), to, Priority(priority));
                    match model.get_mut(task) {
                        _ if to.index() >= CPUS => prop_assert_eq!(moved, Err(Denied::NoCpu)),
                        Some(task) => {
                            prop_assert_eq!(moved, Ok(()));
                            (task.0, task.1) = (to.index(), priority);
                        }
                        None => prop_assert_eq!(moved, Err(Denied::Gone)),
                    }
                }
            }
            let mut plant = CorePlant(&mut machine);
            for (task, &(cpu, _, used)) in model.iter().enumerate() {
                prop_assert_eq!(plant.place(id(task)).map(CpuId::index), Some(cpu));
                prop_assert_eq!(plant.used(id(task)), ns(used));
                prop_assert_eq!(plant.misses(id(task)), 0);
            }
            prop_assert_eq!(plant.place(id(7)), None);
            prop_assert_eq!(plant.used(id(7)), Duration::ZERO);
            for cpu in 0..4 {
                prop_assert_eq!(plant.lost(CpuId(cpu)), Duration::ZERO);
            }
        }
    }
}

/// Misses are those of one task, on all CPUs on which it has been.
#[test]
fn misses_go_with_the_task() {
    let mut machine = Machine::new();
    let late = Attributes {
        release: Release::Periodic { period: ns(10) },
        deadline: Some(ns(5)),
        on_miss: OnMiss::Abort,
        ..Attributes::THREAD
    };
    machine.spawn(0, late, 3);
    machine.spawn(1, Attributes::THREAD, 1);
    for (periods, cpu) in [(3, 1), (6, 2), (7, 0)] {
        machine.run_until(at(10 * periods - 1));
        let mut plant = CorePlant(&mut machine);
        assert_eq!(plant.misses(id(0)), u32::try_from(periods).unwrap());
        assert_eq!(plant.misses(id(1)), 0);
        plant.migrate(id(0), CpuId(cpu), Priority(3)).unwrap();
    }
    let core = &machine.worlds[0].core;
    assert!(core.keeps(Reads {
        used: true,
        misses: true,
        lost: true
    }));
}
