//! Fixed priorities beside other kernels, and beside frameworks whose tasks share one stack.

use crate::costs::{ASLEEP, Figure, Policy, RELEASED};
use crate::peers::{OneStack, Peers};
use crate::tables::{CALLS, SOME_READY, Table, mean};
use crate::{Report, c};
use std::collections::BTreeMap;

/// Why the frameworks with one stack stand apart.
const NOTE: &str = "\
The ratio is to the best of the kernels with threads. `one stack` is an experiment with Flyball's policies
(docs/speed.md): threads that never wait in the middle. RTIC and Embassy have one stack and no threads: their tasks
run to the next await, so rows say what an application pays for the same effect. Their mutex is one that can wait,
without inheritance. Under a ceiling RTIC masks the interrupts of its users, Embassy masks all (a critical section),
and Flyball's row is a call of C programs (PTHREAD_PRIO_PROTECT).
";

/// Figures by the number of threads.
struct Numbered {
    name: &'static str,
    numbers: &'static [u32],
    own: fn(&Policy) -> &BTreeMap<u32, Figure>,
    threads: fn(&Peers) -> &BTreeMap<String, Vec<u32>>,
    one_stack: fn(&OneStack) -> &BTreeMap<String, u32>,
}

const NUMBERED: [Numbered; 3] = [
    Numbered {
        name: "released at once, to the first",
        numbers: &RELEASED,
        own: |policy| &policy.first,
        threads: |peers| &peers.first,
        one_stack: |peer| &peer.first,
    },
    Numbered {
        name: "released at once, until all sleep",
        numbers: &RELEASED,
        own: |policy| &policy.all,
        threads: |peers| &peers.all,
        one_stack: |peer| &peer.all,
    },
    Numbered {
        name: "periodic tick (if chosen), threads asleep",
        numbers: &ASLEEP,
        own: |policy| &policy.tick,
        threads: |peers| &peers.tick,
        one_stack: |peer| &peer.tick,
    },
];

/// The table.
pub(crate) fn table(report: &Report) -> String {
    let Report {
        costs, peers, c, ..
    } = report;
    let own = &costs.policies["fp"];
    let threads = peers.kernels.iter().map(String::as_str);
    let one_stack = one_stack(report);
    let names = one_stack.iter().map(|peer| peer.name.as_str());
    let columns = ["Flyball"].into_iter().chain(threads).chain(["ratio"]);
    let mut table = Table::new("FIXED PRIORITIES BESIDE OTHER KERNELS", columns).apart(names);
    let mut row = |name: &str, own, threads: &[f64], one_stack: Vec<Option<f64>>| {
        if !threads.is_empty() || one_stack.iter().any(Option::is_some) {
            let each = 0..peers.kernels.len();
            let threads: Vec<_> = each.map(|kernel| threads.get(kernel).copied()).collect();
            table.compare(name, own, &threads, &one_stack);
        }
    };
    let sums = |calls| one_stack.iter().map(|peer| peer.sum(calls)).collect();
    for (name, calls) in CALLS {
        row(
            name,
            own.sum(calls, SOME_READY),
            &peers.sum(calls),
            sums(calls),
        );
        if calls == ["lock", "unlock"] {
            let ceiling = sums(&["ceiling_lock", "ceiling_unlock"]);
            row(
                "… under an immediate ceiling",
                c.sum(&c::CEILING),
                &[],
                ceiling,
            );
        }
    }
    for numbered in NUMBERED {
        for &n in numbered.numbers {
            let key = n.to_string();
            let threads = (numbered.threads)(peers).get(&key).into_iter().flatten();
            let threads: Vec<f64> = threads.copied().map(f64::from).collect();
            let one =
                |peer: &OneStack| (numbered.one_stack)(peer).get(&key).copied().map(f64::from);
            let one_stack = one_stack.iter().copied().map(one).collect();
            let name = format!("{}: {n}", numbered.name);
            row(&name, mean((numbered.own)(own), n), &threads, one_stack);
        }
    }
    table.0 + NOTE
}

/// Rows of the table of RAM: what a task does, and how it is called in the file.
const TASKS: [(&str, &str); 6] = [
    ("never waits", "never_waits"),
    ("waits for a signal and a message", "waits"),
    ("sleeps periodically, 32-bit time", "sleeps_32"),
    ("sleeps periodically, 64-bit time", "sleeps"),
    ("sends without await", "tries_to_send"),
    ("sends with await", "sends"),
];

/// What has one stack: the experiment under fixed priorities, and the frameworks.
fn one_stack(report: &Report) -> Vec<&OneStack> {
    let own = report.one_stack.0.get("fp");
    own.into_iter().chain(&report.peers.one_stack).collect()
}

/// RAM of a task or thread, without stacks.
pub(crate) fn tasks(report: &Report) -> String {
    let peers = one_stack(report);
    let columns = peers.iter().map(|peer| peer.name.as_str());
    let mut table = Table::new("BYTES OF RAM A TASK, WITHOUT A STACK", columns);
    for (name, key) in TASKS {
        let figure = |peer: &&OneStack| peer.task.get(key).copied().map(f64::from);
        table.row(name, peers.iter().map(figure));
    }
    table.0
}
