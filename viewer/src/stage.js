// Camera, light and ground.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

const THEMES = {
  light: { sky: "#e9edf2", ground: "#d8dde3", line: "#b9c1ca", hemi: ["#ffffff", "#aab2bd", 1.5], sun: 2.4 },
  dark: { sky: "#14181d", ground: "#22282f", line: "#39424d", hemi: ["#c3d3e8", "#20262d", 1.0], sun: 2.2 },
};

function tiles(theme) {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 256;
  const c = canvas.getContext("2d");
  c.fillStyle = theme.ground;
  c.fillRect(0, 0, 256, 256);
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
    this.camera = new THREE.PerspectiveCamera(42, 1, 0.01, 500);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.maxPolarAngle = 0.98 * Math.PI;
    this.hemi = new THREE.HemisphereLight("#fff", "#888", 1);
    this.hemi.position.set(0, 0, 1);
    this.sun = new THREE.DirectionalLight("#fff8ee", 2);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.bias = -0.0004;
    this.sun.shadow.normalBias = 0.01;
    this.scene.add(this.hemi, this.sun, this.sun.target);
    this.floors = [];
    this.extent = 1;
  }

  /** A plane of the recording, or the faint one that stands for none. */
  addFloor(shape) {
    const size = 200;
    const geometry = new THREE.PlaneGeometry(size, size);
    const material = new THREE.MeshStandardMaterial({ roughness: 0.95, metalness: 0 });
    const floor = new THREE.Mesh(geometry, material);
    if (shape) {
      floor.position.fromArray(shape.position);
      floor.quaternion.fromArray(shape.quaternion);
    } else {
      material.transparent = true;
      material.opacity = 0.35;
      material.depthWrite = false;
    }
    floor.receiveShadow = true;
    floor.userData.size = size;
    this.floors.push(floor);
    this.scene.add(floor);
    return floor;
  }

  theme(name) {
    const theme = THEMES[name];
    this.scene.background = new THREE.Color(theme.sky);
    this.scene.fog = new THREE.Fog(theme.sky, 14 * this.extent, 60 * this.extent);
    this.hemi.color.set(theme.hemi[0]);
    this.hemi.groundColor.set(theme.hemi[1]);
    this.hemi.intensity = theme.hemi[2];
    this.sun.intensity = theme.sun;
    for (const floor of this.floors) {
      floor.material.map?.dispose();
      floor.material.map = tiles(theme);
      const tile = this.extent > 8 ? 10 : this.extent < 0.4 ? 0.1 : 1;
      floor.material.map.repeat.setScalar(floor.userData.size / tile);
      floor.material.needsUpdate = true;
    }
  }

  /** Looks at a box from the front, a little from the left and above. */
  frame(box) {
    const size = Math.max(0.1, box.getSize(new THREE.Vector3()).length());
    const center = box.getCenter(new THREE.Vector3());
    this.extent = size;
    // The timeline covers the lowest part of the picture.
    center.z -= 0.1 * size;
    const narrow = Math.max(1, 1 / this.camera.aspect);
    this.controls.target.copy(center);
    this.camera.position.copy(center).add(new THREE.Vector3(1.25, -1.35, 0.62).multiplyScalar(size * narrow));
    this.camera.near = 0.01 * size;
    this.camera.far = 300 * size;
    this.camera.updateProjectionMatrix();
    this.controls.update();
  }

  resize() {
    const { clientWidth: w, clientHeight: h } = this.canvas.parentElement;
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    if (this.width === w && this.height === h && this.ratio === ratio) return false;
    [this.width, this.height, this.ratio] = [w, h, ratio];
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(w, h, false);
    this.camera.aspect = w / Math.max(1, h);
    this.camera.updateProjectionMatrix();
    return true;
  }

  draw() {
    const t = this.controls.target;
    const reach = 2.2 * this.extent;
    this.sun.target.position.copy(t);
    this.sun.position.copy(t).add(new THREE.Vector3(0.55, -0.35, 1.1).multiplyScalar(2.5 * this.extent));
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
