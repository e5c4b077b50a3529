// Which spheres of a picture no other sphere hides. The picture is divided into cells. From the nearest sphere on, each is kept
// unless all cells that it reaches are filled by nearer ones, and then fills the cells that lie wholly inside its outline.
// Lengths are distances from the camera along a ray, and so no sphere that is seen is left out: a ray that meets a sphere whose
// middle is d away does so at most sqrt(d^2 - r^2) and at least d - r from the camera.
const PER_RADIUS = 3; // cells, of a middle radius
const MOST = 2048; // cells each way
const INSIDE = 0.999; // of the radius: the outline is drawn in single precision
const SAMPLES = 1000; // spheres, for the middle radius
const BINS = 4096; // of distances, for the order

// Spheres in the axes of the camera, which looks along -z: {x, y, w (how far ahead), r, near}, an array each; near is infinite
// where a sphere is cut off.
const ahead = (sphere, shrink, cut, camera) => {
    const m = camera.matrixWorldInverse.elements,
        count = sphere.length / 4;
    const make = () => new Float64Array(count),
        out = { count, x: make(), y: make(), w: make(), r: make(), near: make() };
    for (let n = 0; n < count; n++) {
        const a = sphere[4 * n],
            b = sphere[4 * n + 1],
            c = sphere[4 * n + 2];
        const x = m[0] * a + m[4] * b + m[8] * c + m[12],
            y = m[1] * a + m[5] * b + m[9] * c + m[13],
            w = -(m[2] * a + m[6] * b + m[10] * c + m[14]);
        const isCut = cut.x * a + cut.y * b + cut.z * c > cut.w;
        out.x[n] = x;
        out.y[n] = y;
        out.w[n] = w;
        out.r[n] = sphere[4 * n + 3] * shrink;
        out.near[n] = isCut ? Infinity : Math.sqrt(x * x + y * y + w * w) - out.r[n];
    }
    return out;
};

// Their numbers, from the nearest on, without those that are cut off.
const ordered = ({ count, near }) => {
    let low = Infinity,
        high = -Infinity;
    for (let n = 0; n < count; n++) {
        if (near[n] === Infinity) continue;
        low = Math.min(low, near[n]);
        high = Math.max(high, near[n]);
    }
    const scale = high > low ? (BINS - 1) / (high - low) : 0,
        begin = new Uint32Array(BINS + 1),
        bin = (n) => Math.floor((near[n] - low) * scale);
    for (let n = 0; n < count; n++) if (near[n] < Infinity) begin[bin(n) + 1]++;
    for (let k = 0; k < BINS; k++) begin[k + 1] += begin[k];
    const out = new Uint32Array(begin[BINS]);
    for (let n = 0; n < count; n++) if (near[n] < Infinity) out[begin[bin(n)]++] = n;
    return out;
};

// Cells of the picture; a place (u, v) one ahead of the camera lies in the column ax u + bx and the row ay v + by.
const cellsOf = ({ r, w }, order, camera) => {
    const lens = camera.projectionMatrix.elements,
        every = Math.ceil(order.length / SAMPLES),
        sizes = Float64Array.from(
            { length: order.length / every },
            (_, k) => r[order[k * every]] / w[order[k * every]],
        ).sort(),
        middle = Math.max(sizes[sizes.length >> 1], 1e-6);
    const across = (scale) => Math.min(Math.max(Math.ceil((2 * PER_RADIUS) / (scale * middle)), 1), MOST);
    const wide = across(lens[0]),
        high = across(lens[5]);
    return {
        wide,
        high,
        depth: new Float64Array(wide * high).fill(Infinity), // up to which distance at most a cell is filled
        ax: (lens[0] * wide) / 2,
        bx: ((1 - lens[8]) * wide) / 2,
        ay: (lens[5] * high) / 2,
        by: ((1 - lens[9]) * high) / 2,
    };
};

// First and last cell of `count` that a sphere reaches, seen along v, or the other way round; a u lies in the cell a u + b.
const reached = (cells, a, b, count, x, w, r) => {
    const square = w * w - r * r,
        half = r * Math.sqrt(x * x + square);
    cells[0] = Math.max(Math.floor((a * (x * w - half)) / square + b), 0);
    cells[1] = Math.min(Math.floor((a * (x * w + half)) / square + b), count - 1);
};

const isSeen = ({ depth, wide }, columns, rows, near) => {
    const right = columns[1],
        high = rows[1];
    for (let j = rows[0]; j <= high; j++) {
        for (let i = columns[0]; i <= right; i++) if (depth[j * wide + i] >= near) return true;
    }
    return false;
};

// Fills the cells inside the outline. On a line of one v the outline has the two u for which the ray (u, v, 1) touches.
const fill = ({ depth, wide, ax, bx, ay, by }, x, y, w, r, low, high) => {
    const square = x * x + y * y + w * w - r * r,
        far = Math.sqrt(square),
        under = square - x * x;
    let first = 0,
        last = -1; // of the line below
    for (let j = low; j <= high + 1; j++) {
        const v = (j - by) / ay,
            b = y * v + w,
            inside = square * (b * b + (1 + v * v) * (x * x - square)),
            root = Math.sqrt(Math.max(inside, 0));
        const from = inside > 0 ? Math.ceil((ax * (x * b - root)) / under + bx) : 0,
            to = inside > 0 ? Math.floor((ax * (x * b + root)) / under + bx) - 1 : -1;
        const end = Math.min(last, to, wide - 1);
        for (let i = Math.max(first, from, 0); i <= end; i++) {
            const at = (j - 1) * wide + i;
            if (depth[at] > far) depth[at] = far;
        }
        first = from;
        last = to;
    }
};

// Numbers of the spheres (x y z radius each) that a camera sees; `shrink` scales the radii, places with dot(cut.xyz, place) >
// cut.w are cut off.
export const seenSpheres = (sphere, shrink, cut, camera) => {
    const all = ahead(sphere, shrink, cut, camera),
        order = ordered(all),
        cells = cellsOf(all, order, camera),
        columns = new Int32Array(2),
        rows = new Int32Array(2),
        out = [];
    for (let k = 0; k < order.length; k++) {
        const n = order[k],
            x = all.x[n],
            y = all.y[n],
            w = all.w[n],
            r = all.r[n];
        if (w + r < camera.near) continue;
        if (w - r <= camera.near) {
            out.push(n); // it is around the camera, or nearly so
            continue;
        }
        reached(columns, cells.ax, cells.bx, cells.wide, x, w, r);
        reached(rows, cells.ay, cells.by, cells.high, y, w, r);
        if (!isSeen(cells, columns, rows, all.near[n])) continue;
        out.push(n);
        fill(cells, x, y, w, INSIDE * r, rows[0], rows[1]);
    }
    return out;
};
