//! Task sets as tables, one task a line, as spreadsheets and scripts write them.
//!
//! The format is described for users in `docs/task-set-format.md`. The first row names the columns;
//! only `period` and `wcet` have to be there. Reading takes time linear in the length of the text.

mod cell;
mod row;
mod write;

pub use write::to_csv;

use crate::check::{Draft, MOST_CPUS, MOST_TASKS, NICE, Names, too_many_tasks};
use crate::error::{Kind, ModelError};
use crate::groups::Groups;
use crate::hint;
use crate::source::{At, Source};
use crate::taskset::{Platform, TaskSet};
use crate::units::Unit;
use row::{Row, Rows};
use std::collections::BTreeMap;

/// The columns, in the order in which they are written.
const COLUMNS: &[&str] = &[
    "name",
    "period",
    "wcet",
    "bcet",
    "deadline",
    "phase",
    "jitter",
    "priority",
    "nice",
    "share",
    "importance",
    "cpu",
    "on_miss",
];

/// Those that hold times, and so may carry a unit in their names.
const TIMES: &[&str] = &["period", "wcet", "bcet", "deadline", "phase", "jitter"];

/// One column: what it holds, and the unit of its numbers if its name has one.
#[derive(Clone, Copy)]
struct Column {
    key: &'static str,
    unit: Option<Unit>,
}

/// Reads a task set and calls it `name`.
pub(crate) fn read(source: &Source<'_>, name: &str) -> Result<TaskSet, ModelError> {
    let mut rows = Rows::new(source);
    let Some(header) = rows.next(COLUMNS.len())? else {
        let error = ModelError::new(Kind::Missing, "there are no tasks").in_file(source.name);
        return Err(error.help("begin with the names of the columns, as in `name,period,wcet`"));
    };
    let columns = columns(source, &header)?;
    let mut set = TaskSet {
        name: name.to_owned(),
        ..TaskSet::default()
    };
    let mut names = Names::default();
    while let Some(row) = rows.next(columns.len())? {
        let index = set.tasks.len();
        if index == MOST_TASKS {
            return Err(too_many_tasks(source, &row.span));
        }
        let label = label(&columns, &row, index);
        let task = draft(source, &columns, row, index).and_then(|draft| {
            names.claim(source, &draft.name)?;
            draft.finish(source, MOST_CPUS)
        });
        set.tasks.push(task.map_err(|error| error.within(&label))?);
    }
    if set.tasks.is_empty() {
        let error = ModelError::new(Kind::Missing, "there are no tasks").in_file(source.name);
        return Err(error.help("add a row for each task below the names of the columns"));
    }
    set.platform = Platform {
        cpus: cpus(&set),
        ..Platform::default()
    };
    Ok(set)
}

/// As many CPUs as the tasks name, since no column says how many there are.
fn cpus(set: &TaskSet) -> u8 {
    set.tasks
        .iter()
        .filter_map(|task| task.cpu)
        .max()
        .map_or(1, |most| most + 1)
}

/// Reads the first row.
fn columns(source: &Source<'_>, header: &Row) -> Result<Vec<Column>, ModelError> {
    let mut columns: Vec<Column> = Vec::new();
    for cell in &header.cells {
        let column = column(source, cell)?;
        if columns.iter().any(|other| other.key == column.key) {
            let message = format!("there is a column `{}` already", column.key);
            let error = source.error(Kind::Duplicate, &cell.span, message);
            return Err(error.help("leave one of them out"));
        }
        columns.push(column);
    }
    for key in ["period", "wcet"] {
        if !columns.iter().any(|column| column.key == key) {
            let message = format!("there is no column `{key}`");
            let error = source.error(Kind::Missing, &header.span, message);
            return Err(error.help(format!(
                "add `{key}`, or `{key}_us` if it is in microseconds"
            )));
        }
    }
    Ok(columns)
}

