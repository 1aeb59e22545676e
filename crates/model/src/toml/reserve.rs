//! Reads and writes what a task asks to have reserved.

use super::table::{Node, Read, Table, share, time};
use crate::error::Kind;
use crate::share::Share;
use crate::source::{At, Source};
use crate::taskset::Reserve;
use core::fmt::{self, Formatter};

/// What a reservation looks like.
const EXAMPLE: &str = "as in `reserve = { share = 0.2, period = \"30ms\" }`";

/// Reads a reservation, a table.
pub(super) fn reserve<'d>(source: &'d Source<'d>, node: &'d Node<'d>) -> Read<Reserve> {
    let table = Table::open(source, node, &["share", "period"]).map_err(|error| {
        let help = error.help.clone();
        error.help(help.unwrap_or_else(|| format!("write `share` or `period` or both, {EXAMPLE}")))
    })?;
    let share = table.get("share", share)?;
    let period = table.get("period", time)?;
    if let Some(At { span, .. }) = share.as_ref().filter(|it| it.value == Share::default()) {
        let error = source.error(Kind::OutOfRange, span, "a share of zero reserves nothing");
        let help = "write a part of a CPU above zero, or leave it out";
        return Err(error.within("share").help(help));
    }
    if let Some(At { span, .. }) = period.as_ref().filter(|it| it.value.is_zero()) {
        let message = "in a period of zero there is no time to reserve";
        let error = source.error(Kind::OutOfRange, span, message);
        let help = "write at least \"1ns\", or leave it out";
        return Err(error.within("period").help(help));
    }
    if share.is_none() && period.is_none() {
        let message = "neither `share` nor `period` says what is reserved";
        let error = source.error(Kind::Missing, &table.span, message);
        return Err(error.help(format!("write one of them or both, {EXAMPLE}")));
    }
    Ok(Reserve {
        share: share.map(|share| share.value),
        period: period.map(|period| period.value),
    })
}

/// Writes a reservation as a line of a task.
pub(super) fn write(f: &mut Formatter<'_>, reserve: Reserve) -> fmt::Result {
    let share = reserve.share.map(|share| format!("share = {share}"));
    let period = reserve
        .period
        .map(|period| format!("period = \"{period}\""));
    let keys: Vec<String> = share.into_iter().chain(period).collect();
    writeln!(f, "reserve = {{ {} }}", keys.join(", "))
}
