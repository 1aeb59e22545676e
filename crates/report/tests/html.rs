//! The page: what is in it, and that nothing in a task set can break it.

use crate::common;

use common::{example, report, study};
use flyball_catalogue::Rm;
use flyball_model::{Task, TaskSet};
use flyball_report::html::html;
use flyball_study::note::{AboutPolicy, Note};
use flyball_study::reason::{Because, Evidence, Seen, Statement};
use flyball_study::results::{Breakdown, PolicyReport, Schedulable, Study, Verdict};
use flyball_trace::Duration;

const EVIL: &str =
    "</script><script>alert('1')</script> \"&quot; <b>& \u{2028}\u{202e}\0 \u{1f600}";

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// That theory knows why a set holds.
fn theory(because: Because) -> Evidence {
    let holds = Some(true);
    Evidence {
        seen: Seen::Repeats { doubt: None },
        measured: false,
        theory: Ok(Statement { holds, because }),
    }
}

fn evil_study() -> Study {
    let mut set = example("priority-inversion.toml");
    set.name = EVIL.into();
    set.source = Some(EVIL.into());
    for task in &mut set.tasks {
        task.name = format!("{} {EVIL}", task.name);
    }
    set.mutexes[0].name = EVIL.into();
    let mut study = study(EVIL, set, ms(500));
    study.notes.push(Note::TooLarge(EVIL.into()));
    for policy in &mut study.policies {
        policy.policy = EVIL.into();
        policy.title = EVIL.into();
        policy.settings.push((EVIL.into(), EVIL.into()));
        policy
            .notes
            .push(Note::Policy(AboutPolicy::LeftOut(EVIL.into())));
        policy.verdict = Verdict {
            schedulable: Schedulable::Unknown,
            proof: Some(EVIL.into()),
            evidence: Some(theory(Because::Alone(EVIL.into()))),
        };
    }
    study
}

/// The contents of all elements of that name, found as a browser finds the end of a script.
fn contents<'a>(page: &'a str, open: &str, close: &str) -> Vec<&'a str> {
    let parts = page.split(open).skip(1);
    parts
        .map(|part| part.split(close).next().unwrap_or(part))
        .collect()
}

#[test]
fn no_name_breaks_out_of_its_place() {
    let study = evil_study();
    let page = html(&study);
    assert!(!page.contains("<script>alert") && !page.contains("<b>&"));
    // One script of data a policy, and the page's own.
    let scripts = page.matches("<script").count();
    assert_eq!(scripts, study.policies.len() + 1);
    assert_eq!(page.matches("</script").count(), scripts);
    for data in contents(&page, "<script type=\"application/json\">", "</script>") {
        let data: serde_json::Value = serde_json::from_str(data).expect("it is JSON");
        assert_eq!(data["tasks"][0], format!("bus manager {EVIL}"));
        assert_eq!(data["objects"][0], format!("mutex \"{EVIL}\""));
    }
    let title = contents(&page, "<title>", "</title>")[0];
    assert!(title.starts_with("&lt;/script&gt;"));
}

#[test]
fn the_page_needs_nothing_else() {
    let page = html(&study("gap.toml", example("gap.toml"), ms(200)));
    assert!(page.starts_with("<!DOCTYPE html>"));
    assert!(page.contains("default-src &#39;none&#39;") || page.contains("default-src 'none'"));
    for attribute in [" src=", "@import", "url("] {
        assert!(!page.contains(attribute), "{attribute}");
    }
    for link in contents(&page, "href=\"", "\"") {
        let id = link.strip_prefix('#').expect("links stay on the page");
        assert_eq!(page.matches(&format!("id=\"{id}\"")).count(), 1, "{link}");
    }
}

#[test]
fn ids_are_unique_and_labels_point_to_them() {
    let page = html(&study("gap.toml", example("gap.toml"), ms(200)));
    let ids = contents(&page, " id=\"", "\"");
    let mut unique = ids.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(ids.len(), unique.len());
    for attribute in ["aria-labelledby", "aria-controls", "aria-describedby"] {
        for id in contents(&page, &format!("{attribute}=\""), "\"") {
            assert!(ids.contains(&id), "{attribute} {id}");
        }
    }
}

