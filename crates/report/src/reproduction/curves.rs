//! How lines are told apart without their colours: by their dashes and by signs along them.
//!
//! A figure with one line needs neither. Lines that lie on each other take turns: each has signs at
//! other points than those that are equal to it, and the legend or the panel says so.

use super::figure::{Figure, Panel, Role, Series, Shape};
use super::scale::whole;
use super::svg::px;
use std::fmt::Write;

/// Dashes, by number; the first is none, and is not used again.
const DASHES: [&str; 6] = ["", " d1", " d2", " d3", " d4", " d5"];

/// Signs around a point, as the rest of an SVG path, and whether they are hollow. Circles are for
/// series of points.
const SIGNS: [(&str, bool); 8] = [
    ("m-2.8-2.8h5.6v5.6h-5.6z", false),
    ("m0-3.8l3.6 6.4h-7.2z", false),
    ("m0-4.2l4.2 4.2-4.2 4.2-4.2-4.2z", false),
    ("m-3-3l6 6m0-6l-6 6", false),
    ("m-3.8 0h7.6m-3.8-3.8v7.6", false),
    ("m0 3.8l3.6-6.4h-7.2z", false),
    ("m-2.8-2.8h5.6v5.6h-5.6z", true),
    ("m0-4.2l4.2 4.2-4.2 4.2-4.2-4.2z", true),
];

/// Signs are so far apart where points are closer, in pixels.
const APART: f64 = 72.0;
/// The signs of the next line are so much farther to the right.
const SHIFT: f64 = 17.0;
/// Up to so many points each have a sign.
const FEW: usize = 16;

/// The lines of a figure.
pub(super) struct Curves<'a> {
    figure: &'a Figure,
    /// Their names, each once.
    names: Vec<&'a str>,
    /// Whether dashes are free to tell lines apart: no series asks for dashes of its own.
    dashes: bool,
}

/// How one line looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Look {
    number: usize,
    dashes: bool,
}

/// Whether a series is a line that others are to be told from. The target is a thin line of its
/// own.
fn is_curve(series: &Series) -> bool {
    let lines = [Shape::Line, Shape::Dashes, Shape::Dots, Shape::Steps];
    let roles = [Role::Ours, Role::Model, Role::Published];
    series.points.len() > 1 && lines.contains(&series.shape) && roles.contains(&series.role)
}

impl<'a> Curves<'a> {
    pub(super) fn of(figure: &'a Figure) -> Curves<'a> {
        let all = figure.panels.iter().flat_map(|panel| &panel.series);
        let mut names: Vec<&str> = Vec::new();
        let mut dashes = true;
        for series in all.filter(|series| is_curve(series)) {
            let is_plain = matches!(series.shape, Shape::Line | Shape::Steps);
            dashes &= is_plain && series.role == Role::Ours;
            if !names.contains(&series.name.as_str()) {
                names.push(&series.name);
            }
        }
        Curves {
            figure,
            names,
            dashes,
        }
    }

    /// How a series looks, if it is one of several lines.
    pub(super) fn look(&self, series: &Series) -> Option<Look> {
        let number = self.names.iter().position(|name| *name == series.name)?;
        (self.names.len() > 1 && is_curve(series)).then_some(Look {
            number,
            dashes: self.dashes,
        })
    }

    /// The first line that a line is equal to in all panels.
    pub(super) fn same_as(&self, series: &Series) -> Option<&'a str> {
        let number = self.look(series)?.number;
        let points = |panel: &'a Panel, name: &str| {
            let mut all = panel.series.iter();
            let found = all.find(|other| other.name == name && is_curve(other));
            found.map(|found| &found.points)
        };
        let is_same = |other: &&str| {
            let mut panels = self.figure.panels.iter();
            panels.all(|panel| points(panel, other) == points(panel, &series.name))
        };
        self.names[..number].iter().copied().find(is_same)
    }
}

impl<'a> Curves<'a> {
    /// Which lines of a panel lie on each other, where that is not so in all panels.
    pub(super) fn equal(&self, panel: &'a Panel) -> Option<String> {
        let mut groups: Vec<Vec<&Series>> = Vec::new();
        for series in panel.series.iter().filter(|series| self.is_alone(series)) {
            match groups
                .iter_mut()
                .find(|group| group[0].points == series.points)
            {
                Some(group) => group.push(series),
                None => groups.push(vec![series]),
            }
        }
        groups.retain(|group| group.len() > 1);
        let names = |group: &Vec<&Series>| {
            let names: Vec<&str> = group.iter().map(|series| series.name.as_str()).collect();
            names.join(" = ")
        };
        let text: Vec<String> = groups.iter().map(names).collect();
        (!text.is_empty()).then(|| text.join(", "))
    }

    /// Whether the legend does not say already that it is the same as another line.
    fn is_alone(&self, series: &Series) -> bool {
        self.look(series).is_some() && self.same_as(series).is_none()
    }
}

