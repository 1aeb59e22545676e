//! How a reproduction is presented.

use flyball_report::reproduction::json::document;
use flyball_report::reproduction::{
    Axis, Claim, Experiment, Figure, NO_VERDICT, ON_HOST, Panel, Reproduction, Role, Series, Shape,
    Verdict, page, svg, table,
};
use proptest::prelude::*;

fn claim(text: &str, verdict: Verdict) -> Claim {
    Claim {
        text: text.into(),
        place: "table 1".into(),
        criterion: "within 1 ms".into(),
        published: "1 < 2, \"so\"".into(),
        ours: "3".into(),
        verdict,
    }
}

fn figure(series: Vec<Series>) -> Figure {
    Figure {
        name: "a-figure".into(),
        title: "A <figure> & more".into(),
        caption: "To be seen.".into(),
        x: Axis::numbers("time (s)"),
        panels: vec![Panel {
            title: "top".into(),
            y: Axis::numbers("length (ms)"),
            series,
        }],
    }
}

fn reproduction() -> Reproduction {
    let points = vec![[0.0, 1.0], [1.0, 2.5]];
    Reproduction {
        name: "work".into(),
        title: "A work".into(),
        source: "Somebody, 1999".into(),
        machine: None,
        notes: vec!["A note.".into()],
        experiments: vec![Experiment {
            name: "first".into(),
            title: "The first".into(),
            claims: vec![
                claim("it holds", Verdict::Holds),
                claim("it <differs>", Verdict::Differs("of this".into())),
                claim(
                    "it cannot be said",
                    Verdict::NotComparable("of that".into()),
                ),
            ],
            figures: vec![figure(vec![
                Series::ours("simulated", Shape::Line, 0, points.clone()),
                Series::ours("measured", Shape::Points, 0, points).with_role(Role::Published),
            ])],
            ..Experiment::default()
        }],
    }
}

#[test]
fn an_experiment_without_claims_says_so() {
    let mut done = reproduction();
    let says = |done: &Reproduction| {
        let html = page::html(done);
        [NO_VERDICT, ON_HOST].map(|text| html.contains(text))
    };
    assert_eq!(says(&done), [false; 2]);
    done.experiments[0].claims.clear();
    done.experiments[0].on_host = true;
    assert_eq!(says(&done), [true; 2]);
    let json = serde_json::to_value(document(&done)).unwrap();
    assert_eq!(json["experiments"][0]["on_host"], true);
}

#[test]
fn no_claim_is_left_out_anywhere() {
    let done = reproduction();
    let tally = done.tally();
    assert_eq!(
        [tally.holds, tally.differs, tally.not_comparable],
        [1, 1, 1]
    );
    let html = page::html(&done);
    let csv = table::claims(&done);
    assert_eq!(csv.lines().count(), 4);
    assert!(csv.contains("first,it holds,table 1,within 1 ms,\"1 < 2, \"\"so\"\"\",3,holds,\n"));
    assert!(csv.contains(",differs,of this\n") && csv.contains(",not comparable,of that\n"));
    for text in [
        "it holds",
        "it &lt;differs&gt;",
        "it cannot be said",
        "of this",
        "of that",
        "not comparable",
    ] {
        assert!(html.contains(text), "{text}");
    }
    let json = serde_json::to_value(document(&done)).unwrap();
    assert_eq!(json["schema"], 1);
    let claims = json["experiments"][0]["claims"].as_array().unwrap();
    let verdicts: Vec<_> = claims
        .iter()
        .map(|claim| claim["verdict"].as_str())
        .collect();
    let expected = ["holds", "differs", "not comparable"].map(Some);
    assert_eq!(verdicts, expected);
    assert!(claims[0]["reason"].is_null());
    assert_eq!(claims[2]["reason"], "of that");
    assert_eq!(json["experiments"][0]["figures"][0]["svg"], "a-figure.svg");
}

/// Neither the page nor a figure reaches for anything elsewhere.
#[test]
fn nothing_is_loaded() {
    let done = reproduction();
    let files = [
        page::html(&done),
        svg::file(&done.experiments[0].figures[0]),
    ];
    for file in files {
        let rest = file.replace("http://www.w3.org/2000/svg", "");
        assert!(
            !rest.contains("http:") && !rest.contains("https:") && !rest.contains("@import"),
            "{rest}"
        );
    }
}

#[test]
fn a_figure_has_all_its_numbers_in_a_table() {
    let done = reproduction();
    assert_eq!(
        table::figure(&done.experiments[0].figures[0]),
        "panel,series,role,x,y\n\
         top,simulated,ours,0,1\n\
         top,simulated,ours,1,2.5\n\
         top,measured,published,0,1\n\
         top,measured,published,1,2.5\n"
    );
    let mut bars = figure(vec![Series::ours("a", Shape::Bars, 0, vec![[1.0, 7.0]])]);
    bars.x = Axis::categories("", ["left", "right"]);
    assert!(table::figure(&bars).ends_with("top,a,ours,right,7\n"));
}

