// Draws a view on a canvas: axis, a row a CPU, a row a task, and an overview below.
//
// Only what can be seen is drawn. Slices that would share a pixel are drawn as one, the fainter the
// less of it they fill, so that the cost of a picture depends on its width rather than on the number
// of slices.

const AXIS = 30, OVERVIEW = 26;
// Rows with room for their marks above a bar; with many rows there is less of it.
const ROOMY = { row: 36, barTop: 16, bar: 14 }, TIGHT = { row: 27, barTop: 12, bar: 11 }, MANY = 20;
const PAD = 9;                          // so that marks at the very start and end can be seen

class Painter {
  constructor(canvas) {
    this.canvas = canvas;
    this.pen = canvas.getContext("2d");
    this.widths = new Map();
    this.restyle();
  }

  restyle() {
    this.theme = new Theme();
    this.patterns = {
      kernel: hatching(this.pen, this.theme.kernel), blocked: hatching(this.pen, this.theme.blocked),
    };
    this.widths.clear();
  }

  // The height of so many rows.
  arrange(rows) {
    Object.assign(this, rows > MANY ? TIGHT : ROOMY);
    return rows * this.row;
  }

  resize(width, height) {
    const scale = window.devicePixelRatio || 1;
    this.width = width;
    this.height = height;
    this.gutter = Math.round(Math.min(190, Math.max(84, width * 0.2)));
    this.left = this.gutter + PAD;
    this.room = Math.max(1, width - PAD - this.left);
    this.canvas.width = Math.round(width * scale);
    this.canvas.height = Math.round(height * scale);
    this.canvas.style.width = width + "px";
    this.canvas.style.height = height + "px";
    this.pen.setTransform(scale, 0, 0, scale, 0, 0);
  }

  x(time) { return this.left + (time - this.from) * this.perUnit; }
  time(x) { return this.from + (x - this.left) / this.perUnit; }

  draw(view, from, to, scroll, selected) {
    const { pen, theme, width, height, gutter } = this;
    Object.assign(this, { view, from, to, scroll, perUnit: this.room / (to - from) });
    pen.fillStyle = theme.card;
    pen.fillRect(0, 0, width, height);
    const rows = view.cpus.length + view.tasks.length;
    const bottom = height - OVERVIEW;
    this.clipped(0, AXIS, width, bottom - AXIS, () => {
      for (let row = Math.floor(scroll / this.row); row < rows; row++) {
        const y = AXIS + row * this.row - scroll;
        if (y >= bottom) break;
        if (row % 2 === 0) { pen.fillStyle = theme.stripe; pen.fillRect(0, y, width, this.row); }
      }
    });
    this.axis(bottom);
    this.clipped(0, AXIS, width, bottom - AXIS, () => {
      for (let row = Math.floor(scroll / this.row); row < rows; row++) {
        const y = AXIS + row * this.row - scroll;
        if (y >= bottom) break;
        const cpu = row < view.cpus.length;
        this.label(cpu ? `CPU ${row}` : view.data.tasks[row - view.cpus.length], y, cpu);
        this.clipped(gutter, y, width - gutter, this.row, () => {
          if (cpu) this.cpu(view.cpus[row], y); else this.task(row - view.cpus.length, y, selected);
        });
      }
    });
    this.clipped(gutter, AXIS, width - gutter, bottom - AXIS, () => this.moves());
    pen.fillStyle = theme.line;
    pen.fillRect(gutter - 1, 0, 1, bottom);
    this.overview(bottom);
    if (this.flag) this.clipped(gutter, 0, width - gutter, height, () => this.flagged(bottom));
  }

  // A dashed line through all rows where `flag` is, its name above, and a tick in the overview.
  flagged(bottom) {
    const { pen, theme, view, flag, left, room } = this;
    const x = Math.round(this.x(flag.time)) + 0.5, small = left + flag.time / view.length * room;
    pen.strokeStyle = pen.fillStyle = theme.focus;
    pen.lineWidth = 2;
    pen.setLineDash([5, 3]);
    pen.beginPath();
    pen.moveTo(x, 4);
    pen.lineTo(x, bottom);
    pen.stroke();
    pen.setLineDash([]);
    pen.beginPath();
    pen.moveTo(small, bottom);
    pen.lineTo(small, bottom + OVERVIEW);
    pen.stroke();
    pen.font = `600 ${theme.small}`;
    pen.textBaseline = "middle";
    const { width } = pen.measureText(flag.text);
    const begin = x + width + 14 < this.width ? x + 1 : x - width - 9;
    pen.fillRect(begin, 1, width + 8, 16);
    pen.fillStyle = theme.card;
    pen.textAlign = "left";
    pen.fillText(flag.text, begin + 4, 9.5);
  }

