"""The driver: hands out shards, and keeps what comes back."""

from __future__ import annotations

import asyncio
import collections
import queue
import sys
import time
from typing import Any

from flyball.cluster.engine import Engine
from flyball.cluster.plan import LONGEST, SHORTEST, Plan, Shard
from flyball.cluster.shard import Result, log, run
from flyball.cluster.store import ClusterError, Store

#: How long the results of a shard may take to get here, in seconds. They are asked for again then: if their worker was killed
#: before, the shard is computed elsewhere meanwhile.
GATHER = 10.0

#: So many shards more than workers are under way, so that no worker waits for the next.
AHEAD = 2

#: A shard may be killed so often before it is at fault itself, by the memory that it takes for example.
KILLS = 5


class Driver:
    """Computes what a folder lacks."""

    def __init__(self, store: Store, engine: Engine, client: Any, progress: Progress) -> None:
        self._store, self._engine, self._client, self._progress = store, engine, client, progress
        self._plan = Plan(len(store.units), store.finished, engine.workers)
        self._returned: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._under_way: dict[str, tuple[Shard, float, Any]] = {}
        #: Where shards have failed, and how often they were killed.
        self._failed: dict[Shard, str] = {}
        self._killed: collections.Counter[Shard] = collections.Counter()
        #: Workers that are not used any more, by their addresses.
        self._closed: set[str] = set()

    def drive(self) -> None:
        """Ends when all units are finished. Raises `ClusterError`; what was finished before is kept."""
        while self._plan.missing:
            while len(self._under_way) < self._engine.workers + AHEAD and (shard := self._plan.next()):
                self._submit(shard)
            try:
                self._take(self._returned.get(timeout=1.0))
            except queue.Empty:
                pass
            self._look()

    def _submit(self, shard: Shard) -> None:
        task = self._store.task(shard, sorted(self._plan.under_way[shard]))
        future = self._client.submit(run, task, pure=False, key=f"shard {shard} {time.monotonic_ns()}")
        self._under_way[future.key] = (shard, time.monotonic(), future)
        future.add_done_callback(self._returned.put)

    def _take(self, future: Any) -> None:
        """A shard is back."""
        try:
            result: Result = future.result(timeout=GATHER)
        except asyncio.TimeoutError:
            self._returned.put(future)
            return
        except Exception as error:
            what = f"shard {self._under_way[future.key][0]} cannot be run: {type(error).__name__}: {error}"
            raise ClusterError(what, "look at the workers' logs; on all machines the same Flyball and Dask have to be installed") from error
        self._release(future)
        shard, _, _ = self._under_way.pop(future.key)
        wanted = set(self._plan.under_way[shard])
        places = set()
        for file, (content, checksum) in result.files.items():
            place = self._store.place(file)
            if place not in wanted:
                raise ClusterError(f"{result.host} has sent {file}, which shard {shard} does not have", "please report it")
            places.add(self._store.put(file, content, checksum))
            log(f"stored {self._store.units[place]}")
        if result.error is None and places != wanted:
            raise ClusterError(f"{result.host} has not sent all units of shard {shard}", "please report it")
        self._plan.returned(shard, places, result.seconds)
        if result.error is not None:
            self._fail(shard, result)

    def _release(self, future: Any) -> None:
        """Has Dask forget a shard before its units are kept: it would be computed once more if its worker were killed by then."""
        future.release()
        end = time.monotonic() + GATHER
        while future.key in self._engine.cluster.scheduler.tasks and time.monotonic() < end:
            time.sleep(0.001)

    def _fail(self, shard: Shard, result: Result) -> None:
        """A worker that failed is not used any more; a shard that fails on a second one is at fault itself."""
        what = f"worker {result.worker} on {result.host}: {result.error}"
        again = "correct that; the same command goes on"
        if result.killed:
            self._killed[shard] += 1
            if self._killed[shard] > KILLS:
                raise ClusterError(f"shard {shard} was killed {KILLS + 1} times; {what}", "its memory may be too small (--memory); the same command goes on")
            return
        if result.refused:
            again = "install the same Flyball on all machines; the same command goes on"
        elif self._failed.setdefault(shard, result.worker) != result.worker:
            raise ClusterError(f"shard {shard} failed on two workers; {what}", again)
        if result.worker in self._closed:
            return
        self._closed.add(result.worker)
        self._progress.note(f"{what}; it is not used any more")
        if len(self._closed) >= self._engine.workers:
            raise ClusterError(f"no worker is left; {what}", again)
        self._client.retire_workers([result.worker], close_workers=True)

    def _look(self) -> None:
        """What is looked at every now and then."""
        workers: dict[str, Any] = self._engine.cluster.scheduler_info["workers"]
        self._engine.replace({str(it["name"]) for it in workers.values()})
        now = time.monotonic()
        plan = self._plan
        if plan.probing and workers and any(now - began > SHORTEST for _, began, _ in self._under_way.values()):
            plan.no_more_probes()
        if plan.size == 1 and plan.seconds and plan.seconds > LONGEST:
            self._progress.once(f"a unit takes {plan.seconds:.0f} s; with a smaller `batch` less is lost with a worker")
        self._progress.show(len(self._store.finished), len(self._store.units), len(workers), plan, self._engine.workers)


class Progress:
    """A line on a terminal; elsewhere a line each minute."""

    def __init__(self, quiet: bool) -> None:
        self._quiet = quiet
        self._terminal = sys.stderr.isatty()
        self._last = time.monotonic()
        self._said: set[str] = set()

    def show(self, finished: int, units: int, workers: int, plan: Plan, wanted: int) -> None:
        """How far it is."""
        now = time.monotonic()
        if self._quiet or now - self._last < (0.3 if self._terminal else 60.0):
            return
        self._last = now
        text = f"{finished} of {units} units, {workers} of {wanted} workers"
        if workers == 0:
            text += ", waiting for workers"
        elif plan.seconds:
            text += f", {duration(plan.seconds * len(plan.missing) / workers)} left"
        print(f"\r\x1b[2K{text}" if self._terminal else text, end="" if self._terminal else "\n", file=sys.stderr, flush=True)

    def note(self, text: str) -> None:
        """Something that the user should know."""
        if not self._quiet:
            self.clear()
            print(f"note: {text}", file=sys.stderr, flush=True)

    def once(self, text: str) -> None:
        """The same, but not twice."""
        key = text.split(";")[-1]
        if key not in self._said:
            self._said.add(key)
            self.note(text)

    def clear(self) -> None:
        """Removes the line."""
        if self._terminal and not self._quiet:
            print("\r\x1b[2K", end="", file=sys.stderr, flush=True)


def duration(seconds: float) -> str:
    """For people."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
