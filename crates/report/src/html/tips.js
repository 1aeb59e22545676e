// What is under the pointer, in words.

class Tip {
  constructor(painter, view) {
    this.painter = painter;
    this.view = view;
    this.data = view.data;
  }

  describe(x, y) {
    const { painter, view, data } = this;
    if (x < painter.gutter || y < AXIS || y > painter.height - OVERVIEW) return null;
    const time = painter.time(x);
    const row = Math.floor((y - AXIS + painter.scroll) / painter.row);
    const [kind, number] = view.lane(row) ?? [];
    switch (kind) {
      case "cpu": return this.describeCpu(view.cpus[number], time);
      case "server": return this.describeServer(number, time);
      case "queue": return this.describeQueue(number, time, x);
      case "reservation": return this.describeReservation(number, time, x);
      case undefined: return null;
    }
    const task = view.tasks[number];
    const lines = [...this.describeMarks(task, x)];
    const [run, wait, hold] = [entryAt(task.runs, time), entryAt(task.waits, time), entryAt(task.holds, time)];
    const job = run >= 0 ? task.runs.job[run] : wait >= 0 ? task.waits.more[1][wait] : null;
    if (run >= 0) {
      const late = task.runs.late[run] ? " after its deadline" : "";
      lines.push(`runs${late} on CPU ${task.runs.cpu[run]}, ${this.span(task.runs, run)}`);
      const before = run - 1;
      if (before >= 0 && task.runs.job[before] === job && task.runs.cpu[before] !== task.runs.cpu[run]) {
        lines.push(`came from CPU ${task.runs.cpu[before]}`);
      }
    } else if (wait >= 0) {
      const on = task.waits.more[0][wait];
      lines.push(`${on ? "blocked on " + data.objects[on - 1] : "ready"}, ${this.span(task.waits, wait)}`);
    }
    if (hold >= 0) lines.push(`holds ${data.objects[task.holds.more[0][hold]]}, ${this.span(task.holds, hold)}`);
    if (lines.length === 0) return null;
    return [data.tasks[number], ...lines, ...(job === null ? [] : this.describeJob(number, job))].join("\n");
  }

  describeCpu({ slices, who, job, kernel, slower }, time) {
    const work = entryAt(kernel, time), slice = entryAt(slices, time);
    const lines = [];
    if (work >= 0) lines.push(`kernel: ${this.data.causes[kernel.more[0][work]]}, ${this.span(kernel, work)}`);
    const slow = entryAt(slower, time);
    if (slow >= 0) lines.push(`at ${slower.more[0][slow] / 10} % of the highest frequency`);
    if (slice < 0) return lines.join("\n") || null;
    const task = who[slice] >> 1;
    lines.push(this.data.tasks[task], `runs ${this.span(slices, slice)}`, ...this.describeJob(task, job[slice]));
    return lines.join("\n");
  }

  describeServer(number, time) {
    const parts = this.view.servers[number];
    const i = parts ? entryAt(parts, time) : -1;
    if (i < 0) return null;
    const { name, full } = this.data.servers[number];
    const [from, to] = parts.more.map((levels) => levels[i]);
    const level = from + (to - from) * (time - parts.start[i]) / (parts.end[i] - parts.start[i]);
    const left = (level) => formatLength(Math.round(full * level / 1000));
    const lines = [`server ${name}`, `${left(level)} of ${left(1000)} left`];
    lines.push(`${from === to ? "keeps" : "uses"} it ${this.span(parts, i)}`);
    return lines.join("\n");
  }

  describeQueue(number, time, x) {
    const { levels, glitches } = this.view.queues[number] ?? {};
    if (!levels) return null;
    const lines = [`queue ${this.data.queues[number].name}`];
    const glitch = this.near(glitches, x);
    if (glitch >= 0) {
      const [what, messages] = glitches.more.map((values) => values[glitch]);
      const at = formatTime(this.view.absolute(glitches.start[glitch]));
      lines.push(`${what ? "underrun" : "overrun"}: ${messages} ${what ? "missing" : "lost"} at ${at}`);
    }
    const i = entryAt(levels, time);
    if (i >= 0) lines.push(`${levels.more[0][i]} messages, ${this.span(levels, i)}`);
    return lines.length > 1 ? lines.join("\n") : null;
  }

  describeReservation(number, time, x) {
    const { parts, reductions } = this.view.reservations[number];
    const lines = [this.view.name("reservation", number)];
    const reduced = this.near(reductions, x);
    if (reduced >= 0) lines.push(`reduced at ${formatTime(this.view.absolute(reductions.start[reduced]))}: overload`);
    const i = entryAt(parts, time);
    if (i >= 0) {
      const [share, period] = parts.more.map((values) => values[i]);
      lines.push(`${share / 10} % in each ${formatLength(period)}`, this.span(parts, i));
    }
    return lines.length > 1 ? lines.join("\n") : null;
  }

  // The first entry of a lane of instants within a few pixels, or -1.
  near({ start, count }, x) {
    const near = 5 / this.painter.perUnit, time = this.painter.time(x);
    const i = lowerBound(start, time - near);
    return i < count && start[i] <= time + near ? i : -1;
  }

  // Marks within a few pixels.
  *describeMarks({ marks }, x) {
    const words = ["release", "deadline", "end", "miss", "given up", "left out"];
    const near = 5 / this.painter.perUnit, time = this.painter.time(x);
    const begin = lowerBound(marks.time, time - near);
    for (let i = begin; i < marks.count && i < begin + 6 && marks.time[i] <= time + near; i++) {
      yield `${words[marks.what[i]]} of job ${marks.job[i]}: ${formatTime(this.view.absolute(marks.time[i]))}`;
    }
  }

  describeJob(task, number) {
    const job = this.view.job(task, number);
    const at = (what) => formatTime(this.view.absolute(job[what]));
    const lines = [`job ${number}`];
    if (RELEASE in job) lines[0] += `, released ${at(RELEASE)}`;
    if (DEADLINE in job) lines[0] += `, deadline ${at(DEADLINE)}`;
    if (COMPLETE in job) lines.push(`completed ${at(COMPLETE)}`);
    if (RELEASE in job && COMPLETE in job) {
      lines[1] += `, response ${formatTime(this.view.absolute(job[COMPLETE]) - this.view.absolute(job[RELEASE]))}`;
    }
    return lines;
  }

  span(lane, i) {
    const [a, b] = [this.view.absolute(lane.start[i]), this.view.absolute(lane.end[i])];
    return `${formatTime(a)} to ${formatTime(b)} (${formatTime(b - a)})`;
  }
}
