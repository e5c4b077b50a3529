// Turns a frame of the results into what the stage draws: arrays of spheres, corners and triangles with their values.

// Values that the shaders take for a colour outside the map.
const GREY = 3e38,
    PALE = 2e38;

// Bodies that are not shown have no place.
const isLost = ({ position }, row) => Number.isNaN(position[3 * row]);

// Numbers of a field, one for each body; of vectors their length, of a stress tensor the pressure.
export const fieldValues = (bodies, name, components) => {
    const all = bodies[name],
        count = all.length / components,
        out = new Float32Array(count);
    if (components === 1) return Float32Array.from(all);
    for (let n = 0; n < count; n++) {
        const at = n * components;
        if (components === 6) {
            out[n] = -(all[at] + all[at + 3] + all[at + 5]) / 3; // xx xy xz yy yz zz
        } else {
            let square = 0;
            for (let c = 0; c < components; c++) square += all[at + c] * all[at + c];
            out[n] = Math.sqrt(square);
        }
    }
    return out;
};

export const fieldName = (name, components) => {
    if (components === 6) return name === 'stress' ? 'pressure' : `${name} (mean)`;
    return components > 1 ? `${name} (size)` : name;
};

// Values for a picture: figure {component (-1: of vectors the length), held: bodies that are fixed or driven are grey, loads: the
// others are pale}.
export const figureValues = (bodies, { name, components }, { component, held, loads }) => {
    const all = bodies[name],
        value =
            component < 0
                ? fieldValues(bodies, name, components)
                : Float32Array.from({ length: all.length / components }, (_, n) => all[n * components + component]);
    return value.map((x, n) => {
        if (held && bodies.kind && bodies.kind[n] !== 0) return GREY;
        return loads ? PALE : x;
    });
};

// Loads of contacts: of the normal, or the size of the force where the scene keeps that alone.
export const contactLoads = ({ line, id_i: first, normal_load: load, force }) => {
    if (load) return load;
    const count = line ? line.length / 6 : first.length;
    if (!force) return new Float32Array(count).fill(1);
    return Float32Array.from({ length: count }, (_, n) => Math.hypot(...force.subarray(3 * n, 3 * n + 3)));
};

// Lines of contacts: from centre to centre, but to the point of contact where a body is held, as a wall is.
export const contactLines = ({ contacts, bodies, row }) => {
    const { line, point, id_i: first, id_j: second } = contacts;
    if (!line || !point || !first || !second || !bodies.kind) return line;
    const out = line.slice();
    const isHeld = (id) => bodies.kind[row.get(id)] > 0;
    for (let n = 0; n < first.length; n++) {
        const end = point.subarray(3 * n, 3 * n + 3);
        if (isHeld(first[n])) out.set(end, 6 * n);
        else if (isHeld(second[n])) out.set(end, 6 * n + 3);
    }
    return out;
};

const spheresOf = (bodies, value, fallback) => {
    const { position } = bodies,
        count = position.length / 3;
    const radius = bodies.sphere_radius || bodies.radius || new Float32Array(count).fill(fallback);
    const balls = [];
    for (let n = 0; n < count; n++) if (radius[n] > 0 && !isLost(bodies, n)) balls.push(n);
    const sphere = new Float32Array(4 * balls.length),
        sphereValue = new Float32Array(balls.length);
    balls.forEach((n, k) => {
        for (let c = 0; c < 3; c++) sphere[4 * k + c] = position[3 * n + c];
        sphere[4 * k + 3] = radius[n];
        sphereValue[k] = value[n];
    });
    return { balls, sphere, sphereValue, middleRadius: balls.length ? radius[balls[balls.length >> 1]] : fallback };
};

// Triangles of bodies that are held are walls.
const surfacesOf = ({ points, pointRow, triangle, bodies }, value) => {
    const tag = new Float32Array(2 * pointRow.length),
        grains = [],
        walls = [];
    pointRow.forEach((row, k) => {
        tag[2 * k] = row < 0 ? 0 : value[row];
        tag[2 * k + 1] = row;
    });
    for (let n = 0; n < triangle.length; n += 3) {
        const row = pointRow[triangle[n]],
            held = row < 0 || (bodies.kind && bodies.kind[row] !== 0);
        if (row >= 0 && isLost(bodies, row)) continue;
        (held ? walls : grains).push(triangle[n], triangle[n + 1], triangle[n + 2]);
    }
    return { points, tag, grains: Uint32Array.from(grains), walls: Uint32Array.from(walls) };
};

// A value that is no number is grey.
export const arrange = (frame, value, fallback) => {
    const shade = value.map((x) => (Number.isNaN(x) ? GREY : x));
    return {
        ...spheresOf(frame.bodies, shade, fallback),
        surface: surfacesOf(frame, shade),
        bodies: frame.bodies,
    };
};
