// The energy balance of each run: where the energy is and by which mechanism it was dissipated, from the ledger of series.csv.
import { pen } from './colours.js';
import { forgetDrawn, keepDrawn, renew } from './curves.js';
import { $, make, short, table } from './words.js';

const TERM = /^ledger_(.*) \[J\]$/;
const NAMES = {
    kinetic_translation: 'Translation',
    kinetic_rotation: 'Rotation',
    gravity: 'Gravity',
    drives: 'Work of drives',
    elastic_normal: 'Normal springs',
    elastic_slide: 'Sliding springs',
    elastic_roll: 'Rolling springs',
    elastic_spin: 'Spinning springs',
    dissipated_damping: 'Damping of impacts',
    dissipated_slide: 'Sliding friction',
    dissipated_roll: 'Rolling friction',
    dissipated_spin: 'Spinning friction',
    bonds_stored: 'Bonds, stored',
    bonds_dissipated: 'Bonds, broken and damped',
    residual: 'Residual',
    start: 'Energy at the start',
};
const GROUPS = {
    balance: ['Balance', null],
    dissipated: ['Dissipated, stacked', /^(.*_)?dissipated/],
    kinetic: ['Kinetic, stacked', /^kinetic_/],
    elastic: ['Stored in springs, stacked', /^elastic_|_stored$/],
    terms: ['All terms', /./],
};

const termOf = (head) => TERM.exec(head)?.[1] ?? head;
const nameOf = (term) => NAMES[term] || term.replaceAll('_', ' ');
const sum = (columns) => columns[0].map((_, n) => columns.reduce((all, column) => all + (column[n] ?? 0), 0));
const matter = (column) => column.some((v) => v !== null && v !== 0);

const columnsOf = (series, pattern) =>
    series.ledger
        .filter((head) => pattern.test(termOf(head)) && matter(series.column(head)))
        .map((head) => ({ label: nameOf(termOf(head)), column: series.column(head) }));

const balance = (series) => {
    const parts = [
        ['Kinetic', /^kinetic_/],
        ['Gravity', /^gravity$/],
        ['Stored in springs', /^elastic_|_stored$/],
        ['Dissipated', /^(.*_)?dissipated/],
        ['Work of drives', /^drives$/],
        ['Residual', /^residual$/],
    ];
    return parts.flatMap(([label, pattern]) => {
        const columns = columnsOf(series, pattern).map(({ column }) => column);
        return columns.length ? [{ label, column: sum(columns) }] : [];
    });
};

// Columns on top of each other: each line is the sum of those before and its own, filled down to the line before.
const stacked = (series, columns) => {
    let below = null;
    const lines = [],
        data = [series.time];
    columns.forEach(({ label, column }, k) => {
        below = below ? sum([below, column]) : sum([column]);
        lines.push({ label: k ? `${label}, and below` : label, stroke: pen(k), fill: `${pen(k)}66`, band: k > 0 });
        data.push(below);
    });
    return { data, lines, label: 'energy [J]' };
};

const separate = (series, columns) => ({
    data: [series.time, ...columns.map(({ column }) => column)],
    lines: columns.map(({ label }, k) => ({ label, stroke: pen(k) })),
    label: 'energy [J]',
});

const drawingOf = (series, kind) => {
    const [name, pattern] = GROUPS[kind];
    if (!pattern) return separate(series, balance(series));
    const columns = columnsOf(series, pattern);
    return /stacked/.test(name) && columns.length ? stacked(series, columns) : separate(series, columns);
};

const drawAll = (runs, kind) => {
    [...$('energies').children].forEach(forgetDrawn);
    const places = runs.map((run) =>
        make('div', { className: 'curve' }, ...(runs.length > 1 ? [make('h3', { textContent: run.name })] : [])),
    );
    $('energies').replaceChildren(...places);
    places.forEach((place, k) => keepDrawn(place, drawingOf(runs[k].series, kind)));
};

// The last value of each term, a column for each run.
const tellLast = (runs) => {
    const heads = [...new Set(runs.flatMap((run) => columnsOf(run.series, /./).map(({ label }) => label)))];
    const last = (run, label) =>
        columnsOf(run.series, /./)
            .find((c) => c.label === label)
            ?.column.findLast((v) => v !== null);
    table(
        'ledger',
        ['Energy [J]', ...runs.map((run) => (runs.length > 1 ? run.name : 'At the end'))],
        heads.map((label) => [label, ...runs.map((run) => short(last(run, label)))]),
    );
};

let known = ''; // kinds that may be chosen

// Called again with longer series, it goes on with the curves that are there.
export const showEnergy = (all) => {
    const runs = all.filter((run) => run.series.ledger.some((head) => matter(run.series.column(head))));
    $('energies').closest('section').hidden = !runs.length;
    tellLast(runs);
    if (!runs.length) return;
    const kinds = Object.keys(GROUPS).filter((kind) => runs.some((run) => drawingOf(run.series, kind).lines.length));
    if (known === kinds.join()) {
        [...$('energies').children].forEach((place, k) => renew(place, drawingOf(runs[k].series, $('balance').value)));
        return;
    }
    const chosen = known ? $('balance').value : kinds[0];
    known = kinds.join();
    $('balance').replaceChildren(...kinds.map((kind) => new Option(GROUPS[kind][0], kind)));
    $('balance').value = kinds.includes(chosen) ? chosen : kinds[0];
    $('balance').onchange = () => drawAll(runs, $('balance').value);
    drawAll(runs, $('balance').value);
};
