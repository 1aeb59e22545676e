//! A schedule as a chart for the terminal, and as a picture ([`svg()`]).
//!
//! One row a task, with its marks above it, as textbooks draw it:
//!
//! ```text
//!             ↕           ↕           ↕
//! sensor      ███         ███         ███
//!             ↑                       ↕
//! control        ███▌·····   ███
//!             ├────┬────┬────┬────┬────┬────
//!             0    2ms  4ms  6ms  8ms  10ms
//! ```
//!
//! With several CPUs the bar is made of their numbers, and a mark says where a job goes on on
//! another one than before.
//!
//! A column stands for a stretch of time. Where a task ran in all of it the column is full; where
//! it ran at its beginning or its end, that side is filled; otherwise, in a chart of a long time,
//! the height tells the share. What is shorter than a column is always shown, never rounded away.
//!
//! O(events + tasks × columns).

mod cells;
mod style;
mod svg;
mod text;

pub use style::{ChartStyle, Glyphs, Paint};
pub use svg::svg;

use crate::axis::round_step;
use crate::slices::{Migration, Schedule, What};
use anstyle::Style;
use cells::{Cells, Scale};
use flyball_trace::file::Trace;
use flyball_trace::{Cause, CpuId, Time};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::Range;
use style::Symbols;
use text::{cut, width};

/// The narrowest chart, in columns, apart from the names.
const NARROWEST: usize = 16;

/// Draws what happened in `window`. Each line ends with a line break.
///
/// The chart is as wide as the style says, unless that is too narrow for anything; characters of a
/// task's name that would upset a terminal are replaced. An empty window gives an empty chart.
pub fn chart(trace: &Trace, window: Range<Time>, style: &ChartStyle) -> String {
    if window.is_empty() {
        return String::new();
    }
    let schedule = Schedule::of(trace);
    Chart::new(trace, &schedule, window, style).draw()
}

/// Everything that is drawn.
struct Chart<'a> {
    style: &'a ChartStyle,
    symbols: &'static Symbols,
    scale: Scale,
    /// Columns for names, with a space behind them.
    margin: usize,
    rows: Vec<Row>,
    seen: BTreeSet<Sign>,
    /// Tasks whose releases and deadlines lie too close together to be told apart.
    crowded: usize,
}

/// One row: its name, the marks above it, and its bar.
struct Row {
    name: String,
    marks: Vec<(char, Style)>,
    bar: Vec<(char, Style)>,
}

/// What occurs in a chart and therefore has to be explained below it, in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Sign {
    Runs,
    RunsOnCpu,
    Ready,
    Blocked,
    /// A mark, by the number of its symbol.
    Mark(usize),
}

/// What happened within one column.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Marks(u8);

impl Marks {
    const RELEASE: u8 = 1;
    const DEADLINE: u8 = 2;
    const MISS: u8 = 4;
    const ABORT: u8 = 8;
    const SKIP: u8 = 16;
    const MIGRATION: u8 = 32;

    /// What a mark of that kind counts as; the end of a job is seen from its bar.
    fn bit(what: What) -> u8 {
        match what {
            What::Complete => 0,
            What::Release => Marks::RELEASE,
            What::Deadline => Marks::DEADLINE,
            What::Miss => Marks::MISS,
            What::Abort => Marks::ABORT,
            What::Skip => Marks::SKIP,
        }
    }

    /// The number of the symbol to draw: the worst that happened.
    fn symbol(self) -> Option<usize> {
        let has = |bit| self.0 & bit != 0;
        Some(match self.0 {
            0 => return None,
            _ if has(Marks::MISS) => 3,
            _ if has(Marks::ABORT) => 4,
            _ if has(Marks::SKIP) => 5,
            _ if has(Marks::MIGRATION) => 6,
            _ if has(Marks::RELEASE) && has(Marks::DEADLINE) => 2,
            _ if has(Marks::DEADLINE) => 1,
            _ => 0,
        })
    }
}

