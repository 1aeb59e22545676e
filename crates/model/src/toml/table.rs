//! Reads values out of TOML's tables: each knows where it stands and what was expected in its
//! place.
//!
//! The tables are walked by hand, because only so can a message name the line, the column and the
//! field, and say what to write instead. A table is opened with the list of its keys; a key that is
//! not in the list is an error there and then, and before anything else that the misspelt key would
//! make look missing.

use crate::error::{Kind, ModelError};
use crate::hint;
use crate::share::Share;
use crate::source::{At, Source, Span};
use crate::units::{A_TIME, DurationError, not_a_time, parse_duration};
use flyball_trace::Duration;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value in the document.
pub(super) type Node<'d> = Spanned<DeValue<'d>>;

/// What every reader of a value returns.
pub(super) type Read<T> = Result<T, ModelError>;

/// A table of which all keys are known.
#[derive(Clone)]
pub(super) struct Table<'d> {
    pub(super) source: &'d Source<'d>,
    pub(super) span: Span,
    entries: &'d DeTable<'d>,
    known: &'static [&'static str],
}

impl<'d> Table<'d> {
    /// Opens `node`, which has to be a table with no keys but the `known` ones.
    pub(super) fn open(
        source: &'d Source<'d>,
        node: &'d Node<'d>,
        known: &'static [&'static str],
    ) -> Read<Table<'d>> {
        let table = Table {
            known,
            ..Table::open_any(source, node)?
        };
        table.check_keys()?;
        Ok(table)
    }

    /// Opens `node`, which has to be a table, with whatever keys.
    pub(super) fn open_any(source: &'d Source<'d>, node: &'d Node<'d>) -> Read<Table<'d>> {
        match node.get_ref() {
            DeValue::Table(entries) => Ok(Table {
                source,
                span: node.span(),
                entries,
                known: &[],
            }),
            other => Err(expected(source, node, "a table", other)),
        }
    }

    /// The whole document. Its keys are not checked yet: see [`Table::check_keys`].
    pub(super) fn document(
        source: &'d Source<'d>,
        entries: &'d DeTable<'d>,
        known: &'static [&'static str],
    ) -> Table<'d> {
        Table {
            source,
            span: 0..0,
            entries,
            known,
        }
    }

    /// Refuses the first key in the file that is not known.
    pub(super) fn check_keys(&self) -> Read<()> {
        let unknown = self
            .entries
            .keys()
            .filter(|key| !self.known.contains(&key.as_ref().as_ref()));
        let Some(key) = unknown.min_by_key(|key| key.span().start) else {
            return Ok(());
        };
        let name = key.get_ref();
        let message = format!("unknown key {}", hint::quoted(name));
        let error = self.source.error(Kind::UnknownKey, &key.span(), message);
        Err(error.help(hint::did_you_mean(name, "the keys here are", self.known)))
    }

    /// All entries in the order of the file, each with where its key stands.
    pub(super) fn entries(&self) -> Vec<(At<&'d str>, &'d Node<'d>)> {
        let entries = self.entries.iter().map(|(key, node)| {
            let value = key.get_ref().as_ref();
            (
                At {
                    value,
                    span: key.span(),
                },
                node,
            )
        });
        let mut entries: Vec<_> = entries.collect();
        entries.sort_by_key(|(key, _)| key.span.start);
        entries
    }

    /// Where a key stands, if it is there.
    pub(super) fn key(&self, key: &str) -> Option<Span> {
        self.entries.get_key_value(key).map(|(key, _)| key.span())
    }

    /// Reads the value of `key` with `read`, if it is there.
    pub(super) fn get<T>(
        &self,
        key: &'static str,
        read: impl FnOnce(&'d Source<'d>, &'d Node<'d>) -> Read<T>,
    ) -> Read<Option<At<T>>> {
        debug_assert!(
            self.known.contains(&key),
            "`{key}` is not in the list of known keys"
        );
        let Some(node) = self.entries.get(key) else {
            return Ok(None);
        };
        let value = read(self.source, node).map_err(|error| error.within(key))?;
        Ok(Some(At {
            value,
            span: node.span(),
        }))
    }

    /// Reads the value of `key` with `read`; it has to be there. `what` names it for people.
    pub(super) fn require<T>(
        &self,
        key: &'static str,
        what: &str,
        read: impl FnOnce(&'d Source<'d>, &'d Node<'d>) -> Read<T>,
    ) -> Read<At<T>> {
        self.get(key, read)?.ok_or_else(|| {
            let error =
                self.source
                    .error(Kind::Missing, &self.span, format!("missing key `{key}`"));
            error.help(format!("add `{key} = …`, {what}"))
        })
    }
}

/// A fault: `node` is no `what`.
pub(super) fn expected(
    source: &Source<'_>,
    node: &Node<'_>,
    what: &str,
    found: &DeValue<'_>,
) -> ModelError {
    let message = format!("expected {what}, found {}", describe(found));
    source.error(Kind::WrongType, &node.span(), message)
}

/// What a value is, for people.
pub(super) fn describe(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => hint::quoted(text),
        DeValue::Integer(number) => shorten(&number.to_string()),
        DeValue::Float(number) => shorten(number.as_str()),
        DeValue::Boolean(value) => value.to_string(),
        DeValue::Datetime(_) => "a date or time of day".to_owned(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}

/// The number itself, unless it is absurdly long.
fn shorten(number: &str) -> String {
    match number.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &number[..end]),
        None => number.to_owned(),
    }
}

