// Many arrows, rings and cones, drawn at once.
import * as THREE from "three";

const UP = new THREE.Vector3(0, 1, 0);
const q = new THREE.Quaternion();
const p = new THREE.Vector3();
const s = new THREE.Vector3();
const m = new THREE.Matrix4();
const d = new THREE.Vector3();

function instanced(geometry, capacity, material) {
  const made = new THREE.InstancedMesh(geometry, material, capacity);
  made.instanceColor = new THREE.InstancedBufferAttribute(new Float32Array(3 * capacity), 3);
  made.frustumCulled = false;
  made.count = 0;
  return made;
}

/** Arrows whose number and places change in every frame. Room grows as they come. */
export class Arrows {
  /** above: bodies do not hide them. */
  constructor(parent, above = false) {
    this.parent = parent;
    this.width = 0.01;
    this.order = above ? 2 : 0;
    this.material = new THREE.MeshBasicMaterial({ toneMapped: false, depthTest: !above, transparent: above, opacity: above ? 0.75 : 1 });
    // What bodies hide of the others is faint.
    this.behind = !above && new THREE.MeshBasicMaterial({ toneMapped: false, depthFunc: THREE.GreaterDepth, depthWrite: false, transparent: true, opacity: 0.3 });
    this.room = 0;
    this.grow(64);
  }

  grow(room) {
    for (const part of [...(this.parts ?? []), ...(this.faint ?? [])]) {
      this.parent.remove(part);
      part.dispose();
    }
    const shaft = new THREE.CylinderGeometry(1, 1, 1, 10).translate(0, 0.5, 0);
    const head = new THREE.ConeGeometry(1, 1, 14).translate(0, 0.5, 0);
    const ring = new THREE.TorusGeometry(1, 0.16, 8, 28).rotateX(Math.PI / 2);
    this.parts = [shaft, head, ring].map((g) => instanced(g, room, this.material));
    this.faint = !this.behind ? [] : this.parts.map((part) => {
      const twin = instanced(part.geometry, 0, this.behind);
      [twin.instanceMatrix, twin.instanceColor] = [part.instanceMatrix, part.instanceColor];
      return twin;
    });
    for (const part of [...this.parts, ...this.faint]) {
      part.renderOrder = this.order;
      this.parent.add(part);
    }
    this.room = room;
  }

  clear() {
    this.list = [];
  }

  /** From a point along a vector [m]; with a ring where it is a rotation about it. */
  add(point, vector, color, angular = false) {
    this.list.push([point, vector, color, angular]);
  }

  finish(visible) {
    if (this.list.length > this.room) this.grow(2 * this.list.length);
    const [shafts, heads, rings] = this.parts;
    let count = 0;
    let turned = 0;
    if (visible) {
      for (const [point, vector, color, angular] of this.list) {
        const length = vector.length();
        if (!(length > 1e-3 * this.width)) continue;
        const w = Math.min(this.width, 0.12 * length);
        const tip = Math.min(4 * w, 0.5 * length);
        q.setFromUnitVectors(UP, d.copy(vector).multiplyScalar(1 / length));
        shafts.setMatrixAt(count, m.compose(point, q, s.set(w, length - tip, w)));
        p.copy(point).addScaledVector(d, length - tip);
        heads.setMatrixAt(count, m.compose(p, q, s.set(2.4 * w, tip, 2.4 * w)));
        shafts.setColorAt(count, color);
        heads.setColorAt(count, color);
        count++;
        if (angular) {
          p.copy(point).addScaledVector(d, 0.5 * length);
          rings.setMatrixAt(turned, m.compose(p, q, s.setScalar(4.5 * w)));
          rings.setColorAt(turned, color);
          turned++;
        }
      }
    }
    shafts.count = heads.count = count;
    rings.count = turned;
    for (const [k, part] of this.parts.entries()) {
      part.visible = part.count > 0;
      part.instanceMatrix.needsUpdate = true;
      part.instanceColor.needsUpdate = true;
      const twin = this.faint[k];
      if (twin) [twin.count, twin.visible] = [part.count, part.visible];
    }
    this.shown = count;
  }
}

/** Friction cones: open ones with the apex at the contact. */
export class Cones {
  constructor(parent) {
    this.parent = parent;
    this.material = new THREE.MeshBasicMaterial({
      transparent: true,
      opacity: 0.22,
      side: THREE.DoubleSide,
      depthWrite: false,
      toneMapped: false,
    });
    this.room = 0;
    this.grow(64);
  }

  grow(room) {
    if (this.mesh) {
      this.parent.remove(this.mesh);
      this.mesh.dispose();
    }
    const cone = new THREE.ConeGeometry(1, 1, 24, 1, true).rotateX(Math.PI).translate(0, 0.5, 0);
    this.mesh = instanced(cone, room, this.material);
    this.parent.add(this.mesh);
    this.room = room;
  }

  show(list, height, visible) {
    if (list.length > this.room) this.grow(2 * list.length);
    let count = 0;
    if (visible) {
      for (const [point, normal, friction, color] of list) {
        const w = height * Math.min(friction, 5);
        q.setFromUnitVectors(UP, normal);
        this.mesh.setMatrixAt(count, m.compose(point, q, s.set(w, height, w)));
        this.mesh.setColorAt(count, color);
        count++;
      }
    }
    this.mesh.count = count;
    this.mesh.visible = count > 0;
    this.mesh.instanceMatrix.needsUpdate = true;
    this.mesh.instanceColor.needsUpdate = true;
  }
}
