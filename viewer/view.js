// The view of one run: its canvas, legend and time, and what a picked grain tells.
import { arrange, contactLines, contactLoads, fieldName, fieldValues, figureValues } from './arrange.js';
import { LOADS, STOPS, TENSIONS, paintBar } from './colours.js';
import { annotate } from './figure.js';
import { Frames } from './frames.js';
import { Stage } from './stage.js';
import { mostTension, sticksOf } from './sticks.js';
import { tellBody } from './told.js';
import { make, plain, short, withUnit } from './words.js';

export const VIEWS = { Corner: [-0.5, -1, 0.45], Front: [0, -1, 0], Side: [1, 0, 0], Top: [0, 0, 1] };
const THIN = 0.15; // of the next larger extent: a scene in two dimensions
const DRAG = 4; // pixels that make a click a drag
const HINT =
    'drag to turn, scroll to zoom, click a grain for its values. ' +
    'Keys: space plays, left and right step, home and end go to the first and last frame, plus and minus zoom, 1 to 4 turn';

// The names of columns that colour grains.
export const fieldsOf = (head) => head.bodies.filter(({ name }) => !['position', 'orientation'].includes(name));

// Shares of a field's numbers that its colours span.
const between = (value, low, high) => {
    const sorted = value.filter((x) => !Number.isNaN(x)).sort(),
        last = sorted.length - 1;
    return last < 0 ? [0, 1] : [sorted[Math.round(low * last)], sorted[Math.round(high * last)]];
};

export class View {
    // `number`: of the run among those of the page; ids of the first have no number.
    constructor(run, number) {
        this.run = run;
        this.head = run.head;
        this.frames = new Frames(run.head, run.prefix);
        this.element = this.build(number ? `-${number}` : '');
        this.picked = null;
    }

    build(end) {
        const part = (tag, id, properties = {}) =>
            (this[id] = make(tag, { id: id + end, className: id, ...properties }));
        const canvas = part('canvas', 'canvas', { tabIndex: 0 });
        canvas.setAttribute('role', 'img');
        canvas.setAttribute('aria-label', `Grains of ${this.run.name} in three dimensions; ${HINT}`);
        const bar = part('canvas', 'bar', { width: 160, height: 10 });
        bar.setAttribute('aria-hidden', 'true');
        paintBar(bar);
        const legend = make(
            'div',
            { className: 'legend' },
            part('span', 'field'),
            bar,
            part('span', 'low'),
            part('span', 'high'),
        );
        const tensions = make('canvas', { className: 'bar', width: 160, height: 10 });
        tensions.setAttribute('aria-hidden', 'true');
        paintBar(tensions, TENSIONS);
        part('div', 'tensions', { hidden: true });
        this.tensions.classList.add('legend');
        this.tensions.append(part('span', 'bonded'), tensions, part('span', 'pressed'), part('span', 'stretched'));
        this.panel = make('div', { id: `picked${end}`, className: 'picked', hidden: true });
        this.panel.setAttribute('role', 'status');
        return make(
            'figure',
            { className: 'view' },
            part('figcaption', 'name', { textContent: this.run.name }),
            make('div', { className: 'picture' }, canvas, legend, this.tensions, part('output', 'time'), this.panel),
        );
    }

    // Begins to draw; the element must be in the page.
    begin(changed) {
        this.changed = changed;
        this.stage = new Stage(this.canvas, this.head.low, this.head.high);
        this.stage.look(VIEWS[this.natural()]);
        this.listen();
    }

    // The view that shows most: of a scene in two dimensions the one along its thin side.
    natural() {
        const size = this.head.low.map((a, k) => this.head.high[k] - a),
            order = [0, 1, 2].sort((a, b) => size[a] - size[b]);
        return size[order[0]] < THIN * size[order[1]] ? ['Side', 'Front', 'Top'][order[0]] : 'Corner';
    }

    column(name) {
        return this.head.bodies.find((b) => b.name === name);
    }

    /* --- a frame --------------------------------------------------------------------------------------------------- */

