// Frames of a run: blocks of base64 and deflate in the page, opened when they are shown. A column is stored component by
// component: the least and the greatest value as doubles, then 16 bits for each item between them; whole numbers have 32 bits.
const KEPT = 8; // opened frames in memory

const inflate = async (id) => {
    const bytes = Uint8Array.from(atob(document.getElementById(id).textContent.trim()), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
    return new Response(stream).arrayBuffer();
};

const part = (block, at, count, columns) => {
    const out = {}, view = new DataView(block);
    for (const { name, components: all, width = all, whole } of columns) {
        const items = count * all / width;
        if (whole) {
            out[name] = new Int32Array(block.slice(at, at + 4 * count * all));
            at += 4 * count * all;
            continue;
        }
        const value = new Float32Array(items * width);
        for (let c = 0; c < width; c++) {
            const low = view.getFloat64(at, true), step = (view.getFloat64(at + 8, true) - low) / 65535;
            const packed = new Uint16Array(block.slice(at + 16, at + 16 + 2 * items));
            for (let n = 0; n < items; n++) value[n * width + c] = low + step * packed[n];
            at += 16 + 2 * items;
        }
        out[name] = value;
    }
    return [out, at];
};

export class Frames {
    constructor(head) {
        this.head = head;
        this.open = new Map();
    }
    async get(index) {
        if (!this.open.has(index)) {
            if (this.open.size >= KEPT) this.open.delete(this.open.keys().next().value);
            this.open.set(index, this.read(index));
        }
        return this.open.get(index);
    }
    // Ids of the bodies of all points of surfaces, then corners of all triangles: those of a frame are the first of them.
    async corners() {
        const most = this.head.frames.at(-1);
        if (!most.points) return { id: new Int32Array(), triangle: new Uint32Array() };
        const block = await inflate('surface');
        return { id: new Int32Array(block, 0, most.points), triangle: new Uint32Array(block, 4 * most.points, 3 * most.triangles) };
    }
    async read(index) {
        this.surface ??= this.corners();
        const frame = this.head.frames[index], { id, triangle } = await this.surface;
        const block = await inflate(`frame-${index}`);
        const [bodies, at] = part(block, 0, frame.bodies, this.head.bodies);
        const [contacts, next] = part(block, at, frame.contacts, this.head.contacts);
        const [surface] = part(block, next, frame.points, frame.points ? [{ name: 'position', components: 3 }] : []);
        const points = surface.position || new Float32Array();
        return { ...frame, bodies, contacts, points, pointId: id.subarray(0, frame.points), triangle: triangle.subarray(0, 3 * frame.triangles) };
    }
}
