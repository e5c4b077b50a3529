// Frames of a run: blocks of base64 and deflate in the page, opened when they are shown. src/cli/report_frames.h says how they
// are laid out.
import { $ } from './words.js';

const KEPT = 8; // opened frames in memory
const NO_NUMBER = 65535;

const bytesOf = (text) => {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
    const packed = atob(text),
        out = new Uint8Array(packed.length);
    for (let n = 0; n < packed.length; n++) out[n] = packed.charCodeAt(n);
    return out;
};

const fromPage = (id) => {
    const block = $(id);
    if (!block)
        return Promise.reject(new Error(`the page lacks its block ${id}, so it was cut off when it was copied`));
    return Promise.resolve(bytesOf(block.textContent.trim()));
};

const inflate = (bytes) => {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
    return new Response(stream).arrayBuffer();
};

// Reads columns one after the other.
class Reader {
    constructor(block) {
        this.block = block;
        this.view = new DataView(block);
        this.at = 0;
    }

    take(bytes) {
        this.at += bytes;
        return new Uint8Array(this.block, this.at - bytes, bytes);
    }

    integer() {
        this.at += 4;
        return this.view.getUint32(this.at - 4, true);
    }

    double() {
        this.at += 8;
        return this.view.getFloat64(this.at - 8, true);
    }

    // Whole numbers of 32 bits, byte by byte.
    whole(count) {
        const out = new Int32Array(count),
            plane = [0, 1, 2, 3].map(() => this.take(count));
        for (let n = 0; n < count; n++)
            out[n] = plane[0][n] | (plane[1][n] << 8) | (plane[2][n] << 16) | (plane[3][n] << 24);
        return out;
    }

    // Components one after the other, each between its least and its greatest.
    packed(items, width) {
        const out = new Float32Array(items * width);
        for (let c = 0; c < width; c++) {
            const low = this.double(),
                step = (this.double() - low) / (NO_NUMBER - 1);
            const fine = this.take(items),
                coarse = this.take(items);
            for (let n = 0; n < items; n++) {
                const packed = fine[n] | (coarse[n] << 8);
                out[n * width + c] = packed === NO_NUMBER ? NaN : low + step * packed;
            }
        }
        return out;
    }
}

// Places of the points of surfaces: those of the bodies, turned with them.
const placed = ({ local, pointRow }, { position, orientation }) => {
    const out = new Float32Array(local.length);
    for (let k = 0; k < pointRow.length; k++) {
        const row = pointRow[k];
        if (row < 0) continue;
        const w = orientation[4 * row],
            x = orientation[4 * row + 1],
            y = orientation[4 * row + 2],
            z = orientation[4 * row + 3];
        const a = local[3 * k],
            b = local[3 * k + 1],
            c = local[3 * k + 2];
        const s = 2 / (w * w + x * x + y * y + z * z); // rounding leaves no unit quaternion
        const p = y * c - z * b + w * a,
            q = z * a - x * c + w * b,
            r = x * b - y * a + w * c;
        out[3 * k] = position[3 * row] + a + s * (y * r - z * q);
        out[3 * k + 1] = position[3 * row + 1] + b + s * (z * p - x * r);
        out[3 * k + 2] = position[3 * row + 2] + c + s * (x * q - y * p);
    }
    return out;
};

export class Frames {
    constructor(head, prefix) {
        this.head = head;
        this.prefix = prefix;
        this.open = new Map();
        this.steady = new Map(); // columns that stand in an earlier frame: where, and their values
    }

    get count() {
        return this.head.frames.length;
    }

    time(index) {
        return this.head.frames[index].time;
    }

    // The last frame that is not later than `time`.
    at(time) {
        const later = this.head.frames.findIndex((frame) => frame.time > time * (1 + 1e-12));
        return later < 0 ? this.count - 1 : Math.max(later - 1, 0);
    }

    get(index) {
        if (!this.open.has(index)) {
            if (this.open.size >= KEPT) this.open.delete(this.open.keys().next().value);
            this.open.set(index, this.read(index));
            this.open.get(index).catch(() => this.open.delete(index)); // it may be read later: a run was writing
        }
        return this.open.get(index);
    }

    // Opens the frame that is likely to be wanted next.
    prepare(index) {
        if (index < this.count) this.get(index).catch(() => {}); // it is told when the frame is shown
    }

    // A live page asks its server for blocks (live.js).
    async block(id) {
        return inflate(await (this.head.ask || fromPage)(`${this.prefix}${id}`));
    }

    // Ids of the bodies of all points, corners of all triangles, and points in the axes of their bodies.
    async readSurface() {
        const { points, triangles, rigid } = this.head.surface || {};
        if (!points) return { id: new Int32Array(), triangle: new Uint32Array() };
        const block = await this.block('surface');
        const local = rigid ? new Float32Array(block, 4 * points + 12 * triangles, 3 * points) : null;
        return {
            id: new Int32Array(block, 0, points),
            triangle: new Uint32Array(block, 4 * points, 3 * triangles),
            local,
        };
    }

    // A live page has more points by and by.
    async surfaceOf(points) {
        this.surface ??= this.readSurface();
        try {
            if ((await this.surface).id.length < points) this.surface = this.readSurface();
            return await this.surface;
        } catch (error) {
            this.surface = null;
            throw error;
        }
    }

    async readSteady(part, name, where) {
        const key = `${part} ${name}`;
        const kept = this.steady.get(key);
        if (kept?.where === where) return kept.values;
        const values = (await this.get(where))[part][name];
        this.steady.set(key, { where, values });
        return values;
    }

    // The row of each body by its id.
    rows(id) {
        if (this.rowsOf?.id !== id) {
            const row = new Map();
            id?.forEach((of, n) => row.set(of, n));
            this.rowsOf = { id, row };
        }
        return this.rowsOf.row;
    }

    // Columns of a part; one that did not change stands in an earlier frame.
    async readPart(reader, part, index, count) {
        const out = {};
        for (const { name, components, width, whole } of this.head[part]) {
            const where = reader.integer();
            if (where !== index) out[name] = await this.readSteady(part, name, where);
            else if (whole) out[name] = reader.whole(count * components);
            else out[name] = reader.packed((count * components) / width, width);
        }
        return out;
    }

    async read(index) {
        const frame = this.head.frames[index];
        const all = await this.surfaceOf(frame.points);
        const reader = new Reader(await this.block(`frame-${index}`));
        const bodies = await this.readPart(reader, 'bodies', index, frame.bodies);
        const contacts = await this.readPart(reader, 'contacts', index, frame.contacts);
        const bonds = await this.readPart(reader, 'bonds', index, frame.bonds);
        const row = this.rows(bodies.id);
        const pointRow = Int32Array.from(all.id.subarray(0, frame.points), (id) => row.get(id) ?? -1);
        const triangle = all.triangle.subarray(0, 3 * frame.triangles);
        const points = all.local
            ? placed({ local: all.local.subarray(0, 3 * frame.points), pointRow }, bodies)
            : reader.packed(frame.points, frame.points ? 3 : 0);
        return { ...frame, bodies, contacts, bonds, row, points, pointRow, triangle };
    }
}
