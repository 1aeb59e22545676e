//! Names in a terminal: without characters that upset it, and not wider than they may be.

use super::Glyphs;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Columns that a text takes.
pub(super) fn width(text: &str) -> usize {
    text.width()
}

/// The text without control characters, which could move the cursor, and without marks that turn
/// the direction of writing.
pub(super) fn clean(text: &str, glyphs: Glyphs) -> String {
    let clean = |symbol: char| match symbol {
        symbol if symbol.is_control() => '?',
        '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '?',
        symbol if glyphs == Glyphs::Ascii && !symbol.is_ascii() => '?',
        symbol => symbol,
    };
    text.chars().map(clean).collect()
}

/// The text, cut to at most `most` columns where it is wider, and the columns that it takes.
pub(super) fn cut(text: &str, most: usize, ellipsis: &str) -> (String, usize) {
    let whole = width(text);
    if whole <= most {
        return (text.to_owned(), whole);
    }
    let room = most.saturating_sub(width(ellipsis));
    let mut used = 0;
    let fits = |symbol: &char| {
        used += symbol.width().unwrap_or(0);
        used <= room
    };
    let mut short: String = text.chars().take_while(fits).collect();
    short.truncate(short.trim_end().len());
    short.push_str(ellipsis);
    let used = width(&short);
    (short, used)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_by_what_they_take_on_the_screen() {
        let cut = |text, most| cut(text, most, "…");
        assert_eq!(cut("radar", 5), ("radar".into(), 5));
        assert_eq!(cut("radar filter", 7), ("radar…".into(), 6));
        assert_eq!(cut("レーダー", 6), ("レー…".into(), 5));
        assert_eq!(cut("e\u{301}e\u{301}e\u{301}", 3).1, 3);
    }

    #[test]
    fn nothing_in_a_name_moves_the_cursor() {
        assert_eq!(
            clean("a\u{1b}[2Jb\nc\u{202e}ö", Glyphs::Unicode),
            "a?[2Jb?c?ö"
        );
        assert_eq!(clean("ö", Glyphs::Ascii), "?");
    }
}
