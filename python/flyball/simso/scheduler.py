"""The classes that schedulers of SimSo derive from: `Scheduler` and `PartitionedScheduler`."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Any


class Monitor:
    """Notes nothing: what happened is in Flyball's trace."""

    def observe(self, *_: object) -> None: ...


class Scheduler:
    """A scheduler: subclasses say what happens when jobs are activated and end, and decide which jobs run."""

    def __init__(self, sim: Any, scheduler_info: Any, **_: Any) -> None:
        self.sim = sim
        self.processors: list[Any] = []
        self.task_list: list[Any] = []
        self._lock = False
        self.overhead = scheduler_info.overhead
        self.overhead_activate = scheduler_info.overhead_activate
        self.overhead_terminate = scheduler_info.overhead_terminate
        self.data = scheduler_info.data
        self.monitor = Monitor()

    def init(self, *_: Any) -> None: ...

    def on_activate(self, job: Any) -> None: ...

    def on_terminated(self, job: Any) -> None: ...

    def schedule(self, cpu: Any) -> Any:
        raise NotImplementedError("Function schedule to override!")

    def add_task(self, task: Any) -> None:
        self.task_list.append(task)

    def add_processor(self, cpu: Any) -> None:
        self.processors.append(cpu)

    def get_lock(self) -> Any:
        """Whether the scheduler may run now; it is locked then."""
        if self._lock:
            return False
        self._lock = True
        return True

    def release_lock(self) -> None:
        self._lock = False

    def monitor_begin_schedule(self, cpu: Any) -> None: ...

    def monitor_end_schedule(self, cpu: Any) -> None: ...

    def monitor_begin_activate(self, cpu: Any) -> None: ...

    def monitor_end_activate(self, cpu: Any) -> None: ...

    def monitor_begin_terminate(self, cpu: Any) -> None: ...

    def monitor_end_terminate(self, cpu: Any) -> None: ...


class SchedulerInfo:
    """Which scheduler, with which overheads (in cycles) and data."""

    def __init__(
        self,
        clas: Any = "",
        overhead: Any = 0,
        overhead_activate: int = 0,
        overhead_terminate: int = 0,
        fields: dict[str, tuple[Any, str]] | None = None,
    ) -> None:
        self.filename: str | os.PathLike[str] = ""
        if isinstance(overhead, type):
            # (name, class): the form of an older SimSo.
            clas, overhead = overhead, 0
        self.clas = clas
        self.overhead = overhead
        self.overhead_activate = overhead_activate
        self.overhead_terminate = overhead_terminate
        self.data: dict[str, Any] = {}
        self.fields_types: dict[str, str] = {}
        self.set_fields(fields or {})

    def set_fields(self, fields: dict[str, tuple[Any, str]]) -> None:
        for name, (value, kind) in fields.items():
            self.data[name] = value
            self.fields_types[name] = kind

    def get_cls(self) -> Any:
        from flyball.simso.stand_ins import find

        return find(self.clas or self.filename)

    def instantiate(self, model: Any) -> Any:
        return self.get_cls()(model, self)


Packer = Callable[..., bool]


def _pack(scheduler: Any, tasks: Iterable[Any] | None, search: str) -> bool:
    """Puts each task on a processor with room for it; False: there is none."""
    bins = [[cpu, 0.0] for cpu in scheduler.processors]
    at = 0
    for task in scheduler.task_list if tasks is None else tasks:
        wcet, period = float(task.wcet), task.period
        if search == "next":
            places = [(at + step) % len(bins) for step in range(len(bins))]
        else:
            places = list(range(len(bins)))
        found = next((place for place in places if bins[place][1] * period + wcet <= period), None)
        if found is None:
            print("oops bin packing failed.")
            return False
        at = found
        scheduler.affect_task_to_processor(task, bins[found][0])
        bins[found][1] += wcet / period
        if search in ("best", "worst"):
            bins.sort(key=lambda it: it[1], reverse=search == "best")
    return True


def first_fit(scheduler: Any, task_list: Iterable[Any] | None = None) -> bool:
    return _pack(scheduler, task_list, "first")


def next_fit(scheduler: Any, task_list: Iterable[Any] | None = None) -> bool:
    return _pack(scheduler, task_list, "next")


def best_fit(scheduler: Any, task_list: Iterable[Any] | None = None) -> bool:
    return _pack(scheduler, task_list, "best")


def worst_fit(scheduler: Any, task_list: Iterable[Any] | None = None) -> bool:
    return _pack(scheduler, task_list, "worst")


def _by_utilisation(scheduler: Any) -> list[Any]:
    return sorted(scheduler.task_list, key=lambda task: -float(task.wcet) / task.period)


def decreasing_first_fit(scheduler: Any) -> bool:
    return first_fit(scheduler, _by_utilisation(scheduler))


def decreasing_next_fit(scheduler: Any) -> bool:
    return next_fit(scheduler, _by_utilisation(scheduler))


def _misnamed(name: str) -> Packer:
    def pack(scheduler: Any) -> bool:
        warnings.warn(f"{name} of SimSo packs next-fit, and so does this, for the same schedule", stacklevel=2)
        return next_fit(scheduler, _by_utilisation(scheduler))

    pack.__name__ = name
    return pack


decreasing_best_fit = _misnamed("decreasing_best_fit")
decreasing_worst_fit = _misnamed("decreasing_worst_fit")


class PartitionedScheduler(Scheduler):
    """A scheduler of one processor for each; a packer says where tasks belong."""

    def init(self, scheduler_info: Any = None, packer: Packer | None = None) -> None:
        assert scheduler_info is not None, "PartitionedScheduler requires a monoprocessor scheduler to instantiate."
        self.map_cpu_sched: dict[Any, Any] = {}
        self.map_task_sched: dict[Any, Any] = {}
        for cpu in self.processors:
            scheduler = scheduler_info.instantiate(self.sim)
            scheduler.add_processor(cpu)
            self.map_cpu_sched[cpu.identifier] = scheduler
        self._packer = packer
        assert self.packer(), "Packing failed"
        for cpu in self.processors:
            self.map_cpu_sched[cpu.identifier].init()

    def packer(self) -> bool:
        if self._packer is None:
            raise Exception("A bin packing method is required.")
        return self._packer(self)

    def affect_task_to_processor(self, task: Any, proc: Any) -> None:
        scheduler = self.map_cpu_sched[proc.identifier]
        self.map_task_sched[task.identifier] = scheduler
        scheduler.add_task(task)
        task.cpu = proc

    def get_lock(self) -> Any:
        # Each processor has a scheduler of its own.
        return True

    def schedule(self, cpu: Any) -> Any:
        return self.map_cpu_sched[cpu.identifier].schedule(cpu)

    def on_activate(self, job: Any) -> None:
        self.map_task_sched[job.task.identifier].on_activate(job)

    def on_terminated(self, job: Any) -> None:
        self.map_task_sched[job.task.identifier].on_terminated(job)


class EDF_mono(Scheduler):
    """The nearest deadline first, on one processor: SimSo's module of that name, for packages that rest on it."""

    urgency = attrgetter("absolute_deadline")

    def init(self, *_: Any) -> None:
        self.active: list[Any] = []

    def on_activate(self, job: Any) -> None:
        self.active.append(job)
        job.cpu.resched()

    def on_terminated(self, job: Any) -> None:
        self.active.remove(job)
        job.cpu.resched()

    def schedule(self, cpu: Any) -> Any:
        return min(self.active, key=type(self).urgency, default=None), cpu


class RM_mono(EDF_mono):
    """The shortest period first, on one processor."""

    urgency = attrgetter("period")
