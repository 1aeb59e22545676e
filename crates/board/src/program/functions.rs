//! The functions of a program, by their addresses.

use cpp_demangle::{DemangleOptions, Symbol};
use object::{Object, ObjectSymbol, SymbolKind};
use std::collections::BTreeMap;

/// The functions of a program.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Functions {
    /// By the first byte: how many there are, and the symbol.
    all: BTreeMap<u64, (u64, String)>,
}

/// In an address of code on Arm: this is Thumb code.
const THUMB: u64 = 1;

impl Functions {
    /// Those of an image, as far as its symbols say. O(n log n).
    pub(super) fn of(elf: &object::File<'_>) -> Functions {
        let functions = elf.symbols().filter(|symbol| {
            symbol.kind() == SymbolKind::Text && symbol.is_definition() && symbol.size() > 0
        });
        let named = functions.filter_map(|symbol| {
            let name = symbol.name().ok()?.to_owned();
            Some((symbol.address() & !THUMB, (symbol.size(), name)))
        });
        Functions {
            all: named.collect(),
        }
    }

    /// What the function that begins at `address` is called, without its parameters. O(log n).
    pub fn at(&self, address: u64) -> Option<String> {
        let (_, symbol) = self.all.get(&(address & !THUMB))?;
        Some(readable(symbol))
    }

    /// What the function is called that the instruction at `address` is of. O(log n).
    pub fn around(&self, address: u64) -> Option<String> {
        let address = address & !THUMB;
        let (start, (size, symbol)) = self.all.range(..=address).next_back()?;
        (address - start < *size).then(|| readable(symbol))
    }

    /// The places that the last report in a text names, on a thread that could not go on, each with its function. O(bytes).
    pub fn places(&self, text: &str) -> Vec<(u64, String)> {
        let is_report = |line: &&str| {
            let is_named = line.starts_with("thread ") || line.starts_with("no thread");
            is_named && line.contains(" at ") && line.contains(": ")
        };
        let Some(report) = text.lines().rfind(is_report) else {
            return Vec::new();
        };
        let places = report.split(", ").filter_map(|part| {
            // A call returns behind its instruction, where the next function may begin.
            let (digits, back) = match part.strip_prefix("pc 0x") {
                Some(digits) => (digits, 0),
                None => (part.strip_prefix("called from 0x")?, 1),
            };
            let address = u64::from_str_radix(digits.trim_end(), 16).ok()?;
            let function = self.around((address & !THUMB).checked_sub(back)?)?;
            Some((address, function))
        });
        places.collect()
    }
}

/// A symbol as the source has it, but for parameters.
fn readable(symbol: &str) -> String {
    // What each `std::thread` runs.
    if symbol == "execute_native_thread_routine" {
        return "std::thread".to_owned();
    }
    // `i` would be the type `int`.
    if !symbol.starts_with("_Z") {
        return symbol.to_owned();
    }
    let options = DemangleOptions::new().no_params().no_return_type();
    let name = Symbol::new(symbol).ok();
    let name = name.and_then(|name| name.demangle_with_options(&options).ok());
    name.unwrap_or_else(|| symbol.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    impl<const N: usize> From<[(u64, u64, &str); N]> for Functions {
        /// Where each begins, how long it is, and its symbol.
        fn from(functions: [(u64, u64, &str); N]) -> Functions {
            let all =
                functions.map(|(start, size, name)| (start & !THUMB, (size, name.to_owned())));
            Functions { all: all.into() }
        }
    }

    fn functions() -> Functions {
        Functions::from([
            (0x101, 0x10, "main"),
            (0x111, 0x20, "_ZN3lab4deepEi"),
            (0x141, 2, "_ZNSt6vectorIiSaIiEE9push_backERKi"),
        ])
    }

    #[test]
    fn an_address_belongs_to_the_function_around_it() {
        let functions = functions();
        for (address, name) in [
            (0xff, None),
            (0x100, Some("main")),
            (0x10f, Some("main")),
            (0x111, Some("lab::deep")),
            (0x12f, Some("lab::deep")),
            (0x130, None),
            (
                0x141,
                Some("std::vector<int, std::allocator<int> >::push_back"),
            ),
            (0x142, None),
            (u64::MAX, None),
        ] {
            let found = functions.around(address);
            assert_eq!(found.as_deref(), name, "{address:#x}");
        }
        assert_eq!(functions.at(0x101).as_deref(), Some("main"));
        assert_eq!(functions.at(0x112), None);
    }

    #[test]
    fn the_last_report_counts() {
        let text = "thread 1 at 2ms: abort, called from 0x00000101\n\
             lost\n\
             thread 2 (worker) at 3ms: abort, called from 0x00000111, called from 0x00000132\n\
             no more\n";
        // The first returns to the beginning of a function: the call was the last instruction of another.
        let expected = vec![(0x111, "main".to_owned())];
        assert_eq!(functions().places(text), expected);
        let text = "no thread at 3ms: forbidden access, address 0x00000100, pc 0x00000110";
        assert_eq!(functions().places(text), [(0x110, "lab::deep".to_owned())]);
        for nothing in [
            "thread 1 is at work",
            "thread 1 at 1: pc 0xg, called from 0x0",
        ] {
            assert!(functions().places(nothing).is_empty(), "{nothing}");
        }
    }

    #[test]
    fn names_of_cpp_are_read() {
        for (symbol, name) in [
            ("control", "control"),
            ("i", "i"),
            ("_ZL7controlPv", "control"),
            ("_Z7controlPv", "control"),
            ("_ZN4loop7controlEPv", "loop::control"),
            (
                "_ZN12_GLOBAL__N_17controlEPv",
                "(anonymous namespace)::control",
            ),
            ("execute_native_thread_routine", "std::thread"),
            ("_Z99x", "_Z99x"),
            ("_Z", "_Z"),
        ] {
            assert_eq!(readable(symbol), name, "{symbol}");
        }
    }
}
