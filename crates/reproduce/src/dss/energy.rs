//! Process cruise control: what memory-bound work saves at a low frequency, and what it loses.

use super::load::{ADJUSTMENT, Found, Load, Sort, float, mean, once, run_set};
use crate::work::{Plan, Setup};
use flyball_measure::bench::BenchError;
use flyball_model::{Frequency, Length, Power, Powers, Share, Speeds, Step, TaskSet};
use flyball_report::reproduction::{
    Axis, Claim, Experiment, Figure, Panel, Series, Shape, Verdict, decimal,
};
use flyball_trace::{Duration, Speed};

/// The experiment.
pub const PLAN: Plan = Plan {
    name: "energy",
    title: "Energy that is saved, and time that is lost (abstract, chapter 1)",
    on_machine: &[],
    run,
};

/// The frequencies of the processor that process cruise control was measured on, in MHz: its lowest and its
/// highest are published.
const FREQUENCIES: [u64; 7] = [333, 400, 466, 533, 600, 666, 733];
/// Milliwatts of its board: idle, and with work on memory at the highest frequency.
const IDLE: u64 = 570;
const BUSY: u64 = 1220;
/// Time waiting for memory, in millionths: at 333 MHz such a task takes 4 % longer, as is published.
const MEMCPY: u32 = 967_000;
const WORK: Duration = Duration::from_secs(60);
const PARTS: [u32; 8] = [500, 600, 700, 800, 850, 900, 950, 967];
/// How long an adjustment may take, in microseconds.
const COSTS: [u64; 5] = [100, 1_000, 2_000, 5_000, 10_000];

/// The board at operating points of these frequencies in MHz, where each change takes so long. The processor has one voltage, so that power above that of
/// an idle board grows with the frequency.
pub(crate) fn board(mhz: &[u64], adjustment: Duration) -> Option<Speeds> {
    let all = |of: &dyn Fn(u64) -> u64| -> Option<Vec<Power>> {
        let powers = mhz.iter().map(|&mhz| Power::microwatts(of(mhz) * 1_000));
        powers.collect()
    };
    let powers = all(&|mhz| IDLE + (BUSY - IDLE) * mhz / 733)?;
    let frequencies = mhz.iter().map(|mhz| Frequency::hertz(mhz * 1_000_000));
    let row = |from: usize| {
        let to = |to| {
            if from == to {
                Duration::ZERO
            } else {
                adjustment
            }
        };
        (0..mhz.len()).map(to).collect::<Vec<_>>()
    };
    Speeds::new(
        frequencies.collect::<Option<_>>()?,
        (0..mhz.len()).map(row).collect(),
        Some(Powers {
            computing: powers.clone(),
            stalled: powers,
            idle: Power::microwatts(IDLE * 1_000)?,
        }),
    )
}

/// The slowest point at which work that waits for memory for this part takes at most a tenth longer.
pub(super) fn slowest(speeds: &Speeds, stalls: Share) -> Speed {
    let second = Duration::from_secs(1);
    let limit = Duration::from_millis(1_100);
    let points = (0..=speeds.fastest().0).map(Speed);
    let mut fits = points.filter(|&point| speeds.slowdown(point, stalls).stretch(second) <= limit);
    fits.next().unwrap_or(speeds.fastest())
}

/// What a task saves and loses at its slowest point, in hundredths, and which point that is.
struct Saving {
    mhz: u64,
    saved: f64,
    lost: f64,
}

