// Planes of pictures as the parts of them that bound the grains.
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const along = (a, b, t) => a.map((x, k) => x + t * (b[k] - x));
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

// What of a polygon lies where dot(normal, p) >= level.
const kept = (polygon, normal, level) =>
    polygon.flatMap((p, k) => {
        const q = polygon[(k + 1) % polygon.length],
            a = dot(normal, p) - level,
            b = dot(normal, q) - level;
        return [...(a >= 0 ? [p] : []), ...(a >= 0 !== b >= 0 ? [along(p, q, a / (a - b))] : [])];
    });

// Planes are [x, y, z, normal]. Each is clipped by the others, since none reaches behind another, and by the box from low to
// high; planes seen from behind are left out. Polygons, of 3 corners or more each.
export const planePolygons = (planes, low, high, eye) => {
    const middle = low.map((a, k) => (a + high[k]) / 2),
        size = Math.hypot(...low.map((a, k) => high[k] - a)),
        pad = 0.015 * size;
    const faces = [0, 1, 2]
        .flatMap((k) => [
            [k, 1, low[k] - pad],
            [k, -1, -high[k] - pad],
        ])
        .map(([k, sign, level]) => [[0, 1, 2].map((c) => (c === k ? sign : 0)), level]);
    const sides = planes.map(([x, y, z, ...normal]) => [normal, dot(normal, [x, y, z])]);
    return sides
        .filter(([normal, level]) => dot(normal, eye) > level)
        .map(([normal, level]) => {
            const foot = middle.map((m, k) => m + (level - dot(normal, middle)) * normal[k]);
            const side = cross(Math.abs(normal[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0], normal),
                length = Math.hypot(...side);
            const across = side.map((x) => (2 * size * x) / length),
                upward = cross(normal, across);
            const square = [
                [-1, -1],
                [1, -1],
                [1, 1],
                [-1, 1],
            ].map(([a, b]) => foot.map((f, k) => f + a * across[k] + b * upward[k]));
            const others = sides.filter(([n]) => n !== normal && Math.abs(dot(n, normal)) < 0.999);
            return [...faces, ...others].reduce((polygon, [n, l]) => kept(polygon, n, l - 1e-9 * size), square);
        })
        .filter((polygon) => polygon.length > 2);
};

// What a cut leaves of lines, two places each: that where dot(cut.xyz, p) <= cut.w.
export const keptLines = (lines, cut) => {
    const out = [];
    for (let n = 0; n < lines.length; n += 6) {
        const a = [...lines.subarray(n, n + 3)],
            b = [...lines.subarray(n + 3, n + 6)],
            [over, under] = [a, b].map((p) => dot([cut.x, cut.y, cut.z], p) - cut.w);
        if (over > 0 && under > 0) continue;
        out.push(...(over > 0 ? along(a, b, over / (over - under)) : a));
        out.push(...(under > 0 ? along(a, b, over / (over - under)) : b));
    }
    return Float32Array.from(out);
};
