// Parts of the side panel: the tree of bodies, sliders of joints, and the picture's way out as a file.
import { Gif, palette } from "./gif.js";
import { movable, range, unitOf } from "./joints.js";
import { decimals } from "./timeline.js";

const $ = (id) => document.getElementById(id);

/** A slider with its name, and its value, which may also be typed: within the limits, of which null is none. Returns a
 * function that sets it from outside. */
export function slide(parent, name, [low, high], value, change, unit = "", limits = [low, high]) {
  const box = document.createElement("div");
  box.className = "slide";
  const words = Object.assign(document.createElement("span"), { textContent: name });
  const number = Object.assign(document.createElement("input"), { type: "number", step: "any" });
  number.setAttribute("aria-label", unit ? `${name} [${unit}]` : name);
  const input = Object.assign(document.createElement("input"), { type: "range", min: low, max: high, step: "any", value });
  input.setAttribute("aria-label", name);
  const digits = (x, n) => String(Number(Number(x).toPrecision(n)));
  const places = decimals(high - low, 5);
  const show = (x) => {
    number.value = String(Number(Number(x).toFixed(places)));
    if (unit === "rad") number.title = `${digits((x * 180) / Math.PI, 4)}°`;
  };
  input.oninput = () => {
    show(input.value);
    change(Number(input.value));
  };
  number.onchange = () => {
    const typed = number.value === "" ? Number(input.value) : Number(number.value);
    const x = Math.min(limits[1] ?? Infinity, Math.max(limits[0] ?? -Infinity, typed));
    input.value = x;
    show(x);
    change(x);
  };
  show(value);
  const ends = document.createElement("div");
  ends.className = "ends";
  ends.append(...limits.map((x) => Object.assign(document.createElement("i"), { textContent: x === null ? "no limit" : digits(x, 3) })));
  const measured = document.createElement("b");
  measured.append(number, document.createTextNode(unit));
  box.append(words, measured, input, ends);
  parent.append(box);
  return (x) => {
    input.value = x;
    show(x);
  };
}

/** The bodies of the first recording: searched, picked, hidden, with those of the same name in the others. */
export function tree(viewer) {
  const [robot] = viewer.robots;
  const rows = robot.r.bodies.slice(1).map((body, i) => {
    const index = i + 1;
    const name = body.name || `body ${index}`;
    const row = document.createElement("div");
    row.style.paddingLeft = `${9 * Math.min(8, robot.depth(index) - 1)}px`;
    const box = Object.assign(document.createElement("input"), { type: "checkbox", checked: true, title: "shown" });
    box.setAttribute("aria-label", `show ${name}`);
    box.onchange = () => {
      for (const other of viewer.robots) {
        other.r.bodies.forEach((b, k) => {
          if (k > 0 && (other === robot ? k === index : body.name && b.name === body.name)) {
            box.checked ? other.hidden.delete(k) : other.hidden.add(k);
          }
        });
      }
      viewer.changed = true;
    };
    const button = Object.assign(document.createElement("button"), { className: "plain", textContent: name });
    button.onclick = () => viewer.pick({ robot, body: index });
    row.append(box, button);
    return [name.toLowerCase(), row];
  });
  $("tree").replaceChildren(...rows.map(([, row]) => row));
  $("search").oninput = () => {
    const wanted = $("search").value.trim().toLowerCase();
    for (const [name, row] of rows) row.hidden = !name.includes(wanted);
  };
  $("bodies").hidden = rows.length === 0;
}

/** Sliders for the joints of a recording of one state. */
export function joints(viewer) {
  const [robot] = viewer.robots;
  const free = viewer.robots.length === 1 && robot.r.count === 1 ? robot.r.joints.filter(movable) : [];
  $("joints").hidden = free.length === 0;
  const sets = free.map((joint) => {
    const value = robot.r.arrays.q[joint.iq];
    const set = slide($("jointsliders"), joint.name || `joint ${joint.iq}`, range(joint, robot.size), value, (x) => {
      robot.moved.set(joint, x);
      viewer.changed = true;
    }, unitOf(joint), [joint.lower, joint.upper]);
    return () => set(value);
  });
  $("jointreset").onclick = () => {
    robot.moved.clear();
    for (const set of sets) set();
    viewer.changed = true;
  };
}

