//! Names that change nothing but their own place where they are shown.

use crate::taskset::TaskSet;
use std::borrow::Cow;
use std::fmt::Write;

/// Whether a character does something to a terminal or to the text around it instead of being seen:
/// control characters, those that turn the direction of writing, and breaks of lines.
fn acts(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{61c}'
                | '\u{200e}'
                | '\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2066}'..='\u{2069}'
                | '\u{feff}'
        )
}

/// The text with characters that are not seen, but change how what comes after them is shown,
/// escaped as in Rust: `a\u{202e}b`.
///
/// ```
/// use flyball_model::printable;
/// assert_eq!(printable("radar äß 雷达"), "radar äß 雷达");
/// assert_eq!(printable("a\u{202e}b\u{1b}[2J"), "a\\u{202e}b\\u{1b}[2J");
/// ```
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(acts) {
        return text.into();
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if acts(c) {
            // Writing to a string cannot fail.
            let _ = write!(shown, "{}", c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    shown.into()
}

impl TaskSet {
    /// The same set with all names [`printable`]: its own, its source's, and those of tasks, of
    /// servers, and of what tasks share.
    #[must_use]
    pub fn with_printable_names(mut self) -> TaskSet {
        let tasks = self.tasks.iter_mut().map(|it| &mut it.name);
        let mutexes = self.mutexes.iter_mut().map(|it| &mut it.name);
        let semaphores = self.semaphores.iter_mut().map(|it| &mut it.name);
        let queues = self.queues.iter_mut().map(|it| &mut it.name);
        let servers = self.servers.iter_mut().map(|it| &mut it.name);
        let common = self.programs.iter_mut().chain(&mut self.devices);
        let shared = mutexes.chain(semaphores).chain(queues).chain(servers);
        let own = [&mut self.name].into_iter().chain(&mut self.source);
        for name in tasks.chain(shared).chain(common).chain(own) {
            if let Cow::Owned(shown) = printable(name) {
                *name = shown;
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use crate::{Format, read_str};

    #[test]
    fn all_names_of_a_set_are_printable() {
        let text = "schema = 1\nname = \"set \\u202E\"\nsource = \"x\\u001B[2J\"\n\
                    [[mutex]]\nname = \"bus\\u2066\"\n\
                    [[semaphore]]\nname = \"go\\u200F\"\n[[queue]]\nname = \"q\\u061C\"\ncapacity = 2\n\
                    [[task]]\nname = \"radar\\u202Ecba\"\nperiod = \"5ms\"\nwcet = \"1ms\"\n";
        let set = read_str(text, Format::Toml, "x.toml").expect("it is a task set");
        let shown = set.with_printable_names();
        assert_eq!(shown.name, "set \\u{202e}");
        assert_eq!(shown.source.as_deref(), Some("x\\u{1b}[2J"));
        assert_eq!(shown.mutexes[0].name, "bus\\u{2066}");
        assert_eq!(shown.semaphores[0].name, "go\\u{200f}");
        assert_eq!(shown.queues[0].name, "q\\u{61c}");
        assert_eq!(shown.tasks[0].name, "radar\\u{202e}cba");
    }
}
