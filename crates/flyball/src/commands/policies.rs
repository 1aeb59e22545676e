//! `flyball policies`

use crate::args::PoliciesArgs;
use crate::failure::Failure;
use crate::output::{self, BOLD, DIM};
use flyball_json::policies::{Parameter, Policies, Policy};
use flyball_model::Value;
use flyball_study::{Entry, Registry, settings};
use std::fmt::Write;
use std::process::ExitCode;

pub(crate) fn run(registry: &Registry, args: &PoliciesArgs) -> Result<ExitCode, Failure> {
    if args.json {
        let policies = registry.iter().map(|entry| Policy {
            policy: entry.name.to_owned(),
            title: entry.title.to_owned(),
            about: entry.about.to_owned(),
            parameters: entry
                .settings()
                .iter()
                .map(|setting| Parameter {
                    name: setting.name.to_owned(),
                    about: setting.about.to_owned(),
                    default: settings::show(&settings::default(setting)),
                })
                .collect(),
        });
        output::print_json(&Policies {
            schema: flyball_json::SCHEMA,
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
        for setting in entry.settings() {
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
