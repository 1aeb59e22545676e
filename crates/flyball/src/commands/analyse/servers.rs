//! Of the servers of a task set: what each holds, and which budget it needs.

use crate::output::{self, BOLD, DIM};
use flyball_analysis::Utilisation;
use flyball_analysis::supply::Least;
use flyball_model::TaskSet;
use flyball_report::words;
use flyball_study::budgets::{Budgets, ForServer};
use flyball_trace::Duration;
use std::cmp::Ordering;
use std::fmt::Write as _;

/// A table of servers with what each CPU has left, one of their tasks, and one of budgets; nothing for a set
/// that declares none.
pub(super) fn text(set: &TaskSet, found: &Budgets) -> String {
    let mut text = String::new();
    if set.servers.is_empty() {
        return text;
    }
    let _ = writeln!(
        text,
        "\n{BOLD}Servers{BOLD:#} {DIM}by constant bandwidth: `cbs`{DIM:#}"
    );
    let mut table = output::table(
        &["SERVER", "BUDGET", "PERIOD", "DEADLINE", "ASKS FOR"],
        &["BUDGET", "PERIOD", "DEADLINE", "ASKS FOR"],
    );
    for it in &found.servers {
        let server = &set.servers[it.server];
        table.add_row([
            server.name.clone(),
            server.budget.to_string(),
            server.period.to_string(),
            server.deadline.to_string(),
            it.asked.to_string(),
        ]);
    }
    text += &table.render();
    for (cpu, asked) in found.asked.iter().enumerate() {
        text += &left(cpu, found.asked.len(), asked);
    }
    for it in found.servers.iter().filter(|it| it.cpu.is_none()) {
        let name = &set.servers[it.server].name;
        let _ = writeln!(
            text,
            "\"{name}\" is on no CPU yet: say which with its key `cpu`."
        );
    }
    if let Some(why) = &found.uncovered {
        let _ = writeln!(text, "Nothing is known of tasks. {}.", words::obstacle(why));
    }
    tasks(&mut text, set, found);
    needs(&mut text, set, found);
    text
}

/// What servers leave of a CPU.
fn left(cpu: usize, cpus: usize, asked: &Utilisation) -> String {
    const ALL: u64 = 1_000_000;
    let which = if cpus == 1 {
        "the CPU".to_owned()
    } else {
        format!("CPU {cpu}")
    };
    let ppm = asked.parts_per_million();
    let shown = |ppm: u64| {
        let parts = (ppm + 50) / 100;
        format!("{}.{:04}", parts / 10_000, parts % 10_000)
    };
    if asked.cmp_one() == Ordering::Greater {
        let much = shown(ppm.saturating_sub(ALL));
        format!(
            "Together they ask for {asked} of {which}, {much} too much: none is sure to have its budget.\n"
        )
    } else {
        format!(
            "Together they ask for {asked} of {which}; {} is left.\n",
            shown(ALL.saturating_sub(ppm))
        )
    }
}

fn tasks(text: &mut String, set: &TaskSet, found: &Budgets) {
    let columns = ["TASK", "SERVER", "WCET", "DEADLINE", "BOUND"];
    let mut table = output::table(&columns, &["WCET", "DEADLINE", "BOUND"]);
    for it in &found.servers {
        let server = &set.servers[it.server].name;
        for &(task, bound) in &it.tasks {
            let task = &set.tasks[task];
            table.add_row([
                task.name.clone(),
                server.clone(),
                task.wcet.to_string(),
                output::time(task.deadline),
                output::time_at_most(bound),
            ]);
        }
    }
    let _ = write!(text, "\n{}", table.render());
    let _ = writeln!(
        text,
        "{DIM}Bound: no job takes longer, whatever the tasks of other servers do, and those that have none.{DIM:#}"
    );
    for it in found.servers.iter().filter(|it| !it.free.is_empty()) {
        let names: Vec<_> = it.free.iter().map(|&it| &*set.tasks[it].name).collect();
        let _ = writeln!(
            text,
            "{DIM}Nothing is known of the tasks of \"{}\", as \"{}\" may compute for as long as it likes.{DIM:#}",
            set.servers[it.server].name,
            names.join("\", \"")
        );
    }
}

fn needs(text: &mut String, set: &TaskSet, found: &Budgets) {
    let needs = |it: &&ForServer| !it.needs.is_empty();
    if !found.servers.iter().any(|it| needs(&it)) {
        return;
    }
    let mut table = output::table(
        &["SERVER", "PERIOD", "SMALLEST BUDGET", "OF THE CPU"],
        &["PERIOD", "SMALLEST BUDGET", "OF THE CPU"],
    );
    for it in found.servers.iter().filter(needs) {
        for (period, least) in &it.needs {
            table.add_row([
                set.servers[it.server].name.clone(),
                period.to_string(),
                budget(least),
                share(least, *period),
            ]);
        }
    }
    let _ = write!(
        text,
        "\n{BOLD}Which budget is enough{BOLD:#}\n{}",
        table.render()
    );
}

fn budget(least: &Least<Duration>) -> String {
    match least {
        Least::Exactly(budget) => budget.to_string(),
        Least::AtMost(budget, _) => format!("{budget} or less"),
        Least::Nothing => "none".into(),
        Least::NotKnown(_) => "not known".into(),
    }
}

/// The part of a CPU that the budget is, rounded up in the fourth digit.
fn share(least: &Least<Duration>, period: Duration) -> String {
    let part = |budget: &Duration| {
        let parts = u128::from(budget.as_nanos()) * 10_000;
        parts.div_ceil(u128::from(period.as_nanos().max(1)))
    };
    least.proven().map_or_else(
        || "–".into(),
        |budget| format!("{}.{:04}", part(budget) / 10_000, part(budget) % 10_000),
    )
}
