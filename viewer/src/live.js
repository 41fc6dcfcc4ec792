// A running simulation: frames come through a websocket; pulls of the mouse and values of sliders go back.
import * as THREE from "three";

const $ = (id) => document.getElementById(id);

export class Live {
  constructor(viewer, facts) {
    this.viewer = viewer;
    this.robot = viewer.robots[0];
    this.frames = 0;
    const r = this.robot.r;
    // One frame, written over and over; poses come in metres.
    r.lengthStep = 1;
    r.arrays.poses = Float32Array.from(r.arrays.poses);
    this.robot.impulseScale = 0;
    this.panel(facts);
    this.pulling();
    this.socket = new WebSocket(`ws://${location.host}/live?token=${encodeURIComponent(facts.token)}`);
    this.socket.binaryType = "arraybuffer";
    this.socket.onmessage = ({ data }) => (typeof data === "string" ? this.told(JSON.parse(data)) : this.show(data));
    this.socket.onclose = () => ($("words").textContent = "the simulation has ended");
  }

  say(what) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(what));
  }

  told({ message }) {
    this.message = message;
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
    this.frames++;
    $("words").textContent = this.message ?? `${contacts} contact${contacts === 1 ? "" : "s"}`;
  }

  /** A plane through the picked point, facing the camera: the pointer moves the point in it. */
  pulling() {
    const { viewer } = this;
    const { canvas, controls, camera, scene } = viewer.stage;
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
      this.say({ do: "drag", body: held.body, point: held.point.toArray(), target: target.toArray() });
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
        plane.setFromNormalAndCoplanarPoint(camera.getWorldDirection(new THREE.Vector3()), hit.point);
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
    document.body.classList.add("live");
    $("slider").hidden = $("strips").hidden = $("speed").hidden = true;
    $("plots").hidden = true;
    document.querySelector("#head .note").textContent = "live: pull a body with the mouse, turn the view beside it";
    const box = document.createElement("div");
    box.id = "sliders";
    const heading = (text) => box.append(Object.assign(document.createElement("h2"), { textContent: text }));
    const slider = (name, low, high, value, change) => {
      const label = document.createElement("label");
      label.className = "slide";
      const words = document.createElement("span");
      const show = (x) => (words.textContent = `${name}  ${Number(x).toPrecision(3)}`);
      const input = Object.assign(document.createElement("input"), { type: "range", min: low, max: high, step: "any", value });
      input.oninput = () => {
        show(input.value);
        change(Number(input.value));
      };
      show(value);
      label.append(words, input);
      box.append(label);
    };
    heading("Parameters");
    facts.parameters.forEach(([name, low, high, value], index) =>
      slider(name, low, high, value, (x) => this.say({ do: "parameter", index, value: x })),
    );
    if (facts.u.length) heading("Inputs");
    facts.u.forEach((name, index) => slider(name || `input ${index}`, -20, 20, 0, (x) => this.say({ do: "input", index, value: x })));
    $("toggles").before(box);
    const { viewer } = this;
    viewer.playing = false;
    let paused = false;
    // The page's own play would move a time that is not its own.
    viewer.play = () => {
      paused = !paused;
      this.say({ do: "pause", on: paused });
      $("shape").setAttribute("d", paused ? "M3 1.5 12 7l-9 5.5z" : "M3 1.5h3v11H3zM8 1.5h3v11H8z");
    };
    viewer.seek = viewer.stepFrames = () => {};
    $("play").onclick = () => viewer.play();
    $("first").onclick = () => this.say({ do: "reset" });
    $("shape").setAttribute("d", "M3 1.5h3v11H3zM8 1.5h3v11H8z");
  }
}