/// Reads a text.
pub(super) fn text<'d>(source: &'d Source<'d>, node: &'d Node<'d>) -> Read<&'d str> {
    match node.get_ref() {
        DeValue::String(text) => Ok(text.as_ref()),
        other => Err(expected(source, node, "a text in quotes", other)),
    }
}

/// Reads a length of time.
pub(super) fn time(source: &Source<'_>, node: &Node<'_>) -> Read<Duration> {
    let units = DurationError::NoUnit.remedy();
    match node.get_ref() {
        DeValue::String(text) => {
            parse_duration(text).map_err(|error| not_a_time(source, &node.span(), text, &error))
        }
        other => Err(expected(source, node, A_TIME, other).help(units)),
    }
}

/// Reads a whole number from `range`.
pub(super) fn whole<T>(
    range: core::ops::RangeInclusive<T>,
) -> impl Fn(&Source<'_>, &Node<'_>) -> Read<T>
where
    T: TryFrom<i128> + PartialOrd + core::fmt::Display,
{
    move |source, node| {
        let (least, most) = (range.start(), range.end());
        let what = format!("a whole number from {least} to {most}");
        let DeValue::Integer(number) = node.get_ref() else {
            return Err(expected(source, node, &what, node.get_ref()));
        };
        i128::from_str_radix(number.as_str(), number.radix())
            .ok()
            .and_then(|number| T::try_from(number).ok())
            .filter(|number| range.contains(number))
            .ok_or_else(|| {
                let mut error = expected(source, node, &what, node.get_ref());
                error.kind = Kind::OutOfRange;
                error
            })
    }
}

/// Reads a part of a CPU.
pub(super) fn share(source: &Source<'_>, node: &Node<'_>) -> Read<Share> {
    let what = "a part of a CPU from 0 to 1, such as 0.25";
    millionths(source, node, what, Share::ONE.millionths()).map(Share::from_millionths)
}

/// Reads the part of a computation's time in which the CPU waits for memory.
pub(super) fn stalls(source: &Source<'_>, node: &Node<'_>) -> Read<Share> {
    let what = "a part of the time from 0 to 1, such as 0.25";
    millionths(source, node, what, Share::ONE.millionths()).map(Share::from_millionths)
}

/// Reads a fraction with at most six digits behind the point, in millionths, of which there are `most`.
pub(super) fn millionths(source: &Source<'_>, node: &Node<'_>, what: &str, most: u32) -> Read<u32> {
    let parse = |text| crate::share::millionths(text).filter(|it| *it <= most);
    let (kind, found) = match node.get_ref() {
        DeValue::Float(number) => (Kind::OutOfRange, parse(number.as_str())),
        DeValue::Integer(number) if number.radix() == 10 => {
            (Kind::OutOfRange, parse(number.as_str()))
        }
        _ => (Kind::WrongType, None),
    };
    found.ok_or_else(|| {
        let mut error = expected(source, node, what, node.get_ref());
        error.kind = kind;
        error.help("it may have six digits behind the point")
    })
}

/// Reads any whole number.
pub(super) fn integer(source: &Source<'_>, node: &Node<'_>) -> Read<i64> {
    let DeValue::Integer(number) = node.get_ref() else {
        return Err(expected(source, node, "a whole number", node.get_ref()));
    };
    i64::from_str_radix(number.as_str(), number.radix()).map_err(|_| {
        let message = format!("{} does not fit into 64 bits", describe(node.get_ref()));
        source.error(Kind::OutOfRange, &node.span(), message)
    })
}

/// Reads a word that has to be one of `choices`.
pub(super) fn choice<T: Copy>(
    choices: &'static [(&'static str, T)],
) -> impl Fn(&Source<'_>, &Node<'_>) -> Read<T> {
    move |source, node| {
        let words: Vec<&str> = choices.iter().map(|&(word, _)| word).collect();
        let what = hint::list(&words, "or").replace('`', "\"");
        let DeValue::String(found) = node.get_ref() else {
            return Err(expected(source, node, &what, node.get_ref()));
        };
        let found = found.as_ref();
        if let Some(&(_, value)) = choices.iter().find(|&&(word, _)| word == found) {
            return Ok(value);
        }
        let mut error = expected(source, node, &what, node.get_ref());
        error.kind = Kind::UnknownName;
        error.help = hint::closest(found, words).map(|word| format!("did you mean {word:?}?"));
        Err(error)
    }
}

/// Reads a list.
pub(super) fn list<'d>(source: &Source<'_>, node: &'d Node<'d>) -> Read<&'d [Node<'d>]> {
    match node.get_ref() {
        DeValue::Array(items) => Ok(items),
        other => Err(expected(source, node, "a list in square brackets", other)),
    }
}

/// Reads an array of tables, `[[key]]`.
pub(super) fn tables<'d>(
    key: &str,
) -> impl Fn(&'d Source<'d>, &'d Node<'d>) -> Read<&'d [Node<'d>]> {
    move |source, node| match node.get_ref() {
        DeValue::Array(items) => Ok(items),
        other => {
            let what = format!("`[[{key}]]` in double brackets");
            let error = expected(source, node, &what, other);
            Err(error.help(format!("write `[[{key}]]` once for each {key}")))
        }
    }
}
