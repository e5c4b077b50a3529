// Sweeps: what was measured, over one varied parameter as a curve, over two as a map, and a table of all points. A sweep that
// goes on has its plan in place of its summary, and the rows so far.
import { colour, paintBar, pen } from './colours.js';
import { readCsv } from './csv.js';
import { forgetDrawn, keepDrawn, renew } from './curves.js';
import { $, make, plain, say, short, table, withUnit } from './words.js';

const ROWS_MOST = 500; // of the table
const WRITTEN_MOST = 24; // columns or rows of a map whose cells have numbers in them

// yes and no are 1 and 0; words, as those of runs that failed, are no numbers.
const WORDS = { yes: 1, no: 0 };
const number = (text) => WORDS[text] ?? (text === '' || text === undefined ? NaN : Number(text));
const told = (text) => (text === '' || Number.isNaN(Number(text)) ? text : Number(text));

class Sweep {
    constructor({ head, name }) {
        const { vary = [], find, measures = [], points, runs, failed, checks = [] } = head.sweep;
        Object.assign(this, { name, vary, find, points, failed, checks, ...readCsv(head.table || '') });
        this.ended = runs !== undefined;
        // A bisection looks for the value of a key.
        this.measures = find ? [{ name: find.path, unit: find.unit }] : measures;
    }

    // Numbers of the column of a key or measure.
    column(name) {
        const k = this.names.findIndex((title) => title === name || title.startsWith(`${name} [`));
        return this.rows.map((row) => number(row[k]));
    }

    // How far it is: a part has points [from, to], and of a bisection that goes on each run has a row.
    get count() {
        const all = this.vary.reduce((product, { values }) => product * values.length, 1),
            reason = this.names.indexOf('failure'),
            failed = this.failed ?? this.rows.filter((row) => row[reason]).length;
        const lost = failed ? `, ${failed} failed` : '';
        if (this.ended) return `${this.points} points${lost}`;
        if (this.find) return `${this.rows.length} runs so far, for ${all} points`;
        const [from, to] = Array.isArray(this.points) ? this.points : [0, all];
        return `${this.rows.length} of ${to - from} points${lost}`;
    }

    get drawable() {
        if (this.find && !this.ended) return false; // each run tries a value
        const numeric = this.vary.every(({ values }) => values.every((v) => typeof v === 'number'));
        return numeric && (this.vary.length === 1 || this.vary.length === 2);
    }
}

/* --- two parameters ------------------------------------------------------------------------------------------------ */

// The mean of a measure over the runs of each point, by the values of its parameters.
const means = (sweep, measure) => {
    const [across, down] = sweep.vary.map(({ path }) => sweep.column(path));
    const sums = new Map();
    sweep.column(measure.name).forEach((value, n) => {
        if (!Number.isFinite(value)) return;
        const key = `${across[n]} ${down[n]}`;
        const [sum, count] = sums.get(key) || [0, 0];
        sums.set(key, [sum + value, count + 1]);
    });
    return new Map([...sums].map(([key, [sum, count]]) => [key, sum / count]));
};

const legend = (low, high) => {
    const bar = make('canvas', { width: 160, height: 10 });
    bar.setAttribute('aria-hidden', 'true');
    paintBar(bar);
    const ends = [low, high].map((end) => make('span', { textContent: short(end) }));
    return make('div', { className: 'legend still' }, bar, ...ends);
};

const cellOf = (value, [low, high], title, written) => {
    const known = Number.isFinite(value);
    const cell = make('td', { title: `${title}: ${known ? short(value) : 'no value'}` });
    if (written) cell.textContent = known ? short(Number(value.toPrecision(3))) : '–';
    if (!known) return cell;
    const [r, g, b] = colour(high > low ? (value - low) / (high - low) : 0.5);
    cell.style.background = `rgb(${r}, ${g}, ${b})`;
    cell.style.color = 0.299 * r + 0.587 * g + 0.114 * b > 125 ? '#000' : '#fff';
    return cell;
};

