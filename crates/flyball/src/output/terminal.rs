//! How wide the terminal is, and sentences that fit it.

use std::io::IsTerminal;
use std::sync::OnceLock;
use textwrap::{Options, WordSplitter, core::display_width};

/// No terminal is taken to be narrower.
const NARROWEST: usize = 40;

/// How wide what is printed may be; `None`: as wide as it likes.
static WIDTH: OnceLock<Option<usize>> = OnceLock::new();

/// Says how wide what is printed may be: as wide as the terminal, unless the user wants it `wide`.
pub(crate) fn fit(wide: bool) {
    let _ = WIDTH.set(columns().filter(|_| !wide));
}

/// How wide what is printed may be; `None`: the result is read by a program, or the user wants all
/// of it.
pub(crate) fn width() -> Option<usize> {
    *WIDTH.get_or_init(columns)
}

/// The width of the terminal that the result goes to; `None`: it goes elsewhere.
pub(crate) fn columns() -> Option<usize> {
    let out = std::io::stdout();
    let (width, _) = terminal_size::terminal_size_of(&out).filter(|_| out.is_terminal())?;
    Some(usize::from(width.0).max(NARROWEST))
}

/// The same text with lines no longer than `width`, broken between words. What goes on is indented
/// as its line is, or, where that begins with a name in a column of its own, behind that.
pub(super) fn wrapped(text: &str, width: usize) -> String {
    let lines = text.split_inclusive('\n');
    lines.map(|line| wrapped_line(line, width)).collect()
}

fn wrapped_line(line: &str, width: usize) -> String {
    let text = line.trim_end();
    if display_width(text) <= width {
        return line.to_owned();
    }
    let own = text.len() - text.trim_start().len();
    let column = text[own..].find("  ").map_or(own, |end| {
        let rest = &text[own + end..];
        let blanks = rest.len() - rest.trim_start().len();
        display_width(&text[..own + end]) + blanks
    });
    let indent = if column > width / 3 { own } else { column };
    let indent = " ".repeat(indent);
    let options = Options::new(width)
        .subsequent_indent(&indent)
        .word_splitter(WordSplitter::NoHyphenation)
        .break_words(false);
    let mut wrapped = textwrap::wrap(text, options).join("\n");
    wrapped.push_str(&line[text.len()..]);
    wrapped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_broken_between_words_and_stay_behind_their_names() {
        let text = "short\nllf   all tasks take turns, one after the other, for ever\nend\n";
        let expected =
            "short\nllf   all tasks take turns, one\n      after the other, for ever\nend\n";
        assert_eq!(wrapped(text, 33), expected);
        let plain = "  a path-that-is-longer-than-the-terminal is kept";
        assert_eq!(
            wrapped(plain, 20),
            "  a\n  path-that-is-longer-than-the-terminal\n  is kept"
        );
        // Colours have no width.
        let coloured = format!("\u{1b}[1m{}\u{1b}[0m", "x".repeat(20));
        assert_eq!(wrapped(&coloured, 20), coloured);
    }
}
