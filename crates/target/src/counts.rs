//! What a kernel does, in instructions, as an image says that counts it.
//!
//! A line for each: by what a passage through the kernel was begun, what it did then, how often, how many
//! instructions that took in all, and how many at most.
//!
//! ```text
//! call work 487 330234 1003
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
pub struct Counts(Vec<(String, String, Lengths)>);

impl Counts {
    /// Reads what an image wrote; `None` if it is something else. O(bytes).
    pub fn read(text: &str) -> Option<Counts> {
        let mut counts = Vec::new();
        for line in text.lines() {
            let mut words = line.split(' ');
            let (path, part) = (words.next()?, words.next()?);
            let mut number = || words.next()?.parse().ok();
            let lengths = Lengths {
                count: number()?,
                sum: number()?,
                most: number()?,
            };
            if words.next().is_some() {
                return None;
            }
            counts.push((path.to_owned(), part.to_owned(), lengths));
        }
        Some(Counts(counts))
    }

    /// What passages that were begun by `path` (`call`, `timer`, `interrupt`) spent on `part`: `lock`,
    /// `work`, `decide`, `tell`, `switch`, or all but the first, `held`. `timer one` is the work where one
    /// job is released or one wait over, by itself; `timer none` is `held` where none is. Lengths into
    /// which another CPU's passage fell are in none of these.
    ///
    /// Of counters there is only a count: `lock taken`, `lock contended`, `interrupts rung`,
    /// `interrupts spared`, `timer served`, `passages disturbed`. Zero if there is nothing of that name.
    pub fn of(&self, path: &str, part: &str) -> Lengths {
        let found = self
            .0
            .iter()
            .find(|(this, that, _)| this == path && that == part);
        found.map_or(Lengths::default(), |(_, _, lengths)| *lengths)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read() {
        let counts =
            Counts::read("call work 2 30 20\ntimer work 1 6 6\nlock taken 7 0 0\n").unwrap();
        let work = counts.of("call", "work");
        assert_eq!((work.count, work.sum, work.most), (2, 30, 20));
        assert_eq!(counts.of("lock", "taken").count, 7);
        assert_eq!(counts.of("lock", "given"), Lengths::default());
    }

    #[test]
    fn something_else_is_not_believed() {
        for text in [
            "call",
            "call work 1 2",
            "call work 1 2 x",
            "call work 1 2 3 4",
        ] {
            assert_eq!(Counts::read(text), None, "{text}");
        }
    }
}
