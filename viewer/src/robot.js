// One recording in the scene: its bodies, and the drawings on them in a frame.
import * as THREE from "three";
import { Arrows, Cones } from "./arrows.js";
import { bones } from "./bones.js";
import { locate } from "./data.js";
import { decimals } from "./timeline.js";
import { move } from "./joints.js";
import { Marks } from "./marks.js";
import { meshGeometry, shapeGeometry } from "./geometry.js";
import { Surfaces } from "./surfaces.js";

/** As in ds_geom_kind. */
const BOX = 5;

/** By depth in the tree; bodies on the world take turns. */
const PALETTE = ["#5b7fa6", "#e0904a", "#6fa287", "#c76a6a", "#8f86b8", "#c9a94f", "#7d9db5", "#a9826b"];

/** Of contacts by ds_contact_mode. */
export const MODES = [
  { name: "breaking", color: "#9aa0a6" },
  { name: "sticking", color: "#2fb170" },
  { name: "sliding", color: "#f28c28" },
  { name: "unknown", color: "#b36ae2" },
];

/** Of gradient arrows by ds_quantity; the last are the caller's. */
export const QUANTITIES = [
  { name: "∂L/∂ pose", color: "#3b82f6" },
  { name: "∂L/∂ velocity", color: "#e0459b" },
  { name: "∂L/∂ control", color: "#d9b31c" },
  { name: "user", color: "#14b8c4" },
];

/** Moments of a run at which the page looks before it chooses its view. */
const LOOKS = 12;

const WRENCH = new THREE.Color("#ef4444");
/** Tints a picked body, white or black, and colours a picked contact. */
export const PICKED = new THREE.Color("#2f6fd6");
const linear = (list) => list.map((x) => new THREE.Color(x.color));
const MODE_COLORS = linear(MODES);
const QUANTITY_COLORS = linear(QUANTITIES);

const qa = new THREE.Quaternion();
const qb = new THREE.Quaternion();

/** The material of solid shapes. A pixel that a triangle covers in part takes the colour of a covered place
 * (`centroid`), not of the pixel's centre, which may lie outside. The lit side follows from the normal, which
 * is smooth across rounded edges. Otherwise the back faces behind an edge would draw dark dots on it. The edges of a box
 * are lines: between two faces in the shade nothing else is seen. */
function solid(parameters, box) {
  const material = new THREE.MeshStandardMaterial(parameters);
  material.customProgramCacheKey = () => String(box);
  if (box) material.defines = { ...material.defines, USE_UV: "" };
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = `#undef varying\n#define varying centroid out\n${shader.vertexShader}`;
    shader.fragmentShader = `#undef varying\n#define varying centroid in\n${shader.fragmentShader}`.replace(
      "#include <normal_fragment_begin>",
      "vec3 normal = normalize(vNormal);\nif (dot(normal, vViewPosition) < 0.0) normal = -normal;\nvec3 nonPerturbedNormal = normal;",
    );
    if (box) {
      shader.fragmentShader = shader.fragmentShader.replace(
        "#include <color_fragment>",
        "vec2 edge = min(vUv, 1.0 - vUv) / max(fwidth(vUv), 1e-6);\ndiffuseColor.rgb *= mix(0.55, 1.0, smoothstep(0.3, 1.4, min(edge.x, edge.y)));",
      );
    }
  };
  return material;
}

function percentile(values, share) {
  const sorted = values.filter((x) => x > 0).sort((a, b) => a - b);
  return sorted.length ? sorted[Math.floor(share * (sorted.length - 1))] : 0;
}

export class Robot {
  constructor(recording, index) {
    this.r = recording;
    this.index = index;
    this.visible = true;
    this.root = new THREE.Group();
    this.bodies = recording.bodies.map(() => new THREE.Group());
    this.bodies.forEach((body) => this.root.add(body));
    this.shapes = [];
    /** Planes of the world, each once. */
    this.planes = [];
    /** Bodies that are not drawn. */
    this.hidden = new Set();
    /** Coordinates that sliders have set, by joint. */
    this.moved = new Map();
    // The others are drawn by their collision geoms.
    this.drawn = new Set(recording.shapes.filter((s) => s.visual).map((s) => s.body));
    this.build();
    this.surfaces = new Surfaces(this.root, recording);
    this.contacts = new Arrows(this.root);
    this.cones = new Cones(this.root);
    this.wrenches = new Arrows(this.root);
    this.gradients = new Arrows(this.root, true);
    /** The picked contact of the frame, and its arrow with a ring. */
    this.picked = null;
    this.chosen = new Arrows(this.root, true);
    this.com = new THREE.Mesh(
      new THREE.SphereGeometry(0.02, 20, 14),
      new THREE.MeshBasicMaterial({ color: "#facc15", depthTest: false, transparent: true, toneMapped: false }),
    );
    this.com.renderOrder = 3;
    this.root.add(this.com);
    this.support = new THREE.Mesh(
      new THREE.BufferGeometry(),
      new THREE.MeshBasicMaterial({
        color: "#facc15", transparent: true, opacity: 0.3, side: THREE.DoubleSide, depthWrite: false, toneMapped: false,
      }),
    );
    this.root.add(this.support);
    this.measure();
    this.marks = new Marks(this);
  }

