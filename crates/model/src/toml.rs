//! Flyball's own format, in TOML: everything that a task set can say.
//!
//! The format is described for users in `docs/task-set-format.md`. Reading takes time
//! O(n log n) in the length of the text.

mod behaviour;
mod endpoints;
mod groups;
mod length;
mod measured;
mod platform;
mod reserve;
mod resources;
mod servers;
mod size;
mod speeds;
mod study;
mod table;
mod task;
mod triggers;
mod write;

pub(crate) use measured::read as read_measured;
pub(crate) use measured::write as write_measured;
pub(crate) use study::read as read_study;
pub(crate) use study::write as write_study;
pub(crate) use task::ON_MISS;
pub use write::to_toml;

use crate::check::{MOST_TASKS, Names, too_many_tasks};
use crate::error::{Kind, ModelError};
use crate::source::{At, Source};
use crate::taskset::{Platform, Task, TaskSet};
use ::toml::de::DeTable;
use groups::Common;
use resources::Resources;
use table::{Read, Table, integer, tables, text};

/// The version of the format that is read and written here.
pub const SCHEMA: i64 = 1;

const KEYS: &[&str] = &[
    "schema",
    "name",
    "source",
    "reference",
    "sink",
    "platform",
    "policies",
    "mutex",
    "semaphore",
    "queue",
    "gauge",
    "server",
    "task",
];

/// Reads a task set; `default_name` is for one that has no name.
pub(crate) fn read(source: &Source<'_>, default_name: &str) -> Read<TaskSet> {
    size::check(source)?;
    let document = DeTable::parse(source.text).map_err(|error| syntax(source, &error))?;
    let document = Table::document(source, document.get_ref(), KEYS);
    schema(&document)?;
    document.check_keys()?;
    let platform = document.get("platform", platform::platform)?;
    let platform = platform.map_or_else(Platform::default, |platform| platform.value);

    let name = document
        .get("name", text)?
        .map_or(default_name, |name| name.value)
        .to_owned();
    let published = published(&document)?;
    let policies = document.get("policies", platform::policies)?;
    let policies = policies.map(|policies| policies.value).unwrap_or_default();
    let mut resources = Resources::default();
    let mut set = TaskSet {
        name,
        source: published,
        mutexes: resources.mutexes(&document)?,
        semaphores: resources.semaphores(&document)?,
        queues: resources.queues_and_gauges(&document)?,
        servers: resources.servers(&document, platform.cpus)?,
        platform,
        policies,
        endpoints: Vec::new(),
        tasks: Vec::new(),
        programs: Vec::new(),
        devices: Vec::new(),
    };
    set.endpoints = endpoints::read(&document, &resources)?;
    let mut common = Common::default();
    let tasks = tasks(&document, &set.platform, &resources, &mut common)?;
    (set.programs, set.devices) = common.into_names();
    let places: Vec<_> = tasks.iter().map(|task| task.span.clone()).collect();
    set.tasks = tasks.into_iter().map(|task| task.value).collect();
    triggers::check(source, &set, &places)?;
    endpoints::check(&document, &set)?;
    servers::settle(&document, &mut set)?;
    Ok(set)
}

/// Where the set was published: the text `source`, or `reference` where `source` has the sources of pipelines.
fn published(document: &Table<'_>) -> Read<Option<String>> {
    let has_sources = |_: &Source<'_>, node: &table::Node<'_>| Ok(node.get_ref().is_array());
    let reference = document.get("reference", text)?;
    let is_text = document.get("source", has_sources)?;
    if is_text.is_none_or(|has_sources| has_sources.value) {
        return Ok(reference.map(|text| text.value.to_owned()));
    }
    if let Some(At { span, .. }) = reference {
        let message = "`source` says already where the set was published";
        let error = document.source.error(Kind::Inconsistent, &span, message);
        return Err(error.within("reference").help("leave out one of them"));
    }
    Ok(document
        .get("source", text)?
        .map(|text| text.value.to_owned()))
}

fn tasks<'d>(
    document: &Table<'d>,
    platform: &Platform,
    resources: &Resources<'d>,
    common: &mut Common,
) -> Read<Vec<At<Task>>> {
    let source = document.source;
    let nodes = document
        .get("task", tables("task"))?
        .map_or(&[][..], |nodes| nodes.value);
    if nodes.is_empty() {
        let error = ModelError::new(Kind::Missing, "there are no tasks").in_file(source.name);
        let help = "add one: `[[task]]`, then `period = \"10ms\"` and `wcet = \"1ms\"`";
        return Err(error.help(help));
    }
    if let Some(node) = nodes.get(MOST_TASKS) {
        return Err(too_many_tasks(source, &node.span()));
    }
    let mut names = Names::default();
    let tasks = nodes.iter().enumerate();
    tasks
        .map(|(index, node)| {
            task::read(source, node, index, platform, &mut names, resources, common)
        })
        .collect()
}

pub(in crate::toml) fn syntax(source: &Source<'_>, error: &::toml::de::Error) -> ModelError {
    let span = error.span().unwrap_or(0..0);
    let message = format!("not TOML: {}", error.message());
    let error = source.error(Kind::Syntax, &span, message);
    error.help("the rules of TOML are at https://toml.io")
}

/// Checks the version before anything else: another one may have other keys.
pub(in crate::toml) fn schema(document: &Table<'_>) -> Read<()> {
    let source = document.source;
    let Some(version) = document.get("schema", integer)? else {
        let error = source.error(Kind::Missing, &(0..0), "missing key `schema`");
        return Err(error.help(format!("begin the file with `schema = {SCHEMA}`")));
    };
    if version.value == SCHEMA {
        return Ok(());
    }
    let message = format!(
        "the format has version {SCHEMA}, the file version {}",
        version.value
    );
    let error = document
        .source
        .error(Kind::Schema, &version.span, message)
        .within("schema");
    Err(error.help("a newer version of this program may read it"))
}
