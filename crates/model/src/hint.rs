//! Guesses what a misspelt word was meant to be.

/// What other tools call something, and what it is called here; `None`: it is nothing here, and no
/// misspelling of what looks like it.
const ELSEWHERE: [(&str, Option<&str>); 2] =
    [("offset", Some("phase")), ("release_offset", Some("phase"))];

/// The candidate that is closest to `word`, if it is close enough to be meant: at most every third
/// letter wrong; or what is meant by a word that other tools have. Takes O(length of the word ×
/// total length of the candidates).
pub fn closest<'c>(
    word: &str,
    candidates: impl IntoIterator<Item = &'c str, IntoIter: Clone>,
) -> Option<&'c str> {
    const LONGEST: usize = 64;
    let length = word.chars().count();
    if length > LONGEST {
        return None;
    }
    let word = word.to_lowercase();
    let candidates = candidates.into_iter();
    if let Some((_, meant)) = ELSEWHERE.iter().find(|(name, _)| *name == word) {
        let mut candidates = candidates.clone();
        return meant.and_then(|meant| candidates.find(|name| *name == meant));
    }
    let (wrong, candidate) = candidates
        .filter(|candidate| candidate.len() <= 4 * LONGEST)
        .map(|name| {
            (
                strsim::damerau_levenshtein(&word, &name.to_lowercase()),
                name,
            )
        })
        .min()?; // of several that are as close, the first by the alphabet
    (wrong <= length.div_ceil(3)).then_some(candidate)
}

/// `did you mean `x`?`, or all that there is to choose from, with `lead` in front.
pub(crate) fn did_you_mean(word: &str, lead: &str, candidates: &[&str]) -> String {
    match closest(word, candidates.iter().copied()) {
        Some(candidate) => format!("did you mean `{candidate}`?"),
        None => format!("{lead} {}", list(candidates, "and")),
    }
}

/// `a`, `b` and `c`.
pub(crate) fn list(words: &[&str], joint: &str) -> String {
    match words {
        [] => "nothing".to_owned(),
        [word] => format!("`{word}`"),
        [words @ .., last] => {
            let words: Vec<_> = words.iter().map(|word| format!("`{word}`")).collect();
            format!("{} {joint} `{last}`", words.join(", "))
        }
    }
}

/// A text in quotes, with everything escaped that is no plain character, cut if it is long.
pub(crate) fn quoted(text: &str) -> String {
    const LONGEST: usize = 40;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{:?}", format!("{}…", &text[..end])),
        None => format!("{text:?}"),
    }
}

/// A key as TOML writes it: as it is, or in quotes if there is more in it than letters and such.
pub(crate) fn key(key: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if key.chars().all(plain) && (1..=40).contains(&key.len()) {
        key.to_owned()
    } else {
        quoted(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_words_are_found_and_others_are_not() {
        let keys = ["deadline", "wcet", "period", "cpu"];
        assert_eq!(closest("dedline", keys), Some("deadline"));
        assert_eq!(closest("Period", keys), Some("period"));
        assert_eq!(closest("cput", keys), Some("cpu"));
        assert_eq!(closest("offset", keys), None);
        assert_eq!(closest("Offset", ["period", "phase"]), Some("phase"));
        assert_eq!(closest("colour", keys), None);
        assert_eq!(closest(&"x".repeat(1_000_000), keys), None);
        assert_eq!(closest("x", []), None);
        assert_eq!(closest("ax", ["az", "ay"]), Some("ay"));
    }

    #[test]
    fn lists_read_like_prose() {
        assert_eq!(list(&["a"], "or"), "`a`");
        assert_eq!(list(&["a", "b", "c"], "or"), "`a`, `b` or `c`");
    }

    #[test]
    fn quotes_keep_control_characters_out_of_the_terminal() {
        assert_eq!(quoted("a\u{1b}[31m"), r#""a\u{1b}[31m""#);
        assert_eq!(key("a\u{1b}"), r#""a\u{1b}""#);
        assert_eq!(key("round-robin_2"), "round-robin_2");
        assert_eq!(quoted(&"ä".repeat(41)), format!("\"{}…\"", "ä".repeat(40)));
    }
}
