//! Where mutexes, semaphores and condition variables are.
//!
//! Each of them is one word ([`flyball_multicore::word`]), in a table of the core, where it is known by
//! a number ([`Numbered`]); or anywhere in the program's memory ([`InMemory`]). Scripts have numbers,
//! applications have memory.
//!
//! While threads wait for an object its word names the first of them, and they are a ring of links. What else there
//! is to know of a mutex then, the first one's row has ([`Held`]). So objects need no memory of the
//! kernel, however many there are: each thread that waits brings it.
//!
//! ```text
//!   word: 0      -->  word: owner  -->  word: first waiter   -->  word: next owner
//!   free    lock      owned      a second                   unlock,
//!                                thread waits               and no other thread waits
//! ```

use crate::mutex::Protocol;
use crate::wait::take_among;
use crate::{ConditionId, Config, Core, Error, MutexId, Objects, SemaphoreId, Sizes, ThreadId};
use core::fmt::Debug;
use flyball_multicore::{State, Word};
use flyball_policy::queue::links::List;
use flyball_policy::{Storage, Table};
use flyball_trace::{Sink, Slot, TaskId};

/// What kind of object it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sort {
    /// A mutex.
    Mutex,
    /// A semaphore.
    Semaphore,
    /// A condition variable.
    Condition,
}

/// Where the objects of a kernel are. The two that there are, are [`Numbered`] and [`InMemory`].
pub trait ObjectStore: Sized {
    /// What names an object.
    type Place: Copy + Eq + Debug;

    /// Whether threads change words without the kernel.
    const IN_MEMORY: bool;

    /// A store without objects, or for all that the program has.
    fn new(sizes: &Sizes) -> Self;

    /// What the word of an object says, which need not exist if `checked`.
    ///
    /// # Errors
    /// [`Error::Unknown`].
    fn state(&self, sort: Sort, place: Self::Place, checked: bool) -> Result<State, Error>;

    /// Writes `to` where the word of an object says `from`; returns whether it did. Other CPUs may change the word.
    fn replace(&mut self, sort: Sort, place: Self::Place, from: State, to: State) -> bool;

    /// Writes `to`: no other CPU changes the word as it is.
    fn store(&mut self, sort: Sort, place: Self::Place, to: State);

    /// The protocol of a mutex.
    fn protocol(&self, place: Self::Place) -> Protocol;

    /// By which number the trace knows the object. One that it has not seen gets the next one of `seen`.
    fn number(&self, place: Self::Place, seen: &mut u16) -> u16;

    /// The mutex of a number, if mutexes have numbers and there are so many.
    fn numbered(&self, number: u16) -> Option<Self::Place>;
}

/// Objects in tables of the core, which have numbers: `M` mutexes, `S` semaphores, `N` condition
/// variables. [`Core::mutex`], [`Core::semaphore`] and [`Core::condition`] make them, at the start of a program,
/// and they stay.
pub struct Numbered<M: Storage, S: Storage, N: Storage> {
    mutexes: Objects<M, (State, Protocol)>,
    semaphores: Objects<S, State>,
    conditions: Objects<N, State>,
}

impl<M: Storage, S: Storage, N: Storage> Numbered<M, S, N> {
    pub(crate) fn make_mutex(&mut self, protocol: Protocol) -> Result<u16, Error> {
        let number = self.mutexes.make(1)?;
        self.mutexes.rows[usize::from(number)] = (State::FREE, protocol);
        Ok(number)
    }

    pub(crate) fn make_semaphore(&mut self, initial: u32) -> Result<u16, Error> {
        let number = self.semaphores.make(1)?;
        self.semaphores.rows[usize::from(number)] = State::count(initial);
        Ok(number)
    }

    pub(crate) fn make_condition(&mut self) -> Result<u16, Error> {
        self.conditions.make(1)
    }

    #[inline]
    fn word(&mut self, sort: Sort, number: u16) -> Option<&mut State> {
        let row = usize::from(number);
        match sort {
            Sort::Mutex => self.mutexes.rows.find_mut(row).map(|(state, _)| state),
            Sort::Semaphore => self.semaphores.rows.find_mut(row),
            Sort::Condition => self.conditions.rows.find_mut(row),
        }
    }
}

