"""Schedulers of SimSo as policies of Flyball."""

from __future__ import annotations

from functools import partial
from typing import Any

from flyball._flyball import InputError
from flyball._policy import Policy
from flyball.simso import stand_ins
from flyball.simso.jobs import Task
from flyball.simso.model import Event, Model
from flyball.simso.processor import NotSimulated, ProcInfo
from flyball.simso.scheduler import SchedulerInfo

#: The name of a task of Flyball's, and which job of a task of SimSo's it stands for.
PART = " #"


def policy(scheduler: Any, configuration: Any = None, *, name: str | None = None) -> type[Policy]:
    """A policy for `flyball.simulate` that decides as a scheduler class of SimSo's does.

    `scheduler` is a subclass of SimSo's `Scheduler`, a file with one, or a name such as "simso.schedulers.EDF". Without a
    configuration the tasks are those of the task set: identifiers count from 1, a cycle is a nanosecond, and `task.data` has
    the priority, if there is one.
    """
    found = stand_ins.find(scheduler)
    own = name or f"simso-{found.__name__}"
    about = (found.__doc__ or "").strip() or f"SimSo's class {found.__name__}"
    return type(found.__name__, (_Adapter,), {"name": own, "scheduler": found, "configuration": configuration, "__doc__": about})


class _Info:
    """What SimSo knows of a task, from a task of Flyball's."""

    def __init__(self, task: Any) -> None:
        self.name = task.name
        self.identifier = task.number + 1
        self.task_type = "Periodic"
        self.period = (task.period or 0) / 1e6
        self.activation_date = task.phase / 1e6
        self.deadline = (task.period if task.deadline is None else task.deadline or 0) / 1e6
        self.wcet = self.acet = task.wcet / 1e6
        self.data = {} if task.priority is None else {"priority": task.priority}
        if task.cpu is not None:
            self.data["cpu"] = task.cpu + 1
        self.abort_on_miss = True
        self.followed_by = None
        self.list_activation_dates: list[float] = []
        self.et_stddev = self.preemption_cost = self.n_instr = 0
        self.mix, self.base_cpi = 0.5, 1.0


class _Adapter(Policy):
    placement = "global"
    scheduler: Any
    configuration: Any

    def __init__(self, cpus: int, settings: dict[str, Any]) -> None:
        super().__init__(cpus, settings)
        system = self.configuration
        if system is None:
            info: Any = SchedulerInfo(self.scheduler)
            processors: list[Any] = [ProcInfo(number + 1, f"CPU {number}") for number in range(cpus)]
            cycles, duration, etm = 1_000_000, 0, "wcet"
        else:
            info, processors = system.scheduler_info, system.proc_info_list
            cycles, duration, etm = system.cycles_per_ms, system.duration, system.etm
            if len(processors) != cpus:
                raise InputError(f"the configuration has {len(processors)} processors, and the simulation {cpus}")
        self.model = Model(lambda model: self.scheduler(model, info), processors, cycles, duration, etm)
        self._infos = {} if system is None else {info.name: info for info in system.task_info_list}
        self._tasks: dict[str, Task] = {}
        self._cycle = 1_000_000 // cycles
        self._events: list[Event] = []
        self._processors = self.model.processors
        self._started = False
        # Something has happened since processors have decided, and when something happens of which only SimSo knows.
        self._due = False
        self._alarms: dict[int, int | None] = {0: 0}
        # It is asked several times at each instant, and so it is no function of Python's.
        self.next_alarm = self._alarms.get
        self._alarmed = -1

    def admit(self, task: Any) -> None:
        name = task.name if task.name in self._infos else task.name.rpartition(PART)[0] or task.name
        found = self._tasks.get(name)
        if found is None:
            info = self._infos.get(name) or _Info(task)
            found = self._tasks[name] = Task(self.model, info, len(self._tasks))
            found._phase = task.phase // self._cycle
            self.model.task_list.append(found)
        found._handles.append(task)
        task.simso = found

    def ready(self, task: Any, release: int | None, now: int) -> None:
        if release is None:
            raise NotSimulated(f"the task {task.name!r} waits, and schedulers of SimSo know no such tasks")
        self._due = True
        found = task.simso
        if found._follows:
            # Its job is there when the one before it ends.
            return
        arguments = (release // self._cycle, task)
        if release != now and found._waiting:
            found._late = arguments
        else:
            self._events.append((found._order, found._release, arguments))

    def stopped(self, task: Any, why: str, used: int, now: int) -> None:
        if why == "preempted":
            return
        if why != "completed":
            raise NotSimulated(f"the task {task.name!r} has stopped ({why}), and schedulers of SimSo know only jobs that end")
        self._due = True
        found = task.simso
        job = found._waiting[0]
        if job._handle is not task:
            job = next(job for job in found._waiting if job._handle is task)
        time = now // self._cycle
        if job._left(time) > 0 and found.abort_on_miss and job.absolute_deadline_cycles <= time:
            if found.followed_by is not None:
                raise NotSimulated(f"followed_by: the job {job.name} is aborted, and Flyball does not release the one that follows")
            self._events.append(((job._activation, 1, job._created), job._end, (True,)))
            if job._last is None and self._alarmed != now:
                # No CPU would be asked for the end of a job that runs on none.
                self._alarms[0] = now
        else:
            self._events.append((job._key, job._end, ()))

    def pick(self, cpu: int, now: int) -> Any:
        if self._due:
            self._decide(now)
        job = self._processors[cpu]._executes
        return None if job is None else job._handle

    def alarm(self, cpu: int, now: int) -> None:
        self._due = True
        self._alarmed = now
        self._alarms[0] = None

    def _decide(self, now: int) -> None:
        events, self._events = self._events, []
        self._due = False
        model = self.model
        if self._started:
            model._instant(now // self._cycle, events)
        else:
            self._started = True
            with stand_ins.standing_in():
                model._start([partial(step, *arguments) for _, step, arguments in events])
        next_step = model._next() if model._heap else None
        self._alarms[0] = None if next_step is None else next_step * self._cycle