/// An interval is a shade below its line, and the legend has the line only.
#[test]
fn an_interval_goes_around() {
    let line = Series::ours("a", Shape::Line, 2, vec![[0.0, 0.5], [1.0, 0.7]]);
    let interval = Series::interval("a", 2, &[[0.0, 0.4, 0.6], [1.0, 0.6, 0.8]]);
    assert_eq!(
        interval.points,
        [[0.0, 0.4], [1.0, 0.6], [1.0, 0.8], [0.0, 0.6]]
    );
    let both = figure(vec![interval.clone(), line]);
    let text = svg::file(&both);
    assert_eq!(
        text.matches("<path class=\"area interval c2\"").count(),
        1,
        "{text}"
    );
    assert_eq!(
        text.matches("<path class=\"line ours c2\"").count(),
        2,
        "{text}"
    );
    assert_eq!(text.matches("class=\"entry\"").count(), 1);
    assert!(text.contains("Z\""));
    assert!(table::figure(&both).contains("top,a,interval,0,0.4\n"));
    // By itself it is in the legend.
    let alone = svg::file(&figure(vec![interval]));
    assert_eq!(alone.matches("<path class=\"area interval c2\"").count(), 2);
}

/// A line needs two points to be seen.
#[test]
fn a_line_of_one_point_is_a_mark() {
    for shape in [Shape::Line, Shape::Dashes, Shape::Dots, Shape::Steps] {
        let one = Series::ours("a", shape, 4, vec![[1.0, 7.0]]);
        let text = svg::file(&figure(vec![one.clone()]));
        assert!(!text.contains("<path class=\"line"), "{text}");
        // In the panel and in the legend.
        assert_eq!(
            text.matches("<g class=\"marks ours c4\"><circle").count(),
            2,
            "{text}"
        );
        let two = Series {
            points: vec![[1.0, 7.0], [2.0, 7.0]],
            ..one
        };
        let text = svg::file(&figure(vec![two]));
        assert!(
            text.contains("<path class=\"line") && !text.contains("<circle"),
            "{text}"
        );
    }
}

/// The number above the highest bar is not cut off: the axis goes on above it, if the caller leaves
/// it to the numbers.
#[test]
fn there_is_room_for_numbers_above_bars() {
    for height in [0.4, 30.0, 40.0, 99.0, 1e6] {
        let bars = vec![[0.0, height / 3.0], [1.0, height]];
        let mut bars = figure(vec![Series::ours("a", Shape::Bars, 0, bars)]);
        bars.x = Axis::categories("", ["left", "right"]);
        let text = svg::file(&bars);
        let number = |part: &str, name: &str| -> f64 {
            let (_, rest) = part.split_once(&format!("{name}=\"")).unwrap();
            rest.split('"').next().unwrap().parse().unwrap()
        };
        let (_, clip) = text.split_once("<clipPath").unwrap();
        let (_, drawn) = text
            .split_once("<g class=\"bars ours")
            .unwrap()
            .1
            .split_once("<g class=\"bars ours")
            .unwrap();
        let highest = drawn
            .match_indices("<text")
            .map(|(at, _)| number(&drawn[at..], " y"));
        let highest = highest.take(2).fold(f64::INFINITY, f64::min);
        // Figures are less than 9 pixels high.
        assert!(
            highest - 9.0 > number(clip, " y"),
            "{height}: {highest}, {text}"
        );
        // And bars begin at zero.
        assert!(text.contains(">0<") || text.contains(">0.0<"), "{text}");
    }
}

fn shape() -> impl Strategy<Value = Shape> {
    prop::sample::select(vec![
        Shape::Line,
        Shape::Dashes,
        Shape::Dots,
        Shape::Steps,
        Shape::Points,
        Shape::Bars,
        Shape::Area,
    ])
}

proptest! {
    /// Whatever the numbers are, a figure has no place that is none, escapes its texts, and closes
    /// what it opens.
    #[test]
    fn a_figure_can_be_drawn(
        shapes in prop::collection::vec(
            (shape(), prop::collection::vec((any::<f64>(), -1e9_f64..1e9), 0..20)), 0..4),
    ) {
        let series = shapes.into_iter().map(|(shape, points)| {
            let points = points.into_iter().map(|(x, y)| [x % 1e6, y]).collect();
            Series::ours("<name>", shape, 3, points)
        });
        let text = svg::file(&figure(series.collect()));
        prop_assert!(!text.contains("NaN") && !text.contains("inf"), "{}", text);
        prop_assert!(!text.contains("<name>") && !text.contains("<figure>"));
        for tag in ["g", "text", "svg", "path", "rect", "circle"] {
            let opened = text.matches(&format!("<{tag}")).count();
            let closed = text.matches(&format!("</{tag}>")).count();
            prop_assert!(opened >= closed && text.contains("</svg>"));
        }
    }
}
