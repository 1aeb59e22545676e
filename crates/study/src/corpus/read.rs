//! Reading a corpus.

use csv::{Position, ReaderBuilder, StringRecord};
use flyball_analysis::gedf::{Set, Task};
use std::collections::HashSet;
use std::fmt;

/// The most CPUs of a set. What divides tasks among CPUs has a list for each of them, so a slip of
/// the pen would take all memory.
pub const MOST_CPUS: u32 = 65_536;

/// The columns of a corpus.
const COLUMNS: [&str; 6] = ["set", "m", "cap", "wcet_us", "period_us", "deadline_us"];

/// A task set and its name.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// How many CPUs there are, 1 to [`MOST_CPUS`].
    pub cpus: u32,
    /// Its tasks, in microseconds.
    pub set: Set,
}

/// What is wrong with a corpus, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CorpusError {
    /// The line, from 1.
    pub line: u64,
    /// The column, if it is about one.
    pub column: Option<&'static str>,
    /// What is wrong.
    pub fault: Fault,
}

/// What is wrong with a corpus.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The first line does not name the columns of a corpus: what is there.
    Header(String),
    /// There is no row below the names of the columns.
    NoSets,
    /// A row has another number of fields.
    Fields(u64),
    /// Something that is no text in UTF-8.
    NoText,
    /// A set without a name.
    Nameless,
    /// Something that is no such whole number.
    Number {
        /// What is there.
        found: String,
        /// The least that may be there.
        least: u64,
        /// The most that may be there.
        most: u64,
    },
    /// Another number of CPUs than in the rows of the same set before.
    OtherCpus {
        /// The number before.
        before: u32,
    },
    /// A set that has ended before; all its rows must be together.
    Again(String),
}

impl fmt::Display for CorpusError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}", self.line)?;
        if let Some(column) = self.column {
            write!(f, ", field {column}")?;
        }
        f.write_str(": ")?;
        match &self.fault {
            Fault::Header(found) => {
                write!(f, "expected the columns {}, found ", COLUMNS.join(","))?;
                match found.as_str() {
                    "" => f.write_str("nothing"),
                    found => write!(f, "{found}"),
                }
            }
            Fault::NoSets => f.write_str("there is no set below the names of the columns"),
            Fault::Fields(found) => {
                write!(f, "expected {} fields, found {found}", COLUMNS.len())
            }
            Fault::NoText => f.write_str("expected text in UTF-8"),
            Fault::Nameless => f.write_str("a set needs a name"),
            Fault::Number { found, least, most } => {
                write!(
                    f,
                    "expected a whole number from {least} to {most}, found \"{found}\""
                )
            }
            Fault::OtherCpus { before } => {
                write!(f, "the rows before have {before} CPUs for the same set")
            }
            Fault::Again(set) => {
                write!(
                    f,
                    "the set \"{set}\" has ended before; all its rows must be together"
                )
            }
        }
    }
}

impl std::error::Error for CorpusError {}

/// The sets of a corpus, in their order. O(size).
///
/// # Errors
/// [`CorpusError`], for the first mistake.
pub fn read(text: &[u8]) -> Result<Vec<Entry>, CorpusError> {
    read_up_to(text, Set::LONGEST - 1)
}

