// What of a stage is at a place of its canvas.
import * as THREE from 'three';

const pickSphere = ({ sphere, shrink, camera }, ray, kept) => {
    const hit = new THREE.Vector3(),
        ball = new THREE.Sphere(),
        best = { away: Infinity };
    for (let n = 0; 4 * n < sphere.length; n++) {
        ball.center.fromArray(sphere, 4 * n);
        ball.radius = sphere[4 * n + 3] * shrink.value;
        if (!kept(ball.center) || !ray.intersectSphere(ball, hit)) continue;
        const away = hit.distanceTo(camera.position);
        if (away < best.away) Object.assign(best, { away, index: n });
    }
    return best;
};

const pickTriangle = ({ surface, camera }, ray, kept) => {
    const hit = new THREE.Vector3(),
        corner = [0, 1, 2].map(() => new THREE.Vector3()),
        best = { away: Infinity };
    const { points, grains } = surface;
    for (let n = 0; n < grains.length; n += 3) {
        corner.forEach((c, k) => c.fromArray(points, 3 * grains[n + k]));
        if (!ray.intersectTriangle(...corner, false, hit) || !kept(hit)) continue;
        const away = hit.distanceTo(camera.position);
        if (away < best.away) Object.assign(best, { away, index: grains[n] });
    }
    return best;
};

// x, y: in -1 to 1 each way. {sphere} its index, {point} a point of its surface, or {}.
export const pickAt = (stage, x, y) => {
    if (stage.noGrains) return {};
    const caster = new THREE.Raycaster(),
        cut = stage.cut.value;
    caster.setFromCamera(new THREE.Vector2(x, y), stage.camera);
    const kept = (p) => cut.x * p.x + cut.y * p.y + cut.z * p.z <= cut.w;
    const ball = pickSphere(stage, caster.ray, kept),
        face = pickTriangle(stage, caster.ray, kept);
    if (ball.away <= face.away) return Number.isFinite(ball.away) ? { sphere: ball.index } : {};
    return { point: face.index };
};
