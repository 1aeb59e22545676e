//! What was counted, for people: tables on the terminal, and all numbers as CSV.

use crate::output::{self, BOLD, DIM, Table};
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
        "\n{DIM}Instructions. CALL is the end of a job, RELEASE the timer's work for \
         one job, IPI the entry of a CPU that another one interrupted, TICK one at which nothing happens. \
         LOCK/S: how often locks between CPUs are taken in a second; CONTENDED: how \
         many of these times they were not free. {} entries into which another CPU's fell are not in the means.{DIM:#}",
        output::grouped(disturbed),
    );
    if per_cpu {
        let _ = writeln!(
            text,
            "{DIM}Below what all CPUs took is what each did, and how many times. The first CPU of a \
             cluster keeps its time: it makes all releases.{DIM:#}"
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
    let names = names.chain([""]).chain(COLUMNS.map(|(_, name)| name));
    let names: Vec<_> = names.chain(["LOCK/S", "CONTENDED"]).collect();
    let mut table = output::table(&names, &names).spare_all();
    for row in found.of(kind) {
        let counted = &row.counted;
        let locks = [
            output::grouped(per_second(found, counted.taken)),
            percent(counted.contended, counted.taken),
        ];
        let first = [row.threads.to_string()].into_iter();
        let first: Vec<_> = first.chain(per_cpu.then(|| "all".to_owned())).collect();
        let lengths = COLUMNS.map(|(quantity, _)| row.cost(quantity));
        lines(&mut table, &first, &lengths, &locks, &BOTH);
        let harts = row.harts.iter().enumerate().filter(|_| per_cpu);
        for (cpu, (counted, tick)) in harts {
            let first = [String::new(), cpu.to_string()];
            let lengths = COLUMNS.map(|(quantity, _)| row.cost_of(counted, *tick, quantity));
            // How often a lock is taken is known of the CPUs that share it.
            lines(&mut table, &first, &lengths, &[], &EACH);
        }
    }
    *text += &table.render();
}

/// What is said of lengths, by name.
type Said = (&'static str, fn(Lengths) -> Option<String>);

/// The mean and the most.
const BOTH: [Said; 2] = [
    ("mean", |lengths| {
        lengths.mean().map(|mean| format!("{mean:.0}"))
    }),
    ("most", |lengths| {
        lengths.mean().map(|_| lengths.most.to_string())
    }),
];

/// The same, and how often.
const EACH: [Said; 3] = [
    BOTH[0],
    BOTH[1],
    ("times", |lengths| {
        (lengths.count > 0).then(|| output::grouped(lengths.count))
    }),
];

/// A line for everything that is said of some lengths; what comes before and behind them stands in
/// the first one.
fn lines(table: &mut Table, first: &[String], lengths: &[Lengths], last: &[String], said: &[Said]) {
    for (line, (what, say)) in said.iter().enumerate() {
        let once = |cell: &String| match line {
            0 => cell.clone(),
            _ => String::new(),
        };
        let cells = lengths.iter();
        let cells = cells.map(|&lengths| say(lengths).unwrap_or_else(|| "–".into()));
        let row = first.iter().map(once).chain([(*what).to_owned()]);
        table.add_row(row.chain(cells).chain(last.iter().map(once)));
    }
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
    let columns = ["POLICY", "CPUS", "", "CALL", "TIMER", "INTERRUPT", "ALL"];
    let mut table = output::table(&columns, &columns[1..]).spare_all();
    for row in &found.locks {
        let first = [row.kind.name(), row.cpus.to_string()];
        let paths = row.counted.paths().map(|(_, entries)| entries.held);
        let all = row.counted.all(|entries| entries.held);
        let lengths: Vec<Lengths> = paths.into_iter().chain([all]).collect();
        lines(&mut table, &first, &lengths, &[], &BOTH);
    }
    *text += &table.render();
    let _ = writeln!(text, "{DIM}Instructions.{DIM:#}");
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
    let mut table = output::table(&names, &names[1..]).spare_all();
    for kind in found.plan.kinds() {
        for (cpus, lost) in found.waits(kind) {
            let cells = lost.map(|lost| format!("{:.6} %", lost * 100.0));
            table.add_row([kind.name(), cpus.to_string()].into_iter().chain(cells));
        }
    }
    *text += &table.render();
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
