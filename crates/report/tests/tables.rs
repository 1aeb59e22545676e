//! A study for programs: CSV and JSON.

use crate::common;

use common::{example, study};
use flyball_report::csv::to_csv;
use flyball_report::json;
use flyball_study::results::{Schedulable, Study, Verdict};
use flyball_trace::Duration;
use insta::assert_snapshot;

fn inversion() -> Study {
    let set = example("priority-inversion.toml");
    let mut study = study("priority-inversion.toml", set, Duration::from_millis(500));
    study.policies.truncate(2);
    study.policies[0].verdict = Verdict {
        schedulable: Schedulable::ExactTimes,
        proof: Some("simulation".into()),
        ..study.policies[0].verdict.clone()
    };
    study.policies[1].verdict = Verdict {
        schedulable: Schedulable::Always,
        proof: Some("response-time analysis".into()),
        evidence: None,
    };
    let task = &mut study.policies[1].tasks[0];
    (task.response_bound, task.slack) = (Some(Duration::from_millis(13)), Some(Duration::ZERO));
    study
}

#[test]
fn a_study_as_csv() {
    assert_snapshot!("csv", to_csv(&inversion()));
}

#[test]
fn a_study_as_json() {
    assert_snapshot!("json", json::text(&json::study(&inversion())));
}

#[test]
fn names_with_commas_quotes_and_line_breaks_are_quoted() {
    let mut study = inversion();
    let name = "a,\"b\"\nc";
    study.policies[0].tasks[0].name = name.into();
    let text = to_csv(&study);
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let names: Vec<_> = reader
        .records()
        .map(|row| row.unwrap()[3].to_owned())
        .collect();
    assert_eq!(names.len(), 6);
    assert_eq!(names[0], name);
    let json: serde_json::Value = serde_json::from_str(&json::text(&json::study(&study))).unwrap();
    assert_eq!(json["policies"][0]["tasks"][0]["name"], name);
    assert_eq!(json["schema"], 1);
}
