// The picture of one frame, drawn by three.js: spheres, surfaces, planes, contacts and bonds, and the camera that sees them.
import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { LOADS, STOPS, TENSIONS, WALL } from './colours.js';
import { dropSharp, squareOf } from './faces.js';
import { seenSpheres } from './hidden.js';
import { pickAt } from './pick.js';
import { setQuads } from './quads.js';
import * as shaders from './shaders.js';
import { Soft } from './soft.js';
import { setSticks } from './sticks.js';
import { divideWalls } from './veils.js';
import { keptLines, planePolygons } from './walls.js';

const CLEAR = 0.25; // opacity of walls that are seen through
const SMALL = 0.4; // of its radius, for a grain that leaves its contacts to be seen
const ANGLE = 35; // degrees, of the camera
const FLOOR = [0.93, 0.94, 0.95];
const EDGE = { angle: 25, color: 0x8d98a3, most: 60000 }; // degrees between triangles; triangles that are looked at

const buffer = (array, components) => new THREE.BufferAttribute(array, components);
const vector = (array) => new THREE.Vector3(...array);
const pickRows = (array, width, rows) => {
    const out = new Float32Array(width * rows.length);
    rows.forEach((n, k) => out.set(array.subarray(width * n, width * (n + 1)), width * k));
    return out;
};

