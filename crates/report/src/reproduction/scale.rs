//! Axes of numbers: round ticks, and places on the screen; how wide texts are.

/// A count as a number on an axis.
#[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
pub(super) fn whole(n: usize) -> f64 {
    n as f64
}

/// A stretch of numbers, drawn between two places on the screen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub(super) from: f64,
    pub(super) to: f64,
    pub(super) begin: f64,
    pub(super) end: f64,
}

impl Line {
    /// Where a number is.
    pub(super) fn at(&self, number: f64) -> f64 {
        let part = (number - self.from) / (self.to - self.from);
        self.begin + part * (self.end - self.begin)
    }

    /// Whether a number is on it.
    pub(super) fn has(&self, number: f64) -> bool {
        number >= self.from && number <= self.to
    }
}

/// Numbers on an axis have up to so many decimal places, and are below this, or have an exponent.
const MOST_PLACES: usize = 3;
const LARGE: f64 = 100_000.0;

/// The least distance of the form 1, 2 or 5 times a power of ten that divides a stretch into at
/// most `most` parts.
pub(super) fn step(span: f64, most: f64) -> f64 {
    let least = span / most;
    let power = 10_f64.powf(least.log10().floor());
    let digit = [1.0, 2.0, 5.0].into_iter();
    digit
        .map(|digit| digit * power)
        .find(|&step| step >= least * (1.0 - 1e-9))
        .unwrap_or(10.0 * power)
}

/// Round numbers between two, at most `most` + 1, each with what to write. Large numbers and small ones
/// have an exponent: beside an axis there is room for five digits.
pub(super) fn ticks(from: f64, to: f64, most: f64) -> Vec<(f64, String)> {
    let step = step(to - from, most);
    let power = |number: f64| (number.log10() + 1e-9).floor();
    let largest = from.abs().max(to.abs());
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a cast of a float saturates, and there are few"
    )]
    let (first, places, digits) = (
        (from / step - 1e-9).ceil(),
        (-step.log10() - 1e-9).ceil().clamp(0.0, 12.0) as usize,
        (power(largest) - power(step)).clamp(0.0, 12.0) as usize,
    );
    let has_exponent = places > MOST_PLACES || largest >= LARGE;
    (0..100)
        .map(|n| (first + whole(n)) * step)
        .take_while(|&tick| tick <= to + step * 1e-9)
        .map(|tick| {
            let text = match tick {
                0.0 if has_exponent => "0".to_owned(),
                // Not -0.
                0.0 => format!("{:.places$}", 0.0),
                _ if has_exponent => format!("{tick:.digits$e}"),
                _ => format!("{tick:.places$}"),
            };
            (tick, text)
        })
        .collect()
}

/// These ends, or others around them if they are too close to each other (or are no numbers).
pub(super) fn wide([from, to]: [f64; 2]) -> [f64; 2] {
    let size = from.abs().max(to.abs());
    if !size.is_finite() {
        [0.0, 1.0]
    } else if to - from > 1e-9 * size.max(1e-9) {
        [from, to]
    } else {
        let room = size.max(1.0) * 0.1;
        [from - room, to + room]
    }
}

/// The smallest stretch with all the numbers and with round ends; from 0 if it begins above it and
/// is not far from it. `None` of nothing.
pub(super) fn hull(numbers: impl Iterator<Item = f64>, most: f64) -> Option<[f64; 2]> {
    let numbers = numbers.filter(|number| number.is_finite());
    let range = numbers.fold(None, |range: Option<[f64; 2]>, number| {
        let [from, to] = range.unwrap_or([number, number]);
        Some([from.min(number), to.max(number)])
    });
    let [from, to] = range?;
    let is_near = from > 0.0 && from < to * 0.6;
    let [from, to] = wide([if is_near { 0.0 } else { from }, to]);
    let step = step(to - from, most);
    Some([
        ((from / step) + 1e-9).floor() * step,
        ((to / step) - 1e-9).ceil() * step,
    ])
}

/// About how wide a text is. These are the widths of DejaVu Sans, which has the widest letters of
/// those that a reader's system may bring, so that with another the distances are larger and never
/// too small.
pub(super) fn width_of(text: &str) -> f64 {
    let letter = |letter: char| match letter {
        'i' | 'j' | 'l' | 'I' | ' ' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' => 4.0,
        'f' | 'r' | 't' | '-' | '/' | '(' | ')' | '[' | ']' => 5.0,
        'm' | 'w' | 'M' | 'W' | '%' | '@' => 11.5,
        '+' | '<' | '=' | '>' | '≤' | '≥' | '×' | '→' => 10.5,
        letter if letter.is_uppercase() => 9.2,
        letter if letter.is_ascii() => 7.8,
        // Greek and accented letters are narrower, Chinese ones as wide as the font is high.
        _ => 9.2,
    };
    text.chars().map(letter).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        let texts = |from, to| -> Vec<String> {
            let ticks = ticks(from, to, 5.0).into_iter();
            ticks.map(|(_, text)| text).collect()
        };
        assert_eq!(texts(0.0, 1.0), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(texts(-10.0, 10.0), ["-10", "-5", "0", "5", "10"]);
        assert_eq!(texts(0.0, 2762.0), ["0", "1000", "2000"]);
        assert_eq!(texts(0.0, 0.00015), ["0", "5.0e-5", "1.0e-4", "1.5e-4"]);
        assert_eq!(texts(0.0, 500_000.0)[1], "1e5");
    }

    #[test]
    fn a_hull_has_everything() {
        assert_eq!(hull([3.0, 2762.0].into_iter(), 5.0), Some([0.0, 3000.0]));
        assert_eq!(hull([99.0, 101.0].into_iter(), 4.0), Some([99.0, 101.0]));
        assert_eq!(hull([f64::NAN].into_iter(), 4.0), None);
        let one = hull([7.0].into_iter(), 4.0).unwrap();
        assert!(one[0] < 7.0 && one[1] > 7.0);
    }
}
