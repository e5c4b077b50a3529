// The page of a report: reads what the command put into it and fills the parts. A message stands in the place of what cannot
// be shown. Programs use window.repose: {ready, frames, times, show}.
import { Frames } from './frames.js';
import { Stage, colour } from './stage.js';
import { readSeries, drawCurve } from './curves.js';

const $ = (id) => document.getElementById(id);
const text = (id) => ($(id) ? $(id).textContent : '');
const short = (x) => (typeof x === 'number' ? String(Number(x.toPrecision(5))) : x === null || x === undefined ? '–' : String(x));
const VIEWS = { Corner: [-0.5, -1, 0.45], Front: [0, -1, 0], Side: [1, 0, 0], Top: [0, 0, 1] };

const say = (sentence) => {
    $('message').hidden = false;
    $('message').textContent += `${sentence}\n`;
};
const table = (id, head, rows) => {
    const add = (row, cells, tag) => cells.forEach((cell) => { const e = document.createElement(tag); e.textContent = short(cell); if (cell === 'pass' || cell === 'fail') e.className = cell; row.append(e); });
    if (head && rows.length) add($(id).insertRow(), head, 'th');
    rows.forEach((cells) => add($(id).insertRow(), cells, 'td'));
    if (!rows.length) $(id).parentElement.hidden = true;
};

const describe = (summary, head) => {
    const checks = summary.checks || [];
    const passed = checks.filter((c) => c.verdict === 'pass').length;
    $('title').textContent = document.title = summary.scene?.title || head?.title || 'Repose report';
    $('verdict').textContent = [summary.scene?.variant, summary.end && `Run: ${summary.end}`, checks.length ? `${passed} of ${checks.length} checks pass` : 'No checks'].filter(Boolean).join(' · ');
    table('checks', ['Verdict', 'Check', 'Expected', 'Measured', 'Tolerance', 'Unit'], checks.map((c) => [c.verdict, c.check, c.expected, c.measured, c.tolerance, c.unit]));
    table('pairs', ['Materials', 'Role', 'Law', 'Parameter', 'Value', 'Unit'], (summary.pairs || []).flatMap((p) => p.values.map((v) => [p.between.join(', '), v.role, v.law, v.parameter, v.value, v.unit])));
    const limit = summary.step?.limit;
    table('run', null, [['End', summary.end], ['Time', `${short(summary.time)} s`], ['Steps', summary.steps],
        ['Step', `${short(summary.step?.value)} s`], ...(limit ? [['Limited by', `${limit.mode}, ${limit.by}, between ${(limit.materials || []).join(' and ')}: ${short(limit.value)} s`]] : []),
        ['Threads', summary.machine?.threads], ['Instruction set', summary.machine?.isa], ['Steps per second', summary.machine?.steps_per_second], ['Version', summary.version]]);
    if (summary.error) say(summary.error);
    (summary.warnings || []).forEach((w) => say(typeof w === 'string' ? w : w.text || JSON.stringify(w)));
};

const curves = (csv) => {
    const series = readSeries(csv);
    const usable = series.names.map((name, k) => k).filter((k) => k > 0 && series.column(k).some((v) => Number.isFinite(v)));
    if (series.rows < 2 || !usable.length) { $('curve').parentElement.hidden = true; return; }
    usable.forEach((k) => $('quantity').add(new Option(series.names[k], k)));
    const first = usable.find((k) => !/^(bodies|contacts|ledger_)/.test(series.names[k]));
    if (first) $('quantity').value = first;
    const draw = () => drawCurve($('curve'), series, Number($('quantity').value));
    $('quantity').addEventListener('change', draw);
    let width = 0;
    new ResizeObserver(() => { if ($('curve').clientWidth !== width) { width = $('curve').clientWidth; draw(); } }).observe($('curve'));
};

const values = (frame, name) => {
    const count = frame.bodies.position.length / 3, all = frame.bodies[name], c = all.length / count || 1;
    return c === 1 ? all : Float32Array.from({ length: count }, (_, n) => Math.hypot(...all.subarray(n * c, n * c + c)));
};

