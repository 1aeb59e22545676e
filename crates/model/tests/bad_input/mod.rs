//! Bad input gets a good message: place, field, wording and remedy, case by case.

mod csv;
mod document;
mod endpoints;
mod file;
mod platform;
mod reserve;
mod servers;
mod sharing;
mod steps;
mod task;
mod triggers;

use flyball_model::{Format, Kind, read_str};

/// One bad input, and what is to be said about it.
struct Case {
    text: &'static str,
    /// Line and column; empty where the file as a whole is at fault.
    place: &'static str,
    kind: Kind,
    field: &'static str,
    message: &'static str,
    help: &'static str,
}

const fn case(
    text: &'static str,
    place: &'static str,
    kind: Kind,
    field: &'static str,
    message: &'static str,
    help: &'static str,
) -> Case {
    Case {
        text,
        place,
        kind,
        field,
        message,
        help,
    }
}

/// Reads every case in the surroundings that `whole` gives it.
fn check(cases: &[Case], format: Format, whole: impl Fn(&str) -> String) {
    for case in cases {
        let text = whole(case.text);
        let Err(error) = read_str(&text, format, "x") else {
            panic!("this was read:\n{text}");
        };
        let place = error.place.map(|at| format!("{}:{}", at.line, at.column));
        let seen = (
            place.as_deref().unwrap_or_default(),
            error.kind,
            error.field.as_deref().unwrap_or_default(),
            error.message.as_str(),
            error.help.as_deref().unwrap_or_default(),
        );
        let expected = (case.place, case.kind, case.field, case.message, case.help);
        assert_eq!(seen, expected, "\n{text}");
        assert_eq!(error.excerpt.is_some(), error.place.is_some());
        if let (Some(excerpt), Some(place)) = (&error.excerpt, error.place) {
            let line = text
                .trim_start_matches('\u{feff}')
                .split('\n')
                .nth(place.line as usize - 1);
            assert!(line.unwrap().contains(&excerpt.line), "\n{error}");
        }
    }
}

/// The whole message, as a person sees it.
#[test]
fn a_message_shows_the_line() {
    let text = "schema = 1\n[[task]]\nname = \"nav\"\nperiod = \"10ms\"\nwcet\t= 10 # ms\n";
    let error = read_str(text, Format::Toml, "examples/x.toml").unwrap_err();
    let expected = r#"
examples/x.toml:5:8: task "nav": wcet: expected a time such as "10ms" or "250us", found 10
  |
5 | wcet    = 10 # ms
  |           ^^
  |
  = help: the units are ns, us, ms, s and min"#;
    assert_eq!(format!("\n{error}"), expected);
}