impl Look {
    /// The class of its dashes, after a space; empty for a solid line.
    pub(super) fn dashes(self) -> &'static str {
        match self.number {
            0 => DASHES[0],
            _ if !self.dashes => DASHES[0],
            number => DASHES[1 + (number - 1) % (DASHES.len() - 1)],
        }
    }

    /// The class of its signs.
    pub(super) fn class(self) -> &'static str {
        match SIGNS[self.number % SIGNS.len()] {
            (_, true) => "sign hollow",
            (_, false) => "sign",
        }
    }

    /// Its sign at some places.
    pub(super) fn signs(self, places: impl IntoIterator<Item = (f64, f64)>) -> String {
        let (sign, _) = SIGNS[self.number % SIGNS.len()];
        let mut path = String::new();
        for (x, y) in places {
            // Writing to a string cannot fail.
            let _ = write!(path, "M{} {}{sign}", px(x), px(y));
        }
        path
    }

    /// At which places of a line its signs are: at all, if there are few, or at some that are apart.
    /// Of lines that are equal to it in the panel, it is the one with this number out of so many.
    pub(super) fn places(
        self,
        places: &[(f64, f64)],
        (turn, turns): (usize, usize),
    ) -> Vec<(f64, f64)> {
        if places.len() <= FEW {
            let mine = places.iter().enumerate().filter(|(n, _)| n % turns == turn);
            return mine.map(|(_, place)| *place).collect();
        }
        let shift = match turns {
            1 => SHIFT * whole(self.number % 4),
            _ => APART * whole(turn) / whole(turns),
        };
        let mut next = places[0].0 + shift;
        let mut chosen = Vec::new();
        for &(x, y) in places {
            if x >= next {
                chosen.push((x, y));
                // The next one keeps the distance from where this one should have been.
                next += APART * ((x - next) / APART).floor() + APART;
            }
        }
        chosen
    }
}

/// Which of the equal lines of a panel a series is, and how many there are.
pub(super) fn turn(panel: &Panel, series: &Series) -> (usize, usize) {
    let all = panel.series.iter().filter(|other| is_curve(other));
    let equal: Vec<_> = all.filter(|other| other.points == series.points).collect();
    let place = equal.iter().position(|other| other.name == series.name);
    (place.unwrap_or(0), equal.len().max(1))
}

#[cfg(test)]
mod tests {
    use super::super::Axis;
    use super::*;

    fn figure(panels: &[&[(&str, f64)]]) -> Figure {
        let line = |&(name, y): &(&str, f64)| {
            Series::ours(name, Shape::Line, 0, vec![[0.0, y], [1.0, y], [2.0, y]])
        };
        let panel = |lines: &&[(&str, f64)]| Panel {
            title: String::new(),
            y: Axis::numbers(""),
            series: lines.iter().map(line).collect(),
        };
        Figure {
            name: "figure".into(),
            title: String::new(),
            caption: String::new(),
            x: Axis::numbers(""),
            panels: panels.iter().map(panel).collect(),
        }
    }

    #[test]
    fn one_line_is_plain_and_several_differ() {
        let one = figure(&[&[("a", 1.0)], &[("a", 2.0)]]);
        assert_eq!(Curves::of(&one).look(&one.panels[0].series[0]), None);
        let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
        let lines: Vec<_> = names.iter().map(|name| (*name, 1.0)).collect();
        let several = figure(&[&lines]);
        let curves = Curves::of(&several);
        let series = &several.panels[0].series;
        let looks = series.iter().map(|series| {
            let look = curves.look(series).unwrap();
            (look.dashes(), look.class(), look.signs([(0.0, 0.0)]))
        });
        let looks: Vec<_> = looks.collect();
        for (n, look) in looks.iter().enumerate() {
            assert!(!looks[..n].contains(look), "{n}");
        }
        assert!(looks[1..].iter().all(|look| !look.0.is_empty()));
    }

    #[test]
    fn equal_lines_are_named_and_take_turns() {
        let figure = figure(&[
            &[("a", 1.0), ("b", 1.0), ("c", 1.0)],
            &[("a", 2.0), ("b", 2.0), ("c", 3.0)],
        ]);
        let curves = Curves::of(&figure);
        let [upper, lower] = &figure.panels[..] else {
            panic!("two panels")
        };
        let same: Vec<_> = upper.series.iter().map(|one| curves.same_as(one)).collect();
        assert_eq!(same, [None, Some("a"), None]);
        assert_eq!(curves.equal(upper).as_deref(), Some("a = c"));
        assert_eq!(curves.equal(lower), None);
        assert_eq!(turn(upper, &upper.series[2]), (2, 3));
        assert_eq!(turn(lower, &lower.series[1]), (1, 2));
        let places = [(0.0, 5.0), (10.0, 5.0), (20.0, 5.0)];
        let mut signs = Vec::new();
        for series in &upper.series {
            let look = curves.look(series).unwrap();
            signs.extend(look.places(&places, turn(upper, series)));
        }
        assert_eq!(signs, places);
    }

    #[test]
    fn of_many_points_some_have_signs() {
        let places: Vec<(f64, f64)> = (0..700_u16).map(|n| (f64::from(n), 0.0)).collect();
        let look = |number| Look {
            number,
            dashes: true,
        };
        let signs = look(0).places(&places, (0, 1));
        assert!((5..20).contains(&signs.len()), "{}", signs.len());
        assert_ne!(signs, look(1).places(&places, (0, 1)));
    }
}