  depth(body) {
    let depth = 0;
    for (let b = body; b > 0; b = this.r.bodies[b].parent) depth++;
    return depth;
  }

  /** Bodies on the world, each with a number of its own. */
  rootNumber(body) {
    const roots = this.r.bodies.map((b, i) => i).filter((i) => i > 0 && this.r.bodies[i].parent === 0);
    return roots.indexOf(body);
  }

  color(shape) {
    if (shape.rgba) return new THREE.Color().setRGB(...shape.rgba.slice(0, 3), THREE.SRGBColorSpace);
    if (shape.body === 0) return new THREE.Color("#8b95a1");
    const children = this.r.bodies.some((b, i) => i > 0 && b.parent === shape.body);
    const lone = this.r.bodies[shape.body].parent === 0 && !children;
    const number = lone ? this.rootNumber(shape.body) : this.depth(shape.body) - 1;
    return new THREE.Color(PALETTE[number % PALETTE.length]);
  }

  /** The texture of an image of the recording. */
  texture(image) {
    this.textures ??= this.r.pictures.map((picture) => {
      if (!picture) return null;
      const texture = new THREE.Texture(picture);
      Object.assign(texture, { colorSpace: THREE.SRGBColorSpace, flipY: false, wrapS: THREE.RepeatWrapping, wrapT: THREE.RepeatWrapping, anisotropy: 4, needsUpdate: true });
      return texture;
    });
    return this.textures[image];
  }

  build() {
    const meshes = this.r.meshes.map(meshGeometry);
    for (const shape of this.r.shapes) {
      if (shape.kind === 0) {
        this.addPlane(shape);
        continue;
      }
      const geometry = shapeGeometry(shape, meshes);
      if (!geometry) continue;
      const mesh = this.add(shape, geometry);
      mesh.position.fromArray(shape.position);
      mesh.quaternion.fromArray(shape.quaternion);
    }
    if (this.shapes.some(({ shape }) => shape.body > 0)) return;
    this.place(this.r.arrays.time[0]);
    for (const [body, geometry] of bones(this.r.bodies, this.bodies)) this.add({ body, visual: false, name: "" }, geometry);
  }

  addPlane(shape) {
    const up = new THREE.Vector3(0, 0, 1).applyQuaternion(new THREE.Quaternion().fromArray(shape.quaternion));
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(up, new THREE.Vector3().fromArray(shape.position));
    const same = (p) => p.plane.normal.dot(up) > 1 - 1e-9 && Math.abs(p.plane.constant - plane.constant) < 1e-9;
    if (!this.planes.some(same)) this.planes.push({ shape, plane });
  }

  add(shape, geometry) {
    const alpha = shape.rgba ? shape.rgba[3] : 1;
    const { image, colors } = this.r.meshes[shape.mesh] ?? {};
    const map = (image !== undefined && this.texture(image)) || null;
    const material = solid({
      map, vertexColors: Boolean(colors), color: map || colors ? new THREE.Color("#fff") : this.color(shape), roughness: 0.62, metalness: 0.08,
      transparent: alpha < 1, opacity: alpha, side: THREE.DoubleSide,
    }, shape.kind === BOX);
    const mesh = new THREE.Mesh(geometry, material);
    mesh.castShadow = alpha > 0.5;
    mesh.receiveShadow = true;
    mesh.userData = { robot: this, body: shape.body, shape, color: material.color.clone() };
    this.bodies[shape.body].add(mesh);
    this.shapes.push({ mesh, shape, alpha });
    return mesh;
  }

