// Bonds of a frame as sticks between the bonded points: blue where they are compressed, red where they are stretched. Those that
// broke are left out.
import { setQuads } from './quads.js';

const WIDE = 0.3; // of the radius of a grain

// What a stage draws of bonds {line, broken, tension}; null where a frame has none.
export const sticksOf = ({ line, broken, tension }, radius) => {
    if (!line) return null;
    const whole = [],
        count = line.length / 6;
    for (let n = 0; n < count; n++) if (!broken || broken[n] === 0) whole.push(n);
    const shown = whole.filter((n) => !Number.isNaN(line[6 * n]));
    const from = new Float32Array(3 * shown.length),
        to = new Float32Array(3 * shown.length);
    shown.forEach((n, k) => {
        from.set(line.subarray(6 * n, 6 * n + 3), 3 * k);
        to.set(line.subarray(6 * n + 3, 6 * n + 6), 3 * k);
    });
    const value = Float32Array.from(shown, (n) => (tension ? tension[n] : 0));
    return { from, to, value, wide: WIDE * radius, broken: count - whole.length };
};

// The largest tension or compression of all frames, at the ends of the colours.
export const mostTension = (columns) => {
    const { low = 0, high = 0 } = columns.find(({ name }) => name === 'tension') || {};
    return Math.max(Math.abs(low), Math.abs(high));
};

// Gives sticks to a mesh of the shader `stick`.
export const setSticks = (mesh, { from, to, value, wide }, most) => {
    const { uniforms } = mesh.material;
    setQuads(mesh, value.length, { from: [from, 3], to: [to, 3], value: [value, 1] });
    uniforms.wide.value = wide;
    uniforms.range.value.set(-most, most);
};