export class Stage {
    constructor(canvas, low, high) {
        this.canvas = canvas;
        this.coarse = 0;
        this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: true, preserveDrawingBuffer: true });
        this.renderer.outputColorSpace = THREE.LinearSRGBColorSpace;
        this.world = new THREE.Scene();
        this.setBox(low, high);
        this.camera = new THREE.PerspectiveCamera(ANGLE, 1, this.size / 1000, this.size * 100);
        this.controls = new OrbitControls(this.camera, canvas);
        this.controls.addEventListener('change', () => this.draw());
        this.controls.addEventListener('start', () => {
            this.from = null; // the reader has chosen where to look from
        });
        this.makeMeshes();
        // The size is set at the next picture, since a change of size within the observer would call it again.
        new ResizeObserver(() => requestAnimationFrame(() => this.fit())).observe(canvas);
        this.fit();
    }

    setBox(low, high) {
        this.low = low;
        this.high = high;
        this.middle = vector(low.map((a, k) => (a + high[k]) / 2));
        this.size = Math.max(Math.hypot(...low.map((a, k) => high[k] - a)), 1e-9);
    }

    // A larger box: the camera goes back as far, unless the reader has moved it.
    grow(low, high) {
        const size = this.size;
        this.setBox(low, high);
        this.camera.near = this.size / 1000;
        this.camera.far = this.size * 100;
        this.camera.updateProjectionMatrix();
        if (this.from && Math.abs(this.size - size) > 1e-6 * this.size) this.look(this.from);
    }

    makeMeshes() {
        const mapOf = (stops) => ({ value: stops.map((stop) => vector(stop.map((c) => c / 255))) });
        const stops = mapOf(STOPS);
        this.soft = { value: 0 };
        this.cut = { value: new THREE.Vector4(0, 0, 0, 1) };
        this.range = { value: new THREE.Vector2(0, 1) };
        this.chosenSphere = { value: -1 };
        this.chosenRow = { value: -1 };
        this.shrink = { value: 1 };
        this.wide = { value: 0 };
        const map = { stops, range: this.range },
            faces = { ...map, chosen: this.chosenRow, veil: { value: 1 }, behind: { value: null } };
        this.spheres = this.add('sphere', new THREE.BufferGeometry(), {
            ...map,
            chosen: this.chosenSphere,
            shrink: this.shrink,
        });
        this.chains = this.add('chain', new THREE.BufferGeometry(), {
            wide: this.wide,
            stops: mapOf(LOADS),
            range: { value: new THREE.Vector2(0, 1) },
        });
        this.chains.material.depthTest = false;
        this.chains.renderOrder = 2;
        this.makeSticks(mapOf(TENSIONS));
        this.grains = this.add('surface', new THREE.BufferGeometry(), {
            ...faces,
            opacity: { value: 1 },
            wall: { value: new THREE.Vector4(0, 0, 0, 0) },
        });
        this.walls = this.add('surface', new THREE.BufferGeometry(), {
            ...faces,
            opacity: { value: CLEAR },
            veil: { value: 1 },
            behind: { value: null },
            wall: { value: new THREE.Vector4(...WALL, 1) },
        });
        this.walls.renderOrder = 1;
        this.floor = this.add('surface', new THREE.BufferGeometry(), {
            ...faces,
            opacity: { value: 1 },
            wall: { value: new THREE.Vector4(...FLOOR, 1) },
        });
        this.edges = new THREE.LineSegments(
            new THREE.BufferGeometry(),
            new THREE.LineBasicMaterial({ color: EDGE.color }),
        );
        this.edges.visible = false;
        this.world.add(this.edges);
    }

    makeSticks(stops) {
        this.sticks = this.add('stick', new THREE.BufferGeometry(), {
            wide: { value: 0 },
            stops,
            range: { value: new THREE.Vector2(-1, 1) },
        });
        this.sticks.material.transparent = true; // after walls that are seen through, and over solid grains
        this.sticks.renderOrder = 2;
        this.sticks.onBeforeRender = (renderer) => {
            if (!this.figure && this.shrink.value === 1 && !this.noGrains) renderer.clearDepth();
        };
    }

    add(kind, geometry, uniforms) {
        const material = new THREE.ShaderMaterial({
            ...shaders[kind],
            uniforms: { cut: this.cut, soft: this.soft, ...uniforms },
            side: THREE.DoubleSide,
        });
        const mesh = new THREE.Mesh(geometry, material);
        mesh.frustumCulled = mesh.visible = false;
        this.world.add(mesh);
        return mesh;
    }

    /* --- camera ---------------------------------------------------------------------------------------------------- */

    fit() {
        const { clientWidth: w, clientHeight: h } = this.canvas;
        if (!w || !h) return;
        const ratio = window.devicePixelRatio / Math.max(this.coarse, 1),
            fitted = `${w} ${h} ${ratio}`;
        if (this.fitted === fitted) return; // the observer tells again what a caller has done
        this.fitted = fitted;
        this.renderer.setPixelRatio(ratio);
        this.renderer.setSize(w, h, false);
        this.camera.aspect = w / h;
        this.camera.updateProjectionMatrix();
        this.draw();
    }

    // How far from the middle a camera in the direction `away` sees all corners of the box.
    distance(away, up) {
        const side = new THREE.Vector3().crossVectors(up, away).normalize(),
            top = new THREE.Vector3().crossVectors(away, side);
        const high = Math.tan((this.camera.fov * Math.PI) / 360),
            wide = high * this.camera.aspect;
        let far = 0;
        for (let k = 0; k < 8; k++) {
            const corner = vector([0, 1, 2].map((c) => (k & (1 << c) ? this.high[c] : this.low[c]))).sub(this.middle);
            const need = Math.max(Math.abs(corner.dot(side)) / wide, Math.abs(corner.dot(top)) / high);
            far = Math.max(far, need + corner.dot(away));
        }
        return 1.08 * far;
    }

    // Looks from a direction at all, or from where `camera` says: {position, target, up, angle}.
    look(from, { position, target, up, angle = ANGLE } = {}) {
        this.from = position || target ? null : from;
        const away = vector(from).normalize();
        this.camera.fov = angle;
        this.camera.up.copy(vector(up || (Math.abs(away.z) > 0.99 ? [0, 1, 0] : [0, 0, 1])));
        this.camera.updateProjectionMatrix();
        this.controls.target.copy(target ? vector(target) : this.middle);
        const distance = position ? 0 : this.distance(away, this.camera.up);
        this.camera.position.copy(position ? vector(position) : this.middle.clone().addScaledVector(away, distance));
        this.controls.update();
        this.draw();
    }

    zoom(factor) {
        this.from = null;
        this.camera.position.sub(this.controls.target).multiplyScalar(factor).add(this.controls.target);
        this.controls.update();
        this.draw();
    }

    // Tells `listener` when the reader begins (true) and ends to turn, shift or zoom.
    onTurn(listener) {
        this.controls.addEventListener('start', () => listener(true));
        this.controls.addEventListener('end', () => listener(false));
    }

    // From places to the picture.
    lens() {
        this.camera.updateMatrixWorld();
        return this.camera.projectionMatrix.clone().multiply(this.camera.matrixWorldInverse);
    }

    // The camera of another stage.
    follow(other) {
        this.camera.fov = other.camera.fov;
        this.camera.up.copy(other.camera.up);
        this.camera.position.copy(other.camera.position);
        this.controls.target.copy(other.controls.target);
        this.camera.updateProjectionMatrix();
        this.controls.update();
    }

    /* --- what is drawn --------------------------------------------------------------------------------------------- */

    // The next picture leaves out what lies beyond a share of the box along an axis 0 to 2; null: nothing.
    clip(axis, share) {
        this.cut.value.set(0, 0, 0, 1);
        if (axis === null) return;
        this.cut.value.setComponent(axis, 1);
        this.cut.value.w = this.low[axis] + share * (this.high[axis] - this.low[axis]);
    }

    // Draws less, for a machine that draws slowly (pace.js). 0: all of it; 1: no spheres that others hide; above: in points of
    // so many pixels each way, too.
    setCoarse(coarse) {
        if (this.coarse === coarse) return;
        this.coarse = coarse;
        if (this.made) this.setSpheres(this.made);
        this.fitted = null;
        this.fit();
    }

    // What arrange() made of a frame, its planes, its contacts or null, and its bonds or null (sticksOf).
    set(made, planes, chains, sticks, tension) {
        this.sphere = made.sphere;
        this.made = made;
        const rows = this.setSpheres(made),
            veils = this.figure && this.auto && made.surface.walls.length > 0;
        this.surface = veils ? this.divide(made, rows) : made.surface;
        this.setTriangles(this.grains, this.surface.points, this.surface.tag, this.surface.grains);
        this.setWalls(this.surface, this.figure ? [] : planes);
        if (this.figure) this.setFloor(this.surface, planes);
        this.setChains(chains);
        this.sticks.visible = !!sticks?.value.length;
        if (this.sticks.visible) setSticks(this.sticks, sticks, tension);
    }

    // The rows of the bodies whose spheres are drawn: of a picture, and of frames that follow each other slowly, those that no
    // other sphere hides.
    setSpheres({ sphere, sphereValue, balls }) {
        let rows = balls;
        if (this.figure || this.coarse) {
            this.seenFrom = this.lens();
            const seen = seenSpheres(sphere, this.shrink.value, this.cut.value, this.camera);
            rows = seen.map((n) => balls[n]);
            sphereValue = Float32Array.from(seen, (n) => sphereValue[n]);
            sphere = pickRows(sphere, 4, seen);
        }
        setQuads(this.spheres, rows.length, { sphere: [sphere, 4], value: [sphereValue, 1] });
        this.spheres.visible = rows.length > 0 && !this.noGrains;
        this.rows = rows;
        this.mark(this.chosenRow.value);
        return rows;
    }

    // Marks the body of a row; -1: none.
    mark(row) {
        this.chosenRow.value = row;
        this.chosenSphere.value = row < 0 ? -1 : this.rows.indexOf(row);
    }

    // Walls that do not stand before the grains join these. Grains without spheres all count.
    divide({ surface, bodies }, rows) {
        const isFree = (row) => !bodies.kind || bodies.kind[row] === 0;
        let free = rows.filter(isFree);
        if (!free.length) free = Array.from({ length: bodies.position.length / 3 }, (_, row) => row).filter(isFree);
        this.veils ??= new Map();
        return divideWalls(surface, bodies, free, this.veils, this.camera, this.cut.value);
    }

    setTriangles(mesh, points, tag, index) {
        mesh.geometry.dispose();
        mesh.geometry = new THREE.BufferGeometry();
        mesh.geometry.setAttribute('position', buffer(points, 3));
        mesh.geometry.setAttribute('tag', buffer(tag, 2));
        mesh.geometry.setIndex(buffer(index, 1));
        if (index.length) {
            mesh.geometry.computeVertexNormals();
            dropSharp(mesh.geometry.attributes.normal.array, points, index);
        }
        mesh.visible = index.length > 0 && !(mesh === this.walls ? this.noWalls : this.noGrains);
    }

    // Planes are squares about the middle of the box, among the walls.
    setWalls({ points, walls }, planes) {
        const old = points.length / 3,
            corners = planes.flatMap((plane) => squareOf(plane, this.middle, 0.6 * this.size));
        const all = new Float32Array(points.length + corners.length);
        all.set(points);
        all.set(corners, points.length);
        const squares = planes.flatMap((_, k) => [0, 1, 2, 0, 2, 3].map((c) => old + 4 * k + c));
        const index = new Uint32Array(walls.length + squares.length);
        index.set(walls);
        index.set(squares, walls.length);
        this.setTriangles(this.walls, all, new Float32Array((2 * all.length) / 3).fill(-1), index);
    }

    // The picture without controls: figure {size, width, depth, cut}, of which the first `width` pixels hold the grains;
    // reach: m, how far a grain darkens its neighbours.
    dress(figure, reach) {
        const { position } = this.camera,
            from = position.clone().sub(this.controls.target),
            away = from.length(),
            ahead = position.dot(from.normalize()),
            [width, height] = figure.size;
        this.figure = figure;
        this.reach = reach;
        this.soft.value = 1;
        this.chains.material.depthTest = true;
        this.painter ??= new Soft(this.renderer);
        this.cut.value.set(...figure.cut);
        this.camera.near = Math.max(0.02 * away, ahead - figure.depth[1] - this.size);
        this.camera.far = Math.max(2 * away, ahead - figure.depth[0] + 20 * this.size);
        this.camera.aspect = figure.width / height;
        this.camera.setViewOffset(figure.width, height, 0, 0, width, height);
    }

    // Planes of a picture end where the grains do, and walls have lines along their edges.
    setFloor({ walls }, planes) {
        const place = [],
            index = [];
        planePolygons(planes, this.low, this.high, this.camera.position.toArray()).forEach((polygon) => {
            const first = place.length / 3;
            place.push(...polygon.flat());
            for (let k = 2; k < polygon.length; k++) index.push(first, first + k - 1, first + k);
        });
        const tag = new Float32Array((2 * place.length) / 3).fill(-1);
        this.setTriangles(this.floor, Float32Array.from(place), tag, Uint32Array.from(index));
        this.floor.visible = index.length > 0 && !this.noWalls;
        this.edges.geometry.dispose();
        this.edges.visible = this.walls.visible && walls.length < 3 * EDGE.most;
        if (!this.edges.visible) return;
        const lines = new THREE.EdgesGeometry(this.walls.geometry, EDGE.angle).attributes.position.array;
        this.edges.geometry = new THREE.BufferGeometry();
        this.edges.geometry.setAttribute('position', buffer(keptLines(lines, this.cut.value), 3));
    }

    // Contacts as strips, wider and redder with their load.
    setChains(chains) {
        this.chains.visible = !!chains?.line?.length;
        if (!this.chains.visible) return;
        const { line, load, radius } = chains,
            count = line.length / 6;
        const from = new Float32Array(3 * count),
            to = new Float32Array(3 * count);
        const most = chains.most ?? load.reduce((a, b) => Math.max(a, b), 0);
        for (let n = 0; n < count; n++) {
            from.set(line.subarray(6 * n, 6 * n + 3), 3 * n);
            to.set(line.subarray(6 * n + 3, 6 * n + 6), 3 * n);
        }
        const share = load.map((x) => (most > 0 ? Math.min(Math.max(x, 0) / most, 1) : 0));
        setQuads(this.chains, count, { from: [from, 3], to: [to, 3], share: [share, 1] });
        this.wide.value = radius;
    }

    // solid, clear, hidden or, in pictures, auto (see veils.js); of grains solid, small or hidden.
    setStyle(walls, grains) {
        const { material } = this.walls,
            solid = walls === 'solid';
        this.noWalls = walls === 'hidden';
        this.auto = walls === 'auto';
        this.noGrains = grains === 'hidden';
        this.shrink.value = grains === 'small' ? SMALL : 1;
        material.uniforms.opacity.value = solid ? 1 : CLEAR;
        material.transparent = !solid;
        material.depthWrite = solid;
    }

    draw() {
        if (this.quiet) return;
        if (!this.figure) {
            if (this.coarse && this.made && !this.lens().equals(this.seenFrom)) this.setSpheres(this.made);
            this.renderer.render(this.world, this.camera);
            return;
        }
        const late = this.walls.material.transparent ? [this.walls, this.edges] : [this.edges];
        this.painter.draw(this.world, this.camera, late, [this.chains], this.reach, this.walls.material.uniforms);
    }

    // See pick.js.
    pick(x, y) {
        return pickAt(this, x, y);
    }
}
