//! What a figure shows: panels above each other on one horizontal axis, and series in each.

/// A figure.
#[derive(Clone, PartialEq, Debug)]
pub struct Figure {
    /// Its short name, of which file names are made: letters, digits and dashes; unique in the
    /// reproduction.
    pub name: String,
    /// What it is called.
    pub title: String,
    /// What is to be seen.
    pub caption: String,
    /// The axis that all panels share.
    pub x: Axis,
    /// The panels, the first one at the top.
    pub panels: Vec<Panel>,
}

/// An axis.
#[derive(Clone, PartialEq, Debug)]
pub struct Axis {
    /// What it counts, with the unit: `time (s)`.
    pub title: String,
    /// What is along it.
    pub scale: Scale,
}

/// What is along an axis.
#[derive(Clone, PartialEq, Debug)]
pub enum Scale {
    /// Numbers; from the smallest to the largest that there are.
    Numbers,
    /// Numbers from the first to the last of these; what is beyond is not shown.
    Range([f64; 2]),
    /// Categories: the first is 0, the second 1, …
    Categories(Vec<String>),
}

/// A part of a figure with a vertical axis of its own.
#[derive(Clone, PartialEq, Debug)]
pub struct Panel {
    /// What is in it; may be empty.
    pub title: String,
    /// The vertical axis; not of categories.
    pub y: Axis,
    /// What is drawn, in this order, but for areas, which are below everything else.
    pub series: Vec<Series>,
}

/// Something that is drawn.
#[derive(Clone, PartialEq, Debug)]
pub struct Series {
    /// What it is. Series of one name in several panels are one in the legend.
    pub name: String,
    /// Where its numbers are from.
    pub role: Role,
    /// How it is drawn.
    pub shape: Shape,
    /// Which of the colours it has; ignored for [`Role::Published`] and [`Role::Target`], which
    /// have their own. Any number will do: after [`Series::COLOURS`] they begin anew.
    pub colour: u8,
    /// Pairs of x and y; by rising x for lines and steps, around it for areas.
    pub points: Vec<[f64; 2]>,
}

/// Where the numbers of a series are from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Found here: drawn in colour.
    Ours,
    /// Computed from the work's equations: dashed.
    Model,
    /// Published: drawn in ink.
    Published,
    /// What should be: a thin line.
    Target,
    /// Between what ours is with some confidence: a shade.
    Interval,
}

/// How a series is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// A line from point to point.
    Line,
    /// The same in dashes, which show a line below them.
    Dashes,
    /// The same in dots.
    Dots,
    /// Each value goes on until the next point.
    Steps,
    /// A mark at each point.
    Points,
    /// A bar from zero to each point. Bars of several series at one x stand beside each other.
    Bars,
    /// What the points go around. The legend has it with the line of the same name.
    Area,
}

impl Axis {
    /// An axis of numbers, as far as there are any.
    pub fn numbers(title: impl Into<String>) -> Axis {
        Axis {
            title: title.into(),
            scale: Scale::Numbers,
        }
    }

    /// An axis of numbers with these ends.
    pub fn range(title: impl Into<String>, from: f64, to: f64) -> Axis {
        Axis {
            title: title.into(),
            scale: Scale::Range([from, to]),
        }
    }

    /// An axis of categories.
    pub fn categories<S: Into<String>>(
        title: impl Into<String>,
        categories: impl IntoIterator<Item = S>,
    ) -> Axis {
        Axis {
            title: title.into(),
            scale: Scale::Categories(categories.into_iter().map(Into::into).collect()),
        }
    }
}

impl Series {
    /// How many colours there are. The first ten are the easiest to tell apart.
    pub const COLOURS: u8 = 20;

    /// A series found here.
    pub fn ours(
        name: impl Into<String>,
        shape: Shape,
        colour: u8,
        points: Vec<[f64; 2]>,
    ) -> Series {
        Series {
            name: name.into(),
            role: Role::Ours,
            shape,
            colour,
            points,
        }
    }

    /// Between what a series of that name is with some confidence: x, the lower and the upper
    /// bound.
    pub fn interval(name: impl Into<String>, colour: u8, bounds: &[[f64; 3]]) -> Series {
        let lower = bounds.iter().map(|&[x, low, _]| [x, low]);
        let upper = bounds.iter().rev().map(|&[x, _, high]| [x, high]);
        Series::ours(name, Shape::Area, colour, lower.chain(upper).collect())
            .with_role(Role::Interval)
    }

    /// The same in another role.
    #[must_use]
    pub fn with_role(mut self, role: Role) -> Series {
        self.role = role;
        self
    }
}

impl Role {
    /// The role in a word, for tables.
    pub const fn name(self) -> &'static str {
        match self {
            Role::Ours => "ours",
            Role::Model => "model",
            Role::Published => "published",
            Role::Target => "target",
            Role::Interval => "interval",
        }
    }
}
