//! How much of each schedule there is room for on a page of three megabytes.

use super::views::Most;
use flyball_study::results::Study;

/// How much a page shows of each of its schedules.
#[derive(Clone, Copy)]
pub(super) struct Room {
    /// Of the chart, in each of its two views.
    pub(super) most: Most,
    /// Rows of the table of tasks.
    pub(super) rows: usize,
    /// Histograms of response times, those of tasks that come closest to their deadlines.
    pub(super) histograms: usize,
}

impl Room {
    /// An equal part of the page for each schedule.
    pub(super) fn of(study: &Study) -> Room {
        let measured = study.measured.as_ref();
        let measured = measured.map_or(0, |measured| 2 * measured.policies.len());
        let schedules = (study.policies.len() + measured).max(1);
        let part = |all: usize, least, most| (all / schedules).clamp(least, most);
        Room {
            most: Most {
                slices: part(32_000, 300, 20_000),
                marks: part(64_000, 600, 60_000),
            },
            rows: part(1_500, 20, 1_000),
            histograms: part(300, 6, 48),
        }
    }
}
