//! How long time slices are, where a policy has a setting `quantum` and tasks may say another.

use crate::settings::Values;
use flyball_catalogue::{TaskTable, Values as _};
use flyball_model::{Task, TaskSet, Value};
use flyball_trace::Duration;

/// The name of the setting, of a policy and of a task.
pub(crate) const QUANTUM: &str = "quantum";

/// How long the time slices of a task are: as the task says, or else as the policy does. `None`:
/// nothing interrupts its jobs after some time.
pub fn of_task(policy: &str, values: &Values, task: &Task) -> Option<Duration> {
    let own = TaskTable::of(task, policy, &[]).optional_duration(QUANTUM);
    own.or(values.quantum())
        .filter(|quantum| !quantum.is_zero())
}

/// The shortest time slice of any task; `None`: no task has any. O(tasks).
pub fn shortest(policy: &str, values: &Values, set: &TaskSet) -> Option<Duration> {
    let tasks = set.tasks.iter();
    tasks.filter_map(|task| of_task(policy, values, task)).min()
}

/// Makes time slices longer or shorter: those of the policy become `slice`, and those of tasks that
/// say their own change by as much, to no less than a nanosecond.
#[must_use]
pub fn with_slice(policy: &str, values: &Values, set: &mut TaskSet, slice: Duration) -> Values {
    let quantum = values.quantum().unwrap_or(slice);
    let tables = set
        .tasks
        .iter_mut()
        .filter_map(|task| task.policies.get_mut(policy));
    for own in tables.filter_map(|table| table.values.get_mut(QUANTUM)) {
        if let Value::Duration(own) = &mut own.value
            && !own.is_zero()
        {
            *own = (*own + slice)
                .saturating_sub(quantum)
                .max(Duration::from_nanos(1));
        }
    }
    values.clone().with_quantum(slice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flyball_catalogue::{Configured, Rr};
    use flyball_model::{Format, read_str};

    /// Of the tasks one says nothing, one its own quantum, one that it has none; and the policy's.
    fn set(text: &str) -> (TaskSet, Values) {
        let task = "[[task]]\nperiod = \"9ms\"\nwcet = \"1ms\"\n";
        let text = format!(
            "schema = 1\n{text}\n{task}{task}policies.rr.quantum = \"2ms\"\n\
             {task}policies.rr.quantum = \"0\"\npolicies.fp-rr.quantum = \"1us\"\n"
        );
        let set = read_str(&text, Format::Toml, "x.toml").unwrap();
        let values = Values::new("x.toml", "rr", Rr::SETTINGS, set.policies.get("rr"));
        (set, values.unwrap())
    }

    #[test]
    fn a_task_has_its_own_quantum_or_the_policys() {
        let ms = Duration::from_millis;
        let (set, values) = set("");
        let of = |policy: &str| {
            let tasks = set.tasks.iter();
            tasks
                .map(|task| of_task(policy, &values, task))
                .collect::<Vec<_>>()
        };
        assert_eq!(of("rr"), [Some(ms(10)), Some(ms(2)), None]);
        assert_eq!(shortest("rr", &values, &set), Some(ms(2)));
        let own = Some(Duration::from_micros(1));
        assert_eq!(of("fp-rr"), [Some(ms(10)), Some(ms(10)), own]);
        assert_eq!(shortest("fp-rr", &values, &set), own);
    }

    #[test]
    fn slices_are_off_by_the_same_for_all() {
        let us = Duration::from_micros;
        let (mut set, values) = set("[policies.rr]\nquantum = \"1500us\"");
        let values = with_slice("rr", &values, &mut set, us(1_503));
        let of = |task: usize| of_task("rr", &values, &set.tasks[task]);
        assert_eq!(
            [of(0), of(1), of(2)],
            [Some(us(1_503)), Some(us(2_003)), None]
        );
        let values = with_slice("rr", &values, &mut set, Duration::from_nanos(1));
        assert_eq!(
            of_task("rr", &values, &set.tasks[1]),
            Some(us(500) + Duration::from_nanos(1))
        );
    }
}