  clipped(x, y, width, height, draw) {
    this.pen.save();
    this.pen.beginPath();
    this.pen.rect(x, y, width, height);
    this.pen.clip();
    draw();
    this.pen.restore();
  }

  // Round times, all in the unit that fits the last of them, as many as there is room for.
  axis(bottom) {
    const { pen, theme, view, from, to, width, gutter, room: plot } = this;
    const first = view.absolute(Math.floor(from));
    const last = view.absolute(Math.ceil(to));
    const unit = unitFor(last);
    const nanos = view.nanos(to - from);
    pen.font = theme.small;
    const tries = [70, 90, 120, 160, 220];
    let step = 1n;
    for (const room of tries) {
      step = roundStep(nanos * room / plot);
      const label = formatTime((last / step) * step, unit);
      if (pen.measureText(label).width + 18 <= Number(step) / nanos * plot) break;
    }
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    for (let time = ((first + step - 1n) / step) * step; time <= last; time += step) {
      const x = Math.round(this.x(Number(time - view.start) / Number(view.unit)));
      if (x < gutter || x > width) continue;
      pen.fillStyle = theme.line;
      pen.fillRect(x, AXIS - 8, 1, bottom - AXIS + 8);
      const text = formatTime(time, unit);
      pen.fillStyle = theme.soft;
      if (x + pen.measureText(text).width + 6 < width) pen.fillText(text, x + 4, AXIS / 2 - 1);
    }
    pen.fillStyle = theme.line;
    pen.fillRect(0, AXIS - 1, width, 1);
  }

  label(text, y, strong) {
    const { pen, theme, gutter } = this;
    pen.font = strong ? `600 ${theme.font}` : theme.font;
    pen.fillStyle = theme.ink;
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    pen.fillText(this.fitting(text, gutter - 18), 8, y + (strong ? this.row / 2 : this.barTop + this.bar / 2));
  }

  // The text, cut with an ellipsis where it is too wide.
  fitting(text, room) {
    const key = `${this.pen.font}|${Math.floor(room)}|${text}`;
    let fit = this.widths.get(key);
    if (fit === undefined) {
      fit = text;
      for (let end = text.length; end > 0 && this.pen.measureText(fit).width > room; end--) {
        fit = text.slice(0, end - 1).trimEnd() + "…";
      }
      if (this.widths.size > 5000) this.widths.clear();
      this.widths.set(key, fit);
    }
    return fit;
  }

  // Calls `paint(x, width, share, index)` for the entries that can be seen; those within half a pixel
  // of each other and of the same `kind` together.
  each(lane, kind, paint) {
    const { start, end, count } = lane;
    const stop = this.to;
    let left = NaN, right = NaN, filled = 0, first = -1;
    const flush = () => {
      if (first >= 0) paint(left, Math.max(right - left, 0.8), Math.min(1, filled / Math.max(right - left, 0.8)), first);
    };
    for (let i = lowerBound(end, this.from); i < count && start[i] < stop; i++) {
      const a = Math.max(this.x(start[i]), this.gutter - 2);
      const b = Math.min(this.x(end[i]), this.width + 2);
      if (first >= 0 && a - right < 0.5 && (kind(i) === kind(first) || b - left < 1)) {
        right = Math.max(right, b);
        filled += b - a;
      } else {
        flush();
        [left, right, filled, first] = [a, b, b - a, i];
      }
    }
    flush();
  }

