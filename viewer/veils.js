// Which walls of a picture stand before the grains. A wall that hides many of them is seen through, as the glass of a cell; a
// blade, a wheel or a chute is solid.
const MANY = 0.3; // of the grains that no other grain hides
const CELLS = 160; // of the picture, each way

// Where the camera sees a place: [column, row, how far ahead, where along the cut].
const project = ([x, y, z], camera, cut) => {
    const view = camera.matrixWorldInverse.elements,
        lens = camera.projectionMatrix.elements;
    const along = (k) => view[k] * x + view[k + 4] * y + view[k + 8] * z + view[k + 12];
    const ahead = -along(2);
    return [
        (0.5 + 0.5 * ((lens[0] * along(0)) / ahead - lens[8])) * CELLS,
        (0.5 + 0.5 * ((lens[5] * along(1)) / ahead - lens[9])) * CELLS,
        ahead,
        cut.x * x + cut.y * y + cut.z * z - cut.w,
    ];
};

// Adds a triangle of projected corners to `depth`, which says of each cell how far ahead the wall is. What is linear over the
// triangle is so over the picture after division by how far ahead it is.
const cover = (depth, [a, b, c]) => {
    const area = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
    if (!(Math.min(a[2], b[2], c[2]) > 0) || area === 0) return;
    const range = (k) => [
        Math.max(Math.ceil(Math.min(a[k], b[k], c[k]) - 0.5), 0),
        Math.min(Math.floor(Math.max(a[k], b[k], c[k]) - 0.5), CELLS - 1),
    ];
    const [left, right] = range(0),
        [low, high] = range(1);
    for (let j = low; j <= high; j++) {
        for (let i = left; i <= right; i++) {
            const [x, y] = [i + 0.5 - a[0], j + 0.5 - a[1]],
                s = (x * (c[1] - a[1]) - y * (c[0] - a[0])) / area,
                t = (y * (b[0] - a[0]) - x * (b[1] - a[1])) / area,
                r = 1 - s - t;
            if (Math.min(r, s, t) < 0 || (r * a[3]) / a[2] + (s * b[3]) / b[2] + (t * c[3]) / c[2] > 0) continue;
            depth[j * CELLS + i] = Math.min(depth[j * CELLS + i], 1 / (r / a[2] + s / b[2] + t / c[2]));
        }
    }
};

// The share of grains, projected places, before which some of the triangles stand.
const hiddenShare = (grains, points, corners, camera, cut) => {
    const depth = new Float64Array(CELLS * CELLS).fill(Infinity);
    const at = (n) => project(points.subarray(3 * n, 3 * n + 3), camera, cut);
    for (let k = 0; k < corners.length; k += 3) cover(depth, corners.slice(k, k + 3).map(at));
    const hidden = grains.filter(([x, y, ahead]) => depth[Math.floor(y) * CELLS + Math.floor(x)] < ahead);
    return hidden.length / grains.length;
};

// Divides the walls of a surface (see arrange.js) into those that are seen through, which stay walls, and those that join the
// grains. rows: of the grains that are seen; known: a map from ids of bodies to what was found in the first picture, so that
// walls of a movie do not change.
export const divideWalls = ({ points, tag, grains, walls }, { position, id }, rows, known, camera, cut) => {
    const of = new Map(), // corners by the row of their body
        solid = [],
        clear = [];
    walls.forEach((n) => {
        const row = tag[2 * n + 1];
        if (!of.has(row)) of.set(row, []);
        of.get(row).push(n);
    });
    const places = rows
        .map((row) => project(position.subarray(3 * row, 3 * row + 3), camera, cut))
        .filter(([x, y, ahead, beyond]) => ahead > 0 && beyond <= 0 && Math.min(x, y) >= 0 && Math.max(x, y) < CELLS);
    of.forEach((corners, row) => {
        const key = id?.[row] ?? row;
        if (!known.has(key)) known.set(key, hiddenShare(places, points, corners, camera, cut) > MANY);
        const side = known.get(key) ? clear : solid;
        corners.forEach((n) => side.push(n));
    });
    return { points, tag, grains: Uint32Array.from([...grains].concat(solid)), walls: Uint32Array.from(clear) };
};
