//! Tables without lines, which fit the terminal.
//!
//! Where there is no room, columns with sentences become narrower, and columns that a table can do
//! without are left out; a line below says which, and how to see them.

use super::{DIM, terminal};
use comfy_table::{Cell, CellAlignment, ColumnConstraint, ContentArrangement, presets};
use std::fmt::Write;
use textwrap::core::display_width;

/// Blanks behind a column.
const PADDING: u16 = 2;
/// The same, as widths are counted.
const GAP: usize = PADDING as usize;
/// How narrow a column with sentences may become before others are left out.
const SENTENCE: usize = 20;

/// A table.
pub(crate) struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
}

struct Column {
    name: String,
    is_right: bool,
    /// It has sentences, which may be broken.
    is_prose: bool,
    /// When it is left out: the largest first; `None`: it stays.
    spare: Option<usize>,
}

impl Table {
    /// An empty table. Columns named in `right` are aligned to the right.
    pub(crate) fn new(columns: &[&str], right: &[&str]) -> Table {
        let column = |name: &&str| Column {
            name: (*name).to_owned(),
            is_right: right.contains(name),
            is_prose: false,
            spare: None,
        };
        Table {
            columns: columns.iter().map(column).collect(),
            rows: Vec::new(),
        }
    }

    /// The columns of these names have sentences.
    #[must_use]
    pub(crate) fn prose(mut self, names: &[&str]) -> Table {
        for column in &mut self.columns {
            column.is_prose |= names.contains(&column.name.as_str());
        }
        self
    }

    /// The columns of these names can be done without: first those in which nothing is known, then
    /// the last one first.
    #[must_use]
    pub(crate) fn spare(mut self, names: &[&str]) -> Table {
        for column in &mut self.columns {
            column.spare = names.iter().position(|name| *name == column.name);
        }
        self
    }

    /// All columns but the first can be done without, the last one first.
    #[must_use]
    pub(crate) fn spare_all(mut self) -> Table {
        for (place, column) in self.columns.iter_mut().enumerate().skip(1) {
            column.spare = Some(place);
        }
        self
    }

    /// Adds a row; cells that are not there are empty.
    pub(crate) fn add_row(&mut self, cells: impl IntoIterator<Item = impl Into<String>>) {
        let mut row: Vec<String> = cells.into_iter().map(Into::into).collect();
        row.resize(self.columns.len(), String::new());
        self.rows.push(row);
    }

    /// The table as text, as wide as the terminal allows, without blanks at the ends of its lines.
    pub(crate) fn render(&self) -> String {
        self.within(terminal::width())
    }

