// Frames of bodies, axes of joints, ellipsoids of inertia, and names beside them.
import * as THREE from "three";
import { movable } from "./joints.js";

const AXES = ["#e5484d", "#2fb170", "#3b82f6"].map((color) => new THREE.Color(color));

function lines(parent, count, color) {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(6 * count), 3));
  const material = new THREE.LineBasicMaterial({ color: color ?? "#ffffff", vertexColors: !color, depthTest: false, transparent: true });
  material.toneMapped = false;
  const made = new THREE.LineSegments(geometry, material);
  made.frustumCulled = false;
  made.renderOrder = 4;
  parent.add(made);
  return made;
}

export class Marks {
  constructor(robot) {
    this.robot = robot;
    const { root, r } = robot;
    const n = r.bodies.length - 1;
    this.frames = lines(root, 3 * n);
    const colors = new Float32Array(18 * n);
    for (let i = 0; i < 6 * n; i++) AXES[Math.floor(i / 2) % 3].toArray(colors, 3 * i);
    this.frames.geometry.setAttribute("color", new THREE.BufferAttribute(colors, 3));
    this.joints = r.joints.filter(movable);
    this.axes = lines(root, this.joints.length, "#c026d3");
    const material = new THREE.MeshBasicMaterial({ color: "#8b5cf6", transparent: true, opacity: 0.35, depthTest: false, depthWrite: false });
    const ball = new THREE.SphereGeometry(1, 24, 16);
    this.ellipsoids = r.bodies.map((body, i) => {
      if (i === 0 || !body.inertia) return null;
      const mesh = new THREE.Mesh(ball, material);
      mesh.position.fromArray(body.com);
      mesh.quaternion.fromArray(body.inertia.quaternion);
      mesh.scale.fromArray(body.inertia.axes);
      robot.bodies[i].add(mesh);
      return mesh;
    });
    this.hasInertia = this.ellipsoids.some(Boolean);
  }

  show(options) {
    const { robot } = this;
    const shown = (body) => !robot.hidden.has(body);
    const length = 0.09 * robot.unit;
    const place = (object, list) => {
      const at = object.geometry.attributes.position;
      list.forEach(([from, to], i) => {
        from.toArray(at.array, 6 * i);
        to.toArray(at.array, 6 * i + 3);
      });
      at.needsUpdate = true;
    };
    this.frames.visible = options.frames;
    if (options.frames) {
      const along = [0, 1, 2].map((k) => new THREE.Vector3().setComponent(k, length));
      place(this.frames, robot.bodies.slice(1).flatMap((g, i) =>
        along.map((x) => [g.position, shown(i + 1) ? x.clone().applyQuaternion(g.quaternion).add(g.position) : g.position])));
    }
    this.axes.visible = options.axes;
    if (options.axes) {
      place(this.axes, this.joints.map((joint) => {
        const g = robot.bodies[joint.body];
        const at = new THREE.Vector3().fromArray(joint.anchor).applyQuaternion(g.quaternion).add(g.position);
        const half = new THREE.Vector3().fromArray(joint.axis).setLength(shown(joint.body) ? 1.2 * length : 0).applyQuaternion(g.quaternion);
        return [at.clone().sub(half), at.clone().add(half)];
      }));
    }
    this.ellipsoids.forEach((mesh, i) => mesh && (mesh.visible = options.inertia && shown(i)));
  }

  /** Names and the places that they belong to. */
  labels(options) {
    const { robot } = this;
    const out = [];
    if (!options.labels || !robot.visible) return out;
    robot.r.bodies.forEach((body, i) => {
      if (i > 0 && body.name && !robot.hidden.has(i)) out.push([body.name, robot.bodies[i].position, "body"]);
    });
    if (options.axes) {
      for (const joint of this.joints) {
        const g = robot.bodies[joint.body];
        const at = new THREE.Vector3().fromArray(joint.anchor).applyQuaternion(g.quaternion).add(g.position);
        if (joint.name && !robot.hidden.has(joint.body)) out.push([joint.name, at, "joint"]);
      }
    }
    return out.map(([name, at, kind]) => [name, at.clone().add(robot.root.position), kind]);
  }
}
