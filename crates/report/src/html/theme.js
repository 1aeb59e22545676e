// The page's colours and fonts, as a canvas needs them.

const COLOURS = 20;

class Theme {
  constructor() {
    const style = getComputedStyle(document.documentElement);
    const read = (name) => style.getPropertyValue("--" + name).trim();
    for (const name of ["card", "ink", "soft", "faint", "line", "stripe", "late", "ready", "blocked",
      "hold", "kernel", "focus", "budget"]) this[name] = read(name);
    this.tasks = Array.from({ length: COLOURS }, (_, i) => read("t" + i));
    const family = getComputedStyle(document.body).fontFamily;
    this.font = `12px ${family}`;
    this.small = `11px ${family}`;
  }

  // Black or white, whichever contrasts more with a task's colour that covers so much of the card.
  label(task, share) {
    const [over, under] = [channels(this.tasks[task]), channels(this.card)];
    const light = [0.2126, 0.7152, 0.0722].reduce((sum, weight, i) =>
      sum + weight * linear(over[i] * share + under[i] * (1 - share)), 0);
    return light > 0.179 ? "#000000" : "#ffffff";
  }
}

// Of #rrggbb: three numbers from 0 to 1.
function channels(colour) {
  return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255);
}

function linear(channel) {
  return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
}

// Diagonal lines of a colour.
function hatching(context, colour) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 6;
  const pen = tile.getContext("2d");
  pen.strokeStyle = colour;
  pen.lineWidth = 1.6;
  pen.beginPath();
  for (const shift of [-6, 0, 6]) { pen.moveTo(shift - 1, 7); pen.lineTo(shift + 7, -1); }
  pen.stroke();
  return context.createPattern(tile, "repeat");
}
