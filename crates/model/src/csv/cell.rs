//! Reads the cells of a row.

use crate::error::{Kind, ModelError};
use crate::hint;
use crate::share::Share;
use crate::source::{At, Source};
use crate::taskset::OnMiss;
use crate::toml::ON_MISS;
use crate::units::{DurationError, Unit, not_a_time, parse_duration, parse_number};
use flyball_trace::Duration;
use std::fmt;
use std::ops::RangeInclusive;

/// Reads a length of time; a plain number if the column's name has the unit.
pub(super) fn time(
    source: &Source<'_>,
    unit: Option<Unit>,
    cell: &At<String>,
) -> Result<At<Duration>, ModelError> {
    let text = &cell.value;
    let read = match unit {
        Some(unit) => parse_number(text, unit),
        None => parse_duration(text),
    };
    read.map(|value| at(cell, value)).map_err(|why| {
        if unit.is_none() || why != DurationError::NotANumber {
            return not_a_time(source, &cell.span, text, &why);
        }
        let message = format!("expected a plain number, found {}", hint::quoted(text));
        let error = source.error(Kind::WrongType, &cell.span, message);
        match parse_duration(text) {
            Ok(_) => error.help("the column's name has the unit already"),
            Err(_) => error.help("write it as in 2.5"),
        }
    })
}

/// Reads a whole number of this range.
pub(super) fn number<T: TryFrom<i128> + Copy + PartialOrd + fmt::Display>(
    source: &Source<'_>,
    range: RangeInclusive<T>,
    cell: &At<String>,
) -> Result<At<T>, ModelError> {
    let value = cell.value.parse::<i128>();
    let in_range = value
        .as_ref()
        .ok()
        .and_then(|&value| T::try_from(value).ok());
    if let Some(value) = in_range.filter(|value| range.contains(value)) {
        return Ok(at(cell, value));
    }
    let kind = if value.is_ok() {
        Kind::OutOfRange
    } else {
        Kind::WrongType
    };
    let found = hint::quoted(&cell.value);
    let (least, most) = range.into_inner();
    let message = format!("expected a whole number from {least} to {most}, found {found}");
    Err(source.error(kind, &cell.span, message))
}

/// Reads a part of a CPU.
pub(super) fn share(source: &Source<'_>, cell: &At<String>) -> Result<At<Share>, ModelError> {
    let share = Share::parse(&cell.value).map(|share| at(cell, share));
    share.ok_or_else(|| {
        let found = hint::quoted(&cell.value);
        let message = format!("expected a part of a CPU from 0 to 1, found {found}");
        let error = source.error(Kind::OutOfRange, &cell.span, message);
        error.help("write it as in 0.25, with six digits behind the point at most")
    })
}

/// Reads what happens on a miss.
pub(super) fn on_miss(source: &Source<'_>, cell: &At<String>) -> Result<At<OnMiss>, ModelError> {
    if let Some(&(_, value)) = ON_MISS.iter().find(|(word, _)| *word == cell.value) {
        return Ok(at(cell, value));
    }
    let words: Vec<_> = ON_MISS.iter().map(|&(word, _)| word).collect();
    let what = hint::list(&words, "or").replace('`', "\"");
    let message = format!("expected {what}, found {}", hint::quoted(&cell.value));
    let mut error = source.error(Kind::UnknownName, &cell.span, message);
    error.help = hint::closest(&cell.value, words).map(|word| format!("did you mean {word:?}?"));
    Err(error)
}

/// The value of a cell, where the cell is.
fn at<T>(cell: &At<String>, value: T) -> At<T> {
    At {
        value,
        span: cell.span.clone(),
    }
}