fn saving(setup: &mut Setup<'_>, millionths: u32) -> Result<Saving, BenchError> {
    let stalls = Share::from_millionths(millionths);
    let speeds = board(&FREQUENCIES, ADJUSTMENT);
    let point = speeds
        .as_ref()
        .map_or(Speed(0), |speeds| slowest(speeds, stalls));
    let mut found = Vec::new();
    for speed in [speeds.as_ref().map(Speeds::fastest), Some(point)] {
        let body = vec![Step::Compute(Length::Fixed(WORK))];
        let task = flyball_model::Task {
            wcet: WORK,
            stalls,
            speed,
            ..once("work", body)
        };
        let mut set = TaskSet {
            name: "memory-bound".into(),
            tasks: vec![task],
            ..TaskSet::default()
        };
        set.platform.speeds.clone_from(&speeds);
        found.push(run_set(setup.bench, set, Sort::None, WORK * 3, 0)?.0);
    }
    let part = |of: fn(&Found) -> Option<f64>| {
        let [top, slow] = [0, 1].map(|at| found.get(at).and_then(of).unwrap_or(0.0));
        100.0 * (slow / top - 1.0)
    };
    Ok(Saving {
        mhz: FREQUENCIES[usize::from(point.0).min(FREQUENCIES.len() - 1)],
        saved: -part(|found| found.joules),
        lost: part(|found| found.run_time),
    })
}

/// Of the time that is lost to low frequencies and adjustments, the part of the latter, in hundredths.
fn switching(setup: &mut Setup<'_>, micros: u64) -> Result<f64, BenchError> {
    let load = Load {
        work: Some(Duration::from_secs(10)),
        ..Load::half(6)
    };
    let orders = setup.size.of([1, 4, 20]);
    let mut time = |load: Load| -> Result<f64, BenchError> {
        let found = mean(
            setup.bench,
            load,
            Sort::None,
            Duration::from_secs(200),
            orders,
        )?;
        Ok(found.run_time.unwrap_or(0.0))
    };
    let top = time(Load {
        all_high: true,
        ..load
    })?;
    let free = time(Load {
        adjustment: Duration::ZERO,
        ..load
    })?;
    let charged = time(Load {
        adjustment: Duration::from_micros(micros),
        ..load
    })?;
    Ok(100.0 * (charged - free) / (charged - top))
}

fn run(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let memcpy = saving(setup, MEMCPY)?;
    let mut by_part = Vec::new();
    for part in PARTS {
        setup.bench.go_on()?;
        by_part.push((part, saving(setup, part * 1_000)?));
    }
    let mut by_cost = Vec::new();
    for micros in COSTS {
        setup.bench.go_on()?;
        by_cost.push((micros, switching(setup, micros)?));
    }
    Ok(Experiment {
        about: "Work that waits for memory runs at the slowest point at which it takes at most a tenth longer, and at the \
                highest one. Then six tasks, half of them mem at 104 MHz, of which the time lost to low frequencies and that of \
                adjustments are taken apart."
            .into(),
        settings: vec![
            ("frequencies".into(), "333 to 733 MHz, seven".into()),
            ("power".into(), "570 mW + 650 mW · f/733 MHz".into()),
            ("memcpy".into(), format!("waits for memory for {} of its time", f64::from(MEMCPY) / 1e6)),
        ],
        assumptions: vec![
            "Published are 333 and 733 MHz, 1220 mW of the board with work on memory at 733 MHz, 570 mW, which is taken to be that \
             of an idle board, and 4 % longer at 333 MHz. The points between, and that power grows with the frequency, as the \
             voltage is the same, are ours."
                .into(),
            "The frequency of a task is said here. What it costs to find it out is left out.".into(),
        ],
        claims: claims(&memcpy, &by_part, &by_cost),
        figures: vec![figure(&by_part)],
        ..Experiment::default()
    })
}

