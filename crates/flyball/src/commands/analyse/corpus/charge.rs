//! The kernel's work that the sets of a corpus pay for.

use crate::failure::Failure;
use crate::output;
use flyball_study::assess::Charge;
use flyball_study::corpus::Question;
use std::path::Path;

/// Leaves those that can be asked with overheads, and says which cannot; if the user has named one
/// of those, that is a mistake.
pub(super) fn only_charged(
    questions: &mut Vec<Question>,
    are_named: bool,
    charge: &Charge,
    file: &Path,
    quiet: bool,
) -> Result<(), Failure> {
    let all = questions.iter().copied();
    let open: Vec<Question> = all.filter(|it| !it.is_charged(charge)).collect();
    let Some(first) = open.first() else {
        return Ok(());
    };
    let why = |question: Question| match question.payer() {
        Some(payer) => format!(
            "has no overheads of {}, which {} is to be charged",
            payer.name(),
            question.name()
        ),
        None => format!(
            "cannot be charged to {}: {}",
            question.name(),
            match question {
                Question::Test(_) =>
                    "its jobs begin more than once, and what that costs is not known",
                Question::Exact | Question::Adversary =>
                    "it is about what sets really do, and with overheads they are bounded, not known",
            }
        ),
    };
    questions.retain(|it| it.is_charged(charge));
    if are_named || questions.is_empty() {
        let help = match first.payer() {
            Some(_) => "leave it out of --tests, or choose another file with --overheads",
            None => "leave it out of --tests, or leave out --overheads",
        };
        return Err(Failure::file(file, why(*first), Some(help)));
    }
    let names: Vec<&str> = open.iter().map(|it| it.name()).collect();
    let text = format!(
        "left out, as {} {}: {}",
        file.display(),
        "does not have the overheads of their policy",
        names.join(", ")
    );
    output::note(quiet, &text);
    Ok(())
}
