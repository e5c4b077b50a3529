// The picture: spheres, surfaces, planes and contacts of one frame, drawn by three.js.
import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import * as shaders from './shaders.js';

// Stops of the map viridis.
const STOPS = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];
export const colour = (t) => {
    const x = 4 * Math.min(Math.max(t, 0), 1), k = Math.min(Math.floor(x), 3);
    return STOPS[k].map((a, c) => (a + (x - k) * (STOPS[k + 1][c] - a)) / 255);
};
const WALL = [0.62, 0.67, 0.72];
const CLEAR = 0.25; // opacity of walls that are seen through

const buffer = (array, components) => new THREE.BufferAttribute(array, components);
const instanced = (array, components) => new THREE.InstancedBufferAttribute(array, components);

export class Stage {
    constructor(canvas, low, high) {
        this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: true, preserveDrawingBuffer: true });
        this.renderer.outputColorSpace = THREE.LinearSRGBColorSpace;
        this.world = new THREE.Scene();
        this.low = low;
        this.high = high;
        this.middle = new THREE.Vector3(...low.map((a, k) => (a + high[k]) / 2));
        this.size = Math.max(Math.hypot(...low.map((a, k) => high[k] - a)), 1e-9);
        this.camera = new THREE.PerspectiveCamera(35, 1, this.size / 1000, this.size * 100);
        this.controls = new OrbitControls(this.camera, canvas);
        this.controls.addEventListener('change', () => this.draw());
        this.cut = { value: new THREE.Vector4(0, 0, 0, 1) };
        this.chosen = { value: -1 };
        this.spheres = this.add('sphere', new THREE.InstancedBufferGeometry(), { chosen: this.chosen });
        this.square(this.spheres, [-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0]);
        this.chains = this.add('chain', new THREE.InstancedBufferGeometry());
        this.square(this.chains, [-1, 0, 0, 1, 0, 0, 1, 1, 0, -1, 1, 0]);
        this.chains.material.depthTest = false;
        this.chains.renderOrder = 2;
        this.grains = this.add('surface', new THREE.BufferGeometry(), { opacity: { value: 1 } });
        this.walls = this.add('surface', new THREE.BufferGeometry(), { opacity: { value: CLEAR } });
        this.walls.renderOrder = 1;
        this.look([-0.5, -1, 0.45]);
        // The size is set at the next picture, since a change of size within the observer would call it again.
        new ResizeObserver(() => requestAnimationFrame(() => this.fit())).observe(canvas);
        this.fit();
    }
    add(kind, geometry, uniforms = {}) {
        const material = new THREE.ShaderMaterial({ ...shaders[kind], uniforms: { cut: this.cut, ...uniforms }, side: THREE.DoubleSide });
        const mesh = new THREE.Mesh(geometry, material);
        mesh.frustumCulled = mesh.visible = false;
        this.world.add(mesh);
        return mesh;
    }
    square(mesh, corners) {
        mesh.geometry.setAttribute('position', buffer(new Float32Array(corners), 3));
        mesh.geometry.setIndex([0, 1, 2, 0, 2, 3]);
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
    zoom(factor) {
        this.camera.position.sub(this.controls.target).multiplyScalar(factor).add(this.controls.target);
        this.controls.update();
        this.draw();
    }
    // The next picture leaves out what lies beyond a share of the box along an axis 0 to 2; null: nothing.
    clip(axis, share) {
        this.cut.value.set(0, 0, 0, 1);
        if (axis !== null) {
            this.cut.value.setComponent(axis, 1);
            this.cut.value.w = this.low[axis] + share * (this.high[axis] - this.low[axis]);
        }
    }
    // sphere: x y z radius of each; tint: its colour; surface: points, tints, and triangles of grains and of walls.
    set(sphere, tint, surface, planes, chains) {
        this.sphere = sphere;
        this.surface = surface;
        const g = this.spheres.geometry;
        g.setAttribute('sphere', instanced(sphere, 4));
        g.setAttribute('tint', instanced(tint, 3));
        g.instanceCount = sphere.length / 4;
        this.spheres.visible = sphere.length > 0;
        this.triangles(this.grains, surface.points, surface.tint, surface.grains);
        const walls = this.withPlanes(surface, planes);
        this.triangles(this.walls, walls.points, walls.tint, walls.walls);
        this.setChains(chains);
        this.draw();
    }
    triangles(mesh, points, tint, index) {
        mesh.geometry.dispose();
        mesh.geometry = new THREE.BufferGeometry();
        mesh.geometry.setAttribute('position', buffer(points, 3));
        mesh.geometry.setAttribute('tint', buffer(tint, 3));
        mesh.geometry.setIndex(buffer(index, 1));
        mesh.visible = index.length > 0 && !mesh.hidden;
    }
    // Planes as squares about the middle of the box, among the walls.
    withPlanes({ points, tint, walls }, planes) {
        const place = [], index = [], n = points.length / 3;
        planes.forEach(([x, y, z, ...normal], k) => {
            const up = new THREE.Vector3(...normal), foot = this.middle.clone();
            foot.addScaledVector(up, up.dot(new THREE.Vector3(x, y, z).sub(foot)));
            const side = new THREE.Vector3(...(Math.abs(up.x) < 0.9 ? [1, 0, 0] : [0, 1, 0])).cross(up).normalize();
            const other = up.clone().cross(side);
            [[-1, -1], [1, -1], [1, 1], [-1, 1]].forEach(([a, b]) => {
                place.push(...foot.clone().addScaledVector(side, 0.6 * a * this.size).addScaledVector(other, 0.6 * b * this.size));
            });
            index.push(...[0, 1, 2, 0, 2, 3].map((c) => n + 4 * k + c));
        });
        const join = (Kind, a, b) => { const out = new Kind(a.length + b.length); out.set(a); out.set(b, a.length); return out; };
        return {
            points: join(Float32Array, points, place), walls: join(Uint32Array, walls, index),
            tint: join(Float32Array, tint, planes.flatMap(() => [...WALL, ...WALL, ...WALL, ...WALL])),
        };
    }
    // Contacts as strips, wider and redder with their load.
    setChains(chains) {
        this.chains.visible = !!chains?.line?.length;
        if (!this.chains.visible) return;
        const { line, load, radius } = chains, count = line.length / 6, g = this.chains.geometry;
        const from = new Float32Array(3 * count), to = from.slice(), tint = from.slice(), wide = new Float32Array(count);
        let most = 0;
        for (let n = 0; n < count; n++) most = Math.max(most, load[n]);
        for (let n = 0; n < count; n++) {
            const share = most > 0 ? load[n] / most : 0;
            from.set(line.subarray(6 * n, 6 * n + 3), 3 * n);
            to.set(line.subarray(6 * n + 3, 6 * n + 6), 3 * n);
            tint.set([1, 0.85 * (1 - share), 0.15], 3 * n);
            wide[n] = radius * (0.05 + 0.4 * Math.sqrt(share));
        }
        g.setAttribute('from', instanced(from, 3));
        g.setAttribute('to', instanced(to, 3));
        g.setAttribute('tint', instanced(tint, 3));
        g.setAttribute('wide', instanced(wide, 1));
        g.instanceCount = count;
    }
    setWalls(how) {
        const solid = how === 'solid', { material } = this.walls;
        this.walls.hidden = how === 'hidden';
        material.uniforms.opacity.value = solid ? 1 : CLEAR;
        material.transparent = !solid;
        material.depthWrite = solid;
    }
    // What is at a place of the canvas, in -1 to 1 each way: {sphere} its index, {point} a point of its surface, or {}.
    pick(x, y) {
        const caster = new THREE.Raycaster();
        caster.setFromCamera(new THREE.Vector2(x, y), this.camera);
        const hit = new THREE.Vector3(), ball = new THREE.Sphere(), cut = this.cut.value;
        const kept = (p) => cut.x * p.x + cut.y * p.y + cut.z * p.z <= cut.w;
        let best = {}, nearest = Infinity;
        for (let n = 0; 4 * n < this.sphere.length; n++) {
            ball.center.fromArray(this.sphere, 4 * n);
            ball.radius = this.sphere[4 * n + 3];
            if (!kept(ball.center) || !caster.ray.intersectSphere(ball, hit)) continue;
            const away = hit.distanceTo(this.camera.position);
            if (away < nearest) { nearest = away; best = { sphere: n }; }
        }
        const { points, grains } = this.surface, corner = [0, 1, 2].map(() => new THREE.Vector3());
        for (let n = 0; n < grains.length; n += 3) {
            corner.forEach((c, k) => c.fromArray(points, 3 * grains[n + k]));
            if (!caster.ray.intersectTriangle(...corner, false, hit) || !kept(hit)) continue;
            const away = hit.distanceTo(this.camera.position);
            if (away < nearest) { nearest = away; best = { point: grains[n] }; }
        }
        return best;
    }
    draw() { this.renderer.render(this.world, this.camera); }
}
export { WALL };
