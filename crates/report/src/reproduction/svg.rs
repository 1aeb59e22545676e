//! A figure as SVG.
//!
//! ```text
//!   ── ours   ╌╌ model   ○ published        legend, in as many rows as it takes
//!   panel's title
//! y │    ╭──╮                                its own vertical axis
//!   │ ───╯  ╰────
//!   │                                        the next panel
//!   └─────────────── x                       ticks of the axis that all share
//! ```
//!
//! Shapes have classes and no colours: in a page the page's style colours them, and a file brings
//! the same style with it, so that both follow the reader's choice of light or dark (see
//! [`html`](mod@crate::html) on why no charting crate makes them). For programs that are no
//! browsers there is a file with its colours written out ([`on_paper`]). Lengths of texts are
//! estimated, since nothing here knows the reader's fonts.

use super::curves::{Curves, Look, turn};
use super::figure::{Figure, Panel, Role, Scale, Series, Shape};
use super::legend::legend;
use super::scale::{self, Line, hull, ticks, whole};
use maud::{Markup, PreEscaped, html};
use std::fmt::Write;

/// Classes that figures use, and the colours of a page for a file that has none.
pub(super) const STYLE: &str = include_str!("plot.css");
const COLOURS: &str = include_str!("colours.css");

pub(super) const WIDTH: f64 = 880.0;
pub(super) const LEFT: f64 = 66.0;
const RIGHT: f64 = 14.0;
const PANEL: f64 = 190.0;
const ONLY_PANEL: f64 = 280.0;
pub(super) const ROW: f64 = 19.0;
/// How much higher than the highest bar an axis is at least, for the number above the bar.
const ROOM: f64 = 1.09;
/// Beyond so many bars their values are not written beside them.
const MOST_LABELS: usize = 40;

/// The figure as a file of its own, light or dark as its reader's system is.
pub fn file(figure: &Figure) -> String {
    document(figure, &format!("{COLOURS}{STYLE}"))
}

/// The figure as a file of its own in the colours that it is printed with: the light ones, on
/// white. They are written out, for programs that know neither variables nor `@media`, as most that
/// are no browsers do not.
pub fn on_paper(figure: &Figure) -> String {
    document(figure, &style_on_paper())
}

fn document(figure: &Figure, style: &str) -> String {
    let text = draw(figure, Some(style)).into_string();
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{text}\n")
}

/// The style with a colour in place of each variable.
fn style_on_paper() -> String {
    // What is for screens only comes last in the file, and of the rest a later colour counts more
    // than an earlier one: so the last is put in first, and an earlier one finds nothing left.
    let printed = COLOURS.split("@media screen").next().unwrap_or_default();
    let declarations = printed.split(['{', '}', ';']).rev();
    let colours = declarations.filter_map(|declaration| declaration.trim().split_once(": "));
    colours.fold(STYLE.to_owned(), |style, (name, colour)| {
        style.replace(&format!("var({name})"), colour)
    })
}

/// The figure as a part of a page that has its style.
pub(super) fn inline(figure: &Figure) -> Markup {
    draw(figure, None)
}

/// Where the parts of a figure are.
struct Layout<'a> {
    figure: &'a Figure,
    curves: &'a Curves<'a>,
    x: Line,
    x_ticks: Vec<(f64, String)>,
}

fn draw(figure: &Figure, style: Option<&str>) -> Markup {
    let curves = Curves::of(figure);
    let layout = Layout::new(figure, &curves);
    let entries = legend(figure, &curves);
    let rows = entries.last().map_or(0.0, |entry| entry.row + 1.0);
    let height = if figure.panels.len() == 1 {
        ONLY_PANEL
    } else {
        PANEL
    };
    let mut top = rows * ROW + 16.0;
    let mut panels = Vec::new();
    for (number, panel) in figure.panels.iter().enumerate() {
        if !panel.title.is_empty() {
            top += ROW;
        }
        panels.push((number, panel, top));
        top += height + 16.0;
    }
    let bottom = top - 16.0;
    let whole_height = bottom + 42.0;
    let view = format!("0 0 {WIDTH} {whole_height:.0}");
    html! {
        svg.plot xmlns="http://www.w3.org/2000/svg" viewBox=(view) width=[style.map(|_| WIDTH)]
            height=[style.map(|_| whole_height)] role="img" aria-label=(figure.title) {
            @if let Some(style) = style {
                title { (figure.title) }
                style { (PreEscaped(style)) }
                rect.page width="100%" height="100%" {}
            }
            @for entry in &entries { (entry.draw()) }
            @for &(number, panel, top) in &panels { (layout.panel(number, panel, top, height)) }
            @for (x, text) in &layout.x_ticks {
                @if !matches!(figure.x.scale, Scale::Categories(_)) {
                    path.axis d={ "M" (px(layout.x.at(*x))) " " (px(bottom)) "v4" } {}
                }
                text x=(px(layout.x.at(*x))) y=(px(bottom + 17.0)) text-anchor="middle" { (text) }
            }
            text.title x=(px(f64::midpoint(LEFT, WIDTH - RIGHT))) y=(px(bottom + 36.0)) text-anchor="middle" {
                (figure.x.title)
            }
        }
    }
}

