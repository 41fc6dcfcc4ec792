// Surfaces in the world that a recording has as triangles: deformable bodies, contact patches, any drawing of the caller.
import * as THREE from "three";

export class Surfaces {
  constructor(parent, recording) {
    this.r = recording;
    this.meshes = recording.surfaces.names.map((name) => {
      const material = new THREE.MeshStandardMaterial({ roughness: 0.62, metalness: 0.08, flatShading: true, side: THREE.DoubleSide });
      const mesh = new THREE.Mesh(new THREE.BufferGeometry(), material);
      mesh.frustumCulled = false;
      mesh.receiveShadow = true;
      mesh.userData = { name };
      parent.add(mesh);
      return mesh;
    });
  }

  /** Those of a frame. */
  versions(frame) {
    const { surfaceStart, surfaceShown } = this.r.arrays;
    return [...surfaceShown.subarray(surfaceStart[frame], surfaceStart[frame + 1])].map((i) => this.r.surfaces.versions[i]);
  }

  points({ points: [start, count] }) {
    return this.r.arrays.surfacePoints.subarray(3 * start, 3 * (start + count));
  }

  /** Names, with the colours that they have first. */
  legend() {
    const { names, versions } = this.r.surfaces;
    return names.map((name, i) => {
      const [r, g, b] = versions.find((v) => v.name === i).rgba;
      return { name, color: new THREE.Color().setRGB(r, g, b, THREE.SRGBColorSpace).getStyle() };
    });
  }

  /** Where those of a frame are. */
  box(frame) {
    const box = new THREE.Box3();
    for (const version of this.versions(frame)) box.union(new THREE.Box3().setFromArray(this.points(version)));
    return box;
  }

  show(frame, options) {
    for (const mesh of this.meshes) mesh.visible = false;
    if (!options.surfaces) return;
    const opacity = (options.ghost ? 0.35 : 1) * (options.see ? 0.45 : 1);
    for (const version of this.versions(frame)) {
      const mesh = this.meshes[version.name];
      if (mesh.userData.version !== version) this.shape(mesh, version);
      mesh.visible = true;
      dress(mesh, version.rgba, opacity);
    }
  }

  /** A surface of the same sizes is written over the last one. */
  shape(mesh, version) {
    const points = this.points(version);
    const [start, count] = version.triangles;
    const triangles = this.r.arrays.surfaceTriangles.subarray(3 * start, 3 * (start + count));
    const old = mesh.geometry;
    if (old.index?.count !== triangles.length || old.attributes.position.array.length !== points.length) {
      mesh.geometry = new THREE.BufferGeometry();
      mesh.geometry.setAttribute("position", new THREE.BufferAttribute(points.slice(), 3));
      mesh.geometry.setIndex(new THREE.BufferAttribute(triangles.slice(), 1));
      old.dispose();
    } else {
      old.attributes.position.array.set(points);
      old.attributes.position.needsUpdate = true;
      old.index.array.set(triangles);
      old.index.needsUpdate = true;
    }
    mesh.userData.version = version;
  }
}

function dress(mesh, [r, g, b, alpha], share) {
  const { material } = mesh;
  material.color.setRGB(r, g, b, THREE.SRGBColorSpace);
  material.opacity = alpha * share;
  const transparent = material.opacity < 1;
  if (material.transparent !== transparent) {
    material.transparent = transparent;
    material.needsUpdate = true;
  }
  material.depthWrite = material.opacity > 0.9;
  mesh.castShadow = material.opacity > 0.5;
}
