//! What methods return: which CPUs pick again, what CPUs run, and when an alarm comes.

use super::Object;
use crate::error::type_name;
use crate::policy::fault::Wrong;
use crate::policy::task::Task;
use flyball::policy::{CpuId, CpuSet, Dispatch, Duration, Resched, Time};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyList, PyTuple};

impl Object {
    /// Which CPUs pick again, as a method has returned it: all if it returned nothing.
    pub(super) fn resched(&self, found: &Bound<'_, PyAny>) -> Result<Resched, Wrong> {
        if found.is_none() {
            return Ok(self.everywhere());
        }
        if found.is_instance_of::<PyBool>() {
            let yes: bool = found.extract()?;
            return Ok(if yes {
                self.everywhere()
            } else {
                Resched::None
            });
        }
        let cpu = |found: &Bound<'_, PyAny>| {
            let number: Option<u8> = found.extract().ok();
            let known = number
                .map(CpuId)
                .filter(|&cpu| cpu.index() < self.cpus.len());
            known.ok_or_else(|| {
                Wrong::Broken(format!(
                    "returned {found:?}, and no CPU below {}, several of them, True, False or nothing,",
                    self.cpus.len()
                ))
            })
        };
        if let Ok(several) = found.try_iter() {
            let mut set = CpuSet::EMPTY;
            for one in several {
                set = set.with(cpu(&one?)?);
            }
            return Ok(Resched::Many(set));
        }
        cpu(found).map(Resched::One)
    }

    pub(super) fn everywhere(&self) -> Resched {
        match self.cpus.len() {
            1 => Resched::One(CpuId(0)),
            cpus => Resched::Many(
                (0..=CpuSet::LARGEST.0)
                    .take(cpus)
                    .map(CpuId)
                    .fold(CpuSet::EMPTY, CpuSet::with),
            ),
        }
    }

    /// What a method has picked for a CPU: a task, or a task and for how long.
    pub(super) fn picked(&self, found: &Bound<'_, PyAny>) -> Result<Option<Dispatch>, Wrong> {
        if found.is_none() {
            return Ok(None);
        }
        let (task, burst) = match found.cast::<PyTuple>() {
            Ok(pair) => {
                let (task, burst) = pair.extract::<(Bound<'_, PyAny>, u64)>().map_err(|_| {
                    Wrong::Broken(format!(
                        "returned {found:?}, and not a task and whole nanoseconds,"
                    ))
                })?;
                (task, Some(Duration::from_nanos(burst)))
            }
            Err(_) => (found.clone(), None),
        };
        let known = task.cast::<Task>().map_err(|_| {
            let found = type_name(&task);
            Wrong::Broken(format!(
                "returned {found}, and no task, a task and its time, or None,"
            ))
        })?;
        let place = self.told.tasks.place(known);
        let id = place.and_then(|place| *self.ids.get(place as usize)?);
        let id = id.ok_or_else(|| {
            Wrong::Broken(format!(
                "picked {task:?}, which is no task of these CPUs in this simulation,"
            ))
        })?;
        if !self.members[id.index()].is_queued {
            return Err(Wrong::Broken(format!(
                "picked a task that is not ready, {:?},",
                known.get().name()
            )));
        }
        if burst.is_some_and(Duration::is_zero) {
            return Err(Wrong::Broken(format!(
                "picked {:?} for no time at all",
                known.get().name()
            )));
        }
        let dispatch = Dispatch::of(id);
        Ok(Some(
            burst.map_or(dispatch, |burst| dispatch.for_at_most(burst)),
        ))
    }

    /// What the method has decided for all CPUs: what `pick` returns if there is one, and a list of that if there are several.
    pub(super) fn decided(
        &self,
        found: &Bound<'_, PyAny>,
        decided: &mut [Option<Dispatch>],
    ) -> Result<(), Wrong> {
        if let [one] = decided {
            *one = self.picked(found)?;
            return Ok(());
        }
        let list = found.cast::<PyList>().ok();
        let list = list.filter(|list| list.len() == decided.len());
        let list = list.ok_or_else(|| {
            Wrong::Broken(format!(
                "returned {found:?}, and not a list with a task or None for each of {} CPUs,",
                decided.len()
            ))
        })?;
        for (one, found) in decided.iter_mut().zip(list) {
            *one = self.picked(&found)?;
        }
        Ok(())
    }

    /// The next alarm of a CPU, as the method says.
    pub(super) fn asked_alarm(&self, cpu: CpuId) -> Option<Time> {
        let now = self.alarmed.unwrap_or(Time::ZERO);
        self.call(
            "next_alarm",
            |it| it.next_alarm.as_ref(),
            now,
            |method| {
                let found = method.call1((cpu.0,))?;
                let at: Option<u64> = found.extract().map_err(|_| {
                    let found = type_name(&found);
                    Wrong::Broken(format!(
                        "returned {found}, and neither whole nanoseconds nor None,"
                    ))
                })?;
                if at.is_some_and(|at| self.alarmed.is_some_and(|alarmed| at <= alarmed.as_nanos()))
                {
                    return Err(Wrong::Broken(
                        "asked for an instant whose alarm has come already".into(),
                    ));
                }
                Ok(at.map(Time::from_nanos))
            },
        )?
    }
}
