//! What is known of one task set, for people.

use super::{pipeline, program, sections, servers, slowest, windows};
use crate::output::{self, BOLD, DIM};
use flyball_analysis::Answer;
use flyball_analysis::criterion::Policy;
use flyball_analysis::sensitivity::{self, Margin};
use flyball_model::TaskSet;
use flyball_report::words;
use flyball_study::SetAnalysis;
use flyball_study::assess::{Assessment, Division, Fewest, ForPolicy, IN_DETAIL, MOST_CPUS};
use flyball_study::results::{Breakdown, PolicyReport};
use flyball_trace::Duration;
use std::fmt::Write as _;

/// What is known of a set, and, of a program, under the policy that it is `linked` with.
pub(crate) fn text(all: &SetAnalysis, linked: Option<&PolicyReport>) -> String {
    let mut text = output::heading(&all.file, &all.set);
    match &all.assessment {
        Ok(found) => {
            assessment(&mut text, &all.set, found);
            text += &linked.map_or_else(String::new, program::text);
            text += &servers::text(&all.set, &all.budgets);
            text += &slowest::text(&all.set, &all.slowest);
            text += &windows::text(&all.set, all.largest_window);
        }
        Err(obstacle) => {
            text += &servers::text(&all.set, &all.budgets);
            text += &sections::text(&all.sections);
            text += &slowest::text(&all.set, &all.slowest);
            text += &windows::text(&all.set, all.largest_window);
            // Writing to a string cannot fail.
            let _ = writeln!(text, "\n{}.", words::obstacle(obstacle));
        }
    }
    text + &pipeline::text(all)
}

fn assessment(text: &mut String, set: &TaskSet, found: &Assessment) {
    if let Some(why) = &found.infeasible {
        let why = words::lower(&words::no_policy(why, &found.tasks, set));
        let _ = writeln!(text, "\nNo policy can hold it: {why}.");
    }
    if found.tasks.is_empty() {
        *text += "\nNo task has a deadline: there is nothing to miss.\n";
        return;
    }
    if !found.late.is_zero() {
        let _ = writeln!(
            text,
            "\n{DIM}A tick of {}: a job may be released so late, which is taken off periods and deadlines.{DIM:#}",
            found.late
        );
    }
    if set.tasks.iter().any(|task| task.cpu.is_some()) {
        let _ = writeln!(
            text,
            "\n{DIM}Tests divide tasks anew; the verdicts of policies that divide them are about the \
             CPUs that tasks say.{DIM:#}"
        );
    }
    for policy in &found.policies {
        for_policy(text, policy, set, found);
    }
    if !found.uncharged.is_empty() {
        let names: Vec<&str> = found.uncharged.iter().map(|it| it.title()).collect();
        let _ = writeln!(
            text,
            "\n{DIM}Left out, as it is not known what the kernel's work costs there: {}.{DIM:#}",
            names.join(", ")
        );
    }
    tasks(text, set, found);
    division(text, set, found);
    effects(text, found);
}

fn for_policy(text: &mut String, it: &ForPolicy, set: &TaskSet, found: &Assessment) {
    let proof = it.verdict.proof.as_deref();
    let proof = proof.map_or_else(String::new, |proof| format!("  {DIM}by {proof}{DIM:#}"));
    let _ = writeln!(
        text,
        "\n{BOLD}{}{BOLD:#}  {}{proof}",
        it.policy,
        output::verdict(it.verdict.schedulable)
    );
    let mut table = output::table(&["TEST", "VERDICT", "WHY NOT"], &[]).prose(&["WHY NOT"]);
    for said in &it.said {
        let answer = match said.answer {
            Answer::Accepts => "accepts",
            Answer::Rejects => "cannot tell",
            Answer::Stopped(_) => "stopped",
        };
        table.add_row([
            said.criterion.name(),
            answer,
            &words::why_not(said, found, set).unwrap_or_default(),
        ]);
    }
    *text += &table.render();
    if let Some(order) = &it.priorities {
        let name = |&place: &usize| set.tasks[found.tasks[place]].name.as_str();
        let names: Vec<&str> = order.iter().map(name).collect();
        let _ = writeln!(
            text,
            "{DIM}Priorities, the most urgent first: {}.{DIM:#}",
            names.join(", ")
        );
    }
    let _ = writeln!(
        text,
        "{DIM}Known to hold {}; margin of all execution times together: {}.{DIM:#}",
        fewest(&it.fewest),
        margin(&it.scaling)
    );
}

/// On how few CPUs, and of which it is not known.
fn fewest(Fewest { proven, open }: &Fewest) -> String {
    let known = match proven {
        Some(1) => "on a single CPU".to_owned(),
        Some(cpus) => format!("on as few as {cpus} CPUs"),
        None => format!("on no number of CPUs up to {MOST_CPUS}"),
    };
    if open.is_empty() {
        return known;
    }
    let open = match &open[..] {
        [first, .., last] => format!("{first}–{last}"),
        one => one.iter().map(u32::to_string).collect(),
    };
    format!("{known} (not known, as a search stopped: on {open})")
}

