// The view of a run: which frame, colour, cut and camera the controls choose, and what a picked grain tells.
import { Frames } from './frames.js';
import { Stage, WALL, colour } from './stage.js';
import { $, short } from './words.js';

const VIEWS = { Corner: [-0.5, -1, 0.45], Front: [0, -1, 0], Side: [1, 0, 0], Top: [0, 0, 1] };
const PAUSE = 60; // ms between frames that play
const TOLD = 12; // contacts of a picked grain that are told

const values = (frame, name) => {
    const count = frame.bodies.position.length / 3, all = frame.bodies[name], c = count ? all.length / count : 1;
    if (c === 1) return all;
    return Float32Array.from({ length: count }, (_, n) => Math.hypot(...all.subarray(n * c, n * c + c)));
};

// What the stage draws: spheres, and triangles of grains and walls.
const arrange = (shown, value, [low, high], fallback) => {
    const { position, kind } = shown.bodies, count = position.length / 3;
    const radius = shown.bodies.sphere_radius || shown.bodies.radius || new Float32Array(count).fill(fallback);
    const balls = Int32Array.from({ length: count }, (_, n) => n).filter((n) => radius[n] > 0);
    const sphere = new Float32Array(4 * balls.length), tint = new Float32Array(3 * balls.length);
    const shade = (n) => colour((value[n] - low) / (high - low || 1));
    balls.forEach((n, k) => {
        sphere.set(position.subarray(3 * n, 3 * n + 3), 4 * k);
        sphere[4 * k + 3] = radius[n];
        tint.set(shade(n), 3 * k);
    });
    const row = new Map(shown.bodies.id ? Array.from(shown.bodies.id, (id, n) => [id, n]) : []);
    const body = Array.from(shown.pointId, (id) => row.get(id) ?? -1);
    const wall = body.map((n) => n < 0 || (kind && kind[n] !== 0));
    const points = { points: shown.points, tint: new Float32Array(3 * body.length), grains: [], walls: [] };
    body.forEach((n, k) => points.tint.set(wall[k] ? WALL : shade(n), 3 * k));
    for (let n = 0; n < shown.triangle.length; n += 3) {
        points[wall[shown.triangle[n]] ? 'walls' : 'grains'].push(shown.triangle[n], shown.triangle[n + 1], shown.triangle[n + 2]);
    }
    points.grains = Uint32Array.from(points.grains);
    points.walls = Uint32Array.from(points.walls);
    const middle = balls.length ? radius[balls[balls.length >> 1]] : fallback;
    return { balls, sphere, tint, points, body, row, middle };
};

// Loads of contacts: of the normal, or the size of the force where the scene keeps that alone.
const loads = ({ line, normal_load: load, force }) => load
    || Float32Array.from({ length: line.length / 6 }, (_, n) => (force ? Math.hypot(...force.subarray(3 * n, 3 * n + 3)) : 1));

