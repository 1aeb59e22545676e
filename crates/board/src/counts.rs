//! What a kernel does, in instructions, as an image says that counts it.
//!
//! A line for each: by what a kernel entry was begun, what it did then, on which
//! hart, how often, how many instructions that took in all, and how many at most. What is not
//! counted by hart has no number of one.
//!
//! ```text
//! call work 3 487 330234 1003
//! lock taken 1204 0 0
//! ```

/// So many lengths, in instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Lengths {
    /// How many.
    pub count: u64,
    /// All together.
    pub sum: u64,
    /// The longest.
    pub most: u64,
}

/// What was counted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Counts(Vec<Line>);

#[derive(Clone, PartialEq, Eq, Debug)]
struct Line {
    path: String,
    part: String,
    /// None: it is about all of them.
    hart: Option<u8>,
    lengths: Lengths,
}

impl Lengths {
    /// Both together.
    fn and(self, other: Lengths) -> Lengths {
        Lengths {
            count: self.count.saturating_add(other.count),
            sum: self.sum.saturating_add(other.sum),
            most: self.most.max(other.most),
        }
    }
}

impl Counts {
    /// Reads what an image wrote; `None` if it is something else. O(bytes).
    pub fn read(text: &str) -> Option<Counts> {
        text.lines()
            .map(Line::read)
            .collect::<Option<_>>()
            .map(Counts)
    }

    /// What entries that were begun by `path` (`call`, `timer`, `interrupt`) spent on `part`:
    /// `lock`, `work`, `decide`, `tell`, `switch`, or all but the first, `held`. `timer one` is the
    /// work where one job is released or one wait over, by itself; `timer none` is `held` where
    /// none is. Lengths into which another CPU's entry fell are in none of these. All harts
    /// together. O(lines).
    ///
    /// Of counters there is only a count: `lock taken`, `lock contended`, `interrupts rung`,
    /// `interrupts spared`, `timer served`, `entries disturbed`. Zero if there is nothing of that
    /// name.
    pub fn of(&self, path: &str, part: &str) -> Lengths {
        self.sum(path, part, |_| true)
    }

    /// The same of one hart. Zero for what is not counted by hart: the lock's and the interrupts'
    /// counters are those of a cluster. O(lines).
    pub fn on(&self, hart: u8, path: &str, part: &str) -> Lengths {
        self.sum(path, part, |line| line.hart == Some(hart))
    }

    fn sum(&self, path: &str, part: &str, of: impl Fn(&Line) -> bool) -> Lengths {
        let lines = self.0.iter();
        let these = lines.filter(|line| line.path == path && line.part == part && of(line));
        these.fold(Lengths::default(), |sum, line| sum.and(line.lengths))
    }
}

impl Line {
    fn read(line: &str) -> Option<Line> {
        let words: Vec<&str> = line.split(' ').collect();
        let (hart, [path, part], [count, sum, most]) = match words[..] {
            [path, part, count, sum, most] => (None, [path, part], [count, sum, most]),
            [path, part, hart, count, sum, most] => {
                (Some(hart.parse().ok()?), [path, part], [count, sum, most])
            }
            _ => return None,
        };
        Some(Line {
            path: path.to_owned(),
            part: part.to_owned(),
            hart,
            lengths: Lengths {
                count: count.parse().ok()?,
                sum: sum.parse().ok()?,
                most: most.parse().ok()?,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lengths(count: u64, sum: u64, most: u64) -> Lengths {
        Lengths { count, sum, most }
    }

    #[test]
    fn what_was_written_is_read() {
        let text =
            "call work 0 2 30 20\ncall work 3 1 25 25\ntimer work 0 1 6 6\nlock taken 7 0 0\n";
        let counts = Counts::read(text).unwrap();
        assert_eq!(counts.of("call", "work"), lengths(3, 55, 25));
        assert_eq!(counts.on(0, "call", "work"), lengths(2, 30, 20));
        assert_eq!(counts.on(3, "call", "work"), lengths(1, 25, 25));
        assert_eq!(counts.on(1, "call", "work"), Lengths::default());
        assert_eq!(counts.of("lock", "taken").count, 7);
        assert_eq!(counts.on(0, "lock", "taken"), Lengths::default());
        assert_eq!(counts.of("lock", "given"), Lengths::default());
    }

    #[test]
    fn something_else_is_not_believed() {
        for text in [
            "call",
            "call work 1 2",
            "call work 1 2 x",
            "call work 1 2 3 4 5",
            "call work 256 1 2 3",
        ] {
            assert_eq!(Counts::read(text), None, "{text}");
        }
    }
}