/** Lets the browser save a blob as a file. */
function save(blob, name) {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

const fileName = (viewer, ending) => `${document.title.replace(/[^\w-]+/g, "_").slice(0, 60) || "recording"}_${viewer.t.toFixed(3)}s.${ending}`;

/** Draws with the middle of the view in the middle of the picture: no panels are in files. */
function uncovered(viewer, draw) {
  const { covered } = viewer.stage;
  viewer.stage.cover(0, 0, 0, 0);
  draw();
  viewer.stage.cover(...covered);
  viewer.changed = true;
}

/** The picture as a PNG, without the panels. */
export function picture(viewer) {
  uncovered(viewer, () => viewer.render());
  viewer.stage.canvas.toBlob((blob) => save(blob, fileName(viewer, "png")));
}

/** Plays the run once at the chosen speed and saves it as a video, without the panels. */
export function video(viewer) {
  const { stage, options } = viewer;
  const film = new MediaRecorder(stage.canvas.captureStream(60));
  const parts = [];
  film.ondataavailable = (e) => parts.push(e.data);
  film.onstop = () => save(new Blob(parts, { type: film.mimeType }), fileName(viewer, "webm"));
  const { loop } = options;
  const { covered } = stage;
  options.loop = false;
  stage.cover(0, 0, 0, 0);
  const button = $("video");
  button.disabled = true;
  viewer.seek(viewer.start);
  viewer.ended = () => {
    options.loop = loop;
    // The last picture is drawn after this, and should stand for a moment.
    setTimeout(() => {
      film.stop();
      button.disabled = false;
      stage.cover(...covered);
      viewer.changed = true;
    }, 300);
  };
  film.start();
  viewer.play(true);
}

/** The most pixels across a GIF, its pictures a second, and their largest number. */
const [WIDE, RATE, MOST] = [560, 20, 300];

/** Saves the run at the chosen speed as an animated GIF. Its pictures are drawn one by one: none is lost. */
export async function animation(viewer) {
  const { canvas } = viewer.stage;
  const { t, start, end } = viewer;
  const width = Math.min(WIDE, canvas.width);
  const small = Object.assign(document.createElement("canvas"), { width, height: Math.round((width * canvas.height) / canvas.width) });
  const c = small.getContext("2d", { willReadFrequently: true });
  c.imageSmoothingQuality = "high";
  const draw = (share) => {
    viewer.seekShare(share);
    uncovered(viewer, () => viewer.render());
    c.drawImage(canvas, 0, 0, small.width, small.height);
    return c.getImageData(0, 0, small.width, small.height).data;
  };
  const button = $("gif");
  button.disabled = true;
  viewer.play(false);
  const colors = palette([0, 0.5, 1].map(draw));
  const seconds = (end - start) / viewer.speed;
  const last = Math.min(MOST, Math.max(2, Math.round(RATE * seconds))) - 1;
  const gif = new Gif(small.width, small.height, colors, Math.max(2, Math.round((100 * seconds) / last)));
  for (let k = 0; k <= last; k++) {
    gif.add(draw(k / last));
    button.textContent = `${Math.round((100 * k) / last)} %`;
    await new Promise((done) => setTimeout(done));
  }
  button.disabled = false;
  button.textContent = "GIF";
  viewer.seek(t);
  save(gif.blob(), fileName(viewer, "gif"));
}

/** The address of this page with the time and the camera in it. */
export function share(viewer) {
  const { stage, options } = viewer;
  const { target } = stage.controls;
  const at = target.clone().add(viewer.origin);
  const digits = decimals(stage.extent, 6);
  const numbers = [...stage.away().add(at).toArray(), ...at.toArray()].map((x) => Number(x.toFixed(digits)));
  const on = ["loop", "parallel"].filter((name) => options[name]).map((name) => `&${name}`);
  location.hash = `t=${Number(viewer.t.toPrecision(9))}&camera=${numbers.join(",")}${on.join("")}`;
  navigator.clipboard?.writeText(location.href).catch(() => {});
}

/** Goes to the time and camera of the address. */
export function goToShared(viewer) {
  const said = new URLSearchParams(location.hash.slice(1));
  const camera = (said.get("camera") ?? "").split(",").map(Number);
  if (camera.length === 6 && camera.every(Number.isFinite)) {
    const target = viewer.stage.controls.target.fromArray(camera, 3).sub(viewer.origin);
    viewer.stage.retreat(viewer.origin.clone().add(target).negate().add({ x: camera[0], y: camera[1], z: camera[2] }));
    viewer.stage.framing = null;
    viewer.stage.framed = false;
    viewer.stage.controls.update();
  }
  const t = Number(said.get("t"));
  if (said.has("t") && Number.isFinite(t)) viewer.seek(t);
  for (const name of ["loop", "parallel"]) if (said.has(name)) viewer.toggle(name, true);
}
