//! Splits a text into rows of cells that know where they stand.

use crate::error::{Kind, ModelError};
use crate::source::{At, Source, Span};
use csv_core::{ReadFieldResult, Reader};

/// One row.
pub(super) struct Row {
    /// Its cells, without spaces around them.
    pub(super) cells: Vec<At<String>>,
    /// From the first cell to the last one.
    pub(super) span: Span,
}

/// The rows of a text. Empty lines and lines that begin with `#` are left out.
pub(super) struct Rows<'s> {
    source: &'s Source<'s>,
    reader: Reader,
    /// Where the next cell begins.
    at: usize,
    /// Room for one cell.
    buffer: Vec<u8>,
}

impl<'s> Rows<'s> {
    pub(super) fn new(source: &'s Source<'s>) -> Rows<'s> {
        Rows {
            source,
            reader: Reader::new(),
            at: 0,
            buffer: vec![0; 256],
        }
    }

    /// The next row, which may have `most` cells.
    pub(super) fn next(&mut self, most: usize) -> Result<Option<Row>, ModelError> {
        self.skip_comments();
        let mut cells: Vec<At<String>> = Vec::new();
        while let Some((cell, last)) = self.cell()? {
            if cells.len() == most {
                let message = format!("the row has more than {most} cells");
                let error = self.source.error(Kind::TooMany, &cell.span, message);
                return Err(error.help("there is one cell for each column"));
            }
            cells.push(cell);
            if last {
                break;
            }
        }
        let span = match (cells.first(), cells.last()) {
            (Some(first), Some(last)) => first.span.start..last.span.end,
            _ => return Ok(None),
        };
        Ok(Some(Row { cells, span }))
    }

    fn skip_comments(&mut self) {
        loop {
            let rest = &self.source.text[self.at..];
            let (line, behind) = rest.split_once('\n').unwrap_or((rest, ""));
            if behind.len() == rest.len() || !(line.starts_with('#') || line.trim().is_empty()) {
                return;
            }
            self.at = self.source.text.len() - behind.len();
        }
    }

    /// The next cell of the row, and whether it is the last one; `None` at the end of the text.
    fn cell(&mut self) -> Result<Option<(At<String>, bool)>, ModelError> {
        let (start, mut length) = (self.at, 0);
        let last = loop {
            let input = &self.source.text.as_bytes()[self.at..];
            let (result, read, written) = self.reader.read_field(input, &mut self.buffer[length..]);
            self.at += read;
            length += written;
            match result {
                ReadFieldResult::Field { record_end } => break record_end,
                ReadFieldResult::OutputFull => self.buffer.resize(2 * self.buffer.len(), 0),
                // Asked again with no input left, the reader closes the last cell.
                ReadFieldResult::InputEmpty => {}
                ReadFieldResult::End => return Ok(None),
            }
        };
        let value = String::from_utf8_lossy(&self.buffer[..length])
            .trim()
            .to_owned();
        let span = self.trimmed(start..self.at);
        let raw = &self.source.text[span.clone()];
        if self.at == self.source.text.len()
            && raw.starts_with('"')
            && raw.matches('"').count() % 2 == 1
        {
            let open = span.start..span.start + 1;
            let error =
                self.source
                    .error(Kind::Syntax, &open, "the quotation mark is never closed");
            return Err(error.help("write `\"\"` for a quotation mark inside of a quoted cell"));
        }
        Ok(Some((At { value, span }, last)))
    }

    /// The span without the separator behind the cell and the spaces around it.
    fn trimmed(&self, span: Span) -> Span {
        let text = &self.source.text[span.clone()];
        let text = text.strip_suffix([',', '\n']).unwrap_or(text);
        let inner = text.trim_start();
        let start = span.start + (text.len() - inner.len());
        start..start + inner.trim_end().len()
    }
}
