"""What a SimSo scheduler sees of a simulation: processors, tasks, jobs and timers.

SimSo is a set of processes whose steps have an order, also of those at one instant, and schedulers depend on it: which
handler comes first, what runs meanwhile, whose deadline is found first among equals. These objects take the same steps
in the same order. Time itself, releases and the ends of jobs are Flyball's: see `adapter`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator
from heapq import heappush
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from flyball.simso.model import Model

_RESCHED, _ACTIVATE, _TERMINATE, _TIMER, _PREEMPT = range(1, 6)
_Event = tuple[Any, ...]
_ASKED: _Event = (_RESCHED,)
_STOPPED: _Event = (_PREEMPT,)


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
        self._step: Callable[[], None] = self._process().__next__

    def is_running(self) -> bool:
        """Whether a job runs on it."""
        return self.running is not None

    def set_speed(self, speed: float) -> None:
        """Only full speed is simulated for schedulers of SimSo."""
        if speed != 1.0:
            raise NotSimulated(f"set_speed({speed}): Flyball does not change the speed of processors for schedulers of SimSo")

    def resched(self) -> None:
        """The scheduler decides, as soon as all else is done that has happened on this processor."""
        self._add(_ASKED)

    def activate(self, job: Job) -> None:
        self._add((_ACTIVATE, job))

    def terminate(self, job: Job) -> None:
        self.running = None
        self._add((_TERMINATE, job))

    def timer(self, timer: _Armed) -> None:
        self._add((_TIMER, timer))

    def preempt(self, job: Job | None = None) -> None:
        """It is to run this job, or none."""
        if _STOPPED in self._events:
            self._events.remove(_STOPPED)
        self.running = job
        self._add(_STOPPED)

    def _add(self, event: _Event) -> None:
        self._events.append(event)
        if self._waits:
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
            event = events.popleft()
            kind = event[0]
            if kind == _RESCHED:
                if events and any(other[0] != _RESCHED for other in events):
                    events.append(event)
                    continue
                if not scheduler.get_lock():
                    model._block(self, scheduler.get_lock)
                    yield
                elif woken or blocked:
                    model._wake()
                decisions = scheduler.schedule(self)
                if scheduler.overhead or queue or woken or blocked:
                    model._hold(self._step, int(scheduler.overhead))
                    yield
                model._apply(decisions)
                scheduler.release_lock()
            elif kind == _ACTIVATE:
                scheduler.on_activate(event[1])
                if scheduler.overhead_activate or queue or woken or blocked:
                    model._hold(self._step, int(scheduler.overhead_activate))
                    yield
            elif kind == _TERMINATE:
                scheduler.on_terminated(event[1])
                if scheduler.overhead_terminate or queue or woken or blocked:
                    model._hold(self._step, int(scheduler.overhead_terminate))
                    yield
            elif kind == _TIMER:
                if event[1].overhead > 0:
                    model._hold(self._step, event[1].overhead)
                    yield
                event[1].call_handler()


class Job:
    """A job of a task. Dates are in ms, as SimSo has them, but for `start_date` and `end_date`, which are in cycles."""

    def __init__(self, task: Task, name: str, pred: Job | None, activation: int, handle: Any) -> None:
        model = task.sim
        self.sim = model
        self.task = task
        self.name = name
        self.pred = pred
        self.wcet = task.wcet
        self.period = task.period
        self.deadline = task.deadline
        self.data = task.data
        self.activation_date = activation / model.cycles_per_ms
        self.absolute_deadline = self.activation_date + task.deadline
        self.aborted = False
        self.start_date: int | None = None
        self.end_date: int | None = None
        self.context_ok = True
        # What Flyball calls it.
        self._handle = handle
        self._activation = activation
        self._executed = 0
        # Since when it computes, and on which processor.
        self._last: int | None = None
        self._starts_on: Processor | None = None
        self._key: tuple[int, ...] = ()

    cpu = property(attrgetter("task.cpu"))

    def is_active(self) -> bool:
        """Whether it has not ended."""
        return self.end_date is None

    def is_running(self) -> bool:
        """Whether it is what its processor runs."""
        return self.task.cpu.running is self

    def abort(self) -> None:
        raise NotSimulated("Job.abort: Flyball ends jobs at their deadlines only")

    @property
    def exceeded_deadline(self) -> bool:
        return self.end_date is not None and self.absolute_deadline_cycles < self.end_date or self.aborted

    @property
    def response_time(self) -> float | None:
        """In ms; None: it has not ended."""
        return self.end_date / self.sim.cycles_per_ms - self.activation_date if self.end_date else None

    @property
    def computation_time_cycles(self) -> int:
        return self._executed if self._last is None else self._executed + self.sim._now - self._last

    actual_computation_time_cycles = computation_time_cycles

    @property
    def computation_time(self) -> float:
        """How long it has computed, in ms."""
        return self.computation_time_cycles / self.sim.cycles_per_ms

    actual_computation_time = computation_time

    @property
    def ret(self) -> float:
        """What is left of its worst-case execution time, in ms."""
        return self.wcet - self.computation_time_cycles / self.sim.cycles_per_ms

    @property
    def laxity(self) -> float:
        """In cycles."""
        return (self.absolute_deadline - self.ret) * self.sim.cycles_per_ms - self.sim._now

    @property
    def absolute_deadline_cycles(self) -> float:
        return self.absolute_deadline * self.sim.cycles_per_ms

    def _left(self, now: int) -> int:
        """What it has to compute still, in cycles."""
        computed = self._executed if self._last is None else self._executed + now - self._last
        return self.task._length - computed

    def _activate(self) -> None:
        self.start_date = self.sim._now
        self.task.cpu.activate(self)

    def _start(self) -> None:
        cpu = self._starts_on
        if cpu is None or self.end_date is not None:
            return
        now = self.sim._now
        cpu.was_running = self
        self._last = now
        if self._executed >= self.task._length:
            self._end()
            return
        self._key = (now, 2, self.sim._stamp())
        cpu._executes = self

    def _interrupt(self) -> None:
        cpu = self._starts_on
        if cpu is not None and self.end_date is None:
            if self._last is not None:
                self._executed += self.sim._now - self._last
                self._last = None
                cpu._executes = None
            self._starts_on = None

    def _end(self, aborted: bool = False) -> None:
        now = self.sim._now
        if self._last is not None:
            self._executed += now - self._last
            self._last = None
        cpu = self._starts_on
        if cpu is not None and cpu._executes is self:
            cpu._executes = None
        self.end_date = now
        self.aborted = aborted
        self.task._end_job(self)
        self.task.cpu.terminate(self)


class Task:
    """A task: its jobs are activated one after the other."""

    fields: ClassVar[list[str]] = []

    def __init__(self, model: Model, info: Any, number: int) -> None:
        self.sim = model
        self._info = info
        self.name = info.name
        self.identifier = info.identifier
        self.period = info.period
        self.deadline = info.deadline
        self.wcet = info.wcet
        self.acet = info.acet
        self.et_stddev = info.et_stddev
        self.data = info.data
        self.abort_on_miss = info.abort_on_miss
        self.list_activation_dates = info.list_activation_dates
        self.preemption_cost = info.preemption_cost
        self.n_instr = info.n_instr
        self.mix = info.mix
        self.base_cpi = info.base_cpi
        self.cpu: Any = None
        self.job: Any = None
        self.jobs: list[Job] = []
        self.followed_by: Task | None = None
        self._number = number
        self._waiting: deque[Job] = deque()
        # How long a job computes, in cycles.
        self._length = model._length(info)
        # Handles of jobs to come, where each has its own.
        self._handles: deque[Any] = deque()
        # A job that Flyball has released late, since another one was active.
        self._late: tuple[int, Any] | None = None
        self._previous = -1
        self._phase = 0

    def __lt__(self, other: Task) -> bool:
        return bool(self.identifier < other.identifier)

    def is_active(self) -> bool:
        """Whether a job of it is active."""
        return self.job is not None and self.job.end_date is None

    def create_job(self, pred: Job | None = None, activation: int | None = None, handle: Any = None) -> None:
        """A job is released; it is activated if none is before it."""
        model = self.sim
        if activation is None:
            activation = model._now
        if handle is None:
            handle = self._handles[0]
        job = Job(self, f"{self.name}_{len(self.jobs) + 1}", pred, activation, handle)
        if not self._waiting:
            self.job = job
            model._queue.append(job._activate)
        self._waiting.append(job)
        self.jobs.append(job)

    def _order(self, release: int) -> tuple[int, ...]:
        """Where its release comes among what happens at that instant: by when SimSo has begun to wait for it."""
        first = self._previous < 0
        return (max(self._previous, 0), -1 if first else 0, -self._phase, self._number)

    def _release(self, activation: int, handle: Any) -> None:
        self._previous = activation
        self.create_job(None, activation, handle)

    def _end_job(self, job: Job) -> None:
        if self.followed_by is not None:
            self.followed_by.create_job(job)
        if self._waiting:
            self._waiting.popleft()
        if self._waiting:
            self.job = self._waiting[0]
            self.sim._queue.append(self.job._activate)
        elif self._late is not None:
            late, self._late = self._late, None
            self._release(*late)


class _Armed:
    """A timer that has been started."""

    def __init__(self, timer: Timer) -> None:
        self.timer = timer
        self.running = False
        self.overhead = timer.overhead

    def call_handler(self) -> None:
        if self.running:
            self.timer.function(*self.timer.args)

    def _begin(self) -> None:
        # SimSo's timers begin to run now, even if they have been stopped since they were started.
        self.running = True
        self._wait((self.timer.sim._now, 2, self.timer.sim._stamp()))

    def _wait(self, key: tuple[int, ...]) -> None:
        model, delay = self.timer.sim, self.timer.delay
        if delay:
            heappush(model._heap, (model._now + delay, key, self._due, self))
        else:
            model._queue.append(self._due)

    def _due(self) -> None:
        if not self.running:
            return
        timer = self.timer
        if timer.cpu:
            timer.cpu.timer(self)
        else:
            self.call_handler()
        if not timer.one_shot and self.running:
            self._wait((timer.sim._now, 0, timer.sim._stamp()))


class Timer:
    """Calls a function after a delay, once or again and again; with a processor its job is interrupted for that."""

    def __init__(
        self,
        sim: Model,
        function: Callable[..., object],
        args: Any,
        delay: float,
        one_shot: Any = True,
        prior: Any = False,
        cpu: Processor | None = None,
        in_ms: bool = True,
        overhead: float = 0,
    ) -> None:
        self.sim = sim
        self.function = function
        self.args = args
        self.delay = int(delay * sim.cycles_per_ms) if in_ms else int(delay)
        self.one_shot = one_shot
        self.prior = prior
        self.cpu = cpu
        self.overhead = int(overhead * sim.cycles_per_ms) if in_ms else int(overhead)
        self.instance: _Armed | None = None
        assert self.delay >= 0, "delay must be >= 0"

    def start(self) -> None:
        self.instance = _Armed(self)
        queue = self.sim._queue
        (queue.appendleft if self.prior else queue.append)(self.instance._begin)

    def stop(self) -> None:
        if self.instance is not None:
            self.instance.running = False
