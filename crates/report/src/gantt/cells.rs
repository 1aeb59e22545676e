//! Columns of a chart, and how much of each was filled.

use flyball_trace::{Duration, Time};
use std::ops::Range;

/// Which stretch of time each column stands for. Whole numbers throughout: a column begins at the
/// nanosecond before which its share of the window has passed.
pub(super) struct Scale {
    pub(super) window: Range<Time>,
    pub(super) columns: usize,
}

/// What was added to each column.
pub(super) struct Cells(Vec<Cell>);

#[derive(Clone, Copy, Default)]
struct Cell {
    total: Duration,
    /// From the first instant that was filled to the last, if any was.
    first: Option<Time>,
    last: Time,
    cpu: u8,
}

/// How a column is filled, in eighths of its width, from 1 to 8.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fill {
    /// All of it.
    Full,
    /// So much of it, from its beginning.
    Left(u8),
    /// So much of it, up to its end.
    Right(u8),
    /// So much of it, here and there.
    Some(u8),
}

impl Scale {
    pub(super) fn new(window: Range<Time>, columns: usize) -> Scale {
        Scale { window, columns }
    }

    fn span(&self) -> u128 {
        u128::from(self.window.end.since(self.window.start).as_nanos())
    }

    /// The column that an instant of the window is in.
    pub(super) fn column(&self, time: Time) -> Option<usize> {
        if !self.window.contains(&time) {
            return None;
        }
        let passed = u128::from(time.since(self.window.start).as_nanos());
        // The largest column whose beginning is not after it: begin(c) = ceil(c · span / columns).
        let column = passed * self.columns as u128 / self.span().max(1);
        usize::try_from(column).ok()
    }

    /// When a column begins. That of the column behind the last is the end of the window.
    pub(super) fn begin(&self, column: usize) -> Time {
        let passed = (self.span() * column as u128).div_ceil(self.columns.max(1) as u128);
        self.window.start + Duration::from_nanos(u64::try_from(passed).unwrap_or(u64::MAX))
    }
}

impl Cells {
    pub(super) fn new(scale: &Scale) -> Cells {
        Cells(vec![Cell::default(); scale.columns])
    }

    /// Something lasted from `start` to `end`, on `cpu`. To be told in order of time for each CPU.
    pub(super) fn add(&mut self, scale: &Scale, start: Time, end: Time, cpu: u8) {
        let start = start.max(scale.window.start);
        let end = end.min(scale.window.end);
        let Some(first) = scale.column(start).filter(|_| start < end) else {
            return;
        };
        for column in first..scale.columns {
            let (from, to) = (
                start.max(scale.begin(column)),
                end.min(scale.begin(column + 1)),
            );
            if from < to {
                let cell = &mut self.0[column];
                cell.total += to.since(from);
                cell.first = Some(cell.first.map_or(from, |first| first.min(from)));
                cell.last = cell.last.max(to);
                cell.cpu = cpu;
            }
            if to >= end {
                break;
            }
        }
    }

    pub(super) fn any(&self, column: usize) -> bool {
        self.0[column].first.is_some()
    }

    pub(super) fn total(&self, column: usize) -> Duration {
        self.0[column].total
    }

    /// How a column is filled and by which CPU; `None`: it is empty.
    pub(super) fn fill(&self, scale: &Scale, column: usize) -> Option<(Fill, u8)> {
        let Cell {
            total,
            first,
            last,
            cpu,
        } = self.0[column];
        let first = first?;
        let (begin, end) = (scale.begin(column), scale.begin(column + 1));
        let length = u128::from(end.since(begin).as_nanos()).max(1);
        // Rounded to the nearest eighth, but never to nothing.
        let eighths = (u128::from(total.as_nanos()) * 16 / length).div_ceil(2);
        let eighths = u8::try_from(eighths.clamp(1, 8)).unwrap_or(8);
        let whole = last.since(first) <= total;
        let fill = match eighths {
            8 => Fill::Full,
            _ if whole && first == begin => Fill::Left(eighths),
            _ if whole && last == end => Fill::Right(eighths),
            _ => Fill::Some(eighths),
        };
        Some((fill, cpu))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(ns: u64) -> Time {
        Time::from_nanos(ns)
    }

    #[test]
    fn a_column_is_filled_from_the_left_the_right_or_in_between() {
        let scale = Scale::new(at(100)..at(164), 4);
        let fill = |parts: &[(u64, u64)]| {
            let mut cells = Cells::new(&scale);
            for &(start, end) in parts {
                cells.add(&scale, at(start), at(end), 0);
            }
            let fill = |column| cells.fill(&scale, column).map(|(fill, _)| fill);
            (0..4).map(fill).collect::<Vec<_>>()
        };
        let from_104 = [
            Some(Fill::Right(6)),
            Some(Fill::Full),
            Some(Fill::Left(4)),
            None,
        ];
        assert_eq!(fill(&[(104, 140)]), from_104);
        assert_eq!(fill(&[(104, 140), (90, 95), (164, 170)]), from_104);
        assert_eq!(fill(&[(101, 102)])[0], Some(Fill::Some(1)));
        assert_eq!(fill(&[(100, 104), (112, 116)])[0], Some(Fill::Some(4)));
        assert_eq!(fill(&[(0, u64::MAX)]), [Some(Fill::Full); 4]);
    }

    proptest! {
        #[test]
        fn columns_divide_the_window(
            start in any::<u64>(), span in 1..u64::MAX, columns in 1..300_usize, part in any::<u64>(),
        ) {
            let end = start.saturating_add(span);
            prop_assume!(start < end);
            let scale = Scale::new(at(start)..at(end), columns);
            prop_assert_eq!((scale.begin(0), scale.begin(columns)), (at(start), at(end)));
            let time = at(start + part % (end - start));
            let column = scale.column(time).unwrap();
            prop_assert!(column < columns);
            prop_assert!(scale.begin(column) <= time && time < scale.begin(column + 1));
            prop_assert_eq!(scale.column(at(end)), None);
        }
    }
}
