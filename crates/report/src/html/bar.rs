//! The bar that stays at the top: where to go, and which policies to show.

use super::anchor;
use super::policy::words;
use super::summary::{in_words, key, symbol};
use flyball_study::results::{PolicyReport, Schedulable, Study, Verdict};
use maud::{Markup, html};

/// The bar. Without scripts it has links only.
pub(super) fn nav(study: &Study) -> Markup {
    html! {
        nav.bar aria-label="On this page" {
            p.places {
                a href="#top" title="Back to the top" { "↑ Top" }
                a href="#summary" { "Summary" }
                a href="#task-set" { "Tasks" }
                @if study.policies.len() > 1 { a href="#compare" data-script hidden { "Compare" } }
            }
            form data-script hidden role="search" aria-label="Filter policies" {
                input type="search" placeholder="Filter policies" aria-label="Part of a policy’s name" autocomplete="off";
                select aria-label="Verdict" {
                    option value="" { "All verdicts" }
                    @for (verdict, count) in verdicts(study) {
                        option value=(key(verdict)) { (in_words(verdict.schedulable)) " (" (count) ")" }
                    }
                }
            }
            ul.policies {
                @for (number, report) in study.policies.iter().enumerate() { (link(number, report)) }
            }
        }
    }
}

fn link(number: usize, report: &PolicyReport) -> Markup {
    let verdict = &report.verdict;
    html! {
        li data-policy=(words(report)) data-verdict=(key(verdict)) {
            a.badge.(key(verdict)) href={ "#" (anchor(number)) } title=(in_words(verdict.schedulable)) {
                (symbol(verdict)) bdi { (report.policy) }
                span.spoken { ": " (in_words(verdict.schedulable)) }
            }
        }
    }
}

/// The verdicts that there are, each with the number of its policies.
fn verdicts(study: &Study) -> impl Iterator<Item = (&Verdict, usize)> {
    let order = [
        Schedulable::Always,
        Schedulable::ExactTimes,
        Schedulable::Not,
        Schedulable::Unknown,
    ];
    order.into_iter().filter_map(|schedulable| {
        let all = study.policies.iter().map(|report| &report.verdict);
        let mut all = all.filter(|verdict| verdict.schedulable == schedulable);
        all.next().map(|first| (first, 1 + all.count()))
    })
}
