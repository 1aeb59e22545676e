//! All that is known of one set, beside its parts.

use flyball_model::{Format, OverheadFile, Statistic, TaskSet, read_str};
use flyball_study::assess::assess;
use flyball_study::budgets::budgets;
use flyball_study::{
    AnalyseOptions, Charges, Effort, NoDelay, Registry, analyse, largest_window, pipeline_needs,
    slowest,
};
use flyball_trace::Duration;

const FILES: [(&str, &str); 5] = [
    ("scaling", include_str!("../../../examples/scaling.toml")),
    ("speeds", include_str!("../../../examples/speeds.toml")),
    ("servers", include_str!("../../../examples/servers.toml")),
    ("pipeline", include_str!("../../../examples/pipeline.toml")),
    (
        "priority-inversion",
        include_str!("../../../examples/priority-inversion.toml"),
    ),
];

fn set(text: &str) -> TaskSet {
    read_str(text, Format::Toml, "set.toml").unwrap()
}

#[test]
fn it_is_its_parts() {
    let registry = Registry::standard();
    for (name, text) in FILES {
        let asked = set(text);
        let options = AnalyseOptions {
            latency: Some(Duration::from_millis(20)),
            ..AnalyseOptions::default()
        };
        let found = analyse(&registry, name, asked.clone(), &options, &|_| {}).unwrap();
        assert_eq!((&*found.file, &found.set), (name, &asked));
        let cpus = asked.platform.cpus.into();
        let limit = Effort::FULL.verdict;
        let alone = assess(&registry, &asked, cpus, None, limit, &|_| {});
        match (&found.assessment, alone) {
            (Ok(found), Ok(alone)) => assert_eq!(format!("{found:?}"), format!("{alone:?}")),
            (found, alone) => assert_eq!((found.is_err(), alone.is_err()), (true, true), "{name}"),
        }
        let alone = budgets(&asked, limit);
        assert_eq!(format!("{:?}", found.budgets), format!("{alone:?}"));
        let alone = slowest(&registry, name, &asked, Effort::FULL);
        assert_eq!(found.slowest, alone);
        assert_eq!(found.largest_window, largest_window(&asked, limit));
        let alone = pipeline_needs(&asked);
        assert_eq!(found.pipeline.is_some(), alone.is_some(), "{name}");
        assert_eq!(found.capacities.is_some(), alone.is_some(), "{name}");
        // They are about what the tests do not cover.
        assert!(found.sections.is_empty() || found.assessment.is_err());
    }
}

#[test]
fn a_policy_that_holds_the_set_is_found_on_enough_cpus() {
    let registry = Registry::standard();
    let text = "schema = 1\n[[task]]\nname = \"a\"\nperiod = \"10ms\"\nwcet = \"6ms\"\n\
                [[task]]\nname = \"b\"\nperiod = \"10ms\"\nwcet = \"6ms\"\n";
    let holds = |cpus| {
        let options = AnalyseOptions {
            cpus: Some(cpus),
            ..AnalyseOptions::default()
        };
        let found = analyse(&registry, "set.toml", set(text), &options, &|_| {}).unwrap();
        assert_eq!(found.set.platform.cpus, cpus);
        found.holds()
    };
    assert_eq!([1, 2, 3].map(holds), [false, true, true]);
}

#[test]
fn what_is_charged_of_a_file_is_what_it_has() {
    let entry = |statistic: &str| {
        format!(
            "[[measured]]\npolicy = \"edf\"\nqueue = \"heap\"\nstatistic = \"{statistic}\"\n\
             [measured.overheads]\nrelease = \"1us\"\n"
        )
    };
    let file = |statistics: &[&str]| {
        let entries: String = statistics.iter().map(|it| entry(it)).collect();
        let text = format!(
            "schema = 1\n[provenance]\nprocessor = \"p\"\n{entries}[[cache]]\nafter = \"preemption\"\n\
             statistic = \"worst\"\nby_working_set = {{ 4096 = \"2us\", 8192 = \"3us\" }}\n"
        );
        OverheadFile::read(&text, "o.toml").unwrap()
    };
    let usual = |statistics: &[&str]| Charges::new(file(statistics), None, None).unwrap();
    assert_eq!(usual(&["worst", "mean"]).statistic, Statistic::Worst);
    assert_eq!(usual(&["mean", "p999"]).statistic, Statistic::P999);
    let charged = |bytes| Charges::new(file(&["worst"]), Some(Statistic::Worst), Some(bytes));
    let cache = |bytes| charged(bytes).map(|it| it.cache.as_nanos());
    assert_eq!(
        [1, 4096, 4097, 8192].map(cache),
        [2_000, 2_000, 3_000, 3_000].map(Ok)
    );
    assert_eq!(cache(8193), Err(NoDelay(8193)));
}
