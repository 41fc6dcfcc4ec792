// Camera, light and ground.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

const THEMES = {
  light: { sky: "#c6d0db", ground: "#a3aeba", line: "#87929e", room: 1, sun: 2.3, rim: 0.9 },
  dark: { sky: "#171c22", ground: "#2e3740", line: "#4a5663", room: 0.8, sun: 2.4, rim: 1.0 },
};

/** What stands around the scene and lights it from everywhere: direction, colour, strength. A window at the left is
 * brighter than the sky; little comes from the right: the faces of a box differ, whichever way the sun leaves in the shade. */
const ROOM = [
  [[0, 0, 1], "#e6efff", 0.9],
  [[-0.8, -0.5, 0.3], "#fffaf4", 0.75],
  [[0.9, 0.2, 0.1], "#b9c8de", 0.3],
  [[0, 0, -1], "#8b8b8e", 0.45],
];

/** The light of the room as spherical harmonics: no texture, no second pass. */
function room() {
  const probe = new THREE.LightProbe();
  const basis = new Array(9);
  for (const [direction, color, strength] of ROOM) {
    THREE.SphericalHarmonics3.getBasisAt(new THREE.Vector3(...direction).normalize(), basis);
    const c = new THREE.Color(color);
    probe.sh.coefficients.forEach((x, k) => x.addScaledVector(new THREE.Vector3(c.r, c.g, c.b), strength * basis[k]));
  }
  return probe;
}

/** One tile with its lines. filled: false leaves out the ground between them. */
function tiles(theme, filled) {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 256;
  const c = canvas.getContext("2d");
  c.fillStyle = theme.ground;
  if (filled) c.fillRect(0, 0, 256, 256);
  c.strokeStyle = theme.line;
  c.lineWidth = 3;
  c.strokeRect(0, 0, 256, 256);
  c.lineWidth = 1;
  c.globalAlpha = 0.6;
  for (let k = 1; k < 4; k++) {
    c.beginPath();
    c.moveTo(64 * k, 0);
    c.lineTo(64 * k, 256);
    c.moveTo(0, 64 * k);
    c.lineTo(256, 64 * k);
    c.stroke();
  }
  const texture = new THREE.CanvasTexture(canvas);
  texture.colorSpace = THREE.SRGBColorSpace;
  texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
  texture.anisotropy = 8;
  return texture;
}

export class Stage {
  constructor(canvas) {
    this.canvas = canvas;
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
    this.renderer.toneMapping = THREE.ACESFilmicToneMapping;
    this.renderer.toneMappingExposure = 1.05;
    this.scene = new THREE.Scene();
    this.perspective = new THREE.PerspectiveCamera(42, 1, 0.01, 500);
    this.parallel = new THREE.OrthographicCamera();
    for (const camera of [this.perspective, this.parallel]) camera.up.set(0, 0, 1);
    this.camera = this.perspective;
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.maxPolarAngle = 0.98 * Math.PI;
    this.controls.zoomToCursor = true;
    this.room = room();
    this.sun = new THREE.DirectionalLight("#fff8ee", 2);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.bias = -0.0004;
    // From behind: edges of white robots stand out from a white ground.
    this.rim = new THREE.DirectionalLight("#cfe0ff", 0.7);
    this.scene.add(this.room, this.sun, this.sun.target, this.rim, this.rim.target);
    this.floors = [];
    this.extent = 1;
    /** The box and direction that the camera frames, until it moves in another way. A new size of the canvas
     * frames them again. */
    this.framing = null;
    /** Gives how much of the picture panels cover at the right, the bottom, the top and the left [CSS pixels]. */
    this.covering = () => [0, 0, 0, 0];
    this.covered = [0, 0, 0, 0];
    /** Whether no reader has moved the camera since the last framing. */
    this.framed = false;
    this.controls.addEventListener("start", () => {
      this.framing = null;
      this.framed = false;
    });
  }

  /** A plane of the recording; without one, lines that stand for it, no higher than a height and the world's origin.
   * Positions in the scene count from `origin`. */
  addFloor(shape, origin, height = 0) {
    const material = new THREE.MeshLambertMaterial();
    const floor = new THREE.Mesh(new THREE.PlaneGeometry(1, 1), material);
    if (shape) {
      floor.position.fromArray(shape.position).sub(origin);
      floor.quaternion.fromArray(shape.quaternion);
    } else {
      floor.position.copy(origin).negate();
      floor.position.z = Math.min(floor.position.z, height);
      material.transparent = true;
      material.depthWrite = false;
      // Of the ground between the lines only the shadow is there.
      const shade = new THREE.Mesh(floor.geometry, new THREE.ShadowMaterial({ opacity: 0.2, depthWrite: false }));
      shade.receiveShadow = true;
      floor.add(shade);
    }
    floor.receiveShadow = shape !== null;
    floor.userData = { filled: shape !== null, origin: floor.position.clone() };
    this.floors.push(floor);
    this.scene.add(floor);
    return floor;
  }

  /** The length of a tile: a power of ten, about the size of the robot or smaller. */
  get tile() {
    return 10 ** Math.floor(Math.log10(this.extent) + 0.4);
  }

  /** The tile's length in words. */
  get tileWords() {
    const power = Math.round(Math.log10(this.tile));
    const [unit, of] = [["µm", -6], ["mm", -3], ["cm", -2], ["m", 0], ["km", 3]].findLast(([, from]) => power >= from) ?? ["µm", -6];
    return `${Number((10 ** (power - of)).toPrecision(3))} ${unit}`;
  }

