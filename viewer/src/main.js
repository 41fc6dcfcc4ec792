// The page: recordings in a scene, with a timeline. All text from files is set as text, never as markup.
import * as THREE from "three";
import { decode, fromBase64, locate, scalars } from "./data.js";
import { MODES, PICKED, QUANTITIES, Robot } from "./robot.js";
import { Stage } from "./stage.js";
import { movable, unitOf } from "./joints.js";
import { Live } from "./live.js";
import { animation, goToShared, joints, picture, share, tree, video } from "./panels.js";
import { decimals, GRADIENTS, Plot, short, Strips } from "./timeline.js";
import style from "./style.css";
import template from "./template.html";

const $ = (id) => document.getElementById(id);

const TOGGLES = [
  ["contacts", "contacts and wrenches", "C", true],
  ["cones", "friction cones", "K", false],
  ["gradients", "gradients", "G", true],
  ["hold", "hold initial-state gradients", "H", true],
  ["surfaces", "surfaces", "S", true],
  ["com", "centre of mass, support", "M", false],
  ["inertia", "inertia ellipsoids", "E", false],
  ["frames", "body frames", "A", false],
  ["axes", "joint axes", "J", false],
  ["labels", "names", "N", false],
  ["see", "transparent", "X", false],
  ["wire", "wireframe", "W", false],
  ["parallel", "orthographic", "O", false],
  ["follow", "camera follows", "F", false],
  ["loop", "loop", "L", false],
];

/** Directions to look along, by key. */
const PRESETS = { 1: [1, 0, 0.02], 2: [0, -1, 0.02], 3: [0, -0.001, 1], 4: [1.25, -1.35, 0.62] };

/** Whether a focused element takes a key itself. */
function takes(element, key) {
  if (element.matches?.("select, input[type=text], input[type=search], input[type=number]")) return true;
  if (element.matches?.("input[type=range]:not(#slider)")) return /^(Arrow|Home|End|Page)/.test(key);
  return key === " " && Boolean(element.matches?.("button, input[type=checkbox], summary"));
}

const KEYS = [
  ["space", "play or pause"],
  ["← →", "one frame; with shift ten"],
  ["Home, End", "start, end"],
  ["↑ ↓", "nearer, farther"],
  ["[ ]", "turn the view"],
  ["- +", "slower, faster"],
  ["V", "visual geometry, collision geometry, both"],
  ...TOGGLES.map(([, words, key]) => [key, words]),
  ["P", "plot on or off"],
  ["R", "frame all that is there now"],
  ["1 2 3 4", "front, side, top, corner"],
  ["I", "save the picture as PNG"],
  ["B", "recordings beside or over each other"],
  ["D", "dark or light"],
  ["?", "these keys"],
  ["click", "pick a body or a contact"],
  ["double click", "turn about this point"],
  ["wheel", "zoom to the pointer; over a plot, its time (double click: all)"],
];

