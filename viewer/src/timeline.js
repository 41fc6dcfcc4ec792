// The timeline: time, labels of derivatives, limits, contacts; and plots that share its cursor.
import { locate } from "./data.js";

const LABELS = [
  { name: "exact", color: "#2fb170" },
  { name: "one-sided", color: "#e9a23b" },
  { name: "smoothed", color: "#3b82f6" },
  { name: "refused", color: "#e5484d" },
];
export const GRADIENTS = LABELS;
const NO_STEP = 255;
const LIMIT = "#8b5cf6";
/** Half the thumb of a slider: where its travel begins, and that of the strips below it. */
const INSET = 8;

/** Makes a canvas as sharp as the screen and gives its context. */
function sharp(canvas) {
  const ratio = Math.min(window.devicePixelRatio || 1, 2);
  const [w, h] = [canvas.clientWidth, canvas.clientHeight];
  if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio)) {
    canvas.width = Math.round(w * ratio);
    canvas.height = Math.round(h * ratio);
  }
  const c = canvas.getContext("2d");
  c.setTransform(ratio, 0, 0, ratio, 0, 0);
  c.clearRect(0, 0, w, h);
  return [c, w, h];
}

const css = (name) => getComputedStyle(document.body).getPropertyValue(name).trim();

/** Runs `move` with the share of the width while a pointer drags over an element. */
export function drags(element, move, inset = 0) {
  const at = (e) => {
    const box = element.getBoundingClientRect();
    move(Math.min(1, Math.max(0, (e.clientX - box.left - inset) / (box.width - 2 * inset || 1))));
  };
  element.addEventListener("pointerdown", (e) => {
    element.setPointerCapture(e.pointerId);
    at(e);
  });
  element.addEventListener("pointermove", (e) => {
    if (element.hasPointerCapture(e.pointerId)) at(e);
  });
}

/** Rows below the time of the first recording that is shown. */
export class Strips {
  constructor(canvas, seek) {
    this.canvas = canvas;
    // Thousands of frames are painted once; each picture adds the cursor.
    this.painted = document.createElement("canvas");
    drags(canvas, seek, INSET);
  }

  draw(robot, start, end, t) {
    const [c, w, h] = sharp(this.canvas);
    // Hidden, as on live pages.
    if (!w || !h) return;
    const { arrays: a, count } = robot.r;
    const { width, height } = this.canvas;
    const kept = [robot, start, end, width, height, css("--strip"), count, a.time[0], a.time[count - 1]];
    if (!this.kept?.every((value, i) => value === kept[i])) {
      this.kept = kept;
      Object.assign(this.painted, { width, height });
      const own = this.painted.getContext("2d");
      own.setTransform(c.getTransform());
      Strips.paint(own, w, h, robot, start, end);
    }
    c.drawImage(this.painted, 0, 0, w, h);
    c.fillStyle = css("--text");
    c.fillRect(INSET + ((t - start) / (end - start || 1)) * (w - 2 * INSET) - 1, 0, 2, h);
    this.canvas.title = Strips.words(robot);
  }

  static paint(c, w, h, robot, start, end) {
    const { arrays: a, count, joints } = robot.r;
    const x = (time) => INSET + ((time - start) / (end - start || 1)) * (w - 2 * INSET);
    const rows = [h / 3, (2 * h) / 3, h];
    const line = css("--line");
    c.fillStyle = css("--strip");
    c.fillRect(0, 0, w, h);
    const most = robot.mostContacts ?? (robot.mostContacts = Math.max(1, ...counts(a, count)));
    for (let f = 0; f < count; f++) {
      const left = x(a.time[f]);
      const right = f + 1 < count ? x(a.time[f + 1]) : w - INSET;
      const width = Math.max(right - left, 0.75) + 0.5;
      if (a.gradient[f] !== NO_STEP) {
        c.fillStyle = LABELS[a.gradient[f]]?.color ?? line;
        c.fillRect(left, 2, width, rows[0] - 4);
      }
      if (limited(a.limits, f, count, joints.length)) {
        c.fillStyle = LIMIT;
        c.fillRect(left, rows[0] + 1, width, rows[1] - rows[0] - 3);
      }
      const share = (a.contactStart[f + 1] - a.contactStart[f]) / most;
      if (share > 0) {
        c.fillStyle = css("--accent");
        c.globalAlpha = 0.25 + 0.6 * share;
        c.fillRect(left, rows[2] - share * (rows[2] - rows[1]), width, share * (rows[2] - rows[1]));
        c.globalAlpha = 1;
      }
    }
    c.strokeStyle = line;
    c.strokeRect(0.5, 0.5, w - 1, h - 1);
  }

