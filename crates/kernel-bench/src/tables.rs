//! The tables, as text.

use crate::costs::{
    ALL_CHOICES, ASLEEP, BUDGETS, CHOICES, CONTROLLERS, Figure, POLICIES, Policy, QUEUED, QUEUES,
    READY, RELEASED, some_ready,
};
use crate::metric::TESTS;
use crate::{NOTE, Report, beside, c, one_stack};
use std::collections::BTreeMap;
use std::fmt::Write;

/// What is measured, and of which figures it is the sum.
pub(crate) const CALLS: [(&str, &[&str]); 14] = [
    ("yield, a switch", &["yield"]),
    ("signal, and a higher thread runs", &["signal_wakes"]),
    ("it waits again, and the signaller runs", &["wait_blocks"]),
    ("both", &["signal_wakes", "wait_blocks"]),
    ("signal and take, no thread waits", &["signal", "take"]),
    ("lock and unlock, no thread waits", &["lock", "unlock"]),
    ("send and receive, no thread waits", &["send", "receive"]),
    ("send, and a higher receiver runs", &["send_wakes"]),
    (
        "it receives again, and the sender runs",
        &["receive_blocks"],
    ),
    ("interrupt to its handler", &["interrupt_handler"]),
    ("interrupt to the thread it wakes", &["interrupt_wakes"]),
    (
        "decision alone: one blocks, the next runs",
        &["decision_blocks"],
    ),
    ("decision alone: one becomes ready", &["decision_ready"]),
    (
        "decision alone: both",
        &["decision_blocks", "decision_ready"],
    ),
];

/// The number of ready threads for tables in which it is not told apart.
pub(crate) const SOME_READY: u32 = READY[2];
/// Width of the first column, and of the others.
const NAME: usize = 44;
const WIDTH: usize = 9;

/// Between columns that are compared and others.
const APART: &str = "  |";

/// Lines of names and columns.
pub(crate) struct Table(pub(crate) String);

impl Table {
    pub(crate) fn new(title: &str, columns: impl IntoIterator<Item = impl AsRef<str>>) -> Table {
        let mut table = Table(format!("\n{title:<NAME$}"));
        for column in columns {
            table.cell(column.as_ref());
        }
        table.0.push('\n');
        table
    }

    /// The same with more columns, set apart.
    pub(crate) fn apart(mut self, columns: impl IntoIterator<Item = impl AsRef<str>>) -> Table {
        self.0.pop();
        self.0.push_str(APART);
        for column in columns {
            self.cell(column.as_ref());
        }
        self.0.push('\n');
        self
    }

    fn cell(&mut self, text: &str) {
        // Writing to a string does not fail.
        let _ = write!(self.0, " {text:>WIDTH$}");
    }

    pub(crate) fn row(&mut self, name: &str, cells: impl IntoIterator<Item = Option<f64>>) {
        self.row_apart(name, cells, &[]);
    }

    /// A row, and then what is set apart.
    fn row_apart(
        &mut self,
        name: &str,
        cells: impl IntoIterator<Item = Option<f64>>,
        apart: &[Option<f64>],
    ) {
        let _ = write!(self.0, "{name:<NAME$}");
        for value in cells {
            self.value(value);
        }
        self.end(apart);
    }

    fn value(&mut self, value: Option<f64>) {
        self.cell(&value.map_or("–".to_owned(), number));
    }

    fn end(&mut self, apart: &[Option<f64>]) {
        if !apart.is_empty() {
            self.0.push_str(APART);
        }
        for &value in apart {
            self.value(value);
        }
        self.0.push('\n');
    }

    /// A row that ends with the ratio to the best of the peers, and then has what is no such peer, set apart.
    pub(crate) fn compare(
        &mut self,
        name: &str,
        own: Option<f64>,
        peers: &[Option<f64>],
        apart: &[Option<f64>],
    ) {
        let _ = write!(self.0, "{name:<NAME$}");
        for &value in [own].iter().chain(peers) {
            self.value(value);
        }
        let best = peers.iter().copied().flatten().reduce(f64::min);
        let ratio = own
            .zip(best)
            .map(|(own, best)| format!("{:.2}", own / best));
        self.cell(&ratio.unwrap_or_else(|| "–".to_owned()));
        self.end(apart);
    }
}

/// Whole numbers as such, others with two digits.
fn number(value: f64) -> String {
    if (value - value.round()).abs() < 0.005 {
        format!("{value:.0}")
    } else {
        format!("{value:.2}")
    }
}

