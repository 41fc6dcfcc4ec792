// The page: recordings in a scene, with a timeline. All text from files is set as text, never as markup.
import * as THREE from "three";
import { decode, fromBase64, locate, scalars } from "./data.js";
import { MODES, QUANTITIES, Robot } from "./robot.js";
import { Stage } from "./stage.js";
import { Live } from "./live.js";
import { GRADIENTS, Plot, short, Strips } from "./timeline.js";
import style from "./style.css";
import template from "./template.html";

const $ = (id) => document.getElementById(id);

const TOGGLES = [
  ["contacts", "contact impulses, wrenches", "C", true],
  ["cones", "friction cones", "K", false],
  ["gradients", "gradient arrows", "G", true],
  ["hold", "keep those of the start", "H", true],
  ["surfaces", "surfaces", "S", true],
  ["com", "centre of mass, support", "M", false],
  ["see", "see through bodies", "X", false],
  ["follow", "camera follows", "F", false],
];

const KEYS = [
  ["space", "play or pause"],
  ["← →", "one frame; with shift ten"],
  ["Home, End", "start, end"],
  ["- +", "slower, faster"],
  ["V", "shapes as drawn, as they touch, both"],
  ...TOGGLES.map(([, words, key]) => [key, words]),
  ["P", "plot on or off"],
  ["R", "look from the start again"],
  ["B", "recordings beside or over each other"],
  ["D", "dark or light"],
  ["?", "these keys"],
  ["click", "pick a body: pose, velocity"],
];

