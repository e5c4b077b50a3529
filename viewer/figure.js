// What a picture has beside the grains: a bar of colours with its numbers, a bar of length, and the time. All are drawn as
// SVG over the canvas, in letters of one height.
const SVG = 'http://www.w3.org/2000/svg';
const FONT = '"Liberation Sans", Arial, Helvetica, "DejaVu Sans", sans-serif';
const UNITS = [
    [1, 'm'],
    [1e-2, 'cm'],
    [1e-3, 'mm'],
    [1e-6, 'µm'],
];
const INK = '#1c2126';

// The largest of 1, 2 and 5 times a power of ten that is at most x.
const nice = (x) => {
    const power = 10 ** Math.floor(Math.log10(x) + 1e-9),
        share = x / power + 1e-9;
    return power * (share >= 5 ? 5 : share >= 2 ? 2 : 1);
};
const plain = (x) => String(Number(x.toPrecision(12)));

// Round numbers from low to high, about `most` at the most, and the power of ten that they are written without.
export const ticks = (low, high, most, whole) => {
    let step = nice((high - low) / Math.max(most - 1, 1));
    while ((high - low) / step > most) step = nice(2.6 * step);
    if (whole) step = Math.max(step, 1);
    const large = Math.max(Math.abs(low), Math.abs(high)),
        power = large >= 1e4 || large < 0.1 ? Math.floor(Math.log10(large || 1)) : 0;
    const decimals = Math.max(0, power - Math.floor(Math.log10(step) + 1e-9)),
        out = [];
    for (let k = Math.ceil(low / step - 1e-6); k * step <= high + 1e-6 * step; k++) {
        out.push({
            at: k * step,
            text: ((k * step) / 10 ** power + 0).toFixed(Math.min(decimals, 12)).replace('-', '−'),
        });
    }
    return { marks: out, power: large > 0 ? power : 0 };
};

const element = (parent, name, attributes, text) => {
    const e = document.createElementNS(SVG, name);
    Object.entries(attributes).forEach(([key, value]) => e.setAttribute(key, value));
    if (text !== undefined) e.textContent = text;
    parent.append(e);
    return e;
};

// What lies under the bar pales.
const drawGround = (svg, defs, { letter: h, size: [all, height], width: left }) => {
    const fade = element(defs, 'linearGradient', { id: 'fade' });
    [0, 0.95].forEach((opacity, k) =>
        element(fade, 'stop', { offset: k, 'stop-color': '#fff', 'stop-opacity': opacity }),
    );
    element(svg, 'rect', { x: left - 2 * h, y: 0, width: 2.01 * h, height, fill: 'url(#fade)' });
    element(svg, 'rect', { x: left, y: 0, width: all - left, height, fill: '#fff', opacity: 0.95 });
};

const drawBar = (svg, figure, [low, high], stops, whole) => {
    const { letter: h, size, label, unit, tips, width: left } = figure,
        height = size[1];
    const defs = element(svg, 'defs', {});
    drawGround(svg, defs, figure);
    const top = 0.12 * height + h,
        bottom = 0.88 * height,
        wide = 0.9 * h,
        x = left + 0.4 * h,
        tall = bottom - top;
    const map = element(defs, 'linearGradient', { id: 'map', x1: 0, x2: 0, y1: 1, y2: 0 });
    stops.forEach(([r, g, b], k) =>
        element(map, 'stop', { offset: k / (stops.length - 1), 'stop-color': `rgb(${r},${g},${b})` }),
    );
    element(svg, 'rect', { x, y: top, width: wide, height: tall, fill: 'url(#map)' });
    const [foot, tip] = [tips[0] ? bottom + 0.8 * wide : bottom, tips[1] ? top - 0.8 * wide : top]; // values lie beyond
    [
        [bottom - 0.5, foot, stops[0]],
        [top + 0.5, tip, stops.at(-1)],
    ].forEach(([base, end, fill]) => {
        element(svg, 'path', { d: `M${x} ${base}L${x + wide / 2} ${end}L${x + wide} ${base}`, fill: `rgb(${fill})` });
    });
    element(svg, 'path', {
        d: `M${x} ${top}L${x + wide / 2} ${tip}L${x + wide} ${top}V${bottom}L${x + wide / 2} ${foot}L${x} ${bottom}Z`,
        fill: 'none',
        stroke: INK,
        'stroke-width': h / 20,
    });
    const { marks, power } = ticks(low, high, Math.max(3, Math.min(7, tall / (3 * h))), whole);
    marks.forEach(({ at, text }) => {
        const y = bottom - (tall * (at - low)) / (high - low || 1);
        element(svg, 'path', { d: `M${x + wide} ${y}h${0.3 * h}`, stroke: INK, 'stroke-width': h / 20 });
        element(svg, 'text', { x: x + wide + 0.45 * h, y: y + 0.35 * h }, text);
    });
    if (power) {
        const e = element(svg, 'text', { x, y: tip - 0.5 * h }, '×10');
        element(e, 'tspan', { dy: -0.4 * h, 'font-size': 0.75 * h }, String(power).replace('-', '−'));
    }
    const named = `${label.replaceAll('_', ' ').replace('.', ' ')}${unit && unit !== '1' ? ` [${unit}]` : ''}`;
    const at = [left + 5.6 * h, (top + bottom) / 2];
    element(svg, 'text', { x: at[0], y: at[1], 'text-anchor': 'middle', transform: `rotate(-90 ${at})` }, named);
};

// A bar as long as `metres` says at the middle of the grains.
const drawLength = (svg, { letter: h, size: [, height], width }, perPixel) => {
    const length = nice(0.22 * width * perPixel),
        [factor, unit] = UNITS.find(([f]) => length >= 0.9999 * f) || UNITS.at(-1);
    const y = height - 0.9 * h,
        x = 0.8 * h,
        wide = length / perPixel;
    element(svg, 'path', { d: `M${x} ${y}h${wide}`, stroke: INK, 'stroke-width': h / 6 });
    element(
        svg,
        'text',
        { x: x + wide / 2, y: y - 0.45 * h, 'text-anchor': 'middle' },
        `${plain(length / factor)} ${unit}`,
    );
};

// figure: {size, width (what the bar leaves to the grains), letter, bar, text, label, unit, tips: [values lie below,
// above]}; in pixels.
export const annotate = (parent, figure, { perPixel, time, range, stops, whole }) => {
    parent.querySelector('svg.marks')?.remove();
    const [w, h] = figure.size;
    const svg = element(parent, 'svg', {
        class: 'marks',
        width: w,
        height: h,
        viewBox: `0 0 ${w} ${h}`,
        fill: INK,
        'font-family': FONT,
        'font-size': figure.letter,
    });
    if (figure.bar) drawBar(svg, figure, range, stops, whole);
    if (!figure.text) return;
    drawLength(svg, figure, perPixel);
    element(
        svg,
        'text',
        { x: 0.8 * figure.letter, y: 1.5 * figure.letter },
        `t = ${plain(Number(time.toPrecision(4)))} s`,
    );
};
