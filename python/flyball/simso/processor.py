"""Processors as schedulers of SimSo see them: they run jobs, and call the scheduler for what happens.

SimSo is a set of processes whose steps have an order, also of those at one instant, and schedulers depend on it: which
handler comes first, what runs meanwhile, whose deadline is found first among equals. These objects take the same steps
in the same order. Time itself, releases and the ends of jobs are Flyball's: see `adapter`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any

from flyball.simso.scheduler import Scheduler

if TYPE_CHECKING:
    from flyball.simso.jobs import Job
    from flyball.simso.model import Model
    from flyball.simso.timers import Armed

_RESCHED, _ACTIVATE, _TERMINATE, _TIMER, _PREEMPT = range(1, 6)
_Event = tuple[Any, ...]
_ASKED: _Event = (_RESCHED, None)
_STOPPED: _Event = (_PREEMPT, None)


#: How often a scheduler may decide at one instant.
LIMIT = 100_000


class Endless(RuntimeError):
    """A scheduler does not let time pass."""


class NotSimulated(NotImplementedError):
    """A scheduler asks for what Flyball does not do for it."""


class ProcInfo:
    """What a configuration says of a processor."""

    def __init__(
        self,
        identifier: int,
        name: str,
        cs_overhead: int = 0,
        cl_overhead: int = 0,
        migration_overhead: int = 0,
        speed: float = 1.0,
        data: dict[str, Any] | None = None,
    ) -> None:
        self.identifier = identifier
        self.name = name
        self.cs_overhead = cs_overhead
        self.cl_overhead = cl_overhead
        self.migration_overhead = migration_overhead
        self.speed = speed
        self.data = {} if data is None else data
        self.caches: list[Any] = []


class Processor:
    """A processor: it runs a job, or calls the scheduler for what has happened on it."""

    def __init__(self, model: Model, info: Any, number: int) -> None:
        self.sim = model
        self.name = info.name
        self.identifier = info.identifier
        self.internal_id = number
        self.data = getattr(info, "data", {})
        self.cs_overhead = int(info.cs_overhead)
        self.cl_overhead = int(info.cl_overhead)
        self.speed = 1.0
        self.caches: list[Any] = []
        self.was_running: Job | None = None
        self.running: Job | None = None
        # The job that computes on it: `running` from when it has begun.
        self._executes: Job | None = None
        self._events: deque[_Event] = deque()
        self._waits = False
        self._since = 0
        # Which process it is: see there.
        self._step: Callable[[], None] = self._process().__next__

    def _go_on(self) -> None:
        self._step()

    def is_running(self) -> bool:
        """Whether a job runs on it."""
        return self.running is not None

    def set_speed(self, speed: float) -> None:
        """Only full speed is simulated for schedulers of SimSo."""
        if speed != 1.0:
            raise NotSimulated(f"set_speed({speed}): Flyball does not change the speed of processors for schedulers of SimSo")

    def resched(self) -> None:
        """The scheduler decides, as soon as all else is done that has happened on this processor."""
        self._events.append(_ASKED)
        if self._waits:
            self._wake()

    def activate(self, job: Job) -> None:
        self._events.append((_ACTIVATE, job))
        if self._waits:
            self._wake()

    def terminate(self, job: Job) -> None:
        self.running = None
        self._events.append((_TERMINATE, job))
        if self._waits:
            self._wake()

    def timer(self, timer: Armed) -> None:
        self._events.append((_TIMER, timer))
        if self._waits:
            self._wake()

    def preempt(self, job: Job | None = None) -> None:
        """It is to run this job, or none."""
        events = self._events
        if events and _STOPPED in events:
            events.remove(_STOPPED)
        self.running = job
        events.append(_STOPPED)
        if self._waits:
            self._wake()

    def _wake(self) -> None:
        self._waits = False
        self.sim._woken.append(self)

    def _process(self) -> Generator[None]:
        """Each step runs to where time may pass, or another process may take a step."""
        model, events = self.sim, self._events
        queue, woken, blocked = model._queue, model._woken, model._blocked
        scheduler = model.scheduler
        while True:
            if not events:
                job = self.running
                if job is not None:
                    if not job.context_ok:
                        model._block(self, lambda: job.context_ok)
                        yield
                    elif woken or blocked:
                        model._wake()
                    if self.cl_overhead or queue or woken or blocked:
                        model._hold(self._step, self.cl_overhead)
                        yield
                    job._starts_on = self
                    queue.append(job._start)
                    job.context_ok = False
                if events:
                    if woken or blocked:
                        model._wake()
                else:
                    self._waits = True
                    self._since = model._stamp()
                    yield
                if job is not None:
                    job._interrupt()
                    if self.cs_overhead or queue or woken or blocked:
                        model._hold(self._step, self.cs_overhead)
                        yield
                    job.context_ok = True
            kind, subject = events.popleft()
            if kind == _RESCHED:
                if events and events.count(_ASKED) < len(events):
                    events.append(_ASKED)
                    continue
                if not scheduler.get_lock():
                    model._block(self, scheduler.get_lock)
                    yield
                elif woken or blocked:
                    model._wake()
                model._decisions += 1
                if model._decisions > LIMIT:
                    model._give_up()
                decisions = scheduler.schedule(self)
                if scheduler.overhead or queue or woken or blocked:
                    model._hold(self._step, int(scheduler.overhead))
                    yield
                model._apply(decisions)
                scheduler.release_lock()
            elif kind == _ACTIVATE:
                scheduler.on_activate(subject)
                if scheduler.overhead_activate or queue or woken or blocked:
                    model._hold(self._step, int(scheduler.overhead_activate))
                    yield
            elif kind == _TERMINATE:
                scheduler.on_terminated(subject)
                if scheduler.overhead_terminate or queue or woken or blocked:
                    model._hold(self._step, int(scheduler.overhead_terminate))
                    yield
            elif kind == _TIMER:
                if subject.overhead > 0:
                    model._hold(self._step, subject.overhead)
                    yield
                subject.call_handler()

    def _process_alone(self) -> Generator[None]:
        """As `_process`, where there is one processor and nothing costs time: without the steps that make no difference then."""
        model, events, pop = self.sim, self._events, self._events.popleft
        queue, scheduler, step = model._queue, model.scheduler, self._go_on
        locks = type(scheduler).get_lock is not Scheduler.get_lock
        while True:
            if not events:
                job = self.running
                if job is not None:
                    if queue:
                        queue.append(step)
                        yield
                    job._starts_on = self
                    if queue:
                        queue.append(job._start)
                    else:
                        job._start()
                if not events:
                    self._waits = True
                    yield
                if job is not None:
                    job._interrupt()
                    if queue:
                        queue.append(step)
                        yield
            kind, subject = pop()
            if kind == _RESCHED:
                if events and events.count(_ASKED) < len(events):
                    events.append(_ASKED)
                    continue
                if locks:
                    scheduler.get_lock()
                model._decisions += 1
                if model._decisions > LIMIT:
                    model._give_up()
                decisions = scheduler.schedule(self)
                if queue:
                    queue.append(step)
                    yield
                if type(decisions) is not list:
                    decisions = (decisions,)
                for decision in decisions:
                    if decision is None or self.running is decision[0]:
                        continue
                    job = decision[0]
                    if job is not None:
                        if job.end_date is not None:
                            model._refuse(job)
                            continue
                        job.task.cpu = self
                    self.running = job
                if locks:
                    scheduler.release_lock()
                continue
            if kind == _ACTIVATE:
                scheduler.on_activate(subject)
            elif kind == _TERMINATE:
                scheduler.on_terminated(subject)
            elif kind == _TIMER:
                if subject.overhead > 0:
                    model._hold(step, subject.overhead)
                    yield
                subject.call_handler()
                continue
            if queue:
                queue.append(step)
                yield
