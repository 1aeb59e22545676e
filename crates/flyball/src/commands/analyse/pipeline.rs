//! What a pipeline needs, on the average: rates, shares, periods and capacities.

use crate::output::{self, BOLD, DIM};
use flyball_analysis::pipeline::{Capacities, longest_delay};
use flyball_model::TaskSet;
use flyball_study::{PipelineNeeds, SetAnalysis};
use flyball_trace::Duration;
use std::fmt::Write as _;

/// Two tables, of queues and of stages, and what is to be noted; nothing where no queue is used by two
/// stages, sources or sinks.
pub(super) fn text(all: &SetAnalysis) -> String {
    let mut text = String::new();
    let set = &all.set;
    let Some(found) = &all.pipeline else {
        return text;
    };
    let _ = writeln!(text, "\n{BOLD}What the pipeline needs{BOLD:#}");
    if found.pipeline.sources.is_empty() && found.pipeline.sinks.is_empty() {
        let _ = writeln!(
            text,
            "Nothing drives it: there is neither a source nor a sink, so no rates are known."
        );
        return text;
    }
    let sized = all.capacities.as_ref();
    queues(&mut text, set, found, sized.map(|(_, sized)| sized));
    if let Some((latency, sized)) = sized {
        let met = sized.delay <= seconds(*latency) * (1.0 + 1e-5);
        let not_met = if met {
            ""
        } else {
            ", as each has at least two messages"
        };
        let _ = writeln!(
            text,
            "{DIM}For {latency}: how many messages each queue may hold, so that none spends more than that in \
             queues. With these capacities it is up to {}{not_met}.{DIM:#}",
            time(sized.delay)
        );
    }
    text.push('\n');
    stages(&mut text, set, found);
    notes(&mut text, set, found);
    text
}

fn queues(text: &mut String, set: &TaskSet, found: &PipelineNeeds, sized: Option<&Capacities>) {
    let mut columns = vec!["QUEUE", "MESSAGES/S", "CAPACITY", "DELAY"];
    columns.extend(sized.map(|_| "FOR THE LATENCY"));
    let mut table = output::table(&columns, &columns[1..]);
    for (number, (queue, flow)) in set.queues.iter().zip(&found.needs.queues).enumerate() {
        let mut row = vec![
            queue.name.clone(),
            flow.rate().map_or("–".into(), |it| format!("{it:.1}")),
            queue.capacity.to_string(),
            flow.delay().map_or("–".into(), time),
        ];
        row.extend(sized.map(|it| it.queues[number].map_or("–".into(), |it| it.to_string())));
        table.add_row(row);
    }
    *text += &table.render();
    let _ = writeln!(
        text,
        "{DIM}Delay: capacity ÷ rate, the longest that a message waits there while receivers keep up; on the longest \
         way {}.{DIM:#}",
        time(longest_delay(&found.pipeline, &found.needs))
    );
}

fn stages(text: &mut String, set: &TaskSet, found: &PipelineNeeds) {
    let columns = [
        "STAGE",
        "ROUNDS/S",
        "MEAN CPU",
        "GREATEST CPU",
        "MAY GROW",
        "ALONE",
        "PERIOD",
    ];
    let mut table = output::table(&columns, &columns[1..]);
    let needs = &found.needs;
    for (place, (&task, need)) in found.stages.iter().zip(&needs.stages).enumerate() {
        let mut row = vec![set.tasks[task].name.clone()];
        match need {
            Some(need) => row.extend([
                format!("{:.1}", need.rounds),
                percent(need.share.mean),
                percent(need.share.greatest),
                (needs.growth_beside(place)).map_or("–".into(), |it| factor(it.0)),
                (needs.growth_alone(place)).map_or("–".into(), |it| factor(it.0)),
                need.period.map_or("–".into(), time),
            ]),
            None => row.extend(columns[1..].iter().map(|_| "–".to_owned())),
        }
        table.add_row(row);
    }
    let growth = needs.growth().0;
    let growth = if growth.is_finite() {
        factor(growth)
    } else {
        "–".into()
    };
    table.add_row(vec![
        "all".to_owned(),
        String::new(),
        percent(needs.all.mean),
        percent(needs.all.greatest),
        growth,
        String::new(),
        String::new(),
    ]);
    *text += &table.render();
    let (shortest, longest, threshold) = found.periods;
    let _ = writeln!(
        text,
        "{DIM}Mean and greatest CPU: rounds × what a round computes. May grow: by what the mean may be multiplied until the \
         stages need a whole CPU, the others as they are; alone: on a CPU of its own. Period: in which {} of \
         one of its queues moves; pp lets its period grow to that, within {shortest} and {longest}. \
         All these are means and no guarantee: no verdict depends on them.{DIM:#}",
        percent(f64::from(threshold) / 1e6)
    );
}

fn notes(text: &mut String, set: &TaskSet, found: &PipelineNeeds) {
    for (queue, flow) in set.queues.iter().zip(&found.needs.queues) {
        if let (Some(comes), Some(goes), Some(gain), Some(after)) =
            (flow.comes, flow.goes, flow.gain(), flow.used_up())
        {
            let (what, then) = if gain > 0.0 {
                ("fills", "it is full")
            } else {
                ("empties", "it is empty")
            };
            let _ = writeln!(
                text,
                "Queue {} {what} for ever: {comes:.3} messages come in a second, and {goes:.3} go. After {} at \
                 the latest {then}.",
                queue.name,
                time(after)
            );
        }
    }
    if found.needs.all.mean > 1.0 {
        let _ = writeln!(
            text,
            "The stages need more than one CPU, even on the average."
        );
    }
    let shortest = seconds(found.periods.0);
    for (&task, need) in found.stages.iter().zip(&found.needs.stages) {
        let name = &set.tasks[task].name;
        match need {
            None => {
                let _ = writeln!(
                    text,
                    "Nothing drives {name}: no source or sink gives it a rate."
                );
            }
            Some(need) if need.period.is_some_and(|it| it < shortest) => {
                let _ = writeln!(
                    text,
                    "The period of {name} is below the shortest one of pp: a queue of it is too small for that."
                );
            }
            Some(_) => {}
        }
    }
    for &task in &found.others {
        let _ = writeln!(
            text,
            "{} uses queues, but does not loop for ever: it is no stage, and its messages do not count.",
            set.tasks[task].name
        );
    }
}

fn percent(part: f64) -> String {
    format!("{:.2} %", part * 100.0)
}

fn factor(factor: f64) -> String {
    format!("{factor:.2}×")
}

fn seconds(length: Duration) -> f64 {
    std::time::Duration::from_nanos(length.as_nanos()).as_secs_f64()
}

/// A time in seconds, rounded to a few digits.
fn time(seconds: f64) -> String {
    let nanos =
        std::time::Duration::try_from_secs_f64(seconds).map_or(u128::MAX, |it| it.as_nanos());
    output::time(Some(Duration::from_nanos(
        u64::try_from(nanos).unwrap_or(u64::MAX),
    )))
}
