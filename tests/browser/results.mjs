// What run.h5 holds, read by h5dump, and where a camera sees it in which colour.
import { execFileSync } from 'node:child_process';

export const CAMERA = { position: [0, -0.3, 0.12], target: [0, 0, 0.01], up: [0, 0, 1], angle: 35 };
export const SIZE = [1000, 700]; // pixels

/* --- results ------------------------------------------------------------------------------------------------------- */

const column = (results, name) => {
    const options = ['-y', '-w', '1', '-m', '%.17g', '-d', `/${name}`, results];
    const text = execFileSync('h5dump', options, { encoding: 'utf8', maxBuffer: 1 << 28 });
    const data = text.split('DATA {')[1].split('}')[0];
    return data.match(/-?\d[\d.e+-]*/g).map(Number);
};

// Times of the frames, and of each the bodies.
export const readResults = (results) => {
    const read = (name) => column(results, name);
    const [rows, offset] = [read('frames/bodies'), read('frames/body_offset')];
    const [id, radius, position, kind] = ['id', 'sphere_radius', 'position', 'kind'].map((name) =>
        read(`bodies/${name}`),
    );
    const body = (n) => ({ id: id[n], radius: radius[n], kind: kind[n], at: position.slice(3 * n, 3 * n + 3) });
    const bodies = rows.map((count, frame) => Array.from({ length: count }, (_, k) => body(offset[frame] + k)));
    return { times: read('frames/time'), bodies };
};

// Of each frame the bonds.
export const readBonds = (results) => {
    const read = (name) => column(results, name);
    const [rows, offset] = [read('frames/bonds'), read('frames/bond_offset')];
    const names = ['broken', 'line', 'tension', 'id_first', 'id_second'];
    const [broken, line, tension, first, second] = names.map((name) => read(`bonds/${name}`));
    const bond = (n) => ({
        ids: [first[n], second[n]],
        broken: broken[n] === 1,
        tension: tension[n],
        from: line.slice(6 * n, 6 * n + 3),
        to: line.slice(6 * n + 3, 6 * n + 6),
    });
    return rows.map((count, frame) => Array.from({ length: count }, (_, k) => bond(offset[frame] + k)));
};

/* --- projection ---------------------------------------------------------------------------------------------------- */

const minus = (a, b) => a.map((x, k) => x - b[k]);
const dot = (a, b) => a.reduce((sum, x, k) => sum + x * b[k], 0);
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => a.map((x) => x / Math.sqrt(dot(a, a)));
const EYE = CAMERA.position;
const AHEAD = unit(minus(CAMERA.target, EYE));
const RIGHT = unit(cross(AHEAD, CAMERA.up));
const UP = cross(RIGHT, AHEAD);
const seen = (place) => [RIGHT, UP, AHEAD].map((axis) => dot(minus(place, EYE), axis));

// The pixel of the canvas at which a place is seen.
export const pixel = (place) => {
    const [x, y, z] = seen(place);
    const scale = SIZE[1] / 2 / Math.tan((CAMERA.angle * Math.PI) / 360);
    return [SIZE[0] / 2 + (scale * x) / z, SIZE[1] / 2 - (scale * y) / z];
};

const hides = (other, body) => {
    const ray = unit(minus(body.at, EYE));
    const to = minus(other.at, EYE);
    const along = dot(to, ray);
    const beside = Math.sqrt(Math.max(dot(to, to) - along * along, 0));
    return other.radius > 0 && beside < 1.2 * other.radius && along < dot(minus(body.at, EYE), ray);
};

// Spheres whose middle no other sphere hides.
export const openSpheres = (bodies) =>
    bodies.filter((body) => body.radius > 0 && !bodies.some((other) => other.id !== body.id && hides(other, body)));

export const STOPS = [
    [68, 1, 84],
    [59, 82, 139],
    [33, 145, 140],
    [94, 201, 98],
    [253, 231, 37],
]; // of the map viridis

// The colour of a share of the range, under the light of the page, where a surface faces the eye.
export const tint = (share, place) => {
    const x = 4 * Math.min(Math.max(share, 0), 1);
    const k = Math.min(Math.floor(x), 3);
    const [a, b, c] = unit(seen(place));
    const light = unit([0.3, 0.5, 0.8]);
    const lit = 0.35 + 0.65 * Math.max(-a * light[0] - b * light[1] + c * light[2], 0);
    return STOPS[k].map((stop, i) => lit * (stop + (x - k) * (STOPS[k + 1][i] - stop)));
};
