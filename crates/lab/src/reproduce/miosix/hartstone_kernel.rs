//! Hartstone, each iteration of the PH series as a task set of its own (4.3).

use super::field::{all, list};
use super::hartstone::WHERE;
use super::sets::seconds;
use crate::bench::{Bench, BenchError, Trial};
use crate::hartstone::sweep::{Conditions, Parts, Score};
use crate::hartstone::workload::task_set;
use crate::hartstone::{Contender, Setup as Rules, Test};
use crate::reproduce::{Plan, Setup};
use flyball_model::{Overheads, Setting};
use flyball_report::reproduction::{Claim, Experiment, Verdict};
use flyball_trace::Duration;

/// The experiment.
pub const PLAN: Plan = Plan {
    name: "hartstone-kernel",
    title: "Hartstone, PH series: the first iteration that misses, on the kernel (4.3)",
    on_machine: &["rr", "edf", "ipi"],
    run,
};

fn run(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let burst = Duration::from_micros(300);
    let contenders = [
        ("RR, 1 ms", Contender::rr()),
        ("EDF", Contender::edf()),
        ("I+PI, 0.3 ms", Contender::ipi(burst)),
    ];
    let conditions = Conditions {
        kernel: setup.bench.kernel(),
        ..Conditions::default()
    };
    let mut claims = Vec::new();
    for (name, contender) in &contenders {
        let (mut found, mut expected) = ([0; 4], [0; 4]);
        let guesses = Score::in_parts(contender, &conditions, Parts::Series)?.iterations();
        for (n, test) in Test::ALL.into_iter().enumerate() {
            let guess = guesses[n];
            let mut simulated = |i| misses(setup.bench, contender, test, i);
            found[n] = first(guess, &mut simulated)?;
            expected[n] = guess;
        }
        claims.push(Claim {
            text: format!("{name}: the kernel misses first where it was predicted"),
            place: WHERE.into(),
            criterion:
                "within two iterations: tasks start together here, and the kernel's work takes time"
                    .into(),
            published: "no numbers".into(),
            ours: format!("{}; predicted {}", list(found), list(expected)),
            verdict: Verdict::of(all(found, expected, |a: u32, b| a.abs_diff(b) <= 2), || {
                "the start together is worse, or the kernel's work dearer, than that".into()
            }),
        });
    }
    Ok(Experiment {
        about: "Each iteration as a task set of its own, all of whose tasks start together: the first that \
                misses a deadline within a second, looked for around the iteration that the experiment \
                without overheads predicts."
            .into(),
        assumptions: vec!["A simulated kernel costs 5 µs a choice and 5 µs a switch.".into()],
        claims,
        ..Experiment::default()
    })
}

/// The first iteration that misses, near `guess`.
fn first(
    guess: u32,
    misses: &mut dyn FnMut(u32) -> Result<bool, BenchError>,
) -> Result<u32, BenchError> {
    let mut at = guess;
    if misses(at)? {
        while at > 0 && misses(at - 1)? {
            at -= 1;
        }
    } else {
        while at < guess + 4 {
            at += 1;
            if misses(at)? {
                break;
            }
        }
    }
    Ok(at)
}

fn misses(
    bench: &mut dyn Bench,
    contender: &Contender,
    test: Test,
    iteration: u32,
) -> Result<bool, BenchError> {
    let mut set = task_set(test, iteration, Rules::default());
    let settings = set.policies.entry(contender.policy.to_owned()).or_default();
    for (name, value) in &contender.settings {
        let setting = Setting::from(value.clone());
        settings.values.insert((*name).to_owned(), setting);
    }
    set.platform.overheads = match bench.machine() {
        Some(_) => Overheads::default(),
        None => bench.kernel().overheads(contender.policy),
    };
    let mut trial = Trial::new(set, contender.policy, seconds(1).min(bench.longest()));
    trial.stop_at_miss = true;
    Ok(bench.run(&trial)?.first_miss.is_some())
}
