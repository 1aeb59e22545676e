"""Each task on a processor of its own choice, with SimSo's EDF there."""

from simso.core.Scheduler import SchedulerInfo
from simso.utils import PartitionedScheduler
from simso.utils.PartitionedScheduler import decreasing_first_fit


class Packed(PartitionedScheduler):
    def init(self):
        PartitionedScheduler.init(self, SchedulerInfo("simso.schedulers.EDF_mono"), decreasing_first_fit)