  /** Floors reach as far as the fog, and go with the camera by whole tiles. */
  placeFloors() {
    const size = 160 * this.extent;
    const { tile } = this;
    for (const floor of this.floors) {
      const at = this.controls.target.clone().sub(floor.userData.origin).applyQuaternion(floor.quaternion.clone().invert());
      const shift = new THREE.Vector3(Math.round(at.x / tile) * tile, Math.round(at.y / tile) * tile, 0);
      floor.position.copy(shift).applyQuaternion(floor.quaternion).add(floor.userData.origin);
      const tilesAcross = 2 * Math.ceil(size / tile / 2);
      floor.scale.set(tilesAcross * tile, tilesAcross * tile, 1);
      floor.material.map?.repeat.setScalar(tilesAcross);
    }
  }

  theme(name) {
    const theme = THEMES[name];
    this.scene.background = new THREE.Color(theme.sky);
    this.scene.fog = new THREE.Fog(theme.sky, 14 * this.extent, 60 * this.extent);
    this.room.intensity = theme.room;
    this.sun.intensity = theme.sun;
    this.rim.intensity = theme.rim;
    this.themeName = name;
    for (const floor of this.floors) {
      floor.material.map?.dispose();
      floor.material.map = tiles(theme, floor.userData.filled);
      floor.material.needsUpdate = true;
    }
  }

  /** Looks at a box along a direction, by default from the front, a little from the left and above. */
  frame(box, direction = [1.25, -1.35, 0.62]) {
    const size = Math.max(1e-6, box.getSize(new THREE.Vector3()).length());
    const center = box.getCenter(new THREE.Vector3());
    this.extent = size;
    this.framed = true;
    this.framing = [box, direction];
    this.controls.target.copy(center);
    this.retreat(new THREE.Vector3(...direction).setLength(1.55 * size * this.shrink()));
    this.perspective.near = 0.01 * size;
    // All that is in front of a parallel camera's plane or behind it.
    this.parallel.near = -300 * size;
    this.perspective.far = this.parallel.far = 300 * size;
    this.camera.updateProjectionMatrix();
    this.sun.shadow.normalBias = 0.006 * size;
    if (this.themeName) this.theme(this.themeName);
    this.controls.update();
  }

  /** How much farther away a camera is because panels leave only a part of the picture free. */
  shrink() {
    const [w, h] = [this.width || 1, this.height || 1];
    const [right, bottom, top, left] = this.covered;
    return Math.min(8, h / Math.max(1, Math.min(w - right - left, h - bottom - top)));
  }

  /** From the target to the camera; a parallel camera's zoom counts as distance. */
  away() {
    return this.camera.position.clone().sub(this.controls.target).divideScalar(this.camera.zoom);
  }

  /** Puts the camera at this place from the target. A parallel one shows as much there as one with perspective. */
  retreat(away) {
    const { camera } = this;
    camera.position.copy(this.controls.target).add(away);
    if (camera !== this.parallel) return;
    const half = away.length() * Math.tan((this.perspective.fov * Math.PI) / 360);
    const wide = (half * Math.max(1, this.width)) / Math.max(1, this.height);
    Object.assign(camera, { left: -wide, right: wide, top: half, bottom: -half, zoom: 1 });
    camera.updateProjectionMatrix();
  }

  /** Changes between parallel and converging lines of sight, at the same place and aim. */
  setParallel(parallel) {
    const away = this.away();
    this.camera = this.controls.object = parallel ? this.parallel : this.perspective;
    this.retreat(away);
    this.cover(...this.covered);
    this.controls.update();
  }

  /** Moves the middle of the view into the middle of the part that no panel covers. */
  cover(right, bottom, top, left = 0) {
    this.covered = [right, bottom, top, left];
    const [w, h] = [Math.max(1, this.width), Math.max(1, this.height)];
    this.camera.setViewOffset(w, h, (right - left) / 2, (bottom - top) / 2, w, h);
  }

  /** Fits the view to the panels: frames again, unless the camera has moved since. */
  arrange() {
    const before = this.shrink();
    this.cover(...this.covering());
    if (this.framing) this.frame(...this.framing);
    else this.retreat(this.away().multiplyScalar(this.framed ? this.shrink() / before : 1));
  }

  resize() {
    const { clientWidth: w, clientHeight: h } = this.canvas.parentElement;
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    if (this.width === w && this.height === h && this.ratio === ratio) return false;
    [this.width, this.height, this.ratio] = [w, h, ratio];
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(w, h, false);
    // A page that is not laid out yet has no size.
    this.perspective.aspect = Math.max(1, w) / Math.max(1, h);
    this.arrange();
    return true;
  }

  draw() {
    const t = this.controls.target;
    const reach = 2.2 * this.extent;
    this.sun.target.position.copy(t);
    this.sun.position.copy(t).add(new THREE.Vector3(0.3, -0.8, 1).multiplyScalar(2.5 * this.extent));
    this.rim.target.position.copy(t);
    this.rim.position.copy(t).add(new THREE.Vector3(0.3, 1, 0.45).multiplyScalar(2 * this.extent));
    this.placeFloors();
    const c = this.sun.shadow.camera;
    if (c.right !== reach) {
      c.left = c.bottom = -reach;
      c.right = c.top = reach;
      c.near = 0.05 * this.extent;
      c.far = 8 * this.extent;
      c.updateProjectionMatrix();
    }
    this.renderer.render(this.scene, this.camera);
  }

  /** Where a point of the world is on the canvas [CSS pixels]. */
  project(point) {
    const p = new THREE.Vector3(...point).project(this.camera);
    return [((p.x + 1) / 2) * this.width, ((1 - p.y) / 2) * this.height];
  }
}
