"""First come, first served; a job that runs is taken to run until it ends."""

from simso.core import Scheduler


class Trusting(Scheduler):
    def init(self):
        self.waiting = []

    def on_activate(self, job):
        self.waiting.append(job)
        job.cpu.resched()

    def on_terminated(self, job):
        if job in self.waiting:
            self.waiting.remove(job)
        else:
            job.cpu.resched()

    def schedule(self, cpu):
        return (self.waiting.pop(0), cpu) if self.waiting and not cpu.is_running() else None
