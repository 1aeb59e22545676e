//! Reservations that change while the system runs: shares of a CPU and periods.

use super::format::{Unit, cell, count, percent};
use super::summary::name;
use flyball_study::results::PolicyReport;
use flyball_trace::Kind;
use flyball_trace::metrics::ReservationSummary;
use maud::{Markup, html};

/// The whole part of a policy's section; nothing where no reservation was told.
pub(super) fn reservations(report: &PolicyReport, most: usize) -> Markup {
    let all = &report.summary.reservations;
    if all.is_empty() {
        return html! {};
    }
    let periods = |it: &ReservationSummary| [it.shortest, it.period, it.longest].map(Some);
    let lengths = all.iter().flat_map(periods);
    let unit = Unit::common(lengths.clone());
    let places = unit.places(lengths);
    let row = |it: &ReservationSummary| {
        html! {
            tr {
                th scope="row" { bdi { (report.tasks.get(it.task.index()).map_or("", |task| &task.name)) } }
                @for share in [it.first, it.least, it.mean, it.most, it.last] {
                    td.num { (percent(Kind::share_ppm(share))) }
                }
                @for period in periods(it) { (cell(period, unit, places)) }
                (count(it.reduced))
            }
        }
    };
    let shares = [
        (
            "First",
            "The share of a CPU that the task was entitled to at first",
        ),
        ("Least", "The least share"),
        ("Mean", "The mean of the share over time"),
        ("Most", "The largest share"),
        ("Last", "The share at the end"),
    ];
    let lengths = [
        ("Shortest period", "The shortest period"),
        ("Last period", "The period at the end"),
        ("Longest period", "The longest period"),
    ];
    html! {
        h3 { "Reservations" }
        div.scroll tabindex="0" role="region" aria-label=(format!("Reservations under {}", name(report))) {
            table {
                thead { tr {
                    th scope="col" { "Reservation of" }
                    @for (column, title) in shares { th.num scope="col" title=(title) { (column) } }
                    @for (column, title) in lengths { th.num scope="col" title=(title) { (column) ", " (unit.name) } }
                    th.num scope="col" title="How often the share was reduced because the CPU was overloaded" { "Reduced" }
                } }
                tbody {
                    @for it in all.iter().take(most) { (row(it)) }
                }
            }
        }
        @if all.len() > most {
            p.note { "Shown are " (most) " of " (all.len()) " reservations." }
        }
    }
}
