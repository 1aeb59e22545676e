"""One answer of the analyses, of a task set or of many."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, overload

from flyball._flyball import Analysis, Columns, InputError, TaskSet, analyse

Answer = bool | int | float | dict[str, int | None] | None


def _verdict(name: str) -> Callable[[Analysis, str], Any]:
    return lambda found, policy: _rows(found.verdicts, policy)[name][0]


def _of_tasks(name: str) -> Callable[[Analysis, str], Any]:
    def answer(found: Analysis, policy: str) -> Any:
        rows = _rows(found.response_times, policy)
        return dict(zip(rows["task"], rows[name]))

    return answer


def _margin(found: Analysis, policy: str) -> float | None:
    rows = _rows(found.verdicts, policy)
    is_known = rows["factor"][0] in ("exactly", "at-least")
    return rows["factor_ppm"][0] / 1e6 if is_known else None


_QUESTIONS: dict[str, Callable[[Analysis, str], Any]] = {
    "holds": _verdict("holds"),
    "fewest CPUs": _verdict("fewest_cpus"),
    "margin": _margin,
    "response times": _of_tasks("response_bound_ns"),
    "slack": _of_tasks("slack_ns"),
}


def _rows(columns: Columns, policy: str) -> dict[str, list[Any]]:
    """The rows of a policy."""
    table = columns.to_dict()
    chosen = [row for row, name in enumerate(table["policy"]) if name == policy.lower()]
    if not chosen:
        known = ", ".join(dict.fromkeys(table["policy"]))
        raise InputError(f"policy: the analyses say nothing of {policy!r}; of this set they know: {known or 'none'}")
    return {name: [column[row] for row in chosen] for name, column in table.items()}


@overload
def ask(sets: TaskSet, question: str, policy: str, *, threads: int | None = None, **options: Any) -> Answer: ...
@overload
def ask(sets: Iterable[TaskSet], question: str, policy: str, *, threads: int | None = None, **options: Any) -> list[Answer]: ...
def ask(
    sets: TaskSet | Iterable[TaskSet], question: str, policy: str, *, threads: int | None = None, **options: Any
) -> Answer | list[Answer]:
    """What do the analyses say of a task set, or of each of many, under a policy?

    `question`: "holds" (True or False for all that the set allows; None: not known), "fewest CPUs" (that are known to do; None: no number
    is), "margin" (the factor by which all execution times may grow together, at least), "response times" and "slack" (of each task, in
    nanoseconds; None: not known). `policy`: one that `analyse` speaks of, such as "g-edf", "p-edf", "g-fp" or "p-fp". What the tests do not cover is not known, so the answer is None. `options` are those of `analyse`.
    Of many sets the answers are a list, in their order; they are found on all cores, or with so many `threads`.

    >>> flyball.ask(tasks, "fewest CPUs", "g-edf")
    >>> flyball.ask([flyball.generate(12, 3.0, cpus=4, seed=seed) for seed in range(100)], "holds", "p-edf")
    """
    if question not in _QUESTIONS:
        raise InputError(f"question: there is no {question!r}; there are: {', '.join(_QUESTIONS)}")

    def one(tasks: TaskSet) -> Any:
        found = analyse(tasks, **options)
        return None if found.not_covered is not None else _QUESTIONS[question](found, policy)

    if isinstance(sets, TaskSet):
        return one(sets)  # type: ignore[no-any-return]
    pool = ThreadPoolExecutor(threads or os.cpu_count())
    try:
        return list(pool.map(one, sets))
    finally:
        # After Ctrl-C, or a mistake, no more of them are asked about.
        pool.shutdown(wait=False, cancel_futures=True)
