//! At which operating points a task set still holds on the CPUs that its tasks name.

use crate::output::{self, BOLD, DIM};
use flyball_model::TaskSet;
use flyball_study::Slowest;
use flyball_trace::Speed;
use std::fmt::Write as _;

/// A table of policies and tasks; nothing where the platform has no operating points, or no policy with a
/// test is known to hold the set.
pub(super) fn text(set: &TaskSet, found: &[Slowest]) -> String {
    let mut text = String::new();
    let (Some(speeds), false) = (&set.platform.speeds, found.is_empty()) else {
        return text;
    };
    let _ = writeln!(text, "\n{BOLD}Operating points{BOLD:#}");
    let mut columns = vec!["TASK"];
    columns.extend(found.iter().map(|it| it.policy));
    let mut table = output::table(&columns, &columns[1..]).spare_all();
    let show = |speed: Speed| speeds.frequency(speed).to_string();
    let mut all = vec!["all".to_owned()];
    all.extend(found.iter().map(|it| show(it.all)));
    table.add_row(all);
    for (number, task) in set.tasks.iter().enumerate() {
        let point = |it: &Slowest| {
            it.each
                .as_ref()
                .map_or("–".into(), |each| show(each[number]))
        };
        let mut row = vec![task.name.clone()];
        row.extend(found.iter().map(point));
        table.add_row(row);
    }
    text += &table.render();
    let _ = writeln!(
        text,
        "{DIM}The lowest frequency at which the set is known to hold: if CPUs always run at it (all), or if \
         they go over to it for this task alone.{DIM:#}"
    );
    text
}