  cpu({ slices, who, kernel }, y) {
    const { pen, theme, view, patterns } = this;
    const top = y + 6, height = this.row - 12;
    pen.font = theme.small;
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    this.each(slices, (i) => who[i] >> 1, (x, width, share, i) => {
      const colour = (who[i] >> 1) % COLOURS, cover = 0.35 + 0.65 * share;
      pen.globalAlpha = cover;
      pen.fillStyle = theme.tasks[colour];
      pen.fillRect(x, top, width, height);
      pen.globalAlpha = 1;
      // Neighbours of like colours stay apart.
      if (width > 3) {
        pen.fillStyle = theme.card;
        pen.fillRect(x + width - 0.75, top, 0.75, height);
      }
      if (width > 34) {
        pen.fillStyle = theme.label(colour, cover);
        pen.fillText(this.fitting(view.data.tasks[who[i] >> 1], width - 8), x + 4, top + height / 2 + 0.5);
      }
    });
    const causes = kernel.more[0];
    this.each(kernel, (i) => causes[i], (x, width, _, i) => {
      // Refilling caches is part of the job: only along its edge.
      const cache = view.data.causes[causes[i]] === "cache";
      pen.fillStyle = patterns.kernel;
      pen.fillRect(x, cache ? top + height - 6 : top, width, cache ? 6 : height);
    });
  }

  task(number, y, selected) {
    const { pen, theme, patterns } = this;
    const { runs, waits, holds, marks } = this.view.tasks[number];
    const top = y + this.barTop, middle = top + this.bar / 2;
    const on = waits.more[0];
    this.each(waits, (i) => on[i], (x, width, _, i) => {
      pen.fillStyle = on[i] === 0 ? theme.ready : patterns.blocked;
      if (on[i] === 0) pen.fillRect(x, middle - 1, width, 2);
      else pen.fillRect(x, middle - 5, width, 10);
    });
    this.each(runs, (i) => runs.late[i], (x, width, share, i) => {
      pen.globalAlpha = 0.35 + 0.65 * share;
      pen.fillStyle = runs.late[i] ? theme.late : theme.tasks[number % COLOURS];
      pen.fillRect(x, top, width, this.bar);
      pen.globalAlpha = 1;
    });
    pen.fillStyle = theme.hold;
    this.each(holds, () => 0, (x, width) => pen.fillRect(x, top + this.bar + 1, width, 2.5));
    this.marks(marks, number, y, selected);
  }

  // A job that goes on on another CPU: a line from where it left the one to where it begins on the
  // other, and two wedges there, on the CPU's row and on the task's. Without room for them only lines.
  moves() {
    const { pen, theme, view, row } = this;
    const { moves, moveTimes } = view;
    const begin = lowerBound(moveTimes, this.from), end = lowerBound(moveTimes, this.to + 1);
    const roomy = this.room / Math.max(1, end - begin) > 10;
    const at = (row) => AXIS + row * this.row - this.scroll;
    let last = -Infinity;
    pen.strokeStyle = pen.fillStyle = theme.ink;
    pen.lineWidth = 1;
    for (let i = begin; i < end; i++) {
      const { task, left, time, from, to } = moves[i];
      const x = this.x(time);
      if (!roomy && x - last < 3) continue;
      last = x;
      pen.globalAlpha = roomy ? 0.8 : 0.3;
      pen.beginPath();
      pen.moveTo(this.x(left), at(from) + row / 2);
      pen.lineTo(x, at(to) + row / 2);
      pen.stroke();
      if (!roomy) continue;
      pen.globalAlpha = 1;
      this.wedges(x, at(to) + row / 2);
      this.wedges(x, at(view.cpus.length + task) + this.barTop + this.bar / 2);
    }
    pen.globalAlpha = 1;
  }

  // Two wedges to the right, behind `x`, with a light edge so that they are seen on any colour.
  wedges(x, y) {
    const { pen, theme } = this;
    pen.beginPath();
    for (const shift of [0, 6]) {
      pen.moveTo(x + shift, y - 4);
      pen.lineTo(x + shift + 5, y);
      pen.lineTo(x + shift, y + 4);
      pen.closePath();
    }
    pen.lineWidth = 2.5;
    pen.strokeStyle = theme.card;
    pen.stroke();
    pen.fill();
    pen.lineWidth = 1;
    pen.strokeStyle = theme.ink;
  }

