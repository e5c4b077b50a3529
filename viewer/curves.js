// Curves of series.csv: one quantity over time; drag to zoom, double click to zoom out.
import uPlot from 'uplot';

export const readSeries = (text) => {
    const rows = text.trim().split('\n').map((line) => line.split(','));
    const names = rows.shift() || [];
    // A word in the column `undefined` says why a value is missing; such a column has no curve.
    const column = (k) => rows.map((row) => (row[k] === undefined || row[k] === '' ? null : Number(row[k])));
    return { names, column, rows: rows.length };
};

export const drawCurve = (place, series, k) => {
    place.replaceChildren();
    const ink = getComputedStyle(document.body).color;
    const axis = { stroke: ink, grid: { stroke: '#8884', width: 1 } };
    return new uPlot({
        width: place.clientWidth, height: 280, scales: { x: { time: false } },
        axes: [{ ...axis, label: series.names[0] }, { ...axis, label: series.names[k], size: 80 }],
        series: [{ label: series.names[0] }, { label: series.names[k], stroke: '#2a78c2', width: 2, spanGaps: false }],
    }, [series.column(0), series.column(k)], place);
};
