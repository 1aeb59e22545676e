//! Tables of queues, of the paths of messages, and of reservations.

use super::{DIM, grouped, misses, table, time};
use flyball_model::{End, TaskSet};
use flyball_report::words;
use flyball_study::results::PolicyReport;
use flyball_trace::Kind;

/// How full queues were, how long messages were in them, and how often tasks waited there; `None`: no queue was used.
pub(crate) fn queue_table(set: &TaskSet, report: &PolicyReport) -> Option<String> {
    let has = |end| set.endpoints.iter().any(|it| it.end == end);
    let (has_sources, has_sinks) = (has(End::Source), has(End::Sink));
    let mut columns = vec!["QUEUE", "MOST", "MESSAGES"];
    columns.extend(has_sources.then_some("LOST"));
    columns.extend(has_sinks.then_some("MISSING"));
    columns.extend(["INTERVAL", "DEVIATION", "DELAY", "LONGEST", "FULL", "EMPTY"]);
    let mut table = table(&columns, &columns[1..]).prose(&columns[..1]).spare(&[
        "DELAY",
        "DEVIATION",
        "MESSAGES",
    ]);
    for (queue, sums) in set.queues.iter().zip(&report.summary.queues) {
        let capacity = grouped(queue.capacity.into());
        let mut row = vec![
            queue.name.clone(),
            format!("{} of {capacity}", grouped(sums.highest.into())),
            grouped(sums.put),
        ];
        row.extend(has_sources.then(|| misses(sums.lost)));
        row.extend(has_sinks.then(|| misses(sums.missing)));
        row.extend([
            time(sums.intervals.mean()),
            time(sums.intervals.deviation()),
            time(sums.delay.mean()),
            time(sums.delay.max()),
            grouped(sums.full_stalls),
            grouped(sums.empty_stalls()),
        ]);
        table.add_row(row);
    }
    let is_used = report.summary.queues.iter().any(|it| !it.is_unused());
    is_used.then(|| {
        let text = table.render();
        format!(
            "{text}{DIM}INTERVAL: between messages put in, the mean and its standard deviation; DELAY: of a message in \
             the queue, the mean and the longest; FULL, EMPTY: how often a task waited for room, and for a \
             message.{DIM:#}\n"
        )
    })
}

/// How long messages took from the first queue of a path through the last one; `None`: there is no path on which that
/// is known.
pub(crate) fn path_table(set: &TaskSet, report: &PolicyReport) -> Option<String> {
    let columns = ["PATH", "MESSAGES", "MIN", "MEAN", "DEVIATION", "MAX"];
    let mut table = table(&columns, &columns[1..]).prose(&columns[..1]);
    for path in &report.summary.paths {
        let latency = &path.latency;
        table.add_row([
            words::queues(path, set).collect::<Vec<_>>().join(" → "),
            grouped(latency.count()),
            time(latency.min()),
            time(latency.mean()),
            time(latency.deviation()),
            time(latency.max()),
        ]);
    }
    (!report.summary.paths.is_empty()).then(|| table.render())
}

/// What tasks were entitled to whose reservations were told; `None`: there was none.
pub(crate) fn reservation_table(report: &PolicyReport) -> Option<String> {
    let columns = [
        "RESERVATION",
        "FIRST",
        "LEAST",
        "MEAN",
        "MOST",
        "LAST",
        "PERIOD",
        "SHORTEST",
        "LONGEST",
        "REDUCED",
    ];
    let mut table = table(&columns, &columns[1..])
        .prose(&columns[..1])
        .spare(&["FIRST", "SHORTEST", "LONGEST"]);
    for it in &report.summary.reservations {
        let name = report
            .tasks
            .get(it.task.index())
            .map(|task| task.name.clone());
        let mut row = vec![name.unwrap_or_default()];
        let shares = [it.first, it.least, it.mean, it.most, it.last];
        row.extend(shares.map(|share| words::tenths(Kind::share_ppm(share))));
        row.extend([it.period, it.shortest, it.longest].map(|period| time(Some(period))));
        row.push(grouped(it.reduced));
        table.add_row(row);
    }
    (!report.summary.reservations.is_empty()).then(|| table.render())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_tells_reservations() {
        use flyball_study::results::TaskReport;
        use flyball_trace::metrics::ReservationSummary;
        use flyball_trace::{Duration, TaskId};
        let mut report = PolicyReport::default();
        assert_eq!(reservation_table(&report), None);
        let named = |name: &str| TaskReport {
            name: name.into(),
            ..TaskReport::default()
        };
        report.tasks = vec![named("a"), named("decoder")];
        let part = Kind::WHOLE_CPU / 16;
        report.summary.reservations.push(ReservationSummary {
            task: TaskId(1),
            first: 2 * part,
            least: part,
            mean: 5 * part,
            most: 8 * part,
            last: 4 * part,
            shortest: Duration::from_millis(20),
            period: Duration::from_millis(40),
            longest: Duration::from_millis(80),
            reduced: 3,
        });
        let table = reservation_table(&report).unwrap();
        let row = table.lines().find(|line| line.contains("decoder")).unwrap();
        let cells: Vec<_> = row.split_whitespace().filter(|it| *it != "%").collect();
        assert_eq!(
            cells,
            [
                "decoder", "12.5", "6.2", "31.2", "50.0", "25.0", "40ms", "20ms", "80ms", "3"
            ]
        );
    }
}