  /** Sizes that arrows are scaled by. */
  measure() {
    this.place(0);
    this.root.updateMatrixWorld(true);
    const box = new THREE.Box3();
    for (const { mesh, shape } of this.shapes) if (shape.body > 0) box.expandByObject(mesh);
    if (box.isEmpty()) box.set(new THREE.Vector3(-0.5, -0.5, 0), new THREE.Vector3(0.5, 0.5, 1));
    this.box = box;
    this.size = Math.max(1e-6, box.getSize(new THREE.Vector3()).length());
    this.unit = this.largest();
    // Geoms of the world that are near, and not much larger, should be visible with it.
    this.scenery = box.clone();
    const near = box.clone().expandByScalar(3 * this.size);
    for (const { mesh, shape } of this.shapes) {
      if (shape.body !== 0) continue;
      const own = new THREE.Box3().setFromObject(mesh);
      if (near.containsBox(own)) this.scenery.union(own);
    }
    const surfaces = this.surfaces.box(0);
    if (near.expandByScalar(7 * this.size).containsBox(surfaces)) this.scenery.union(surfaces);
    Object.assign(this, this.survey());
    const a = this.r.arrays;
    const norms = (x) => Array.from({ length: x.length / 3 }, (_, i) => Math.hypot(x[3 * i], x[3 * i + 1], x[3 * i + 2]));
    this.impulseScale = 1 / (percentile(norms(a.impulse), 0.95) || 1);
    this.wrenchScale = 1 / (percentile(norms(a.wrench), 0.95) || 1);
    const arrows = norms(a.arrowVector);
    this.gradientScale = [0, 1, 2, 3].map((quantity) => {
      const of = arrows.filter((_, i) => a.arrowQuantity[i] === quantity);
      return quantity === 3 ? 1 / 0.3 / this.unit : 1 / (percentile(of, 1) || 1);
    });
    this.com.scale.setScalar(this.unit);
    for (const x of [this.contacts, this.wrenches]) x.width = 0.008 * this.unit;
    this.chosen.width = 0.013 * this.unit;
    this.gradients.width = 0.007 * this.unit;
  }

  /** A point of the recording in the world. */
  inWorld(point) {
    return point.clone().add(new THREE.Vector3().fromArray(this.r.origin));
  }

  /** Decimals of lengths: millimetres, and a hundredth of a small robot. */
  get places() {
    return Math.max(3, decimals(this.unit, 3));
  }

  /** The size of the largest robot, that is of bodies that hang together. A pile has many small ones. */
  largest() {
    const boxes = {};
    for (const { mesh, shape } of this.shapes) {
      if (shape.body === 0) continue;
      let root = shape.body;
      while (this.r.bodies[root].parent > 0) root = this.r.bodies[root].parent;
      (boxes[root] ??= new THREE.Box3()).expandByObject(mesh);
    }
    const sizes = Object.values(boxes).map((box) => box.getSize(new THREE.Vector3()).length());
    return sizes.length ? Math.max(1e-6, ...sizes) : this.size;
  }

  /** Where the robot is now, from the root. */
  boxNow() {
    this.root.updateMatrixWorld(true);
    const box = new THREE.Box3();
    for (const { mesh, shape } of this.shapes) if (shape.body > 0 && !this.hidden.has(shape.body)) box.expandByObject(mesh);
    return box.isEmpty() ? this.scenery.clone() : box.translate(this.root.position.clone().negate());
  }

  /** The point that the camera follows: the centre of mass; without masses, the centre of the shapes. */
  middle() {
    return this.centerOfMass() ?? this.boxNow().getCenter(new THREE.Vector3());
  }

  /** Looks through the run: the room that it takes, how far its middle gets from the start, and its sizes at even times. */
  survey() {
    const { time } = this.r.arrays;
    const start = this.middle();
    const room = this.scenery.clone();
    // A body that flies far away does not make the others small.
    const near = this.box.clone().expandByScalar(0.5 * this.size);
    let travel = 0;
    const sizes = [this.size];
    const looks = Math.min(this.r.count, LOOKS);
    for (let k = 1; k < looks; k++) {
      this.place(time[Math.round((k * (this.r.count - 1)) / (looks - 1))]);
      const now = this.boxNow();
      sizes.push(now.getSize(new THREE.Vector3()).length());
      room.union(now.intersect(near));
      travel = Math.max(travel, this.middle().distanceTo(start));
    }
    this.place(time[0]);
    return { room, travel, sizes };
  }

  /** Its size at a time, between those of the survey. */
  sizeAt(t) {
    const { time } = this.r.arrays;
    const last = this.sizes.length - 1;
    const at = (last * (t - time[0])) / (time[this.r.count - 1] - time[0] || 1);
    const k = Math.min(last, Math.max(0, Math.floor(at)));
    const next = Math.min(last, k + 1);
    return this.sizes[k] + Math.min(1, Math.max(0, at - k)) * (this.sizes[next] - this.sizes[k]);
  }

