// Flat and round faces: squares for planes, and normals of triangles.
import * as THREE from 'three';

const ROUND = 0.78; // least cosine between a triangle and the mean of those around a corner, where a surface is round

const vector = (array) => new THREE.Vector3(...array);

// A plane as the corners of a square about the foot of `middle`.
export const squareOf = ([x, y, z, ...normal], middle, half) => {
    const up = vector(normal),
        foot = middle.clone();
    foot.addScaledVector(up, up.dot(vector([x, y, z]).sub(foot)));
    const side = vector(Math.abs(up.x) < 0.9 ? [1, 0, 0] : [0, 1, 0])
            .cross(up)
            .normalize(),
        other = up.clone().cross(side);
    const corners = [
        [-1, -1],
        [1, -1],
        [1, 1],
        [-1, 1],
    ];
    return corners.flatMap(([a, b]) => [
        ...foot
            .clone()
            .addScaledVector(side, half * a)
            .addScaledVector(other, half * b),
    ]);
};

// Normals of corners at edges become 0: a triangle there is drawn as the face that it is.
export const dropSharp = (normal, points, index) => {
    const sharp = new Uint8Array(points.length / 3);
    const at = (n, c) => points[3 * index[n] + c];
    for (let n = 0; n < index.length; n += 3) {
        const a = [0, 1, 2].map((c) => at(n + 1, c) - at(n, c));
        const b = [0, 1, 2].map((c) => at(n + 2, c) - at(n, c));
        const face = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
        const least = ROUND * Math.hypot(...face);
        const along = (k) => face.reduce((sum, x, c) => sum + x * normal[3 * index[n + k] + c], 0);
        if (Math.min(along(0), along(1), along(2)) < least) [0, 1, 2].forEach((k) => (sharp[index[n + k]] = 1));
    }
    sharp.forEach((is, n) => {
        if (is) normal.fill(0, 3 * n, 3 * n + 3);
    });
};
