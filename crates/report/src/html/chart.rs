//! The frame of a chart, in which the scripts draw: its controls, its legend, its help.

use super::data::Data;
use crate::gantt::{ChartStyle, chart};
use maud::{Markup, PreEscaped, html};

/// A chart to zoom into. `shown` says what it shows.
pub(super) fn figure(id: &str, label: &str, data: &Data<'_>, shown: &Markup) -> Markup {
    let text = data
        .views
        .first()
        .map(|view| chart(data.trace, view.initial.clone(), &ChartStyle::default()));
    html! {
        figure.gantt {
            div.toolbar role="toolbar" aria-label={ "Controls: " (label) } aria-controls=(id) {
                @if data.views.len() > 1 {
                    label { "View "
                        select data-do="view" {
                            @for (number, view) in data.views.iter().enumerate() {
                                option value=(number) { (view.title) }
                            }
                        }
                    }
                }
                (buttons())
                button type="button" data-do="miss" title="Next miss (N)" { "Next miss" }
                output.range aria-live="polite" {}
            }
            (canvas(id, label))
            script type="application/json" { (PreEscaped(data.json())) }
            noscript { @if let Some(text) = text { pre { (text) } } }
            figcaption {
                p.legend {
                    span { i.key.run {} "runs" }
                    @if data.has_miss { span { i.key.late {} "runs late" } }
                    span { i.key.ready {} "ready" }
                    @if data.blocks() { span { i.key.blocked {} "blocked" } }
                    @if data.holds() { span { i.key.hold {} "holds a mutex" } }
                    @if data.has_servers() { span { i.key.budget {} "left of a server's budget" } }
                    @if data.has_queues() { span { i.key.level {} "messages in a queue" } }
                    @if data.has_reservations() {
                        span { i.key.share {} "share of a CPU" }
                        span { i.key.period {} "its period, of the longest" }
                    }
                    @if data.has_reductions() { span { i.key.reduced {} "share reduced, overload" } }
                    @if data.slows() { span { i.key.slower {} "as high as the frequency" } }
                    @if data.kernel() { span { i.key.kernel {} "kernel" } }
                    span { (arrow("M6 11V2M3 5l3-3 3 3")) "release" }
                    span { (arrow("M6 1v9M3 7l3 3 3-3")) "deadline" }
                    @if data.has_miss { span { i.key.miss {} @if data.has_glitches() { "miss, over- or underrun" } @else { "miss" } } }
                    @if data.moves() { span { (arrow("M1 2v8l5-4zM7 2v8l5-4z")) "goes on on another CPU" } }
                }
                p.shown { (shown) }
                (help(id))
            }
        }
    }
}

/// What moves a chart.
pub(super) fn buttons() -> Markup {
    html! {
        button type="button" data-do="out" title="Zoom out (−)" { "−" span.word { " Zoom out" } }
        button type="button" data-do="in" title="Zoom in (+)" { "+" span.word { " Zoom in" } }
        button type="button" data-do="left" title="Earlier (←)" { "←" }
        button type="button" data-do="right" title="Later (→)" { "→" }
        button type="button" data-do="fit" title="Everything (0)" { "Fit" }
    }
}

/// Where a chart is drawn. Its help has the id of the chart and `-help`.
pub(super) fn canvas(id: &str, label: &str) -> Markup {
    html! {
        div.chart id=(id) tabindex="0" role="application" aria-label=(label) aria-describedby={ (id) "-help" } {
            canvas {}
            div.rows aria-hidden="true" {}
            div.tip hidden {}
        }
    }
}

/// How a chart is moved.
pub(super) fn help(id: &str) -> Markup {
    html! {
        p.help id={ (id) "-help" } {
            "Ctrl and wheel or pinch to zoom, drag to move, point at something for its exact times. Keys: "
            kbd { "+" } " " kbd { "−" } " zoom, " kbd { "←" } " " kbd { "→" } " move, "
            kbd { "0" } " everything, " kbd { "N" } " next miss."
        }
    }
}

fn arrow(path: &str) -> Markup {
    html! { svg.key viewBox="0 0 12 12" aria-hidden="true" { path d=(path) {} } }
}
