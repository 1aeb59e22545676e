// Draws a view on a canvas: a row a CPU, a row a task, a row a server, a row a queue, a row a reservation,
// and what is around them.
//
// Only what can be seen is drawn. Slices that would share a pixel are drawn as one, the fainter the
// less of it they fill, so that the cost of a picture depends on its width rather than on the number
// of slices.

class Painter extends Frame {
  draw(view, from, to, scroll, selected) {
    const { pen, theme, width, height, gutter } = this;
    Object.assign(this, { view, from, to, scroll, perUnit: this.room / (to - from) });
    pen.fillStyle = theme.card;
    pen.fillRect(0, 0, width, height);
    const { rows } = view;
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
        const [kind, number] = view.lane(row);
        this.label(view.name(kind, number), y, kind === "cpu");
        this.clipped(gutter, y, width - gutter, this.row, () => this[kind](number, y, selected));
      }
    });
    this.clipped(gutter, AXIS, width - gutter, bottom - AXIS, () => this.moves());
    pen.fillStyle = theme.line;
    pen.fillRect(gutter - 1, 0, 1, bottom);
    this.overview(bottom);
    if (this.flag) this.clipped(gutter, 0, width - gutter, height, () => this.flagged(bottom));
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

  cpu(number, y) {
    const { pen, theme, view, patterns } = this;
    const { slices, who, kernel, slower } = view.cpus[number];
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
        // A job from another CPU has wedges where its slice begins.
        const indent = view.hasMoved(number, slices.start[i]) ? 16 : 4;
        pen.fillStyle = theme.label(colour, cover);
        pen.fillText(this.fitting(view.data.tasks[who[i] >> 1], width - indent - 4), x + indent, top + height / 2 + 0.5);
      }
    });
    // At a lower frequency a slice is lower: the rest of its height is faint.
    const frequencies = slower.more[0];
    pen.fillStyle = theme.card;
    pen.globalAlpha = 0.75;
    this.each(slower, (i) => frequencies[i], (x, width, _, i) =>
      pen.fillRect(x, top, width, height * (1 - frequencies[i] / 1000)));
    pen.globalAlpha = 1;
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

  // What is left of a budget: a surface as high as that. Where several parts share a pixel, how much is
  // left changes too often to be seen.
  server(number, y) {
    const { pen, theme } = this;
    const parts = this.view.servers[number];
    const [from, to] = parts.more;
    const bottom = y + this.row - 4, height = this.row - 9;
    pen.fillStyle = theme.budget;
    this.each(parts, (i) => i, (x, width, _, i) => {
      const [a, b] = [this.x(parts.start[i]), this.x(parts.end[i])];
      if (b - a < 1) {
        pen.globalAlpha = 0.4;
        pen.fillRect(x, bottom - height, width, height);
        pen.globalAlpha = 1;
        return;
      }
      pen.beginPath();
      pen.moveTo(a, bottom);
      pen.lineTo(a, bottom - height * from[i] / 1000);
      pen.lineTo(b, bottom - height * to[i] / 1000);
      pen.lineTo(b, bottom);
      pen.fill();
    });
    pen.fillStyle = theme.line;
    pen.fillRect(this.gutter, bottom, this.width - this.gutter, 1);
  }

  // How many messages a queue holds, as a surface, and where it overran or ran empty. Levels that share a
  // pixel are drawn as high as the highest of them.
  queue(number, y) {
    const { pen, theme } = this;
    const { levels, glitches } = this.view.queues[number];
    const { full } = this.view.data.queues[number];
    const bottom = y + this.row - 4, height = this.row - 9;
    const { start, end, count } = levels, messages = levels.more[0];
    pen.fillStyle = theme.budget;
    let left = NaN, right = NaN, most = 0;
    const flush = () => pen.fillRect(left, bottom - height * most / full, right - left, height * most / full);
    for (let i = lowerBound(end, this.from); i < count && start[i] < this.to; i++) {
      const a = Math.max(this.x(start[i]), this.gutter - 2), b = Math.min(this.x(end[i]), this.width + 2);
      if (b - left < 1) {
        [right, most] = [b, Math.max(most, messages[i])];
        continue;
      }
      if (right > left) flush();
      [left, right, most] = [a, b, messages[i]];
    }
    if (right > left) flush();
    pen.fillStyle = theme.late;
    this.each(glitches, () => 0, (x) => pen.fillRect(x - 0.75, y + 2, 1.5, this.row - 4));
    pen.fillStyle = theme.line;
    pen.fillRect(this.gutter, bottom, this.width - this.gutter, 1);
  }

  // What a task is entitled to: its share as a thick line over a faint surface, the full height being a CPU, and
  // the period as a thin line, the full height being the longest. Where a share was reduced there is a wedge.
  reservation(number, y) {
    const { pen, theme } = this;
    const { parts, reductions } = this.view.reservations[number];
    const { full } = this.view.data.reservations[number];
    const bottom = y + this.row - 4, height = this.row - 9;
    pen.fillStyle = theme.line;
    pen.fillRect(this.gutter, bottom, this.width - this.gutter, 1);
    pen.lineWidth = 1;
    pen.strokeStyle = theme.hold;
    this.steps(parts, (i) => bottom - height * parts.more[1][i] / full);
    pen.lineWidth = 2;
    pen.strokeStyle = theme.budget;
    pen.fillStyle = theme.budget;
    this.steps(parts, (i) => bottom - height * Math.min(parts.more[0][i] / 1000, 1), bottom);
    pen.fillStyle = theme.blocked;
    this.each(reductions, () => 0, (x) => {
      pen.beginPath();
      pen.moveTo(x - 4, y + 1);
      pen.lineTo(x + 4, y + 1);
      pen.lineTo(x, y + 7);
      pen.fill();
    });
  }

  // A line at the height of each entry that can be seen, over a faint surface if that has a `bottom`. What stays
  // within what is drawn of a pixel is left out.
  steps({ start, end, count }, height, bottom) {
    const { pen } = this;
    let column = NaN, least = 0, most = 0, first = NaN, last = NaN;
    pen.beginPath();
    for (let i = lowerBound(end, this.from); i < count && start[i] < this.to; i++) {
      const a = Math.max(this.x(start[i]), this.gutter - 2), b = Math.min(this.x(end[i]), this.width + 2);
      const y = height(i), isSame = Math.floor(a) === column;
      if (isSame && Math.floor(b) === column && least <= y && y <= most) continue;
      [least, most] = isSame ? [Math.min(least, y), Math.max(most, y)] : [y, y];
      column = Math.floor(a);
      pen.lineTo(a, y);
      pen.lineTo(b, y);
      [first, last] = [isNaN(first) ? a : first, b];
    }
    pen.stroke();
    if (bottom === undefined) return;
    pen.lineTo(last, bottom);
    pen.lineTo(first, bottom);
    pen.globalAlpha = 0.2;
    pen.fill();
    pen.globalAlpha = 1;
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
}
