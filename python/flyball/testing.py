"""For tests of a product: its task set meets all deadlines, or the test fails with a schedule in which it does not.

>>> from flyball.testing import assert_schedulable
>>> assert_schedulable(flyball.TaskSet.load("tasks.toml"), "edf")
"""

from __future__ import annotations

from typing import Any

from flyball._flyball import PolicyResult, Study, TaskSet, study

#: How many columns a schedule has in messages.
COLUMNS = 76


def assert_schedulable(tasks: TaskSet, policy: Any = None, **options: Any) -> Study:
    """Raises `AssertionError` unless `policy`, or any policy, is known to meet all deadlines, whatever the set allows.

    That a simulation misses none is not enough, and neither is that nothing is known. The message says why, and shows the schedule about the
    first miss, if there is one. `options` are those of `flyball.study`. Returns the study.
    """
    # pytest shows where this was called, and not what is in it.
    __tracebackhide__ = True
    found = study(tasks, policy, **options)
    if found.holding:
        return found
    results = [found[number] for number in range(len(found))]
    what = f'under "{results[0].policy}"' if len(results) == 1 else "under any of these policies"
    verb = "misses deadlines" if any(result.holds is False for result in results) else "is not known to meet all deadlines"
    lines = [f"{tasks!r} {verb} {what}"]
    lines += [f"  {result.policy}: {result.reason}" for result in results]
    late = next((result for result in results if result.misses), None)
    if late is not None:
        lines += ["", f"{late.policy}, about the first miss:", _first_miss(late)]
    raise AssertionError("\n".join(lines))


def _first_miss(result: PolicyResult) -> str:
    """The schedule from a while before the first miss until a while after it."""
    jobs = result.jobs.to_dict()
    missed = [row for row, is_missed in enumerate(jobs["missed"]) if is_missed]
    if not missed:
        return "  (its events were not kept)"
    row = min(missed, key=lambda row: (jobs["deadline_ns"][row], row))
    released, deadline = jobs["release_ns"][row], jobs["deadline_ns"][row]
    spare = (deadline - released) // 4
    return result.chart(max(0, released - spare), deadline + spare, columns=COLUMNS)
