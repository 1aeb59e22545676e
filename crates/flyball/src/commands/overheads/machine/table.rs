//! What was counted, for people: tables on the terminal, and all numbers as CSV.

use crate::output::{self, BOLD, DIM};
use flyball_board::Machine;
use flyball_measure::instructions::{
    Counted, InstructionCounts, Kind, Lengths, Quantity, Row, THINK,
};
use std::fmt::Write;

const COLUMNS: [(Quantity, &str); 6] = [
    (Quantity::Switch, "SWITCH"),
    (Quantity::Decision, "DECISION"),
    (Quantity::Release, "RELEASE"),
    (Quantity::Call, "CALL"),
    (Quantity::Interrupt, "IPI"),
    (Quantity::Tick, "TICK"),
];

/// Everything that fits on a terminal.
///
/// `per_cpu`: below what all CPUs took is what each did.
pub(super) fn summary(
    machine: Machine,
    found: &InstructionCounts,
    per_cpu: bool,
    written: &[String],
) -> String {
    let plan = &found.plan;
    let mut text = format!("{BOLD}{}{BOLD:#}", machine.title());
    // Writing to a string cannot fail, here and below.
    let _ = writeln!(
        text,
        "\n{DIM}{} CPUs · {} of random periodic tasks each · seed {}{DIM:#}",
        plan.cpus, plan.until, plan.seed
    );
    for kind in plan.kinds() {
        costs(&mut text, found, kind, per_cpu);
    }
    let disturbed: u64 = found.rows.iter().map(|row| row.counted.disturbed).sum();
    let _ = writeln!(
        text,
        "\n{DIM}Instructions: the mean, and the most. CALL is the end of a job, RELEASE the timer's work for \
         one job, IPI the entry of a CPU that another one interrupted, TICK one at which nothing happens. \
         LOCK/S: how often locks between CPUs are taken in a second; CONTENDED: how \
         many of these times they were not free. {} entries into which another CPU's fell are not in the means.{DIM:#}",
        output::grouped(disturbed),
    );
    if per_cpu {
        let _ = writeln!(
            text,
            "{DIM}Below what all CPUs took is what each did, and how often (×). The first CPU of a cluster \
             keeps its time: it makes all releases.{DIM:#}"
        );
    }
    locks(&mut text, found);
    waits(&mut text, found);
    for file in written {
        let _ = writeln!(text, "Written: {file}");
    }
    text
}

/// One policy.
fn costs(text: &mut String, found: &InstructionCounts, kind: Kind, per_cpu: bool) {
    let cluster = kind
        .cluster
        .map(|cpus| format!(", {cpus} CPUs in a cluster"));
    let cluster = cluster.unwrap_or_default();
    let _ = writeln!(text, "\n{BOLD}{}{cluster}{BOLD:#}", kind.name());
    let names = ["THREADS"].into_iter().chain(per_cpu.then_some("CPU"));
    let names = names.chain(COLUMNS.map(|(_, name)| name));
    let names: Vec<_> = names.chain(["LOCK/S", "CONTENDED"]).collect();
    let mut table = output::table(&names, &names);
    for row in found.of(kind) {
        let mut cells = vec![row.threads.to_string()];
        cells.extend(per_cpu.then(|| "all".to_owned()));
        cells.extend(COLUMNS.map(|(quantity, _)| both(row.cost(quantity))));
        let counted = &row.counted;
        cells.push(output::grouped(per_second(found, counted.taken)));
        cells.push(percent(counted.contended, counted.taken));
        table.add_row(cells);
        if per_cpu {
            for (cpu, (counted, tick)) in row.harts.iter().enumerate() {
                let mut cells = vec![String::new(), cpu.to_string()];
                let cost = |quantity| row.cost_of(counted, *tick, quantity);
                cells.extend(COLUMNS.map(|(quantity, _)| thrice(cost(quantity))));
                // How often a lock is taken is known of the CPUs that share it.
                cells.extend([String::new(), String::new()]);
                table.add_row(cells);
            }
        }
    }
    *text += &output::render(&table);
}

/// How often that is in a second.
fn per_second(found: &InstructionCounts, count: u64) -> u64 {
    let until = u128::from(found.plan.until.as_nanos().max(1));
    u64::try_from(u128::from(count) * 1_000_000_000 / until).unwrap_or(u64::MAX)
}

#[expect(clippy::cast_precision_loss, reason = "some thousands")]
fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        "–".into()
    } else {
        format!("{:.2} %", part as f64 * 100.0 / whole as f64)
    }
}

fn both(lengths: Lengths) -> String {
    match lengths.mean() {
        Some(mean) => format!("{mean:.0} {}", lengths.most),
        None => "–".into(),
    }
}

