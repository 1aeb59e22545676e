//! What the jobs of a task do.

use super::{Case, case, check};
use flyball_model::{Format, Kind};

/// What stands below `schema = 1`, `[[task]]` and `name = "nav"`.
const TASKS: &[Case] = &[
    case(
        "behaviour = []",
        "4:13",
        Kind::OutOfRange,
        r#"task "nav": behaviour"#,
        "there are no steps",
        r#"write at least one, as in `{ compute = "1ms" }`"#,
    ),
    case(
        r#"behaviour = "yield""#,
        "4:13",
        Kind::WrongType,
        r#"task "nav": behaviour"#,
        r#"expected a list in square brackets, found "yield""#,
        "",
    ),
    case(
        r#"behaviour = ["yeild"]"#,
        "4:14",
        Kind::WrongType,
        r#"task "nav": behaviour: step 1"#,
        r#"expected "yield" or a step in braces, found "yeild""#,
        r#"did you mean "yield"?"#,
    ),
    case(
        "behaviour = [{}]",
        "4:14",
        Kind::Inconsistent,
        r#"task "nav": behaviour: step 1"#,
        "the step is empty",
        r#"say what it does, as in `{ compute = "1ms" }`"#,
    ),
    case(
        r#"behaviour = [{ compute = "1ms", suspend = "1ms" }]"#,
        "4:33",
        Kind::Inconsistent,
        r#"task "nav": behaviour: step 1"#,
        "a step does one thing, but this one has `compute` and `suspend`",
        "write several steps, each in braces of its own",
    ),
    case(
        r#"behaviour = [{ computes = "1ms" }]"#,
        "4:16",
        Kind::UnknownKey,
        r#"task "nav": behaviour: step 1"#,
        r#"unknown key "computes""#,
        "did you mean `compute`?",
    ),
    case(
        "behaviour = [{ compute = 5 }]",
        "4:26",
        Kind::WrongType,
        r#"task "nav": behaviour: step 1: compute"#,
        r#"expected a time such as "10ms" or "250us", found 5"#,
        "the units are ns, us, ms, s and min",
    ),
    case(
        r#"behaviour = [{ compute = { uniform = ["2ms", "1ms"] } }]"#,
        "4:38",
        Kind::Inconsistent,
        r#"task "nav": behaviour: step 1: compute: uniform"#,
        "the shortest, 2ms, is above the longest, 1ms",
        r#"write the shortest and the longest, as in `{ uniform = ["1ms", "2ms"] }`"#,
    ),
    case(
        r#"behaviour = [{ compute = { uniform = ["2ms"] } }]"#,
        "4:38",
        Kind::OutOfRange,
        r#"task "nav": behaviour: step 1: compute: uniform"#,
        "expected two times, found 1",
        r#"write the shortest and the longest, as in `{ uniform = ["1ms", "2ms"] }`"#,
    ),
    case(
        "behaviour = [{ compute = { one_of = [] } }]",
        "4:37",
        Kind::OutOfRange,
        r#"task "nav": behaviour: step 1: compute: one_of"#,
        "there is nothing to choose from",
        "write at least one time",
    ),
    case(
        "behaviour = [{ compute = {} }]",
        "4:26",
        Kind::Inconsistent,
        r#"task "nav": behaviour: step 1: compute"#,
        "a length that varies is either `uniform` or `one_of`",
        r#"write `{ uniform = ["1ms", "2ms"] }` or `{ one_of = ["1ms", "3ms"] }`"#,
    ),
    case(
        r#"behaviour = [{ compute = { uniform = ["1ms", "2ms"], one_of = ["1ms"] } }]"#,
        "4:26",
        Kind::Inconsistent,
        r#"task "nav": behaviour: step 1: compute"#,
        "a length that varies is either `uniform` or `one_of`",
        r#"write `{ uniform = ["1ms", "2ms"] }` or `{ one_of = ["1ms", "3ms"] }`"#,
    ),
    case(
        r#"behaviour = [{ compute = { normal = ["1ms", "2ms"] } }]"#,
        "4:28",
        Kind::UnknownKey,
        r#"task "nav": behaviour: step 1: compute"#,
        r#"unknown key "normal""#,
        "the keys here are `uniform` and `one_of`",
    ),
    case(
        r#"behaviour = [{ compute = { one_of = ["1ms", 2] } }]"#,
        "4:45",
        Kind::WrongType,
        r#"task "nav": behaviour: step 1: compute: one_of"#,
        r#"expected a time such as "10ms" or "250us", found 2"#,
        "the units are ns, us, ms, s and min",
    ),
    case(
        r#"behaviour = [{ do = ["yield"] }]"#,
        "4:16",
        Kind::Inconsistent,
        r#"task "nav": behaviour: step 1"#,
        "`do` without `repeat`",
        "write `{ repeat = 3, do = […] }`",
    ),
    case(
        "behaviour = [{ repeat = 3 }]",
        "4:14",
        Kind::Missing,
        r#"task "nav": behaviour: step 1"#,
        "missing key `do`",
        "add `do = …`, the list of steps to repeat",
    ),
    case(
        r#"behaviour = [{ repeat = 0, do = ["yield"] }]"#,
        "4:25",
        Kind::OutOfRange,
        r#"task "nav": behaviour: step 1: repeat"#,
        "expected a whole number from 1 to 4294967295, found 0",
        "",
    ),
    case(
        r#"behaviour = [{ repeat = "often", do = ["yield"] }]"#,
        "4:25",
        Kind::WrongType,
        r#"task "nav": behaviour: step 1: repeat"#,
        r#"expected a count or "forever", found "often""#,
        "",
    ),
    case(
        "behaviour = [{ repeat = 2, do = [] }]",
        "4:33",
        Kind::OutOfRange,
        r#"task "nav": behaviour: step 1: do"#,
        "there are no steps",
        r#"write at least one, as in `{ compute = "1ms" }`"#,
    ),
    case(
        r#"behaviour = [{ repeat = 2, do = ["yield"], compute = "1ms" }]"#,
        "4:44",
        Kind::Inconsistent,
        r#"task "nav": behaviour: step 1"#,
        "a step does one thing, but this one has `compute`, `repeat` and `do`",
        "write several steps, each in braces of its own",
    ),
    case(
        r#"period = "10ms"
behaviour = [{ repeat = "forever", do = [{ compute = "1ms" }] }]"#,
        "5:25",
        Kind::Inconsistent,
        r#"task "nav": behaviour: step 1: repeat"#,
        "only a task that arrives once may go on forever",
        "leave out the task's `period` or `sporadic`, or write a count",
    ),
    case(
        r#"behaviour = [{ repeat = "forever", do = [{ compute = "1ms" }] }, "yield"]"#,
        "4:25",
        Kind::Inconsistent,
        r#"task "nav": behaviour: step 1: repeat"#,
        "what goes on forever has to be the last step of the job",
        "no step behind it would ever be reached",
    ),
    case(
        r#"behaviour = [{ repeat = 2, do = [{ repeat = "forever", do = [{ compute = "1ms" }] }] }]"#,
        "4:45",
        Kind::Inconsistent,
        r#"task "nav": behaviour: step 1: do: step 1: repeat"#,
        "what goes on forever may not stand in another repetition",
        "put it at the end of the behaviour",
    ),
    case(
        r#"behaviour = [{ repeat = "forever", do = ["yield", { compute = "0" }] }]"#,
        "4:41",
        Kind::Inconsistent,
        r#"task "nav": behaviour: step 1: do"#,
        "each round has to compute or suspend for more than zero time",
        "otherwise it would go round without end at one instant",
    ),
    case(
        r#"deadline = "1s"
behaviour = [{ repeat = "forever", do = [{ compute = "1ms" }] }]"#,
        "4:12",
        Kind::Inconsistent,
        r#"task "nav": deadline"#,
        "a job that computes without end has no deadline",
        "leave out `deadline`",
    ),
    case(
        r#"wcet = "1s"
behaviour = [{ repeat = "forever", do = [{ compute = "1ms" }] }]"#,
        "5:13",
        Kind::Inconsistent,
        r#"task "nav": behaviour"#,
        "computes without end, but `wcet` is 1s",
        "raise `wcet`, or leave it out: it is then taken from the behaviour",
    ),
    case(
        r#"behaviour = [{ repeat = 1001, do = [{ repeat = 1000, do = ["yield"] }] }]"#,
        "4:13",
        Kind::TooMany,
        r#"task "nav": behaviour"#,
        "a job would take 1001000 steps, more than 1000000",
        "lower the counts of `repeat`",
    ),
    case(
        r#"behaviour = [{ repeat = 4000000000, do = [{ compute = "10s" }] }]"#,
        "4:13",
        Kind::OutOfRange,
        r#"task "nav": behaviour"#,
        "the steps add up to more than 584 years, or 2^64 steps",
        "lower the counts of `repeat`",
    ),
    case(
        r#"behaviour = [{ repeat = 1, do = [{ repeat = 1, do = [{ repeat = 1, do = [{ repeat = 1, do = [{ repeat = 1, do = [{ repeat = 1, do = [{ repeat = 1, do = [{ repeat = 1, do = [{ repeat = 1, do = ["yield"] }] }] }] }] }] }] }] }] }]"#,
        "4:185",
        Kind::TooMany,
        r#"task "nav": behaviour: step 1: do: step 1: do: step 1: do: step 1: do: step 1: do: step 1: do: step 1: do: step 1: do: step 1: repeat"#,
        "repetitions stand more than 8 deep in one another",
        "multiply the counts of the inner ones",
    ),
];

#[test]
fn tasks() {
    check(TASKS, Format::Toml, |text| {
        format!(
            r#"schema = 1
[[task]]
name = "nav"
{text}"#
        )
    });
}
