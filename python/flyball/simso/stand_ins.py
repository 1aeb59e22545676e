"""Loads files with schedulers that were written for SimSo, whether SimSo is installed or not.

While such a file is loaded, modules that stand for SimSo's are found under its names. SimSo itself, if it is imported
as well, stays what it is.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.machinery
import importlib.util
import inspect
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from flyball._flyball import InputError
from flyball.simso import configuration, jobs, model, processor, scheduler, timers

_lock = threading.RLock()
_depth = 0
#: Modules under SimSo's names: those of this package, and schedulers of SimSo's that others rest on.
_modules: dict[str, ModuleType] = {}
_registered: list[dict[str, Any]] = []
#: Where SimSo's own schedulers are, for those that rest on them.
_folder: Path | None = None


def _decorate(name: str, **fields: Any) -> Any:
    """SimSo's `@scheduler("name", required_fields=…)`."""
    known = {key: fields.get(key, []) for key in ("required_fields", "required_task_fields", "required_proc_fields")}

    def keep(scheduler: Any) -> Any:
        _registered.append({"name": name, "display_name": fields.get("display_name", name), **known})
        return scheduler

    return keep


def _package(name: str, **attributes: Any) -> None:
    _module(name, **attributes)
    _modules[name].__path__ = []


def _module(name: str, **attributes: Any) -> None:
    module = ModuleType(name, "Stands for SimSo's module of this name.")
    module.__spec__ = importlib.machinery.ModuleSpec(name, None)
    vars(module).update(attributes)
    _modules[name] = module
    parent, _, own = name.rpartition(".")
    # A class of the same name goes before the module, as in SimSo.
    if parent and own not in vars(_modules[parent]):
        setattr(_modules[parent], own, module)


def _build() -> None:
    classes: dict[str, Any] = {"Model": model.Model, "Processor": processor.Processor, "Scheduler": scheduler.Scheduler, "Timer": timers.Timer}
    partitioned = {name: value for name, value in vars(scheduler).items() if name.endswith("_fit") and name[0] != "_"}
    information: dict[str, Any] = {"SchedulerInfo": scheduler.SchedulerInfo, "Scheduler": scheduler.Scheduler}
    _package("simso")
    _package("simso.core", **classes)
    _module("simso.core.Scheduler", **information)
    _module("simso.core.Timer", Timer=timers.Timer)
    _module("simso.core.Model", Model=model.Model)
    _module("simso.core.Job", Job=jobs.Job)
    _module("simso.core.Task", Task=jobs.Task, GenericTask=jobs.Task, TaskInfo=configuration.TaskInfo)
    _module("simso.core.Processor", Processor=processor.Processor, ProcInfo=processor.ProcInfo)
    _module("simso.core.Logger", Logger=model.Logger)
    _package("simso.core.etm", execution_time_models={}, execution_time_model_names={})
    _package("simso.schedulers", scheduler=_decorate, get_loaded_schedulers=lambda: list(_registered))
    _package("simso.utils", PartitionedScheduler=scheduler.PartitionedScheduler)
    both: dict[str, Any] = {"PartitionedScheduler": scheduler.PartitionedScheduler, "Scheduler": scheduler.Scheduler}
    _module("simso.utils.PartitionedScheduler", **both, **partitioned)
    _package("simso.configuration", Configuration=configuration.Configuration)
    _module("simso.configuration.Configuration", Configuration=configuration.Configuration)


def _of_simso(name: str) -> bool:
    return name == "simso" or name.startswith("simso.")


def folder() -> Path | None:
    """Where SimSo's own schedulers are: what `use_folder` has said, or SimSo as it is installed."""
    if _folder is not None:
        return _folder
    found = importlib.machinery.PathFinder.find_spec("simso")
    places = found.submodule_search_locations if found is not None else None
    return next((path for path in (Path(place) / "schedulers" for place in places or []) if path.is_dir()), None)


def use_folder(path: str | os.PathLike[str]) -> None:
    """SimSo's own schedulers are in this folder."""
    global _folder
    with _lock:
        _folder = Path(path)
        forget()


