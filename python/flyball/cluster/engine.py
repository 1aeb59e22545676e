"""Workers of Dask: processes of this machine, or jobs of Slurm."""

from __future__ import annotations

import argparse
import logging
import os
import pathlib
import shutil
import time
from typing import Any, Protocol

import dask
from distributed import LocalCluster, Security

from flyball.cluster.script import walltime
from flyball.cluster.store import ClusterError

#: A job without workers is given up after so many seconds.
LOST = 10.0

#: Where Dask has its web pages: on each machine only for that machine itself, as they are open to any process that connects.
PAGES = "127.0.0.1:0"

#: Dask's settings. A worker that is killed is not the shard's fault, and it may happen often where walltimes are short. Dask looks
#: after itself ten times as often as shards of seconds need, which takes some percent of a CPU.
SETTINGS: dict[str, bool | int | str] = {
    "distributed.scheduler.allowed-failures": 100,
    "distributed.scheduler.active-memory-manager.start": False,
    "distributed.worker.profile.enabled": False,
    "distributed.worker.memory.monitor-interval": "5s",
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.comm.timeouts.connect": "60s",
}


class Engine(Protocol):
    """What has workers."""

    #: Dask's cluster, for a client.
    cluster: Any
    #: How many workers there should be.
    workers: int

    def replace(self, names: set[str]) -> None:
        """Has lost workers replaced; `names` are those of the living ones."""


class Local:
    """Processes of this machine. A killed one is begun again by its nanny."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.workers: int = arguments.local
        begin: Any = LocalCluster
        self.cluster: Any = begin(
            n_workers=self.workers,
            threads_per_worker=1,
            memory_limit=0,
            dashboard_address=PAGES,
            worker_dashboard_address=PAGES,
            local_directory=arguments.scratch,
            silence_logs=logging.CRITICAL,
            security=True,
            # A terminal sends Ctrl-C to all of its processes; the driver ends the workers then.
            preload=["import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)"],
        )

    def replace(self, names: set[str]) -> None:
        pass


class Slurm:
    """Jobs of Slurm, each with a worker for each CPU. Another job takes the place of one that has ended."""

    def __init__(self, arguments: argparse.Namespace, folder: pathlib.Path) -> None:
        from dask_jobqueue.slurm import SLURMCluster

        if shutil.which("sbatch") is None:
            remedy = "run it where jobs are submitted, or use --local N or --script FILE"
            raise ClusterError("there is no `sbatch` on the PATH", remedy)
        self.jobs: int = arguments.jobs
        self.workers = self.jobs * arguments.cpus
        self._seen: set[str] = set()
        self._lost: dict[str, float] = {}
        begin: Any = SLURMCluster
        self.cluster: Any = begin(
            cores=arguments.cpus,
            processes=arguments.cpus,
            memory=arguments.memory,
            walltime=walltime(arguments.time),
            queue=arguments.partition,
            account=arguments.account,
            job_extra_directives=arguments.directive or None,
            interface=arguments.interface,
            local_directory=arguments.scratch,
            python=arguments.python,
            log_directory=arguments.logs,
            job_script_prologue=[f"export {_variable(key)}={value}" for key, value in SETTINGS.items()],
            worker_extra_args=[*lifetime(arguments.time), "--dashboard-address", PAGES],
            scheduler_options={"dashboard_address": PAGES},
            job_name="flyball",
            silence_logs=logging.CRITICAL,
            security=_keys(folder.absolute()),
        )
        self.cluster.scale(jobs=self.jobs)

    def replace(self, names: set[str]) -> None:
        now = time.monotonic()
        for job in list(self.cluster.worker_spec):
            name = str(job)
            if name in names or any(it.startswith(f"{name}-") for it in names):
                self._seen.add(name)
                self._lost.pop(name, None)
            elif name in self._seen and now - self._lost.setdefault(name, now) > LOST:
                self._seen.discard(name)
                self.cluster.worker_spec.pop(job, None)
        if len(self.cluster.worker_spec) < self.jobs:
            self.cluster.scale(jobs=self.jobs)


def _variable(key: str) -> str:
    """The environment variable that a setting of Dask is read from."""
    return "DASK_" + key.upper().replace("-", "_").replace(".", "__")


def _keys(folder: pathlib.Path) -> Security:
    """Keys of this run, in files that only this user can read: a process that can connect to Dask can run anything as this user."""
    temporary: Any = Security.temporary
    files = {}
    for name, text in temporary().get_tls_config_for_role("worker").items():
        if name in ("ca_file", "cert", "key"):
            # Whatever has such a name is removed by the next one that opens the folder.
            files[name] = folder / f".flyball-{name}.pem"
            files[name].unlink(missing_ok=True)
            with open(os.open(files[name], os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                file.write(text)
    roles = {f"tls_{role}_{name}": str(files[name]) for role in ("scheduler", "worker", "client") for name in ("cert", "key")}
    make: Any = Security
    keys: Security = make(require_encryption=True, tls_ca_file=str(files["ca_file"]), **roles)
    return keys


def lifetime(minutes: int) -> list[str]:
    """A worker ends in order some time before Slurm ends its job, and not all at once: what it is at is begun elsewhere then."""
    seconds = minutes * 60
    before, stagger = min(180, seconds // 4), min(60, seconds // 10)
    return ["--lifetime", f"{seconds - before}s", "--lifetime-stagger", f"{stagger}s"]


def begin(arguments: argparse.Namespace, folder: pathlib.Path) -> Engine:
    """The workers that were asked for; `folder` is for their keys. Raises `ClusterError`."""
    dask.config.set(SETTINGS)
    try:
        return Slurm(arguments, folder) if arguments.slurm else Local(arguments)
    except (OSError, RuntimeError, ValueError) as error:
        raise ClusterError(f"no workers can be had: {error}", "look at Dask's settings, and at what Slurm says") from error