impl<M: Storage, S: Storage, N: Storage> ObjectStore for Numbered<M, S, N> {
    type Place = u16;
    const IN_MEMORY: bool = false;

    fn new(sizes: &Sizes) -> Self {
        Numbered {
            mutexes: Objects::new(sizes.mutexes),
            semaphores: Objects::new(sizes.semaphores),
            conditions: Objects::new(sizes.conditions),
        }
    }

    #[inline]
    fn state(&self, sort: Sort, number: u16, checked: bool) -> Result<State, Error> {
        match sort {
            Sort::Mutex => self.mutexes.find(number, checked).map(|&(state, _)| state),
            Sort::Semaphore => self.semaphores.find(number, checked).copied(),
            Sort::Condition => self.conditions.find(number, checked).copied(),
        }
    }

    #[inline]
    fn replace(&mut self, sort: Sort, number: u16, from: State, to: State) -> bool {
        match self.word(sort, number) {
            Some(word) if *word == from => {
                *word = to;
                true
            }
            _ => false,
        }
    }

    #[inline]
    fn store(&mut self, sort: Sort, number: u16, to: State) {
        if let Some(word) = self.word(sort, number) {
            *word = to;
        }
    }

    #[inline]
    fn protocol(&self, number: u16) -> Protocol {
        let row = self.mutexes.rows.find(usize::from(number));
        row.map_or(Protocol::None, |&(_, protocol)| protocol)
    }

    #[inline]
    fn number(&self, number: u16, _: &mut u16) -> u16 {
        number
    }

    #[inline]
    fn numbered(&self, number: u16) -> Option<u16> {
        (number < self.mutexes.made).then_some(number)
    }
}

/// Objects anywhere in the program's memory: mutexes, semaphores and condition variables without
/// number, which no table bounds.
pub struct InMemory;

/// Where an object of [`InMemory`] is.
#[derive(Clone, Copy, Debug)]
pub struct At(&'static Word);

impl At {
    /// The object of this word. Nothing refers to it but threads that wait for it, and what was told to signal
    /// it; and a mutex is named by a thread that has it.
    #[inline]
    pub const fn new(word: &'static Word) -> At {
        At(word)
    }

    /// The word.
    #[inline]
    pub const fn word(self) -> &'static Word {
        self.0
    }
}

impl MutexId<At> {
    /// A mutex in memory.
    #[inline]
    pub const fn at(place: At) -> MutexId<At> {
        MutexId(place)
    }
}

impl SemaphoreId<At> {
    /// A semaphore in memory.
    #[inline]
    pub const fn at(place: At) -> SemaphoreId<At> {
        SemaphoreId(place)
    }
}

impl ConditionId<At> {
    /// A condition variable in memory.
    #[inline]
    pub const fn at(place: At) -> ConditionId<At> {
        ConditionId(place)
    }
}

impl PartialEq for At {
    fn eq(&self, other: &At) -> bool {
        core::ptr::eq(self.0, other.0)
    }
}

impl Eq for At {}

/// What the second word of an object of [`InMemory`] says: the protocol of a mutex in its lowest two bits,
/// and in the upper 16 the number by which the trace knows the object, plus one. The other bits are not the
/// kernel's.
pub mod about {
    use crate::Protocol;

    const PROTOCOL: u32 = 3;
    const NUMBER: u32 = 16;

    /// What is said about a mutex with this protocol, and about nothing else.
    pub const fn mutex(protocol: Protocol) -> u32 {
        match protocol {
            Protocol::None => 0,
            Protocol::Inherit => 1,
        }
    }

    pub(super) fn protocol(about: u32) -> Protocol {
        match about & PROTOCOL {
            1 => Protocol::Inherit,
            _ => Protocol::None,
        }
    }

    pub(crate) fn number(about: u32) -> Option<u16> {
        // What is left are 16 bits.
        ((about >> NUMBER) as u16).checked_sub(1)
    }

    pub(crate) fn with_number(about: u32, number: u16) -> u32 {
        about | (u32::from(number) + 1) << NUMBER
    }
}

