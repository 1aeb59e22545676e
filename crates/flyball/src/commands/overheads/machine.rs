//! `flyball overheads --machine NAME`: what does the kernel's own work cost, in instructions?

mod json;
mod table;

use crate::args::OverheadsArgs;
use crate::failure::Failure;
use crate::files;
use crate::output;
use crate::pictures;
use crate::progress::Bar;
use flyball_board::{BoardError, Machine, Options};
use flyball_measure::instructions::{
    self, ByHart, Counted, InstructionCounts, KernelEntries, Lengths, Limits, Plan, Progress, Run,
    figures,
};
use flyball_measure::overheads::Policy;
use flyball_study::Registry;
use flyball_trace::Time;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub(super) fn run(
    machine: Machine,
    args: &OverheadsArgs,
    quiet: bool,
) -> Result<ExitCode, Failure> {
    if !machine.counts() {
        let countable = Machine::ALL.into_iter().filter(|machine| machine.counts());
        let names: Vec<_> = countable.map(Machine::name).collect();
        return Err(Failure::Usage(format!(
            "machine {} does not count what its kernel does; {} does",
            machine.name(),
            names.join(", ")
        )));
    }
    let plan = plan(args);
    let most = machine.limits();
    plan.check(Limits {
        // At most 64.
        cpus: u8::try_from(most.cpus).unwrap_or(u8::MAX),
        threads: most.tasks,
        until: most.time,
    })
    .map_err(|error| Failure::Usage(error.to_string()))?;
    let found = measure(machine, &plan, quiet)?;
    let mut files = Vec::new();
    if let Some(out) = &args.out {
        let file = instructions::file(&found, machine.title());
        files.push((out.clone(), file.to_toml().into_bytes()));
    }
    if let Some(folder) = &args.report {
        files::make_folder(folder)?;
        files.extend(report(machine, &found, folder, args, quiet)?);
    }
    files::write_all(&files)?;
    if args.json {
        output::print_json(&json::document(machine, &found))?;
    } else {
        let written = files.iter().map(|(path, _)| files::shown(path));
        let written: Vec<_> = written.collect();
        output::print(&table::summary(machine, &found, args.per_cpu, &written))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn plan(args: &OverheadsArgs) -> Plan {
    let policies = match &args.policies[..] {
        [] => Policy::USUAL.to_vec(),
        some => some.to_vec(),
    };
    let in_pairs = args.cpus > 2 && args.cpus.is_multiple_of(2);
    Plan {
        policies,
        cluster: args.cluster.or(in_pairs.then_some(2)),
        threads: args.threads.clone(),
        cpus: args.cpus,
        harts: args.harts.clone(),
        until: args.until,
        seed: args.seed,
    }
}

fn measure(machine: Machine, plan: &Plan, quiet: bool) -> Result<InstructionCounts, Failure> {
    let mut bar = Bar::new(quiet);
    let registry = Registry::standard();
    let mut count = |run: Run<'_>, progress: Progress<'_>| {
        // Measured with its defaults.
        let scheduler = registry.find(run.policy).ok().and_then(|entry| {
            let values = entry.values(run.policy, run.set).ok()?;
            entry.written(&values, run.set).ok()
        });
        let Some(scheduler) = scheduler else {
            return Err(BoardError::NoImage {
                machine: machine.name(),
                policy: run.policy.to_owned(),
                known: machine.policies().collect(),
            });
        };
        let options = Options {
            policy: run.policy,
            until: run.until,
            seed: plan.seed,
            cluster: run.cluster,
            ..Options::of(&*scheduler)
        };
        flyball_board::count(machine, run.set, &options, &mut |_| {
            bar.show(flyball_study::Progress {
                policy: progress.what,
                number: progress.done,
                of: progress.of,
                now: Time::ZERO,
                until: Time::NEVER,
            })
        })
        .map(|counts| ByHart {
            all: counted(|path, part| counts.of(path, part)),
            harts: (0..run.set.platform.cpus)
                .map(|hart| counted(|path, part| counts.on(hart, path, part)))
                .collect(),
        })
    };
    instructions::measure(plan, &mut count).map_err(|error| Failure::target(machine.name(), error))
}

/// What the machine said, of all CPUs or of one, as the laboratory has it.
fn counted(said: impl Fn(&str, &str) -> flyball_board::Lengths) -> Counted {
    let of = |path: &str, part: &str| {
        let found = said(path, part);
        Lengths {
            count: found.count,
            sum: found.sum,
            most: found.most,
        }
    };
    let entries = |path: &str| KernelEntries {
        lock: of(path, "lock"),
        work: of(path, "work"),
        decide: of(path, "decide"),
        tell: of(path, "tell"),
        switch: of(path, "switch"),
        held: of(path, "held"),
    };
    let number = |what: &str, which: &str| said(what, which).count;
    Counted {
        calls: entries("call"),
        timers: entries("timer"),
        interrupts: entries("interrupt"),
        one: of("timer", "one"),
        nothing: of("timer", "none"),
        served: number("timer", "served"),
        taken: number("lock", "taken"),
        contended: number("lock", "contended"),
        rung: number("interrupts", "rung"),
        spared: number("interrupts", "spared"),
        disturbed: number("entries", "disturbed"),
    }
}

/// Figures, and all numbers in a table.
fn report(
    machine: Machine,
    found: &InstructionCounts,
    folder: &Path,
    args: &OverheadsArgs,
    quiet: bool,
) -> Result<Vec<(PathBuf, Vec<u8>)>, Failure> {
    let mut files = vec![(
        folder.join("instructions.csv"),
        table::csv(found).into_bytes(),
    )];
    let figures = figures::all(found, machine.title());
    files.extend(pictures::files(&figures, folder, &args.pictures, quiet)?);
    Ok(files)
}
