// The map of a sweep: its measures over one varied parameter as a curve, over two as coloured cells, with a table of all points.
import { colour, paintBar } from './colours.js';
import { keepDrawn } from './curves.js';
import { $, make, plain, short, table, withUnit } from './words.js';

const ROWS_MOST = 500; // of the table

const readTable = (csv) => {
    const rows = csv
        .trim()
        .split('\n')
        .map((line) => line.split(','));
    const names = rows.shift() || [];
    return { names, rows, column: (k) => rows.map((row) => row[k]) };
};

// yes and no are 1 and 0; words, as of runs that failed, are no numbers.
const number = (text) => ({ yes: 1, no: 0 })[text] ?? (text === '' || text === undefined ? NaN : Number(text));

/* --- two parameters ------------------------------------------------------------------------------------------------ */

const legend = (low, high) => {
    const bar = make('canvas', { width: 160, height: 10 });
    bar.setAttribute('aria-hidden', 'true');
    paintBar(bar);
    return make(
        'div',
        { className: 'legend still' },
        bar,
        make('span', { textContent: short(low) }),
        make('span', { textContent: short(high) }),
    );
};

const cellOf = (value, low, high, words) => {
    const cell = make('td', {
        title: words,
        textContent: Number.isFinite(value) ? short(Number(value.toPrecision(3))) : '–',
    });
    if (!Number.isFinite(value)) return cell;
    const share = high > low ? (value - low) / (high - low) : 0.5,
        [r, g, b] = colour(share);
    cell.style.background = `rgb(${r}, ${g}, ${b})`;
    cell.style.color = 0.299 * r + 0.587 * g + 0.114 * b > 125 ? '#000' : '#fff';
    return cell;
};

const cells = (place, { sweep, data, measure }) => {
    const [across, down] = sweep.vary,
        columnOf = (name) => data.names.findIndex((n) => n.split(' [')[0] === name);
    const a = columnOf(across.path),
        b = columnOf(down.path),
        m = columnOf(measure.name);
    const mean = new Map();
    data.rows.forEach((row) => {
        const key = `${Number(row[a])}|${Number(row[b])}`,
            value = number(row[m]),
            old = mean.get(key) || [0, 0];
        if (Number.isFinite(value)) mean.set(key, [old[0] + value, old[1] + 1]);
    });
    const of = (x, y) => {
        const [sum, count] = mean.get(`${Number(x)}|${Number(y)}`) || [NaN, 1];
        return sum / count;
    };
    const all = [...mean.values()].map(([sum, count]) => sum / count),
        low = Math.min(...all),
        high = Math.max(...all);
    const map = make('table', { className: 'map' });
    const head = map.createTHead().insertRow();
    head.append(
        make('th', { textContent: `${plain(down.path)} ↓  ${plain(across.path)} →` }),
        ...across.values.map((x) => make('th', { textContent: short(x) })),
    );
    const body = map.createTBody();
    [...down.values].reverse().forEach((y) => {
        const row = body.insertRow();
        row.append(make('th', { textContent: short(y) }));
        across.values.forEach((x) =>
            row.append(cellOf(of(x, y), low, high, `${across.path} ${short(x)}, ${down.path} ${short(y)}`)),
        );
    });
    const around = make('div', { className: 'scroll', tabIndex: 0 }, map);
    around.setAttribute('role', 'region');
    around.setAttribute('aria-label', `Map of ${measure.name}`);
    place.append(around, legend(low, high));
};

/* --- one parameter ------------------------------------------------------------------------------------------------- */

const curve = (place, { sweep, data, measure }) => {
    const [axis] = sweep.vary,
        columnOf = (name) => data.names.findIndex((n) => n.split(' [')[0] === name);
    const pairs = data
        .column(columnOf(axis.path))
        .map((x, k) => [Number(x), number(data.rows[k][columnOf(measure.name)])]);
    pairs.sort((p, q) => p[0] - q[0]);
    const value = pairs.map(([, y]) => (Number.isFinite(y) ? y : null));
    keepDrawn(place, {
        data: [pairs.map(([x]) => x), value],
        x: withUnit(plain(axis.path), axis.unit),
        lines: [{ label: plain(measure.name), stroke: '#2a78c2', points: true }],
        label: withUnit(plain(measure.name), measure.unit),
        still: true,
    });
};

/* --- all ----------------------------------------------------------------------------------------------------------- */

const showSweep = ({ head, name }) => {
    const { sweep, table: csv, figure } = head,
        data = readTable(csv || ''),
        place = make('div', { className: 'curves' });
    $('sweeps').append(make('h3', { textContent: `${name}: ${sweep.points} points, ${sweep.failed} failed` }), place);
    const numeric = (sweep.vary || []).every((axis) => axis.values.every((v) => typeof v === 'number'));
    const drawn = numeric && (sweep.vary.length === 1 || sweep.vary.length === 2);
    if (drawn) {
        (sweep.measures || []).forEach((measure) => {
            const part = make(
                'div',
                { className: 'curve' },
                make('h3', { textContent: withUnit(plain(measure.name), measure.unit) }),
            );
            place.append(part);
            (sweep.vary.length === 1 ? curve : cells)(part, { sweep, data, measure });
        });
    }
    if (figure)
        place.append(make('img', { src: `data:image/svg+xml;base64,${figure}`, alt: `Map of the sweep ${name}` }));
    return { data, sweep };
};

export const showSweeps = (sweeps) => {
    $('sweeps').closest('section').hidden = !sweeps.length;
    const shown = sweeps.map(showSweep);
    const [first] = shown;
    table('points', first?.data.names.map(plain), first?.data.rows.slice(0, ROWS_MOST) || []);
    const checks = shown.flatMap(({ sweep }) => sweep.checks || []);
    table(
        'sweep-checks',
        ['Verdict', 'Check', 'Expected', 'Measured', 'Tolerance', 'Unit'],
        checks.map((c) => [c.verdict, c.check, c.expected, c.measured, c.tolerance, c.unit]),
    );
};
