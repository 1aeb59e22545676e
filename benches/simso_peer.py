"""The peer of `./x bench --peers`: SimSo simulating one of the benchmark's task sets.

Reads a task set as CSV (name,period_us,wcet_us) from a file, simulates it for so many milliseconds
under EDF, and prints one line of JSON: jobs, and seconds of CPU time for the simulation alone.
"""

import contextlib
import csv
import json
import os
import sys
import time

from simso.configuration import Configuration
from simso.core import Model


def main():
    path, milliseconds, cpus = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    configuration = Configuration()
    configuration.duration = milliseconds * configuration.cycles_per_ms
    with open(path, newline="") as file:
        for number, row in enumerate(csv.DictReader(file), 1):
            period = int(row["period_us"]) / 1000
            configuration.add_task(
                name=row["name"],
                identifier=number,
                period=period,
                activation_date=0,
                wcet=int(row["wcet_us"]) / 1000,
                deadline=period,
            )
    for number in range(1, cpus + 1):
        configuration.add_processor(name=f"CPU {number}", identifier=number)
    # One CPU: SimSo's uniprocessor EDF. Several: its global EDF.
    configuration.scheduler_info.clas = (
        "simso.schedulers.EDF_mono" if cpus == 1 else "simso.schedulers.EDF"
    )
    configuration.check_all()
    model = Model(configuration)
    # SimSo's global EDF prints every decision; that is not what is measured here.
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
        started = time.process_time()
        model.run_model()
        seconds = time.process_time() - started
    jobs = sum(len(task.jobs) for task in model.task_list)
    print(json.dumps({"jobs": jobs, "cpu_seconds": seconds}))


if __name__ == "__main__":
    main()
