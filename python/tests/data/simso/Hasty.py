"""First come, first served, but a timer that is stopped as soon as it has been started asks for the next job."""

from simso.core import Scheduler, Timer


class Hasty(Scheduler):
    def init(self):
        self.queue = []

    def turn(self, cpu):
        self.queue.append(self.queue.pop(0))
        cpu.resched()

    def on_activate(self, job):
        if not self.queue:
            timer = Timer(self.sim, Hasty.turn, (self, job.cpu), 1.5, cpu=job.cpu)
            timer.start()
            timer.stop()
        self.queue.append(job)
        job.cpu.resched()

    def on_terminated(self, job):
        self.queue.remove(job)
        job.cpu.resched()

    def schedule(self, cpu):
        return (self.queue[0] if self.queue else None, cpu)
