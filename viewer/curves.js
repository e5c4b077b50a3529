// Curves over time, drawn by uPlot: drag to zoom, double click to zoom out. A line marks the time of the frame that is shown.
import uPlot from 'uplot';

const HIGH = 230; // pixels
const TIME = 'time [s]';
let now = null; // s
const plots = new Map(); // by place
const kept = new Map(); // what is drawn there

const markNow = (plot) => {
    if (now === null) return;
    const x = plot.valToPos(now, 'x', true),
        { left, top, width, height } = plot.bbox;
    if (x < left || x > left + width) return;
    const { ctx } = plot;
    ctx.save();
    ctx.strokeStyle = '#e07000';
    ctx.setLineDash([4, 4]);
    ctx.beginPath();
    ctx.moveTo(x, top);
    ctx.lineTo(x, top + height);
    ctx.stroke();
    ctx.restore();
};

export const markTime = (time) => {
    now = time;
    plots.forEach((plot) => plot.redraw(false, false));
};

const tick = (x) => {
    const size = Math.abs(x);
    return x === 0 || (size >= 1e-3 && size < 1e5)
        ? String(Number(x.toPrecision(6)))
        : x.toExponential().replace('e+', 'e');
};

// lines: [{label, stroke, fill, band}] of the numbers in `data`, whose first array is time. band: filled down to the line before.
const draw = (place, { data, lines, label, x = TIME }) => {
    plots.get(place)?.destroy();
    const ink = getComputedStyle(document.body).color;
    const axis = {
        stroke: ink,
        grid: { stroke: '#8883', width: 1 },
        ticks: { stroke: '#8886' },
        font: '12px system-ui, sans-serif',
    };
    const values = (_, ticks) => ticks.map(tick);
    const series = lines.map(({ label: name, stroke, fill, points }) => ({
        label: name,
        stroke,
        fill,
        width: 1.75,
        points: { show: !!points },
        value: (_, v) => (v === null || v === undefined ? '–' : tick(v)),
    }));
    const bands = lines.flatMap(({ band }, k) => (band && k > 0 ? [{ series: [k + 1, k] }] : []));
    plots.set(
        place,
        new uPlot(
            {
                width: place.clientWidth,
                height: HIGH,
                scales: { x: { time: false } },
                series: [{ label: x, value: (_, v) => (v === null ? '–' : tick(v)) }, ...series],
                bands,
                axes: [
                    { ...axis, label: x, labelSize: 20, size: 34, values },
                    { ...axis, label, size: 74, labelSize: 20, values },
                ],
                cursor: { sync: { key: x } },
                hooks: { draw: x === TIME ? [markNow] : [] },
            },
            data,
            place,
        ),
    );
};

// Draws now, whenever the place changes its width, and when the colours of the page change.
export const keepDrawn = (place, what) => {
    let width = 0;
    kept.set(place, what);
    const again = () => {
        if (place.isConnected && place.clientWidth) draw(place, what);
    };
    new ResizeObserver(() =>
        requestAnimationFrame(() => {
            if (place.clientWidth === width) return;
            width = place.clientWidth;
            again();
        }),
    ).observe(place);
    window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', again);
};

// Longer curves of the same lines; a reader who has zoomed in stays where he is.
export const renew = (place, what) => {
    const old = kept.get(place),
        plot = plots.get(place);
    if (!old) return;
    const same = old.lines.length === what.lines.length;
    Object.assign(old, what);
    if (!plot) return;
    if (!same) {
        draw(place, old);
        return;
    }
    const { min, max } = plot.scales.x,
        time = plot.data[0];
    plot.setData(what.data, !time.length || (min <= time[0] && max >= time.at(-1)));
    plot.redraw();
};

export const forgetDrawn = (place) => {
    plots.get(place)?.destroy();
    plots.delete(place);
    kept.delete(place);
};

// Numbers of several series over the union of their times.
export const joined = (tables) => uPlot.join(tables);
