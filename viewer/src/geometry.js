// Shapes as triangles.
import * as THREE from "three";

const CREASE = Math.cos((32 * Math.PI) / 180);

/** Normals per corner: faces that meet at less than the crease angle share one, weighted by their areas. */
export function creased(points, triangles) {
  const corners = triangles.length;
  const faces = corners / 3;
  const vertices = points.length / 3;
  const nx = new Float32Array(faces), ny = new Float32Array(faces), nz = new Float32Array(faces);
  const area = new Float32Array(faces);
  const first = new Uint32Array(vertices + 1);
  for (let f = 0; f < faces; f++) {
    const a = 3 * triangles[3 * f], b = 3 * triangles[3 * f + 1], c = 3 * triangles[3 * f + 2];
    const ux = points[b] - points[a], uy = points[b + 1] - points[a + 1], uz = points[b + 2] - points[a + 2];
    const vx = points[c] - points[a], vy = points[c + 1] - points[a + 1], vz = points[c + 2] - points[a + 2];
    const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
    const length = Math.sqrt(x * x + y * y + z * z) || 1;
    nx[f] = x / length;
    ny[f] = y / length;
    nz[f] = z / length;
    area[f] = length;
  }
  for (let i = 0; i < corners; i++) first[triangles[i] + 1]++;
  for (let i = 1; i <= vertices; i++) first[i] += first[i - 1];
  const fill = first.slice();
  const around = new Uint32Array(corners);
  for (let f = 0, i = 0; f < faces; f++) for (let k = 0; k < 3; k++, i++) around[fill[triangles[i]]++] = f;
  const position = new Float32Array(3 * corners);
  const normal = new Float32Array(3 * corners);
  for (let f = 0, i = 0; f < faces; f++) {
    const fx = nx[f], fy = ny[f], fz = nz[f];
    for (let k = 0; k < 3; k++, i++) {
      const v = triangles[i];
      let x = 0, y = 0, z = 0;
      for (let n = first[v], end = first[v + 1]; n < end; n++) {
        const g = around[n];
        if (fx * nx[g] + fy * ny[g] + fz * nz[g] < CREASE) continue;
        x += area[g] * nx[g];
        y += area[g] * ny[g];
        z += area[g] * nz[g];
      }
      const length = Math.sqrt(x * x + y * y + z * z) || 1;
      const at = 3 * i;
      normal[at] = x / length;
      normal[at + 1] = y / length;
      normal[at + 2] = z / length;
      position[at] = points[3 * v];
      position[at + 1] = points[3 * v + 1];
      position[at + 2] = points[3 * v + 2];
    }
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(position, 3));
  geometry.setAttribute("normal", new THREE.BufferAttribute(normal, 3));
  return geometry;
}

/** Points as 16-bit places in their box, all x, all y and so on, as one after the other. */
function unpacked({ points, low, step }) {
  const size = low.length;
  const n = points.length / size;
  const out = new Float32Array(points.length);
  for (let axis = 0; axis < size; axis++) {
    for (let i = 0; i < n; i++) out[size * i + axis] = low[axis] + step[axis] * points[axis * n + i];
  }
  return out;
}

/** A mesh of the page, with the colours of its corners or their places in an image. */
export function meshGeometry(mesh) {
  const geometry = creased(unpacked(mesh), mesh.triangles);
  if (mesh.places) geometry.setAttribute("uv", new THREE.BufferAttribute(unpacked(mesh.places), 2));
  if (mesh.colors) {
    const linear = Array.from({ length: 256 }, (_, i) => new THREE.Color().setRGB(i / 255, 0, 0, THREE.SRGBColorSpace).r);
    geometry.setAttribute("color", new THREE.BufferAttribute(Float32Array.from(mesh.colors, (x) => linear[x]), 3));
  }
  return geometry;
}

/** Kinds as in ds_geom_kind. */
export function shapeGeometry(shape, meshes) {
  const [a, b, c] = shape.size;
  switch (shape.kind) {
    case 1:
      return new THREE.SphereGeometry(a, 32, 20);
    case 2:
      return new THREE.CapsuleGeometry(a, 2 * b, 10, 24).rotateX(Math.PI / 2);
    case 3:
      return new THREE.CylinderGeometry(a, a, 2 * b, 32).rotateX(Math.PI / 2);
    case 4:
      return new THREE.SphereGeometry(1, 32, 20).scale(a, b, c);
    case 5:
      return new THREE.BoxGeometry(2 * a, 2 * b, 2 * c);
    case 6:
      return meshes[shape.mesh];
    default:
      return null;
  }
}
