//! Refuses documents that are too large before memory goes into their tree.
//!
//! The tree takes some ten times as much memory as the text. So the text is first split into tokens
//! one by one, which takes no memory at all, and given up where there are too many of them, or too
//! many tasks.

use super::table::Read;
use crate::check::{MOST_TASKS, too_many_tasks};
use crate::error::Kind;
use crate::source::Source;
use toml_parser::lexer::TokenKind;

/// Most tokens (words, signs, spaces, line ends) of a document. The most tasks that there may be,
/// with all their keys and half a dozen steps each, take as many.
const MOST_TOKENS: usize = 10_000_000;

/// Checks the size of a document. Takes time linear in its length, and no memory.
pub(super) fn check(source: &Source<'_>) -> Read<()> {
    let (mut tasks, mut brackets) = (0, 0);
    for (count, token) in toml_parser::Source::new(source.text).lex().enumerate() {
        let span = token.span().start()..token.span().end();
        if count == MOST_TOKENS {
            let message = format!("the file has more than {MOST_TOKENS} words and signs");
            let error = source.error(Kind::TooMany, &span, message);
            return Err(error.help("split the set into several files"));
        }
        brackets = match token.kind() {
            TokenKind::LeftSquareBracket => brackets + 1,
            TokenKind::Whitespace => brackets,
            TokenKind::Atom if brackets == 2 && source.text.get(span.clone()) == Some("task") => {
                tasks += 1;
                0
            }
            _ => 0,
        };
        if tasks > MOST_TASKS {
            let header = source.text[..span.start]
                .rfind('[')
                .map_or(span.start, |at| at - 1);
            return Err(too_many_tasks(source, &(header..span.end)));
        }
    }
    Ok(())
}
