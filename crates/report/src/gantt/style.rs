//! How a chart looks: which characters, which colours, how wide.

use super::cells::Fill;
use anstyle::{AnsiColor, Color, Style};

/// How a chart looks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChartStyle {
    /// Columns of the terminal, names included.
    pub width: usize,
    /// Which characters there are.
    pub glyphs: Glyphs,
    /// Colours.
    pub paint: Paint,
}

/// Which characters a terminal can show.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Glyphs {
    /// Blocks and arrows.
    #[default]
    Unicode,
    /// ASCII only. Other characters in names become question marks.
    Ascii,
}

/// The colours of a chart.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Paint {
    /// Tasks, or CPUs where there are several; these take turns.
    pub tasks: Vec<Style>,
    /// Time in which a task waits.
    pub waits: Style,
    /// The kernel's work.
    pub kernel: Style,
    /// Releases and deadlines.
    pub marks: Style,
    /// What went wrong: misses, and jobs given up or left out.
    pub miss: Style,
    /// The axis and the legend.
    pub axis: Style,
}

impl Default for ChartStyle {
    /// Eighty columns of Unicode without colours.
    fn default() -> ChartStyle {
        ChartStyle {
            width: 80,
            glyphs: Glyphs::Unicode,
            paint: Paint::plain(),
        }
    }
}

impl Paint {
    /// No colours at all: the chart has no escape sequences.
    pub fn plain() -> Paint {
        Paint::default()
    }

    /// The terminal's own sixteen colours, so that they fit its background. Red is kept for what
    /// went wrong.
    pub fn ansi() -> Paint {
        let colour = |colour: AnsiColor| Style::new().fg_color(Some(Color::Ansi(colour)));
        let tasks = [
            AnsiColor::Blue,
            AnsiColor::Yellow,
            AnsiColor::Green,
            AnsiColor::Magenta,
            AnsiColor::Cyan,
        ];
        Paint {
            tasks: tasks.map(colour).to_vec(),
            waits: Style::new().dimmed(),
            kernel: Style::new().dimmed(),
            marks: Style::new(),
            miss: colour(AnsiColor::Red).bold(),
            axis: Style::new().dimmed(),
        }
    }

    pub(super) fn task(&self, number: usize) -> Style {
        match self.tasks.len() {
            0 => Style::new(),
            colours => self.tasks[number % colours],
        }
    }
}

/// The characters of a chart.
pub(super) struct Symbols {
    pub(super) full: char,
    /// From the left, from the right, and by height: one to seven eighths.
    left: [char; 7],
    right: [char; 7],
    height: [char; 7],
    pub(super) ready: char,
    pub(super) blocked: char,
    /// Release, deadline, both, miss, abort, skip, migration, and what to say of them.
    pub(super) marks: [(char, &'static str); 7],
    pub(super) start: char,
    pub(super) line: char,
    pub(super) tick: char,
    /// Stands for the end of a name that is too long.
    pub(super) cut: &'static str,
}

const UNICODE: Symbols = Symbols {
    full: '█',
    left: ['▏', '▎', '▍', '▌', '▋', '▊', '▉'],
    // There are only two blocks that are filled from the right.
    right: ['▕', '▕', '▐', '▐', '▐', '▐', '█'],
    height: ['▁', '▂', '▃', '▄', '▅', '▆', '▇'],
    ready: '·',
    blocked: '░',
    marks: [
        ('↑', "release"),
        ('↓', "deadline"),
        ('↕', "both"),
        ('!', "miss"),
        ('×', "given up"),
        ('○', "left out"),
        ('»', "goes on on another CPU"),
    ],
    start: '├',
    line: '─',
    tick: '┬',
    cut: "…",
};

const ASCII: Symbols = Symbols {
    full: '#',
    left: ['+', '+', '+', '#', '#', '#', '#'],
    right: ['+', '+', '+', '#', '#', '#', '#'],
    height: ['+', '+', '+', '#', '#', '#', '#'],
    ready: '.',
    blocked: '-',
    marks: [
        ('^', "release"),
        ('v', "deadline"),
        ('|', "both"),
        ('!', "miss"),
        ('x', "given up"),
        ('o', "left out"),
        ('>', "goes on on another CPU"),
    ],
    start: '+',
    line: '-',
    tick: '+',
    cut: "..",
};

impl Glyphs {
    pub(super) fn symbols(self) -> &'static Symbols {
        match self {
            Glyphs::Unicode => &UNICODE,
            Glyphs::Ascii => &ASCII,
        }
    }
}

impl Symbols {
    pub(super) fn bar(&self, fill: Fill) -> char {
        let pick = |symbols: &[char; 7], eighths: u8| {
            let at = usize::from(eighths).checked_sub(1);
            at.and_then(|at| symbols.get(at)).copied()
        };
        let symbol = match fill {
            Fill::Full => None,
            Fill::Left(eighths) => pick(&self.left, eighths),
            Fill::Right(eighths) => pick(&self.right, eighths),
            Fill::Some(eighths) => pick(&self.height, eighths),
        };
        symbol.unwrap_or(self.full)
    }
}

/// A CPU in one character: 0 to 9, then a to z; a plus sign beyond.
pub(super) fn digit(cpu: u8) -> char {
    char::from_digit(u32::from(cpu), 36).unwrap_or('+')
}
