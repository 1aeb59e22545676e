//! Claims and figures as CSV (RFC 4180, but with plain line breaks).

use super::{Figure, Reproduction, Scale};

/// All claims, one row each:
/// `experiment, claim, place, criterion, published, ours, verdict, reason`. The reason of a claim
/// that holds is empty.
pub fn claims(reproduction: &Reproduction) -> String {
    let columns = [
        "experiment",
        "claim",
        "place",
        "criterion",
        "published",
        "ours",
        "verdict",
        "reason",
    ];
    let rows = reproduction.claims().map(|(experiment, claim)| {
        [
            experiment.name.as_str(),
            &claim.text,
            &claim.place,
            &claim.criterion,
            &claim.published,
            &claim.ours,
            claim.verdict.name(),
            claim.verdict.reason().unwrap_or_default(),
        ]
        .map(str::to_owned)
    });
    table(columns, rows)
}

/// All points of a figure, one row each: `panel, series, role, x, y`. Panels without a title are
/// numbered from 1; an x that is a category has its name. An interval has its lower bounds first,
/// and then its upper ones, from right to left.
pub fn figure(figure: &Figure) -> String {
    let x = |x: f64| match &figure.x.scale {
        Scale::Categories(names) => {
            let at = |n: usize| super::scale::whole(n) - x;
            let place = (0..names.len()).find(|&n| at(n).abs() < 0.5);
            place.map_or_else(|| x.to_string(), |n| names[n].clone())
        }
        _ => x.to_string(),
    };
    let rows = figure.panels.iter().enumerate().flat_map(|(n, panel)| {
        let title = if panel.title.is_empty() {
            (n + 1).to_string()
        } else {
            panel.title.clone()
        };
        panel.series.iter().flat_map(move |series| {
            let title = title.clone();
            series.points.iter().map(move |&[at, y]| {
                let role = series.role.name().to_owned();
                [
                    title.clone(),
                    series.name.clone(),
                    role,
                    x(at),
                    y.to_string(),
                ]
            })
        })
    });
    table(["panel", "series", "role", "x", "y"], rows)
}

fn table<const N: usize>(columns: [&str; N], rows: impl Iterator<Item = [String; N]>) -> String {
    let mut table = csv::Writer::from_writer(Vec::new());
    // Neither writing to memory nor rows of one length can fail.
    let _ = table.write_record(columns);
    for row in rows {
        let _ = table.write_record(row);
    }
    let bytes = table.into_inner().unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_default()
}
