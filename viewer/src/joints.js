// Joints of one dof that sliders move: poses follow from those of the recording.
import * as THREE from "three";

const REVOLUTE = 1;
const CONTINUOUS = 2;
const PRISMATIC = 3;

/** Whether a slider can move a joint. */
export const movable = (joint) => [REVOLUTE, CONTINUOUS, PRISMATIC].includes(joint.kind);

/** The unit of a joint's coordinate. */
export const unitOf = (joint) => (joint.kind === PRISMATIC ? "m" : "rad");

/** The range of a joint's slider; a turn each way, or a robot's length, where the joint has no limit. */
export function range(joint, size) {
  const most = joint.kind === PRISMATIC ? size : Math.PI;
  return [joint.lower ?? -most, joint.upper ?? most];
}

/** The motion of a joint at a coordinate, in the frame of its body. */
function motion(joint, x) {
  const axis = new THREE.Vector3().fromArray(joint.axis);
  if (joint.kind === PRISMATIC) return new THREE.Matrix4().makeTranslation(axis.multiplyScalar(x));
  const anchor = new THREE.Vector3().fromArray(joint.anchor);
  const turn = new THREE.Matrix4().makeRotationAxis(axis, x);
  const there = new THREE.Matrix4().makeTranslation(anchor);
  const back = new THREE.Matrix4().makeTranslation(anchor.negate());
  return there.multiply(turn).multiply(back);
}

/** Moves the bodies of a robot, which stand as recorded, to the coordinates in `robot.moved`. */
export function move(robot) {
  const { r, bodies, frame } = robot;
  const one = new THREE.Vector3(1, 1, 1);
  const pose = (group) => new THREE.Matrix4().compose(group.position, group.quaternion, one);
  const before = bodies.map(pose);
  const after = before.map((m) => m.clone());
  for (let body = 1; body < bodies.length; body++) {
    const { parent } = r.bodies[body];
    const relative = before[parent].clone().invert().multiply(before[body]);
    const joints = r.joints.filter((j) => j.body === body && movable(j));
    if (joints.some((j) => robot.moved.has(j))) {
      const recorded = (j) => r.arrays.q[j.iq * r.count + frame];
      const whole = (coordinate) => joints.reduce((m, j) => m.multiply(motion(j, coordinate(j))), new THREE.Matrix4());
      relative.multiply(whole(recorded).invert()).multiply(whole((j) => robot.moved.get(j) ?? recorded(j)));
    }
    after[body].multiplyMatrices(after[parent], relative);
    after[body].decompose(bodies[body].position, bodies[body].quaternion, new THREE.Vector3());
  }
}
