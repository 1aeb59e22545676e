//! The head of the page, and the table that answers: which scheduler holds it?

use super::anchor;
use super::format::{counted, grouped, length, parts, percent};
use super::policy::words;
use crate::words as reasons;
use flyball_study::note::Note;
use flyball_study::results::{PolicyReport, Schedulable, Study, Verdict};
use flyball_trace::Duration;
use maud::{Markup, html};

/// What the page is called.
pub(super) fn title(study: &Study) -> &str {
    if study.set.name.is_empty() {
        &study.file
    } else {
        &study.set.name
    }
}

/// Title, source, and what was studied.
pub(super) fn header(study: &Study) -> Markup {
    let set = &study.set;
    html! {
        p.kicker { "Flyball study" }
        h1 { bdi { (title(study)) } }
        @if let Some(source) = &set.source { p.source { bdi { (source) } } }
        p.facts {
            span { code { bdi { (study.file) } } }
            span { (counted(set.tasks.len() as u64, "task")) }
            span { (reasons::asks(set)) }
            @if let Some(hyperperiod) = set.hyperperiod() {
                span { "hyperperiod " (length(hyperperiod)) }
            }
        }
    }
}

/// `part` of `whole` in millionths, rounded to the nearest; `None` where that means nothing.
fn share(part: Duration, whole: Duration) -> Option<u64> {
    if part == Duration::MAX || whole.is_zero() || whole == Duration::MAX {
        return None;
    }
    let (part, whole) = (u128::from(part.as_nanos()), u128::from(whole.as_nanos()));
    u64::try_from((part * 1_000_000 + whole / 2) / whole).ok()
}

/// The answer, the table, and the notes.
pub(super) fn section(study: &Study) -> Markup {
    html! {
        section #summary aria-labelledby="summary-title" {
            h2 #summary-title { "Which scheduler holds it?" }
            (answer(study))
            p.filtered role="status" {}
            div.scroll tabindex="0" role="region" aria-labelledby="summary-title" {
                table.summary {
                    thead { tr {
                        th scope="col" { "Policy" }
                        th scope="col" { "Verdict" }
                        th.num scope="col" { "Misses" }
                        th.num scope="col" { "Jobs" }
                        th.num scope="col" { "Preemptions" }
                        @if study.cpus > 1 {
                            th.num scope="col" title="How often a job went on on another CPU than before; and how often a job began on another CPU than the one before it" { "Migrations of jobs; of tasks" }
                        }
                        th.num scope="col" { "Context switches" }
                        th.num scope="col" title="The part of the time of all CPUs in which they worked for tasks" { "CPUs busy" }
                        th.num scope="col" title="By how much all worst-case execution times together may grow, or have to shrink; and the utilisation of all CPUs together then" { "Margin" }
                    } }
                    tbody {
                        @for (number, report) in study.policies.iter().enumerate() {
                            (row(number, report, study.cpus > 1))
                        }
                    }
                }
            }
            (notes(&study.notes))
        }
    }
}

/// In a sentence: which policies hold it and which do not.
fn answer(study: &Study) -> Markup {
    let group = |schedulable: Schedulable| {
        let of_group = move |report: &&PolicyReport| report.verdict.schedulable == schedulable;
        let names = study.policies.iter().filter(of_group);
        names.map(|report| &report.policy).collect::<Vec<_>>()
    };
    let yes = group(Schedulable::Always);
    let exact = group(Schedulable::ExactTimes);
    let (no, open) = (group(Schedulable::Not), group(Schedulable::Unknown));
    html! {
        p.answer {
            @if yes.is_empty() {
                "No policy is known to hold it. "
            } @else {
                strong { "Held by " (list(&yes)) "." } " "
            }
            @if !exact.is_empty() { "Held for exactly these times by " (list(&exact)) ". " }
            @if !no.is_empty() { "Not held by " (list(&no)) ". " }
            @if !open.is_empty() { "Not known for " (list(&open)) "." }
        }
        @if !exact.is_empty() {
            p.exactly {
                b { "For exactly these times: " }
                "no deadline is missed where every job computes for as long and arrives when it did in the \
                 simulation. The task set allows less: a job that computes for a shorter time might make \
                 another one late."
            }
        }
    }
}

