//! Rounds, read off a schedule.

use flyball_trace::file::Trace;
use flyball_trace::{Duration, Kind, TaskId, Time};

/// One round: what each task used of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Round {
    pub(super) used: Vec<Duration>,
}

/// The rounds of a schedule under I+PI in which tasks have their turns in the order of their
/// numbers, on one CPU. What the kernel does before a turn is part of it. A round ends before the
/// first turn of a task that is not behind the last one. The last round may be incomplete.
/// O(events).
pub(super) fn rounds(trace: &Trace) -> Vec<Round> {
    let tasks = trace.header.tasks.len();
    let mut rounds: Vec<Round> = Vec::new();
    // The task whose turn it is, since when; and the task that had the last one.
    let mut turn: Option<(TaskId, Time)> = None;
    let mut last: Option<TaskId> = None;
    let mut end = |task: TaskId, began: Time, now: Time| {
        if last.is_none_or(|last| task <= last) {
            let used = vec![Duration::ZERO; tasks];
            rounds.push(Round { used });
        }
        last = Some(task);
        let round = rounds.last_mut();
        if let Some(used) = round.and_then(|round| round.used.get_mut(task.index())) {
            *used += now.since(began);
        }
    };
    for event in &trace.events {
        match event.kind {
            Kind::Dispatch { task, .. } if turn.is_none_or(|(running, _)| running != task) => {
                turn = Some((task, event.time));
            }
            Kind::BurstEnd { task, .. } => {
                if let Some((running, began)) = turn.filter(|&(running, _)| running == task) {
                    end(running, began, event.time);
                    // It goes on in the next round if no other task wants to run.
                    turn = Some((task, event.time));
                }
            }
            Kind::Block { task, .. } | Kind::Complete { task, .. } => {
                if let Some((running, began)) = turn.filter(|&(running, _)| running == task) {
                    end(running, began, event.time);
                    turn = None;
                }
            }
            _ => {}
        }
    }
    rounds
}