impl<'a> Layout<'a> {
    fn new(figure: &'a Figure, curves: &'a Curves<'a>) -> Layout<'a> {
        let series = figure.panels.iter().flat_map(|panel| &panel.series);
        let numbers = series.flat_map(|series| series.points.iter().map(|point| point[0]));
        let [from, to] = match &figure.x.scale {
            Scale::Numbers => {
                let ends = numbers.fold([f64::INFINITY, f64::NEG_INFINITY], |[from, to], x| {
                    [from.min(x), to.max(x)]
                });
                scale::wide(ends)
            }
            Scale::Range(ends) => *ends,
            Scale::Categories(names) => [-0.5, whole(names.len().max(1)) - 0.5],
        };
        let x_ticks = match &figure.x.scale {
            Scale::Categories(names) => {
                let names = names.iter().enumerate();
                names.map(|(n, name)| (whole(n), name.clone())).collect()
            }
            _ => ticks(from, to, 10.0),
        };
        let (begin, end) = (LEFT, WIDTH - RIGHT);
        let x = Line {
            from,
            to,
            begin,
            end,
        };
        Layout {
            figure,
            curves,
            x,
            x_ticks,
        }
    }

    fn panel(&self, number: usize, panel: &Panel, top: f64, height: f64) -> Markup {
        let points = panel.series.iter().flat_map(|series| &series.points);
        let shown = points.filter(|point| self.x.has(point[0]));
        let [from, to] = if let Scale::Range(ends) = panel.y.scale {
            ends
        } else {
            let is_bars = |series: &&Series| series.shape == Shape::Bars;
            let bars = panel.series.iter().filter(is_bars);
            let heights = bars.flat_map(|series| series.points.iter().map(|point| point[1]));
            let with_numbers = heights.flat_map(|height| [0.0, height * ROOM]);
            hull(shown.map(|point| point[1]).chain(with_numbers), 5.0).unwrap_or([0.0, 1.0])
        };
        let y = Line {
            from,
            to,
            begin: top + height,
            end: top,
        };
        let clip = format!("clip-{}-{number}", self.figure.name);
        let title_y = px(top + height / 2.0);
        html! {
            @if !panel.title.is_empty() {
                text.panel x=(px(LEFT)) y=(px(top - 7.0)) { (panel.title) }
                @if let Some(equal) = self.curves.equal(panel) {
                    text x=(px(WIDTH - RIGHT)) y=(px(top - 7.0)) text-anchor="end" { (cut(&equal, &panel.title)) }
                }
            }
            @for (tick, text) in ticks(from, to, 5.0) {
                path.grid d={ "M" (px(LEFT)) " " (px(y.at(tick))) "H" (px(WIDTH - RIGHT)) } {}
                text x=(px(LEFT - 7.0)) y=(px(y.at(tick) + 4.0)) text-anchor="end" { (text) }
            }
            text.title x="13" y=(title_y) text-anchor="middle" transform={ "rotate(-90 13 " (title_y) ")" } {
                (panel.y.title)
            }
            clipPath id=(clip) {
                rect x=(px(LEFT)) y=(px(top - 4.0)) width=(px(WIDTH - RIGHT - LEFT + 4.0)) height=(px(height + 5.0)) {}
            }
            g clip-path={ "url(#" (clip) ")" } {
                @for is_area in [true, false] {
                    @for (n, series) in panel.series.iter().enumerate() {
                        @if (series.shape == Shape::Area) == is_area { (self.series(panel, n, series, &y)) }
                    }
                }
            }
            path.axis d={ "M" (px(LEFT)) " " (px(top)) "V" (px(top + height)) "H" (px(WIDTH - RIGHT)) } {}
        }
    }

    fn series(&self, panel: &Panel, n: usize, series: &Series, y: &Line) -> Markup {
        let class = class(series);
        let points = series.points.iter();
        let finite = points.filter(|point| point.iter().all(|number| number.is_finite()));
        let places = finite.map(|&[x, value]| (self.x.at(x), y.at(value)));
        let size = if series.points.len() > 100 { "2" } else { "3" };
        match shape(series) {
            Shape::Line | Shape::Dashes | Shape::Dots | Shape::Steps => {
                let line = line(series.shape);
                let look = self.curves.look(series);
                let dashes = look.map_or("", Look::dashes);
                let places: Vec<_> = places.collect();
                html! {
                    path class={ (line) (dashes) " " (class) } d=(path(places.iter().copied(), series.shape)) {}
                    @if let Some(look) = look {
                        @let signs = look.places(&places, turn(panel, series));
                        path class={ (look.class()) " " (class) } d=(look.signs(signs)) {}
                    }
                }
            }
            Shape::Area => {
                html! { path class={ "area " (class) } d={ (path(places, series.shape)) "Z" } {} }
            }
            Shape::Points => html! {
                g class={ "marks " (class) } {
                    @for (x, y) in places { circle cx=(px(x)) cy=(px(y)) r=(size) {} }
                }
            },
            Shape::Bars => self.bars(panel, n, series, y, &class),
        }
    }

    fn bars(&self, panel: &Panel, n: usize, series: &Series, y: &Line, class: &str) -> Markup {
        let is_bars = |series: &&Series| series.shape == Shape::Bars;
        let all = panel.series.iter().filter(is_bars);
        let labels = all.clone().map(|series| series.points.len()).sum::<usize>() <= MOST_LABELS;
        let count = whole(all.count());
        let before = whole(panel.series[..n].iter().filter(is_bars).count());
        let band = 0.78 / count;
        let zero = y.at(y.from.max(0.0).min(y.to));
        // A mark may be at the end of the bar.
        let marks = panel
            .series
            .iter()
            .any(|series| series.shape == Shape::Points);
        let gap = if marks { 8.0 } else { 4.0 };
        html! {
            g class={ "bars " (class) } {
                @for &[x, value] in series.points.iter().filter(|point| point[1].is_finite()) {
                    @let left = self.x.at(x - 0.39 + band * before) + 1.0;
                    @let right = self.x.at(x - 0.39 + band * (before + 1.0)) - 1.0;
                    @let at = y.at(value);
                    rect x=(px(left)) width=(px(right - left)) y=(px(at.min(zero))) height=(px((zero - at).abs())) {}
                    @if labels {
                        text x=(px(f64::midpoint(left, right))) y=(px(at.min(zero) - gap)) text-anchor="middle" {
                            (in_room(value, (right - left + 2.0) / 0.85))
                        }
                    }
                }
            }
        }
    }
}

/// A number with as many digits as there is room for beside other bars.
fn in_room(value: f64, room: f64) -> String {
    let shorter = [2, 1].map(|places| format!("{value:.places$}"));
    let mut texts = [super::decimal(value)].into_iter().chain(shorter);
    let text = texts.find(|text| scale::width_of(text) <= room);
    text.unwrap_or_else(|| format!("{value:.0}"))
}

/// Which lines are equal, or only that some are, if there is no room for more beside a title.
fn cut(equal: &str, title: &str) -> String {
    let room = WIDTH - LEFT - RIGHT - scale::width_of(title) - 24.0;
    let text = format!("on each other: {equal}");
    if scale::width_of(&text) > room {
        return "some lines lie on each other".to_owned();
    }
    text
}

/// Tenths of a pixel are enough.
pub(super) fn px(place: f64) -> String {
    let text = format!("{place:.1}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

/// What a series looks like. A line with one point would not be seen, so it is a mark.
pub(super) fn shape(series: &Series) -> Shape {
    match series.shape {
        Shape::Line | Shape::Dashes | Shape::Dots | Shape::Steps if series.points.len() == 1 => {
            Shape::Points
        }
        shape => shape,
    }
}

/// The classes of a line.
pub(super) fn line(shape: Shape) -> &'static str {
    match shape {
        Shape::Dashes => "line dashes",
        Shape::Dots => "line dots",
        _ => "line",
    }
}

pub(super) fn class(series: &Series) -> String {
    match series.role {
        Role::Published | Role::Target => series.role.name().to_owned(),
        Role::Ours | Role::Model | Role::Interval => {
            let colour = series.colour % Series::COLOURS;
            format!("{} c{colour}", series.role.name())
        }
    }
}

fn path(places: impl Iterator<Item = (f64, f64)>, shape: Shape) -> String {
    let mut path = String::new();
    for (n, (x, y)) in places.enumerate() {
        // Writing to a string cannot fail.
        let _ = match (n, shape) {
            (0, _) => write!(path, "M{} {}", px(x), px(y)),
            (_, Shape::Steps) => write!(path, "H{}V{}", px(x), px(y)),
            _ => write!(path, "L{} {}", px(x), px(y)),
        };
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Colours in a style sheet: `--name: #rrggbb`.
    fn variables(css: &str) -> Vec<&str> {
        let declarations = css.split(['{', '}', ';']).map(str::trim);
        declarations.filter(|text| text.starts_with("--")).collect()
    }

    #[test]
    fn on_paper_every_colour_is_written_out() {
        let style = style_on_paper();
        assert!(
            !style.contains("var(") && !style.contains("@media"),
            "{style}"
        );
        assert!(style.contains(".plot .page { fill: #ffffff; }"), "{style}");
        assert!(style.contains(".plot .c0 { color: #2f74b8; }"), "{style}");
        assert!(style.contains(".plot text.entry { fill: #1d2127; }"));
        // Nothing else is different.
        assert_eq!(style.lines().count(), STYLE.lines().count());
    }

    /// A figure in a page has the page's colours, and those of a file are the same.
    #[test]
    fn files_and_pages_have_the_same_colours() {
        let parts = |css: &'static str| {
            let (light, dark) = css.split_once("@media screen").unwrap();
            [light, dark].map(variables)
        };
        let page = parts(crate::html::STYLE);
        for (file, page) in parts(COLOURS).iter().zip(page) {
            assert!(file.len() > 8);
            for colour in file.iter().filter(|text| **text != "--page: #ffffff") {
                assert!(page.contains(colour), "{colour}");
            }
        }
    }
}