/// What the filter hides and what is compared is found by these.
#[test]
fn every_policy_can_be_filtered_and_compared() {
    let study = study("gap.toml", example("gap.toml"), ms(200));
    let page = html(&study);
    let ids = contents(&page, " id=\"", "\"");
    let options = contents(&page, "<option value=\"policy-", "</option>");
    assert_eq!(options.len(), 2 * study.policies.len());
    for (number, report) in study.policies.iter().enumerate() {
        let chart = format!("policy-{}-chart", number + 1);
        assert!(ids.contains(&chart.as_str()), "{chart}");
        // The link in the bar, the row of the table and the section.
        let named = format!(
            "data-policy=\"{} {}\" data-verdict=\"",
            report.policy, report.title
        );
        let verdicts = contents(&page, &named, "\"");
        assert_eq!(verdicts.len(), 3, "{named}");
        assert!(verdicts.iter().all(|verdict| *verdict == verdicts[0]));
        let count = page
            .matches(&format!("data-verdict=\"{}\"", verdicts[0]))
            .count();
        let [option] = contents(
            &page,
            &format!("<option value=\"{}\">", verdicts[0]),
            "</option>",
        )[..] else {
            panic!("one option for {}", verdicts[0]);
        };
        assert!(option.ends_with(&format!(" ({})", count / 3)), "{option}");
    }
    // One schedule cannot be compared.
    let mut one = study;
    one.policies.truncate(1);
    let page = html(&one);
    assert!(!page.contains("id=\"compare\"") && !page.contains("href=\"#compare\""));
}

#[test]
fn verdicts_are_words_and_numbers_are_exact() {
    let mut study = study("gap.toml", example("gap.toml"), ms(1000));
    study.policies[1].verdict = Verdict {
        schedulable: Schedulable::Always,
        proof: Some("response-time analysis".into()),
        evidence: Some(theory(Because::InTime)),
    };
    study.policies[2].verdict.schedulable = Schedulable::ExactTimes;
    study.policies[1].breakdown = Some(Breakdown {
        factor_ppm: 1_075_269,
        utilisation_ppm: 914_000,
        at_least: false,
    });
    study.policies[1].tasks[0].response_bound = Some(Duration::from_nanos(3_000_001));
    let page = html(&study);
    let text = |needle: &str| assert!(page.contains(needle), "{needle}");
    text("Held by <bdi>dm</bdi>.");
    text("Every task's longest response time is within its deadline.");
    text("Not held by <bdi>rm</bdi>, <bdi>rr</bdi>.");
    text("Held for exactly these times by <bdi>edf</bdi>.");
    text("a job that computes for a shorter time might make another one late.");
    text("Holds for exactly these times</span>");
    assert!(!page.contains("Not known for"));
    text("+7.5 %<span class=\"aside\"> at utilisation 0.9140</span>");
    text("title=\"3.000001ms\">3.000</td>");
    text("utilisation 0.8501 of 1 CPU");
    text("Misses: ");
    text("Shown: all of the 1 s that were simulated.");
}

#[test]
fn what_is_left_out_is_said() {
    // 40 000 slices, and the first miss after most of them.
    let mut set = TaskSet {
        tasks: vec![Task::periodic("short", ms(1), Duration::from_micros(500))],
        ..TaskSet::default()
    };
    let mut late = Task::periodic("late", ms(40_000), ms(10));
    late.phase = ms(30_000);
    late.deadline = Some(ms(15));
    set.tasks.push(late);
    let study = Study {
        file: "x".into(),
        cpus: 1,
        policies: vec![report(&set, "rm", "rate monotonic", &Rm, ms(40_000))],
        set,
        notes: Vec::new(),
        measured: None,
    };
    assert_eq!(study.policies[0].simulated.misses, 1);
    let page = html(&study);
    let shown = contents(&page, "<p class=\"shown\">", "</p>")[0];
    assert_eq!(
        shown.trim(),
        "Shown: the first 20 s of 40 s. A second view shows 20.03 s to 40 s, around the first miss."
    );
    assert!(page.len() < 2_000_000, "{} bytes", page.len());
}

#[test]
fn a_study_without_anything_is_a_page_too() {
    assert!(html(&Study::default()).contains("No policy is known to hold it."));
    let mut study = study("x", TaskSet::default(), ms(1));
    study.policies.push(PolicyReport::default());
    assert!(html(&study).contains("Nothing of the schedule was kept."));
}
