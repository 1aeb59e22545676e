"""Policies that are written in Python."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, overload

from flyball._flyball import Task


class Policy:
    """A scheduling policy, as a class: its objects decide which task runs.

    There is an object for each CPU (`placement = "assigned"`, tasks say on which CPU they run), or one for all CPUs
    (`placement = "global"`). Times are whole nanoseconds. What `ready`, `stopped`, `alarm` and `inherit` return says which
    CPUs are asked again with `pick`: nothing or True means all of them, False none, or a CPU's number, or several.

    Methods that a class may have besides those below:

    * `admit(task)` and `retire(task)`: the task belongs to these CPUs from now on, or no more.
    * `next_alarm(cpu)` returns an instant, or None; `alarm(cpu, now)` is called when it has come.
    * `ended(task, result, now)`: what a job says of itself when it ends, just before `stopped`.
    * `compare(a, b)` returns a number below 0 if task `a` is more urgent than `b`, above 0 if it is less so: who gets a mutex first.
    * `inherit(task, other, now)`: `task` has what `other` waits for, and is to be as urgent; None: not any more.

    A class that decides once for all that has happened at an instant has `decide(events, now)` in the place of `ready`, `stopped`,
    `pick` and `alarm`. That is faster, too. `events` is a list of (what, task, amount, at): what is "ready", with the release, or why
    the task has stopped ("preempted" is not told), with the time that it has run; the list may be empty if an alarm has come. It
    returns what `pick` does, for one CPU, and for several a list of that, by CPU. `next_alarm` is called after it, for each CPU.
    """

    #: The policy's name; that of the class if it is left out.
    name: ClassVar[str]
    #: "assigned": an object for each CPU, or "global": one for all.
    placement: ClassVar[str] = "assigned"
    #: For sweeps: results in files are this version's. What tells versions apart if it is left out is the source.
    version: ClassVar[str | None] = None
    #: What a task set may say in `[policies.NAME]`, with defaults: True, 3, 0.5, "5ms", or a list of words.
    settings: Any = {}

    def __init__(self, cpus: int, settings: dict[str, Any]) -> None:
        """A policy for so many CPUs, without tasks."""
        self.cpus = cpus
        self.settings = settings

    @abstractmethod
    def ready(self, task: Task, release: int | None, now: int) -> Any:
        """`task` can run from now on: with a job released at `release`, or (None) with one that has waited."""

    @abstractmethod
    def stopped(self, task: Task, why: str, used: int, now: int) -> Any:
        """`task` has stopped after `used`.

        `why`: "completed" or "blocked", and it is not ready any more; "preempted" (the CPU is about to be asked what it runs
        next), "burst end" or "yielded", and it is ready still.
        """

    @abstractmethod
    def pick(self, cpu: int, now: int) -> Task | tuple[Task, int] | None:
        """The task that `cpu` runs from now on, perhaps with the longest time until it is stopped ("burst end"); None: none.

        It has to be ready, and on no other CPU, unless that one picks another task at the same instant.
        """


class KeyPolicy:
    """A policy by a function that says how urgent a job is; see `by_key`."""

    def __init__(self, key: Callable[..., int], name: str, placement: str) -> None:
        self.key = key
        self.name = name
        self.placement = placement
        self.__doc__ = key.__doc__

    def __call__(self, task: Task, release: int, deadline: int | None) -> int:
        return self.key(task, release, deadline)

    def __repr__(self) -> str:
        return f"<flyball.KeyPolicy {self.name!r} {self.placement}>"


@overload
def by_key(key: Callable[..., int], *, name: str | None = None, placement: str = "global") -> KeyPolicy: ...
@overload
def by_key(*, name: str | None = None, placement: str = "global") -> Callable[[Callable[..., int]], KeyPolicy]: ...
def by_key(
    key: Callable[..., int] | None = None, *, name: str | None = None, placement: str = "global"
) -> KeyPolicy | Callable[[Callable[..., int]], KeyPolicy]:
    """A policy of the function `key(task, release, deadline) -> int`: of all jobs that are ready, those with the smallest numbers run.

    The function is called once for each job, at its release; `deadline` is the instant, or None. Of equals the one that was
    released first is first. `placement="global"`: as many run as there are CPUs, wherever; "assigned": the first one of each CPU's
    own tasks.

    >>> @by_key
    ... def earliest_deadline(task, release, deadline):
    ...     return deadline
    """
    if key is None:
        return lambda function: by_key(function, name=name, placement=placement)
    if not callable(key):
        raise TypeError(f"expected a function of a task, its release and its deadline, found {type(key).__name__}")
    return KeyPolicy(key, name or str(getattr(key, "__name__", "key")), placement)