  /** The text of the strips at a frame. */
  static words(robot) {
    const { arrays: a, count, joints } = robot.r;
    const f = robot.frame;
    const label = a.gradient[f] === NO_STEP ? "no step yet" : `derivative ${LABELS[a.gradient[f]]?.name ?? "unknown"}`;
    const at = joints.filter((_, j) => a.limits[j * count + f]).map((j) => j.name || "a joint");
    const contacts = a.contactStart[f + 1] - a.contactStart[f];
    const limits = at.length ? ` · at a limit: ${at.slice(0, 3).join(", ")}${at.length > 3 ? ` and ${at.length - 3} more` : ""}` : "";
    return `${label} · ${contacts} contact${contacts === 1 ? "" : "s"}${limits}`;
  }
}

function counts(a, count) {
  return Array.from({ length: count }, (_, f) => a.contactStart[f + 1] - a.contactStart[f]);
}

function limited(limits, frame, count, joints) {
  for (let j = 0; j < joints; j++) if (limits[j * count + frame]) return true;
  return false;
}

const COLORS = ["#3b82f6", "#e0904a", "#2fb170", "#e0459b", "#8f86b8", "#c9a94f", "#14b8c4", "#e5484d"];

/** Left and right of a plot's curves [CSS pixels]. */
const [LEFT, RIGHT] = [54, 8];

/** Curves of chosen scalars, on a canvas that scrubs. The wheel zooms the time; a double click shows all of it. */
export class Plot {
  constructor(canvas, legend, seek, changed) {
    this.canvas = canvas;
    this.legend = legend;
    /** The part of the run that is shown: shares of its time. */
    this.shown = [0, 1];
    const share = (x) => Math.min(1, Math.max(0, (x - LEFT) / (canvas.clientWidth - LEFT - RIGHT)));
    const time = (x) => this.shown[0] + share(x) * (this.shown[1] - this.shown[0]);
    drags(canvas, (part) => seek(time(part * canvas.clientWidth)));
    canvas.addEventListener("wheel", (e) => {
      e.preventDefault();
      const x = e.clientX - canvas.getBoundingClientRect().left;
      const width = Math.min(1, Math.max(1e-3, (this.shown[1] - this.shown[0]) * 2 ** (e.deltaY / 400)));
      const from = Math.min(1 - width, Math.max(0, time(x) - share(x) * width));
      this.shown = [from, from + width];
      changed();
    }, { passive: false });
    canvas.addEventListener("dblclick", () => {
      this.shown = [0, 1];
      changed();
    });
    this.curves = [];
  }

  /** curves: [{ name, unit, robot, value }] */
  set(curves) {
    this.curves = curves.map((curve, k) => ({ ...curve, color: COLORS[k % COLORS.length] }));
    this.legend.replaceChildren(
      ...this.curves.map((curve) => {
        const item = document.createElement("span");
        const dot = document.createElement("i");
        dot.style.background = curve.color;
        curve.label = document.createElement("b");
        item.append(dot, document.createTextNode(curve.name), curve.label, document.createTextNode(curve.unit));
        return item;
      }),
    );
  }

