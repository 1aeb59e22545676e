//! Reading verdicts that are known already, such as those on pieces of a corpus.

use super::{Entry, Questions, Verdict};
use csv::{ReaderBuilder, StringRecord};
use flyball_analysis::{Answer, Stop};
use std::fmt;
use std::time::Duration;

/// The columns of verdicts.
pub(super) const COLUMNS: [&str; 4] = ["set", "test", "verdict", "cpu_us"];

/// What is not in a file of verdicts, and where it should be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotKnown {
    /// The line, from 1.
    pub line: u64,
    /// What should be there.
    pub expected: String,
    /// What is.
    pub found: String,
}

impl fmt::Display for NotKnown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NotKnown {
            line,
            expected,
            found,
        } = self;
        write!(f, "line {line}: expected {expected}, found {found}")
    }
}

impl std::error::Error for NotKnown {}

/// The verdicts on all sets of a corpus, in order, as [`to_csv`](super::to_csv) has written them; those on pieces of it
/// may have been put together. Of what was stopped it is not known why: [`Stop::WorkLimit`] stands for all. O(size).
///
/// # Errors
/// [`NotKnown`], for the first row that is not what was asked next.
pub fn from_csv(
    text: &[u8],
    entries: &[Entry],
    asked: &Questions,
) -> Result<Vec<Verdict>, NotKnown> {
    let mut rows = Rows {
        reader: ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .from_reader(text),
        record: StringRecord::new(),
    };
    rows.next(&COLUMNS.join(","), |row| {
        (*row == COLUMNS[..]).then_some(())
    })?;
    let names = asked.names();
    let mut verdicts = Vec::with_capacity(entries.len() * names.len());
    for (set, entry) in entries.iter().enumerate() {
        for &test in &names {
            let expected = format!("the verdict of {test} on the set {:?}", entry.name);
            verdicts.push(rows.next(&expected, |row| {
                let is_next = row.len() == COLUMNS.len() && row[0] == entry.name && row[1] == *test;
                let (answer, took) = is_next.then(|| verdict(row)).flatten()?;
                Some(Verdict {
                    set,
                    test,
                    answer,
                    took,
                })
            })?);
        }
    }
    rows.end()?;
    Ok(verdicts)
}

/// The verdict of a row, and how long it took.
fn verdict(row: &StringRecord) -> Option<(Answer, Duration)> {
    let answer = match &row[2] {
        "1" => Answer::Accepts,
        "0" => Answer::Rejects,
        "T" => Answer::Stopped(Stop::WorkLimit),
        _ => return None,
    };
    let (us, tenth) = row[3].split_once('.')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    if !is_number(us) || !is_number(tenth) || tenth.len() != 1 {
        return None;
    }
    let tenths = us.parse::<u64>().ok()?.checked_mul(10)?;
    let tenths = tenths.checked_add(tenth.parse().ok()?)?;
    Some((answer, Duration::from_nanos(tenths.checked_mul(100)?)))
}

struct Rows<'t> {
    reader: csv::Reader<&'t [u8]>,
    record: StringRecord,
}

impl Rows<'_> {
    /// What `read` makes of the next row, which has to be there.
    fn next<T>(
        &mut self,
        expected: &str,
        read: impl Fn(&StringRecord) -> Option<T>,
    ) -> Result<T, NotKnown> {
        let found = match self.reader.read_record(&mut self.record) {
            Ok(true) => match read(&self.record) {
                Some(it) => return Ok(it),
                None => self.shown(),
            },
            Ok(false) => "the end".to_owned(),
            Err(error) => error.to_string(),
        };
        Err(self.not_known(expected, found))
    }

    /// There is no other row.
    fn end(&mut self) -> Result<(), NotKnown> {
        let found = match self.reader.read_record(&mut self.record) {
            Ok(false) => return Ok(()),
            Ok(true) => self.shown(),
            Err(error) => error.to_string(),
        };
        Err(self.not_known("the end", found))
    }

    fn shown(&self) -> String {
        let row = self.record.iter().collect::<Vec<_>>().join(",");
        format!("{:?}", row.chars().take(120).collect::<String>())
    }

    fn not_known(&self, expected: &str, found: String) -> NotKnown {
        let place = self.record.position();
        NotKnown {
            line: place.map_or(1, csv::Position::line),
            expected: expected.to_owned(),
            found,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{analyse, read, to_csv};
    use super::*;
    use flyball_analysis::gedf::Test;
    use flyball_analysis::{Criterion, WorkLimit};
    use std::ops::ControlFlow;

    const CORPUS: &[u8] = b"set,m,cap,wcet_us,period_us,deadline_us\n\
        \"a, b\",2,2,3,4,4\n\"a, b\",2,2,3,4,4\n\"a, b\",2,2,3,4,4\nc,2,2,1,9,9\n";

    fn asked() -> [Questions; 2] {
        let tests = Criterion::usual().map(super::super::Question::Test);
        [
            Questions::Each(tests.collect()),
            Questions::Any(vec![Test::Gfb]),
        ]
    }

    #[test]
    fn what_was_written_is_known() {
        let entries = read(CORPUS).unwrap();
        for asked in asked() {
            let watch = &mut |_: crate::study::Progress<'_>| ControlFlow::Continue(());
            let steps = WorkLimit::default();
            let found = analyse(&entries, &asked, None, steps, watch).unwrap();
            let text = to_csv(&entries, &found).unwrap();
            let known = from_csv(&text, &entries, &asked).unwrap();
            assert_eq!(to_csv(&entries, &known).unwrap(), text);
            let answers = |all: &[Verdict]| all.iter().map(|it| it.answer).collect::<Vec<_>>();
            assert_eq!(answers(&known), answers(&found));
            // Without the last row, or with one more.
            let text = String::from_utf8(text).unwrap();
            let cut = &text[..=text.trim_end().rfind('\n').unwrap()];
            let error = from_csv(cut.as_bytes(), &entries, &asked).unwrap_err();
            assert!(
                error
                    .to_string()
                    .ends_with("on the set \"c\", found the end"),
                "{error}"
            );
            let more = format!("{text}c,GFB,1,0.1\n");
            let error = from_csv(more.as_bytes(), &entries, &asked).unwrap_err();
            assert_eq!(error.expected, "the end");
        }
    }

    #[test]
    fn what_was_not_asked_is_refused_with_its_line() {
        let entries = read(CORPUS).unwrap();
        let [_, union] = asked();
        let good = "set,test,verdict,cpu_us\n\"a, b\",UNION,0,0.4\nc,UNION,1,12.0\n";
        let known = from_csv(good.as_bytes(), &entries, &union).unwrap();
        assert_eq!(known[1].took, Duration::from_micros(12));
        for (from, to, line) in [
            ("verdict,", "verdicts,", 1),
            ("a, b", "a,b", 2),
            ("UNION,1", "GFB,1", 3),
            ("UNION,1", "UNION,2", 3),
            ("12.0", "12", 3),
            ("12.0", "12.00", 3),
            ("12.0", "+1.0", 3),
            ("12.0", "18446744073709551615.9", 3),
        ] {
            let error = from_csv(good.replace(from, to).as_bytes(), &entries, &union).unwrap_err();
            assert_eq!(error.line, line, "{error}");
        }
        assert!(from_csv(b"", &entries, &union).is_err());
        assert!(
            from_csv(
                b"set,test,verdict,cpu_us\n\xff\xff,UNION,1,1.0\n",
                &entries,
                &union
            )
            .is_err()
        );
    }
}
