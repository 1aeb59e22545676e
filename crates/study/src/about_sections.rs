//! Which servers critical sections of other tasks hurt, and by how much.
//!
//! Under policies with servers a task that waits for a mutex is hurt in one of two ways:
//!
//! * **Bandwidth inheritance.** The owner runs in the place of the task that waits, on the budget of its server
//!   (`flyball_policy::servers::Inheriting`). If one other task uses the mutex, and locks no other one while it
//!   has it, then nothing else runs there, and the mutex is handed over at its end: each time it is at most the longest section of
//!   the other task. Of several other tasks the most urgent one has the mutex next, and it may
//!   be the same one twice: what each of their sections takes is bounded, and how many there are is
//!   not. Sections inside of sections bring more tasks in.
//! * **No protocol**, or a policy that knows none. The server has no work meanwhile, and the owner runs on its own budgets. If it
//!   is the only other task that uses the mutex, alone in its server, and only computes while it has the mutex, then it is done as
//!   soon as its server has supplied its longest section
//!   ([`supply`](flyball_analysis::supply)). That is known of servers that
//!   never use a budget early, and that are sure of their budgets.
//!
//! How long a section is the steps say, by what they compute and not by what they declare. Of one without end nothing
//! is known.

use crate::about_tasks::place;
use crate::note::{AboutPolicy, Harm, Shared};
use crate::registry::Entry;
use crate::theory::{Section, Theory, declared_servers as declared, sections_of};
use flyball_analysis::{SporadicTask, WorkLimit};
use flyball_catalogue::Allowance;
use flyball_model::behaviour::count;
use flyball_model::{Arrival, Protocol, ServerMode, Step, Task, TaskSet};
use flyball_schedulers::Values;
use flyball_trace::Duration;
use std::collections::{BTreeMap, BTreeSet};

/// Of so many mutexes of tasks it is said by how much they hurt.
const MOST: usize = 20;

/// The critical sections of each task, by mutex.
type Sections = Vec<BTreeMap<u16, Section>>;

/// Says by how much critical sections hurt servers of other tasks under a policy with these
/// settings; nothing, if it has no servers.
///
/// Complexity: O(steps + tasks² · mutexes), and a test of the servers of a CPU for each task that
/// waits without inheritance.
pub fn about_sections(entry: &Entry, values: &Values, set: &TaskSet) -> Vec<AboutPolicy> {
    if set.mutexes.is_empty() || !entry.has_servers() {
        return Vec::new();
    }
    let sections: Sections = set.tasks.iter().map(sections_of).collect();
    let case = Case {
        entry,
        values,
        set,
        sections,
    };
    let mut notes: Vec<AboutPolicy> = Vec::new();
    let mut more = 0;
    for (task, used) in case.sections.iter().enumerate() {
        for &mutex in used.keys() {
            match case.shared(task, mutex) {
                Some(shared) if notes.len() < MOST => notes.push(AboutPolicy::Shares(shared)),
                Some(_) => more += 1,
                None => {}
            }
        }
    }
    notes.extend((more > 0).then_some(AboutPolicy::SharesMore(more)));
    notes
}

/// Where a task has its budgets.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In the server of this number.
    In(u16),
    /// In a server of its own.
    Own,
}

fn server(set: &TaskSet, task: &Task) -> Option<Place> {
    match task.server {
        Some(number) => Some(Place::In(number)),
        None if set.servers.is_empty() && task.arrival != Arrival::Once => Some(Place::Own),
        None => None,
    }
}

/// A task set under a policy.
struct Case<'a> {
    entry: &'a Entry,
    values: &'a Values,
    set: &'a TaskSet,
    sections: Sections,
}

