//! Reads and writes the operating points of a platform.

use super::table::{Node, Read, Table, expected, list, stalls, whole};
use crate::check::{MOST_CPUS, no_such_cpu};
use crate::error::{Kind, ModelError};
use crate::share::Share;
use crate::source::{At, Source};
use crate::speeds::{Frequency, MOST_SPEEDS, Power, Powers, Speeds};
use crate::taskset::Task;
use crate::units::{parse_duration, parse_with};
use core::fmt::{self, Display};
use flyball_trace::Duration;
use toml::de::DeValue;

const A_FREQUENCY: &str = "a frequency such as \"104MHz\" or \"1.5GHz\"";
const A_POWER: &str = "a power such as \"570mW\" or \"1.2W\"";
const A_TRANSITION: &str = "a time such as \"20us\", or a number of cycles such as \"1000 cycles\"";

/// Reads `[platform.speeds]`.
pub(super) fn speeds<'d>(source: &'d Source<'d>, node: &'d Node<'d>, cpus: u8) -> Read<Speeds> {
    let keys = &[
        "frequencies",
        "transition",
        "power",
        "stalled",
        "idle",
        "kernel_stalls",
        "clocks",
    ];
    let table = Table::open(source, node, keys)?;
    let what = "one for each operating point, rising";
    let frequencies = table.require("frequencies", what, frequencies)?.value;
    let count = frequencies.len();
    let transition = table.get("transition", |source, node| {
        transitions(source, node, &frequencies)
    })?;
    let free = || vec![vec![Duration::ZERO; count]; count];
    let transition = transition.map_or_else(free, |transition| transition.value);
    let power = all_powers(&table, count)?;
    let kernel = table.get("kernel_stalls", stalls)?;
    let kernel = kernel.map_or_else(Share::default, |kernel| kernel.value);
    let frequencies = frequencies.into_iter().map(|it| it.value).collect();
    let speeds = Speeds::new(frequencies, transition, power).ok_or_else(|| {
        source.error(
            Kind::Inconsistent,
            &node.span(),
            "these are no operating points",
        )
    })?;
    let clocks = table.get("clocks", |source, node| clocks(source, node, cpus))?;
    let clocks = clocks.map_or_else(Vec::new, |clocks| clocks.value);
    Ok(speeds.with_kernel_stalls(kernel).with_clocks(clocks))
}

/// Reads which CPUs share clocks: each is in one list at most.
fn clocks(source: &Source<'_>, node: &Node<'_>, cpus: u8) -> Read<Vec<Vec<u8>>> {
    let number = whole(0..=MOST_CPUS - 1);
    let mut clocks: Vec<Vec<u8>> = Vec::new();
    for clock in list(source, node)? {
        clocks.push(Vec::new());
        for item in list(source, clock)? {
            let (cpu, span) = (number(source, item)?, item.span());
            if cpu >= cpus {
                return Err(no_such_cpu(source, &At { value: cpu, span }, cpus));
            }
            if clocks.iter().flatten().any(|&other| other == cpu) {
                let message = format!("CPU {cpu} has a clock already");
                let error = source.error(Kind::Inconsistent, &span, message);
                return Err(error.help("write each CPU once: a list for each clock"));
            }
            if let Some(clock) = clocks.last_mut() {
                clock.push(cpu);
            }
        }
    }
    Ok(clocks)
}

/// Reads what power CPUs take, if the table says so.
fn all_powers(table: &Table<'_>, count: usize) -> Read<Option<Powers>> {
    let computing = table.get("power", |source, node| powers(source, node, count))?;
    let stalled = table.get("stalled", |source, node| powers(source, node, count))?;
    let idle = table.get("idle", power)?;
    if let Some(computing) = computing {
        return Ok(Some(Powers {
            stalled: stalled.map_or_else(|| computing.value.clone(), |stalled| stalled.value),
            computing: computing.value,
            idle: idle.map_or_else(Power::default, |idle| idle.value),
        }));
    }
    let stalled = stalled.map(|stalled| ("stalled", stalled.span));
    let Some((key, span)) = stalled.or(idle.map(|idle| ("idle", idle.span))) else {
        return Ok(None);
    };
    let message = format!("`{key}` without `power`");
    let error = table.source.error(Kind::Inconsistent, &span, message);
    let help = "add `power = […]`, what a CPU takes while it computes, at each point";
    Err(error.within(key).help(help))
}