    fn within(&self, width: Option<usize>) -> String {
        let mut shown: Vec<usize> = (0..self.columns.len()).collect();
        let mut left_out = Vec::new();
        if let Some(width) = width {
            while self.least(&shown) > width {
                let spare = |&place: &usize| {
                    let rank = self.columns[place].spare?;
                    Some((self.says_nothing(place), rank, place))
                };
                let Some((.., last)) = shown.iter().filter_map(spare).max() else {
                    break;
                };
                shown.retain(|&place| place != last);
                left_out.push(last);
            }
        }
        let mut text = self.lines(&shown, width);
        if !left_out.is_empty() {
            left_out.sort_unstable();
            let names = left_out.iter().map(|&place| &*self.columns[place].name);
            let names = names.collect::<Vec<_>>().join(", ");
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "{DIM}No room for {names}: see --wide or --json.{DIM:#}"
            );
        }
        text
    }

    /// Whether nothing is known of any row in a column.
    fn says_nothing(&self, place: usize) -> bool {
        self.rows.iter().all(|row| row[place] == "–")
    }

    /// How wide a column is with nothing broken.
    fn natural(&self, place: usize) -> usize {
        let cells = self.rows.iter().map(|row| display_width(&row[place]));
        let name = display_width(&self.columns[place].name);
        cells.max().unwrap_or(0).max(name)
    }

    /// How wide these columns are with sentences as narrow as they may be.
    fn least(&self, shown: &[usize]) -> usize {
        let least = |&place: &usize| match self.natural(place) {
            width if self.columns[place].is_prose => width.min(SENTENCE),
            width => width,
        };
        let gaps = GAP * shown.len().saturating_sub(1);
        shown.iter().map(least).sum::<usize>() + gaps
    }

    fn lines(&self, shown: &[usize], width: Option<usize>) -> String {
        let mut table = comfy_table::Table::new();
        table.load_style(presets::NOTHING);
        table.set_header(shown.iter().map(|&place| {
            let Column { name, is_right, .. } = &self.columns[place];
            let alignment = if *is_right {
                CellAlignment::Right
            } else {
                CellAlignment::Left
            };
            Cell::new(format!("{DIM}{name}{DIM:#}")).set_alignment(alignment)
        }));
        for row in &self.rows {
            table.add_row(shown.iter().map(|&place| Cell::new(&row[place])));
        }
        let natural = shown.iter().map(|&place| self.natural(place) + GAP);
        let natural = natural.sum::<usize>().saturating_sub(GAP);
        let narrow = width.filter(|&width| natural > width);
        if let Some(width) = narrow {
            // Blanks behind the last column are cut off.
            // The width of a terminal has 16 bits; a table in more needs no limit.
            let width = u16::try_from(width + GAP).unwrap_or(u16::MAX);
            table.set_content_arrangement(ContentArrangement::Dynamic);
            table.set_width(width);
        } else {
            table.set_content_arrangement(ContentArrangement::Disabled);
        }
        // Without sentences all columns become narrower; that cannot be helped.
        let has_prose = shown.iter().any(|&place| self.columns[place].is_prose);
        for (number, &place) in shown.iter().enumerate() {
            let column = &self.columns[place];
            if let Some(cells) = table.column_mut(number) {
                cells.set_padding((0, PADDING));
                if column.is_right {
                    cells.set_cell_alignment(CellAlignment::Right);
                }
                if narrow.is_some() && has_prose && !column.is_prose {
                    cells.set_constraint(ColumnConstraint::ContentWidth);
                }
            }
        }
        let lines = table.to_string();
        lines.lines().fold(String::new(), |mut text, line| {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{}", line.trim_end());
            text
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Table {
        let columns = ["TASK", "JOBS", "MISSED", "JITTER"];
        let mut table = Table::new(&columns, &columns[1..]).spare(&["MISSED", "JITTER"]);
        table.add_row(["control", "1,000", "\u{1b}[31m3\u{1b}[0m", "12us"]);
        table
    }

    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    #[test]
    fn a_table_that_fits_is_whole() {
        let whole = "TASK      JOBS  MISSED  JITTER\ncontrol  1,000       3    12us\n";
        assert_eq!(plain(&example().within(None)), whole);
        assert_eq!(plain(&example().within(Some(30))), whole);
    }

    #[test]
    fn columns_that_can_be_done_without_are_left_out_and_named() {
        assert_eq!(
            plain(&example().within(Some(29))),
            "TASK      JOBS  MISSED\ncontrol  1,000       3\nNo room for JITTER: see --wide or --json.\n"
        );
        assert_eq!(
            plain(&example().within(Some(21))),
            "TASK      JOBS\ncontrol  1,000\nNo room for MISSED, JITTER: see --wide or --json.\n"
        );
    }

    #[test]
    fn columns_that_say_nothing_go_first() {
        let columns = ["TASK", "BOUND", "JITTER"];
        let mut table = Table::new(&columns, &columns[1..]).spare(&columns[1..]);
        table.add_row(["control", "–", "12us"]);
        let text = plain(&table.within(Some(20)));
        assert!(text.starts_with("TASK     JITTER\n"), "{text}");
    }

    #[test]
    fn sentences_are_broken_before_anything_is_left_out() {
        let mut table = Table::new(&["TEST", "WHY"], &[]).prose(&["WHY"]);
        table.add_row([
            "GFB",
            "the tasks ask for more than this test accepts of them",
        ]);
        assert_eq!(
            plain(&table.within(Some(40))),
            "TEST  WHY\nGFB   the tasks ask for more than this\n      test accepts of them\n"
        );
    }

    #[test]
    fn no_line_is_longer_than_the_terminal() {
        for width in 40..120 {
            let columns = ["NAME OF A TASK", "RESPONSE", "JITTER", "WHY"];
            let mut table = Table::new(&columns, &columns[1..3])
                .spare(&["JITTER"])
                .prose(&["WHY"]);
            table.add_row(["x", "12.5ms", "3us", &"why not ".repeat(20)]);
            let text = terminal::wrapped(&plain(&table.within(Some(width))), width);
            for line in text.lines() {
                assert!(display_width(line) <= width, "{width}: {line}");
            }
        }
    }
}