impl Case<'_> {
    fn inherits(&self, mutex: u16) -> bool {
        let mutex = self.set.mutexes.get(usize::from(mutex));
        self.entry.takes_waits() && mutex.is_some_and(|it| it.protocol == Protocol::Inherit)
    }

    /// The tasks that use the mutex, but for this one.
    fn others(&self, task: usize, mutex: u16) -> impl Iterator<Item = usize> {
        let uses = move |&other: &usize| other != task && self.sections[other].contains_key(&mutex);
        (0..self.sections.len()).filter(uses)
    }

    /// The tasks whose sections may be in the way of one that locks the mutex, directly or because they
    /// are in the way of one that has it. O(mutexes · tasks).
    fn owners(&self, task: usize, mutex: u16) -> BTreeSet<usize> {
        let mut seen = BTreeSet::from([mutex]);
        let mut open = vec![mutex];
        let mut owners = BTreeSet::new();
        while let Some(mutex) = open.pop() {
            for owner in self.others(task, mutex) {
                owners.insert(owner);
                let inner = &self.sections[owner][&mutex].inner;
                open.extend(inner.iter().filter(|&&inner| seen.insert(inner)));
            }
        }
        owners
    }

    /// How the server of `task` is hurt where that locks `mutex`; `None`: it has none, or no others
    /// use the mutex.
    fn shared(&self, task: usize, mutex: u16) -> Option<Shared> {
        let this = &self.set.tasks[task];
        let place = server(self.set, this)?;
        let is_elsewhere = |&owner: &usize| {
            let other = server(self.set, &self.set.tasks[owner]);
            place == Place::Own || other != Some(place)
        };
        let owners = self.owners(task, mutex).into_iter();
        let owners: Vec<usize> = owners.filter(is_elsewhere).collect();
        if owners.is_empty() {
            return None;
        }
        let direct: Vec<usize> = self.others(task, mutex).collect();
        let section = |&owner: &usize| &self.sections[owner][&mutex];
        let is_nested = direct.iter().any(|owner| !section(owner).inner.is_empty());
        let longest = direct.iter().map(|owner| section(owner).longest).max();
        let known = longest.filter(|&it| !is_nested && it < Duration::MAX);
        let harm = if self.inherits(mutex) {
            Harm::Budget {
                section: known,
                is_once: direct.len() == 1,
                pauses: direct.iter().any(|owner| section(owner).pauses),
            }
        } else {
            Harm::Wait {
                longest: match (known, &direct[..]) {
                    (Some(length), [owner]) if !section(owner).pauses => self.wait(*owner, length),
                    _ => None,
                },
            }
        };
        let name = |owner: usize| self.set.tasks[owner].name.clone();
        Some(Shared {
            task: this.name.clone(),
            server: self.set.server_of(this).map(|(_, it)| it.name.clone()),
            mutex: self.set.mutexes.get(usize::from(mutex))?.name.clone(),
            owners: owners.into_iter().map(name).collect(),
            locks: Some(count(&this.behaviour, &|step| *step == Step::Lock(mutex)))
                .filter(|&it| it < u64::MAX),
            harm,
        })
    }

    /// How long the server of `owner` takes to give it so much at any time; `None`: that is not known.
    fn wait(&self, owner: usize, section: Duration) -> Option<Duration> {
        let Theory::OneCpu(theory) = self.entry.theory else {
            return None;
        };
        let platform = &self.set.platform;
        if platform.tick.is_some() || !platform.overheads.are_free() {
            return None;
        }
        let task = &self.set.tasks[owner];
        let guarantee = theory.guarantee();
        guarantee.check(self.set).ok()?;
        let cpu = place(self.set, task)?;
        let (number, all) = match server(self.set, task)? {
            Place::In(number) => {
                let is_member = |it: &&Task| it.server == Some(number);
                if self.set.tasks.iter().filter(is_member).count() > 1 {
                    return None;
                }
                let is_here = |number: u16| {
                    let mut tasks = self.set.tasks.iter();
                    tasks.any(|it| it.server == Some(number) && place(self.set, it) == Some(cpu))
                };
                (number, declared::reservations(self.set, is_here))
            }
            Place::Own => (u16::try_from(owner).ok()?, self.own(cpu)?),
        };
        let granted = declared::granted(guarantee.among()?, all, WorkLimit::default()).ok()?;
        let supply = guarantee.always(self.is_hard(task), granted.get(&number)?)?;
        supply.inverse(section)
    }

    /// Whether a task's server waits for its deadline when a budget is used up, where the rule can do either.
    fn is_hard(&self, task: &Task) -> bool {
        let declared = self.set.server_of(task).and_then(|(_, it)| it.mode);
        match declared {
            Some(mode) => mode == ServerMode::Hard,
            None => self.values.text("mode") == "hard",
        }
    }

    /// The servers of tasks on a CPU that have their own, by the numbers of their tasks.
    fn own(&self, cpu: u8) -> Option<Vec<(u16, SporadicTask)>> {
        let allowance = Allowance::of(self.values);
        let here = self.set.tasks.iter().zip(0..).filter(|(task, _)| {
            place(self.set, task) == Some(cpu) && task.arrival != Arrival::Once
        });
        let reservation = |(task, number): (&Task, u16)| {
            let period = task.arrival.period()?;
            let deadline = task.deadline.map_or(period, |it| it.min(period));
            let budget = allowance.budget(task.wcet, deadline);
            Some((number, SporadicTask::new(budget, period, deadline).ok()?))
        };
        here.map(reservation).collect()
    }
}