/// The sets of a corpus with no time above `longest`, which is below [`Set::LONGEST`]. O(size).
///
/// # Errors
/// [`CorpusError`], for the first mistake, or the first time that is longer.
pub fn read_up_to(text: &[u8], longest: u64) -> Result<Vec<Entry>, CorpusError> {
    let longest = longest.min(Set::LONGEST - 1);
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .from_reader(text);
    let mut record = StringRecord::new();
    let mut entries = Vec::new();
    let mut names = HashSet::new();
    let mut current: Option<Rows> = None;
    let mut is_header = true;
    loop {
        let more = reader.read_record(&mut record);
        let line = record
            .position()
            .map_or(1, |position| line_of(text, position));
        let wrong = |column, fault| CorpusError {
            line,
            column,
            fault,
        };
        // The text is in memory, and rows may have any length: so all that can be wrong is that it
        // is no text.
        let more = more.map_err(|error| CorpusError {
            line: error
                .position()
                .map_or(line, |position| line_of(text, position)),
            column: None,
            fault: Fault::NoText,
        })?;
        if is_header {
            if !more || record != COLUMNS[..] {
                return Err(wrong(None, Fault::Header(header(&record))));
            }
            is_header = false;
            continue;
        }
        if !more {
            break;
        }
        let row = Row::read(&record, longest).map_err(|(column, fault)| wrong(column, fault))?;
        match &mut current {
            Some(rows) if rows.name == record[0] => {
                if rows.cpus != row.cpus {
                    let fault = Fault::OtherCpus { before: rows.cpus };
                    return Err(wrong(Some("m"), fault));
                }
                rows.tasks.push(row.task);
            }
            _ => {
                let name = record[0].to_owned();
                if !names.insert(name.clone()) {
                    return Err(wrong(Some("set"), Fault::Again(name)));
                }
                let next = Rows {
                    name,
                    cpus: row.cpus,
                    tasks: vec![row.task],
                };
                entries.extend(current.replace(next).and_then(Rows::end));
            }
        }
    }
    entries.extend(current.and_then(Rows::end));
    if entries.is_empty() {
        return Err(CorpusError {
            line: 1,
            column: None,
            fault: Fault::NoSets,
        });
    }
    Ok(entries)
}

/// The first line, for a message: a file that is no corpus may have a long one. What cannot be seen
/// (a tab, an escape) is written as a code.
fn header(record: &StringRecord) -> String {
    const MOST: usize = 120;
    let found = record.iter().collect::<Vec<_>>().join(",");
    let mut text = String::new();
    for letter in found.chars() {
        if letter.is_control() {
            text.extend(letter.escape_unicode());
        } else {
            text.push(letter);
        }
    }
    if let Some((end, _)) = text.char_indices().nth(MOST) {
        text.truncate(end);
        text.push('…');
    }
    text
}

/// The line of what is read next: the reader has its place before any empty lines.
fn line_of(text: &[u8], position: &Position) -> u64 {
    let start = usize::try_from(position.byte()).ok();
    let rest = start
        .and_then(|start| text.get(start..))
        .unwrap_or_default();
    let blank = rest
        .iter()
        .take_while(|&&byte| byte == b'\n' || byte == b'\r');
    position.line() + blank.filter(|&&byte| byte == b'\n').count() as u64
}

/// The rows of a set, so far.
struct Rows {
    name: String,
    cpus: u32,
    tasks: Vec<Task>,
}

impl Rows {
    fn end(self) -> Option<Entry> {
        let Rows { name, cpus, tasks } = self;
        // Every time has been found to be one that a set can have.
        let set = Set::new(tasks).ok()?;
        Some(Entry { name, cpus, set })
    }
}

/// What is in a row beside the name.
struct Row {
    cpus: u32,
    task: Task,
}

impl Row {
    fn read(record: &StringRecord, longest: u64) -> Result<Row, (Option<&'static str>, Fault)> {
        if record.len() != COLUMNS.len() {
            return Err((None, Fault::Fields(record.len() as u64)));
        }
        if record[0].is_empty() {
            return Err((Some("set"), Fault::Nameless));
        }
        let number = |column: usize, most: u64| {
            let found = &record[column];
            let number = found
                .parse()
                .ok()
                .filter(|number| (1..=most).contains(number));
            number.ok_or_else(|| {
                let found = found.to_owned();
                let fault = Fault::Number {
                    found,
                    least: 1,
                    most,
                };
                (Some(COLUMNS[column]), fault)
            })
        };
        let cpus = number(1, MOST_CPUS.into())?;
        let time = |column| number(column, longest);
        Ok(Row {
            // It is that at most.
            cpus: u32::try_from(cpus).unwrap_or(MOST_CPUS),
            task: Task {
                wcet: time(3)?,
                period: time(4)?,
                deadline: time(5)?,
            },
        })
    }
}