class Viewer {
  constructor(recordings) {
    this.options = { shapes: "visual", scale: 1 };
    for (const [name, , , on] of TOGGLES) this.options[name] = on;
    this.robots = recordings.map((r, i) => new Robot(r, i));
    performance.mark("built");
    this.stage = new Stage(document.querySelector("#stage canvas"));
    for (const robot of this.robots) this.stage.scene.add(robot.root);
    /** Where the scene's origin lies in the world: all positions that are read or written add it. */
    this.origin = new THREE.Vector3().fromArray(this.robots[0].r.origin);
    this.start = Math.min(...this.robots.map((r) => r.r.arrays.time[0]));
    this.end = Math.max(...this.robots.map((r) => r.r.arrays.time[r.r.count - 1]));
    /** Decimals of times: milliseconds, and a thousandth of a short run. */
    this.places = Math.max(3, decimals(this.end - this.start, 3));
    this.t = this.start;
    this.playing = false;
    this.speed = 1;
    this.layout = "over";
    this.picked = null;
    this.changed = true;
    this.frames = [];
    // A run that stays where it is fits into the picture as a whole; the camera follows one that leaves.
    this.options.follow = this.robots.some((robot) => robot.travel > 0.4 * robot.size);
    this.arrange();
    // Recordings of one page have the same ground.
    const { planes } = this.robots.find((r) => r.planes.length) ?? this.first;
    for (const { shape } of planes) this.stage.addFloor(shape, this.origin);
    // Below all that is there: a robot that hangs from the world reaches below its origin.
    if (!planes.length) this.stage.addFloor(null, this.origin, Math.min(...this.robots.map((r) => r.scenery.min.z + r.root.position.z - 0.002 * r.size)));
    this.panels();
    // What stands above the bar knows how high it is.
    const bar = () => document.body.style.setProperty("--bar", `${$("bar").offsetHeight}px`);
    bar();
    new ResizeObserver(bar).observe($("bar"));
    this.stage.covering = covering;
    this.stage.resize();
    this.lookAgain();
    this.keys();
    this.picking();
    const dark = window.matchMedia?.("(prefers-color-scheme: dark)").matches;
    this.theme(dark ? "dark" : "light");
    this.stage.controls.addEventListener("change", () => (this.changed = true));
    window.addEventListener("resize", () => (this.changed = true));
    this.seek(this.start);
    goToShared(this);
    requestAnimationFrame((now) => this.tick(now));
  }

  get first() {
    return this.robots.find((r) => r.visible) ?? this.robots[0];
  }

  /** Puts the recordings over each other, or beside each other. */
  arrange() {
    const widest = Math.max(...this.robots.map((r) => r.box.max.y - r.box.min.y));
    this.robots.forEach((robot, i) => {
      const shift = this.layout === "beside" ? (i - (this.robots.length - 1) / 2) * (1.25 * widest + 0.1) : 0;
      robot.root.position.fromArray(robot.r.origin).sub(this.origin).y -= shift;
    });
    this.changed = true;
  }

  /** Frames all that is there now; at the start, with near parts of the world, or all of the run. */
  lookAgain(direction) {
    const box = new THREE.Box3();
    for (const robot of this.robots) {
      const first = this.options.follow ? robot.scenery : robot.room;
      const own = this.t > this.start || robot.hidden.size ? robot.boxNow() : first.clone();
      if (robot.visible) box.union(own.translate(robot.root.position));
    }
    if (box.isEmpty()) return;
    this.stage.frame(box, direction);
    this.anchor = null;
    [this.framedSize, this.near] = [this.first.sizeAt(this.t), 1];
    this.changed = true;
  }

  /** Lines of sight that are parallel see the ground from its edge, as a drawing does. */
  preset(number) {
    const [x, y, z] = PRESETS[number];
    this.lookAgain([x, y, this.options.parallel && z < 0.1 ? 0 : z]);
  }

  /** Turns the camera about the vertical, and changes its distance. */
  nudge(angle, factor = 1) {
    const { stage } = this;
    stage.retreat(stage.away().applyAxisAngle(stage.camera.up, angle).multiplyScalar(factor));
    stage.framing = null;
    stage.framed = false;
    this.changed = true;
  }

  theme(name) {
    this.themeName = name;
    document.body.classList.toggle("dark", name === "dark");
    this.stage.theme(name);
    this.changed = true;
  }

  seek(t) {
    this.t = Math.min(this.end, Math.max(this.start, t));
    this.changed = true;
  }

  seekShare(share) {
    this.seek(this.start + share * (this.end - this.start));
  }

  stepFrames(count) {
    const { time } = this.first.r.arrays;
    const { frame } = locate(time, this.t + 1e-9);
    this.play(false);
    this.seek(time[Math.min(time.length - 1, Math.max(0, frame + count))]);
  }

  play(on) {
    if (on && this.t >= this.end) this.t = this.start;
    this.playing = on;
    $("shape").setAttribute("d", on ? "M3 1.5h3v11H3zM8 1.5h3v11H8z" : "M3 1.5 12 7l-9 5.5z");
    this.changed = true;
  }

