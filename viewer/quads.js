// Shapes that are drawn many times, as a square for each sphere. Each is a quad whose four corners hold the same values and know
// by their number which corner they are. Instances of one quad would do with a quarter of the memory, but without a graphics card
// each of them is a call of its own: 1e5 took 4 s, and as many quads take 0.1 s.
import * as THREE from 'three';

const ORDER = [0, 1, 2, 0, 2, 3];

// Which corner of its quad a vertex is, (-1, -1), (1, -1), (1, 1) or (-1, 1), and the number of the quad; for vertex shaders.
export const CORNER = `
vec2 corner() {
    int k = gl_VertexID & 3;
    return vec2(k == 1 || k == 2 ? 1.0 : -1.0, k > 1 ? 1.0 : -1.0);
}
int quad() { return gl_VertexID >> 2; }`;

const makeGeometry = (count, values) => {
    const geometry = new THREE.BufferGeometry(),
        index = new Uint32Array(6 * count);
    for (let n = 0; n < count; n++) for (let k = 0; k < 6; k++) index[6 * n + k] = 4 * n + ORDER[k];
    geometry.setIndex(new THREE.BufferAttribute(index, 1));
    Object.entries(values).forEach(([name, [, components]]) =>
        geometry.setAttribute(name, new THREE.BufferAttribute(new Float32Array(4 * count * components), components)),
    );
    return geometry;
};

// Gives a mesh `count` quads; values: {name: [array, components]}, of which each quad has one item.
export const setQuads = (mesh, count, values) => {
    if (mesh.geometry.index?.count !== 6 * count) {
        mesh.geometry.dispose();
        mesh.geometry = makeGeometry(count, values);
    }
    Object.entries(values).forEach(([name, [array, components]]) => {
        const attribute = mesh.geometry.attributes[name];
        for (let n = 0; n < count; n++) {
            for (let c = 0; c < components; c++) {
                const at = 4 * n * components + c;
                for (let k = 0; k < 4; k++) attribute.array[at + k * components] = array[n * components + c];
            }
        }
        attribute.needsUpdate = true;
    });
};
