//! Writes studies, always in the same way: nothing is left out, nothing has a name only.

use crate::study::{Shape, Study, Utilisations};
use crate::toml::SCHEMA;
use crate::toml::write::quoted;
use core::fmt::Write;

/// The study, and the files of overheads that it names, each with its name.
pub(crate) fn write(study: &Study) -> (String, Vec<(String, String)>) {
    let caps: Vec<String> = study.caps.iter().map(ToString::to_string).collect();
    let mut toml = format!(
        "schema = {SCHEMA}\nname = {}\nseed = {}\ncpus = {}\ncaps = [{}]\nsets = {}\nbatch = {}\n",
        quoted(&study.name),
        study.seed,
        study.cpus,
        caps.join(", "),
        study.sets,
        study.batch
    );
    // A test that is a column of its own has no other name. Writing to a string cannot fail.
    let is_alone = |column: &&crate::study::Column| column.any == [column.name.as_str()];
    let alone: Vec<String> = study
        .tests
        .iter()
        .filter(is_alone)
        .map(|it| quoted(&it.name))
        .collect();
    let _ = writeln!(toml, "tests = [{}]", alone.join(", "));
    for union in study.tests.iter().filter(|column| !is_alone(column)) {
        let of: Vec<String> = union.any.iter().map(|name| quoted(name)).collect();
        let _ = writeln!(
            toml,
            "\n[[union]]\nname = {}\nof = [{}]",
            quoted(&union.name),
            of.join(", ")
        );
    }
    for scenario in &study.scenarios {
        let periods = &scenario.periods;
        let _ = writeln!(
            toml,
            "\n[[scenario]]\nperiods = [{{ name = {}, uniform = [\"{}\", \"{}\"] }}]\n\
             utilisations = [{}]\nslack = {}",
            quoted(&periods.name),
            periods.shortest,
            periods.longest,
            utilisations(&scenario.utilisations),
            scenario.slack,
        );
    }
    let mut files = Vec::new();
    for (number, charge) in study.charges.iter().enumerate() {
        let file = format!("overheads-{}.toml", number + 1);
        let _ = writeln!(
            toml,
            "\n[[overheads]]\nname = {}\nfile = {}\nstatistic = \"{}\"\naccounting = \"{}\"\nworking_sets = {:?}",
            quoted(&charge.name),
            quoted(&file),
            charge.statistic.name(),
            charge.accounting.name(),
            charge.working_sets
        );
        files.push((file, charge.file.to_toml()));
    }
    (toml, files)
}

fn utilisations(utilisations: &Utilisations) -> String {
    let modes = utilisations.modes.iter().map(|mode| {
        let shape = match mode.shape {
            Shape::Uniform(from, to) => format!("uniform = [{from}, {to}]"),
            Shape::Exponential(mean) => format!("exponential = {mean}"),
        };
        format!("{{ weight = {}, {shape} }}", mode.weight)
    });
    let modes: Vec<String> = modes.collect();
    format!(
        "{{ name = {}, modes = [{}] }}",
        quoted(&utilisations.name),
        modes.join(", ")
    )
}
