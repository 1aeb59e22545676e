"""Which shard comes next, and how many units it has: so many that it lasts from 10 to 60 seconds.

A unit is what becomes one file of results. Shard `i/n` has the units `i`, `i + n`, `i + 2n` and so on, as `flyball sweep --shard`
has it. How long a unit takes is not known before, and may be a millisecond or an hour: so the first shards are a probe.
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Collection, Iterable
from dataclasses import dataclass

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

#: How long a shard should last, in seconds, and between what it may.
TARGET, SHORTEST, LONGEST = 20.0, 10.0, 60.0

#: A shard of the probe lasts so long at least, in seconds: a start of the command takes a tenth of that.
PROBE = 1.0

#: So many shards of the probe are measured at least.
PROBES = 4

#: How many shards each worker should get at least: otherwise some would wait for the last ones.
EACH = 4

#: Of a shard's units at most so many times as many as are to be computed may be finished, and are sent along.
SENT = 8


def units(study: str) -> list[str]:
    """The units of a study, as `flyball sweep` writes it into a folder of results: a path each, without checksum and ending."""
    it = tomllib.loads(study)
    names = [f"{one['periods'][0]['name']}-{one['utilisations'][0]['name']}" for one in it["scenario"]]
    batches = -(-it["sets"] // it["batch"])
    return [f"{name}/{cap}-{batch:04}" for name in names for cap in it["caps"] for batch in range(batches)]


@dataclass(frozen=True)
class Shard:
    """Part `number` of `of`, from 0 on."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number + 1}/{self.of}"

    def places(self, total: int) -> range:
        """The places of its units, among `total`."""
        return range(self.number, total, self.of)


class Plan:
    """What is finished, what is under way, and what comes next. Units are known by their places."""

    def __init__(self, total: int, finished: Iterable[int], workers: int) -> None:
        self.total = total
        self.missing = set(range(total)) - set(finished)
        self.under_way: dict[Shard, set[int]] = {}
        self.probing = True
        #: Units that are to be computed, of a shard.
        self.size = 1
        self._workers = workers
        self._most = max(1, math.ceil(len(self.missing) / (EACH * workers)))
        self._given = 0
        self._measured: list[tuple[float, int]] = []
        self._queue: list[Shard] = []
        self._shuffle = random.Random(0)

    @property
    def seconds(self) -> float | None:
        """How long a unit takes, by the last shards; `None`: not known yet."""
        last = self._measured[-max(8, self._workers) :]
        computed = sum(units for _, units in last)
        return sum(seconds for seconds, _ in last) / computed if computed else None

    def next(self) -> Shard | None:
        """A shard to begin with now; `None`: some of those under way have to return first, or all is finished."""
        if self.probing and self._given >= max(PROBES, self._workers):
            return None
        taken: set[int] = set().union(*self.under_way.values())
        shard = self._from_queue(taken)
        if shard is None and not self._queue and self.missing - taken:
            self._divide()
            shard = self._from_queue(taken)
        if shard is not None:
            self._given += 1
        return shard

    def _from_queue(self, taken: set[int]) -> Shard | None:
        """The next shard none of whose missing units is under way; removes what has none."""
        blocked: list[Shard] = []
        found = None
        while self._queue and found is None:
            shard = self._queue.pop()
            computed = self.missing.intersection(shard.places(self.total))
            if computed & taken:
                blocked.append(shard)
            elif computed:
                found = shard
                self.under_way[shard] = computed
        self._queue += reversed(blocked)
        return found

    def returned(self, shard: Shard, finished: Collection[int], seconds: float) -> None:
        """A shard is back after so many seconds, with these units finished. What it has not finished is still missing."""
        self.under_way.pop(shard)
        self.missing -= set(finished)
        if finished:
            self._measured.append((seconds, len(finished)))
        if self.probing and self._given >= max(PROBES, self._workers) and not self.under_way:
            self._end_round()
        elif not self.probing:
            self._adjust()

    def no_more_probes(self) -> None:
        """A unit takes so long that a shard is one unit."""
        self.probing = False
        self._queue = []

    def _end_round(self) -> None:
        """All shards of the probe are back: the next ones are larger, or it is known how large."""
        if not self._measured:
            self._given = 0
            return
        each = self._measured[-self._given :]
        lasted = sum(seconds for seconds, _ in each) / len(each)
        self._given = 0
        self._queue = []
        if lasted < PROBE and self.size < self._most:
            self.size = min(self._most, self.size * min(16, max(4, math.ceil(PROBE / max(lasted, 1e-3)))))
        else:
            self.probing = False
            self.size = self._wanted()

    def _wanted(self) -> int:
        seconds = self.seconds or TARGET
        return max(1, min(self._most, round(TARGET / max(seconds, 1e-9))))

    def _adjust(self) -> None:
        """Units may take longer than those of the probe, or less."""
        lasts = (self.seconds or TARGET) * self.size
        wanted = self._wanted()
        if (lasts < SHORTEST and wanted > self.size) or (lasts > LONGEST and wanted < self.size):
            self.size = wanted
            self._queue = []

    def _divide(self) -> None:
        """Divides the study so that shards have about as many missing units as wanted, from all caps of all scenarios."""
        of = max(1, len(self.missing) // self.size, self.total // (SENT * self.size))
        while math.gcd(of, self.total) > 1 and of < self.total:
            of += 1
        self._queue = [Shard(number, of) for number in range(min(of, self.total))]
        # Neither the cheap ones first nor the costly ones: the first ones are the probe.
        self._shuffle.shuffle(self._queue)