  toggle(name, on = !this.options[name]) {
    this.options[name] = on;
    const box = $(`toggle-${name}`);
    if (box) box.checked = on;
    if (name === "follow") this.anchor = null;
    if (name === "parallel") this.stage.setParallel(on);
    this.changed = true;
  }

  setShapes(value) {
    this.options.shapes = value;
    $("shapes").value = value;
    this.changed = true;
  }

  setLayout(value) {
    this.layout = value;
    $("layout").value = value;
    this.arrange();
    this.lookAgain();
  }

  setSpeed(speed) {
    this.speed = speed;
    $("speed").value = String(speed);
  }

  panels() {
    const names = this.robots.map((r) => r.r.name || "recording");
    document.querySelector("#head h1").textContent = document.title;
    const r = this.first.r;
    const many = (n, one, more = `${one}s`) => `${n} ${n === 1 ? one : more}`;
    const note = [
      r.count > 1 ? `${(this.end - this.start).toFixed(this.places - 1)} s` : "one state",
      r.recorded > r.count ? `${r.count} of ${r.recorded} frames` : many(r.count, "frame"), many(r.bodies.length - 1, "body", "bodies"), many(r.nv, "dof"),
    ].join(", ");
    document.querySelector("#head .note").textContent = note;
    const damage = this.robots.map((x) => x.r.damage).filter(Boolean).map((words) => `Damaged: ${words}`);
    const lost = Math.max(...this.robots.map((x) => x.r.lost ?? 0));
    if (lost > 0) damage.push(`The first ${lost} frames are lost: the recorder's memory holds the newest ones.`);
    document.querySelector("#head .damage").textContent = damage.join("; ");
    if (this.robots.length > 1) {
      $("runs").replaceChildren(
        ...this.robots.map((robot, i) =>
          check(`${i + 1}  ${robot.r.label || names[i]}`, true, (on) => {
            robot.visible = on;
            this.changed = true;
          }),
        ),
      );
    }
    $("layoutbox").hidden = this.robots.length < 2;
    $("toggles").replaceChildren(
      ...TOGGLES.map(([name, words, key]) => {
        const label = check(words, this.options[name], (value) => this.toggle(name, value));
        label.firstChild.id = `toggle-${name}`;
        const kbd = document.createElement("kbd");
        kbd.textContent = key;
        label.append(kbd);
        return label;
      }),
    );
    const seen = new Set(this.robots.flatMap((x) => [...x.r.arrays.arrowQuantity]));
    const has = { gradients: seen.size > 0, hold: seen.size > 0, inertia: this.robots.some((x) => x.marks.hasInertia), surfaces: this.robots.some((x) => x.surfaces.meshes.length) };
    for (const [name, on] of Object.entries(has)) if (!on) $(`toggle-${name}`).parentElement.hidden = true;
    tree(this);
    joints(this);
    document.body.classList.toggle("still", this.end === this.start);
    $("picture").onclick = () => picture(this);
    $("video").onclick = () => video(this);
    $("gif").onclick = () => animation(this);
    $("gif").hidden = this.end === this.start;
    $("video").hidden = this.end === this.start || !window.MediaRecorder;
    $("share").onclick = () => share(this);
    for (const button of document.querySelectorAll("#presets button")) button.onclick = () => this.preset(button.dataset.key);
    legend($("surfaces"), this.robots.flatMap((robot) => robot.surfaces.legend()));
    legend($("modes"), MODES.slice(0, 3));
    legend($("quantities"), QUANTITIES.filter((_, k) => seen.has(k)));
    const rows = KEYS.map(([key, words]) => {
      const row = document.createElement("tr");
      const kbd = document.createElement("kbd");
      kbd.textContent = key;
      row.append(document.createElement("td"), document.createElement("td"));
      row.firstChild.append(kbd);
      row.lastChild.textContent = words;
      return row;
    });
    document.querySelector("#help table").replaceChildren(...rows);
    $("play").onclick = () => this.play(!this.playing);
    $("first").onclick = () => this.seek(this.start);
    $("theme").onclick = () => this.theme(this.themeName === "dark" ? "light" : "dark");
    $("ask").onclick = () => ($("help").hidden = !$("help").hidden);
    $("help").onclick = () => ($("help").hidden = true);
    $("open").onclick = () => $("side").classList.toggle("open");
    $("shapes").onchange = (e) => this.setShapes(e.target.value);
    $("layout").onchange = (e) => this.setLayout(e.target.value);
    $("speed").onchange = (e) => this.setSpeed(Number(e.target.value));
    $("scale").oninput = (e) => {
      this.options.scale = 10 ** Number(e.target.value);
      this.changed = true;
    };
    $("axes").onclick = () => {
      this.plot.own = !this.plot.own;
      $("axes").textContent = this.plot.own ? "one scale" : "own scales";
      this.changed = true;
    };
    $("slider").oninput = (e) => this.seekShare(Number(e.target.value) / 1000);
    document.querySelector("#pick .close").onclick = () => this.pick(null);
    document.querySelector("#plot .close").onclick = () => this.showPlot(false);
    this.strips = new Strips($("strips"), (share) => this.seekShare(share));
    this.plot = new Plot(document.querySelector("#plot canvas"), $("legend"), (share) => this.seekShare(share), () => (this.changed = true));
    this.scalarList();
  }