// One parameter runs to the right, the other upwards.
const drawMap = (place, sweep, measure) => {
    const [across, down] = sweep.vary;
    const mean = means(sweep, measure);
    const range = [...mean.values()].reduce(
        ([low, high], x) => [Math.min(low, x), Math.max(high, x)],
        [Infinity, -Infinity],
    );
    const written = Math.max(across.values.length, down.values.length) <= WRITTEN_MOST;
    const map = make('table', { className: written ? 'map' : 'map fine' });
    const label = (x, shown) => (shown ? make('th', { textContent: short(x) }) : make('td', { title: short(x) }));
    [...down.values].reverse().forEach((y, k) => {
        const cells = across.values.map((x) => {
            const title = `${across.path} ${short(x)}, ${down.path} ${short(y)}`;
            return cellOf(mean.get(`${x} ${y}`), range, title, written);
        });
        map.insertRow().append(label(y, written || k % 10 === 0), ...cells);
    });
    const foot = map.createTFoot().insertRow();
    foot.append(make('td'), ...across.values.map((x, k) => label(x, written || k % 10 === 0)));
    const around = make('div', { className: 'scroll', tabIndex: 0 }, map);
    around.setAttribute('role', 'region');
    around.setAttribute('aria-label', `Map of ${measure.name}`);
    const axes = `${plain(across.path)} to the right, ${plain(down.path)} upwards`;
    place.append(make('p', { className: 'soft', textContent: axes }), around);
    if (mean.size) place.append(legend(...range));
};

/* --- one parameter ------------------------------------------------------------------------------------------------- */

const curveOf = (sweep, measure) => {
    const [axis] = sweep.vary;
    const value = sweep.column(measure.name);
    const pairs = sweep.column(axis.path).map((x, n) => [x, Number.isFinite(value[n]) ? value[n] : null]);
    pairs.sort((a, b) => a[0] - b[0]);
    return {
        data: [pairs.map(([x]) => x), pairs.map(([, y]) => y)],
        lines: [{ label: plain(measure.name), stroke: pen(0), points: true }],
        x: withUnit(plain(axis.path), axis.unit),
        label: withUnit(plain(measure.name), measure.unit),
    };
};

/* --- all ----------------------------------------------------------------------------------------------------------- */

const titleOf = ({ name, count }) => (name ? `${name}: ${count}` : count);

const showSweep = (sweep) => {
    const place = make('div', { className: 'curves' });
    $('sweeps').append(make('h3', { className: 'count', textContent: titleOf(sweep) }), place);
    if (!sweep.drawable) return;
    sweep.measures.forEach((measure) => {
        const title = make('h3', { textContent: withUnit(plain(measure.name), measure.unit) });
        const part = make('div', { className: 'curve' }, title);
        place.append(part);
        if (sweep.vary.length === 1) keepDrawn(part, curveOf(sweep, measure));
        else drawMap(part, sweep, measure);
    });
};

// More rows of a sweep that is shown: curves keep the zoom, maps their place.
const renewSweep = (sweep) => {
    document.querySelector('#sweeps .count').textContent = titleOf(sweep);
    [...document.querySelectorAll('#sweeps .curve')].forEach((part, k) => {
        const measure = sweep.measures[k];
        if (sweep.vary.length === 1) {
            renew(part, curveOf(sweep, measure));
            return;
        }
        const { scrollLeft, scrollTop } = part.querySelector('.scroll');
        part.replaceChildren(part.firstElementChild);
        drawMap(part, sweep, measure);
        Object.assign(part.querySelector('.scroll'), { scrollLeft, scrollTop });
    });
};

let known = null; // what a live page shows: whether its sweep can be drawn

export const showSweeps = (runs) => {
    const sweeps = runs.map((run) => new Sweep(run)),
        [only] = sweeps;
    $('sweeps').closest('section').hidden = !sweeps.length;
    if (sweeps.length === 1 && known === only.drawable) {
        renewSweep(only);
    } else {
        document.querySelectorAll('#sweeps .curve').forEach(forgetDrawn);
        $('sweeps').replaceChildren();
        sweeps.forEach(showSweep);
        known = sweeps.length === 1 ? only.drawable : null;
    }
    const [first] = sweeps;
    sweeps.forEach(({ name, damaged }) => {
        const lost = damaged === 1 ? '1 row is' : `${damaged} rows are`;
        if (damaged) say(`${name}: the table of the sweep is damaged: ${lost} cut off and left out.`);
    });
    const rows = first ? first.rows.slice(0, ROWS_MOST).map((row) => row.map(told)) : [];
    table('points', first?.names.map(plain), rows);
    const checks = sweeps.flatMap((sweep) => sweep.checks);
    table(
        'sweep-checks',
        ['Verdict', 'Check', 'Expected', 'Measured', 'Tolerance', 'Unit'],
        checks.map((c) => [c.verdict, c.check, c.expected, c.measured, c.tolerance, c.unit]),
    );
};
