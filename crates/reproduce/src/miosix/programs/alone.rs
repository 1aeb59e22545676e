//! Table 4.1: each program alone.

use super::scripts::{Programs, Row};
use crate::work::{Plan, Setup};
use flyball_measure::bench::BenchError;
use flyball_report::reproduction::{
    Axis, Claim, Experiment, Figure, Panel, Role, Series, Shape, Verdict,
};
use std::collections::BTreeMap;

/// The experiment.
pub const PLAN: Plan = Plan {
    name: "programs",
    title: "Programs of MiBench, each alone (4.1, table 4.1)",
    on_machine: &[],
    run,
};

const POLICY: &str = "ipi";

/// A row: its name, seconds, and bytes of code, initialised data, other data, stack and heap.
type Published = (&'static str, f64, [u64; 5]);

const PUBLISHED: [Published; 20] = [
    ("basicmath", 61.431, [75600, 1288, 348, 1472, 4684]),
    ("bitcount", 8.531, [63848, 1288, 348, 1416, 4148]),
    ("qsort", 3.545, [90420, 1328, 140_604, 1336, 5212]),
    ("susan", 8.711, [97008, 1328, 604, 370_312, 179_588]),
    ("jpeg", 14.812, [231_016, 1336, 660, 3440, 246_228]),
    ("tiff2bw", 67.359, [259_200, 1728, 780, 2408, 45492]),
    ("tiffdither", 85.801, [259_040, 1624, 788, 3036, 41652]),
    (
        "tiffmedian",
        113.334,
        [253_136, 1600, 133_428, 1344, 160_700],
    ),
    ("ispell", 5.206, [134_668, 1736, 31436, 4460, 732_252]),
    ("stringsearch", 0.023, [64116, 1280, 1380, 1664, 6948]),
    ("dijkstra", 14.290, [90384, 1328, 41436, 1356, 14308]),
    ("patricia", 10.628, [57516, 1328, 604, 1556, 14308]),
    ("sha", 3.354, [70596, 1280, 348, 2976, 5596]),
    ("pgpsign", 6.969, [262_980, 5288, 230_140, 14376, 13588]),
    ("pgpverify", 1.088, [263_076, 5288, 230_140, 15964, 25780]),
    ("rijndael", 44.913, [104_128, 1296, 356, 1416, 8908]),
    ("crc32", 162.554, [68708, 1280, 348, 1336, 7484]),
    ("fft", 94.993, [71184, 1288, 348, 1504, 160_652]),
    ("adpcm", 52.983, [69636, 1280, 2852, 1360, 8148]),
    ("gsm", 12.145, [135_972, 1576, 604, 1832, 9300]),
];

/// Programs that the table does not have.
const MORE: [&str; 4] = ["zlib", "bzip2", "lua", "sqlite"];

fn run(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let programs = Programs::new(setup.programs()?, &[POLICY])?;
    programs.build("host", &[])?;
    programs.build(POLICY, &[])?;
    let names: Vec<_> = (PUBLISHED.iter().map(|row| row.0))
        .chain(MORE)
        // What a key is made of for those that sign.
        .chain(["keys"])
        .collect();
    let rows = programs.run(POLICY, &names, 0)?;
    let mut claims: Vec<_> = PUBLISHED
        .iter()
        .map(|(name, seconds, bytes)| {
            let published = format!("{seconds} s; {}", sizes(bytes));
            claim(name, "table 4.1", published, rows.get(*name))
        })
        .collect();
    claims.extend(MORE.map(|name| claim(name, "not in the table", "—".into(), rows.get(name))));
    Ok(Experiment {
        about: "Programs in C, compiled as they are with the kernel and its C library, run on the emulated \
                board and on the host, with the same arguments and files; every file that they write is \
                compared, byte by byte."
            .into(),
        settings: vec![
            ("policy".into(), "I+PI, default settings".into()),
            (
                "processor".into(),
                "an emulated Cortex-M3 that executes an instruction a nanosecond: times are counts \
                 of instructions"
                    .into(),
            ),
            (
                "files".into(),
                "the host's; the thread waits 0.5 ms a call and 0.5 µs a byte, as with a memory card, \
                 and that is part of the time"
                    .into(),
            ),
        ],
        assumptions: vec![
            "MiBench is in no registry of packages. Ten programs are written anew from its \
             description; the others are the libraries' own programs, in today's versions. \
             Instead of PGP, nettle's programs sign and verify. sdk/programs/README.md has sources \
             and licences."
                .into(),
            "Input files are made here, and smaller than MiBench's.".into(),
        ],
        claims,
        figures: pictures(&rows),
        ..Experiment::default()
    })
}

fn sizes([text, data, bss, stack, heap]: &[u64; 5]) -> String {
    format!("code {text}, data {data}, bss {bss}, stack {stack}, heap {heap}")
}

fn claim(name: &str, place: &str, published: String, row: Option<&Row>) -> Claim {
    let ours = row.map_or_else(
        || "not run".into(),
        |row| {
            // Tenths of a million.
            let tenths = row.nanoseconds / 100_000;
            let time = format!("{}.{} million instructions", tenths / 10, tenths % 10);
            format!("{time}; {}", sizes(&row.bytes))
        },
    );
    let why_not = || row.map_or_else(|| "it has not been built".into(), |row| row.result.clone());
    Claim {
        text: format!("{name} runs on the kernel, and writes what it writes elsewhere"),
        place: place.into(),
        criterion:
            "all files as on the host; times and sizes are of another processor and library, and \
                    not compared"
                .into(),
        published,
        ours,
        verdict: Verdict::of(row.is_some_and(Row::is_right), why_not),
    }
}

/// The sizes of programs, theirs and ours, of ten at a time.
fn pictures(rows: &BTreeMap<String, Row>) -> Vec<Figure> {
    let parts = PUBLISHED.chunks(10);
    (1..)
        .zip(parts)
        .map(|(n, part)| picture(n, part, rows))
        .collect()
}

fn picture(n: u32, part: &[Published], rows: &BTreeMap<String, Row>) -> Figure {
    let kilobytes = |bytes: u64| {
        // Fewer than 2^53.
        #[expect(clippy::cast_precision_loss, reason = "a size")]
        let bytes = bytes as f64;
        bytes / 1024.0
    };
    let bars = |size: &dyn Fn(&Published) -> Option<u64>| -> Vec<[f64; 2]> {
        (0..)
            .zip(part.iter().map(size))
            .filter_map(|(at, size)| Some([f64::from(at), kilobytes(size?)]))
            .collect()
    };
    let ours = bars(&|(name, _, _)| rows.get(*name).map(|row| row.bytes[0]));
    let published = bars(&|(_, _, bytes)| Some(bytes[0]));
    Figure {
        name: format!("programs-{n}"),
        title: "Table 4.1: the code of each program, with kernel and libraries.".into(),
        caption: "The published programs and ours have different libraries and compilers.".into(),
        x: Axis::categories("", part.iter().map(|(name, _, _)| *name)),
        panels: vec![Panel {
            title: String::new(),
            y: Axis::numbers("code (KB)"),
            series: vec![
                Series::ours("here", Shape::Bars, 0, ours),
                Series::ours("published", Shape::Bars, 0, published).with_role(Role::Published),
            ],
        }],
    }
}