fn margin(breakdown: &Margin<sensitivity::Breakdown>) -> String {
    if let Margin::NotKnown(_) = breakdown {
        return NOT_KNOWN.into();
    }
    words::margin(breakdown.proven().map(|proven| Breakdown {
        factor_ppm: proven.factor.ppm(),
        utilisation_ppm: proven.utilisation.parts_per_million(),
        at_least: breakdown.stopped().is_some(),
    }))
}

/// Of what a search has not found out.
const NOT_KNOWN: &str = "not known";

/// A slack, and whether there may be more; `None`: it was not asked.
fn slack(slack: Option<Margin<Duration>>) -> String {
    match slack {
        Some(Margin::NotKnown(_)) => NOT_KNOWN.into(),
        Some(Margin::AtLeast(least, _)) => {
            format!("{} or more", output::time_at_least(Some(least)))
        }
        slack => output::time_at_least(slack.and_then(|it| it.proven().copied())),
    }
}

/// Each task's response time and slack under each policy, and its CPU.
fn tasks(text: &mut String, set: &TaskSet, found: &Assessment) {
    let all = found.policies.iter();
    let holding: Vec<&ForPolicy> = all
        .filter(|it| it.holds() && IN_DETAIL.contains(&it.policy))
        .collect();
    if holding.is_empty() {
        return;
    }
    let mut columns = vec!["TASK".to_owned(), "WCET".into(), "DEADLINE".into()];
    for it in &holding {
        columns.extend(["BOUND", "SLACK"].map(|what| format!("{} {what}", it.policy)));
    }
    columns.push("CPU".into());
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    // Bounds stay the longest, and slacks go first.
    let mut spare = columns[1..].to_vec();
    spare.sort_by_key(|name| (name.ends_with("SLACK"), !name.ends_with("BOUND")));
    let mut table = output::table(&columns, &columns[1..]).spare(&spare);
    for (place, &number) in found.tasks.iter().enumerate() {
        let task = &set.tasks[number];
        let mut row = vec![
            task.name.clone(),
            output::time(Some(task.wcet)),
            output::time(task.deadline),
        ];
        for it in &holding {
            row.push(output::time_at_most(it.bounds[place]));
            row.push(slack(it.slacks[place]));
        }
        let cpu = found.division.as_ref().map(|it| it.places[place]);
        row.push(cpu.map_or_else(|| "–".into(), |cpu| cpu.to_string()));
        table.add_row(row);
    }
    let _ = write!(text, "\n{}", table.render());
    let _ = writeln!(
        text,
        "{DIM}Bound: no job takes longer from arrival to completion. Slack: how much longer jobs of this task alone may compute, under P-EDF on the CPU that it has.{DIM:#}"
    );
}

/// What each CPU is asked for, and the same on as few CPUs as will do.
fn division(text: &mut String, set: &TaskSet, found: &Assessment) {
    let name = |place: usize| set.tasks[found.tasks[place]].name.as_str();
    let show = |text: &mut String, division: &Division| {
        for (cpu, load) in division.loads.iter().enumerate() {
            let here = (0..division.places.len()).filter(|&task| division.places[task] == cpu);
            let names: Vec<&str> = here.map(name).collect();
            let _ = writeln!(text, "  CPU {cpu}  {load}  {}", names.join(", "));
        }
    };
    if let Some(division) = &found.division {
        let _ = writeln!(
            text,
            "\n{BOLD}Partition{BOLD:#} {DIM}({}), and the utilisation of each CPU{DIM:#}",
            division.way.name()
        );
        show(text, division);
    }
    let fewer = found.cheapest.as_ref();
    if let Some(cheapest) = fewer.filter(|it| it.loads.len() != found.cpus as usize) {
        let cpus = output::count(cheapest.loads.len(), "CPU");
        let mut all = found.policies.iter();
        let partitioned = all.find(|it| it.policy == Policy::PartitionedEdf);
        let known = match partitioned {
            Some(it) if !it.fewest.open.is_empty() => " that is known",
            _ => "",
        };
        let _ = writeln!(
            text,
            "\n{BOLD}The cheapest partition{known}: {cpus}{BOLD:#} {DIM}({}){DIM:#}",
            cheapest.way.name()
        );
        show(text, cheapest);
    }
}

/// By how much execution times may grow with some of the kernel's work.
fn effects(text: &mut String, found: &Assessment) {
    if found.effects.is_empty() {
        return;
    }
    let mut columns = vec!["CHARGED".to_owned()];
    columns.extend(found.policies.iter().map(|it| it.policy.title().to_owned()));
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut table = output::table(&columns, &columns[1..]).spare_all();
    for effect in &found.effects {
        let mut row = vec![words::charged(effect.charged)];
        row.extend(effect.scaling.iter().map(margin));
        table.add_row(row);
    }
    let _ = write!(
        text,
        "\n{BOLD}The kernel's work{BOLD:#}\n{}",
        table.render()
    );
    let _ = writeln!(
        text,
        "{DIM}Margins: by how much all execution times may grow together.{DIM:#}"
    );
}
