//! Many task sets at once: files of sets, and what the analyses say about each.
//!
//! A corpus is a CSV file with a row for each task, the rows of a set one after the other:
//!
//! ```text
//! set,m,cap,wcet_us,period_us,deadline_us
//! m8.s.ul.0020.00,8,2,1451,28476,28476
//! ```
//!
//! with the name of the set, its number of CPUs (1 to 65,536), a number that is for the set's
//! author (up to which utilisation the set was filled), and times in whole microseconds. The
//! verdicts are a CSV file, too, with a row for each set and test:
//!
//! ```text
//! set,test,verdict,cpu_us
//! m8.s.ul.0020.00,GFB,1,0.4
//! ```
//!
//! where 1 is accepted, 0 is not, and T means that the test was stopped, or cannot tell; `cpu_us`
//! is the time that it took. Each is compressed if its name ends in `.xz`.

mod analyse;
mod charge;
mod known;
mod read;

pub use analyse::{Question, Questions, Verdict, analyse, to_csv};
pub use charge::LONGEST_CHARGED;
pub use known::{NotKnown, from_csv};
pub use read::{CorpusError, Entry, Fault, MOST_CPUS, read, read_up_to};

use lzma_rust2::{XzOptions, XzReader, XzWriter};
use std::io::{self, Read as _, Write as _};

/// The contents of a file that is compressed (`.xz`).
///
/// # Errors
/// If it is damaged, or no such file.
pub fn unpacked(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    XzReader::new(bytes, true).read_to_end(&mut text)?;
    Ok(text)
}

/// The same contents, compressed.
///
/// # Errors
/// None that can be foreseen: it is done in memory.
pub fn packed(text: &[u8]) -> io::Result<Vec<u8>> {
    let mut writer = XzWriter::new(Vec::new(), XzOptions::default())?;
    writer.write_all(text)?;
    writer.finish()
}
