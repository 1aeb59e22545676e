//! A schedule as a picture in SVG, for notebooks and documents: a row a CPU and a row a task, as in the report's chart.
//!
//! Point at a slice for its exact times. What is shorter than a third of a pixel joins its neighbour, so the size of a picture
//! depends on its width and not on the number of slices. O(events).

use crate::axis::round_step;
use crate::html::{STYLE, at_first, contains, split};
use crate::slices::{Schedule, Slice, What};
use flyball_trace::file::Trace;
use flyball_trace::{CpuId, Duration, TaskId, Time};
use maud::{Markup, PreEscaped, html};
use std::collections::HashMap;
use std::fmt::Write;
use std::ops::Range;

const AXIS: f64 = 30.0;
const ROW: f64 = 36.0;
/// Where the bar of a task's row begins, below its marks, and how high it is.
const BAR: (f64, f64) = (16.0, 14.0);
const LEGEND: f64 = 26.0;
/// So that marks at the very start and end can be seen.
const PAD: f64 = 9.0;
/// About as wide as a letter is.
const LETTER: f64 = 6.6;
/// What bars are called in the picture's style, and how high they are.
#[derive(Clone, Copy, PartialEq)]
struct Bar(&'static str, f64);

const KERNEL: Bar = Bar("kernel", ROW - 12.0);
const READY: Bar = Bar("ready", 2.0);
const BLOCKED: Bar = Bar("blocked", 10.0);
const HOLD: Bar = Bar("hold", 2.5);
/// Tasks have so many colours, which take turns.
const COLOURS: usize = 20;

/// Draws what happened in `window`; `None`: what the report shows at first, a handful of slices around the first miss, if there is
/// one. `width` is that of the picture in pixels, from 300 on. An empty window gives an empty picture.
pub fn svg(trace: &Trace, window: Option<Range<Time>>, width: u32) -> String {
    let schedule = Schedule::of(trace);
    let window = window.unwrap_or_else(|| at_first(&schedule));
    let width = f64::from(width.max(300));
    let longest = trace
        .header
        .tasks
        .iter()
        .map(|task| task.name.chars().count());
    let letters = longest.max().unwrap_or(0).max(5);
    let gutter = (real(letters as u64) * LETTER + 18.0).clamp(60.0, (width * 0.2).min(190.0));
    let picture = Picture {
        trace,
        schedule: &schedule,
        deadlines: schedule.deadlines(),
        nanos: real(window.end.since(window.start).as_nanos()).max(1.0),
        window,
        width,
        gutter,
    };
    picture.draw().into_string()
}

/// As a number to draw with.
#[expect(clippy::cast_precision_loss, reason = "pixels are coarser")]
fn real(number: u64) -> f64 {
    number as f64
}

/// A number with two decimals, of which there are enough in a picture.
fn px(number: f64) -> String {
    let text = format!("{number:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

struct Picture<'a> {
    trace: &'a Trace,
    schedule: &'a Schedule,
    /// Of jobs, by task and number.
    deadlines: HashMap<(TaskId, u32), Time>,
    window: Range<Time>,
    nanos: f64,
    width: f64,
    gutter: f64,
}

impl Picture<'_> {
    fn draw(&self) -> Markup {
        let cpus = self.schedule.cpus.len();
        let rows = cpus + self.schedule.tasks.len();
        let bottom = AXIS + ROW * real(rows as u64);
        let (width, height) = (px(self.width), px(bottom + LEGEND));
        let top = |row: usize| AXIS + ROW * real(row as u64);
        html! {
            svg.flyball xmlns="http://www.w3.org/2000/svg" width=(width) height=(height) viewBox={ "0 0 " (width) " " (height) } role="img" {
                (style())
                rect.card width=(width) height=(height) {}
                @for row in (0..rows).step_by(2) {
                    rect.stripe y=(px(top(row))) width=(width) height=(px(ROW)) {}
                }
                (self.axis(bottom))
                @for (CpuId(cpu), lane) in self.schedule.cpu_lanes() {
                    @let y = top(cpu.into());
                    text.name.cpu x="8" y=(px(y + ROW / 2.0)) { "CPU " (cpu) }
                    @for (slice, _, width) in self.joined(lane.slices.iter().map(|&slice| (slice, false))) {
                        (self.slice(slice, false, width, y + 6.0, ROW - 12.0))
                        @if width > 34.0 { (self.label(slice, width, y + ROW / 2.0)) }
                    }
                    @let kernel = lane.kernel.iter().map(|work| (work.start, work.end, KERNEL));
                    (self.bars(kernel, y + ROW / 2.0))
                }
                @for (task, _) in self.schedule.task_lanes() { (self.task(task, top(cpus + task.index()))) }
                (self.legend(bottom + LEGEND / 2.0))
            }
        }
    }

    /// Where an instant is drawn.
    fn x(&self, time: Time) -> f64 {
        let room = self.width - PAD - self.gutter - PAD;
        let from = self.window.start;
        let at = real(time.since(from).as_nanos()) - real(from.since(time).as_nanos());
        self.gutter + PAD + at / self.nanos * room
    }

    /// Where a stretch of time is drawn, and how wide; `None`: out of the window.
    fn place(&self, start: Time, end: Time) -> Option<(f64, f64)> {
        let (start, end) = (start.max(self.window.start), end.min(self.window.end));
        (start < end).then(|| (self.x(start), (self.x(end) - self.x(start)).max(0.8)))
    }

    /// Slices in the window, whether they are late, and how wide they are; neighbours of one job, and those of the same picture
    /// element, are one.
    fn joined(&self, slices: impl Iterator<Item = (Slice, bool)>) -> Vec<(Slice, bool, f64)> {
        let mut joined: Vec<(Slice, bool, f64)> = Vec::new();
        for (slice, is_late) in slices {
            if self.place(slice.start, slice.end).is_none() {
                continue;
            }
            let last = joined.last_mut().filter(|(last, was_late, _)| {
                let narrow = self.x(slice.end) - self.x(last.start) < 1.0;
                let near = self.x(slice.start) - self.x(last.end) < 0.34;
                let same = (last.task, last.job, *was_late) == (slice.task, slice.job, is_late);
                near && (narrow || same)
            });
            match last {
                Some((last, ..)) => last.end = slice.end,
                None => joined.push((slice, is_late, 0.0)),
            }
        }
        for (slice, _, width) in &mut joined {
            let place = self.place(slice.start, slice.end);
            *width = place.map_or(0.8, |(_, width)| width);
        }
        joined
    }

    /// Bars around a line at `y`; neighbours of one kind, and those of the same picture element, are one.
    fn bars(&self, parts: impl Iterator<Item = (Time, Time, Bar)>, y: f64) -> Markup {
        let mut bars: Vec<(f64, f64, Bar)> = Vec::new();
        for (start, end, kind) in parts {
            let Some((x, width)) = self.place(start, end) else {
                continue;
            };
            let last = bars.last_mut().filter(|(last, length, own)| {
                x - (*last + *length) < 0.34 && (*own == kind || x + width - *last < 1.0)
            });
            match last {
                Some((last, length, _)) => *length = x + width - *last,
                None => bars.push((x, width, kind)),
            }
        }
        html! {
            @for (x, width, Bar(class, height)) in bars {
                rect class=(class) x=(px(x)) y=(px(y - height / 2.0)) width=(px(width)) height=(px(height)) {}
            }
        }
    }

    fn name(&self, task: TaskId) -> &str {
        let tasks = &self.trace.header.tasks;
        tasks.get(task.index()).map_or("", |task| &task.name)
    }

    fn slice(&self, slice: Slice, is_late: bool, width: f64, y: f64, height: f64) -> Markup {
        let class = if is_late {
            "late".to_owned()
        } else {
            format!("t{}", slice.task.index() % COLOURS)
        };
        let x = self.x(slice.start.max(self.window.start));
        let (start, end) = (slice.start.since(Time::ZERO), slice.end.since(Time::ZERO));
        html! {
            rect class=(class) x=(px(x)) y=(px(y)) width=(px(width)) height=(px(height)) {
                title { (self.name(slice.task)) " " (slice.job) ": " (start) " to " (end) }
            }
        }
    }

    /// The name of the task that runs, as much of it as there is room for.
    fn label(&self, slice: Slice, width: f64, y: f64) -> Markup {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a small number above zero"
        )]
        let room = ((width - 8.0) / LETTER) as usize;
        let name = self.name(slice.task);
        let text = if name.chars().count() <= room {
            name.to_owned()
        } else {
            name.chars()
                .take(room.saturating_sub(1))
                .chain(['…'])
                .collect()
        };
        let x = self.x(slice.start.max(self.window.start)) + 4.0;
        html! { text.on x=(px(x)) y=(px(y)) { (text) } }
    }

    fn task(&self, task: TaskId, y: f64) -> Markup {
        let lane = &self.schedule.tasks[task.index()];
        let bar = y + BAR.0;
        let own = self.schedule.cpus.iter().flat_map(|cpu| &cpu.slices);
        let own = own.filter(|slice| slice.task == task);
        let mut runs: Vec<(Slice, bool)> = own
            .flat_map(|slice| {
                let deadline = self.deadlines.get(&(task, slice.job)).copied();
                let parts = split(slice, deadline, &self.window);
                parts.map(|(start, end, is_late)| {
                    (
                        Slice {
                            start,
                            end,
                            ..*slice
                        },
                        is_late,
                    )
                })
            })
            .collect();
        runs.sort_unstable_by_key(|(slice, _)| slice.start);
        html! {
            text.name x="8" y=(px(bar + BAR.1 / 2.0)) { (self.fitting(self.name(task))) }
            @let waits = lane.waits.iter();
            (self.bars(waits.map(|wait| (wait.start, wait.end, if wait.on.is_some() { BLOCKED } else { READY })), bar + BAR.1 / 2.0))
            @for (slice, is_late, width) in self.joined(runs.into_iter()) {
                (self.slice(slice, is_late, width, bar, BAR.1))
            }
            @let holds = lane.holds.iter().map(|hold| (hold.start, hold.end, HOLD));
            (self.bars(holds, bar + BAR.1 + 2.25))
            (self.marks(task, y))
        }
    }

    fn fitting(&self, name: &str) -> String {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a small number above zero"
        )]
        let room = ((self.gutter - 14.0) / LETTER) as usize;
        match name.char_indices().nth(room) {
            Some(_) => name
                .chars()
                .take(room.saturating_sub(1))
                .chain(['…'])
                .collect(),
            None => name.to_owned(),
        }
    }

    /// Releases are arrows up, deadlines arrows down, misses red wedges; crosses are jobs given up, rings those left out.
    fn marks(&self, task: TaskId, y: f64) -> Markup {
        let marks = &self.schedule.tasks[task.index()].marks;
        let seen: Vec<_> = marks
            .iter()
            .filter(|mark| contains(&self.window, mark.time))
            .collect();
        // Where arrows would touch each other, there are none.
        let crowded = real(seen.len() as u64) * 6.0 > self.width - self.gutter;
        let (top, bottom) = (y + 2.0, y + BAR.0 - 1.0);
        let mut paths = String::new();
        for mark in &seen {
            let x = px(self.x(mark.time));
            match mark.what {
                What::Release if !crowded => {
                    // Writing to a string cannot fail.
                    let _ = write!(
                        paths,
                        "M{x} {}V{}m-3 4l3-4 3 4",
                        px(bottom + BAR.1 - 1.0),
                        px(top)
                    );
                }
                What::Deadline if !crowded => {
                    let _ = write!(paths, "M{x} {}V{}m-3-4l3 4 3-4", px(top), px(bottom));
                }
                _ => {}
            }
        }
        let middle = y + BAR.0 + BAR.1 / 2.0;
        html! {
            @if !paths.is_empty() { path.arrows d=(paths) {} }
            @for mark in &seen {
                @let x = self.x(mark.time);
                @match mark.what {
                    What::Miss => path.miss d={ "M" (px(x - 6.0)) " " (px(y + 1.0)) "h12l-6 " (px(BAR.0 - 4.0)) "z" } {},
                    What::Abort => path.trouble d={ "M" (px(x - 4.0)) " " (px(middle - 4.0)) "l8 8m0-8l-8 8" } {},
                    What::Skip => circle.trouble cx=(px(x)) cy=(px(y + 8.0)) r="4" {},
                    What::Complete | What::Release | What::Deadline => {},
                }
            }
        }
    }

    fn axis(&self, bottom: f64) -> Markup {
        let span = self.window.end.since(self.window.start);
        let step = round_step(span, 8).as_nanos();
        let start = self.window.start.since(Time::ZERO).as_nanos();
        let first = start.div_ceil(step).saturating_mul(step);
        let instants = std::iter::successors(Some(first), |at| at.checked_add(step));
        let end = self.window.end.since(Time::ZERO).as_nanos();
        html! {
            @for at in instants.take_while(|&at| at <= end) {
                @let x = self.x(Time::from_nanos(at));
                path.line d={ "M" (px(x)) " " (px(AXIS - 8.0)) "V" (px(bottom)) } {}
                @let label = Duration::from_nanos(at).to_string();
                @if x + 4.0 + real(label.len() as u64) * LETTER < self.width {
                    text.time x=(px(x + 4.0)) y=(px(AXIS / 2.0)) { (label) }
                }
            }
            path.line d={ "M0 " (px(AXIS)) "H" (px(self.width)) "M" (px(self.gutter)) " 0V" (px(bottom)) } {}
        }
    }

    fn legend(&self, y: f64) -> Markup {
        let has = |what| {
            self.schedule.tasks.iter().any(|task| {
                task.marks
                    .iter()
                    .any(|mark| mark.what == what && contains(&self.window, mark.time))
            })
        };
        let blocks = self
            .schedule
            .tasks
            .iter()
            .any(|task| task.waits.iter().any(|wait| wait.on.is_some()));
        let mut words = vec!["bar: runs", "line: ready", "↑ release", "↓ deadline"];
        let others = [
            (blocks, "thick line: blocked"),
            (has(What::Miss), "▼ miss"),
            (has(What::Abort), "× given up"),
            (has(What::Skip), "○ left out"),
        ];
        words.extend(
            others
                .iter()
                .filter(|(is_there, _)| *is_there)
                .map(|(_, words)| *words),
        );
        html! { text.time x="8" y=(px(y)) { (words.join("   ")) } }
    }
}

