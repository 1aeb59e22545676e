"""Tasks and jobs as schedulers of SimSo see them."""

from __future__ import annotations

from collections import deque
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar

from flyball.simso.processor import NotSimulated

if TYPE_CHECKING:
    from flyball.simso.model import Model
    from flyball.simso.processor import Processor


class Job:
    """A job of a task. Dates are in ms, as SimSo has them, but for `start_date` and `end_date`, which are in cycles."""

    def __init__(self, task: Task, number: int, pred: Job | None, activation: int, handle: Any) -> None:
        # All attributes are here, and objects of one class have them: Python would keep a dict for each job, otherwise.
        self.sim = sim = task.sim
        self.task = task
        self.period = task.period
        self.deadline = task.deadline
        self.pred = pred
        self.activation_date = date = activation / sim.cycles_per_ms
        self.absolute_deadline: float = date + task.deadline
        self.start_date: int | None = None
        self.end_date: int | None = None
        self.aborted = False
        self.context_ok = True
        self._executed = 0
        # Since when it computes, where that came among what happened then, and on which processor.
        self._last: int | None = None
        self._began = 0
        self._starts_on: Processor | None = None
        self._number = number
        # What Flyball calls it.
        self._handle = handle
        self._activation = activation
        self._created = sim._stamp()

    @property
    def name(self) -> str:
        return f"{self.task.name}_{self._number}"

    cpu = property(attrgetter("task.cpu"))
    wcet = property(attrgetter("task.wcet"))
    data = property(attrgetter("task.data"))

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
        return self.task.wcet - self.computation_time_cycles / self.sim.cycles_per_ms

    @property
    def laxity(self) -> float:
        """In cycles."""
        return (self.absolute_deadline - self.ret) * self.sim.cycles_per_ms - self.sim._now

    @property
    def absolute_deadline_cycles(self) -> float:
        return self.absolute_deadline * self.sim.cycles_per_ms

    def _order(self, aborted: bool = False) -> tuple[int, int, int]:
        """Where its end comes among what happens at an instant: by when it has begun to compute, or, at its deadline, by its release."""
        return (self._activation, 1, self._created) if aborted else (self._last or 0, 2, self._began)

    def _activate(self) -> None:
        self.start_date = self.sim._now
        self.task.cpu.activate(self)

    def _start(self) -> None:
        cpu = self._starts_on
        if cpu is None or self.end_date is not None:
            return
        sim = self.sim
        cpu.was_running = self
        self._last = sim._now
        if self._executed >= self.task._length:
            self._end()
            return
        self._began = sim._stamp()
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
            if self._starts_on is not None:
                self._starts_on._executes = None
        self.end_date = now
        self.aborted = aborted
        task = self.task
        task._end_job(self)
        task.cpu.terminate(self)


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
        self.wcet: float = info.wcet
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
        self._follows = info.task_type == "APeriodic"
        self._phase = 0

    def __lt__(self, other: Task) -> bool:
        return bool(self.identifier < other.identifier)

    def is_active(self) -> bool:
        """Whether a job of it is active."""
        return self.job is not None and self.job.end_date is None

    def create_job(self, pred: Job | None = None) -> None:
        """A job is released now."""
        self._add(pred, self.sim._now, self._handles[0])

    def _add(self, pred: Job | None, activation: int, handle: Any) -> None:
        """A job is released; it is activated if none is before it."""
        jobs, waiting = self.jobs, self._waiting
        job = Job(self, len(jobs) + 1, pred, activation, handle)
        if not waiting:
            self.job = job
            self.sim._queue.append(job._activate)
        waiting.append(job)
        jobs.append(job)

    def _order(self, *_: Any) -> tuple[int, int, int, int]:
        """Where its next release comes among what happens at that instant: by when SimSo has begun to wait for it."""
        first = self._previous < 0
        return (max(self._previous, 0), -1 if first else 0, -self._phase, self._number)

    def _release(self, activation: int, handle: Any) -> None:
        self._previous = activation
        self._add(None, activation, handle)

    def _end_job(self, job: Job) -> None:
        if self.followed_by is not None:
            self.followed_by.create_job(job)
        waiting = self._waiting
        if waiting:
            waiting.popleft()
        if waiting:
            self.job = waiting[0]
            self.sim._queue.append(self.job._activate)
        elif self._late is not None:
            late, self._late = self._late, None
            self._release(*late)
