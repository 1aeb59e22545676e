//! `flyball policies`

use crate::args::PoliciesArgs;
use crate::failure::Failure;
use crate::output::{self, BOLD, DIM};
use flyball_catalogue::Setting;
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
            parameters: parameters(entry.settings()),
            task_parameters: parameters(entry.task_settings()),
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
        let own = entry.settings().iter().map(|setting| ("", setting));
        let of_tasks = entry.task_settings().iter();
        for (of, setting) in own.chain(of_tasks.map(|setting| ("a task's ", setting))) {
            let default = match settings::default(setting) {
                Some(Value::Duration(_) | Value::Text(_)) => {
                    format!("\"{}\"", settings::otherwise(setting))
                }
                Some(_) => settings::otherwise(setting),
                None => format!("({})", settings::otherwise(setting)),
            };
            let (name, about) = (setting.name, setting.about);
            let _ = writeln!(
                text,
                "{:width$}    {DIM}{of}{name} = {default}: {about}{DIM:#}",
                ""
            );
        }
    }
    let _ = writeln!(
        text,
        "\nA task set changes settings in a table of the policy's name:\n\n    \
         [policies.rr]\n    quantum = \"5ms\"\n\n\
         and a task changes its own in such a table behind its keys:\n\n    \
         [task.policies.rr]\n    quantum = \"2ms\""
    );
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// Settings for a program.
fn parameters(settings: &[Setting]) -> Vec<Parameter> {
    let parameter = |setting: &Setting| Parameter {
        name: setting.name.to_owned(),
        about: setting.about.to_owned(),
        default: settings::otherwise(setting),
    };
    settings.iter().map(parameter).collect()
}
