"""A simulation as schedulers of SimSo know it: the clock, and in which order processes take their steps."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from heapq import heappop, heappush
from itertools import count
from operator import attrgetter, itemgetter
from typing import Any

from flyball.simso.jobs import Job, Task
from flyball.simso.processor import LIMIT, Endless, Processor
from flyball.simso.timers import Armed

_since = attrgetter("_since")
_first = itemgetter(0)
#: When, in which order, what, and the timer that it is, if it is one.
_Entry = tuple[int, tuple[int, ...], Callable[[], None], Armed | None]
#: A task or a job, what happens to it, and with which arguments.
Step = tuple[Task | Job, Callable[..., None], Any]


def _order(step: Step) -> tuple[int, ...]:
    """Where it comes among what happens at an instant."""
    subject, _, arguments = step
    return subject._order(*arguments)


class Logger:
    """Keeps what schedulers log."""

    def __init__(self, sim: Model) -> None:
        self.sim = sim
        self.logs: list[tuple[int, tuple[str, bool]]] = []

    def log(self, msg: str, kernel: bool = False) -> None:
        self.logs.append((self.sim._now, (msg, kernel)))


class Model:
    """What schedulers have as `sim`. Times are in cycles, unless a name says ms."""

    def __init__(
        self, make: Callable[[Model], Any], processors: Iterable[Any], cycles_per_ms: int, duration: int, etm: str
    ) -> None:
        self.cycles_per_ms = cycles_per_ms
        self.duration = duration
        self.etm = etm
        self.penalty_preemption = self.penalty_migration = 0
        self.logger = Logger(self)
        self.results = None
        self._now = 0
        self._decisions = 0
        self._stamp = count(1).__next__
        # Steps to take at this instant, processors to be woken, those that wait for what they say, and what is to come.
        self._queue: deque[Callable[[], None]] = deque()
        self._woken: list[Processor] = []
        self._blocked: list[tuple[Processor, Callable[[], Any]]] = []
        self._heap: list[_Entry] = []
        self.task_list: list[Task] = []
        # The processor, if there is one and nothing costs time.
        self._alone: Processor | None = None
        self.scheduler = make(self)
        self.processors = [Processor(self, info, number) for number, info in enumerate(processors)]

    def now(self) -> int:
        return self._now

    def now_ms(self) -> float:
        return self._now / self.cycles_per_ms

    @property
    def logs(self) -> list[tuple[int, tuple[str, bool]]]:
        return self.logger.logs

    def _length(self, info: Any) -> int:
        # As SimSo rounds it.
        mean = min(info.wcet, info.acet) if self.etm == "acet" else info.wcet
        return int(mean * self.cycles_per_ms)

    def _start(self, releases: list[Callable[[], None]]) -> None:
        """Time zero, with the jobs that are released then."""
        scheduler, queue = self.scheduler, self._queue
        scheduler.task_list = self.task_list
        scheduler.processors = self.processors
        followed = {task.identifier: task for task in reversed(self.task_list)}
        for task in self.task_list:
            task.followed_by = followed.get(task._info.followed_by)
        scheduler.init()
        if len(self.processors) == 1 and not self._costs():
            self._alone = cpu = self.processors[0]
            cpu._step = cpu._process_alone().__next__
        queue.extend(cpu._step for cpu in self.processors)

        def release() -> None:
            for task in self.task_list:
                if task.cpu is None:
                    task.cpu = self.processors[0]
            queue.extend(releases)

        queue.append(release)
        self._settle()

    def _costs(self) -> bool:
        """Whether something takes time but jobs."""
        scheduler = self.scheduler
        costs = [scheduler.overhead, scheduler.overhead_activate, scheduler.overhead_terminate]
        return any(costs) or any(cpu.cl_overhead or cpu.cs_overhead for cpu in self.processors)

    def _instant(self, now: int, steps: list[Step]) -> None:
        """What happens at an instant, sorted as SimSo's processes come to it; then all of their steps."""
        self._now = now
        self._decisions = 0
        heap, alone = self._heap, self._alone
        if heap and heap[0][0] <= now:
            self._in_order(steps)
        elif len(steps) == 1:
            _, step, arguments = steps[0]
            step(*arguments)
        elif alone is None or alone.running is None:
            self._in_order(steps)
        else:
            # A processor that runs a job gives way to all other steps before it tells the scheduler what has happened.
            steps.sort(key=_order)
            for _, step, arguments in steps:
                step(*arguments)
        self._settle()

    def _in_order(self, steps: list[Step]) -> None:
        """These steps, and those that are due, are the next ones."""
        found: list[tuple[tuple[int, ...], Callable[[], None]]]
        found = [(_order(step), partial(step[1], *step[2])) for step in steps]
        heap = self._heap
        while heap and heap[0][0] <= self._now:
            _, key, due, _ = heappop(heap)
            found.append((key, due))
        found.sort(key=_first)
        self._queue.extend([step for _, step in found])

    def _settle(self) -> None:
        """All steps of this instant, until there are none."""
        queue, woken, blocked = self._queue, self._woken, self._blocked
        while True:
            if woken or blocked:
                if queue or blocked or len(woken) > 1:
                    self._wake()
                else:
                    woken.pop()._step()
                    continue
            if not queue:
                return
            queue.popleft()()

    def _give_up(self) -> None:
        raise Endless(f"the scheduler has decided {LIMIT} times at {self.now_ms()} ms, and lets no time pass")

    def _next(self) -> int | None:
        """When something is to happen that Flyball does not know of."""
        heap = self._heap
        while heap:
            armed = heap[0][3]
            if armed is None or armed.running:
                return heap[0][0]
            heappop(heap)
        return None

    def _hold(self, step: Callable[[], None], length: int) -> None:
        """The step comes after those that are there, or so much later."""
        if length:
            heappush(self._heap, (self._now + length, (self._now, 2, self._stamp()), step, None))
        else:
            self._queue.append(step)

    def _block(self, cpu: Processor, until: Callable[[], Any]) -> None:
        cpu._since = self._stamp()
        self._blocked.append((cpu, until))

    def _wake(self) -> None:
        """Processors go on for which something has happened, those first that have waited longest."""
        woken = self._woken
        if self._blocked:
            self._blocked.sort(key=lambda waits: waits[0]._since)
            still = []
            for cpu, until in self._blocked:
                if until():
                    woken.append(cpu)
                else:
                    still.append((cpu, until))
            self._blocked[:] = still
        if len(woken) > 1:
            woken.sort(key=_since)
        self._queue.extend([cpu._step for cpu in woken])
        woken.clear()

    def _refuse(self, job: Job) -> None:
        print(f"Can't schedule a terminated job! ({job.name})")

    def _apply(self, decisions: Any) -> None:
        """Jobs go where the scheduler has decided."""
        if type(decisions) is not list:
            decisions = [decisions]
        changed = False
        for decision in decisions:
            if decision is None:
                continue
            job, cpu = decision
            if cpu.running is job:
                continue
            if job is not None:
                if job.end_date is not None:
                    self._refuse(job)
                    continue
                if job.task.cpu.running is job:
                    job.task.cpu.preempt()
            cpu.preempt(job)
            if job is not None:
                job.task.cpu = cpu
            changed = True
        if changed and len(self.processors) > 1:
            running = [cpu.running for cpu in self.processors if cpu.running is not None]
            assert len(set(running)) == len(running), "Try to run a job on 2 processors simultaneously!"


__all__ = ["Job", "Logger", "Model"]