class Viewer {
  constructor(recordings) {
    this.options = { shapes: "visual", scale: 1 };
    for (const [name, , , on] of TOGGLES) this.options[name] = on;
    this.robots = recordings.map((r, i) => new Robot(r, i));
    performance.mark("built");
    this.stage = new Stage(document.querySelector("#stage canvas"));
    for (const robot of this.robots) this.stage.scene.add(robot.root);
    this.start = Math.min(...this.robots.map((r) => r.r.arrays.time[0]));
    this.end = Math.max(...this.robots.map((r) => r.r.arrays.time[r.r.count - 1]));
    this.t = this.start;
    this.playing = false;
    this.speed = 1;
    this.layout = "over";
    this.picked = null;
    this.changed = true;
    this.frames = [];
    this.arrange();
    this.stage.resize();
    this.lookAgain();
    const floors = this.robots.map((r) => r.ground).filter(Boolean);
    if (floors.length) floors.slice(0, 1).forEach((f) => this.stage.addFloor(f.shape));
    else this.stage.addFloor(null);
    this.options.follow = this.robots.some((robot) => robot.travel() > robot.size);
    this.panels();
    this.keys();
    this.picking();
    const dark = window.matchMedia?.("(prefers-color-scheme: dark)").matches;
    this.theme(dark ? "dark" : "light");
    this.stage.controls.addEventListener("change", () => (this.changed = true));
    window.addEventListener("resize", () => (this.changed = true));
    this.seek(this.start);
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
      robot.root.position.set(0, -shift, 0);
    });
    this.changed = true;
  }

  lookAgain() {
    const box = new THREE.Box3();
    for (const robot of this.robots) box.union(robot.scenery.clone().translate(robot.root.position));
    this.stage.frame(box);
    this.anchor = null;
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
      `${(this.end - this.start).toFixed(2)} s`, many(r.count, "frame"), many(r.bodies.length - 1, "body", "bodies"), many(r.nv, "dof"),
    ].join(", ");
    document.querySelector("#head .note").textContent = note;
    const damage = this.robots.map((x) => x.r.damage).filter(Boolean);
    document.querySelector("#head .damage").textContent = damage.length ? `Damaged: ${damage.join("; ")}` : "";
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
    legend($("surfaces"), this.robots.flatMap((robot) => robot.surfaces.legend()));
    legend($("modes"), MODES.slice(0, 3));
    const seen = new Set(this.robots.flatMap((x) => [...x.r.arrays.arrowQuantity]));
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
    $("slider").oninput = (e) => this.seekShare(Number(e.target.value) / 1000);
    document.querySelector("#pick .close").onclick = () => this.pick(null);
    document.querySelector("#plot .close").onclick = () => this.showPlot(false);
    this.strips = new Strips($("strips"), (share) => this.seekShare(share));
    this.plot = new Plot(document.querySelector("#plot canvas"), $("legend"), (share) => this.seekShare(share));
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
      option.textContent = scalar.name;
      group.append(option);
    });
    $("scalars").replaceChildren(...Object.values(groups));
    $("scalars").onchange = (e) => this.choose([...e.target.selectedOptions].map((o) => Number(o.value)));
  }

  choose(indices) {
    for (const option of $("scalars").options) option.selected = indices.includes(Number(option.value));
    const curves = indices.flatMap((i) =>
      this.robots.map((robot, k) => ({
        name: `${this.lists[0][i].name}${this.robots.length > 1 ? ` (${k + 1})` : ""}`,
        robot,
        value: this.lists[k].find((s) => s.name === this.lists[0][i].name && s.group === this.lists[0][i].group)?.value ?? (() => NaN),
      })),
    );
    this.plot.set(curves);
    this.showPlot(curves.length > 0);
  }

  showPlot(on) {
    if (on && !this.plot.curves.length) return this.choose([0]);
    $("plot").hidden = !on;
    this.changed = true;
    return undefined;
  }

  keys() {
    window.addEventListener("keydown", (e) => {
      if (e.ctrlKey || e.metaKey || e.altKey || e.target.matches?.("select, input[type=text]")) return;
      const key = e.key.length === 1 ? e.key.toLowerCase() : e.key;
      const named = TOGGLES.find(([, , k]) => k.toLowerCase() === key);
      const speeds = [...$("speed").options].map((o) => Number(o.value));
      const faster = (d) => this.setSpeed(speeds[Math.min(speeds.length - 1, Math.max(0, speeds.indexOf(this.speed) + d))]);
      const shapes = ["visual", "collision", "both"];
      const actions = {
        " ": () => this.play(!this.playing),
        ArrowRight: () => this.stepFrames(e.shiftKey ? 10 : 1),
        ArrowLeft: () => this.stepFrames(e.shiftKey ? -10 : -1),
        Home: () => this.seek(this.start),
        End: () => this.seek(this.end),
        "-": () => faster(-1),
        "+": () => faster(1),
        "=": () => faster(1),
        v: () => this.setShapes(shapes[(shapes.indexOf(this.options.shapes) + 1) % 3]),
        p: () => this.showPlot($("plot").hidden),
        r: () => this.lookAgain(),
        b: () => this.setLayout(this.layout === "over" ? "beside" : "over"),
        d: () => this.theme(this.themeName === "dark" ? "light" : "dark"),
        "?": () => ($("help").hidden = !$("help").hidden),
        Escape: () => {
          $("help").hidden = true;
          this.pick(null);
        },
      };
      const action = named ? () => this.toggle(named[0]) : actions[key];
      if (!action) return;
      action();
      e.preventDefault();
    });
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
      const { hit } = this.under(e);
      this.pick(hit ? hit.object.userData : null);
    });
  }

  /** Shows the data of a body. */
  pick(data) {
    const glow = (picked, color) => {
      for (const { mesh, shape } of picked?.robot.shapes ?? []) if (shape.body === picked.body) mesh.material.emissive.set(color);
    };
    glow(this.picked, "#000000");
    this.picked = data && { robot: data.robot, body: data.body };
    glow(this.picked, "#3a4f1c");
    $("pick").hidden = !data;
    this.anchor = null;
    this.changed = true;
  }

  pickWords() {
    if (!this.picked) return;
    const { robot, body } = this.picked;
    const b = robot.r.bodies[body];
    const g = robot.bodies[body];
    const [v, w] = robot.velocity(body);
    const e = new THREE.Euler().setFromQuaternion(g.quaternion, "ZYX");
    const three = (x, y, z) => [x, y, z].map((n) => n.toFixed(3)).join("  ");
    document.querySelector("#pick h3").textContent = b.name || `body ${body}`;
    const head = $("head").getBoundingClientRect();
    $("pick").style.top = `${head.bottom + 8}px`;
    const rows = [
      ["position [m]", three(...g.position.toArray())],
      ["roll pitch yaw [rad]", three(e.x, e.y, e.z)],
      ["velocity [m/s]", three(...v.toArray())],
      ["angular [rad/s]", three(...w.toArray())],
      ["mass [kg]", short(b.mass)],
    ];
    const joints = robot.r.joints.filter((j) => j.body === body && j.nq === 1);
    for (const j of joints) rows.push([j.name || "joint", robot.r.arrays.q[j.iq * robot.r.count + robot.frame].toFixed(4)]);
    document.querySelector("#pick table").replaceChildren(
      ...rows.map((cells) => {
        const row = document.createElement("tr");
        for (const cell of cells) row.append(Object.assign(document.createElement("td"), { textContent: cell }));
        return row;
      }),
    );
  }

  follow() {
    const robot = this.picked?.robot ?? this.first;
    let body = this.picked?.body ?? 0;
    if (body === 0) body = Math.max(0, robot.r.slots.findIndex((s) => s >= 0));
    const now = robot.bodies[body].position.clone().add(robot.root.position);
    if (this.anchor) {
      const d = now.clone().sub(this.anchor);
      this.stage.controls.target.add(d);
      this.stage.camera.position.add(d);
    }
    this.anchor = now;
  }

  tick(now) {
    const dt = this.last === undefined ? 0 : Math.min(0.1, (now - this.last) / 1000);
    this.last = now;
    if (this.playing) {
      this.t += dt * this.speed;
      if (this.t >= this.end) {
        this.t = this.end;
        this.play(false);
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
    this.strips.draw(this.first, this.start, this.end, this.t);
    if (!$("plot").hidden) this.plot.draw(this.start, this.end, this.t);
    $("slider").value = String((1000 * (this.t - this.start)) / (this.end - this.start || 1));
    $("time").textContent = this.live ? `${this.t.toFixed(2)} s` : `${this.t.toFixed(3)} / ${this.end.toFixed(2)} s`;
    if (!this.live) $("words").textContent = Strips.words(this.first);
    this.pickWords();
    this.frames.push(performance.now() - began);
    if (this.frames.length === 1) performance.mark("drawn");
    if (this.frames.length > 600) this.frames.shift();
  }
}

function check(words, on, change) {
  const label = document.createElement("label");
  const box = Object.assign(document.createElement("input"), { type: "checkbox", checked: on });
  box.onchange = () => {
    change(box.checked);
    box.blur();
  };
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
  const texts = [...document.querySelectorAll('script[type="application/x-diffsim"]')];
  const recordings = await Promise.all(texts.map((x) => decode(x.textContent.trim())));
  texts.forEach((x) => x.remove());
  performance.mark("decoded");
  const live = document.querySelector('script[type="application/x-diffsim-live"]');
  const viewer = new Viewer(recordings);
  if (live) viewer.live = new Live(viewer, JSON.parse(new TextDecoder().decode(fromBase64(live.textContent.trim()))));
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
