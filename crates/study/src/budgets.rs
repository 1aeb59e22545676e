//! What the servers of a task set hold, each by itself, and which budgets would do.
//!
//! Of constant bandwidth servers, which serve their tasks first come, first served.

use crate::about_tasks::place;
use crate::reason::Obstacle;
use crate::theory::{check_set, declared_servers as declared, with_deadlines, without_mutexes};
use flyball_analysis::supply::{Inside, Least, Rule, Sizing};
use flyball_analysis::{SporadicTask, Utilisation, WorkLimit};
use flyball_model::TaskSet;
use flyball_trace::Duration;
use std::cmp::Ordering;

/// How many steps a test may take in a search.
const SEARCH: WorkLimit = WorkLimit::steps(500_000);

/// What is known of the servers of a set.
#[derive(Clone, Debug)]
pub struct Budgets {
    /// Of each that has tasks, in the order of the set.
    pub servers: Vec<ForServer>,
    /// What those of each CPU ask for: budget ÷ deadline each. Where it is above one, they may be late.
    pub asked: Vec<Utilisation>,
    /// What the set has that the tests do not cover: nothing is known of any task then.
    pub uncovered: Option<Obstacle>,
}

/// What is known of a server.
#[derive(Clone, Debug)]
pub struct ForServer {
    /// Its number in the set.
    pub server: usize,
    /// Its CPU, by its place in [`Budgets::asked`]; `None`: there are several, and it is on none yet.
    pub cpu: Option<usize>,
    /// What it asks for: budget ÷ deadline.
    pub asked: Utilisation,
    /// The numbers of its tasks that compute for no more than they declare; how long a job of each can
    /// take, whatever the tasks of other servers do; `None`: it is not known to be in time.
    pub tasks: Vec<(usize, Option<Duration>)>,
    /// The numbers of its tasks that compute for as long as they like.
    pub free: Vec<usize>,
    /// The smallest budget that holds its tasks for some periods, its own among them, in rising order. Empty
    /// where it has tasks that compute for as long as they like.
    pub needs: Vec<(Duration, Least<Duration>)>,
}

/// What is known of the servers of `set`, with so much work for each test.
/// O(servers × tasks), and some 100 tests for each server.
pub fn budgets(set: &TaskSet, limit: WorkLimit) -> Budgets {
    let cpus = set.platform.cpus.max(1);
    let asked = (0..cpus).map(|cpu| {
        let here = |number: u16| {
            let mut tasks = set.tasks.iter().filter(|it| it.server == Some(number));
            tasks.any(|it| place(set, it) == Some(cpu))
        };
        Utilisation::of(&declared::asked(set, here))
    });
    let asked: Vec<_> = asked.collect();
    let everyone: Vec<usize> = (0..set.tasks.len()).collect();
    let covered = check_set(set, true).and_then(|()| without_mutexes(set, &everyone));
    let servers = (0..set.servers.len()).filter_map(|server| {
        let mut found = for_server(set, server, limit)?;
        let fits = |cpu: usize| asked[cpu].cmp_one() != Ordering::Greater;
        if covered.is_err() || !found.cpu.is_some_and(fits) {
            for (_, bound) in &mut found.tasks {
                *bound = None;
            }
        }
        if covered.is_err() {
            found.needs.clear();
        }
        Some(found)
    });
    Budgets {
        servers: servers.collect(),
        asked,
        uncovered: covered.err(),
    }
}

fn for_server(set: &TaskSet, number: usize, limit: WorkLimit) -> Option<ForServer> {
    let server = &set.servers[number];
    let inside: Vec<usize> = (0..set.tasks.len())
        .filter(|&task| set.tasks[task].server.map(usize::from) == Some(number))
        .collect();
    let (free, bounded): (Vec<usize>, Vec<usize>) = inside
        .into_iter()
        .partition(|&task| declared::is_free(&set.tasks[task]));
    if free.is_empty() && bounded.is_empty() {
        return None;
    }
    let (numbers, tasks): (Vec<usize>, Vec<SporadicTask>) = with_deadlines(set, &bounded)
        .map(|(number, task)| (number, task.within_period()))
        .unzip();
    let rule = Rule::SoftConstantBandwidth;
    let bounds: Vec<Option<Duration>> = if free.is_empty() {
        let server = SporadicTask::new(server.budget, server.period, server.deadline).ok()?;
        let responses = declared::served(Inside::InOrder.supply(rule, &server).ok(), &tasks, limit);
        let in_time = |(task, response): (&SporadicTask, flyball_analysis::Response)| {
            response.bound().filter(|it| *it <= task.deadline())
        };
        tasks.iter().zip(responses).map(in_time).collect()
    } else {
        vec![None; numbers.len()]
    };
    let sizing = Sizing {
        tasks: &tasks,
        inside: Inside::InOrder,
        rule,
        deadline: (server.deadline < server.period).then_some(server.deadline),
        limit: SEARCH,
    };
    let need = |period: Duration| Some((period, sizing.smallest_budget(period).ok()?));
    let own = server.period.as_nanos();
    let periods = [own / 4, own / 2, own, own.saturating_mul(2)].map(Duration::from_nanos);
    let first = bounded.first().or(free.first()).copied();
    Some(ForServer {
        server: number,
        cpu: first
            .and_then(|it| place(set, &set.tasks[it]))
            .map(usize::from),
        asked: Utilisation::of(declared::density(server).as_slice()),
        tasks: numbers.into_iter().zip(bounds).collect(),
        needs: if free.is_empty() {
            periods.into_iter().filter_map(need).collect()
        } else {
            Vec::new()
        },
        free,
    })
}
