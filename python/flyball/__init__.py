"""Flyball: a real-time kernel and a scheduling laboratory in one; this is the laboratory, from Python.

>>> import flyball
>>> tasks = flyball.TaskSet([
...     {"name": "sensor", "period": "5ms", "wcet": "1ms"},
...     {"name": "control", "period": "10ms", "wcet": "4ms"},
... ])
>>> flyball.study(tasks, ["rm", "edf"]).holding
['rm', 'edf']
"""

from flyball._flyball import (
    Columns,
    InputError,
    PolicyError,
    PolicyResult,
    Study,
    Task,
    TaskSet,
    __version__,
    policies,
    simulate,
    study,
)
from flyball._policy import KeyPolicy, Policy, by_key

__all__ = [
    "Columns",
    "InputError",
    "KeyPolicy",
    "Policy",
    "PolicyError",
    "PolicyResult",
    "Study",
    "Task",
    "TaskSet",
    "__version__",
    "by_key",
    "policies",
    "simulate",
    "study",
]
