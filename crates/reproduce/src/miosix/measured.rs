//! The authors' measurements behind figure 2.5, where the user has them.

use flyball_study::StudyError;
use std::path::Path;

/// The file's name.
const FILE: &str = "ipi_blocking_traces.csv";

/// The lengths of the rounds of a variant, in units of 10 µs; `None` if there is no such file in
/// the folder.
///
/// # Errors
/// [`StudyError::Data`] if the file is there but cannot be read, or is not what it should be.
pub(super) fn rounds(folder: Option<&Path>, variant: &str) -> Result<Option<Vec<f64>>, StudyError> {
    let Some(path) = folder.map(|folder| folder.join(FILE)) else {
        return Ok(None);
    };
    if !path.exists() {
        return Ok(None);
    }
    let wrong = |what: &str| StudyError::Data {
        file: path.display().to_string(),
        what: what.to_owned(),
    };
    let text = std::fs::read_to_string(&path).map_err(|error| wrong(&error.to_string()))?;
    let mut lines = text.lines();
    let mut columns = lines.next().unwrap_or_default().split(',');
    let column = columns
        .position(|name| name == "Tr_10us")
        .ok_or_else(|| wrong("has no column Tr_10us"))?;
    let rows = lines.filter(|line| line.split(',').next() == Some(variant));
    let rounds = rows.map(|line| {
        let cell = line.split(',').nth(column);
        cell.and_then(|cell| cell.parse().ok())
            .ok_or_else(|| wrong(&format!("is not a measured round: {line}")))
    });
    rounds.collect::<Result<_, _>>().map(Some)
}