/// The same, and how often.
fn thrice(lengths: Lengths) -> String {
    match lengths.count {
        0 => "–".into(),
        count => format!("{} ×{}", both(lengths), output::grouped(count)),
    }
}

/// How long locks are held.
fn locks(text: &mut String, found: &InstructionCounts) {
    if found.locks.is_empty() {
        return;
    }
    let threads = found.plan.threads_at_locks();
    let _ = writeln!(
        text,
        "\n{BOLD}With the lock held, {threads} threads{BOLD:#}"
    );
    let columns = ["POLICY", "CPUS", "CALL", "TIMER", "INTERRUPT", "ALL"];
    let mut table = output::table(&columns, &columns[1..]);
    for row in &found.locks {
        let mut cells = vec![row.kind.name(), row.cpus.to_string()];
        let paths = row.counted.paths();
        cells.extend(paths.map(|(_, entries)| both(entries.held)));
        cells.push(both(row.counted.all(|entries| entries.held)));
        table.add_row(cells);
    }
    *text += &output::render(&table);
    let _ = writeln!(text, "{DIM}Instructions: the mean, and the most.{DIM:#}");
}

/// How much time is lost in waiting for it.
fn waits(text: &mut String, found: &InstructionCounts) {
    if found.locks.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n{BOLD}Time lost in waiting for the lock{BOLD:#}");
    let thinks = THINK.map(|think| think.to_string());
    let names: Vec<_> = ["POLICY", "CPUS"]
        .into_iter()
        .chain(thinks.iter().map(String::as_str))
        .collect();
    let mut table = output::table(&names, &names[1..]);
    for kind in found.plan.kinds() {
        for (cpus, lost) in found.waits(kind) {
            let cells = lost.map(|lost| format!("{:.6} %", lost * 100.0));
            table.add_row([kind.name(), cpus.to_string()].into_iter().chain(cells));
        }
    }
    *text += &output::render(&table);
    let _ = writeln!(
        text,
        "{DIM}By mean value analysis: each CPU computes for so long between two entries, an instruction is \
         a nanosecond. Policies that share no lock lose nothing.{DIM:#}"
    );
}

/// All numbers, one row for each length: of all CPUs (`cpu` is empty), and of each.
pub(super) fn csv(found: &InstructionCounts) -> String {
    let mut csv = String::from("policy,cluster,cpus,threads,cpu,by,part,count,mean,most\n");
    for row in found.rows.iter().chain(&found.locks) {
        let mut line = |cpu: &str, by: &str, part: &str, lengths: Lengths| {
            let mean = lengths.mean().map(|mean| format!("{mean:.3}"));
            let _ = writeln!(
                csv,
                "{},{},{},{},{cpu},{by},{part},{},{},{}",
                row.kind.name(),
                row.kind.cluster(row.cpus),
                row.cpus,
                row.threads,
                lengths.count,
                mean.unwrap_or_default(),
                lengths.most,
            );
        };
        for (by, part, lengths) in lengths(&row.counted, row.tick).chain(of_clusters(row)) {
            line("", by, part, lengths);
        }
        for (cpu, (counted, tick)) in row.harts.iter().enumerate() {
            for (by, part, lengths) in lengths(counted, *tick) {
                line(&cpu.to_string(), by, part, lengths);
            }
        }
    }
    csv
}

/// By what begins an entry, what is done, and how long that takes.
type Part = (&'static str, &'static str, Lengths);

/// What each CPU counts, or all together.
fn lengths(counted: &Counted, tick: Lengths) -> impl Iterator<Item = Part> {
    let mut all = Vec::new();
    for (by, entries) in counted.paths() {
        all.extend([
            (by, "lock", entries.lock),
            (by, "work", entries.work),
            (by, "decide", entries.decide),
            (by, "tell", entries.tell),
            (by, "switch", entries.switch),
            (by, "held", entries.held),
        ]);
    }
    all.extend([
        ("timer", "one", counted.one),
        ("timer", "tick", tick),
        ("timer", "served", number(counted.served)),
        ("entries", "disturbed", number(counted.disturbed)),
    ]);
    all.into_iter()
}

/// What CPUs that share a kernel have counted together.
fn of_clusters(row: &Row) -> [Part; 4] {
    let counted = &row.counted;
    [
        ("lock", "taken", number(counted.taken)),
        ("lock", "contended", number(counted.contended)),
        ("interrupts", "rung", number(counted.rung)),
        ("interrupts", "spared", number(counted.spared)),
    ]
}

fn number(count: u64) -> Lengths {
    Lengths {
        count,
        ..Lengths::default()
    }
}