/// Reads all frequencies.
fn frequencies(source: &Source<'_>, node: &Node<'_>) -> Read<Vec<At<Frequency>>> {
    let nodes = list(source, node)?;
    if nodes.is_empty() {
        let error = source.error(Kind::OutOfRange, &node.span(), "there are no frequencies");
        return Err(error.help("leave out `[platform.speeds]` where there is nothing to choose"));
    }
    if let Some(node) = nodes.get(MOST_SPEEDS) {
        let message = format!("there are more than {MOST_SPEEDS} operating points");
        let error = source.error(Kind::TooMany, &node.span(), message);
        return Err(error.help("leave some of them out"));
    }
    let mut frequencies: Vec<At<Frequency>> = Vec::new();
    for node in nodes {
        let value = frequency(source, node)?;
        if let Some(before) = frequencies.last().filter(|it| it.value >= value) {
            let message = format!(
                "{value} is not above {}, which stands before it",
                before.value
            );
            let error = source.error(Kind::Inconsistent, &node.span(), message);
            return Err(error.help("write frequencies in rising order, each once"));
        }
        frequencies.push(At {
            value,
            span: node.span(),
        });
    }
    Ok(frequencies)
}

fn frequency(source: &Source<'_>, node: &Node<'_>) -> Read<Frequency> {
    const UNITS: &[(&str, u64)] = &[
        ("Hz", 1),
        ("kHz", 1_000),
        ("MHz", 1_000_000),
        ("GHz", 1_000_000_000),
    ];
    let hertz = with_unit(source, node, A_FREQUENCY, UNITS)?;
    Frequency::hertz(hertz).ok_or_else(|| {
        let message = format!("a frequency is from 1Hz to {}", Frequency::MOST);
        source.error(Kind::OutOfRange, &node.span(), message)
    })
}

fn power(source: &Source<'_>, node: &Node<'_>) -> Read<Power> {
    const UNITS: &[(&str, u64)] = &[("uW", 1), ("\u{b5}W", 1), ("mW", 1_000), ("W", 1_000_000)];
    let microwatts = with_unit(source, node, A_POWER, UNITS)?;
    Power::microwatts(microwatts).ok_or_else(|| {
        let message = format!("a power is at most {}", Power::MOST);
        source.error(Kind::OutOfRange, &node.span(), message)
    })
}

/// Reads a number with one of these units.
fn with_unit(source: &Source<'_>, node: &Node<'_>, what: &str, units: &[(&str, u64)]) -> Read<u64> {
    let number = match node.get_ref() {
        DeValue::String(text) => parse_with(text, units),
        _ => None,
    };
    number.ok_or_else(|| {
        let units: Vec<&str> = units.iter().map(|unit| unit.0).collect();
        let units = crate::hint::list(&units, "and").replace('`', "");
        expected(source, node, what, node.get_ref()).help(format!("the units are {units}"))
    })
}

/// Reads a power for each point.
fn powers(source: &Source<'_>, node: &Node<'_>, count: usize) -> Read<Vec<Power>> {
    let nodes = list(source, node)?;
    same_number(source, node, nodes.len(), count, "powers")?;
    nodes.iter().map(|node| power(source, node)).collect()
}

/// Refuses a list of another length than that of the frequencies.
fn same_number(
    source: &Source<'_>,
    node: &Node<'_>,
    found: usize,
    count: usize,
    what: &str,
) -> Read<()> {
    if found == count {
        return Ok(());
    }
    let message = format!("there are {found} {what}, but {count} frequencies");
    let error = source.error(Kind::Inconsistent, &node.span(), message);
    Err(error.help("write one for each frequency, in their order"))
}