impl Policy {
    pub(crate) fn sum(&self, calls: &[&str], ready: u32) -> Option<f64> {
        let one = |&call: &&str| Some(self.calls.get(call)?.get(&ready)?.mean);
        calls.iter().map(one).sum()
    }
}

pub(crate) fn mean(figures: &BTreeMap<u32, Figure>, n: u32) -> Option<f64> {
    Some(figures.get(&n)?.mean)
}

/// Everything.
pub(crate) fn all(report: &Report) -> String {
    let mut text = format!("{NOTE}\n");
    text += &beside::table(report);
    text += &one_stack::table(report);
    text += &thread_metric(report);
    for policy in POLICIES {
        text += &policy_by_threads(policy, &report.costs.policies[policy]);
    }
    text += &queues(report);
    text += &budgets(report);
    text += &controllers(report);
    text += &choices(report);
    text += &chosen(report);
    text += &sizes(report);
    text + &c::table(report)
}

fn thread_metric(report: &Report) -> String {
    let Report {
        thread_metric,
        peers,
        ..
    } = report;
    let peers = &peers.thread_metric;
    let names = peers.kernels.iter().map(String::as_str);
    let columns = ["Flyball"]
        .into_iter()
        .chain(names)
        .chain(["ratio", "defaults"]);
    let mut table = Table::new("THREAD-METRIC, INSTRUCTIONS A COUNT", columns);
    for test in TESTS {
        table.compare(
            test,
            thread_metric.lean.get(test).copied(),
            &peers
                .instructions(test)
                .into_iter()
                .map(Some)
                .collect::<Vec<_>>(),
            &[],
        );
        // What it takes with everything on comes behind the ratio.
        table.0.pop();
        table.cell(
            &thread_metric
                .defaults
                .get(test)
                .copied()
                .map_or_else(String::new, number),
        );
        table.0.push('\n');
    }
    table.0
}

fn policy_by_threads(name: &str, policy: &Policy) -> String {
    let title = format!("POLICY {name}, LESS URGENT THREADS READY");
    let mut table = Table::new(&title, READY.map(|n| n.to_string()));
    for (name, calls) in CALLS {
        table.row(name, READY.map(|n| policy.sum(calls, n)));
    }
    let adjust = |n| Some(f64::from(policy.calls.get("adjust")?.get(&n)?.worst));
    table.row("a task gets other parameters, at most", READY.map(adjust));
    let mut table = table.0;
    let mut released = Table::new(
        "  threads released at once",
        RELEASED.map(|n| n.to_string()),
    );
    released.row(
        "timer's interrupt to the first",
        RELEASED.map(|n| mean(&policy.first, n)),
    );
    released.row(
        "until all have run and sleep again",
        RELEASED.map(|n| mean(&policy.all, n)),
    );
    table += released.0.trim_start_matches('\n');
    let mut tick = Table::new("  threads asleep", ASLEEP.map(|n| n.to_string()));
    tick.row(
        "a tick with nothing to do: tickless",
        ASLEEP.map(|_| Some(0.0)),
    );
    tick.row(
        "… with a periodic tick",
        ASLEEP.map(|n| mean(&policy.tick, n)),
    );
    table + tick.0.trim_start_matches('\n')
}

fn queues(report: &Report) -> String {
    let title = "QUEUES OF DEADLINES, TASKS IN THEM";
    let mut table = Table::new(title, QUEUED.map(|n| n.to_string()));
    for queue in QUEUES {
        for (name, what) in [("the first leaves", "take"), ("it comes again", "put")] {
            let figures = &report.costs.queues[queue][what];
            let name = format!("{queue}: {name}");
            table.row(&name, QUEUED.map(|n| mean(figures, n)));
            let worst = |n| figures.get(&n).map(|figure| f64::from(figure.worst));
            table.row("  at most", QUEUED.map(worst));
        }
    }
    table.0
}

fn budgets(report: &Report) -> String {
    let title = "CONSTANT BANDWIDTH SERVERS";
    let mut table = Table::new(title, READY.map(|n| n.to_string()));
    for kind in BUDGETS {
        for (name, figures) in &report.costs.budgets[kind] {
            let name = format!("{kind}: a budget {name}, at most");
            let worst = |n| figures.get(&n).map(|figure| f64::from(figure.worst));
            table.row(&name, READY.map(worst));
        }
    }
    table.0
}

