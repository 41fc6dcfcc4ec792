// A running simulation: frames come through a websocket; pulls of the mouse and values of sliders go back.
import * as THREE from "three";
import { slide } from "./panels.js";

const $ = (id) => document.getElementById(id);
const PLAY = "M3 1.5 12 7l-9 5.5z";
const PAUSE = "M3 1.5h3v11H3zM8 1.5h3v11H8z";
/** Frames that can be looked at again: ten seconds. */
const HISTORY = 600;
/** How long a message stays [ms]. */
const MESSAGE = 6000;

export class Live {
  constructor(viewer, facts) {
    this.viewer = viewer;
    this.robot = viewer.robots[0];
    this.frames = 0;
    this.history = [];
    this.paused = false;
    const r = this.robot.r;
    // One frame, written over and over; poses come in metres.
    r.lengthStep = 1;
    r.timeStep = facts.timeStep;
    r.arrays.poses = Float32Array.from(r.arrays.poses);
    this.robot.impulseScale = 0;
    this.panel(facts);
    this.pulling();
    $("words").textContent = `connecting to ${location.host}`;
    let open = false;
    try {
      this.socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/live?token=${encodeURIComponent(facts.token)}`);
    } catch (error) {
      $("words").textContent = `cannot connect to ${location.host}: ${error.message}`;
      return;
    }
    this.socket.binaryType = "arraybuffer";
    this.socket.onopen = () => (open = true);
    this.socket.onmessage = ({ data }) => (typeof data === "string" ? this.told(JSON.parse(data)) : this.come(data));
    this.socket.onclose = () => {
      this.over = true;
      $("words").textContent = open ? "the simulation has ended" : `cannot connect to the simulation at ${location.host}`;
    };
  }

  say(what) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(what));
  }

  /** A message, or the state of the simulation, which another page may have changed. */
  told({ message, state }) {
    if (message) {
      this.message = message;
      this.until = performance.now() + MESSAGE;
    }
    if (!state) return;
    this.paused = state.paused;
    if (!this.paused) this.looking = null;
    $("shape").setAttribute("d", this.paused ? PLAY : PAUSE);
    $("speed").value = String(state.speed);
    for (const [sets, values] of [[this.inputs, state.u], [this.parameters, state.params]]) {
      sets.forEach(([set, input], i) => {
        if (state.reset || !input.parentElement.contains(document.activeElement)) set(values[i]);
      });
    }
    if (state.reset) this.history = [];
  }

  /** A frame has come: the server sends the next ones as fast as they are shown. */
  come(data) {
    // A simulation that waits sends the same moment again.
    const time = (frame) => frame && new DataView(frame).getFloat64(0, true);
    if (time(this.history.at(-1)) === time(data)) this.history.pop();
    this.history.push(data);
    if (this.history.length > HISTORY) this.history.shift();
    this.frames++;
    if (this.looking == null) this.show(data);
    requestAnimationFrame(() => this.say({ do: "seen" }));
  }

  /** Looks at an earlier frame, while the simulation waits. */
  look(index) {
    if (!this.paused) this.viewer.play();
    this.looking = Math.min(this.history.length - 1, Math.max(0, index));
    if (this.history[this.looking]) this.show(this.history[this.looking]);
  }

  show(data) {
    const view = new DataView(data);
    const [time, bodies, contacts] = [view.getFloat64(0, true), view.getUint32(8, true), view.getUint32(12, true)];
    const numbers = new Float32Array(data, 16);
    const { arrays: a } = this.robot.r;
    a.time[0] = time;
    a.poses.set(numbers.subarray(0, 7 * bodies));
    const rest = numbers.subarray(7 * bodies);
    const column = (from, width, Type) => {
      const out = new Type(contacts * width);
      for (let i = 0; i < contacts; i++) for (let k = 0; k < width; k++) out[i * width + k] = rest[14 * i + from + k];
      return out;
    };
    a.contactStart = Uint32Array.of(0, contacts);
    a.geomA = column(0, 1, Uint32Array);
    a.geomB = column(1, 1, Uint32Array);
    a.bodyA = column(2, 1, Uint32Array);
    a.bodyB = column(3, 1, Uint32Array);
    a.mode = column(4, 1, Uint8Array);
    a.point = column(5, 3, Float32Array);
    a.normal = column(8, 3, Float32Array);
    a.impulse = column(11, 3, Float32Array);
    // Lengths settle at those of the largest impulses so far.
    let most = 0;
    for (let i = 0; i < contacts; i++) most = Math.max(most, Math.hypot(...a.impulse.subarray(3 * i, 3 * i + 3)));
    this.largest = Math.max(0.995 * (this.largest ?? 0), most);
    this.robot.impulseScale = this.largest > 0 ? 1 / this.largest : 0;
    const v = this.viewer;
    v.start = v.end = v.t = time;
    v.changed = true;
    const last = Math.max(1, this.history.length - 1);
    $("slider").value = String((1000 * (this.looking ?? last)) / last);
    if (performance.now() > this.until) this.message = null;
    if (!this.over) $("words").textContent = this.message ?? `${contacts} contact${contacts === 1 ? "" : "s"}`;
  }

  /** A plane through the picked point, facing the camera: the pointer moves the point in it. */
  pulling() {
    const { viewer } = this;
    const { canvas, controls, scene } = viewer.stage;
    const plane = new THREE.Plane();
    const thread = new THREE.Line(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: "#ef4444", depthTest: false }));
    thread.frustumCulled = false;
    thread.visible = false;
    scene.add(thread);
    let held = null;
    const send = (e) => {
      const target = viewer.under(e).ray.intersectPlane(plane, new THREE.Vector3());
      if (!target) return;
      const group = this.robot.bodies[held.body];
      const at = held.point.clone().applyQuaternion(group.quaternion).add(group.position);
      thread.geometry.setFromPoints([at, target]);
      this.say({ do: "drag", body: held.body, point: held.point.toArray(), target: target.toArray(), size: this.robot.unit });
    };
    // Before the camera's own: a body under the pointer is pulled, the rest turns the view.
    canvas.addEventListener(
      "pointerdown",
      (e) => {
        const { hit } = viewer.under(e);
        if (e.button !== 0 || !hit || hit.object.userData.body === 0) return;
        const { body } = hit.object.userData;
        const group = this.robot.bodies[body];
        held = { body, point: group.worldToLocal(hit.point.clone()) };
        plane.setFromNormalAndCoplanarPoint(viewer.stage.camera.getWorldDirection(new THREE.Vector3()), hit.point);
        controls.enabled = false;
        thread.visible = true;
        canvas.setPointerCapture(e.pointerId);
        send(e);
      },
      { capture: true },
    );
    canvas.addEventListener("pointermove", (e) => held && send(e));
    const release = () => {
      if (!held) return;
      held = null;
      controls.enabled = true;
      thread.visible = false;
      this.say({ do: "release" });
    };
    canvas.addEventListener("pointerup", release);
    canvas.addEventListener("pointercancel", release);
  }

  panel(facts) {
    document.body.classList.remove("still");
    document.body.classList.add("live");
    $("strips").hidden = $("rows").hidden = $("joints").hidden = $("plots").hidden = $("video").hidden = $("gif").hidden = true;
    document.querySelector("#head .note").textContent = "live: pull a body with the mouse, turn the view beside it";
    const group = (title, open) => {
      const box = Object.assign(document.createElement("details"), { open });
      box.append(Object.assign(document.createElement("summary"), { textContent: title }));
      $("sliders").append(box);
      return box;
    };
    const box = Object.assign(document.createElement("div"), { id: "sliders" });
    $("toggles").before(box);
    const sliders = (parent, of, kind) =>
      of.map(([name, low, high, value], index) => {
        const set = slide(parent, name, [low, high], value, (x) => this.say({ do: kind, index, value: x }));
        return [set, parent.lastChild.querySelector("[type=range]")];
      });
    this.parameters = sliders(group("Parameters", true), facts.parameters, "parameter");
    const inputs = facts.u.map(([name, low, high], i) => [name || `input ${i}`, low, high, 0]);
    this.inputs = inputs.length ? sliders(group("Inputs", inputs.length < 13), inputs, "input") : [];
    if (facts.keyframes.length) {
      const select = document.createElement("select");
      for (const name of ["home", ...facts.keyframes]) select.append(Object.assign(document.createElement("option"), { textContent: `start: ${name}` }));
      select.setAttribute("aria-label", "Start from");
      select.onchange = () => this.say({ do: "keyframe", index: select.selectedIndex - 1 });
      box.prepend(select);
    }
    const { viewer } = this;
    viewer.playing = false;
    // The page's own play would move a time that is not its own.
    viewer.play = () => {
      this.paused = !this.paused;
      if (!this.paused) this.looking = null;
      this.say({ do: "pause", on: this.paused });
      $("shape").setAttribute("d", this.paused ? PLAY : PAUSE);
    };
    viewer.seek = viewer.seekShare = () => {};
    // Back through the frames that came; forward from the newest frame by a step of the simulation.
    viewer.stepFrames = (count) => {
      const newest = this.history.length - 1;
      const at = (this.looking ?? newest) + count;
      if (at <= newest) return this.look(at);
      this.looking = null;
      if (!this.paused) viewer.play();
      return this.say({ do: "step" });
    };
    viewer.setSpeed = (speed) => this.say({ do: "speed", value: speed });
    $("speed").onchange = () => viewer.setSpeed(Number($("speed").value));
    $("slider").oninput = () => this.look(Math.round((Number($("slider").value) / 1000) * (this.history.length - 1)));
    $("slider").title = "the last ten seconds";
    $("play").onclick = () => viewer.play();
    $("first").onclick = () => this.say({ do: "reset" });
    $("first").title = "Reset: state, inputs and parameters of the start";
    $("shape").setAttribute("d", PAUSE);
  }
}
