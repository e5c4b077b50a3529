// Frames of a run: blocks of base64 and deflate in the page, opened when they are shown. A column is stored component by
// component: the least and the greatest value as doubles, then 16 bits for each item between them; whole numbers have 32 bits.
const KEPT = 8; // opened frames in memory

const inflate = async (text) => {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
    return new Response(stream).arrayBuffer();
};

const part = (view, at, count, columns) => {
    const out = {};
    for (const { name, components: all, width = all, whole } of columns) {
        const components = width, items = count * all / width;
        if (whole) {
            out[name] = Int32Array.from({ length: count * all }, (_, n) => view.getInt32(at + 4 * n, true));
            at += 4 * count * all;
            continue;
        }
        const value = new Float32Array(items * components);
        for (let c = 0; c < components; c++) {
            const low = view.getFloat64(at, true), high = view.getFloat64(at + 8, true);
            at += 16;
            for (let n = 0; n < items; n++, at += 2) {
                value[n * components + c] = low + (high - low) * view.getUint16(at, true) / 65535;
            }
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
    async read(index) {
        const frame = this.head.frames[index];
        const view = new DataView(await inflate(document.getElementById(`frame-${index}`).textContent.trim()));
        const [bodies, at] = part(view, 0, frame.bodies, this.head.bodies);
        const [contacts, next] = part(view, at, frame.contacts, this.head.contacts);
        const [surface, last] = part(view, next, frame.points, frame.points ? [{ name: 'position', components: 3 }] : []);
        const triangle = new Uint32Array(frame.triangles * 3);
        for (let n = 0; n < triangle.length; n++) triangle[n] = view.getUint32(last + 4 * n, true);
        return { ...frame, bodies, contacts, surface: surface.position, triangle };
    }
}
