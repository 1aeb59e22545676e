// The data of a chart, unpacked into arrays that are quick to search and to draw. See data.rs for
// how it is packed.

const RELEASE = 0, DEADLINE = 1, COMPLETE = 2, MISS = 3, ABORT = 4, SKIP = 5;
// The rows of a chart from top to bottom: what each shows, and the list of a view that has it.
const LANES = { cpu: "cpus", task: "tasks", server: "servers", queue: "queues", reservation: "reservations" };
const SAME = { scale: 1, shift: 0 };

const LETTERS = new Uint8Array(128);
[..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"].forEach((letter, digit) => {
  LETTERS[letter.charCodeAt(0)] = digit;
});

// The numbers of a text: digits of base 32, the least first; below 32 is the last one of a number.
// The sign is the lowest bit.
function decode(text) {
  const numbers = [];
  let number = 0, place = 1;
  for (let i = 0; i < text.length; i++) {
    const digit = LETTERS[text.charCodeAt(i)];
    number += (digit % 32) * place;
    place *= 32;
    if (digit < 32) {
      numbers.push(number % 2 ? -(number - 1) / 2 : number / 2);
      [number, place] = [0, 1];
    }
  }
  return numbers;
}

// Unpacks entries of a gap, a length and some more numbers: { start, end, more: [[…], …] }. Times are
// made `scale` times as large, and counted from `shift` on.
function unpack(text, extra, { scale, shift } = SAME) {
  const numbers = decode(text);
  const width = 2 + extra;
  const count = numbers.length / width;
  const lane = {
    count,
    start: new Float64Array(count),
    end: new Float64Array(count),
    more: Array.from({ length: extra }, () => new Float64Array(count)),
  };
  let now = 0;
  for (let i = 0; i < count; i++) {
    const at = i * width;
    lane.start[i] = shift + (now += numbers[at]) * scale;
    lane.end[i] = shift + (now += numbers[at + 1]) * scale;
    for (let e = 0; e < extra; e++) lane.more[e][i] = numbers[at + 2 + e];
  }
  return lane;
}

// Makes the numbers of jobs from their distances to the task's job before.
function addUp(jobs, task = () => 0) {
  const last = [];
  for (let i = 0; i < jobs.length; i++) {
    last[task(i)] = jobs[i] += last[task(i)] ?? 0;
  }
  return jobs;
}

// The first index whose value in a rising array is not below `value`.
function lowerBound(array, value) {
  let low = 0, high = array.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (array[middle] < value) low = middle + 1; else high = middle;
  }
  return low;
}

// The first index whose value in a rising array is above `value`.
function upperBound(array, value) {
  let i = lowerBound(array, value);
  while (i < array.length && array[i] === value) i++;
  return i;
}

// The index of the entry of a lane that covers `time`, or -1.
function entryAt(lane, time) {
  const i = upperBound(lane.end, time);
  return i < lane.count && lane.start[i] <= time ? i : -1;
}

// A view counts from `start` in `unit`s of nanoseconds. Within a `frame`, which has both of its own and
// may be shorter, it counts as that does.
class View {
  constructor(data, packed, frame = packed) {
    this.data = data;
    this.start = BigInt(frame.start);
    this.unit = BigInt(frame.unit);
    this.length = Math.max(frame.length, 1);
    const scale = Number(BigInt(packed.unit) / this.unit);
    const shift = Number((BigInt(packed.start) - this.start) / this.unit);
    const place = { scale, shift };
    this.initial = packed.initial.map((time) => shift + time * scale);
    this.cpus = packed.cpus.map(({ slices, kernel, slower }) => {
      const lane = unpack(slices, 2, place), [who, jobs] = lane.more;
      const job = addUp(jobs, (i) => who[i] >> 1);
      return { slices: lane, who, job, kernel: unpack(kernel, 1, place), slower: unpack(slower, 1, place) };
    });
    this.tasks = packed.tasks.map((task) => ({
      marks: unpackMarks(task.marks, place), waits: unpack(task.waits, 2, place),
      holds: unpack(task.holds, 1, place),
    }));
    this.servers = packed.servers.map((parts) => unpack(parts, 2, place));
    this.queues = packed.queues.map(({ levels, glitches }) => ({
      levels: unpack(levels, 1, place), glitches: unpack(glitches, 2, place),
    }));
    this.reservations = packed.reservations.map(({ parts, reductions }) => ({
      parts: unpack(parts, 2, place), reductions: unpack(reductions, 0, place),
    }));
    this.rows = Object.values(LANES).reduce((sum, lanes) => sum + this[lanes].length, 0);
    this.tasks.forEach(({ waits }) => addUp(waits.more[1]));
    this.spreadSlices();
    this.findMoves();
    this.misses = this.tasks.flatMap(({ marks }, task) =>
      marks.list(MISS).map((i) => ({ time: marks.time[i], job: marks.job[i], task })))
      .concat(this.glitches())
      .filter(({ time }) => 0 <= time && time <= this.length);
    this.misses.sort((a, b) => a.time - b.time);
  }