impl ObjectStore for InMemory {
    type Place = At;
    const IN_MEMORY: bool = true;

    fn new(_: &Sizes) -> InMemory {
        InMemory
    }

    #[inline]
    fn state(&self, _: Sort, At(word): At, _: bool) -> Result<State, Error> {
        Ok(word.state())
    }

    #[inline]
    fn replace(&mut self, _: Sort, At(word): At, from: State, to: State) -> bool {
        word.replace(from, to)
    }

    #[inline]
    fn store(&mut self, _: Sort, At(word): At, to: State) {
        word.store(to);
    }

    #[inline]
    fn protocol(&self, At(word): At) -> Protocol {
        about::protocol(word.about())
    }

    #[cold]
    fn number(&self, At(word): At, seen: &mut u16) -> u16 {
        let about = word.about();
        about::number(about).unwrap_or_else(|| {
            let number = *seen;
            // The objects after the last number share it.
            *seen = number.saturating_add(1).min(u16::MAX - 1);
            word.describe(about::with_number(about, number));
            number
        })
    }

    #[inline]
    fn numbered(&self, _: u16) -> Option<At> {
        None
    }
}

/// What is to be known of a mutex while threads wait for it.
#[derive(Clone, Copy)]
pub(crate) struct Held {
    /// The thread that owns it, if that has not ended.
    pub(crate) owner: Slot,
    /// The first waiter of the next mutex of the same owner for which others wait.
    pub(crate) next: Slot,
}

impl Held {
    /// Of no mutex.
    pub(crate) const NONE: Held = Held {
        owner: Slot::EMPTY,
        next: Slot::EMPTY,
    };
}

/// What the word of an object says for which these threads wait, or, if none does, `otherwise`.
#[inline]
pub(crate) fn of_waiters(waiters: List, otherwise: State) -> State {
    waiters
        .first()
        .map_or(otherwise, |first| State::waited_for(first.0))
}

/// What names an object of a kernel.
pub type PlaceOf<C> = <<C as Config>::Objects as ObjectStore>::Place;

/// What a thread waits for is said by its place; the state of a thread says which kind it is, with this number.
pub(crate) const ANY: u16 = 0;

impl<C: Config> Core<C> {
    /// What the word of an object says.
    #[inline]
    pub(crate) fn state_of(&self, sort: Sort, place: PlaceOf<C>) -> Result<State, Error> {
        self.objects.state(sort, place, C::CHECKS)
    }

    /// Writes `to` into the word of an object that has just said `from`; returns whether it still did. A CPU that is
    /// alone need not look again, as no interrupt is served during a kernel entry.
    #[inline]
    pub(crate) fn change(&mut self, sort: Sort, place: PlaceOf<C>, from: State, to: State) -> bool {
        if self.is_alone() {
            self.objects.store(sort, place, to);
            return true;
        }
        self.objects.replace(sort, place, from, to)
    }

    /// The threads that wait for an object whose word says `state`.
    #[inline]
    pub(crate) fn waiters(&self, state: State) -> List {
        let first = state.first();
        first.map_or(List::EMPTY, |first| self.links.from(TaskId(first)))
    }

    /// `task` becomes the last of the threads that wait for an object whose word said `state`. If it has become another
    /// word without the kernel meanwhile, nothing happens; returns whether it has not.
    #[inline]
    pub(crate) fn join_waiters(
        &mut self,
        sort: Sort,
        place: PlaceOf<C>,
        state: State,
        task: TaskId,
    ) -> bool {
        match state.first() {
            None => self.wait_first(sort, place, state, task),
            Some(first) => {
                self.wait_behind(place, TaskId(first), task);
                true
            }
        }
    }

    /// The same where no thread waits.
    #[inline]
    pub(crate) fn wait_first(
        &mut self,
        sort: Sort,
        place: PlaceOf<C>,
        state: State,
        task: TaskId,
    ) -> bool {
        let is_unchanged = self.change(sort, place, state, State::waited_for(task.0));
        if is_unchanged {
            self.links.alone(task);
            self.threads[task.index()].place = Some(place);
        }
        is_unchanged
    }

