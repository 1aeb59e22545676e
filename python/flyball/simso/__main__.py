"""`python -m flyball.simso run FILE.xml` and `python -m flyball.simso table`."""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
import warnings

from flyball._flyball import InputError, PolicyError
from flyball.simso.configuration import Unsimulated, load
from flyball.simso.run import Run, simulate
from flyball.simso.table import table


def _ms(nanoseconds: float | None) -> str:
    return "-" if nanoseconds is None else f"{nanoseconds / 1e6:.6f}".rstrip("0").rstrip(".")


def summary(run: Run, columns: int) -> str:
    """What came of a configuration, in lines."""
    result = run.result
    counts = [
        f"jobs completed  {result.jobs_completed}",
        f"misses          {result.misses}",
        f"preemptions     {result.preemptions}",
        f"migrations      {result.migrations}",
    ]
    cpus = len(run.configuration.proc_info_list)
    lines = [f"{result.title} on {cpus} processor{'s' if cpus > 1 else ''}, {_ms(result.until_ns)} ms", "", *counts, ""]
    lines.append(f"{'task':<20}{'jobs':>8}{'misses':>8}{'least':>12}{'mean':>12}{'most':>12}  response times in ms")
    for name, rows in run.jobs().items():
        times = [row.response for row in rows if row.response is not None]
        mean = sum(times) / len(times) if times else None
        missed = sum(row.missed for row in rows)
        shown = f"{_ms(min(times, default=None)):>12}{_ms(mean):>12}{_ms(max(times, default=None)):>12}"
        lines.append(f"{name:<20}{len(rows):>8}{missed:>8}{shown}")
    if columns:
        lines += ["", result.chart(columns=columns)]
    return "\n".join(lines)


def _run(arguments: argparse.Namespace) -> None:
    prints: contextlib.AbstractContextManager[object] = contextlib.nullcontext()
    if not arguments.prints:
        prints = contextlib.redirect_stdout(io.StringIO())
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", Unsimulated)
        with prints:
            run = simulate(load(arguments.file), arguments.scheduler)
    for warning in said:
        print(f"warning: {warning.message}", file=sys.stderr)
    print(summary(run, arguments.columns))


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser("python -m flyball.simso", description="SimSo's configurations and schedulers, on Flyball's simulator.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    one = commands.add_parser("run", help="simulate a configuration")
    one.add_argument("file", metavar="FILE.xml")
    one.add_argument("--scheduler", help="another one than the file's: a file, or a name such as simso.schedulers.EDF")
    one.add_argument("--columns", type=int, default=100, help="the chart's width; 0: no chart (default: 100)")
    one.add_argument("--prints", action="store_true", help="show what the scheduler prints")
    one.set_defaults(do=_run)
    all_of_them = commands.add_parser("table", help="compare SimSo's schedulers here and there")
    all_of_them.add_argument("--python", default="python3.11", help="a Python that has SimSo 0.8.5 (default: python3.11)")
    all_of_them.add_argument("--sets", type=int, default=100, help="systems for each module (default: 100)")
    all_of_them.set_defaults(do=lambda it: table(it.python, it.sets))
    chosen = parser.parse_args(arguments)
    try:
        chosen.do(chosen)
    except (InputError, PolicyError) as error:
        print(f"error: {error}", file=sys.stderr)
        cause = error.__cause__
        if cause is not None and str(cause) not in str(error):
            print(f"  {type(cause).__name__}: {cause}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