  // Over- and underruns, as misses of the row that the queue has behind those of tasks.
  glitches() {
    const first = this.tasks.length + this.servers.length;
    return this.queues.flatMap(({ glitches }, queue) =>
      Array.from(glitches.start, (time, i) => ({ time, job: glitches.more[1][i], task: first + queue })));
  }

  // What a row shows, and the number of that; undefined behind the last one.
  lane(row) {
    for (const [kind, lanes] of Object.entries(LANES)) {
      if (row < this[lanes].length) return [kind, row];
      row -= this[lanes].length;
    }
  }

  // What a row is called.
  name(kind, number) {
    if (kind === "cpu") return `CPU ${number}`;
    if (kind === "task") return this.data.tasks[number];
    return `${kind === "reservation" ? "share of" : kind} ${this.data[LANES[kind]][number].name}`;
  }

  // The instant `time` in nanoseconds since the start of the simulation.
  absolute(time) {
    return this.start + BigInt(Math.round(time)) * this.unit;
  }

  // A length of time in nanoseconds, as a double.
  nanos(length) {
    return length * Number(this.unit);
  }

  // Gives each task its slices on all CPUs, in order.
  spreadSlices() {
    const runs = this.tasks.map(() => []);
    this.cpus.forEach(({ slices, who, job }, cpu) => {
      for (let i = 0; i < slices.count; i++) {
        const task = who[i] >> 1;
        runs[task]?.push({ start: slices.start[i], end: slices.end[i], late: who[i] & 1, job: job[i], cpu });
      }
    });
    runs.forEach((list, task) => {
      if (this.cpus.length > 1) list.sort((a, b) => a.start - b.start);
      this.tasks[task].runs = {
        count: list.length,
        start: Float64Array.from(list, (run) => run.start),
        end: Float64Array.from(list, (run) => run.end),
        late: Uint8Array.from(list, (run) => run.late),
        job: Float64Array.from(list, (run) => run.job),
        cpu: Uint8Array.from(list, (run) => run.cpu),
      };
    });
  }

  // Where jobs go on on another CPU than before, in order.
  findMoves() {
    this.moves = [];
    this.tasks.forEach(({ runs }, task) => {
      for (let i = 1; i < runs.count; i++) {
        if (runs.job[i] !== runs.job[i - 1] || runs.cpu[i] === runs.cpu[i - 1]) continue;
        this.moves.push({ task, left: runs.end[i - 1], time: runs.start[i], from: runs.cpu[i - 1], to: runs.cpu[i] });
      }
    });
    this.moves.sort((a, b) => a.time - b.time);
    this.moveTimes = Float64Array.from(this.moves, (move) => move.time);
  }

  // Whether a job that ran on another CPU before goes on on this one at `time`.
  hasMoved(cpu, time) {
    for (let i = lowerBound(this.moveTimes, time); this.moveTimes[i] === time; i++) {
      if (this.moves[i].to === cpu) return true;
    }
    return false;
  }

  // What is known of a job: when it was released, is due, and was completed.
  job(task, job) {
    const { marks } = this.tasks[task];
    this.jobs ??= new Map();
    let jobs = this.jobs.get(task);
    if (!jobs) {
      jobs = new Map();
      for (let i = 0; i < marks.count; i++) {
        const known = jobs.get(marks.job[i]) ?? {};
        known[marks.what[i]] ??= marks.time[i];
        jobs.set(marks.job[i], known);
      }
      this.jobs.set(task, jobs);
    }
    return jobs.get(job) ?? {};
  }
}

function unpackMarks(text, { scale, shift }) {
  const numbers = decode(text);
  const count = numbers.length / 3;
  const marks = {
    count, time: new Float64Array(count), what: new Uint8Array(count), job: new Float64Array(count),
    list(what) {
      const found = [];
      for (let i = 0; i < count; i++) if (marks.what[i] === what) found.push(i);
      return found;
    },
  };
  let now = 0;
  for (let i = 0; i < count; i++) {
    marks.time[i] = shift + (now += numbers[i * 3]) * scale;
    marks.what[i] = numbers[i * 3 + 1];
    marks.job[i] = numbers[i * 3 + 2];
  }
  addUp(marks.job);
  return marks;
}