  /** The scalars of the first recording; those of the others go with them. */
  scalarList() {
    const groups = {};
    this.lists = this.robots.map((robot) => scalars(robot.r));
    this.lists[0].forEach((scalar, i) => {
      const group = (groups[scalar.group] ??= Object.assign(document.createElement("optgroup"), { label: scalar.group }));
      const option = document.createElement("option");
      option.value = String(i);
      option.textContent = scalar.unit ? `${scalar.name} [${scalar.unit}]` : scalar.name;
      group.append(option);
    });
    $("scalars").replaceChildren(...Object.values(groups));
    $("scalars").onchange = (e) => this.choose([...e.target.selectedOptions].map((o) => Number(o.value)));
  }

  choose(indices) {
    for (const option of $("scalars").options) option.selected = indices.includes(Number(option.value));
    const curves = indices.flatMap((i) =>
      this.robots.map((robot, k) => ({
        name: `${this.lists[0][i].long}${this.robots.length > 1 ? ` (${k + 1})` : ""}`,
        unit: this.lists[0][i].unit,
        robot,
        value: this.lists[k].find((s) => s.name === this.lists[0][i].name && s.group === this.lists[0][i].group)?.value ?? (() => NaN),
      })),
    );
    this.plot.set(curves);
    this.showPlot(curves.length > 0);
  }

  showPlot(on) {
    if (this.live) return undefined;
    if (on && !this.plot.curves.length) return this.choose([0]);
    $("plot").hidden = !on;
    this.stage.arrange();
    this.changed = true;
    return undefined;
  }

