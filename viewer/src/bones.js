// Stands for a robot without shapes: a ball where each body's frame is, a bone to its children or its mass.
import * as THREE from "three";

const UP = new THREE.Vector3(0, 1, 0);

/** Geometries of all bodies in their own frames, as they stand to each other in `groups`: [body, geometry]. */
export function bones(bodies, groups) {
  const places = groups.map((g) => g.position);
  const extent = Math.max(1e-6, new THREE.Box3().setFromPoints(places).getSize(new THREE.Vector3()).length());
  const width = 0.025 * extent;
  const made = [];
  const bone = (body, end) => {
    const length = end.length();
    if (length < width) return;
    const turn = new THREE.Quaternion().setFromUnitVectors(UP, end.clone().divideScalar(length));
    const geometry = new THREE.CylinderGeometry(0.35 * width, 0.6 * width, length, 8).translate(0, length / 2, 0);
    made.push([body, geometry.applyQuaternion(turn)]);
  };
  for (let body = 1; body < bodies.length; body++) {
    made.push([body, new THREE.SphereGeometry(width, 16, 12)]);
    const children = bodies.flatMap((b, i) => (i > 0 && i !== body && b.parent === body ? [i] : []));
    const back = groups[body].quaternion.clone().invert();
    for (const child of children) bone(body, places[child].clone().sub(places[body]).applyQuaternion(back));
    if (!children.length && bodies[body].mass > 0) bone(body, new THREE.Vector3().fromArray(bodies[body].com));
  }
  return made;
}
