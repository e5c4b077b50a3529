// Curves of series.csv over time; drag to zoom, double click to zoom out.
import uPlot from 'uplot';

const PEN = ['#2a78c2', '#c2571a', '#2f8f46', '#a03bb0', '#b58900', '#16858c', '#c0305c', '#6a6f76', '#7a5230', '#4a4fb5'];

export const readSeries = (text) => {
    const rows = text.trim().split('\n').map((line) => line.split(','));
    const names = rows.shift() || [];
    // A word in the column `undefined` says why a value is missing; such a column has no curve.
    const column = (k) => rows.map((row) => (row[k] === undefined || row[k] === '' ? null : Number(row[k])));
    return { names, column, rows: rows.length };
};

export const drawCurves = (place, series, columns, label) => {
    place.replaceChildren();
    const axis = { stroke: getComputedStyle(document.body).color, grid: { stroke: '#8884', width: 1 } };
    return new uPlot({
        width: place.clientWidth, height: 280, scales: { x: { time: false } },
        axes: [{ ...axis, label: series.names[0] }, { ...axis, label, size: 80 }],
        series: [{ label: series.names[0] }, ...columns.map(({ name, pen }) => ({ label: name, stroke: PEN[pen % PEN.length], width: 2 }))],
    }, [series.column(0), ...columns.map(({ k }) => series.column(k))], place);
};

// Draws now and whenever the place changes its width.
export const keepDrawn = (place, draw) => {
    let width = 0;
    new ResizeObserver(() => requestAnimationFrame(() => {
        if (place.clientWidth === width) return;
        width = place.clientWidth;
        draw();
    })).observe(place);
};