  draw(first, last, t) {
    if (!this.curves.length) return;
    const [c, w, h] = sharp(this.canvas);
    const [left, right, top, bottom] = [LEFT, w - RIGHT, 8, h - 18];
    const [start, end] = this.shown.map((share) => first + share * (last - first));
    const [low, high] = bounds(this.curves, start, end);
    const x = (time) => left + ((time - start) / (end - start || 1)) * (right - left);
    const place = (value, from, to) => bottom - ((value - from) / (to - from)) * (bottom - top);
    const y = (value) => place(value, low, high);
    c.font = "11px system-ui, sans-serif";
    c.fillStyle = css("--muted");
    c.strokeStyle = css("--line");
    c.lineWidth = 1;
    c.textAlign = "right";
    for (const value of ticks(low, high, 4)) {
      c.globalAlpha = 0.6;
      c.beginPath();
      c.moveTo(left, y(value));
      c.lineTo(right, y(value));
      c.stroke();
      c.globalAlpha = 1;
      if (!this.own) c.fillText(axis(value), left - 4, y(value) + 4);
    }
    // The axis has the unit that all its curves have.
    const units = new Set(this.curves.map((curve) => curve.unit));
    const [unit] = units;
    c.textAlign = "left";
    if (!this.own && units.size === 1 && unit) c.fillText(`[${unit}]`, 0, h - 4);
    for (const time of ticks(start, end, 5)) {
      const words = `${time} s`;
      const half = c.measureText(words).width / 2;
      c.textAlign = "center";
      c.fillText(words, Math.min(right - half, x(time)), h - 4);
    }
    c.lineWidth = 1.6;
    c.save();
    c.beginPath();
    c.rect(left, top - 4, right - left, bottom - top + 8);
    c.clip();
    for (const curve of this.curves) {
      const { robot, value, color, label } = curve;
      const { time } = robot.r.arrays;
      const [from, to] = this.own ? bounds([curve], start, end) : [low, high];
      c.strokeStyle = color;
      c.beginPath();
      let down = false;
      for (let f = 0; f < robot.r.count; f++) {
        const v = value(f);
        if (!Number.isFinite(v)) down = false;
        else if (down) c.lineTo(x(time[f]), place(v, from, to));
        else {
          c.moveTo(x(time[f]), place(v, from, to));
          down = true;
        }
      }
      c.stroke();
      label.textContent = short(value(locate(time, t).frame));
    }
    c.restore();
    c.fillStyle = css("--text");
    if (t >= start && t <= end) c.fillRect(x(t) - 0.75, top - 4, 1.5, bottom - top + 8);
  }
}

/** The least and the largest value of curves within a time, with a margin. */
function bounds(curves, start, end) {
  let [low, high] = [Infinity, -Infinity];
  for (const { robot, value } of curves) {
    const { time } = robot.r.arrays;
    for (let f = locate(time, start).frame; f < robot.r.count && (time[f] <= end || f === 0); f++) {
      const y = value(f);
      if (Number.isFinite(y)) [low, high] = [Math.min(low, y), Math.max(high, y)];
    }
  }
  if (!(high > low)) [low, high] = Number.isFinite(low) ? [low - 1, low + 1] : [0, 1];
  const margin = 0.06 * (high - low);
  return [low - margin, high + margin];
}

/** Round numbers in a range: about so many, and their distance is 1, 2 or 5 times a power of ten. */
export function ticks(low, high, count) {
  const rough = (0.7 * (high - low || 1)) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5].find((m) => m * power >= rough) ?? 10) * power;
  const first = Math.ceil(low / step);
  // Round-off of the product is not shown.
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, k) => Number(((first + k) * step).toPrecision(12)));
}

/** A number in the room beside an axis. */
function axis(x) {
  const size = Math.abs(x);
  return size !== 0 && (size < 1e-2 || size >= 1e4) ? Number(x.toPrecision(3)).toExponential() : String(Number(x.toPrecision(6)));
}

/** Decimals that show so many digits of a number as large as `size`. */
export const decimals = (size, digits) => Math.min(12, Math.max(0, digits - 1 - Math.floor(Math.log10(size || 1))));

export function short(x) {
  if (!Number.isFinite(x)) return "–";
  const size = Math.abs(x);
  if (size !== 0 && (size < 1e-3 || size >= 1e5)) return x.toExponential(2);
  return String(Number(x.toPrecision(4)));
}