  /** Places the bodies at a time; between frames they move evenly. */
  place(t) {
    const { r } = this;
    const at = locate(r.arrays.time, t);
    this.at = at;
    const poses = r.arrays.poses;
    const value = (body, k, frame) => poses[(7 * r.slots[body] + k) * r.count + frame];
    r.bodies.forEach((_, body) => {
      const group = this.bodies[body];
      const slot = r.slots[body];
      if (slot < 0) {
        const still = r.still[body];
        group.position.fromArray(still, 0);
        group.quaternion.fromArray(still, 3);
        return;
      }
      const [s, n] = [at.share, at.next];
      const mix = (k) => (value(body, k, at.frame) * (1 - s) + value(body, k, n) * s) * r.lengthStep;
      group.position.set(mix(0), mix(1), mix(2));
      const turn = (q, frame) => q.set(value(body, 3, frame), value(body, 4, frame), value(body, 5, frame), value(body, 6, frame));
      turn(qa, at.frame).normalize();
      if (s > 0) qa.slerp(turn(qb, n).normalize(), s);
      group.quaternion.copy(qa);
    });
    // A shape fixed to another body follows it.
    r.bodies.forEach((_, body) => {
      const carrier = r.carriers[body];
      if (carrier < 0) return;
      const c = this.bodies[carrier];
      const group = this.bodies[body];
      group.position.applyQuaternion(c.quaternion).add(c.position);
      group.quaternion.premultiply(c.quaternion);
    });
    this.frame = at.share > 0.5 ? at.next : at.frame;
    if (this.moved.size) move(this);
  }

  /** Velocity of a body from its poses around this frame: linear and angular, world axes. */
  velocity(body) {
    const { time } = this.r.arrays;
    const [a, b] = [Math.max(0, this.frame - 1), Math.min(this.r.count - 1, this.frame + 1)];
    const group = this.bodies[body];
    const now = time[this.at.frame] + this.at.share * (time[this.at.next] - time[this.at.frame]);
    this.place(time[a]);
    const p0 = group.position.clone();
    const q0 = group.quaternion.clone();
    this.place(time[b]);
    const dt = time[b] - time[a] || 1;
    const v = group.position.clone().sub(p0).multiplyScalar(1 / dt);
    const dq = group.quaternion.clone().multiply(q0.invert());
    if (dq.w < 0) dq.set(-dq.x, -dq.y, -dq.z, -dq.w);
    const sine = Math.hypot(dq.x, dq.y, dq.z);
    const w = new THREE.Vector3(dq.x, dq.y, dq.z);
    w.multiplyScalar(sine > 1e-9 ? (2 * Math.atan2(sine, dq.w)) / sine / dt : 2 / dt);
    this.place(now);
    return [v, w];
  }

  centerOfMass(out = new THREE.Vector3()) {
    let mass = 0;
    out.set(0, 0, 0);
    const p = new THREE.Vector3();
    this.r.bodies.forEach((body, i) => {
      if (i === 0 || body.mass <= 0) return;
      p.fromArray(body.com).applyQuaternion(this.bodies[i].quaternion).add(this.bodies[i].position);
      out.addScaledVector(p, body.mass);
      mass += body.mass;
    });
    return mass > 0 ? out.multiplyScalar(1 / mass) : null;
  }

  /** The shown shapes. */
  dress(options) {
    for (const { mesh, shape, alpha } of this.shapes) {
      const only = shape.body === 0 || !this.drawn.has(shape.body);
      mesh.visible = options.shapes === "both" || (options.shapes === "visual") === shape.visual || only;
      if (this.hidden.has(shape.body)) mesh.visible = false;
      mesh.material.wireframe = options.wire;
      const ghost = options.shapes === "both" && !shape.visual && !only;
      const opacity = alpha * (ghost ? 0.35 : 1) * (options.ghost ? 0.35 : 1) * (options.see ? 0.45 : 1);
      mesh.material.opacity = opacity;
      const transparent = opacity < 1;
      if (mesh.material.transparent !== transparent) {
        mesh.material.transparent = transparent;
        mesh.material.needsUpdate = true;
      }
      mesh.material.depthWrite = opacity > 0.9;
    }
  }

  friction(ga, gb) {
    const f = this.r.frictions;
    return Math.max(f[ga] ?? 0, f[gb] ?? 0);
  }

