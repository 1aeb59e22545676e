//! `flyball overheads --counters`: what counters say of a program that waits for memory, and of one that computes.

use super::cachegrind;
use crate::failure::Failure;
use crate::files;
use crate::output::{self, DIM};
use flyball_catalogue::LATENCY;
use flyball_json::counters::{Counters, Counting, Generator as Row};
use flyball_measure::overheads::{Generator, counters};
use flyball_model::{Frequency, Speeds};
use flyball_policy::Counts;
use flyball_policy::cruise::Domains;
use std::path::Path;
use std::process::ExitCode;

/// At which loss a frequency is enough, in millionths.
const LOSS: u32 = 100_000;

pub(super) fn run(file: Option<&Path>, json: bool, quiet: bool) -> Result<ExitCode, Failure> {
    let speeds = file.map(|file| speeds(file, quiet)).transpose()?;
    let found = count(speeds.as_ref())?;
    if json {
        output::print_json(&found)?;
    } else {
        output::print(&table(&found))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The operating points that a file names.
fn speeds(file: &Path, quiet: bool) -> Result<Speeds, Failure> {
    let set = files::read_set(file, quiet)?;
    set.platform.speeds.ok_or_else(|| Failure::File {
        path: file.into(),
        what: "it names no frequencies".into(),
        help: Some("add [platform.speeds] with `frequencies`, or leave the file out".into()),
    })
}

fn count(speeds: Option<&Speeds>) -> Result<Counters, Failure> {
    let mut no_counters = None;
    let mut rows = Vec::new();
    for generator in [Generator::Memory, Generator::Computation] {
        let counted = counters::count(|| {
            std::hint::black_box(generator.run());
        });
        rows.push(match counted {
            Ok(counted) => {
                let counted = (counted.instructions, counted.requests, counted.cycles);
                row(generator, counted, None, speeds)
            }
            Err(why) => {
                let counts = cachegrind::count(generator, &why)?;
                no_counters = Some(why);
                let cycles = counts.instructions + 10 * counts.first_misses + 100 * counts.requests;
                let counted = (counts.instructions, counts.requests, cycles);
                row(generator, counted, Some(counts.first_misses), speeds)
            }
        });
    }
    Ok(Counters {
        schema: flyball_json::SCHEMA,
        counted_by: match no_counters {
            None => Counting::Processor,
            Some(_) => Counting::Cachegrind,
        },
        no_counters,
        latency_cycles: LATENCY,
        generators: rows,
    })
}

/// What instructions, requests and cycles say of a program.
fn row(
    generator: Generator,
    (instructions, requests, cycles): (u64, u64, u64),
    first_misses: Option<u64>,
    speeds: Option<&Speeds>,
) -> Row {
    #[expect(clippy::cast_precision_loss, reason = "for people, and far below 2^53")]
    let per_cycle = |events: u64| events as f64 / cycles.max(1) as f64;
    Row {
        name: generator.name().to_owned(),
        instructions,
        first_misses,
        requests,
        cycles,
        cycles_are_estimated: first_misses.is_some(),
        requests_per_cycle: per_cycle(requests),
        instructions_per_cycle: per_cycle(instructions),
        is_memory_bound: requests.saturating_mul(LATENCY.into()) >= instructions,
        lowest_frequency_hertz: speeds
            .and_then(|speeds| lowest(speeds, instructions, requests, cycles)),
    }
}

/// The lowest frequency that is enough, as the policy `cruise` finds it.
fn lowest(speeds: &Speeds, instructions: u64, requests: u64, cycles: u64) -> Option<u64> {
    let hertz: Vec<u64> = speeds
        .frequencies()
        .iter()
        .map(|it| it.as_hertz())
        .collect();
    let domains = Domains::new(&hertz, u16::try_from(LATENCY).ok()?, LOSS)?;
    // A reading has 32 bits, and rates are all that matters.
    let most = cycles.max(instructions).max(requests);
    let shift = (u64::BITS - most.leading_zeros()).saturating_sub(31);
    // Shifted so far that it has 31 bits at most.
    let part = |events: u64| u32::try_from(events >> shift).unwrap_or(u32::MAX);
    let counts = Counts {
        cycles: part(cycles),
        instructions: part(instructions),
        data: part(requests),
        data_misses: part(requests),
        code_misses: 0,
    };
    let computing = domains.computing(&counts)?;
    hertz.get(domains.slowest(computing).index()).copied()
}

fn table(found: &Counters) -> String {
    let by = match &found.no_counters {
        None => "Counted by this processor".to_owned(),
        Some(why) => format!(
            "{why}: counted by cachegrind. Cycles are estimated as instructions + 10 · first misses + 100 · \
             requests"
        ),
    };
    let columns = [
        "PROGRAM",
        "INSTRUCTIONS",
        "FIRST MISSES",
        "REQUESTS",
        "CYCLES",
        "REQ./CYCLE",
        "INSTR./CYCLE",
        "IT IS",
        "ENOUGH FOR 10 %",
    ];
    let mut table = output::table(&columns, &columns[1..7]).spare(&["FIRST MISSES", "CYCLES"]);
    for row in &found.generators {
        let kind = if row.is_memory_bound {
            "memory-bound"
        } else {
            "computing"
        };
        let enough = row.lowest_frequency_hertz.and_then(Frequency::hertz);
        table.add_row([
            row.name.clone(),
            output::grouped(row.instructions),
            row.first_misses.map_or("–".into(), output::grouped),
            output::grouped(row.requests),
            output::grouped(row.cycles),
            format!("{:.5}", row.requests_per_cycle),
            format!("{:.3}", row.instructions_per_cycle),
            kind.to_owned(),
            enough.map_or_else(|| "–".into(), |frequency| frequency.to_string()),
        ]);
    }
    format!("{}{DIM}{by}.{DIM:#}\n", table.render())
}