  keys() {
    window.addEventListener("keydown", (e) => {
      this.byPointer = false;
      if (e.ctrlKey || e.metaKey || e.altKey || takes(e.target, e.key)) return;
      const key = e.key.length === 1 ? e.key.toLowerCase() : e.key;
      const named = TOGGLES.find(([, , k]) => k.toLowerCase() === key);
      const speeds = [...$("speed").options].map((o) => Number(o.value));
      const faster = (d) => this.setSpeed(speeds[Math.min(speeds.length - 1, Math.max(0, speeds.indexOf(this.speed) + d))]);
      const shapes = ["visual", "collision", "both"];
      const actions = {
        " ": () => this.play(!this.playing),
        ArrowRight: () => this.stepFrames(e.shiftKey ? 10 : 1),
        ArrowLeft: () => this.stepFrames(e.shiftKey ? -10 : -1),
        ArrowUp: () => this.nudge(0, 0.9),
        ArrowDown: () => this.nudge(0, 1 / 0.9),
        "[": () => this.nudge(-Math.PI / 24),
        "]": () => this.nudge(Math.PI / 24),
        Home: () => this.seek(this.start),
        End: () => this.seek(this.end),
        "-": () => faster(-1),
        "+": () => faster(1),
        "=": () => faster(1),
        v: () => this.setShapes(shapes[(shapes.indexOf(this.options.shapes) + 1) % 3]),
        p: () => this.showPlot($("plot").hidden),
        r: () => this.lookAgain(),
        i: () => picture(this),
        b: () => this.setLayout(this.layout === "over" ? "beside" : "over"),
        d: () => this.theme(this.themeName === "dark" ? "light" : "dark"),
        "?": () => ($("help").hidden = !$("help").hidden),
        Escape: () => {
          $("help").hidden = true;
          this.pick(null);
        },
      };
      for (const number of Object.keys(PRESETS)) actions[number] = () => this.preset(number);
      const action = named ? () => this.toggle(named[0]) : actions[key];
      if (!action) return;
      action();
      e.preventDefault();
    });
    // What a pointer has clicked does not keep the keys.
    window.addEventListener("pointerdown", () => (this.byPointer = true), { capture: true });
    for (const kind of ["click", "change"]) {
      window.addEventListener(kind, (e) => this.byPointer && e.target.closest?.("button, input[type=checkbox], canvas")?.blur());
    }
  }

  picking() {
    const canvas = this.stage.canvas;
    const ray = new THREE.Raycaster();
    let down = null;
    canvas.addEventListener("pointerdown", (e) => (down = [e.clientX, e.clientY]));
    const aim = (e) => {
      const box = canvas.getBoundingClientRect();
      const at = new THREE.Vector2((2 * (e.clientX - box.left)) / box.width - 1, 1 - (2 * (e.clientY - box.top)) / box.height);
      ray.setFromCamera(at, this.stage.camera);
      return ray;
    };
    const meshes = () => this.robots.filter((r) => r.visible).flatMap((r) => r.shapes.map((s) => s.mesh).filter((m) => m.visible));
    /** The ray of a pointer, and the first body that it hits. */
    this.under = (e) => ({ ray: aim(e).ray, hit: ray.intersectObjects(meshes(), false)[0] });
    canvas.addEventListener("pointerup", (e) => {
      if (!down || Math.hypot(e.clientX - down[0], e.clientY - down[1]) > 4) return;
      this.pick(this.contactAt(e) ?? this.under(e).hit?.object.userData ?? null);
    });
    canvas.addEventListener("dblclick", (e) => {
      const { hit } = this.under(e);
      if (!hit) return;
      this.stage.controls.target.copy(hit.point);
      this.stage.framing = null;
      this.stage.framed = false;
      this.anchor = null;
      this.changed = true;
    });
  }

  /** The contact whose arrow is under the pointer. */
  contactAt(e) {
    if (!this.options.contacts) return null;
    const box = this.stage.canvas.getBoundingClientRect();
    const [x, y] = [e.clientX - box.left, e.clientY - box.top];
    let [best, found] = [7, null];
    for (const robot of this.robots.filter((r) => r.visible)) {
      for (const touch of robot.touches) {
        const [a, b] = [touch.from, touch.to].map((p) => this.stage.project(p.clone().add(robot.root.position).toArray()));
        const d = [b[0] - a[0], b[1] - a[1]];
        const share = Math.min(1, Math.max(0, ((x - a[0]) * d[0] + (y - a[1]) * d[1]) / (d[0] ** 2 + d[1] ** 2 || 1)));
        const away = Math.hypot(x - a[0] - share * d[0], y - a[1] - share * d[1]);
        if (away < best) [best, found] = [away, { robot, body: 0, contact: touch.index, frame: robot.frame }];
      }
    }
    return found;
  }

