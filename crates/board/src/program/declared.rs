//! What a program says of its threads, as a task set.

use flyball_model::{
    Arrival, Format, Length, OnMiss, Share, Step, Task, TaskSet, read_str, to_toml,
};
use flyball_script::{Declared, DeclaredError};
use flyball_trace::Duration;
use std::fmt;

/// Why what a program says of its threads is no task set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoTaskSet {
    /// It says nothing.
    Nothing,
    /// What it says is damaged.
    Damaged(DeclaredError),
    /// It does not say how long jobs of these threads compute.
    NotKnown(Vec<String>),
    /// A task set cannot be like this; why.
    Wrong(String),
}

impl NoTaskSet {
    /// What the user can do about it.
    pub(crate) fn remedy(&self) -> Option<&'static str> {
        match self {
            NoTaskSet::Nothing => {
                Some("FLYBALL_THREAD of <flyball.h> says it, and flyball_create makes the thread")
            }
            NoTaskSet::NotKnown(_) => Some(
                "say it with .execution_time; `flyball run PROGRAM --trace out.fbtrace` and `flyball inspect \
                 out.fbtrace` tell what jobs took",
            ),
            NoTaskSet::Damaged(_) => {
                Some("link it anew with the <flyball.h> and the specs file of one installation")
            }
            NoTaskSet::Wrong(_) => None,
        }
    }
}

impl fmt::Display for NoTaskSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoTaskSet::Nothing => f.write_str("the program says nothing of its threads"),
            NoTaskSet::Damaged(error) => {
                write!(
                    f,
                    "what the program says of its threads is damaged: {error}"
                )
            }
            NoTaskSet::NotKnown(names) => write!(
                f,
                "it is not known how long jobs compute of: {}",
                names.join(", ")
            ),
            NoTaskSet::Wrong(why) => write!(f, "what the program says of its threads: {why}"),
        }
    }
}

/// Reads the section in which a program says something of its threads.
///
/// # Errors
/// [`NoTaskSet::Nothing`] and [`NoTaskSet::Damaged`].
pub fn read(section: &[u8]) -> Result<Vec<Declared>, NoTaskSet> {
    let declared: Result<Vec<_>, _> = Declared::read(section).collect();
    let declared = declared.map_err(NoTaskSet::Damaged)?;
    if declared.is_empty() {
        return Err(NoTaskSet::Nothing);
    }
    Ok(declared)
}

/// The task set that a program says, which is called `name`.
///
/// # Errors
/// [`NoTaskSet::NotKnown`] and [`NoTaskSet::Wrong`].
pub fn task_set(name: &str, declared: &[Declared]) -> Result<TaskSet, NoTaskSet> {
    let unknown = declared.iter().filter(|it| it.execution_time == 0);
    let unknown: Vec<_> = unknown.map(shown).collect();
    if !unknown.is_empty() {
        return Err(NoTaskSet::NotKnown(unknown));
    }
    if let Some(it) = declared.iter().find(|it| it.deadline == u64::MAX) {
        let why = format!(
            "the deadline of \"{}\" is not watched, so there is nothing to miss",
            shown(it)
        );
        return Err(NoTaskSet::Wrong(why));
    }
    let set = TaskSet {
        name: name.to_owned(),
        tasks: declared.iter().map(task).collect(),
        ..TaskSet::default()
    };
    // What readers of files look for is looked for there.
    let text = to_toml(&set);
    read_str(&text, Format::Toml, name).map_err(|error| {
        let field = error.field.map(|field| format!("{field}: "));
        NoTaskSet::Wrong(field.unwrap_or_default() + &error.message)
    })
}

fn shown(declared: &Declared) -> String {
    String::from_utf8_lossy(declared.name()).into_owned()
}

fn task(declared: &Declared) -> Task {
    let length = Duration::from_nanos;
    let wcet = length(declared.execution_time);
    // One of the two is zero.
    let period = length(declared.period.max(declared.separation));
    let mut task = Task::periodic(shown(declared), period, wcet);
    if declared.separation != 0 {
        let gap = Length::Fixed(period);
        task.arrival = Arrival::Sporadic {
            separation: period,
            gap,
        };
    } else {
        task.phase = length(declared.phase);
    }
    if declared.deadline != 0 {
        task.deadline = Some(length(declared.deadline));
    }
    task.priority = (declared.priority != 0).then_some(declared.priority);
    task.share = (declared.share != 0).then(|| Share::from_millionths(declared.share));
    task.importance = (declared.importance != 0).then_some(declared.importance);
    task.on_miss = match declared.late {
        1 => OnMiss::Skip,
        2 => OnMiss::Latest,
        // A late job that cancels its thread goes on until that happens.
        _ => OnMiss::Continue,
    };
    task.behaviour = vec![Step::Compute(Length::Fixed(wcet))];
    task
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A declaration of a name, with these numbers where they are in it.
    fn declaration(name: &str, fields: &[(usize, u64)]) -> Vec<u8> {
        let mut bytes = vec![0; Declared::SIZE];
        bytes[0] = 1;
        bytes[4] = 80;
        bytes[8..8 + name.len()].copy_from_slice(name.as_bytes());
        for &(at, value) in fields {
            bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
        }
        bytes
    }

    const PERIOD: usize = 24;
    const SEPARATION: usize = 32;
    const DEADLINE: usize = 40;
    const EXECUTION: usize = 48;

    fn set(declarations: &[Vec<u8>]) -> Result<TaskSet, NoTaskSet> {
        task_set("it.elf", &read(&declarations.concat())?)
    }

    #[test]
    fn a_program_is_a_task_set() {
        let set = set(&[
            declaration("a", &[(PERIOD, 9_000), (DEADLINE, 4_000), (EXECUTION, 700)]),
            declaration("b", &[(SEPARATION, 8_000), (EXECUTION, 100)]),
        ])
        .unwrap();
        assert_eq!(set.name, "it.elf");
        let [a, b] = &set.tasks[..] else {
            panic!("two threads")
        };
        assert_eq!((&*a.name, a.wcet), ("a", Duration::from_nanos(700)));
        assert_eq!(a.deadline, Some(Duration::from_nanos(4_000)));
        assert!(matches!(b.arrival, Arrival::Sporadic { .. }));
        assert_eq!(b.deadline, Some(Duration::from_nanos(8_000)));
    }

    #[test]
    fn what_is_missing_is_told() {
        assert_eq!(set(&[]), Err(NoTaskSet::Nothing));
        let unknown = declaration("a", &[(PERIOD, 9_000)]);
        assert_eq!(set(&[unknown]), Err(NoTaskSet::NotKnown(vec!["a".into()])));
        let cut = declaration("a", &[(PERIOD, 9_000)])[..79].to_vec();
        assert!(matches!(set(&[cut]), Err(NoTaskSet::Damaged(_))));
        let good = declaration("a", &[(PERIOD, 9_000), (EXECUTION, 700)]);
        // Two of one name.
        let twice = set(&[good.clone(), good]).unwrap_err();
        assert!(
            matches!(&twice, NoTaskSet::Wrong(why) if why.contains('a')),
            "{twice}"
        );
        let fields = [(PERIOD, 9_000), (EXECUTION, 700), (DEADLINE, u64::MAX)];
        let unwatched = set(&[declaration("a", &fields)]).unwrap_err();
        assert!(unwatched.to_string().contains("not watched"));
    }
}