fn claims(memcpy: &Saving, by_part: &[(u32, Saving)], by_cost: &[(u64, f64)]) -> Vec<Claim> {
    let shown = |saving: &Saving| {
        format!(
            "{} % saved at {} MHz, {} % longer",
            decimal(saving.saved),
            saving.mhz,
            decimal(saving.lost)
        )
    };
    let most_lost = by_part
        .iter()
        .map(|(_, saving)| saving.lost)
        .fold(0.0, f64::max);
    let at_100 = by_cost.first().map_or(0.0, |(_, part)| *part);
    let third = by_cost
        .windows(2)
        .find(|pair| pair[0].1 < 30.0 && pair[1].1 >= 30.0);
    let third = third.map_or_else(
        || "none of these reaches 30 %".to_owned(),
        |pair| {
            format!(
                "30 % is between {} and {} ms",
                float(pair[0].0) / 1e3,
                float(pair[1].0) / 1e3
            )
        },
    );
    let costs = by_cost
        .iter()
        .map(|(micros, part)| format!("{} % at {} ms", decimal(*part), float(*micros) / 1e3));
    let nearest = by_part.iter().min_by(|a, b| {
        let far = |saving: &Saving| (saving.saved - 4.5).abs();
        far(&a.1).total_cmp(&far(&b.1))
    });
    vec![
        Claim {
            text: "Memory-bound work saves 22 % of the energy".into(),
            place: "abstract".into(),
            criterion: "within 5 points".into(),
            published: "up to 22 %".into(),
            ours: shown(memcpy),
            verdict: Verdict::of((memcpy.saved - 22.0).abs() <= 5.0, || {
                "The powers between the published ones are others.".into()
            }),
        },
        Claim {
            text: "It takes 4 % longer at 333 MHz".into(),
            place: "Weißel and Bellosa, CASES 2002".into(),
            criterion: "333 MHz is the slowest point within 10 %, and 3.5 to 4.5 % longer".into(),
            published: "333 MHz; 4 %".into(),
            ours: shown(memcpy),
            verdict: Verdict::of(
                memcpy.mhz == 333 && (3.5..=4.5).contains(&memcpy.lost),
                || "Another point is the slowest.".into(),
            ),
        },
        Claim {
            text: "No work loses more than 10 % of its time".into(),
            place: "1".into(),
            criterion: "less than 10.01 % for each part of waiting from 0.5 to 0.967".into(),
            published: "< 10 %".into(),
            ours: format!("at most {} %", decimal(most_lost)),
            verdict: Verdict::of(most_lost < 10.01, || "It does.".into()),
        },
        Claim {
            text: "Ghostscript saves 4.5 %".into(),
            place: "Weißel and Bellosa, CASES 2002".into(),
            criterion: String::new(),
            published: "4.5 %".into(),
            ours: nearest.map_or_else(
                || "–".to_owned(),
                |(part, saving)| {
                    format!(
                        "nearest: work that waits for {} of its time, {}",
                        f64::from(*part) / 1e3,
                        shown(saving)
                    )
                },
            ),
            verdict: Verdict::NotComparable(
                "For which part of its time it waits for memory is not published.".into(),
            ),
        },
        Claim {
            text: "Roughly 30 % of the loss is due to adjustments".into(),
            place: "1".into(),
            criterion: "20 to 40 % of the time lost, with adjustments of 0.1 ms".into(),
            published: "roughly 30 %".into(),
            ours: format!("{}; {third}", costs.collect::<Vec<_>>().join(", ")),
            verdict: Verdict::of((20.0..=40.0).contains(&at_100), || {
                "With ten switches a second adjustments of 0.1 ms are less than a thousandth of the time, and low frequencies lose \
                 some hundredths. More switches, or longer adjustments, would be needed."
                    .into()
            }),
        },
    ]
}

fn figure(by_part: &[(u32, Saving)]) -> Figure {
    let points = |of: fn(&Saving) -> f64| {
        let points = by_part
            .iter()
            .map(|(part, saving)| [f64::from(*part) / 1e3, of(saving)]);
        points.collect()
    };
    Figure {
        name: "energy".into(),
        title: "What work saves at the slowest point within 10 %.".into(),
        caption: "By the part of its time in which it waits for memory.".into(),
        x: Axis::numbers("part of the time waiting for memory"),
        panels: vec![Panel {
            title: String::new(),
            y: Axis::numbers("%"),
            series: vec![
                Series::ours(
                    "energy saved",
                    Shape::Line,
                    0,
                    points(|saving| saving.saved),
                ),
                Series::ours("time lost", Shape::Line, 1, points(|saving| saving.lost)),
            ],
        }],
    }
}