  overlays(options) {
    const a = this.r.arrays;
    const f = this.frame;
    const reach = 0.3 * this.unit * options.scale;
    const vector = (array, i) => new THREE.Vector3().fromArray(array, 3 * i);
    const cones = [];
    const touching = [];
    this.surfaces.show(f, options);
    this.contacts.clear();
    this.chosen.clear();
    this.touches = [];
    for (let i = a.contactStart[f]; i < a.contactStart[f + 1]; i++) {
      const point = vector(a.point, i);
      const color = MODE_COLORS[a.mode[i]] ?? MODE_COLORS[3];
      if (this.hidden.has(a.bodyA[i]) || this.hidden.has(a.bodyB[i])) continue;
      // The impulse is that on body B; the arrow shows the impulse of the world on the robot.
      const onA = a.bodyB[i] === 0;
      const impulse = vector(a.impulse, i).multiplyScalar(reach * this.impulseScale * (onA ? -1 : 1));
      const normal = vector(a.normal, i).multiplyScalar(onA ? -1 : 1);
      if (i === this.picked) this.chosen.add(point, impulse.lengthSq() > 0 ? impulse : normal.clone().multiplyScalar(0.05 * this.unit), PICKED, true);
      else this.contacts.add(point, impulse, color);
      this.touches.push({ index: i, from: point, to: point.clone().add(impulse) });
      cones.push([point, normal, this.friction(a.geomA[i], a.geomB[i]), color]);
      if (a.bodyA[i] === 0 || a.bodyB[i] === 0) touching.push(point);
    }
    this.contacts.finish(options.contacts);
    this.chosen.finish(options.contacts);
    this.cones.show(cones, 0.06 * this.unit, options.cones);
    this.wrenches.clear();
    for (let i = a.wrenchStart[f]; i < a.wrenchStart[f + 1]; i++) {
      const at = this.bodies[a.wrenchBody[i]].position.clone();
      this.wrenches.add(at, vector(a.wrench, 2 * i).multiplyScalar(reach * this.wrenchScale), WRENCH);
      this.wrenches.add(at, vector(a.wrench, 2 * i + 1).multiplyScalar(reach * this.wrenchScale), WRENCH, true);
    }
    this.wrenches.finish(options.contacts);
    this.gradientArrows(options, reach, vector);
    this.marks.show(options);
    this.balance(options, touching);
  }

  /** Gradients of this frame; those by the initial state stay with the bodies for the whole run where `hold` is set. */
  gradientArrows(options, reach, vector) {
    const a = this.r.arrays;
    this.gradients.clear();
    const draw = (i, moved) => {
      const quantity = a.arrowQuantity[i];
      const v = vector(a.arrowVector, i).multiplyScalar(1.4 * reach * this.gradientScale[quantity]);
      const point = vector(a.arrowPoint, i);
      if (moved) point.copy(this.bodies[a.arrowBody[i]].position);
      this.gradients.add(point, v, QUANTITY_COLORS[quantity], a.arrowAngular[i] === 1);
    };
    for (let i = a.arrowStart[this.frame]; i < a.arrowStart[this.frame + 1]; i++) draw(i, false);
    if (options.hold && this.frame > 0) {
      for (let i = a.arrowStart[0]; i < a.arrowStart[1]; i++) draw(i, true);
    }
    this.gradients.finish(options.gradients);
  }

  balance(options, touching) {
    const com = options.com ? this.centerOfMass() : null;
    this.com.visible = com !== null;
    if (com) this.com.position.copy(com);
    const hull = options.com ? convexHull(touching) : [];
    this.support.visible = hull.length > 2;
    if (hull.length > 2) {
      const z = Math.min(...touching.map((p) => p.z)) + 0.002 * this.size;
      const triangles = [];
      for (let i = 1; i + 1 < hull.length; i++) {
        for (const p of [hull[0], hull[i], hull[i + 1]]) triangles.push(p.x, p.y, z);
      }
      this.support.geometry.setAttribute("position", new THREE.Float32BufferAttribute(triangles, 3));
      this.support.geometry.computeBoundingSphere();
    }
  }
}

/** Of the points' shadows on the ground, counter-clockwise. */
export function convexHull(points) {
  const sorted = [...points].sort((p, q) => p.x - q.x || p.y - q.y);
  const cross = (o, a, b) => (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x);
  const half = (list) => {
    const chain = [];
    for (const p of list) {
      while (chain.length > 1 && cross(chain[chain.length - 2], chain[chain.length - 1], p) <= 1e-12) chain.pop();
      chain.push(p);
    }
    return chain.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
}
