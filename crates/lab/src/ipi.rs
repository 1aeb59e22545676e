//! What I+PI can be told.

use crate::registry::Entry;
use crate::settings::{Parameter, Values};
use flyball_policy::i_plus_pi::{Division, Gain, Gains, Round, Sequence, Settings, Unstable, Wake};
use flyball_sim::schedulers::Ipi;
use flyball_trace::Duration;

/// The policy.
pub(crate) fn entry() -> Entry {
    let defaults = Settings::default();
    let parameters = [
        Parameter::decimal("kpi", "the gain of the inner regulators", "0.5"),
        Parameter::decimal("krr", "the gain of the outer regulator", "0.9"),
        Parameter::decimal("zrr", "the zero of the outer regulator", "0.88"),
        Parameter::duration(
            "nominal",
            "the burst from which the round's set point is made",
            Duration::from_millis(4),
        ),
        Parameter::choice(
            "round",
            "what the set point of a round is: the nominal burst for each task, for each task that \
             is ready, or itself",
            &["per-task", "per-ready", "constant"],
        ),
        Parameter::duration_or_zero("shortest", "the shortest burst", defaults.shortest),
        Parameter::duration("longest", "the longest burst", defaults.longest),
        Parameter::choice(
            "division",
            "what a round is divided by: the shares that tasks need, or the rest of their jobs over \
             the time that is left",
            &["shares", "demand"],
        ),
        Parameter::choice(
            "sequence",
            "who comes first in a round",
            &["admission", "deadline", "urgency"],
        ),
        Parameter::choice(
            "wake",
            "who wakes waits for its turn, has the next one, or begins a new round",
            &["wait", "next", "round"],
        ),
        Parameter::switch(
            "feedforward",
            "whether a task that waits needs nothing",
            defaults.feedforward,
        ),
        Parameter::switch(
            "reinitialise",
            "whether regulators start anew when shares change",
            defaults.reinitialise,
        ),
    ];
    let entry = Entry::new(
        "ipi",
        "I+PI",
        "a controller gives each task its share of every round",
        |values| Ipi {
            settings: settings(values).unwrap_or_default(),
        },
    );
    let entry =
        entry.with_check(|values| settings(values).map(drop).map_err(|why| why.to_string()));
    // Values that have passed the check are settings, and none of them is a function.
    let entry = entry.with_words(|values| {
        let settings = settings(values).unwrap_or_default();
        settings.to_words().unwrap_or_default()
    });
    parameters.into_iter().fold(entry, Entry::with_parameter)
}

/// The policy's settings.
///
/// # Errors
/// [`Unstable`] gains.
pub(crate) fn settings(values: &Values) -> Result<Settings, Unstable> {
    let gain = |name| Gain::ratio(values.millionths(name), 1_000_000);
    let nominal = values.duration("nominal");
    Ok(Settings {
        gains: Gains::new(gain("kpi"), gain("krr"), gain("zrr"))?,
        shortest: values.duration("shortest"),
        longest: values.duration("longest"),
        round: match values.text("round") {
            "per-ready" => Round::PerReady(nominal),
            "constant" => Round::Constant(nominal),
            _ => Round::PerTask(nominal),
        },
        division: match values.text("division") {
            "demand" => Division::Demand,
            _ => Division::Shares,
        },
        sequence: match values.text("sequence") {
            "deadline" => Sequence::Deadline,
            "urgency" => Sequence::Urgency,
            _ => Sequence::Admission,
        },
        wake: match values.text("wake") {
            "next" => Wake::Next,
            "round" => Wake::Round,
            _ => Wake::Wait,
        },
        feedforward: values.switch("feedforward"),
        reinitialise: values.switch("reinitialise"),
    })
}