export const view = (head) => {
    const frames = new Frames(head), stage = new Stage($('canvas'), head.low, head.high);
    const named = head.bodies.map((b) => b.name);
    const first = ['velocity', 'radius', 'sphere_radius'].find((name) => named.includes(name)) || named.find((name) => name !== 'position') || 'position';
    const state = { frame: 0, colour: first, range: null, contacts: false, walls: 'clear', clip: null, share: 0.5, picked: null };
    let shown, drawn = Promise.resolve();

    const legend = (range, column) => {
        $('field').textContent = `${state.colour}${column?.unit && column.unit !== '1' ? ` [${column.unit}]` : ''}`;
        $('low').textContent = short(range[0]);
        $('high').textContent = short(range[1]);
    };
    const tell = () => {
        const { bodies, contacts, row } = shown, n = state.picked === null ? -1 : row.get(state.picked) ?? -1;
        stage.chosen.value = n < 0 ? -1 : shown.balls.indexOf(n);
        if (n < 0) { $('picked').textContent = ''; return; }
        const lines = head.bodies.map(({ name, unit, components: c }) => `${name}  ${Array.from(bodies[name].subarray(n * c, n * c + c), short).join('  ')}${unit && unit !== '1' ? ` ${unit}` : ''}`);
        if (contacts.id_i && contacts.id_j) {
            const load = contacts.line ? loads(contacts) : contacts.normal_load || [];
            const touching = Array.from(contacts.id_i, (i, k) => [i, contacts.id_j[k], load[k]]).filter(([i, j]) => i === state.picked || j === state.picked);
            lines.push(`${touching.length} contacts`);
            touching.slice(0, TOLD).forEach(([i, j, f]) => lines.push(`  with ${i === state.picked ? j : i}: ${short(f)} N`));
            if (touching.length > TOLD) lines.push(`  and ${touching.length - TOLD} more`);
        }
        $('picked').textContent = lines.join('\n');
    };
    const render = async () => {
        const frame = await frames.get(state.frame), column = head.bodies.find((b) => b.name === state.colour);
        const range = state.range || [column.low, column.high];
        const made = arrange(frame, values(frame, state.colour), range, stage.size / 200);
        shown = { ...frame, ...made };
        const chains = state.contacts && frame.contacts.line && { line: frame.contacts.line, load: loads(frame.contacts), radius: made.middle };
        stage.setWalls(state.walls);
        tell();
        stage.clip(state.clip, state.share);
        stage.set(made.sphere, made.tint, made.points, frame.planes || [], chains);
        legend(range, column);
        $('slider').value = state.frame;
        $('slider').setAttribute('aria-valuetext', `${short(frame.time)} seconds`);
        $('time').textContent = `t = ${short(frame.time)} s`;
    };
    // Options: frame, colour, range, contacts, walls (clear, solid, hidden), clip (axis 0 to 2, or null), share, picked (an id), and
    // camera {preset} or {position, target, up, angle}, chrome (false: the picture alone), size [width, height].
    const show = (options = {}) => {
        drawn = drawn.then(async () => {
            const { camera, chrome, size, ...rest } = options;
            Object.assign(state, rest);
            if (chrome !== undefined) document.documentElement.classList.toggle('bare', !chrome);
            if (size) { $('canvas').style.width = `${size[0]}px`; $('canvas').style.height = `${size[1]}px`; stage.fit(); }
            if (camera) stage.look(VIEWS[camera.preset] || VIEWS.Corner, camera);
            await render();
        });
        return drawn;
    };
    const step = (by) => show({ frame: (state.frame + by + head.frames.length) % head.frames.length });
    let timer = 0;
    const play = () => {
        const go = async () => { await step(1); if (timer) timer = setTimeout(go, PAUSE); };
        if (timer) { clearTimeout(timer); timer = 0; } else timer = setTimeout(go, PAUSE);
        $('play').textContent = timer ? '❚❚' : '▶';
        $('play').setAttribute('aria-label', timer ? 'Pause' : 'Play');
    };
    controls(head, state, stage, show);
    $('play').addEventListener('click', play);
    const keys = { ' ': play, ArrowRight: () => step(1), ArrowLeft: () => step(-1), '+': () => stage.zoom(0.8), '-': () => stage.zoom(1.25) };
    Object.values(VIEWS).forEach((from, k) => { keys[k + 1] = () => stage.look(from); });
    $('canvas').addEventListener('keydown', (event) => {
        if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        keys[event.key]();
    });
    let pressed = null;
    $('canvas').addEventListener('pointerdown', (event) => { pressed = [event.clientX, event.clientY]; });
    $('canvas').addEventListener('click', (event) => {
        if (!shown || (pressed && Math.hypot(event.clientX - pressed[0], event.clientY - pressed[1]) > 4)) return; // a drag
        const box = $('canvas').getBoundingClientRect();
        const hit = stage.pick(2 * (event.clientX - box.left) / box.width - 1, 1 - 2 * (event.clientY - box.top) / box.height);
        const body = hit.sphere !== undefined ? shown.balls[hit.sphere] : hit.point !== undefined ? shown.body[hit.point] : -1;
        state.picked = body < 0 ? null : shown.bodies.id ? shown.bodies.id[body] : null;
        tell();
        stage.draw();
    });
    const start = show({ frame: head.frames.length - 1, chrome: location.hash !== '#picture' });
    return { ready: start, frames: head.frames.length, times: head.frames.map((f) => f.time), show };
};

const controls = (head, state, stage, show) => {
    const on = (id, event, options) => $(id).addEventListener(event, () => show(options($(id))));
    $('slider').max = head.frames.length - 1;
    on('slider', 'input', (e) => ({ frame: Number(e.value) }));
    head.bodies.filter((b) => b.name !== 'position').forEach((b) => $('colour').add(new Option(b.components > 1 ? `${b.name} (size)` : b.name, b.name)));
    $('colour').value = state.colour;
    on('colour', 'change', (e) => ({ colour: e.value, range: null }));
    on('contacts', 'change', (e) => ({ contacts: e.checked }));
    $('contacts').parentElement.hidden = !head.contacts.some((c) => c.name === 'line');
    on('walls', 'change', (e) => ({ walls: e.value }));
    on('clip', 'change', (e) => ({ clip: e.value === '' ? null : Number(e.value) }));
    on('share', 'input', (e) => ({ share: Number(e.value) }));
    $('clip').addEventListener('change', () => { $('share').disabled = $('clip').value === ''; });
    Object.keys(VIEWS).forEach((name) => {
        const b = document.createElement('button');
        b.type = 'button';
        b.textContent = name;
        b.addEventListener('click', () => stage.look(VIEWS[name]));
        $('presets').append(b, ' ');
    });
    const bar = $('bar').getContext('2d');
    for (let x = 0; x < 160; x++) { bar.fillStyle = `rgb(${colour(x / 159).map((c) => 255 * c)})`; bar.fillRect(x, 0, 1, 10); }
};
