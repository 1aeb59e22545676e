//! A reproduction as one HTML page that needs nothing else, as [that of a study](mod@crate::html).

use super::{Claim, Experiment, Figure, NO_VERDICT, ON_HOST, Reproduction, Verdict, svg};
use crate::html::{STYLE as REPORT_STYLE, head};
use maud::{DOCTYPE, Markup, html};

pub(super) const STYLE: &str = include_str!("page.css");

/// The reproduction as an HTML page: the verdicts on all claims first, then each experiment with
/// what was done, what was assumed, its claims and its figures.
pub fn html(reproduction: &Reproduction) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (head(&reproduction.title, &[REPORT_STYLE, svg::STYLE, STYLE]))
            body {
                a.skip href="#claims" { "Skip to the claims" }
                header { (header(reproduction)) }
                main {
                    (overview(reproduction))
                    @for experiment in &reproduction.experiments { (section(experiment)) }
                }
                footer {
                    p { "Made by " code { "flyball reproduce " (reproduction.name) } ". Nothing in it was typed in but the published values." }
                }
            }
        }
    };
    page.into_string()
}

fn header(reproduction: &Reproduction) -> Markup {
    html! {
        p.kicker { "Flyball reproduction" }
        h1 { (reproduction.title) }
        p.source { (reproduction.source) }
        @if let Some(machine) = &reproduction.machine {
            p.source { "Where it could, it ran on: " (machine.title) "." }
        }
    }
}

/// How many claims of each verdict, and all of them in a table.
fn overview(reproduction: &Reproduction) -> Markup {
    let tally = reproduction.tally();
    html! {
        section #claims aria-labelledby="claims-title" {
            h2 #claims-title { "Which claims hold?" }
            p.answer {
                strong { (tally.holds) } " hold, "
                strong { (tally.differs) } " differ and "
                strong { (tally.not_comparable) } " are not comparable."
            }
            ul.notes { @for note in &reproduction.notes { li { (note) } } }
            div.scroll tabindex="0" role="region" aria-labelledby="claims-title" {
                table.claims {
                    (columns())
                    @for experiment in &reproduction.experiments {
                        tbody {
                            tr { th.experiment colspan="4" scope="rowgroup" { a href={ "#" (experiment.name) } { (experiment.title) } } }
                            @for claim in &experiment.claims { (row(claim)) }
                            @if experiment.claims.is_empty() { tr { td colspan="4" { (NO_VERDICT) } } }
                        }
                    }
                }
            }
        }
    }
}

fn columns() -> Markup {
    html! {
        thead {
            tr {
                th scope="col" { "Claim" }
                th scope="col" { "Published" }
                th scope="col" { "Ours" }
                th scope="col" { "Verdict" }
            }
        }
    }
}

fn row(claim: &Claim) -> Markup {
    html! {
        tr {
            td.claim { (claim.text) " " span.place { (claim.place) } }
            td { (claim.published) }
            td { (claim.ours) }
            td.verdict-cell {
                (badge(&claim.verdict))
                @if !claim.criterion.is_empty() { p.why { (claim.criterion) } }
                @if let Some(reason) = claim.verdict.reason() { p.why { (reason) } }
            }
        }
    }
}

/// In colour, symbol and word.
fn badge(verdict: &Verdict) -> Markup {
    let (class, d) = match verdict {
        Verdict::Holds => ("badge yes", "M3 8.5l3.5 3.5L13 4.5"),
        Verdict::Differs(_) => ("badge no", "M4 4l8 8M12 4l-8 8"),
        Verdict::NotComparable(_) => ("badge open", "M4 6h8M4 10h8M10.5 2.5l-5 11"),
    };
    html! {
        span class=(class) {
            svg viewBox="0 0 16 16" aria-hidden="true" { path d=(d) {} }
            (verdict.name())
        }
    }
}

fn section(experiment: &Experiment) -> Markup {
    html! {
        section.policy id=(experiment.name) {
            h2 { (experiment.title) }
            p.about { (experiment.about) }
            @if experiment.on_machine { p.note { "Ran on the machine." } }
            @if experiment.on_host { p.note { (ON_HOST) } }
            @if !experiment.settings.is_empty() {
                dl.settings {
                    @for (name, value) in &experiment.settings {
                        div { dt { (name) } dd { (value) } }
                    }
                }
            }
            @if !experiment.assumptions.is_empty() {
                h3 { "Assumed, since the work does not say it" }
                ul.notes { @for assumption in &experiment.assumptions { li { (assumption) } } }
            }
            @for figure in &experiment.figures { (figure_of(figure)) }
        }
    }
}

pub(super) fn figure_of(figure: &Figure) -> Markup {
    html! {
        figure.plotted {
            figcaption { strong { (figure.title) } " " (figure.caption) }
            (svg::inline(figure))
            p.note {
                "Files: " a href=(figure.file("svg")) { (figure.file("svg")) }
                ", " a href=(figure.file("csv")) { (figure.file("csv")) }
            }
        }
    }
}
