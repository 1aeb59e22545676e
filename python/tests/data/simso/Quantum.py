"""Round robin on one processor, with a timer for each quantum that costs time."""

from simso.core import Scheduler, Timer
from simso.core.Scheduler import SchedulerInfo


class Quantum(Scheduler):
    quantum = 0.75

    def init(self):
        self.queue = []
        self.timer = Timer(
            self.sim, Quantum.turn, (self,), self.quantum, one_shot=False, cpu=self.processors[0], overhead=0.01
        )
        self.timer.start()
        assert SchedulerInfo("name").overhead == 0

    def turn(self):
        if self.queue:
            self.queue.append(self.queue.pop(0))
            self.processors[0].resched()

    def on_activate(self, job):
        self.queue.append(job)
        job.cpu.resched()

    def on_terminated(self, job):
        self.sim.logger.log(f"{job.name} took {job.computation_time} ms")
        self.queue.remove(job)
        job.cpu.resched()

    def schedule(self, cpu):
        return (self.queue[0] if self.queue else None, cpu)
