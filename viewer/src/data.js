// Recordings as the page holds them: a table of arrays in JSON, then the arrays, deflated.
import { movable, unitOf } from "./joints.js";

/** Bytes of base64 text. */
export function fromBase64(text) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

const TYPES = { f8: Float64Array, f4: Float32Array, i4: Int32Array, u4: Uint32Array, u2: Uint16Array, u1: Uint8Array };

/** Undoes the split of numbers into planes of bytes, which compress better. */
function joined(bytes, size) {
  const count = bytes.length / size;
  const out = new Uint8Array(bytes.length);
  for (let plane = 0; plane < size; plane++) {
    for (let i = 0; i < count; i++) out[i * size + plane] = bytes[plane * count + i];
  }
  return out;
}

/** Undoes differences along rows. */
function summed(x, row) {
  for (let start = 0; start < x.length; start += row) {
    for (let i = start + 1; i < start + row; i++) x[i] += x[i - 1];
  }
  return x;
}

/** An array of the table: type, where it starts, bytes, and how it was made small. */
function take(bytes, entry) {
  const [type, start, length, options] = entry;
  const made = new TYPES[type](joined(bytes.subarray(start, start + length), TYPES[type].BYTES_PER_ELEMENT).buffer);
  return options?.row ? summed(made, options.row) : made;
}

/** Reads one recording from the text that the page holds. */
export async function decode(text) {
  const bytes = await inflate(fromBase64(text));
  const length = new DataView(bytes.buffer).getUint32(0, true);
  const r = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  const body = bytes.subarray(4 + length);
  const arrays = {};
  for (const [name, entry] of Object.entries(r.arrays)) arrays[name] = take(body, entry);
  r.arrays = arrays;
  const placed = (m) => m && { ...m, points: arrays[m.points] };
  r.meshes = r.meshes.map((m) => ({ ...placed(m), triangles: arrays[m.triangles], colors: arrays[m.colors], places: placed(m.places) }));
  // An image that the browser cannot read leaves the mesh without one.
  const picture = (name) => createImageBitmap(new Blob([arrays[name]]), { imageOrientation: "flipY" }).catch(() => null);
  r.pictures = await Promise.all(r.images.map(picture));
  r.count = arrays.time.length;
  return r;
}

/** The frame at or before a time, and how far the time is on the way to the next. */
export function locate(times, t) {
  let low = 0;
  let high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= t) low = middle;
    else high = middle - 1;
  }
  const next = Math.min(low + 1, times.length - 1);
  const gap = times[next] - times[low];
  const share = gap > 0 ? Math.min(1, Math.max(0, (t - times[low]) / gap)) : 0;
  return { frame: low, next, share };
}

/** Parts of the coordinates of joints with several, and their units, by their number. */
const PARTS = {
  q: {
    7: [["x", "m"], ["y", "m"], ["z", "m"], ["qx"], ["qy"], ["qz"], ["qw"]],
    4: [["qx"], ["qy"], ["qz"], ["qw"]],
  },
  v: {
    6: [["vx", "m/s"], ["vy", "m/s"], ["vz", "m/s"], ["wx", "rad/s"], ["wy", "rad/s"], ["wz", "rad/s"]],
    3: [["wx", "rad/s"], ["wy", "rad/s"], ["wz", "rad/s"]],
  },
};

/** The numbers that may be plotted: group, name in the group and outside of it, unit, and value in a frame. */
export function scalars(r) {
  const list = [];
  const a = r.arrays;
  const of = (group, name, array, index, unit = "", long = name) =>
    list.push({ group, name, long, unit, value: (frame) => array[index * r.count + frame] });
  for (const c of r.channels) {
    for (let k = 0; k < c.size; k++) {
      of("channels", c.size > 1 ? `${c.name}[${k}]` : c.name, a.channels, c.start + k);
    }
  }
  for (const [group, array, first, count, rate] of [["q", a.q, "iq", "nq", ""], ["v", a.v, "iv", "nv", "/s"]]) {
    for (const j of r.joints) {
      // The coordinates of other joints with several are not told apart here.
      const parts = j.nq === j.nv ? [] : (PARTS[group][j[count]] ?? []);
      for (let k = 0; k < j[count]; k++) {
        const [suffix, unit] = movable(j) ? ["", unitOf(j) + rate] : (parts[k] ?? [k, ""]);
        // Joints that let bodies float seldom have names.
        const name = `${j.name || (j.nq > 3 && r.bodies[j.body].name) || `joint ${j[first]}`}${suffix === "" ? "" : `.${suffix}`}`;
        of(group, name, array, j[first] + k, unit, `${group} ${name}`);
      }
    }
  }
  r.actuators.forEach((name, k) => of("u", name || `input ${k}`, a.u, k, "", `u ${name || `input ${k}`}`));
  const step = (name, unit, value) => list.push({ group: "step", name, long: name, unit, value });
  step("contacts", "", (f) => a.contactStart[f + 1] - a.contactStart[f]);
  step("normal impulse", "N s", (f) => {
    let sum = 0;
    for (let i = a.contactStart[f]; i < a.contactStart[f + 1]; i++) {
      for (let k = 0; k < 3; k++) sum += a.impulse[3 * i + k] * a.normal[3 * i + k];
    }
    return sum;
  });
  step("log10 residual", "", (f) => Math.log10(Math.max(a.residual[f], 1e-18)));
  return list;
}
