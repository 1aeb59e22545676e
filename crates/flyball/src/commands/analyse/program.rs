//! Of a program in C or C++: what is known of its threads under the policy that it is linked with.

use crate::failure::Failure;
use crate::files;
use crate::output::{self, BOLD, DIM};
use flyball_board::BoardError;
use flyball_board::program::Program;
use flyball_board::program::declared::NoTaskSet;
use flyball_model::{TaskSet, printable};
use flyball_report::words;
use flyball_study::results::PolicyReport;
use flyball_study::{Registry, StudyOptions, study};
use flyball_trace::Duration;
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

/// The program, if the file is one.
pub(crate) fn open(file: &Path) -> Result<Option<Program>, Failure> {
    if !files::is_program(file) {
        return Ok(None);
    }
    let program = Program::open(file);
    let program = program.map_err(|error| Failure::target(&files::shown(file), error))?;
    Ok(Some(program))
}

/// Tells what the program says of its threads where it does not say how long all jobs compute: then nothing is
/// known. `None`: it says so of all.
pub(crate) fn not_known(
    program: &Program,
    file: &Path,
    json: bool,
) -> Result<Option<ExitCode>, Failure> {
    let shown = files::shown(file);
    let failed = |error| Failure::target(&shown, error);
    match program.task_set() {
        Err(BoardError::NoTaskSet(NoTaskSet::NotKnown(_))) if !json => {}
        Err(error) => return Err(failed(error)),
        Ok(_) => return Ok(None),
    }
    let columns = ["THREAD", "PERIOD", "DEADLINE", "EXECUTION TIME"];
    let mut table = output::table(&columns, &columns[1..]);
    for thread in program.declared().map_err(failed)? {
        let length = |nanos: u64| output::time(Some(Duration::from_nanos(nanos)));
        let period = thread.period.max(thread.separation);
        let name = String::from_utf8_lossy(thread.name()).into_owned();
        table.add_row([
            printable(&name).into_owned(),
            length(period),
            length(if thread.deadline == 0 {
                period
            } else {
                thread.deadline
            }),
            match thread.execution_time {
                0 => "not known".to_owned(),
                nanos => length(nanos),
            },
        ]);
    }
    let policy = program.policy().unwrap_or("a policy that it does not name");
    output::print(&format!(
        "{BOLD}{shown}{BOLD:#} under {policy}\n\n{}\nNot known: it is not said how long jobs of all threads compute.\n",
        table.render()
    ))?;
    Ok(Some(ExitCode::FAILURE))
}

/// What is known under the policy that the program is linked with; `None` if it does not say which that is.
pub(crate) fn linked(
    registry: &Registry,
    program: &Program,
    file: &Path,
    set: &TaskSet,
) -> Result<Option<PolicyReport>, Failure> {
    let Some(policy) = program.policy() else {
        return Ok(None);
    };
    let options = StudyOptions {
        policies: vec![policy.to_owned()],
        ..StudyOptions::default()
    };
    let shown = files::shown(file);
    let found = study(registry, &shown, set.clone(), &options, &mut |_| {
        std::ops::ControlFlow::Continue(())
    });
    let found = found.map_err(|error| Failure::lab(&shown, error))?;
    Ok(found.policies.into_iter().next())
}

/// The same for people.
pub(super) fn text(report: &PolicyReport) -> String {
    let mut text = format!(
        "\n{BOLD}Linked with {}{BOLD:#}  {}\n{}\n",
        report.policy,
        output::verdict(report.verdict.schedulable),
        words::verdict(&report.verdict)
    );
    let columns = ["THREAD", "BOUND", "SLACK"];
    let mut table = output::table(&columns, &columns[1..]);
    for task in &report.tasks {
        table.add_row([
            task.name.clone(),
            output::time_at_most(task.response_bound),
            output::time_at_least(task.slack),
        ]);
    }
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "{}{DIM}What the kernel takes, waiting for mutexes, and threads that do not say what they need are not in it: the program does not say that.{DIM:#}",
        table.render()
    );
    text
}
