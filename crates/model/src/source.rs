//! A file's text, and the way from a position in it to a line and a column.

use crate::error::{Excerpt, Kind, ModelError};
use crate::settings::{Location, Place};
use core::ops::Range;
use std::cell::OnceCell;

/// Bytes of a text.
pub(crate) type Span = Range<usize>;

/// A value, and where in the text it stands.
#[derive(Clone, Debug)]
pub(crate) struct At<T> {
    pub(crate) value: T,
    pub(crate) span: Span,
}

/// A text and the name of its file.
pub(crate) struct Source<'t> {
    pub(crate) name: &'t str,
    pub(crate) text: &'t str,
    /// Every so many bytes, where that is. Made when it is first asked for.
    marks: OnceCell<Vec<(usize, Place)>>,
}

/// Bytes between two marks: an error or a setting costs a walk over so many bytes at most, even
/// where the whole file is a single line.
const STRIDE: usize = 256;

/// Longest line in characters that is shown whole, and how many characters go before the fault in
/// one that is not.
const WIDEST: usize = 120;
const LEAD: usize = 40;

impl<'t> Source<'t> {
    pub(crate) fn new(name: &'t str, text: &'t str) -> Source<'t> {
        Source {
            name,
            text,
            marks: OnceCell::new(),
        }
    }

    /// A fault at `span`.
    pub(crate) fn error(&self, kind: Kind, span: &Span, message: impl Into<String>) -> ModelError {
        let mut error = ModelError::new(kind, message).in_file(self.name);
        error.place = Some(self.place(span.start));
        error.excerpt = Some(Box::new(self.excerpt(span)));
        error
    }

    /// Where something at `span` begins.
    pub(crate) fn location(&self, span: &Span) -> Location {
        Location(Some(self.place(span.start)))
    }

    /// Line and column of a byte. Takes O(log n) once the first call has read the text.
    pub(crate) fn place(&self, byte: usize) -> Place {
        let byte = self.text.floor_char_boundary(byte);
        let marks = self.marks.get_or_init(|| marks(self.text));
        let (from, place) = match marks.partition_point(|&(at, _)| at <= byte) {
            0 => (0, Place { line: 1, column: 1 }),
            behind => marks[behind - 1],
        };
        self.text[from..byte].chars().fold(place, step)
    }

    /// The line around a span.
    fn excerpt(&self, span: &Span) -> Excerpt {
        let at = self.text.floor_char_boundary(span.start);
        let (before, behind) = self.text.split_at(at);
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let rest = behind
            .find('\n')
            .map_or(behind, |newline| &behind[..newline]);
        let rest = rest.strip_suffix('\r').unwrap_or(rest);
        let mut lead = &self.text[start..at];
        let mut tail = rest;
        if lead.chars().nth(LEAD).is_some() && (lead.len() + rest.len()) > WIDEST {
            let cut = lead
                .char_indices()
                .rev()
                .nth(LEAD - 1)
                .map_or(0, |(cut, _)| cut);
            lead = &lead[cut..];
        }
        if let Some((cut, _)) = tail.char_indices().nth(WIDEST) {
            tail = &tail[..cut];
        }
        let end = tail.floor_char_boundary(span.end.saturating_sub(at));
        Excerpt {
            line: format!("{lead}{tail}"),
            fault: lead.len()..lead.len() + end,
        }
    }
}

/// The place behind a character.
fn step(at: Place, character: char) -> Place {
    match character {
        '\n' => Place {
            line: at.line.saturating_add(1),
            column: 1,
        },
        _ => Place {
            line: at.line,
            column: at.column.saturating_add(1),
        },
    }
}

fn marks(text: &str) -> Vec<(usize, Place)> {
    let mut marks = Vec::with_capacity(text.len() / STRIDE);
    let mut place = Place { line: 1, column: 1 };
    let mut next = STRIDE;
    for (byte, character) in text.char_indices() {
        if byte >= next {
            marks.push((byte, place));
            next = byte + STRIDE;
        }
        place = step(place, character);
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_excerpt_is_one_line() {
        let source = Source::new("x", "one\r\ntwo = 2\r\nthree");
        let excerpt = source.excerpt(&(5..8));
        assert_eq!((excerpt.line.as_str(), excerpt.fault), ("two = 2", 0..3));
        let excerpt = source.excerpt(&(11..17));
        assert_eq!((excerpt.line.as_str(), excerpt.fault), ("two = 2", 6..7));
        let excerpt = source.excerpt(&(99..99));
        assert_eq!((excerpt.line.as_str(), excerpt.fault), ("three", 5..5));
    }

    #[test]
    fn a_very_long_line_is_cut_around_the_fault() {
        let text = format!("{}HERE{}", "ä".repeat(1_000_000), "ö".repeat(1_000_000));
        let source = Source::new("x", &text);
        let excerpt = source.excerpt(&(2_000_000..2_000_004));
        assert_eq!(&excerpt.line[excerpt.fault.clone()], "HERE");
        assert_eq!(excerpt.line.chars().count(), LEAD + WIDEST);
        assert_eq!(
            source.place(2_000_000),
            Place {
                line: 1,
                column: 1_000_001
            }
        );
    }

    proptest! {
        /// Against counting from the start.
        #[test]
        fn places_are_counted_from_the_start(text in "(\\PC|\n|\r\n){0,900}", part in 0.0..1.0) {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
            let byte = text.floor_char_boundary((text.len() as f64 * part) as usize);
            let before = &text[..byte];
            let line = before.matches('\n').count() + 1;
            let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
            let place = Source::new("x", &text).place(byte);
            prop_assert_eq!((place.line as usize, place.column as usize), (line, column));
        }
    }
}
