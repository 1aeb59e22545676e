"""SimSo's configurations: from XML files, or built in code."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from flyball._flyball import InputError
from flyball.simso.processor import ProcInfo
from flyball.simso.scheduler import SchedulerInfo

KINDS = ("Periodic", "APeriodic", "Sporadic")


class Unsimulated(UserWarning):
    """A configuration says what has no effect in the simulation."""


class TaskInfo:
    """What a configuration says of a task. Times are in ms."""

    def __init__(
        self,
        name: str,
        identifier: int,
        task_type: str = "Periodic",
        abort_on_miss: bool = True,
        period: float = 10,
        activation_date: float = 0,
        n_instr: int = 0,
        mix: float = 0.5,
        stack_file: Any = "",
        wcet: float = 0,
        acet: float = 0,
        et_stddev: float = 0,
        deadline: float = 10,
        base_cpi: float = 1.0,
        followed_by: int | None = None,
        list_activation_dates: Any = (),
        preemption_cost: int = 0,
        data: dict[str, Any] | None = None,
    ) -> None:
        self.name = name
        self.identifier = identifier
        self.task_type = task_type
        self.abort_on_miss = abort_on_miss
        self.period = period
        self.activation_date = activation_date
        self.n_instr = n_instr
        self.mix = mix
        self.stack_file = stack_file[0] if isinstance(stack_file, tuple) else stack_file
        self.wcet = wcet
        self.acet = acet
        self.et_stddev = et_stddev
        self.deadline = deadline
        self.base_cpi = base_cpi
        self.followed_by = followed_by
        self.list_activation_dates = list(list_activation_dates)
        self.preemption_cost = preemption_cost
        self.data = {} if data is None else data


class Configuration:
    """A system to simulate, as `simso.configuration.Configuration` describes it. The duration is in cycles."""

    def __init__(self, filename: str | os.PathLike[str] | None = None) -> None:
        self.etm = "wcet"
        self.duration = 100_000_000
        self.cycles_per_ms = 1_000_000
        self.penalty_preemption = 0
        self.penalty_migration = 0
        self.memory_access_time = 100
        self.caches_list: list[Any] = []
        self.task_info_list: list[Any] = []
        self.task_data_fields: dict[str, str] = {}
        self.proc_info_list: list[Any] = []
        self.proc_data_fields: dict[str, str] = {}
        self.scheduler_info: Any = SchedulerInfo()
        self.simulation_file = filename
        if filename is not None:
            _Reader(self, Path(filename)).read()

    @property
    def duration_ms(self) -> float:
        return self.duration / self.cycles_per_ms

    def add_task(self, name: str, identifier: int, *positional: Any, **named: Any) -> TaskInfo:
        if len(positional) < 16 and named.get("data") is None:
            named["data"] = dict.fromkeys(self.task_data_fields)
        task = TaskInfo(name, identifier, *positional, **named)
        self.task_info_list.append(task)
        return task

    def add_processor(
        self,
        name: str,
        identifier: int,
        cs_overhead: int = 0,
        cl_overhead: int = 0,
        migration_overhead: int = 0,
        speed: float = 1.0,
    ) -> ProcInfo:
        processor = ProcInfo(identifier, name, cs_overhead, cl_overhead, migration_overhead, speed)
        self.proc_info_list.append(processor)
        return processor

    def check_all(self) -> None:
        """Refuses what cannot be simulated."""
        check(self)


def load(path: str | os.PathLike[str]) -> Configuration:
    """Reads an XML file of SimSo's.

    Raises `InputError` where something is not as SimSo writes it; attributes that SimSo does not know are told with a
    warning.
    """
    return Configuration(path)


def _whole(text: str) -> int:
    return int(float(text))


def _yes(text: str) -> bool:
    return text == "yes"


def _dates(text: str) -> list[float]:
    return sorted(float(date) for date in text.split(",")) if text else []


#: The attributes of tasks and processors: what they are called here, and how they are read.
_TASK: dict[str, tuple[str, Any]] = {
    "name": ("name", str),
    "id": ("identifier", int),
    "task_type": ("task_type", str),
    "abort_on_miss": ("abort_on_miss", _yes),
    "period": ("period", float),
    "activationDate": ("activation_date", float),
    "instructions": ("n_instr", int),
    "mix": ("mix", float),
    "stack": ("stack_file", str),
    "WCET": ("wcet", float),
    "ACET": ("acet", float),
    "et_stddev": ("et_stddev", float),
    "deadline": ("deadline", float),
    "base_cpi": ("base_cpi", float),
    "followed_by": ("followed_by", int),
    "list_activation_dates": ("list_activation_dates", _dates),
    "preemption_cost": ("preemption_cost", _whole),
}
_PROCESSOR: dict[str, tuple[str, Any]] = {
    "name": ("name", str),
    "id": ("identifier", int),
    "cs_overhead": ("cs_overhead", _whole),
    "cl_overhead": ("cl_overhead", _whole),
    "speed": ("speed", float),
}
_SIMULATION: dict[str, tuple[str, Any]] = {
    "duration": ("duration", int),
    "cycles_per_ms": ("cycles_per_ms", int),
    "etm": ("etm", str),
    "penalty_preemption": ("penalty_preemption", int),
    "penalty_migration": ("penalty_migration", int),
}
_SCHEDULER: dict[str, tuple[str, Any]] = {
    "class": ("clas", str),
    "className": ("filename", str),
    "overhead": ("overhead", _whole),
    "overhead_activate": ("overhead_activate", _whole),
    "overhead_terminate": ("overhead_terminate", _whole),
}
_FIELDS: dict[str, Any] = {"int": int, "float": float, "bool": bool, "str": str}


class _Reader:
    def __init__(self, into: Configuration, path: Path) -> None:
        self.into = into
        self.path = path

    def fail(self, where: str, what: str) -> InputError:
        return InputError(f"{self.path}: {where}: {what}")

    def read(self) -> None:
        into = self.into
        try:
            top = ElementTree.parse(self.path).getroot()
        except OSError as error:
            raise InputError(f"{self.path}: {error.strerror or error}") from None
        except ElementTree.ParseError as error:
            raise InputError(f"{self.path}: no XML: {error}") from None
        if top.tag != "simulation":
            raise self.fail(f"<{top.tag}>", "expected <simulation>, as SimSo writes it")
        # What SimSo takes where a file says nothing.
        into.duration, into.penalty_preemption, into.penalty_migration = 50_000, 100_000, 100_000
        known = self.attributes(top, _SIMULATION, {}, also=("use_wcet",))[0]
        if "etm" not in known:
            known["etm"] = "wcet" if top.get("use_wcet", "yes") in ("true", "yes") else "cache"
        vars(into).update(known)
        into.caches_list = [cache.attrib for caches in top.iter("caches") for cache in caches.iter("cache")]
        self.read_tasks(self.one(top, "tasks"))
        self.read_processors(self.one(top, "processors"))
        self.read_scheduler(self.one(top, "sched"))

    def one(self, top: ElementTree.Element, tag: str) -> ElementTree.Element:
        found = top.find(tag)
        if found is None:
            raise self.fail("<simulation>", f"expected <{tag}>, found none")
        return found

    def attributes(
        self, element: ElementTree.Element, known: dict[str, tuple[str, Any]], data: dict[str, str], also: tuple[str, ...] = ()
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """What SimSo knows, and the data that the file itself declares."""
        place = f"<{element.tag}>" + (f" {element.get('name')!r}" if element.get("name") else "")
        values: dict[str, Any] = {}
        own: dict[str, Any] = {}
        for key, text in element.attrib.items():
            if key in known:
                name, convert, into = *known[key], values
            elif key in data:
                name, convert, into = key, _FIELDS.get(data[key], str), own
            else:
                if key not in also:
                    warnings.warn(f"{self.path}: {place}: {key}: SimSo knows no such attribute", Unsimulated, stacklevel=2)
                continue
            try:
                into[name] = convert(text)
            except ValueError:
                raise self.fail(place, f"{key}: expected a number, found {text!r}") from None
        return values, own

    def fields(self, element: ElementTree.Element) -> dict[str, str]:
        return {field.get("name", ""): field.get("type", "str") for field in element.iter("field")}

    def read_tasks(self, element: ElementTree.Element) -> None:
        self.into.task_data_fields = fields = self.fields(element)
        for task in element.iter("task"):
            values, data = self.attributes(task, _TASK, fields, also=("periodic",))
            for key in ("name", "id", "period", "WCET", "deadline"):
                if task.get(key) is None:
                    raise self.fail(f"<task> {task.get('name')!r}", f"expected {key}, found none")
            if values.get("task_type") not in KINDS:
                values["task_type"] = "APeriodic" if task.get("periodic") == "no" else "Periodic"
            self.into.task_info_list.append(TaskInfo(**values, data=data))

    def read_processors(self, element: ElementTree.Element) -> None:
        self.into.proc_data_fields = fields = {
            key: kind for key, kind in self.fields(element).items() if key not in _PROCESSOR
        }
        migration = _whole(element.get("migration_overhead", "0"))
        for processor in element.iter("processor"):
            values, data = self.attributes(processor, _PROCESSOR, fields)
            for key in ("name", "id"):
                if processor.get(key) is None:
                    raise self.fail("<processor>", f"expected {key}, found none")
            found = ProcInfo(**values, migration_overhead=migration, data=data)
            found.caches = [cache.attrib for cache in processor.iter("cache")]
            self.into.proc_info_list.append(found)

    def read_scheduler(self, element: ElementTree.Element) -> None:
        values = self.attributes(element, _SCHEDULER, {})[0]
        file = values.pop("filename", "")
        self.into.scheduler_info = info = SchedulerInfo(**values)
        if file:
            info.filename = str(self.path.parent / file)
        for field in element.iter("field"):
            kind, text = field.get("type", "str"), field.get("value", "")
            try:
                value = _FIELDS.get(kind, str)(text)
            except ValueError:
                raise self.fail("<sched>", f"{field.get('name')}: expected {kind}, found {text!r}") from None
            info.set_fields({field.get("name", ""): (value, kind)})


def check(configuration: Any) -> None:
    """Refuses a configuration that Flyball cannot simulate as SimSo does, and warns of what has no effect."""
    refuse = InputError
    if not configuration.task_info_list or not configuration.proc_info_list:
        raise refuse("a configuration needs a task and a processor")
    if configuration.etm not in ("wcet", "acet"):
        raise refuse(f"etm: expected \"wcet\" or \"acet\", found {configuration.etm!r}: caches and penalties are not simulated")
    cycles = configuration.cycles_per_ms
    if cycles <= 0 or 1_000_000 % cycles:
        raise refuse(f"cycles_per_ms: expected a divisor of 1,000,000, so that cycles are whole nanoseconds, found {cycles}")
    for processor in configuration.proc_info_list:
        if processor.speed != 1.0:
            raise refuse(f"processor {processor.name!r}: speed: expected 1.0, found {processor.speed}: speeds are not simulated")
    for task in configuration.task_info_list:
        if task.task_type not in KINDS:
            raise refuse(f"task {task.name!r}: task_type: expected one of {', '.join(KINDS)}, found {task.task_type!r}")
        if configuration.etm == "acet" and task.et_stddev:
            raise refuse(f"task {task.name!r}: et_stddev: expected 0, found {task.et_stddev}: execution times at random are not simulated")
    idle = _without_effect(configuration)
    if idle:
        text = f"without effect with etm={configuration.etm!r} (in SimSo, too): {', '.join(idle)}"
        warnings.warn(text, Unsimulated, stacklevel=3)


def _without_effect(configuration: Any) -> list[str]:
    """The attributes that SimSo itself looks at only under other execution time models."""
    plain = {"instructions": ("n_instr", 0), "mix": ("mix", 0.5), "stack": ("stack_file", ""), "base_cpi": ("base_cpi", 1.0)}
    plain |= {"preemption_cost": ("preemption_cost", 0)}
    if configuration.etm != "acet":
        plain |= {"et_stddev": ("et_stddev", 0)}
    idle = [
        f"{shown} of {task.name!r}" for task in configuration.task_info_list for shown, (name, usual) in plain.items()
        if getattr(task, name) not in (usual, None)
    ]
    if configuration.caches_list:
        idle.append("<caches>")
    if any(processor.migration_overhead for processor in configuration.proc_info_list):
        idle.append("migration_overhead")
    return idle