  /** Shows the data of a body or a contact. */
  pick(data) {
    const glow = (picked, on) => {
      for (const { mesh, shape } of picked?.contact === undefined ? (picked?.robot.shapes ?? []) : []) {
        if (shape.body !== picked.body) continue;
        mesh.material.color.copy(mesh.userData.color);
        if (on) mesh.material.color.lerp(PICKED, 0.6);
        mesh.material.emissive.set(on ? "#0b2a63" : "#000000");
      }
    };
    glow(this.picked, false);
    this.picked = data && { robot: data.robot, body: data.body, contact: data.contact, frame: data.frame };
    glow(this.picked, true);
    for (const robot of this.robots) robot.picked = data?.robot === robot ? (data.contact ?? null) : null;
    $("pick").hidden = !data;
    this.anchor = null;
    this.changed = true;
  }

  pickWords() {
    if (!this.picked) return;
    const head = $("head").getBoundingClientRect();
    $("pick").style.top = `${head.bottom + 8}px`;
    if (this.picked.contact !== undefined) return this.contactWords();
    const { robot, body } = this.picked;
    const b = robot.r.bodies[body];
    const g = robot.bodies[body];
    const [v, w] = robot.velocity(body);
    const e = new THREE.Euler().setFromQuaternion(g.quaternion, "ZYX");
    const three = ({ x, y, z }, places = 3) => [x, y, z].map((n) => n.toFixed(places)).join("  ");
    const places = robot.places;
    entitle(b.name || `body ${body}`);
    const rows = [
      ["position [m]", three(robot.inWorld(g.position), places)],
      ["roll pitch yaw [rad]", three(e)],
      ["velocity [m/s]", three(v, places)],
      ["angular [rad/s]", three(w)],
      ["mass [kg]", short(b.mass)],
    ];
    const joints = robot.r.joints.filter((j) => j.body === body && j.nq === 1);
    const coordinate = (j) => robot.moved.get(j) ?? robot.r.arrays.q[j.iq * robot.r.count + robot.frame];
    for (const j of joints) rows.push([`${j.name || "joint"}${movable(j) ? ` [${unitOf(j)}]` : ""}`, coordinate(j).toFixed(4)]);
    table(rows);
    return undefined;
  }

  /** The forces of a contact are its impulses over the time step; without one, the impulses. */
  contactWords() {
    const { robot, contact, frame } = this.picked;
    const { arrays: a, bodies, timeStep } = robot.r;
    // In another frame the number is that of another contact.
    if (frame !== robot.frame || contact >= a.contactStart[a.contactStart.length - 1]) return this.pick(null);
    const three = (x) => new THREE.Vector3().fromArray(x, 3 * contact);
    const [impulse, normal, point] = [three(a.impulse), three(a.normal), three(a.point)];
    const along = impulse.dot(normal);
    const aside = impulse.clone().addScaledVector(normal, -along).length();
    const [unit, share] = timeStep > 0 ? ["N", 1 / timeStep] : ["N s", 1];
    const name = (i) => bodies[i]?.name || (i ? `body ${i}` : "world");
    entitle(`${name(a.bodyA[contact])} – ${name(a.bodyB[contact])}`);
    table([
      ["contact", (MODES[a.mode[contact]] ?? MODES[3]).name],
      [`normal [${unit}]`, short(along * share)],
      [`tangential [${unit}]`, short(aside * share)],
      [`on ${name(a.bodyB[contact])} [${unit}]`, impulse.toArray().map((x) => short(x * share)).join("  ")],
      ["point [m]", robot.inWorld(point).toArray().map((x) => x.toFixed(robot.places)).join("  ")],
      ["friction", short(robot.friction(a.geomA[contact], a.geomB[contact]))],
    ]);
    return undefined;
  }

