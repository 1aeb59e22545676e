"""A global EDF scheduler as a thesis might have it: jobs stay where they are if they can."""

from simso.core import Scheduler
from simso.schedulers import scheduler


@scheduler("Thesis", display_name="EDF of a thesis", required_fields=[{"name": "bonus", "type": "float", "default": "0"}])
class Thesis(Scheduler):
    def init(self):
        self.ready = []
        self.bonus = self.data.get("bonus", 0.0)

    def on_activate(self, job):
        job.rank = job.absolute_deadline - self.bonus * job.task.data.get("weight", 0)
        self.ready.append(job)
        job.cpu.resched()

    def on_terminated(self, job):
        self.ready.remove(job)
        job.cpu.resched()

    def schedule(self, cpu):
        first = sorted(self.ready, key=lambda job: job.rank)[: len(self.processors)]
        free = [processor for processor in self.processors if processor.running not in first]
        decisions = [(job, free.pop(0)) for job in first if not job.is_running()]
        return decisions + [(None, processor) for processor in free if processor.running]
