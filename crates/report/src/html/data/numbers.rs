//! Lists of numbers in few letters.
//!
//! A number is written in base 32, its least digit first, with a letter of [`LETTERS`] for each
//! digit: one of the upper 32 if another digit follows. So a number below 16 takes one letter, and a
//! time in nanoseconds six or seven. The sign is the lowest bit.

use flyball_trace::Time;
use std::collections::HashMap;

/// 64 letters that mean nothing in JSON and in HTML.
const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Times as numbers from the start of a view, and the unit that they have in common.
pub(super) struct Numbers {
    from: Time,
    /// The greatest common divisor so far; zero as long as there was none.
    unit: i64,
}

/// A list of entries. How many numbers an entry has, and how many of them are times, is the same
/// for the whole list.
pub(super) struct List {
    numbers: Vec<i64>,
    last: i64,
    times: usize,
    width: usize,
    /// The last job of each task in the list.
    jobs: HashMap<u16, i64>,
}

impl Numbers {
    pub(super) fn new(from: Time) -> Numbers {
        Numbers { from, unit: 0 }
    }

    /// Less than 2^53, as views are not longer.
    pub(super) fn since(&mut self, time: Time) -> i64 {
        let since = i64::try_from(time.since(self.from).as_nanos()).unwrap_or(i64::MAX);
        self.unit = common_divisor(self.unit, since);
        since
    }

    /// The largest length of which all times are multiples.
    pub(super) fn unit(&self) -> i64 {
        self.unit.max(1)
    }
}

impl List {
    pub(super) fn new() -> List {
        List {
            numbers: Vec::new(),
            last: 0,
            times: 0,
            width: 1,
            jobs: HashMap::new(),
        }
    }

    /// The number of a job, as its distance from the task's job before it in the list.
    pub(super) fn job(&mut self, task: u16, job: u32) -> i64 {
        let last = self.jobs.insert(task, i64::from(job));
        i64::from(job) - last.unwrap_or(0)
    }

    /// Something with a length.
    pub(super) fn entry<const N: usize>(
        &mut self,
        numbers: &mut Numbers,
        start: Time,
        end: Time,
        rest: [i64; N],
    ) {
        let (start, end) = (numbers.since(start), numbers.since(end));
        self.numbers.extend([start - self.last, end - start]);
        self.numbers.extend(rest);
        self.last = end;
        (self.times, self.width) = (2, 2 + N);
    }

    /// Something without.
    pub(super) fn instant<const N: usize>(
        &mut self,
        numbers: &mut Numbers,
        time: Time,
        rest: [i64; N],
    ) {
        let time = numbers.since(time);
        self.numbers.push(time - self.last);
        self.numbers.extend(rest);
        self.last = time;
        (self.times, self.width) = (1, 1 + N);
    }

    /// The list as text, with its times in a unit that they all are multiples of.
    pub(super) fn in_units(mut self, unit: i64) -> String {
        for entry in self.numbers.chunks_mut(self.width) {
            entry
                .iter_mut()
                .take(self.times)
                .for_each(|time| *time /= unit);
        }
        let mut text = String::with_capacity(self.numbers.len() * 3);
        for number in self.numbers {
            write(&mut text, number);
        }
        text
    }
}

/// Appends a number to a text.
fn write(text: &mut String, number: i64) {
    let mut rest = number.unsigned_abs() << 1 | u64::from(number < 0);
    loop {
        let more = if rest >= 32 { 32 } else { 0 };
        // It is less than 64.
        let digit = usize::try_from(rest % 32 + more).unwrap_or(0);
        text.push(char::from(LETTERS[digit]));
        rest /= 32;
        if rest == 0 {
            return;
        }
    }
}

fn common_divisor(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

/// The numbers of a text, as the page's scripts read them.
#[cfg(test)]
pub(super) fn read(text: &str) -> Vec<i64> {
    let mut numbers = Vec::new();
    let (mut number, mut place) = (0_u64, 0);
    for letter in text.bytes() {
        let digit = LETTERS.iter().position(|&one| one == letter).unwrap();
        number |= (u64::try_from(digit).unwrap() % 32) << place;
        place += 5;
        if digit < 32 {
            let size = i64::try_from(number >> 1).unwrap();
            numbers.push(if number & 1 == 1 { -size } else { size });
            (number, place) = (0, 0);
        }
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn small_numbers_are_a_letter() {
        let mut text = String::new();
        for number in [0, 1, -1, 15, 16] {
            write(&mut text, number);
        }
        assert_eq!(text, "ACDegB");
    }

    proptest! {
        #[test]
        fn numbers_are_read_as_they_were_written(
            numbers in proptest::collection::vec(-(1_i64 << 54)..1 << 54, 0..20),
        ) {
            let mut text = String::new();
            for &number in &numbers {
                write(&mut text, number);
            }
            prop_assert_eq!(read(&text), numbers);
        }
    }
}
