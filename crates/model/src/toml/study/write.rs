//! Writes studies, always in the same way: nothing is left out, nothing has a name only.

use super::simulate::PHASES;
use crate::study::{Shape, Simulations, Study, Utilisations};
use crate::toml::SCHEMA;
use crate::toml::speeds;
use crate::toml::write::{key, policies, quoted};
use core::fmt::{self, Write};

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
    if let Some(simulate) = &study.simulate {
        let _ = simulations(&mut toml, simulate);
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

fn simulations(toml: &mut String, simulate: &Simulations) -> fmt::Result {
    let names: Vec<String> = simulate.policies.iter().map(|name| quoted(name)).collect();
    let measures = simulate.measures.iter().map(|it| quoted(it.name()));
    let measures: Vec<String> = measures.collect();
    writeln!(
        toml,
        "\n[simulate]\npolicies = [{}]\nmeasures = [{}]\nhorizon = \"{}\"\nseeds = {}",
        names.join(", "),
        measures.join(", "),
        simulate.horizon,
        simulate.seeds
    )?;
    if !simulate.sources.is_empty() {
        let one =
            |(name, source): (&String, &String)| format!("{} = {}", key(name), quoted(source));
        let all: Vec<String> = simulate.sources.iter().map(one).collect();
        writeln!(toml, "sources = {{ {} }}", all.join(", "))?;
    }
    if let Some([from, to]) = simulate.execution {
        writeln!(toml, "execution = [{from}, {to}]")?;
    }
    if let Some((word, _)) = PHASES.iter().find(|(_, it)| *it == simulate.phases) {
        writeln!(toml, "phases = \"{word}\"")?;
    }
    if let Some(found) = &simulate.speeds {
        speeds::write(toml, "simulate", found)?;
    }
    policies(toml, "policies", &simulate.settings)
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