  marks({ time, what, count }, number, y, selected) {
    const { pen, theme } = this;
    const top = y + 2, bottom = y + this.barTop - 1;
    const begin = lowerBound(time, this.from - 12 / this.perUnit);
    const end = lowerBound(time, this.to + 12 / this.perUnit);
    const arrows = this.room / Math.max(1, end - begin) > 6;
    let last = -Infinity;
    pen.strokeStyle = theme.ink;
    pen.lineWidth = 1.2;
    pen.globalAlpha = arrows ? 1 : 0.3;
    pen.beginPath();
    for (let i = begin; i < end; i++) {
      const x = this.x(time[i]);
      if (what[i] !== RELEASE && what[i] !== DEADLINE) continue;
      if (!arrows && x - last < 2) continue;
      last = x;
      pen.moveTo(x, top);
      pen.lineTo(x, arrows && what[i] === RELEASE ? top + this.barTop + this.bar - 2 : bottom);
      if (!arrows) continue;
      const [tip, back] = what[i] === RELEASE ? [top, top + 4] : [bottom, bottom - 4];
      pen.moveTo(x - 3, back);
      pen.lineTo(x, tip);
      pen.lineTo(x + 3, back);
    }
    pen.stroke();
    pen.globalAlpha = 1;
    for (let i = begin; i < end && i < count; i++) {
      if (what[i] >= MISS) this.trouble(what[i], this.x(time[i]), y);
    }
    if (selected?.task === number) {
      pen.strokeStyle = theme.late;
      pen.lineWidth = 2;
      pen.beginPath();
      pen.arc(this.x(selected.time), y + this.row / 2 + 1, this.row / 2 - 3, 0, 7);
      pen.stroke();
    }
  }

  // A miss is a red wedge and a line through the row; a job given up a cross; one left out a ring.
  trouble(what, x, y) {
    const { pen, theme } = this;
    pen.fillStyle = pen.strokeStyle = theme.late;
    pen.lineWidth = 2;
    pen.beginPath();
    if (what === MISS) {
      pen.moveTo(x - 6, y + 1);
      pen.lineTo(x + 6, y + 1);
      pen.lineTo(x, y + this.barTop - 3);
      pen.fill();
      pen.fillRect(x - 1, y + 8, 2, this.barTop + this.bar - 6);
    } else if (what === ABORT) {
      const middle = y + this.barTop + this.bar / 2;
      pen.moveTo(x - 4, middle - 4);
      pen.lineTo(x + 4, middle + 4);
      pen.moveTo(x + 4, middle - 4);
      pen.lineTo(x - 4, middle + 4);
      pen.stroke();
    } else {
      pen.arc(x, y + 8, 4, 0, 7);
      pen.stroke();
    }
  }

  // The whole view: how busy the CPUs are, the misses, and what is shown above.
  overview(y) {
    const { pen, theme, view, width, gutter } = this;
    const { left, room } = this;
    const at = (time) => left + time / view.length * room;
    pen.fillStyle = theme.card;
    pen.fillRect(0, y, width, OVERVIEW);
    pen.fillStyle = theme.line;
    pen.fillRect(0, y, width, 1);
    const busy = this.busyness(view, Math.max(1, Math.floor(room / 2)));
    pen.fillStyle = theme.faint;
    busy.forEach((share, i) => {
      const height = share * (OVERVIEW - 12);
      pen.fillRect(left + i * room / busy.length, y + OVERVIEW - 2 - height, room / busy.length, height);
    });
    pen.fillStyle = theme.late;
    let last = -Infinity;
    for (const miss of view.misses) {
      const x = at(miss.time);
      if (x - last >= 1) { pen.fillRect(x - 1, y + 1, 2, 8); last = x; }
    }
    pen.strokeStyle = theme.focus;
    pen.lineWidth = 2;
    const [from, to] = [at(this.from), at(this.to)];
    pen.strokeRect(from, y + 2, Math.max(to - from, 2), OVERVIEW - 4);
    pen.font = theme.small;
    pen.fillStyle = theme.soft;
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    pen.fillText(this.fitting("whole view", gutter - 18), 8, y + OVERVIEW / 2 + 1);
  }

  // The share of each of so many parts of a view in which CPUs worked for tasks.
  busyness(view, parts) {
    if (view.busy?.length === parts) return view.busy;
    const busy = new Float64Array(parts);
    const width = view.length / parts;
    for (const { slices: { start, end, count } } of view.cpus) {
      for (let i = 0; i < count; i++) {
        for (let part = Math.max(0, Math.floor(start[i] / width)); part < parts && part * width < end[i]; part++) {
          const overlap = Math.min(end[i], (part + 1) * width) - Math.max(start[i], part * width);
          busy[part] += Math.max(overlap, 0) / width / view.cpus.length;
        }
      }
    }
    return (view.busy = busy);
  }
}