const view = (head) => {
    const frames = new Frames(head), stage = new Stage($('canvas'), head.low, head.high);
    const state = { frame: 0, colour: head.bodies.some((b) => b.name === 'velocity') ? 'velocity' : 'radius', range: null, contacts: false };
    let shown, drawn = Promise.resolve();
    head.bodies.filter((b) => b.name !== 'position').forEach((b) => $('colour').add(new Option(b.components > 1 ? `${b.name} (size)` : b.name, b.name)));
    const legend = (range, column) => {
        $('field').textContent = `${state.colour}${column?.unit && column.unit !== '1' ? ` [${column.unit}]` : ''}`;
        $('low').textContent = short(range[0]);
        $('high').textContent = short(range[1]);
    };
    const render = async () => {
        shown = await frames.get(state.frame);
        const { position, sphere_radius: radius } = shown.bodies, value = values(shown, state.colour), column = head.bodies.find((b) => b.name === state.colour);
        const balls = [...radius.keys()].filter((n) => radius[n] > 0);
        const sphere = Float32Array.from(balls.flatMap((n) => [position[3 * n], position[3 * n + 1], position[3 * n + 2], radius[n]]));
        const range = state.range || [column.low, column.high];
        shown.balls = balls;
        stage.set(sphere, balls.map((n) => value[n]), range, shown, state.contacts);
        legend(range, column);
        $('slider').value = state.frame;
        $('time').textContent = `t = ${short(shown.time)} s`;
    };
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
    $('slider').max = head.frames.length - 1;
    $('slider').addEventListener('input', () => show({ frame: Number($('slider').value) }));
    $('colour').value = state.colour;
    $('colour').addEventListener('change', () => show({ colour: $('colour').value, range: null }));
    $('contacts').addEventListener('change', () => show({ contacts: $('contacts').checked }));
    $('contacts').parentElement.hidden = !head.contacts.length;
    Object.keys(VIEWS).forEach((name) => { const b = document.createElement('button'); b.type = 'button'; b.textContent = name; b.addEventListener('click', () => stage.look(VIEWS[name])); $('presets').append(b, ' '); });
    let timer = 0;
    $('play').addEventListener('click', () => {
        if (timer) { clearInterval(timer); timer = 0; } else timer = setInterval(() => show({ frame: (state.frame + 1) % head.frames.length }), 60);
        $('play').textContent = timer ? '❚❚' : '▶';
        $('play').setAttribute('aria-label', timer ? 'Pause' : 'Play');
    });
    $('canvas').addEventListener('click', (event) => {
        const box = $('canvas').getBoundingClientRect();
        const n = stage.pick(2 * (event.clientX - box.left) / box.width - 1, 1 - 2 * (event.clientY - box.top) / box.height);
        const body = n < 0 ? -1 : shown.balls[n];
        $('picked').textContent = body < 0 ? '' : head.bodies.map(({ name, components }) => `${name}  ${[...shown.bodies[name].subarray(body * components, (body + 1) * components)].map(short).join('  ')}`).join('\n');
    });
    const bar = $('bar').getContext('2d');
    for (let x = 0; x < 160; x++) { bar.fillStyle = `rgb(${colour(x / 159).map((c) => 255 * c)})`; bar.fillRect(x, 0, 1, 10); }
    return { ready: show({ frame: head.frames.length - 1, chrome: location.hash !== '#picture' }), frames: head.frames.length, times: head.frames.map((f) => f.time), show };
};

const start = () => {
    const summary = text('summary') ? JSON.parse(text('summary')) : {};
    const head = text('head') ? JSON.parse(text('head')) : null;
    describe(summary, head);
    $('scene').textContent = head?.scene || '';
    (head?.notes || []).forEach(say);
    curves(head?.series || '');
    if (!head?.frames?.length) {
        say('The results hold no frame, so there is nothing to draw.');
        $('view').hidden = $('controls').hidden = true;
        return { ready: Promise.resolve(), frames: 0, times: [], show: () => Promise.resolve() };
    }
    return view(head);
};
try {
    window.repose = start();
    window.repose.ready.catch((error) => say(`The frame cannot be shown: ${error.message}`));
} catch (error) {
    say(`The report cannot be shown: ${error.message}. The 3D view needs WebGL 2.`);
}