fn column(source: &Source<'_>, cell: &At<String>) -> Result<Column, ModelError> {
    let name = cell.value.as_str();
    if let Some(&key) = COLUMNS.iter().find(|&&key| key == name) {
        return Ok(Column { key, unit: None });
    }
    if let Some((base, unit)) = name.rsplit_once('_')
        && let Some(&key) = TIMES.iter().find(|&&key| key == base)
    {
        let unit = Unit::named(unit);
        if unit.is_some() {
            return Ok(Column { key, unit });
        }
        let message = format!("unknown unit in column {}", hint::quoted(name));
        let error = source.error(Kind::UnknownKey, &cell.span, message);
        return Err(error.help("the units are ns, us, ms, s and min"));
    }
    let message = format!("unknown column {}", hint::quoted(name));
    let error = source.error(Kind::UnknownKey, &cell.span, message);
    Err(
        error.help(match name.chars().find(|sign| matches!(sign, ';' | '\t')) {
            Some(_) => "separate columns with commas".to_owned(),
            None => hint::did_you_mean(name, "the columns are", COLUMNS),
        }),
    )
}

/// What messages call the task of a row: its name, or else its number.
fn label(columns: &[Column], row: &Row, index: usize) -> String {
    let named = columns
        .iter()
        .zip(&row.cells)
        .find(|(column, _)| column.key == "name");
    match named {
        Some((_, cell)) if !cell.value.is_empty() => format!("task {}", hint::quoted(&cell.value)),
        _ => format!("task {}", index + 1),
    }
}

/// Reads one task.
fn draft(
    source: &Source<'_>,
    columns: &[Column],
    row: Row,
    index: usize,
) -> Result<Draft, ModelError> {
    let mut draft = Draft {
        name: At {
            value: format!("T{}", index + 1),
            span: row.span.clone(),
        },
        period: None,
        sporadic: None,
        gap: None,
        released_by: None,
        wcet: None,
        bcet: None,
        deadline: None,
        phase: None,
        jitter: None,
        priority: None,
        nice: None,
        share: None,
        reserve: None,
        importance: None,
        cpu: None,
        cpus: None,
        server: None,
        stalls: None,
        speed: None,
        groups: Groups::default(),
        on_miss: None,
        behaviour: None,
        policies: BTreeMap::new(),
        span: row.span.clone(),
    };
    if row.cells.len() < columns.len() {
        let (cells, columns) = (row.cells.len(), columns.len());
        let message = format!("the row ends after cell {cells} of {columns}");
        let end = row.span.end..row.span.end;
        let error = source.error(Kind::Missing, &end, message);
        return Err(error.help("a cell may be empty, but its comma has to be there"));
    }
    for (column, cell) in columns.iter().zip(row.cells) {
        if cell.value.is_empty() {
            if column.key == "period" || column.key == "wcet" {
                let error = source.error(Kind::Missing, &cell.span, "the cell is empty");
                return Err(error
                    .within(column.key)
                    .help("every task needs a period and a wcet"));
            }
            continue;
        }
        read_cell(source, *column, cell, &mut draft).map_err(|error| error.within(column.key))?;
    }
    Ok(draft)
}

fn read_cell(
    source: &Source<'_>,
    column: Column,
    cell: At<String>,
    draft: &mut Draft,
) -> Result<(), ModelError> {
    match column.key {
        "name" => draft.name = cell,
        "period" => draft.period = Some(cell::time(source, column.unit, &cell)?),
        "wcet" => draft.wcet = Some(cell::time(source, column.unit, &cell)?),
        "deadline" => draft.deadline = Some(cell::time(source, column.unit, &cell)?),
        "phase" => draft.phase = Some(cell::time(source, column.unit, &cell)?),
        "jitter" => draft.jitter = Some(cell::time(source, column.unit, &cell)?),
        "bcet" => draft.bcet = Some(cell::time(source, column.unit, &cell)?),
        "priority" => draft.priority = Some(cell::number(source, 0..=u8::MAX, &cell)?),
        "nice" => draft.nice = Some(cell::number(source, NICE, &cell)?),
        "share" => draft.share = Some(cell::share(source, &cell)?),
        "importance" => draft.importance = Some(cell::number(source, 0..=u16::MAX, &cell)?),
        "cpu" => draft.cpu = Some(cell::number(source, 0..=MOST_CPUS - 1, &cell)?),
        _ => draft.on_miss = Some(cell::on_miss(source, &cell)?),
    }
    Ok(())
}
