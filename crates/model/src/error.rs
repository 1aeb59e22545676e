//! What is wrong with a task set's file, where, and what to do about it.

use crate::settings::Place;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use core::fmt;
use core::ops::Range;

/// A file that is no task set. Its `Display` reads like a compiler's message, in plain text:
///
/// ```text
/// radar.toml:12:8: task "nav": wcet: expected a time such as "10ms" or "250us", found 10
///    |
/// 12 | wcet = 10
///    |        ^^
///    |
///    = help: the units are ns, us, ms, s and min
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ModelError {
    /// What sort of fault it is.
    pub kind: Kind,
    /// The file, as the caller named it.
    pub file: Option<String>,
    /// Where the fault stands in the file; `None` where the file as a whole is at fault.
    pub place: Option<Place>,
    /// The field, from the outside in: `task "nav": behaviour: step 3: lock`.
    pub field: Option<String>,
    /// What is wrong, or what was expected and what was found.
    pub message: String,
    /// How to put it right.
    pub help: Option<String>,
    /// The line of the file at `place`.
    pub excerpt: Option<Box<Excerpt>>,
}

/// One line of a file, or the part of it around a fault if the line is very long.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Excerpt {
    /// The text.
    pub line: String,
    /// The bytes of `line` that are at fault; empty where something is missing.
    pub fault: Range<usize>,
}

/// What sort of fault a [`ModelError`] is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Kind {
    /// The file cannot be read or written: it is missing, a folder, not permitted.
    Io,
    /// The file's format is not known, or it cannot hold what is to be written.
    Format,
    /// It is not text in UTF-8.
    Encoding,
    /// It breaks the rules of TOML or CSV.
    Syntax,
    /// It follows another version of the format.
    Schema,
    /// A key or a column that means nothing here.
    UnknownKey,
    /// Something that has to be there is not.
    Missing,
    /// Another type of value is needed here.
    WrongType,
    /// A value outside of its range.
    OutOfRange,
    /// A name or a key that is there already.
    Duplicate,
    /// A name that nothing has.
    UnknownName,
    /// Values that are fine by themselves, but not together.
    Inconsistent,
    /// More of something than there may be.
    TooMany,
}

impl Kind {
    /// A short name that stays the same between versions, for programs.
    pub const fn code(self) -> &'static str {
        match self {
            Kind::Io => "io",
            Kind::Format => "format",
            Kind::Encoding => "encoding",
            Kind::Syntax => "syntax",
            Kind::Schema => "schema",
            Kind::UnknownKey => "unknown-key",
            Kind::Missing => "missing",
            Kind::WrongType => "wrong-type",
            Kind::OutOfRange => "out-of-range",
            Kind::Duplicate => "duplicate",
            Kind::UnknownName => "unknown-name",
            Kind::Inconsistent => "inconsistent",
            Kind::TooMany => "too-many",
        }
    }
}

impl ModelError {
    /// A fault of no place in particular.
    pub(crate) fn new(kind: Kind, message: impl Into<String>) -> ModelError {
        ModelError {
            kind,
            file: None,
            place: None,
            field: None,
            message: message.into(),
            help: None,
            excerpt: None,
        }
    }

    /// The same, in the file of that name.
    pub(crate) fn in_file(mut self, name: &str) -> ModelError {
        self.file = Some(name.to_owned());
        self
    }

    /// The same, with a remedy.
    pub(crate) fn help(mut self, help: impl Into<String>) -> ModelError {
        self.help = Some(help.into());
        self
    }

    /// The same, inside of `outer`.
    pub(crate) fn within(mut self, outer: &str) -> ModelError {
        self.field = Some(match self.field {
            Some(inner) => format!("{outer}: {inner}"),
            None => outer.to_owned(),
        });
        self
    }

    /// The message in one line, with file, place and field in front: `x.toml:12:8: wcet: …`.
    pub fn headline(&self) -> String {
        let mut parts = Vec::new();
        match (&self.file, self.place) {
            (Some(file), Some(at)) => parts.push(format!("{file}:{}:{}", at.line, at.column)),
            (Some(file), None) => parts.push(file.clone()),
            (None, Some(at)) => parts.push(format!("{}:{}", at.line, at.column)),
            (None, None) => {}
        }
        parts.extend(self.field.clone());
        parts.push(self.message.clone());
        parts.join(": ")
    }

    /// The whole message with colours for a terminal (ANSI escapes).
    pub fn coloured(&self) -> String {
        self.render(&Renderer::styled())
    }

    fn render(&self, renderer: &Renderer) -> String {
        let headline = self.headline();
        let mut group = Group::with_title(Level::ERROR.no_name().primary_title(headline));
        if let (Some(excerpt), Some(place)) = (&self.excerpt, self.place) {
            let fault = AnnotationKind::Primary.span(excerpt.fault.clone());
            let line = Snippet::source(&excerpt.line).line_start(place.line as usize);
            group = group.element(line.annotation(fault));
        }
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(help));
        }
        renderer.render(&[group])
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(&Renderer::plain()))
    }
}

impl std::error::Error for ModelError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> ModelError {
        ModelError {
            kind: Kind::WrongType,
            file: Some("radar.toml".into()),
            place: Some(Place {
                line: 12,
                column: 8,
            }),
            field: Some("wcet".into()),
            message: "expected a time, found 10".into(),
            help: Some("write the unit".into()),
            excerpt: Some(Box::new(Excerpt {
                line: "wcet = 10 # ms".into(),
                fault: 7..9,
            })),
        }
    }

    #[test]
    fn display_shows_place_line_and_remedy() {
        let expected = r#"
radar.toml:12:8: task "nav": wcet: expected a time, found 10
   |
12 | wcet = 10 # ms
   |        ^^
   |
   = help: write the unit"#;
        let error = example().within("task \"nav\"");
        assert_eq!(format!("\n{error}"), expected);
        assert!(!expected.contains('\u{1b}'));
        assert!(error.coloured().contains("\u{1b}["));
    }

    #[test]
    fn what_has_no_place_shows_none() {
        let error = ModelError::new(Kind::Io, "no such file").in_file("x.toml");
        assert_eq!(error.to_string(), "x.toml: no such file");
        assert_eq!(
            ModelError::new(Kind::Io, "no such file").to_string(),
            "no such file"
        );
    }

    #[test]
    fn it_is_small_enough_to_be_returned_by_value() {
        assert!(size_of::<ModelError>() <= 128);
    }
}
