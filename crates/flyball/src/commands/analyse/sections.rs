//! By how much critical sections of other tasks hurt servers.

use crate::output::{BOLD, DIM};
use flyball_report::words;
use flyball_study::note::{AboutPolicy, Note};
use std::fmt::Write as _;

/// Nothing where there is nothing to say.
pub(super) fn text(sections: &[AboutPolicy]) -> String {
    let mut text = String::new();
    if sections.is_empty() {
        return text;
    }
    let _ = writeln!(
        text,
        "\n{BOLD}Critical sections{BOLD:#} {DIM}under constant bandwidth servers: `cbs`{DIM:#}"
    );
    for it in sections {
        let _ = writeln!(text, "{}", words::note(&Note::Policy(it.clone())));
    }
    text
}
