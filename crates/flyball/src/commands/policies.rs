//! `flyball policies`

use crate::args::PoliciesArgs;
use crate::failure::Failure;
use crate::output::{self, BOLD, DIM};
use flyball_model::Value;
use flyball_study::{Entry, Registry, settings};
use serde::Serialize;
use std::fmt::Write;
use std::process::ExitCode;

#[derive(Serialize)]
struct List<'a> {
    schema: u32,
    policies: Vec<Listed<'a>>,
}

#[derive(Serialize)]
struct Listed<'a> {
    policy: &'a str,
    title: &'a str,
    about: &'a str,
    parameters: Vec<Parameter<'a>>,
}

#[derive(Serialize)]
struct Parameter<'a> {
    name: &'a str,
    about: &'a str,
    default: String,
}

pub(crate) fn run(registry: &Registry, args: &PoliciesArgs) -> Result<ExitCode, Failure> {
    if args.json {
        let policies = registry.iter().map(|entry| Listed {
            policy: entry.name,
            title: entry.title,
            about: entry.about,
            parameters: entry
                .settings
                .iter()
                .map(|setting| Parameter {
                    name: setting.name,
                    about: setting.about,
                    default: settings::show(&settings::default(setting)),
                })
                .collect(),
        });
        output::print_json(&List {
            schema: 1,
            policies: policies.collect(),
        })?;
        return Ok(ExitCode::SUCCESS);
    }
    let width = registry
        .iter()
        .map(|entry| entry.name.len())
        .max()
        .unwrap_or(0);
    let mut text = String::new();
    for entry in registry.iter() {
        let Entry {
            name, title, about, ..
        } = entry;
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{BOLD}{name:width$}{BOLD:#}  {title}: {about}");
        for setting in &entry.settings {
            let default = match settings::default(setting) {
                value @ (Value::Duration(_) | Value::Text(_)) => {
                    format!("\"{}\"", settings::show(&value))
                }
                value => settings::show(&value),
            };
            let (name, about) = (setting.name, setting.about);
            let _ = writeln!(
                text,
                "{:width$}    {DIM}{name} = {default}: {about}{DIM:#}",
                ""
            );
        }
    }
    let _ = writeln!(
        text,
        "\nA task set changes settings in a table of the policy's name:\n\n    \
         [policies.rr]\n    quantum = \"5ms\""
    );
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}