/// The colours of the report's page, light and dark, as this picture's own.
fn style() -> Markup {
    let mut blocks = STYLE.split(":root").skip(1).filter_map(|rest| {
        let (_, rest) = rest.split_once('{')?;
        rest.split_once('}').map(|(variables, _)| variables)
    });
    let (light, dark) = (blocks.next().unwrap_or(""), blocks.next().unwrap_or(""));
    let tasks = (0..COLOURS).map(|n| format!(".flyball .t{n}{{fill:var(--t{n})}}"));
    let tasks = tasks.collect::<Vec<_>>().concat();
    let rules = "\
.flyball text{font:11px system-ui,\"Segoe UI\",Roboto,\"Liberation Sans\",sans-serif;dominant-baseline:central;stroke:none}\
.flyball .name{fill:var(--ink);font-size:12px}.flyball .cpu{font-weight:600}\
.flyball .time{fill:var(--soft)}.flyball .on{fill:#fff;pointer-events:none}\
.flyball .card{fill:var(--card)}.flyball .stripe{fill:var(--stripe)}\
.flyball .line{stroke:var(--line);fill:none}.flyball .kernel{fill:var(--kernel)}\
.flyball .ready{fill:var(--ready)}.flyball .blocked{fill:var(--blocked)}.flyball .hold{fill:var(--hold)}.flyball .late{fill:var(--late)}\
.flyball .arrows{stroke:var(--ink);stroke-width:1.2;fill:none}\
.flyball .miss{fill:var(--late)}.flyball .trouble{stroke:var(--late);stroke-width:2;fill:none}";
    html! {
        style {
            (PreEscaped(format!(".flyball{{{light}}}{rules}{tasks}@media(prefers-color-scheme:dark){{.flyball{{{dark}}}.flyball .on{{fill:#000}}}}")))
        }
    }
}
