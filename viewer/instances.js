// Shapes that are drawn many times, as a square for each sphere. A mesh gets a new geometry with each frame: three.js keeps the
// number of instances that a geometry had when it was drawn first as the most that it may have, and the old numbers in memory.
import * as THREE from 'three';

export const setCorners = ({ geometry }, corners) => {
    geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(corners), 3));
    geometry.setIndex([0, 1, 2, 0, 2, 3]);
};

// Gives a mesh `count` instances; values: {name: [array, components]}.
export const setInstances = (mesh, count, values) => {
    const { position } = mesh.geometry.attributes,
        { index } = mesh.geometry,
        geometry = new THREE.InstancedBufferGeometry();
    mesh.geometry.dispose();
    geometry.setAttribute('position', position);
    geometry.setIndex(index);
    Object.entries(values).forEach(([name, [array, components]]) =>
        geometry.setAttribute(name, new THREE.InstancedBufferAttribute(array, components)),
    );
    geometry.instanceCount = count;
    mesh.geometry = geometry;
};
