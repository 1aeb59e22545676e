//! Reads what tasks have in common.

use super::table::{Node, Read, Table, text, whole};
use crate::check::is_name;
use crate::groups::{Groups, LAST_GROUP};
use crate::source::{At, Source};
use std::collections::HashMap;

/// The programs and the devices that tasks name, each in the order in which they are named first.
#[derive(Default)]
pub(super) struct Common {
    programs: Names,
    devices: Names,
}

impl Common {
    /// Reads the groups of a task.
    pub(super) fn groups(&mut self, table: &Table<'_>) -> Read<Groups> {
        let number = table.get("group", whole(0..=LAST_GROUP))?;
        Ok(Groups {
            number: number.map_or(0, |number| number.value),
            program: table
                .get("program", |source, node| self.programs.number(source, node))?
                .map(|program| program.value),
            device: table
                .get("device", |source, node| self.devices.number(source, node))?
                .map(|device| device.value),
        })
    }

    /// All programs, and all devices.
    pub(super) fn into_names(self) -> (Vec<String>, Vec<String>) {
        (self.programs.names, self.devices.names)
    }
}

/// Names, numbered as they come.
#[derive(Default)]
struct Names {
    names: Vec<String>,
    numbers: HashMap<String, u16>,
}

impl Names {
    /// The number of the name that is in `node`.
    fn number(&mut self, source: &Source<'_>, node: &Node<'_>) -> Read<u16> {
        let name = At {
            value: text(source, node)?.to_owned(),
            span: node.span(),
        };
        is_name(source, &name)?;
        if let Some(number) = self.numbers.get(&name.value) {
            return Ok(*number);
        }
        // There are at most as many names as tasks, and these are counted with 16 bits.
        let number = u16::try_from(self.names.len()).unwrap_or(u16::MAX);
        self.names.push(name.value.clone());
        self.numbers.insert(name.value, number);
        Ok(number)
    }
}
