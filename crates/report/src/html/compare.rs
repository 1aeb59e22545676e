//! Two policies' schedules, one above the other. The scripts draw them from the data of the
//! policies' own charts.

use super::chart::{buttons, canvas, help};
use super::policy::chart_id;
use super::summary::name;
use flyball_study::results::Study;
use maud::{Markup, html};

/// The section. There is none for a single policy, nor without scripts.
pub(super) fn section(study: &Study) -> Markup {
    if study.policies.len() < 2 {
        return html! {};
    }
    html! {
        section #compare aria-labelledby="compare-title" data-script hidden {
            h2 #compare-title { "Compare two schedules" }
            p.part role="status" {}
            div.toolbar role="toolbar" aria-label="Controls of both schedules" {
                (buttons())
                button type="button" data-part { "First difference" }
                output.range {}
            }
            @for (id, which, chosen) in [("upper", "Above", 0), ("lower", "Below", other(study))] {
                div.side {
                    (choice(study, which, chosen))
                    (canvas(id, ""))
                    (help(id))
                }
            }
        }
    }
}

fn choice(study: &Study, which: &str, chosen: usize) -> Markup {
    html! {
        label {
            (which) " "
            select autocomplete="off" {
                @for (number, report) in study.policies.iter().enumerate() {
                    option value=(chart_id(number)) selected[number == chosen]
                        data-name=(report.policy) data-until=(report.simulated.until.as_nanos()) {
                        (name(report))
                        @if !report.title.is_empty() { " (" (report.policy) ")" }
                    }
                }
            }
        }
    }
}

/// What the first policy is compared with at first: one with another verdict, if there is one.
fn other(study: &Study) -> usize {
    let verdicts = study
        .policies
        .iter()
        .map(|report| report.verdict.schedulable);
    let mut verdicts = verdicts.enumerate().skip(1);
    let first = study
        .policies
        .first()
        .map(|report| report.verdict.schedulable);
    verdicts
        .find(|(_, verdict)| Some(*verdict) != first)
        .map_or(1, |(number, _)| number)
}
