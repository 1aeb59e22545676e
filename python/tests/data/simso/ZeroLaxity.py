"""The shortest period first on several processors, but a job without laxity before all others."""

from simso.core import Scheduler, Timer


class ZeroLaxity(Scheduler):
    def init(self):
        self.jobs = []
        self.timers = {}

    def on_activate(self, job):
        self.jobs.append(job)
        job.cpu.resched()

    def on_terminated(self, job):
        self.jobs.remove(job)
        self.timers.pop(job, None)
        job.cpu.resched()

    def urgent(self, job):
        self.timers.pop(job, None)
        if job in self.jobs:
            job.cpu.resched()

    def key(self, job):
        return (round(job.laxity) > 0, job.period, job.absolute_deadline, job.task.identifier)

    def schedule(self, cpu):
        order = sorted(self.jobs, key=self.key)
        first, rest = order[: len(self.processors)], order[len(self.processors) :]
        for job in rest:
            if job not in self.timers and round(job.laxity) > 0:
                self.timers[job] = Timer(self.sim, ZeroLaxity.urgent, (self, job), round(job.laxity), cpu=cpu, in_ms=False)
                self.timers[job].start()
        for job in first:
            if job in self.timers:
                self.timers.pop(job).stop()
        free = [processor for processor in self.processors if processor.running not in first]
        waiting = [job for job in first if not job.is_running()]
        return [(waiting.pop(0) if waiting else None, processor) for processor in free]