fn controllers(report: &Report) -> String {
    let title = "CONTROLLERS OF RESERVATIONS, BY THE NUMBER OF TASKS";
    let mut table = Table::new(title, READY.map(|n| n.to_string()));
    for name in CONTROLLERS {
        let figures = &report.costs.controllers[name];
        let run = &figures["control"];
        table.row(&format!("{name}: one run"), READY.map(|n| mean(run, n)));
        let each = |n| mean(run, n).map(|all| all / f64::from(n));
        table.row("  for each task", READY.map(each));
        let message = &figures["message"];
        table.row("  a message", READY.map(|n| mean(message, n)));
    }
    table.0
}

fn choices(report: &Report) -> String {
    let costs = &report.costs;
    let all = || {
        let lean = [&costs.policies["fp"]];
        lean.into_iter()
            .chain(CHOICES.map(|choice| &costs.choices[choice]))
    };
    let columns = ["none"].into_iter().chain(CHOICES);
    let mut table = Table::new("FIXED PRIORITIES, WHAT A CHOICE COSTS", columns);
    for (name, calls) in CALLS {
        table.row(name, all().map(|policy| policy.sum(calls, SOME_READY)));
    }
    for n in RELEASED {
        let name = format!("released at once, to the first: {n}");
        table.row(&name, all().map(|policy| mean(&policy.first, n)));
    }
    for n in RELEASED {
        let name = format!("released at once, until all sleep: {n}");
        table.row(&name, all().map(|policy| mean(&policy.all, n)));
    }
    table.0
}

/// Rows of [`CALLS`] that say enough of what a choice costs under each policy.
const FEW: [usize; 7] = [0, 1, 2, 10, 7, 4, 6];

/// Every policy, by what is chosen, beside the best of the kernels with threads, and the frameworks with one stack.
fn chosen(report: &Report) -> String {
    let Report { costs, peers, .. } = report;
    let nothing = ("nothing", &costs.policies);
    let chosen = ALL_CHOICES.map(|(name, _)| (name, &costs.chosen[name]));
    let frameworks = peers.one_stack.iter().map(|peer| peer.name.as_str());
    let columns: Vec<_> = ["best peer"].into_iter().chain(frameworks).collect();
    let mut text = String::new();
    for (choice, policies) in [nothing].into_iter().chain(chosen) {
        let choice = choice.replace("both", "accounting, traced");
        let title = format!("EACH POLICY, CHOSEN: {choice}");
        let mut table = Table::new(&title, POLICIES).apart(&columns);
        for (name, calls) in FEW.map(|row| CALLS[row]) {
            let own = POLICIES.map(|policy| policies[policy].sum(calls, some_ready(policy)));
            let best = peers.sum(calls).into_iter().reduce(f64::min);
            let others = peers.one_stack.iter().map(|peer| peer.sum(calls));
            let apart: Vec<_> = [best].into_iter().chain(others).collect();
            table.row_apart(name, own, &apart);
        }
        text += &table.0;
    }
    text
}

fn sizes(report: &Report) -> String {
    let columns = ["code", "RAM", "a thread"];
    let mut table = Table::new("BYTES OF A MINIMAL IMAGE", columns);
    for (policy, size) in &report.sizes.0 {
        let bytes = [size.code, size.ram, size.ram_per_thread];
        let cells = bytes.map(|bytes| u32::try_from(bytes).ok().map(f64::from));
        table.row(&format!("{policy}, with boot, faults and vectors"), cells);
    }
    let peers = &report.peers.sizes;
    for (kernel, &bytes) in peers.kernels.iter().zip(&peers.bytes) {
        table.row(
            &format!("{kernel}, see the file"),
            [Some(f64::from(bytes)), None, None],
        );
    }
    for peer in &report.peers.one_stack {
        let bytes = peer.bytes.into_iter().flatten().map(f64::from);
        let cells = bytes.map(Some).chain([None]);
        table.row(&format!("{}, RAM without its stack", peer.name), cells);
    }
    table.0 + &beside::tasks(report)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_apart_is_behind_a_line_in_each_row() {
        let mut table = Table::new("title", ["own", "peer", "ratio"]).apart(["other"]);
        table.row_apart("row", [Some(1.0), None, None], &[Some(2.5)]);
        table.compare("compared", Some(2.0), &[Some(4.0)], &[None]);
        let lines: Vec<_> = table.0.trim_start().lines().collect();
        let columns = |line: &str| {
            line.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        assert_eq!(columns(lines[1]), ["row", "1", "–", "–", "|", "2.50"]);
        assert_eq!(columns(lines[2]), ["compared", "2", "4", "0.50", "|", "–"]);
        let place = |line: &&str| line.chars().position(|letter| letter == '|');
        assert!(lines.iter().all(|line| place(line) == place(&lines[0])));
    }
}