  /** Names of bodies and joints at their places, in one element each. Of names that would cover each other the first one
   * is shown: bodies before joints, and those near the root first. */
  labels() {
    const wanted = this.robots.flatMap((robot) => robot.marks.labels(this.options));
    const parent = $("labels");
    while (parent.children.length < wanted.length) parent.append(document.createElement("span"));
    const taken = [];
    const order = [...wanted.keys()].sort((a, b) => (wanted[a][2] === "joint") - (wanted[b][2] === "joint"));
    for (let i = wanted.length; i < parent.children.length; i++) parent.children[i].hidden = true;
    for (const i of order) {
      const label = parent.children[i];
      const [name, at, kind] = wanted[i];
      label.textContent = name;
      label.className = kind;
      const [x, y] = this.stage.project(at.toArray());
      const [right, down] = [x + 8 + 6.5 * Math.min(30, name.length), y + (kind === "joint" ? 14 : 0)];
      label.hidden = at.clone().project(this.stage.camera).z > 1 || taken.some(([l, r, m]) => x < r && right > l && Math.abs(down - m) < 15);
      if (label.hidden) continue;
      taken.push([x, right, down]);
      label.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
    }
  }

  /** The directions of the world as the camera sees them. */
  triad() {
    const turn = this.stage.camera.quaternion.clone().invert();
    const axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map((x) => new THREE.Vector3(...x).applyQuaternion(turn));
    document.querySelectorAll("#triad g").forEach((group, k) => {
      const [x, y] = [20 * axes[k].x, -20 * axes[k].y];
      group.firstChild.setAttribute("x2", x);
      group.firstChild.setAttribute("y2", y);
      group.lastChild.setAttribute("x", 1.3 * x);
      group.lastChild.setAttribute("y", 1.3 * y);
    });
    $("tile").textContent = `bold lines: ${this.stage.tileWords}`;
  }

  follow() {
    const robot = this.picked?.robot ?? this.first;
    const body = this.picked?.body ?? 0;
    const now = (body > 0 ? robot.bodies[body].position.clone() : robot.middle()).add(robot.root.position);
    if (this.anchor) {
      const d = now.clone().sub(this.anchor);
      this.stage.controls.target.add(d);
      this.stage.camera.position.add(d);
      if (d.lengthSq() > 0) this.stage.framing = null;
    }
    this.anchor = now;
    this.approach(robot);
  }

  /** Comes nearer when the robot gets much smaller, as a tower that becomes a pile, unless the reader has moved the
   * camera. */
  approach(robot) {
    const near = Math.min(1, robot.sizeAt(this.t) / (0.7 * this.framedSize));
    if (this.stage.framed && this.near !== near) {
      this.stage.retreat(this.stage.away().multiplyScalar(near / this.near));
    }
    this.near = near;
  }

  tick(now) {
    const dt = this.last === undefined ? 0 : Math.min(0.1, (now - this.last) / 1000);
    this.last = now;
    if (this.playing) {
      this.t += dt * this.speed;
      if (this.t >= this.end) {
        if (this.options.loop && this.end > this.start) this.t = this.start + ((this.t - this.start) % (this.end - this.start));
        else {
          this.t = this.end;
          this.play(false);
          this.ended?.();
          this.ended = null;
        }
      }
      this.changed = true;
    }
    if (this.stage.resize()) this.changed = true;
    this.stage.controls.update();
    if (this.changed) this.render();
    requestAnimationFrame((t) => this.tick(t));
  }

  render() {
    const began = performance.now();
    this.changed = false;
    this.robots.forEach((robot, i) => {
      robot.root.visible = robot.visible;
      if (!robot.visible) return;
      robot.place(this.t);
      const ghost = this.layout === "over" && this.robots.filter((r) => r.visible).length > 1 && robot !== this.first;
      robot.dress({ ...this.options, ghost });
      robot.overlays({ ...this.options, ghost });
    });
    if (this.options.follow) this.follow();
    this.stage.draw();
    this.labels();
    this.triad();
    this.strips.draw(this.first, this.start, this.end, this.t);
    if (!$("plot").hidden) this.plot.draw(this.start, this.end, this.t);
    if (!this.live) $("slider").value = String((1000 * (this.t - this.start)) / (this.end - this.start || 1));
    if (!this.live) $("slider").setAttribute("aria-valuetext", `${this.t.toFixed(this.places)} s`);
    $("time").textContent = this.live ? `${this.t.toFixed(2)} s` : `${this.t.toFixed(this.places)} / ${this.end.toFixed(this.places - 1)} s`;
    if (!this.live) $("words").textContent = Strips.words(this.first);
    this.pickWords();
    this.frames.push(performance.now() - began);
    if (this.frames.length === 1) performance.mark("drawn");
    if (this.frames.length > 600) this.frames.shift();
  }
}

