//! `flyball compare PROGRAM`: do the threads of a program in C or C++ keep to what it says of them, and to what
//! follows from that?

use crate::args::CompareArgs;
use crate::commands::analyse::program::linked;
use crate::commands::inspect;
use crate::commands::run::LIMIT;
use crate::failure::Failure;
use crate::files;
use crate::output::{self, BOLD, DIM};
use crate::progress::Spinner;
use flyball_board::BoardError;
use flyball_board::program::declared::NoTaskSet;
use flyball_board::program::{Program, Start};
use flyball_model::printable;
use flyball_study::Registry;
use flyball_study::results::PolicyReport;
use flyball_trace::file::Trace;
use flyball_trace::metrics::Summary;
use flyball_trace::{Duration, Kind, TaskId, Time};
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

/// What was seen of the threads of one name.
#[derive(Default)]
struct Seen {
    jobs: u64,
    misses: u64,
    response: Option<Duration>,
    execution: Option<Duration>,
}

pub(super) fn run(
    registry: &Registry,
    args: &CompareArgs,
    file: &Path,
    quiet: bool,
) -> Result<ExitCode, Failure> {
    if !args.policies.is_empty() || args.until.is_some() {
        let what = "a program has its machine and its policy already, and ends by itself";
        return Err(Failure::Usage(what.into()));
    }
    if args.json {
        let what =
            "of a program there is no --json; `flyball run PROGRAM --json` has what was measured";
        return Err(Failure::Usage(what.into()));
    }
    let shown = files::shown(file);
    let failed = |error| Failure::target(&shown, error);
    let program = Program::open(file).map_err(failed)?;
    let most = program.most_cpus();
    if args.platform.cpus.is_some_and(|cpus| cpus > most) {
        let what = format!("{shown}: --cpus is at most {most} on its machine");
        return Err(Failure::Usage(what));
    }
    let declared = program.declared().map_err(failed)?;
    // Without execution times nothing is predicted, and the rest is measured.
    let predicted = match program.task_set() {
        Ok(set) => {
            let set = args.platform.on(set.with_printable_names(), registry);
            linked(registry, &program, file, &set)?
        }
        Err(BoardError::NoTaskSet(NoTaskSet::NotKnown(_))) => None,
        Err(error) => return Err(failed(error)),
    };
    let start = Start {
        cpus: args.platform.cpus.unwrap_or(1),
        shift: 0,
        words: &[],
        seed: None,
        limit: LIMIT,
    };
    let (outcome, trace) = {
        let mut spinner = Spinner::new(quiet);
        program
            .run_traced(&start, None, &mut |_| {
                spinner.show(|| "running on the board".into())
            })
            .map_err(failed)?
    };
    let summary = inspect::summary(&trace);
    let computed = computed(&trace);
    let mut keeps = outcome.code == Some(0) && predicted.is_some();
    let columns = [
        "THREAD",
        "JOBS",
        "EXECUTION TIME",
        "MEASURED",
        "RESPONSE BOUND",
        "MEASURED",
        "DEADLINE",
        "MISSED",
    ];
    let mut table = output::table(&columns, &columns[1..]);
    for thread in &declared {
        let name = String::from_utf8_lossy(thread.name());
        let name = printable(&name);
        let seen = seen(&name, &trace, &summary, &computed);
        let length = |nanos: u64| (nanos != 0).then(|| Duration::from_nanos(nanos));
        let said = length(thread.execution_time);
        let bound = bound(&name, predicted.as_ref());
        let deadline = length(thread.deadline)
            .or(length(thread.period))
            .or(length(thread.separation));
        let within = |seen: Option<Duration>, most: Option<Duration>| match (seen, most) {
            (Some(seen), Some(most)) => seen <= most,
            _ => true,
        };
        keeps &= seen.jobs > 0
            && seen.misses == 0
            && within(seen.execution, said)
            && within(seen.response, bound);
        let known = |length: Option<Duration>| match length {
            Some(length) => output::time(Some(length)),
            None => "not known".to_owned(),
        };
        table.add_row([
            name.into_owned(),
            output::grouped(seen.jobs),
            known(said),
            output::time(seen.execution),
            known(bound),
            output::time(seen.response),
            output::time(deadline),
            output::misses(seen.misses),
        ]);
    }
    output::print(&text(
        &trace,
        &table.render(),
        predicted.as_ref(),
        outcome.code,
    ))?;
    Ok(if keeps {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn text(trace: &Trace, table: &str, predicted: Option<&PolicyReport>, code: Option<i32>) -> String {
    let header = &trace.header;
    let verdict = predicted.map_or_else(
        || "not known, as it is not said how long all jobs compute".to_owned(),
        |report| output::verdict(report.verdict.schedulable),
    );
    let mut text = format!(
        "{BOLD}{}{BOLD:#} under {}: {verdict}\n\n{table}",
        header.name, header.policy
    );
    // Writing to a string cannot fail.
    if code != Some(0) {
        let _ = writeln!(
            text,
            "\nThe program ended with {}.",
            code.map_or_else(|| "no exit code".to_owned(), |code| code.to_string())
        );
    }
    if header.dropped > 0 {
        let _ = writeln!(
            text,
            "{} later events were not kept",
            output::grouped(header.dropped)
        );
    }
    let _ = writeln!(
        text,
        "\n{DIM}Execution time: as the program says it, and the longest that was measured of one job, with what the \
         kernel did meanwhile.\nResponse bound: no job takes longer from release to completion, the kernel's work \
         and waiting for mutexes left aside.\nThe board takes 1 ns for an instruction.{DIM:#}"
    );
    text
}

/// The bound of a thread's response times, if one is known.
fn bound(name: &str, predicted: Option<&PolicyReport>) -> Option<Duration> {
    let mut tasks = predicted?.tasks.iter();
    tasks.find(|task| task.name == name)?.response_bound
}

/// What was seen of all threads of this name; in a trace a second one has a number behind it.
fn seen(name: &str, trace: &Trace, summary: &Summary, computed: &[Option<Duration>]) -> Seen {
    let is_one = |other: &str| {
        let rest = printable(other).strip_prefix(name).map(str::to_owned);
        rest.is_some_and(|rest| {
            rest.is_empty()
                || rest
                    .strip_prefix(' ')
                    .is_some_and(|number| number.parse::<u32>().is_ok())
        })
    };
    let tasks = trace.header.tasks.iter().zip(&summary.tasks).zip(computed);
    let named = tasks.filter(|((info, _), _)| is_one(&info.name));
    named.fold(Seen::default(), |seen, ((_, sums), &execution)| Seen {
        jobs: seen.jobs + sums.response.count(),
        misses: seen.misses + sums.misses,
        response: seen.response.max(sums.response.max()),
        execution: seen.execution.max(execution),
    })
}

/// For how long a job of each task has had a CPU at most.
fn computed(trace: &Trace) -> Vec<Option<Duration>> {
    let mut most = vec![None; trace.header.tasks.len()];
    let mut used = vec![Duration::ZERO; most.len()];
    // Which task each CPU runs, and since when that is not counted.
    let mut runs: Vec<Option<(TaskId, Time)>> = vec![None; usize::from(trace.header.cpus)];
    for event in &trace.events {
        let Some(runs) = runs.get_mut(event.cpu.index()) else {
            continue;
        };
        let next = match event.kind {
            Kind::Dispatch { task, .. } | Kind::Complete { task, .. } => Some((task, event.time)),
            Kind::Idle => None,
            _ => continue,
        };
        if let Some((task, since)) = *runs
            && let Some(used) = used.get_mut(task.index())
        {
            *used += event.time.since(since);
        }
        *runs = next;
        if let Kind::Complete { task, .. } = event.kind
            && let (Some(used), Some(most)) =
                (used.get_mut(task.index()), most.get_mut(task.index()))
        {
            *most = (*most).max(Some(std::mem::take(used)));
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;
    use flyball_trace::file::Header;
    use flyball_trace::metrics::TaskInfo;
    use flyball_trace::{CpuId, Event};

    #[test]
    fn what_a_job_computes_is_counted_across_preemptions() {
        let (a, b) = (TaskId(0), TaskId(1));
        let events = [
            (0, Kind::Dispatch { task: a, job: 1 }),
            (5, Kind::Preempt { task: a, job: 1 }),
            (6, Kind::Dispatch { task: b, job: 1 }),
            (9, Kind::Complete { task: b, job: 1 }),
            (10, Kind::Dispatch { task: a, job: 1 }),
            (14, Kind::Complete { task: a, job: 1 }),
            (15, Kind::Idle),
            (20, Kind::Dispatch { task: a, job: 2 }),
            (22, Kind::Complete { task: a, job: 2 }),
        ];
        let event = |(ns, kind)| Event {
            time: Time::from_nanos(ns),
            cpu: CpuId(0),
            kind,
        };
        let task = |name: &str| TaskInfo {
            name: name.into(),
            period: None,
            deadline: None,
        };
        let trace = Trace {
            header: Header {
                cpus: 1,
                tasks: vec![task("a"), task("b"), task("c")],
                ..Header::default()
            },
            events: events.map(event).into(),
        };
        let ns = |ns| Some(Duration::from_nanos(ns));
        // a: 6 until the other one is dispatched, and 4.
        assert_eq!(computed(&trace), [ns(10), ns(3), None]);
    }
}
