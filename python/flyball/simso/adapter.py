"""Schedulers of SimSo as policies of Flyball."""

from __future__ import annotations

from functools import partial
from typing import Any

from flyball._flyball import InputError
from flyball._policy import Policy
from flyball.simso import stand_ins
from flyball.simso.jobs import Task
from flyball.simso.model import Model, Step
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
        self._single = self.model.processors[0] if cpus == 1 else None
        self._started = False
        # When something happens of which only SimSo knows: first of all that is time zero.
        self._alarms: dict[int, int | None] = {0: 0}
        self.next_alarm = self._alarms.get

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

    def decide(self, events: list[tuple[str, Any, Any, int]], now: int) -> Any:
        model = self.model
        time = now // self._cycle
        steps: list[Step] = []
        for what, task, amount, at in events:
            then = time if at == now else at // self._cycle
            if what != "ready":
                steps.append(self._end(task, what, then))
            elif (step := self._release(task, amount, amount == at, then)) is not None:
                steps.append(step)
        if self._started:
            model._instant(time, steps)
        else:
            self._started = True
            with stand_ins.standing_in():
                model._start([partial(step, *arguments) for _, step, arguments in steps])
        due = model._next() if model._heap else None
        self._alarms[0] = None if due is None else due * self._cycle
        if self._single is not None:
            job = self._single._executes
            return None if job is None else job._handle
        return [None if cpu._executes is None else cpu._executes._handle for cpu in model.processors]

    def _release(self, task: Any, release: int | None, in_time: bool, now: int) -> Step | None:
        if release is None:
            raise NotSimulated(f"the task {task.name!r} waits, and schedulers of SimSo know no such tasks")
        found = task.simso
        if found._follows:
            # Its job is there when the one before it ends.
            return None
        if in_time:
            return found, found._release, (now, task)
        late = (release // self._cycle, task)
        if found._waiting:
            found._late = late
            return None
        return found, found._release, late

    def _end(self, task: Any, why: str, now: int) -> Step:
        if why != "completed":
            raise NotSimulated(f"the task {task.name!r} has stopped ({why}), and schedulers of SimSo know only jobs that end")
        found = task.simso
        job = found._waiting[0]
        if job._handle is not task:
            job = next(job for job in found._waiting if job._handle is task)
        computed = job._executed if job._last is None else job._executed + now - job._last
        if computed < found._length and found.abort_on_miss and job.absolute_deadline_cycles <= now:
            if found.followed_by is not None:
                raise NotSimulated(f"followed_by: the job {job.name} is aborted, and Flyball does not release the one that follows")
            return job, job._end, (True,)
        return job, job._end, ()
