//! A chart of characters, for schedules in which everything happens at whole units of 1 ms. With
//! several CPUs a running task is drawn as the number of its CPU.

use flyball_model::TaskSet;
use flyball_trace::{Duration, Event, Kind, TaskId};
use std::fmt::Write;

const UNIT: u64 = 1_000_000;

/// What a task does in a unit of time.
#[derive(Clone, Copy, PartialEq)]
enum State {
    /// It has nothing to do.
    Away,
    /// It could run.
    Ready,
    /// It waits in the middle of a job.
    Waits,
}

/// Draws the first `until` of a schedule.
pub(crate) fn draw(set: &TaskSet, events: &[Event], until: Duration) -> String {
    let units = usize::try_from(until.as_nanos().div_ceil(UNIT)).unwrap();
    let width = set
        .tasks
        .iter()
        .map(|task| task.name.len())
        .max()
        .unwrap_or(0);
    let mut rows = vec![vec![' '; units]; set.tasks.len()];
    let mut misses = vec![' '; units + 1];
    let mut states = vec![State::Away; set.tasks.len()];
    let mut pending = vec![0u32; set.tasks.len()];
    let mut running: Vec<Option<usize>> = vec![None; set.platform.cpus.into()];
    let mut events = events.iter().peekable();
    for unit in 0..units {
        let now = unit as u64 * UNIT;
        // Whatever happens within a unit shows in the next one.
        while let Some(event) = events.next_if(|event| event.time.as_nanos() <= now) {
            if let Kind::Miss { .. } = event.kind {
                misses[unit] = '!';
            }
            apply(event, &mut states, &mut pending, &mut running);
        }
        for (task, row) in rows.iter_mut().enumerate() {
            let cpu = running.iter().position(|&runs| runs == Some(task));
            row[unit] = match (cpu, states[task]) {
                (Some(_), _) if running.len() == 1 => '#',
                (Some(cpu), _) => char::from_digit(u32::try_from(cpu).unwrap(), 36).unwrap(),
                (None, State::Away) => ' ',
                (None, State::Ready) => '.',
                (None, State::Waits) => '-',
            };
        }
    }
    if events.any(|event| matches!(event.kind, Kind::Miss { .. })) {
        misses[units] = '!';
    }
    let mut text = String::new();
    for (task, row) in set.tasks.iter().zip(&rows) {
        let row: String = row.iter().collect();
        writeln!(text, "{:width$} |{}", task.name, row.trim_end()).unwrap();
    }
    let misses: String = misses.into_iter().collect();
    if !misses.trim().is_empty() {
        writeln!(text, "{:width$} |{}", "", misses.trim_end()).unwrap();
    }
    text
}

fn apply(event: &Event, states: &mut [State], pending: &mut [u32], running: &mut [Option<usize>]) {
    let Some(task) = event.kind.task().map(TaskId::index) else {
        if event.kind == Kind::Idle {
            running[event.cpu.index()] = None;
        }
        return;
    };
    let leaves = |running: &mut [Option<usize>]| {
        for runs in running.iter_mut().filter(|runs| **runs == Some(task)) {
            *runs = None;
        }
    };
    match event.kind {
        Kind::Release { .. } => {
            pending[task] += 1;
            if states[task] == State::Away {
                states[task] = State::Ready;
            }
        }
        Kind::Wake { .. } => states[task] = State::Ready,
        Kind::Dispatch { .. } => running[event.cpu.index()] = Some(task),
        Kind::Preempt { .. } => leaves(running),
        Kind::Block { .. } => {
            leaves(running);
            states[task] = State::Waits;
        }
        Kind::Complete { .. } | Kind::Abort { .. } => {
            leaves(running);
            pending[task] -= 1;
            states[task] = if pending[task] > 0 {
                State::Ready
            } else {
                State::Away
            };
        }
        _ => {}
    }
}