    /// The same where threads wait, of which `first` is the first; no other CPU changes the word then.
    #[cfg_attr(feature = "small", inline(always))]
    #[cfg_attr(not(feature = "small"), inline)]
    pub(crate) fn wait_behind(&mut self, place: PlaceOf<C>, first: TaskId, task: TaskId) {
        self.links.insert_before(first, task);
        self.threads[task.index()].place = Some(place);
    }

    /// `task` waits for a semaphore or a condition variable no more.
    pub(crate) fn leave_waiters(&mut self, sort: Sort, task: TaskId) {
        if let Some(place) = self.threads[task.index()].place
            && let Ok(state) = self.objects.state(sort, place, false)
        {
            let mut waiters = self.waiters(state);
            self.links.remove(&mut waiters, task);
            self.objects
                .store(sort, place, of_waiters(waiters, State::FREE));
        }
    }

    /// Takes the most urgent thread out of those that wait for a semaphore or a condition variable, of which `first` is
    /// the first.
    #[inline]
    pub(crate) fn take_waiter(&mut self, sort: Sort, place: PlaceOf<C>, first: TaskId) -> TaskId {
        if !cfg!(feature = "small") && self.links.is_alone(first) {
            self.links.part(first);
            self.objects.store(sort, place, State::FREE);
            return first;
        }
        self.take_among_waiters(sort, place, first)
    }

    #[cold]
    #[cfg_attr(not(feature = "small"), inline(never))]
    fn take_among_waiters(&mut self, sort: Sort, place: PlaceOf<C>, first: TaskId) -> TaskId {
        let mut waiters = self.links.from(first);
        let waiter = take_among(&mut self.links, &self.policy, &mut waiters);
        self.objects
            .store(sort, place, of_waiters(waiters, State::FREE));
        waiter
    }

    /// By which number the trace knows an object.
    #[inline]
    pub(crate) fn number_of(&mut self, sort: Sort, place: PlaceOf<C>) -> u16 {
        let seen = match sort {
            Sort::Mutex => &mut self.seen[0],
            Sort::Semaphore => &mut self.seen[1],
            Sort::Condition => &mut self.seen[2],
        };
        self.objects.number(place, seen)
    }

    /// The name under which `task` owns mutexes: that of its row and its generation, even and not zero. No other
    /// thread that lives has it. (Of many generations of a row some share a name, as there are 31 bits.)
    #[inline]
    pub(crate) fn name(&self, task: TaskId) -> u32 {
        let generation = self.threads[task.index()].generation;
        self.name_of(ThreadId { task, generation })
    }

    /// The name under which a thread owns mutexes in memory, even after its end: a number that is even
    /// and not zero.
    #[inline]
    pub fn name_of(&self, thread: ThreadId) -> u32 {
        let ThreadId { task, generation } = thread;
        (generation << self.name_bits() | (u32::from(task.0) + 1)) << 1
    }

    /// The name under which a thread changes words in memory without the kernel; zero: it has to ask, as a trace
    /// is to see it, or its late jobs are given up.
    #[inline]
    pub fn quick_name(&self, task: TaskId) -> u32 {
        if C::Trace::ENABLED || self.locks_by_kernel(task) {
            0
        } else {
            self.name(task)
        }
    }

    /// How many bits of a name are the row's: one more than a row takes, so that the name of an orphan is
    /// no thread's.
    #[inline]
    fn name_bits(&self) -> u32 {
        usize::BITS - self.threads.capacity().leading_zeros() + 1
    }

    /// The thread that has this name, if it has not ended.
    #[inline]
    pub(crate) fn named(&self, name: u32) -> Option<TaskId> {
        let row = (name >> 1 & !(u32::MAX << self.name_bits())).checked_sub(1)?;
        let task = TaskId(u16::try_from(row).ok()?);
        let lives = task.index() < self.threads.capacity()
            && self.threads[task.index()].state != crate::thread::State::Absent;
        (lives && self.name(task) == name).then_some(task)
    }

    /// The thread that [`Core::name_of`] has named so, if it has not ended.
    pub fn thread_named(&self, name: u32) -> Option<ThreadId> {
        let task = self.named(name)?;
        let generation = self.threads[task.index()].generation;
        Some(ThreadId { task, generation })
    }
}
