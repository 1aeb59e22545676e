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
    PolicyResult,
    Study,
    TaskSet,
    __version__,
    policies,
    simulate,
    study,
)

__all__ = [
    "Columns",
    "InputError",
    "PolicyResult",
    "Study",
    "TaskSet",
    "__version__",
    "policies",
    "simulate",
    "study",
]
