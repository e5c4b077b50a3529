// The picture: spheres as squares that face the camera and are shaded as spheres, surfaces as triangles, contacts as lines.
import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';

const VERTEX = `
attribute vec4 sphere; attribute vec3 tint;
varying vec3 at, middle, shade; varying float size;
void main() {
    middle = (modelViewMatrix * vec4(sphere.xyz, 1.0)).xyz;
    size = sphere.w; shade = tint;
    vec3 to = normalize(-middle), side = normalize(cross(vec3(0.0, 1.0, 0.0), to)), up = cross(to, side);
    float far = length(middle), wide = size * far / sqrt(max(far * far - size * size, 1e-12 * far * far));
    at = middle + wide * (position.x * side + position.y * up);
    gl_Position = projectionMatrix * vec4(at, 1.0);
}`;
const FRAGMENT = `
uniform mat4 projectionMatrix;
varying vec3 at, middle, shade; varying float size;
void main() {
    vec3 ray = normalize(at);
    float along = dot(ray, middle), under = along * along - dot(middle, middle) + size * size;
    if (under < 0.0) discard;
    vec3 place = ray * (along - sqrt(under)), normal = (place - middle) / size;
    float light = 0.35 + 0.65 * max(dot(normal, normalize(vec3(0.3, 0.5, 0.8))), 0.0);
    vec4 clip = projectionMatrix * vec4(place, 1.0);
    gl_FragDepth = 0.5 * clip.z / clip.w + 0.5;
    gl_FragColor = vec4(shade * light, 1.0);
}`;
// Stops of the map viridis.
const STOPS = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];
export const colour = (t) => {
    const x = 4 * Math.min(Math.max(t, 0), 1), k = Math.min(Math.floor(x), 3);
    return STOPS[k].map((a, c) => (a + (x - k) * (STOPS[k + 1][c] - a)) / 255);
};

export class Stage {
    constructor(canvas, low, high) {
        this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: true, preserveDrawingBuffer: true });
        this.renderer.outputColorSpace = THREE.LinearSRGBColorSpace;
        this.world = new THREE.Scene();
        this.middle = new THREE.Vector3(...low.map((a, k) => (a + high[k]) / 2));
        this.size = Math.max(Math.hypot(...low.map((a, k) => high[k] - a)), 1e-9);
        this.camera = new THREE.PerspectiveCamera(35, 1, this.size / 1000, this.size * 100);
        this.camera.up.set(0, 0, 1);
        this.controls = new OrbitControls(this.camera, canvas);
        this.controls.addEventListener('change', () => this.draw());
        this.world.add(new THREE.HemisphereLight(0xffffff, 0x888888, 2.5));
        this.spheres = new THREE.Mesh(new THREE.InstancedBufferGeometry(), new THREE.ShaderMaterial({ vertexShader: VERTEX, fragmentShader: FRAGMENT }));
        this.spheres.frustumCulled = false;
        const square = new THREE.BufferAttribute(new Float32Array([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0]), 3);
        this.spheres.geometry.setAttribute('position', square);
        this.spheres.geometry.setIndex([0, 1, 2, 0, 2, 3]);
        this.surface = new THREE.Mesh(new THREE.BufferGeometry(), new THREE.MeshLambertMaterial({ color: 0x9aa7b4, side: THREE.DoubleSide, flatShading: true }));
        this.lines = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ vertexColors: true }));
        this.surface.frustumCulled = this.lines.frustumCulled = false;
        this.world.add(this.spheres, this.surface, this.lines);
        new ResizeObserver(() => this.fit()).observe(canvas);
        this.look([-0.5, -1, 0.45]);
        this.fit();
    }
    fit() {
        const { clientWidth: w, clientHeight: h } = this.renderer.domElement;
        if (!w || !h) return;
        this.renderer.setPixelRatio(window.devicePixelRatio);
        this.renderer.setSize(w, h, false);
        this.camera.aspect = w / h;
        this.camera.updateProjectionMatrix();
        this.draw();
    }
    look(from, { position, target, up, angle } = {}) {
        const away = new THREE.Vector3(...from).normalize().multiplyScalar(1.7 * this.size);
        this.camera.up.set(...(up || (Math.abs(away.z) > 0.99 * away.length() ? [0, 1, 0] : [0, 0, 1])));
        this.controls.target.copy(target ? new THREE.Vector3(...target) : this.middle);
        this.camera.position.copy(position ? new THREE.Vector3(...position) : this.middle.clone().add(away));
        if (angle) this.camera.fov = angle;
        this.camera.updateProjectionMatrix();
        this.controls.update();
        this.draw();
    }
    // sphere: x y z radius of each; value: what colours them, between range[0] and range[1].
    set(sphere, value, range, frame, contacts) {
        const count = sphere.length / 4, tint = new Float32Array(3 * count), wide = range[1] - range[0] || 1;
        for (let n = 0; n < count; n++) tint.set(colour((value[n] - range[0]) / wide), 3 * n);
        this.sphere = sphere;
        const g = this.spheres.geometry;
        g.setAttribute('sphere', new THREE.InstancedBufferAttribute(sphere, 4));
        g.setAttribute('tint', new THREE.InstancedBufferAttribute(tint, 3));
        g.instanceCount = count;
        this.spheres.visible = count > 0;
        this.surface.geometry.dispose();
        this.surface.geometry = new THREE.BufferGeometry();
        this.surface.visible = frame.triangle.length > 0;
        if (this.surface.visible) {
            this.surface.geometry.setAttribute('position', new THREE.BufferAttribute(frame.surface, 3));
            this.surface.geometry.setIndex(new THREE.BufferAttribute(frame.triangle, 1));
            this.surface.geometry.computeVertexNormals();
        }
        this.lines.visible = contacts && !!frame.contacts.line;
        if (this.lines.visible) this.chains(frame.contacts);
        this.draw();
    }
    chains({ line, normal_load: load }) {
        const count = line.length / 6, tint = new Float32Array(6 * count);
        let most = 0;
        for (let n = 0; n < count; n++) most = Math.max(most, load[n]);
        for (let n = 0; n < count; n++) tint.set([1, 1 - load[n] / (most || 1), 0.2, 1, 1 - load[n] / (most || 1), 0.2], 6 * n);
        this.lines.geometry.dispose();
        this.lines.geometry = new THREE.BufferGeometry();
        this.lines.geometry.setAttribute('position', new THREE.BufferAttribute(line, 3));
        this.lines.geometry.setAttribute('color', new THREE.BufferAttribute(tint, 3));
        this.lines.material.depthTest = false;
    }
    // Index of the sphere at a place of the canvas, in -1 to 1 each way; -1: none.
    pick(x, y) {
        const caster = new THREE.Raycaster();
        caster.setFromCamera(new THREE.Vector2(x, y), this.camera);
        const hit = new THREE.Vector3(), ball = new THREE.Sphere();
        let best = -1, nearest = Infinity;
        for (let n = 0; 4 * n < this.sphere.length; n++) {
            ball.center.fromArray(this.sphere, 4 * n);
            ball.radius = this.sphere[4 * n + 3];
            if (!caster.ray.intersectSphere(ball, hit)) continue;
            const away = hit.distanceTo(this.camera.position);
            if (away < nearest) { nearest = away; best = n; }
        }
        return best;
    }
    draw() { this.renderer.render(this.world, this.camera); }
}
