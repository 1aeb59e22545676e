//! By how much critical sections of other tasks hurt servers.

use crate::output::{BOLD, DIM};
use flyball_model::TaskSet;
use flyball_report::words;
use flyball_study::note::Note;
use flyball_study::{Registry, about_sections};
use std::fmt::Write as _;

/// What there is to say of constant bandwidth servers, in sentences; nothing for a set in which no mutex is
/// shared, or whose settings a study refuses.
pub(super) fn sentences(registry: &Registry, file: &str, set: &TaskSet) -> Vec<String> {
    let Ok(entry) = registry.find("cbs") else {
        return Vec::new();
    };
    let Ok(values) = entry.values(file, set) else {
        return Vec::new();
    };
    let about = about_sections(entry, &values, set).into_iter();
    about.map(|it| words::note(&Note::Policy(it))).collect()
}

/// The same for a terminal.
pub(super) fn text(sentences: &[String]) -> String {
    let mut text = String::new();
    if sentences.is_empty() {
        return text;
    }
    let _ = writeln!(
        text,
        "\n{BOLD}Critical sections{BOLD:#} {DIM}under constant bandwidth servers: `cbs`{DIM:#}"
    );
    for sentence in sentences {
        let _ = writeln!(text, "{sentence}");
    }
    text
}