impl<'a> Chart<'a> {
    fn new(
        trace: &Trace,
        schedule: &Schedule,
        window: Range<Time>,
        style: &'a ChartStyle,
    ) -> Chart<'a> {
        let symbols = style.glyphs.symbols();
        let clean = |name: &str| text::clean(name, style.glyphs);
        let mut names: Vec<_> = trace
            .header
            .tasks
            .iter()
            .map(|task| clean(&task.name))
            .collect();
        let works = schedule
            .cpus
            .iter()
            .any(|cpu| cpu.kernel.iter().any(|work| work.cause != Cause::Cache));
        if works {
            names.extend(
                (0..schedule.cpus.len()).map(|cpu| match schedule.cpus.len() {
                    1 => "kernel".to_owned(),
                    _ => format!("kernel, cpu {cpu}"),
                }),
            );
        }
        let longest = names.iter().map(|name| width(name)).max().unwrap_or(0);
        let margin = 1 + longest.min(28).min(style.width.saturating_sub(1) / 3);
        let columns = style.width.saturating_sub(margin).max(NARROWEST);
        let mut chart = Chart {
            style,
            symbols,
            scale: Scale::new(window, columns),
            margin,
            rows: Vec::new(),
            seen: BTreeSet::new(),
            crowded: 0,
        };
        let moved = schedule.migrations();
        let mut names = names.into_iter();
        let mut runs: Vec<_> = schedule
            .tasks
            .iter()
            .map(|_| Cells::new(&chart.scale))
            .collect();
        for (CpuId(cpu), lane) in schedule.cpu_lanes() {
            for slice in &lane.slices {
                if let Some(cells) = runs.get_mut(slice.task.index()) {
                    cells.add(&chart.scale, slice.start, slice.end, cpu);
                }
            }
        }
        for ((number, runs), name) in runs.iter().enumerate().zip(names.by_ref()) {
            chart.add_task(schedule, &moved, number, runs, name);
        }
        for (cpu, name) in names.enumerate() {
            chart.add_kernel(schedule, cpu, name);
        }
        chart
    }

    fn add_task(
        &mut self,
        schedule: &Schedule,
        moved: &[Migration],
        number: usize,
        runs: &Cells,
        name: String,
    ) {
        let lane = &schedule.tasks[number];
        let (mut ready, mut blocked) = (Cells::new(&self.scale), Cells::new(&self.scale));
        for wait in &lane.waits {
            let cells = match wait.on {
                None => &mut ready,
                Some(_) => &mut blocked,
            };
            cells.add(&self.scale, wait.start, wait.end, 0);
        }
        let paint = &self.style.paint;
        let own = paint.task(number);
        let several = schedule.cpus.len() > 1;
        let mut bar = Vec::with_capacity(self.scale.columns);
        for column in 0..self.scale.columns {
            let cell = match runs.fill(&self.scale, column) {
                Some((_, cpu)) if several => {
                    self.seen.insert(Sign::RunsOnCpu);
                    (style::digit(cpu), paint.task(usize::from(cpu)))
                }
                Some((fill, _)) => {
                    self.seen.insert(Sign::Runs);
                    (self.symbols.bar(fill), own)
                }
                None if blocked.any(column) && blocked.total(column) >= ready.total(column) => {
                    self.seen.insert(Sign::Blocked);
                    (self.symbols.blocked, paint.waits)
                }
                None if ready.any(column) => {
                    self.seen.insert(Sign::Ready);
                    (self.symbols.ready, paint.waits)
                }
                None => (' ', Style::new()),
            };
            bar.push(cell);
        }
        let of_task = |moved: &&Migration| moved.task.index() == number;
        let moved = moved.iter().filter(of_task).map(|moved| moved.to.1);
        let marks = self.marks(schedule, number, moved);
        self.rows.push(Row { name, marks, bar });
    }

    fn marks(
        &mut self,
        schedule: &Schedule,
        number: usize,
        moved: impl Iterator<Item = Time>,
    ) -> Vec<(char, Style)> {
        let mut columns = vec![Marks::default(); self.scale.columns];
        for mark in &schedule.tasks[number].marks {
            if let Some(column) = self.scale.column(mark.time) {
                columns[column].0 |= Marks::bit(mark.what);
            }
        }
        for column in moved.filter_map(|time| self.scale.column(time)) {
            columns[column].0 |= Marks::MIGRATION;
        }
        let arrows = Marks::RELEASE | Marks::DEADLINE;
        let is_arrow = |marks: &&Marks| marks.0 & arrows != 0;
        if columns.iter().filter(is_arrow).count() > self.scale.columns / 2 {
            self.crowded += 1;
            for marks in &mut columns {
                marks.0 &= !arrows;
            }
        }
        let paint = &self.style.paint;
        let mut draw = |marks: Marks| match marks.symbol() {
            None => (' ', Style::new()),
            Some(symbol) => {
                self.seen.insert(Sign::Mark(symbol));
                let bad = marks.0 & (Marks::MISS | Marks::ABORT | Marks::SKIP) != 0;
                let style = if bad { paint.miss } else { paint.marks };
                (self.symbols.marks[symbol].0, style)
            }
        };
        columns.into_iter().map(&mut draw).collect()
    }

    fn add_kernel(&mut self, schedule: &Schedule, cpu: usize, name: String) {
        let mut cells = Cells::new(&self.scale);
        let work = &schedule.cpus[cpu].kernel;
        for work in work.iter().filter(|work| work.cause != Cause::Cache) {
            cells.add(&self.scale, work.start, work.end, 0);
        }
        let bar = (0..self.scale.columns)
            .map(|column| match cells.fill(&self.scale, column) {
                Some((fill, _)) => {
                    self.seen.insert(Sign::Runs);
                    (self.symbols.bar(fill), self.style.paint.kernel)
                }
                None => (' ', Style::new()),
            })
            .collect();
        let marks = Vec::new();
        self.rows.push(Row { name, marks, bar });
    }

    fn draw(&self) -> String {
        let mut out = String::new();
        for Row { name, marks, bar } in &self.rows {
            if marks.iter().any(|&(symbol, _)| symbol != ' ') {
                self.line(&mut out, "", marks);
            }
            self.line(&mut out, name, bar);
        }
        self.axis(&mut out);
        self.legend(&mut out);
        out
    }

    /// A name and cells behind it, neighbours of one style together.
    fn line(&self, out: &mut String, name: &str, cells: &[(char, Style)]) {
        let (name, used) = cut(name, self.margin - 1, self.symbols.cut);
        out.push_str(&name);
        let last = cells.iter().rposition(|&(symbol, _)| symbol != ' ');
        let cells = &cells[..last.map_or(0, |last| last + 1)];
        if !cells.is_empty() {
            out.extend(std::iter::repeat_n(' ', self.margin - used));
        }
        for group in cells.chunk_by(|(_, a), (_, b)| a == b) {
            let style = group[0].1;
            let text: String = group.iter().map(|&(symbol, _)| symbol).collect();
            // Writing to a string cannot fail.
            let _ = write!(out, "{style}{text}{style:#}");
        }
        out.push('\n');
    }

    /// The axis with its ticks, and the times below it.
    fn axis(&self, out: &mut String) {
        let window = &self.scale.window;
        // The longest label decides how many there is room for.
        let longest = window.end.to_string().len() + 5;
        let most = (self.scale.columns / longest.min(14)).max(1);
        let step = round_step(window.end.since(window.start), most as u64).as_nanos();
        let first = window.start.as_nanos().div_ceil(step);
        let ticks = (first..=u64::MAX / step)
            .map(|number| Time::from_nanos(number * step))
            .map_while(|time| Some((time, self.scale.column(time)?)));
        let axis = self.style.paint.axis;
        let mut line = vec![(self.symbols.line, axis); self.scale.columns];
        line[0].0 = self.symbols.start;
        let mut labels = String::new();
        for (time, column) in ticks {
            if column > 0 {
                line[column].0 = self.symbols.tick;
            }
            let used = labels.len();
            let label = time.to_string();
            if (used == 0 || used < column) && column + label.len() <= self.scale.columns {
                labels.extend(std::iter::repeat_n(' ', column - used));
                labels.push_str(&label);
            }
        }
        self.line(out, "", &line);
        let labels: Vec<_> = labels.chars().map(|symbol| (symbol, axis)).collect();
        self.line(out, "", &labels);
    }

    /// What the symbols mean, of those that occur.
    fn legend(&self, out: &mut String) {
        let symbols = self.symbols;
        let explain = |sign: &Sign| {
            let (symbol, meaning) = match *sign {
                Sign::Runs => (symbols.full, "runs"),
                Sign::RunsOnCpu => ('0', "runs on CPU 0"),
                Sign::Ready => (symbols.ready, "ready"),
                Sign::Blocked => (symbols.blocked, "blocked"),
                Sign::Mark(number) => symbols.marks[number],
            };
            format!("{symbol} {meaning}")
        };
        let mut parts: Vec<_> = self.seen.iter().map(explain).collect();
        if self.crowded > 0 {
            let s = if self.crowded == 1 { "" } else { "s" };
            let text = format!("({} task{s}: releases too close to show)", self.crowded);
            parts.push(text);
        }
        let axis = self.style.paint.axis;
        let mut line = String::new();
        let mut flush = |line: &mut String| {
            if !line.is_empty() {
                let _ = writeln!(out, "{:1$}{axis}{line}{axis:#}", "", self.margin);
                line.clear();
            }
        };
        for part in parts {
            if width(&line) + 3 + width(&part) > self.scale.columns {
                flush(&mut line);
            }
            let gap = if line.is_empty() { "" } else { "   " };
            line.push_str(gap);
            line.push_str(&part);
        }
        flush(&mut line);
    }
}
