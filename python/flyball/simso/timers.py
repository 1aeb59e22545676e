"""Timers as SimSo has them."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappush
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flyball.simso.model import Model
    from flyball.simso.processor import Processor


class Armed:
    """A timer that has been started."""

    def __init__(self, timer: Timer) -> None:
        self.timer = timer
        self.running = False
        self.overhead = timer.overhead

    def call_handler(self) -> None:
        if self.running:
            self.timer.function(*self.timer.args)

    def _begin(self) -> None:
        # SimSo's timers begin to run now, even if they have been stopped since they were started.
        self.running = True
        self._wait((self.timer.sim._now, 2, self.timer.sim._stamp()))

    def _wait(self, key: tuple[int, ...]) -> None:
        model, delay = self.timer.sim, self.timer.delay
        if delay:
            heappush(model._heap, (model._now + delay, key, self._due, self))
        else:
            model._queue.append(self._due)

    def _due(self) -> None:
        if not self.running:
            return
        timer = self.timer
        if timer.cpu:
            timer.cpu.timer(self)
        else:
            self.call_handler()
        if not timer.one_shot and self.running:
            self._wait((timer.sim._now, 0, timer.sim._stamp()))


class Timer:
    """Calls a function after a delay, once or again and again; with a processor its job is interrupted for that."""

    def __init__(
        self,
        sim: Model,
        function: Callable[..., object],
        args: Any,
        delay: float,
        one_shot: Any = True,
        prior: Any = False,
        cpu: Processor | None = None,
        in_ms: bool = True,
        overhead: float = 0,
    ) -> None:
        self.sim = sim
        self.function = function
        self.args = args
        self.delay = int(delay * sim.cycles_per_ms) if in_ms else int(delay)
        self.one_shot = one_shot
        self.prior = prior
        self.cpu = cpu
        self.overhead = int(overhead * sim.cycles_per_ms) if in_ms else int(overhead)
        self.instance: Armed | None = None
        assert self.delay >= 0, "delay must be >= 0"

    def start(self) -> None:
        self.instance = Armed(self)
        queue = self.sim._queue
        (queue.appendleft if self.prior else queue.append)(self.instance._begin)

    def stop(self) -> None:
        if self.instance is not None:
            self.instance.running = False
