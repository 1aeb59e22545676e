// What is around the rows of a chart: where they and times are, axis, names, and an overview below.

const AXIS = 30, OVERVIEW = 26;
// Rows with room for their marks above a bar; with many rows there is less of it.
const ROOMY = { row: 36, barTop: 16, bar: 14 }, TIGHT = { row: 27, barTop: 12, bar: 11 }, MANY = 20;
const PAD = 9;                          // so that marks at the very start and end can be seen

class Frame {
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
