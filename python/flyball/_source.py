"""What tells a policy that is written in Python from another one of its name: its source, and all that it uses."""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import inspect
import sys
import sysconfig
import textwrap
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from flyball._flyball import InputError

#: What a class has without its author's doing.
_OF_CLASSES = {"__annotate_func__", "__annotations_cache__", "__annotations__", "__classcell__", "__dict__", "__doc__", "__firstlineno__", "__module__"}
_OF_CLASSES |= {"__qualname__", "__static_attributes__", "__weakref__", "__abstractmethods__", "_abc_impl", "__parameters__"}
_PLAIN = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis))
_WRAPPERS = (staticmethod, classmethod, types.MethodType)


def checksum(policy: Any) -> str:
    """The same for the same source, whatever process it is in.

    It is made of methods and functions as they are written, of constants, and of the functions and classes that these use, unless they are
    of an installed package, of which the version counts. A policy's attribute `version` stands for all that.

    Raises `InputError` if a policy uses a value of which this cannot tell what it is.
    """
    version = getattr(policy, "version", None)
    if version is not None:
        lines = [f"version {version}"]
    else:
        lines = list(_Walk(str(policy.name if hasattr(policy, "name") else policy.__name__)).describe(policy, "it"))
    return hashlib.blake2b("\n".join(lines).encode(), digest_size=8).hexdigest()


class _Walk:
    """Describes values, each function and each class once."""

    def __init__(self, policy: str) -> None:
        self.policy = policy
        self.seen: set[int] = set()

    def describe(self, value: Any, name: str) -> Iterator[str]:
        if isinstance(value, _PLAIN):
            yield f"{name} {value!r}"
        elif isinstance(value, (tuple, list)):
            yield f"{name} {type(value).__name__} {len(value)}"
            for item in value:
                yield from self.describe(item, name)
        elif isinstance(value, (set, frozenset)):
            yield from sorted(line for item in value for line in self.describe(item, name))
        elif isinstance(value, dict):
            yield from self.describe(list(value.items()), name)
        elif isinstance(value, types.ModuleType):
            yield f"{name} module {value.__name__} {_version(value.__name__)}"
        elif isinstance(value, _WRAPPERS):
            yield from self.describe(value.__func__, name)
        elif isinstance(value, property):
            yield from self.describe([value.fget, value.fset, value.fdel], name)
        elif isinstance(value, functools.partial):
            yield from self.describe([value.func, value.args, value.keywords], name)
        elif id(value) in self.seen:
            yield f"{name} {getattr(value, '__qualname__', '')}"
        elif isinstance(value, (types.FunctionType, type)) and not _is_installed(value.__module__):
            self.seen.add(id(value))
            yield from self._function(value, name) if isinstance(value, types.FunctionType) else self._class(value, name)
        elif hasattr(value, "__wrapped__"):
            yield from self.describe(value.__wrapped__, name)
        elif callable(value) and hasattr(value, "__qualname__"):
            yield f"{name} {value.__module__} {value.__qualname__} {_version(value.__module__ or '')}"
        elif hasattr(type(value), "__set_name__") or isinstance(value, (types.MemberDescriptorType, types.GetSetDescriptorType)):
            yield f"{name} {type(value).__qualname__}"
        elif type(value).__module__ == "flyball._policy":
            yield from self.describe([value.key, value.placement], name)
        elif type(value).__module__ == "dataclasses":
            # What it stands for is in methods that are described, too.
            yield f"{name} {type(value).__qualname__}"
        elif hasattr(value, "__dict__") and not _is_installed(type(value).__module__):
            self.seen.add(id(value))
            yield from self.describe([type(value), vars(value)], name)
        else:
            raise InputError(
                f'policy "{self.policy}" uses {name}, a value of {type(value).__name__}, and results that are kept have to say what that is; '
                'give the policy a `version`, such as "1", and another one whenever it changes'
            )

    def _class(self, found: type, name: str) -> Iterator[str]:
        yield f"{name} class {found.__qualname__}"
        yield from self.describe([base for base in found.__bases__ if base is not object], f"{name}: bases")
        for key in sorted(vars(found).keys() - _OF_CLASSES):
            yield from self.describe(vars(found)[key], key)

    def _function(self, found: types.FunctionType, name: str) -> Iterator[str]:
        yield f"{name} {_text(found)}"
        yield from self.describe([found.__defaults__, found.__kwdefaults__], f"{name}: defaults")
        for key, cell in zip(found.__code__.co_freevars, found.__closure__ or ()):
            try:
                yield from self.describe(cell.cell_contents, key)
            except ValueError:
                yield f"{key} is not there yet"
        for key in sorted(_names(found.__code__) & found.__globals__.keys()):
            yield from self.describe(found.__globals__[key], key)


def _text(function: types.FunctionType) -> str:
    try:
        return textwrap.dedent(inspect.getsource(function))
    except (OSError, TypeError):
        # It was made by a program, as methods of data classes are.
        code = function.__code__
        return f"{sys.implementation.cache_tag} {code.co_code.hex()} {code.co_names} {[it for it in code.co_consts if isinstance(it, _PLAIN)]}"


def _names(code: types.CodeType) -> set[str]:
    """All names that are not local, those of functions within it included."""
    inner = (constant for constant in code.co_consts if isinstance(constant, types.CodeType))
    return set(code.co_names).union(*map(_names, inner))


@functools.cache
def _is_installed(module: str) -> bool:
    """Whether it comes with Python, with Flyball or with another package that is installed."""
    root = module.partition(".")[0]
    if root == "flyball" or root in sys.stdlib_module_names:
        return root != "__main__"
    file = getattr(sys.modules.get(module), "__file__", None)
    folders = {sysconfig.get_path(name) for name in ("purelib", "platlib", "stdlib")}
    return file is not None and any(Path(folder) in Path(file).resolve().parents for folder in folders)


@functools.cache
def _version(module: str) -> str:
    root = module.partition(".")[0]
    if not _is_installed(module) or root in sys.stdlib_module_names:
        return ""
    try:
        return importlib.metadata.version(root)
    except importlib.metadata.PackageNotFoundError:
        return str(getattr(sys.modules.get(root), "__version__", ""))
