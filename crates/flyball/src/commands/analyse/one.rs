//! Of one task set: verdicts and reasons, response times and slack, the fewest CPUs, and what
//! overheads cost.

use super::json::{analysis, refusal};
use super::{pipeline, program, sections, servers, slowest, windows};
use crate::args::AnalyseArgs;
use crate::failure::Failure;
use crate::files;
use crate::output::{self, BOLD, DIM};
use crate::progress::{Disposable, Spinner};
use flyball_analysis::charged::Accounting;
use flyball_analysis::criterion::{Payer, Policy};
use flyball_analysis::sensitivity::{self, Margin};
use flyball_analysis::{Answer, WorkLimit};
use flyball_model::{Overheads, TaskSet};
use flyball_report::words;
use flyball_study::assess::{
    Assessment, Charge, Division, Fewest, ForPolicy, IN_DETAIL, MOST_CPUS, Refused, assess,
};
use flyball_study::results::Breakdown;
use flyball_study::{Charges, Effort, Registry};
use flyball_trace::Duration;
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;

pub(super) fn run(
    registry: &Registry,
    file: &Path,
    args: &AnalyseArgs,
    quiet: bool,
) -> Result<ExitCode, Failure> {
    let program = program::open(file)?;
    if let Some(program) = &program
        && let Some(code) = program::not_known(program, file, args.json)?
    {
        return Ok(code);
    }
    let mut set = files::read_set(file, quiet)?;
    if let Some(cpus) = args.cpus {
        set.platform.cpus = cpus;
    }
    let charge = charge(&set, files::charges(&args.charge, quiet)?, args.accounting);
    let cpus = set.platform.cpus.max(1).into();
    let shown = files::shown(file);
    let steps = args.steps.map_or(Effort::FULL.verdict, WorkLimit::steps);
    let spinner = Mutex::new(Spinner::new(quiet));
    let watch = |policy: Policy| {
        if let Ok(mut spinner) = spinner.lock() {
            // The program ends if it breaks: see `Disposable`.
            let _ = spinner.show(|| policy.title().to_owned());
        }
    };
    let found = {
        let _may_end = Disposable::begin();
        assess(registry, &set, cpus, charge.as_ref(), steps, &watch)
    };
    drop(spinner);
    let linked = program.map(|program| program::linked(registry, &program, file, &set));
    let linked = linked.transpose()?.flatten();
    let found = match found {
        Ok(found) => found,
        Err(Refused::Contradiction(error)) => return Err(Failure::lab(&shown, error)),
        Err(Refused::NotCovered(obstacle)) if args.json => {
            let why = words::obstacle(&obstacle);
            let sections = sections::sentences(registry, &shown, &set);
            let servers = servers::json(&set, steps);
            let points = slowest::json(registry, &shown, &set, steps);
            let window = windows::largest(&set, steps);
            let pipeline = pipeline::json(&set, args.latency);
            output::print_json(&refusal(
                &shown, &why, servers, sections, points, window, pipeline,
            ))?;
            return Ok(ExitCode::FAILURE);
        }
        Err(Refused::NotCovered(obstacle)) => {
            let heading = output::heading(&shown, &set);
            let servers = servers::text(&set, steps);
            let sections = sections::text(&sections::sentences(registry, &shown, &set));
            let why = words::obstacle(&obstacle);
            let points = slowest::text(registry, &shown, &set, steps);
            let windows = windows::text(&set, steps);
            let pipeline = pipeline::text(&set, args.latency);
            output::print(&format!(
                "{heading}{servers}{sections}{points}{windows}\n{why}.\n{pipeline}"
            ))?;
            return Ok(ExitCode::FAILURE);
        }
    };
    if args.json {
        let servers = servers::json(&set, steps);
        let points = slowest::json(registry, &shown, &set, steps);
        let window = windows::largest(&set, steps);
        let pipeline = pipeline::json(&set, args.latency);
        output::print_json(&analysis(
            &shown, &set, &found, servers, points, window, pipeline,
        ))?;
    } else {
        let servers = servers::text(&set, steps);
        let points = slowest::text(registry, &shown, &set, steps);
        let windows = windows::text(&set, steps);
        let pipeline = pipeline::text(&set, args.latency);
        let text = text(&shown, &set, &found);
        let own = linked.as_ref().map_or_else(String::new, program::text);
        output::print(&(text + &own + &servers + &points + &windows + &pipeline))?;
    }
    let holds = |it: &ForPolicy| it.verdict.holds() == Some(true);
    // A program has its policy already.
    let holds = match &linked {
        Some(linked) => linked.verdict.holds() == Some(true),
        None => found.policies.iter().any(holds),
    };
    Ok(if holds {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// The kernel's work: what was measured, or else the platform's own, if it costs anything.
fn charge(set: &TaskSet, measured: Option<Charges>, accounting: Accounting) -> Option<Charge> {
    let tick = set.platform.tick;
    if let Some(Charges {
        file,
        statistic,
        cache,
    }) = measured
    {
        let of = |payer: Payer| -> Option<Overheads> {
            let overheads = file.overheads(payer.name(), statistic)?;
            Some(Overheads {
                cache: flyball_model::Cost::fixed(cache),
                ..overheads.clone()
            })
        };
        return Some(Charge {
            accounting,
            overheads: Payer::ALL.map(of),
            tick,
        });
    }
    let own = &set.platform.overheads;
    (!own.are_free()).then(|| Charge {
        accounting,
        overheads: Payer::ALL.map(|_| Some(own.clone())),
        tick,
    })
}

fn text(file: &str, set: &TaskSet, found: &Assessment) -> String {
    let mut text = output::heading(file, set);
    if let Some(why) = &found.infeasible {
        let why = words::lower(&words::no_policy(why, &found.tasks, set));
        let _ = writeln!(text, "\nNo policy can hold it: {why}.");
    }
    if found.tasks.is_empty() {
        text += "\nNo task has a deadline: there is nothing to miss.\n";
        return text;
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
        for_policy(&mut text, policy, set, found);
    }
    if !found.uncharged.is_empty() {
        let names: Vec<&str> = found.uncharged.iter().map(|it| it.title()).collect();
        let _ = writeln!(
            text,
            "\n{DIM}Left out, as it is not known what the kernel's work costs there: {}.{DIM:#}",
            names.join(", ")
        );
    }
    tasks(&mut text, set, found);
    division(&mut text, set, found);
    effects(&mut text, found);
    text
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
