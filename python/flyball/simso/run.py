"""Simulates SimSo's configurations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import flyball
from flyball._flyball import InputError, PolicyResult, TaskSet
from flyball.simso import stand_ins
from flyball.simso.adapter import PART, policy
from flyball.simso.configuration import check


@dataclass(frozen=True)
class Segment:
    """A stretch of time in which a job ran, in nanoseconds. Jobs count from 1."""

    task: str
    job: int
    cpu: str
    start: int
    end: int


@dataclass(frozen=True)
class JobRow:
    """A job: its number from 1, its release, end and response time in nanoseconds (None: it has not ended), and whether it was late."""

    job: int
    release: int
    end: int | None
    response: int | None
    missed: bool


@dataclass(frozen=True)
class Run:
    """A simulated configuration."""

    configuration: Any
    result: PolicyResult

    def _name(self, task: str, job: int) -> tuple[str, int]:
        """A task as SimSo calls it, and its job."""
        if any(task == info.name for info in self.configuration.task_info_list):
            return task, job
        name, _, number = task.rpartition(PART)
        return name, int(number)

    def schedule(self) -> list[Segment]:
        """Which jobs ran when on which processors, by time; adjacent stretches are one."""
        cpus = [processor.name for processor in self.configuration.proc_info_list]
        columns = self.result.segments.to_dict()
        rows = zip(columns["task"], columns["job"], columns["cpu"], columns["start_ns"], columns["end_ns"], strict=True)
        return join([Segment(*self._name(task, job), cpus[cpu], start, end) for task, job, cpu, start, end in rows if task])

    def jobs(self) -> dict[str, list[JobRow]]:
        """The jobs of each task."""
        found: dict[str, list[JobRow]] = {info.name: [] for info in self.configuration.task_info_list}
        names = ("task", "job", "release_ns", "end_ns", "response_ns", "missed")
        columns = self.result.jobs.to_dict()
        for task, job, release, end, response, missed in zip(*(columns[name] for name in names), strict=True):
            name, number = self._name(task, job)
            found[name].append(JobRow(number, release, end, response, bool(missed)))
        return found


def join(segments: list[Segment]) -> list[Segment]:
    """Without stretches of no length, adjacent ones as one, sorted by time."""
    last: dict[str, Segment] = {}
    joined = []
    for segment in sorted(segments, key=lambda it: (it.start, it.end)):
        if segment.start == segment.end:
            continue
        before = last.get(segment.cpu)
        if before is not None and (before.task, before.job, before.end) == (segment.task, segment.job, segment.start):
            segment = Segment(segment.task, segment.job, segment.cpu, before.start, segment.end)
        elif before is not None:
            joined.append(before)
        last[segment.cpu] = segment
    return sorted(joined + list(last.values()), key=lambda it: (it.start, it.cpu))


def task_set(configuration: Any) -> TaskSet:
    """The task set of a configuration. A task with a list of dates is a task for each of its jobs: `name #1`, `name #2`, …"""
    check(configuration)
    cycles, cycle = configuration.cycles_per_ms, 1_000_000 // configuration.cycles_per_ms

    def length(ms: float) -> int:
        whole: int = int(ms * cycles) * cycle
        return whole

    infos = configuration.task_info_list
    follow = {info.followed_by for info in infos if info.followed_by is not None}
    tasks: list[dict[str, Any]] = []
    for info in infos:
        if configuration.etm == "acet" and info.acet <= 0:
            raise InputError(f"task {info.name!r}: ACET: expected a time above zero, found {info.acet}")
        one = {"name": info.name, "wcet": length(info.wcet), "deadline": length(info.deadline)}
        one["on_miss"] = "abort" if info.abort_on_miss else "continue"
        computes = length(min(info.wcet, info.acet) if configuration.etm == "acet" else info.wcet)
        if info.followed_by is not None:
            one["behaviour"] = [{"compute": computes}, {"signal": f"end of {info.name}"}]
        elif computes != one["wcet"]:
            one["behaviour"] = [{"compute": computes}]
        if info.task_type == "Periodic":
            tasks.append(one | {"period": length(info.period), "phase": length(info.activation_date)})
        elif info.task_type == "APeriodic":
            before = [other.name for other in infos if other.followed_by == info.identifier]
            if len(before) != 1:
                raise InputError(f"task {info.name!r}: task_type: APeriodic, and {len(before)} tasks are followed_by it, not one")
            tasks.append(one | {"sporadic": 1, "released_by": f"end of {before[0]}"})
        else:
            dates = [length(date) for date in info.list_activation_dates]
            parts = ({"name": f"{info.name}{PART}{number}", "phase": date} for number, date in enumerate(dates, 1))
            tasks.extend(one | part for part in parts)
    for info in infos:
        if info.identifier in follow and info.task_type != "APeriodic":
            raise InputError(f"task {info.name!r}: it follows another one, and is {info.task_type}: expected APeriodic")
    semaphores = [{"name": f"end of {info.name}", "initial": 0} for info in infos if info.followed_by is not None]
    more = {"semaphore": semaphores} if semaphores else {}
    return TaskSet(tasks, cpus=len(configuration.proc_info_list), name="SimSo", **more)


def simulate(configuration: Any, scheduler: Any = None, *, keep: int | None = None) -> Run:
    """Simulates a configuration under its scheduler, or another one."""
    if scheduler is None:
        info = configuration.scheduler_info
        scheduler = info.clas or info.filename
    chosen = policy(stand_ins.find(scheduler), configuration)
    until = configuration.duration * (1_000_000 // configuration.cycles_per_ms)
    result = flyball.simulate(task_set(configuration), chosen, until=until, tests=False, keep=keep)
    return Run(configuration, result)
