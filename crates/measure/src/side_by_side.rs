//! A measured schedule, and the simulation of it beside it.
//!
//! The simulation is given what the machine's kernel was seen to spend ([`calibrate`]), so what is
//! left of a difference is what the simulation does not know of the machine.

use crate::calibrate::{Slots, calibrate, time_slice};
use crate::measured::{Measured, Measurement};
use flyball_model::{Share, TaskSet};
use flyball_sim::{Modes, Options, Seen};
use flyball_study::Recorder;
use flyball_study::StudyError;
use flyball_study::Theory;
use flyball_study::Values;
use flyball_study::compare::{HAIR, SideBySide, compare, is_compared};
use flyball_trace::file::Trace;
use flyball_trace::metrics::Summary;
use flyball_trace::{Duration, Kind, Sink, TaskId, Time};
use std::ops::ControlFlow;

/// So many events before the end may be in one schedule only.
const LAST: usize = 8;

/// The instant that the first job of a task with a server counts from, which is when slots begin.
fn first_job(set: &TaskSet, trace: &Trace) -> Option<Time> {
    trace.events.iter().find_map(|event| {
        let Kind::Release { task, deadline, .. } = event.kind else {
            return None;
        };
        let task = set.tasks.get(task.index())?;
        let has_server = set.servers.is_empty() || task.server.is_some();
        if task.arrival.period().is_none() || !has_server {
            return None;
        }
        Some(match task.deadline {
            Some(relative) if !deadline.is_never() => deadline - relative,
            _ => event.time,
        })
    })
}

impl Measurement<'_> {
    /// How many CPUs have to do with each other: those of a cluster, and all where tasks are split.
    pub(crate) fn sharing(&self) -> u8 {
        if self.subtasks().is_empty() {
            self.cluster()
        } else {
            self.set.platform.cpus
        }
    }

    /// How long the time slices of a task are meant to be, if it has any.
    fn slice_of(&self, task: TaskId) -> Option<Duration> {
        let task = self.set.tasks.get(task.index())?;
        self.entry.slice_of(&self.values, task)
    }

    /// Simulates what was measured, for as long and with the same random numbers, and compares.
    ///
    /// # Errors
    /// [`StudyError`].
    pub fn beside(&self, measured: &Measured<'_>, seed: u64) -> Result<SideBySide, StudyError> {
        let mut seen = self.recorder();
        measured.events.iter().for_each(|&event| seen.record(event));
        let (measured_summary, measured_trace) = seen.finish(measured.end);
        let mut set = self.set.clone();
        let quantum = self.values.quantum();
        let slots = match self.values.slot() {
            Some(length) => first_job(&set, &measured_trace).map(|first| Slots { first, length }),
            None => quantum
                .filter(|_| matches!(self.entry.theory, Theory::Fair))
                .map(|length| Slots {
                    first: Time::ZERO,
                    length,
                }),
        };
        set.platform.overheads = calibrate(&set, &measured_trace, seed, self.cluster(), slots);
        // The machine itself has one operating point, and only tasks compute as at others.
        let speeds = set.platform.speeds.take();
        set.platform.speeds = speeds.map(|speeds| speeds.with_kernel_stalls(Share::ONE));
        let overheads = &set.platform.overheads;
        let slice = quantum.map(|quantum| {
            let meant = |task: TaskId| self.slice_of(task);
            time_slice(&measured_trace, overheads, quantum, meant)
        });
        let values = match slice {
            Some(slice) => self.entry.with_slice(&self.values, &mut set, slice),
            None => self.values.clone(),
        };
        let options = Options {
            until: measured.end.since(Time::ZERO),
            stop_at_miss: false,
            seed,
        };
        let (simulated_summary, simulated) =
            self.simulated(&values, &set.clone().into(), &options)?;
        let mut side = SideBySide {
            overheads: set.platform.overheads.clone(),
            quantum,
            slice,
            comparison: compare(&simulated, &measured_trace, self.sharing()),
            simulated,
            simulated_summary,
            measured: measured_trace,
            measured_summary,
            followed: None,
            reason: None,
        };
        if !side.comparison.is_same_order() && self.sharing() == 1 {
            let seen = Seen::new(&side.measured.events, HAIR);
            let modes = Modes::from(set).following(seen);
            let (_, followed) = self.simulated(&values, &modes, &options)?;
            let comparison = compare(&followed, &side.measured, self.sharing());
            // What comes shortly before the end is compared with nothing.
            let events = side.measured.events.iter().filter(|it| is_compared(it));
            let is_whole = comparison.agree + LAST >= events.count();
            side.followed = Some(comparison).filter(|it| is_whole || !it.is_same_order());
        }
        side.reason = self.reason(&side, &options);
        Ok(side)
    }

    fn recorder(&self) -> Recorder {
        let cpus = self.set.platform.cpus;
        Recorder::new(&self.set, cpus, self.entry.name, usize::MAX)
    }

    /// Simulates tasks, which are those of the set that was measured.
    pub(crate) fn simulated(
        &self,
        values: &Values,
        modes: &Modes,
        options: &Options,
    ) -> Result<(Summary, Trace), StudyError> {
        let mut recorder = self.recorder();
        let mut watch = |_| ControlFlow::Continue(());
        let entry = self.entry;
        let outcome = entry.simulate_modes(values, modes, options, &mut recorder, &mut watch)?;
        Ok(recorder.finish(outcome.ended))
    }
}