/// Names with commas between them. No line ends within a name.
fn list(names: &[&String]) -> Markup {
    html! {
        @for (number, name) in names.iter().enumerate() {
            @if number > 0 { ", " }
            bdi { (name) }
        }
    }
}

fn row(number: usize, report: &PolicyReport, several: bool) -> Markup {
    let simulated = &report.simulated;
    let kernel = overhead(report);
    html! {
        tr data-policy=(words(report)) data-verdict=(key(&report.verdict)) {
            th scope="row" {
                a href={ "#" (anchor(number)) } { bdi { (name(report)) } }
                @if !report.title.is_empty() { " " code { bdi { (report.policy) } } }
            }
            td.why {
                (verdict(&report.verdict))
            }
            td.num.bad[simulated.misses > 0] data-label="Misses" { (grouped(simulated.misses.into())) }
            td.num data-label="Jobs" { (grouped(simulated.jobs.into())) }
            td.num data-label="Preemptions" { (grouped(simulated.preemptions.into())) }
            @if several {
                td.num data-label="Migrations of jobs; of tasks" { div {
                    (grouped(report.summary.job_migrations().into()))
                    "; " (grouped(report.summary.task_migrations().into()))
                } }
            }
            td.num data-label="Context switches" { (grouped(simulated.context_switches.into())) }
            td.num data-label="CPUs busy" { div {
                (percent(report.summary.utilisation_ppm()))
                @if kernel > 0 { span.aside { " + " (percent(kernel)) " kernel" } }
            } }
            td.num data-label="Margin" { div {
                @if let Some(breakdown) = report.breakdown {
                    (reasons::margin(report.breakdown))
                    span.aside { " at utilisation " (parts(breakdown.utilisation_ppm)) }
                } @else { span.none { "–" } }
            } }
        }
    }
}

/// The share of time that kernels took, in millionths.
fn overhead(report: &PolicyReport) -> u64 {
    let cpus = &report.summary.cpus;
    let sum: Duration = cpus.iter().map(|cpu| cpu.overhead).sum();
    share(sum, report.summary.elapsed * cpus.len() as u64).unwrap_or(0)
}

/// The policy's name in words, or its short one.
pub(super) fn name(report: &PolicyReport) -> String {
    let mut letters = report.title.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => report.policy.clone(),
    }
}

/// The verdict, what proves it, and why it is so.
pub(super) fn verdict(verdict: &Verdict) -> Markup {
    let reason = reasons::verdict(verdict);
    html! {
        (badge(verdict))
        @if let Some(proof) = &verdict.proof { span.proof { "by " (proof) } }
        @if !reason.is_empty() { span.reason { (reason) } }
    }
}

/// The verdict in a word and a symbol; the colour says the same once more.
pub(super) fn badge(verdict: &Verdict) -> Markup {
    html! { span.badge.(key(verdict)) { (symbol(verdict)) (in_words(verdict.schedulable)) } }
}

/// The class of a verdict, by which it is coloured and filtered.
pub(super) fn key(verdict: &Verdict) -> &'static str {
    match verdict.schedulable {
        Schedulable::Always => "yes",
        Schedulable::ExactTimes => "exact",
        Schedulable::Not => "no",
        Schedulable::Unknown => "open",
    }
}

/// The verdict in a few words.
pub(super) fn in_words(schedulable: Schedulable) -> &'static str {
    match schedulable {
        Schedulable::Always => "Holds",
        Schedulable::ExactTimes => "Holds for exactly these times",
        Schedulable::Not => "Does not hold",
        Schedulable::Unknown => "Not known",
    }
}

/// The verdict as a picture.
pub(super) fn symbol(verdict: &Verdict) -> Markup {
    let path = match verdict.schedulable {
        Schedulable::Always => "M3.5 8.5l3 3 6-7",
        Schedulable::ExactTimes => "M3.5 6.5l3 3 6-7M3.5 13.5h9",
        Schedulable::Not => "M4 4l8 8M12 4l-8 8",
        Schedulable::Unknown => "M5.5 6a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1.8-1.1 1.8M8 12.4v.2",
    };
    html! { svg viewBox="0 0 16 16" aria-hidden="true" { path d=(path) {} } }
}

/// What the reader should know.
pub(super) fn notes(notes: &[Note]) -> Markup {
    html! {
        @if !notes.is_empty() {
            ul.notes { @for note in notes { li { (reasons::note(note)) } } }
        }
    }
}
