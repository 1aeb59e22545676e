"""A job file for Slurm and HyperQueue, which needs the `flyball` command on the machines, and no Python."""

from __future__ import annotations

import argparse
import math
import pathlib
import shlex
import tempfile
import time

from flyball.cluster.plan import LONGEST, Plan
from flyball.cluster.shard import run
from flyball.cluster.store import ClusterError, Sweep, mask

#: Slurm takes arrays of so many tasks, unless its administrators have chosen otherwise (MaxArraySize less one).
MOST = 1000

#: The probe ends after so many seconds, and the unit that it is at.
PATIENCE = 15.0

TEXT = """\
#!/bin/bash
# {name}, in {shards} parts. With Slurm: sbatch {file}. With HyperQueue: hq submit {file}.
# Part N alone: bash {file} N. The same once more goes on: parts that are finished take no time.
#SBATCH --job-name=flyball
#SBATCH --array=1-{shards}
#SBATCH --ntasks=1
#SBATCH --cpus-per-task={cpus}
#SBATCH --mem={memory}
#SBATCH --time={time}
{more}#SBATCH --output={slurm_log}
#HQ --name=flyball
#HQ --array=1-{shards}
#HQ --cpus={cpus}
#HQ --stdout={hyperqueue_log}.txt
#HQ --stderr={hyperqueue_log}.err
set -eu
part=${{1:-${{SLURM_ARRAY_TASK_ID:-${{HQ_TASK_ID:?a part from 1 to {shards} is needed}}}}}}
# Each part has a folder of its own, since one process writes to a folder.
exec "${{FLYBALL:-flyball}}" sweep {study} --shard "$part/{shards}" --threads {cpus} --quiet --out {parts}/"$part-of-{shards}"
"""


def write(parsed: argparse.Namespace) -> str:
    """Writes the file. Returns what to do with it. Raises `ClusterError`, `CommandFailed` or `OSError`."""
    shards: int = parsed.shards or _probe(parsed)
    out, file = parsed.out.absolute(), parsed.script
    parts, logs = out / "parts", out / "logs"
    named = [("partition", parsed.partition), ("account", parsed.account)]
    more = [f"--{name}={value}" for name, value in named if value] + (parsed.directive or [])
    if any(not it.isprintable() for it in f"{out}{file}{parsed.study}{more}"):
        raise ClusterError("a path or an option has a character that is no text", "choose other names")
    logs.mkdir(parents=True, exist_ok=True)
    text = TEXT.format(
        name=" ".join(parsed.study.name.split()),
        file=shlex.quote(str(file)),
        shards=shards,
        cpus=parsed.cpus,
        memory=parsed.memory.removesuffix("B"),
        time=walltime(parsed.time),
        more="".join(f"#SBATCH {it}\n" for it in more),
        slurm_log=shlex.quote(f"{logs}/part-%a.txt"),
        hyperqueue_log=shlex.quote(f"{logs}/part-%{{TASK_ID}}"),
        parts=shlex.quote(str(parts)),
        study=shlex.quote(str(parsed.study.absolute())),
    )
    file.write_text(text)
    file.chmod(0o777 & ~mask())
    folders = f"{shlex.quote(str(parts))}/*-of-{shards}"
    return (
        f"{file}: {shards} parts.\n"
        f"Submit it: sbatch {shlex.quote(str(file))} or hq submit {shlex.quote(str(file))}\n"
        f"Figures of all parts: flyball plot {folders} --out report\n"
        f"Or into one folder: cp -rn {folders}/. FOLDER"
    )


def _probe(parsed: argparse.Namespace) -> int:
    """In how many parts a study is divided, so that each lasts a minute or longer: some units are computed here, and thrown away."""
    with tempfile.TemporaryDirectory(prefix="flyball-") as folder, Sweep(parsed.study, pathlib.Path(folder) / "probe") as store:
        total = len(store.units)
        plan = Plan(total, (), 1)
        began = time.monotonic()
        while plan.probing and time.monotonic() - began < PATIENCE and (shard := plan.next()):
            units = sorted(plan.under_way[shard])
            result = run(store.task(shard, units))
            if result.error is not None:
                raise ClusterError(result.error, "correct that")
            plan.returned(shard, units, result.seconds)
        parts: int = math.ceil(total * (plan.seconds or 0.0) / LONGEST / parsed.cpus)
    return max(1, min(parts, total, MOST))


def walltime(minutes: int) -> str:
    """As Slurm has it."""
    return f"{minutes // 60:02}:{minutes % 60:02}:00"