/** How much of the picture the side panel, the timeline, the title and the plot cover at the right, the bottom, the top and
 * the left [CSS pixels]. */
function covering() {
  const [side, bar, head, plot] = ["side", "bar", "head", "plot"].map((id) => $(id).getBoundingClientRect());
  const [width, height] = [window.innerWidth, window.innerHeight];
  // In a narrow window the side panel is closed, or lies over the scene until it is closed again.
  const right = side.width > 0 && side.left > width / 2 ? width - side.left : 0;
  // The bar of a single state is a note in the corner.
  const bottom = bar.width > width / 2 ? height - bar.top : 0;
  const top = head.right > (width - right) / 2 ? head.bottom : 0;
  if (!plot.width) return [right, bottom, top, 0];
  // The plot stands in a corner: the larger of the rooms beside and above it is free.
  const beside = Math.min(width - right - plot.right, height - bottom - top);
  const above = Math.min(width - right, plot.top - top);
  return beside > above ? [right, bottom, top, plot.right] : [right, height - plot.top, top, 0];
}

/** Names the card of a picked body or contact. Screen readers say each change. */
function entitle(name) {
  const title = document.querySelector("#pick h3");
  if (title.textContent !== name) title.textContent = name;
}

/** The rows of the card of a picked body or contact. */
function table(rows) {
  document.querySelector("#pick table").replaceChildren(
    ...rows.map((cells) => {
      const row = document.createElement("tr");
      for (const cell of cells) row.append(Object.assign(document.createElement("td"), { textContent: cell }));
      return row;
    }),
  );
}

function check(words, on, change) {
  const label = document.createElement("label");
  const box = Object.assign(document.createElement("input"), { type: "checkbox", checked: on });
  box.onchange = () => change(box.checked);
  const text = document.createElement("span");
  text.textContent = words;
  label.append(box, text);
  return label;
}

function legend(parent, items) {
  parent.replaceChildren(
    ...items.map((item) => {
      const key = document.createElement("span");
      key.className = "key";
      const dot = document.createElement("i");
      dot.style.background = item.color;
      key.append(dot, document.createTextNode(item.name));
      return key;
    }),
  );
}

async function start() {
  performance.mark("script");
  const sheet = document.createElement("style");
  sheet.textContent = style;
  document.head.append(sheet);
  // The page's own markup; nothing of a recording is in it.
  document.body.insertAdjacentHTML("afterbegin", template);
  document.body.classList.add("loading");
  const texts = [...document.querySelectorAll('script[type="application/x-diffsim"]')];
  const recordings = await Promise.all(texts.map((x) => decode(x.textContent.trim())));
  texts.forEach((x) => x.remove());
  performance.mark("decoded");
  const live = document.querySelector('script[type="application/x-diffsim-live"]');
  const viewer = new Viewer(recordings);
  if (live) viewer.live = new Live(viewer, JSON.parse(new TextDecoder().decode(fromBase64(live.textContent.trim()))));
  document.body.classList.remove("loading");
  return viewer;
}

window.diffsim = {
  ready: start().then((viewer) => {
    window.diffsim.viewer = viewer;
    return true;
  }),
  GRADIENTS,
};
window.diffsim.ready.catch((error) => {
  const note = document.createElement("pre");
  note.textContent = `This recording cannot be shown: ${error.message ?? error}`;
  document.body.prepend(note);
});