def forget() -> None:
    """Schedulers of SimSo's are loaded anew, without what they have kept from earlier simulations."""
    with _lock:
        _modules.clear()


@contextlib.contextmanager
def standing_in() -> Iterator[None]:
    """Meanwhile SimSo's names mean modules of Flyball."""
    global _depth
    with _lock:
        if _depth == 0:
            if not _modules:
                _build()
            place = folder()
            _modules["simso.schedulers"].__path__ = [] if place is None else [str(place)]
            if place is None:
                _module("simso.schedulers.EDF_mono", EDF_mono=scheduler.EDF_mono)
                _module("simso.schedulers.RM_mono", RM_mono=scheduler.RM_mono)
            before = {name: sys.modules.pop(name) for name in list(sys.modules) if _of_simso(name)}
            sys.modules.update(_modules)
        _depth += 1
        try:
            yield
        finally:
            _depth -= 1
            if _depth == 0:
                _modules.update({name: sys.modules.pop(name) for name in list(sys.modules) if _of_simso(name)})
                sys.modules.update(before)


def _class_of(module: ModuleType, name: str, where: str) -> Any:
    found = getattr(module, name, None)
    if inspect.isclass(found) and issubclass(found, scheduler.Scheduler):
        return found
    own = [
        it for it in vars(module).values()
        if inspect.isclass(it) and issubclass(it, scheduler.Scheduler) and it.__module__ == module.__name__
    ]
    if len(own) == 1:
        return own[0]
    names = ", ".join(it.__name__ for it in own) or "none"
    raise InputError(f"{where}: expected a class {name!r} that derives from simso.core.Scheduler, found {names}")


def load_scheduler(path: str | os.PathLike[str]) -> Any:
    """The scheduler class of a file: the one of the file's name, or the only one in it."""
    file = Path(path)
    if not file.is_file():
        raise InputError(f"{file}: there is no such file")
    name = file.stem
    place = folder()
    if place is not None and file.resolve().parent == place.resolve():
        return find(f"simso.schedulers.{name}")
    spec = importlib.util.spec_from_file_location(f"flyball_simso_{name}", file)
    if spec is None or spec.loader is None:
        raise InputError(f"{file}: expected a file of Python")
    module = importlib.util.module_from_spec(spec)
    with standing_in():
        # Files beside it are found, as SimSo does it.
        sys.path.insert(0, str(file.parent))
        try:
            spec.loader.exec_module(module)
        finally:
            sys.path.remove(str(file.parent))
    return _class_of(module, name, str(file))


def find(scheduler_of: Any) -> Any:
    """A scheduler class, by itself, by its file or by a module's name such as `simso.schedulers.EDF`."""
    if inspect.isclass(scheduler_of):
        if issubclass(scheduler_of, scheduler.Scheduler):
            return scheduler_of
        return _again(scheduler_of)
    if not scheduler_of:
        raise InputError("no scheduler is given: neither a class nor a file")
    text = os.fspath(scheduler_of)
    if text.endswith(".py"):
        return load_scheduler(text)
    with standing_in():
        try:
            module = importlib.import_module(text)
        except ModuleNotFoundError as error:
            if error.name and text.startswith(error.name):
                where = folder() or "no folder: SimSo is not installed"
                raise InputError(f"there is no scheduler {text!r} (SimSo's own are looked for in {where})") from None
            raise
        return _class_of(module, text.rpartition(".")[2], text)


def _again(found: type) -> Any:
    """The class again, from its file, where SimSo itself is what it derives from now."""
    bases = {base.__module__ for base in found.__mro__}
    file = inspect.getsourcefile(found) if any(_of_simso(name) for name in bases) else None
    if file is None:
        raise InputError(f"{found.__name__}: expected a class that derives from simso.core.Scheduler")
    if found.__module__.startswith("simso.schedulers."):
        return find(found.__module__)
    again = load_scheduler(file)
    if again.__name__ != found.__name__:
        raise InputError(f"{file}: expected the scheduler {found.__name__} alone, found {again.__name__}, too")
    return again
