// An animated GIF: one palette for all pictures, and of each picture only the pixels that changed.

/** Index of a pixel that stays as it was. */
const STAYS = 255;

/** A colour with five bits a channel. */
const key = (r, g, b) => ((r >> 3) << 10) | ((g >> 3) << 5) | (b >> 3);
const channel = (color, k) => (color >> (10 - 5 * k)) & 31;

/** At most 255 colours for pictures, by median cut: [r, g, b, r, ...], and the index of a colour. */
export function palette(pictures) {
  const sums = new Float64Array(4 << 15);
  for (const picture of pictures) {
    for (let i = 0; i < picture.length; i += 4) {
      const at = 4 * key(picture[i], picture[i + 1], picture[i + 2]);
      for (let k = 0; k < 3; k++) sums[at + k] += picture[i + k];
      sums[at + 3]++;
    }
  }
  const boxOf = (list) => {
    const sides = [0, 1, 2].map((k) => list.reduce(([a, b], c) => [Math.min(a, channel(c, k)), Math.max(b, channel(c, k))], [31, 0]));
    const spans = sides.map(([a, b]) => b - a);
    const axis = spans.indexOf(Math.max(...spans));
    const weight = list.reduce((s, c) => s + sums[4 * c + 3], 0);
    return { list, axis, weight, rank: spans[axis] * Math.sqrt(weight) };
  };
  const boxes = [boxOf([...Array(1 << 15).keys()].filter((c) => sums[4 * c + 3] > 0))];
  while (boxes.length < STAYS) {
    const at = boxes.reduce((best, box, i) => (box.rank > boxes[best].rank ? i : best), 0);
    const { list, axis, weight, rank } = boxes[at];
    if (!(rank > 0)) break;
    list.sort((a, b) => channel(a, axis) - channel(b, axis));
    let cut = 0;
    for (let half = 0; cut < list.length - 1 && half < weight / 2; cut++) half += sums[4 * list[cut] + 3];
    cut = Math.max(1, cut);
    boxes.splice(at, 1, boxOf(list.slice(0, cut)), boxOf(list.slice(cut)));
  }
  const colors = new Uint8Array(3 * 256);
  boxes.forEach(({ list, weight }, i) => {
    for (let k = 0; k < 3; k++) colors[3 * i + k] = Math.round(list.reduce((s, c) => s + sums[4 * c + k], 0) / (weight || 1));
  });
  const nearest = new Int16Array(1 << 15).fill(-1);
  const index = (r, g, b) => {
    const at = key(r, g, b);
    if (nearest[at] < 0) {
      let least = Infinity;
      for (let i = 0; i < boxes.length; i++) {
        const away = (colors[3 * i] - r) ** 2 + (colors[3 * i + 1] - g) ** 2 + (colors[3 * i + 2] - b) ** 2;
        if (away < least) [least, nearest[at]] = [away, i];
      }
    }
    return nearest[at];
  };
  return { colors, index };
}

/** LZW of indices of eight bits, in blocks of at most 255 bytes. */
function compress(indices) {
  const bytes = [];
  let [held, bits, size, next] = [0, 0, 9, 258];
  const put = (code) => {
    held |= code << bits;
    for (bits += size; bits >= 8; bits -= 8, held >>>= 8) bytes.push(held & 255);
  };
  let table = new Map();
  put(256);
  let prefix = indices[0];
  for (let i = 1; i < indices.length; i++) {
    const longer = (prefix << 8) | indices[i];
    const known = table.get(longer);
    if (known !== undefined) {
      prefix = known;
      continue;
    }
    put(prefix);
    if (next < 4096) {
      table.set(longer, next);
      if (next === 1 << size && size < 12) size++;
      next++;
    } else {
      put(256);
      [table, size, next] = [new Map(), 9, 258];
    }
    prefix = indices[i];
  }
  put(prefix);
  put(257);
  if (bits > 0) bytes.push(held & 255);
  const out = [8];
  for (let i = 0; i < bytes.length; i += 255) {
    const block = bytes.slice(i, i + 255);
    out.push(block.length, ...block);
  }
  out.push(0);
  return Uint8Array.from(out);
}

const two = (n) => [n & 255, n >> 8];

/** Pictures of a size with a palette, each shown for a time [hundredths of a second], over and over. */
export class Gif {
  constructor(width, height, { colors, index }, delay) {
    Object.assign(this, { width, height, index, delay });
    const head = [...new TextEncoder().encode("GIF89a"), ...two(width), ...two(height), 0xf7, 0, 0];
    const loop = [0x21, 0xff, 11, ...new TextEncoder().encode("NETSCAPE2.0"), 3, 1, 0, 0, 0];
    this.parts = [Uint8Array.from(head), colors, Uint8Array.from(loop)];
    this.before = new Uint8Array(width * height).fill(STAYS);
  }

  add(picture) {
    const changed = new Uint8Array(this.before.length);
    for (let i = 0; i < changed.length; i++) {
      const now = this.index(picture[4 * i], picture[4 * i + 1], picture[4 * i + 2]);
      changed[i] = now === this.before[i] ? STAYS : now;
      this.before[i] = now;
    }
    const control = [0x21, 0xf9, 4, 5, ...two(this.delay), STAYS, 0];
    this.parts.push(Uint8Array.from([...control, 0x2c, 0, 0, 0, 0, ...two(this.width), ...two(this.height), 0]), compress(changed));
  }

  blob() {
    return new Blob([...this.parts, Uint8Array.of(0x3b)], { type: "image/gif" });
  }
}
