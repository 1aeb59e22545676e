//! Colours can be told from what is behind them: by the contrast ratio of WCAG 2.2, on light pages
//! and on dark ones.

use std::collections::HashMap;

const STYLE: &str = include_str!("../src/html/report.css");

/// What text needs, and what a shape needs that is no text.
const TEXT: f64 = 4.5;
const SHAPE: f64 = 3.0;

/// What pages, tables and charts have behind them.
const BACKS: [&str; 3] = ["page", "card", "stripe"];

/// The variables of a scheme: name and colour.
type Scheme = HashMap<&'static str, &'static str>;

/// The light and the dark scheme. The dark one changes what it names and keeps the rest.
fn schemes() -> [(&'static str, Scheme); 2] {
    let (light, rest) = STYLE.split_once("@media screen").expect("both are there");
    let (dark, _) = rest.split_once("\n}").expect("it ends");
    let light: Scheme = variables(light).collect();
    let mut both = light.clone();
    both.extend(variables(dark));
    [("light", light), ("dark", both)]
}

fn variables(css: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let declarations = css.split(['{', '}', ';']);
    declarations.filter_map(|text| text.trim().strip_prefix("--")?.split_once(": "))
}

/// Relative luminance.
fn luminance(colour: &str) -> f64 {
    let digits = colour.strip_prefix('#').expect("a colour is hexadecimal");
    let channel = |at: usize| {
        let value = u8::from_str_radix(&digits[at..at + 2], 16).expect("it has six digits");
        let value = f64::from(value) / 255.0;
        if value <= 0.04045 {
            value / 12.92
        } else {
            ((value + 0.055) / 1.055).powf(2.4)
        }
    };
    0.2126 * channel(0) + 0.7152 * channel(2) + 0.0722 * channel(4)
}

/// The contrast ratio, from 1 to 21.
fn contrast(a: &str, b: &str) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// The lowest contrast among pairs of a front and what is behind it; panics with all pairs that
/// are below `least`.
fn lowest(least: f64, fronts: &[&str], backs: &[&str]) -> f64 {
    let mut lowest = f64::INFINITY;
    let mut low = Vec::new();
    for (name, scheme) in schemes() {
        for front in fronts {
            for back in backs {
                let ratio = contrast(scheme[front], scheme[back]);
                lowest = lowest.min(ratio);
                if ratio < least {
                    low.push(format!("{name}: {front} on {back} {ratio:.2}"));
                }
            }
        }
    }
    assert!(low.is_empty(), "{}", low.join("\n"));
    lowest
}

#[test]
fn ratios_are_those_of_the_standard() {
    assert!((contrast("#ffffff", "#000000") - 21.0).abs() < 1e-9);
    assert!((contrast("#777777", "#ffffff") - 4.48).abs() < 0.01);
}

#[test]
fn text_can_be_read() {
    let texts = ["ink", "soft", "link", "no"];
    println!("text: {:.2}", lowest(TEXT, &texts, &BACKS));
    for badge in ["yes", "no", "open", "exact"] {
        lowest(TEXT, &[badge], &[&format!("{badge}-back")]);
    }
    // A tip is the other way around.
    lowest(TEXT, &["page"], &["ink"]);
}

#[test]
fn every_task_can_be_seen() {
    let tasks: Vec<String> = (0..20).map(|task| format!("t{task}")).collect();
    let tasks: Vec<&str> = tasks.iter().map(String::as_str).collect();
    println!("tasks: {:.2}", lowest(SHAPE, &tasks, &BACKS));
    // Black or white is written on them, whichever contrasts more.
    for (_, scheme) in schemes() {
        for task in &tasks {
            let on = |text| contrast(scheme[task], text);
            assert!(on("#000000").max(on("#ffffff")) >= TEXT, "{task}");
        }
    }
}

#[test]
fn every_mark_can_be_seen() {
    let marks = [
        "faint", "max", "mean", "late", "bound", "deadline", "ready", "blocked", "hold", "kernel",
        "budget", "focus",
    ];
    println!("marks: {:.2}", lowest(SHAPE, &marks, &BACKS));
    lowest(SHAPE, &["max", "late", "mean"], &["track"]);
    lowest(SHAPE, &["mean"], &["max"]);
}