/// Reads what changes take: a table, or one length for all of them.
fn transitions(
    source: &Source<'_>,
    node: &Node<'_>,
    frequencies: &[At<Frequency>],
) -> Read<Vec<Vec<Duration>>> {
    let count = frequencies.len();
    let slower = |from: usize, to: usize| frequencies[from.min(to)].value;
    if node.get_ref().is_str() {
        let row = |from| {
            let cost = |to| {
                if from == to {
                    return Ok(Duration::ZERO);
                }
                transition(source, node, slower(from, to))
            };
            (0..count).map(cost).collect()
        };
        return (0..count).map(row).collect();
    }
    let rows = list(source, node)?;
    same_number(source, node, rows.len(), count, "rows")?;
    let row = |(from, row): (usize, &Node<'_>)| {
        let columns = list(source, row)?;
        same_number(source, row, columns.len(), count, "columns in this row")?;
        let cost = |(to, node): (usize, &Node<'_>)| {
            let cost = transition(source, node, slower(from, to))?;
            if from == to && !cost.is_zero() {
                let message = format!("to stay at point {from} takes no time");
                let error = source.error(Kind::Inconsistent, &node.span(), message);
                return Err(error.help("write \"0\" where the row's point is the column's"));
            }
            Ok(cost)
        };
        columns.iter().enumerate().map(cost).collect()
    };
    rows.iter().enumerate().map(row).collect()
}

/// Reads what one change takes: a time, or cycles of the slower one of both points.
fn transition(source: &Source<'_>, node: &Node<'_>, slower: Frequency) -> Read<Duration> {
    let wrong = || expected(source, node, A_TRANSITION, node.get_ref());
    let DeValue::String(text) = node.get_ref() else {
        return Err(wrong());
    };
    let cycles = parse_with(text, &[("cycles", 1)]).map(|cycles| slower.time_of(cycles));
    cycles
        .or_else(|| parse_duration(text).ok())
        .ok_or_else(wrong)
}

/// Refuses a task with a point that the platform does not have.
pub(super) fn check_task(
    table: &Table<'_>,
    task: &Task,
    speeds: Option<&Speeds>,
) -> Result<(), ModelError> {
    let (Some(speed), Some(span)) = (task.speed, table.key("speed")) else {
        return Ok(());
    };
    let count = speeds.map_or(0, Speeds::count);
    if speed.index() < count {
        return Ok(());
    }
    let (kind, message, help) = match count {
        0 => (
            Kind::Inconsistent,
            "the platform has no operating points".to_owned(),
            "add them, as in `[platform.speeds]` with `frequencies = [\"104MHz\", \"208MHz\"]`",
        ),
        _ => (
            Kind::OutOfRange,
            format!(
                "there is no operating point {}: they are 0 to {}",
                speed.0,
                count - 1
            ),
            "0 is the slowest one",
        ),
    };
    let error = table.source.error(kind, &span, message).within("speed");
    Err(error.help(help))
}

/// Writes `[platform.speeds]`, or that of another `parent`.
pub(super) fn write(f: &mut dyn fmt::Write, parent: &str, speeds: &Speeds) -> fmt::Result {
    writeln!(
        f,
        "\n[{parent}.speeds]\nfrequencies = {}",
        texts(speeds.frequencies())
    )?;
    let rows = speeds.transitions();
    if rows.iter().flatten().any(|cost| !cost.is_zero()) {
        writeln!(f, "transition = [")?;
        rows.iter()
            .try_for_each(|row| writeln!(f, "    {},", texts(row)))?;
        writeln!(f, "]")?;
    }
    if speeds.kernel_stalls() != Share::default() {
        writeln!(f, "kernel_stalls = {}", speeds.kernel_stalls())?;
    }
    if !speeds.clocks().is_empty() {
        writeln!(f, "clocks = {:?}", speeds.clocks())?;
    }
    let Some(power) = speeds.power() else {
        return Ok(());
    };
    writeln!(f, "power = {}", texts(&power.computing))?;
    if power.stalled != power.computing {
        writeln!(f, "stalled = {}", texts(&power.stalled))?;
    }
    if power.idle != Power::default() {
        writeln!(f, "idle = \"{}\"", power.idle)?;
    }
    Ok(())
}

/// A list of texts.
fn texts<T: Display>(items: &[T]) -> String {
    let items: Vec<String> = items.iter().map(|item| format!("\"{item}\"")).collect();
    format!("[{}]", items.join(", "))
}
