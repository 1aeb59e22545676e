//! Values of options.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use flyball_board::Machine;
use flyball_model::Jitter;
use flyball_study::Fit;
use flyball_trace::Duration;

/// Takes the name of a machine.
pub(in crate::args) fn machine() -> impl TypedValueParser<Value = Machine> {
    let names =
        Machine::ALL.map(|machine| PossibleValue::new(machine.name()).help(machine.title()));
    PossibleValuesParser::new(names).try_map(|name| {
        let unknown = || format!("there is no machine \"{name}\"");
        Machine::find(&name).ok_or_else(unknown)
    })
}

pub(in crate::args) fn jitter() -> impl TypedValueParser<Value = Jitter> {
    let random = PossibleValue::new("random").help("any time, each equally likely");
    let worst = PossibleValue::new("worst")
        .help("as late as they may be until jobs of all tasks come together, and then at once");
    PossibleValuesParser::new([random, worst]).map(|word| match word.as_str() {
        "worst" => Jitter::Worst,
        _ => Jitter::Random,
    })
}

pub(in crate::args) fn duration(text: &str) -> Result<Duration, String> {
    flyball_model::parse_duration(text).map_err(|error| format!("{error}; {}", error.remedy()))
}

/// A length of time that is not zero.
pub(in crate::args) fn length(text: &str) -> Result<Duration, String> {
    match duration(text)? {
        Duration::ZERO => Err("expected a time above zero".into()),
        length => Ok(length),
    }
}

/// The heuristics by name.
pub(in crate::args) fn fit() -> impl TypedValueParser<Value = Fit> {
    PossibleValuesParser::new(Fit::ALL.map(Fit::name)).map(|name| {
        let fit = Fit::ALL.into_iter().find(|fit| fit.name() == name);
        // It is one of them.
        fit.unwrap_or_default()
    })
}