    // Draws the frame of `state` (see report.js).
    async render(state, index) {
        const frame = await this.frames.get(index);
        const column = this.column(state.colour) || this.head.bodies[0];
        const { figure } = state,
            value = figure
                ? figureValues(frame.bodies, column, figure)
                : fieldValues(frame.bodies, column.name, column.components);
        const made = arrange(frame, value, this.stage.size / 200);
        this.shown = { ...frame, ...made, index };
        this.stage.setStyle(state.walls, state.grains);
        this.stage.clip(state.clip, state.share);
        if (figure) this.dress(figure, frame);
        const chains = state.contacts ? this.chains(frame, made.middleRadius) : null;
        if (chains && figure) chains.most = figure.load;
        const sticks = state.bonds ? sticksOf(frame.bonds, made.middleRadius) : null;
        this.stage.set(made, frame.planes || [], chains, sticks, mostTension(this.head.bonds));
        this.tellBonds(sticks);
        this.setRange(state, value, column);
        if (figure) this.annotate(figure, frame, state.range, column);
        this.stage.quiet = false;
        this.time.textContent = `t = ${short(frame.time)} s`;
        this.tell();
    }

    dress(figure, { bodies }) {
        const sizes = (bodies.radius || bodies.sphere_radius || new Float32Array()).filter((r) => r > 0).sort();
        this.stage.dress(figure, 2.5 * (sizes[sizes.length >> 1] || this.stage.size / 200));
    }

    annotate(figure, { time }, range, { whole }) {
        const { camera, controls } = this.stage,
            tall = 2 * camera.position.distanceTo(controls.target) * Math.tan((camera.fov * Math.PI) / 360);
        annotate(this.canvas.parentElement, figure, {
            perPixel: tall / figure.size[1],
            time,
            range: figure.loads ? [0, figure.load] : range,
            stops: figure.loads ? LOADS : STOPS,
            whole: whole && !figure.loads,
        });
    }

    chains(frame, radius) {
        const line = contactLines(frame);
        if (!line) return null;
        const load = contactLoads(frame.contacts),
            shown = Array.from(load.keys()).filter((n) => !Number.isNaN(line[6 * n] + line[6 * n + 3])),
            out = new Float32Array(6 * shown.length);
        shown.forEach((n, k) => out.set(line.subarray(6 * n, 6 * n + 6), 6 * k));
        return { line: out, load: Float32Array.from(shown, (n) => load[n]), radius };
    }

    // How many bonds are drawn, and the colours of their tension.
    tellBonds(sticks) {
        this.tensions.hidden = !sticks;
        if (!sticks) return;
        const count = sticks.value.length,
            most = mostTension(this.head.bonds);
        const broken = sticks.broken ? `, ${sticks.broken} broken` : '';
        this.bonded.textContent = `${count} ${count === 1 ? 'bond' : 'bonds'}${broken}: tension [N]`;
        this.pressed.textContent = short(-most);
        this.stretched.textContent = short(most);
    }

    setRange({ colour, range }, value, column) {
        let [low, high] = Array.isArray(range) ? range : [column.low, column.high];
        if (range === 'frame') [low, high] = between(value, 0, 1);
        if (range === 'middle') [low, high] = between(value, 0.02, 0.98);
        this.stage.range.value.set(low, high);
        this.field.textContent = withUnit(plain(fieldName(colour, column.components)), column.unit);
        this.low.textContent = short(low);
        this.high.textContent = short(high);
    }

    /* --- picking --------------------------------------------------------------------------------------------------- */

    listen() {
        let pressed = null;
        this.canvas.addEventListener('pointerdown', (event) => {
            pressed = [event.clientX, event.clientY];
        });
        this.canvas.addEventListener('click', (event) => {
            const moved = pressed ? Math.hypot(event.clientX - pressed[0], event.clientY - pressed[1]) : 0;
            if (!this.shown || moved > DRAG) return;
            const box = this.canvas.getBoundingClientRect();
            const x = (2 * (event.clientX - box.left)) / box.width - 1,
                y = 1 - (2 * (event.clientY - box.top)) / box.height;
            this.choose(this.bodyAt(x, y));
        });
        this.stage.controls.addEventListener('change', () => this.changed(this));
    }

    bodyAt(x, y) {
        const hit = this.stage.pick(x, y),
            { balls, pointRow, bodies } = this.shown;
        const row = hit.sphere !== undefined ? balls[hit.sphere] : hit.point !== undefined ? pointRow[hit.point] : -1;
        return row < 0 || !bodies.id ? null : bodies.id[row];
    }

    // Picks a body by its id; null: none.
    choose(id) {
        this.picked = id;
        this.tell();
    }

    tell() {
        const row = this.picked === null ? -1 : (this.shown.row.get(this.picked) ?? -1);
        this.stage.mark(row);
        tellBody(this, row);
        this.stage.draw();
    }
}
