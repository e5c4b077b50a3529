// The page of a report: reads what the command put into it and fills the parts. A message stands in the place of what cannot
// be shown. Programs use window.repose: {ready, frames, times, show}; see Report.show.
import { markTime } from './curves.js';
import { showEnergy } from './energy.js';
import { live } from './live.js';
import { legendOfRuns, showProbes } from './probes.js';
import { Report } from './report.js';
import { Series } from './series.js';
import { showSweeps } from './sweep.js';
import { endOf, showScenes, showTables, verdictOf } from './tables.js';
import { $, attempt, make, say } from './words.js';

// A block of the page; null if it is not there, or is damaged, which is said.
const json = (id) => {
    if (!$(id)) return null;
    try {
        return JSON.parse($(id).textContent);
    } catch (error) {
        say(`The ${id} of the results is damaged (${error.message}); what it holds is not shown.`);
        return null;
    }
};

// Folders of one name in different places get numbers.
const tellApart = (runs) => {
    const count = (name) => runs.filter((run) => run.name === name).length;
    const twice = runs.filter(({ name }) => count(name) > 1);
    twice.forEach((run) => {
        run.name = `${run.name} (${runs.indexOf(run) + 1})`;
    });
    return runs;
};

// Runs of the page: blocks of the first have no prefix, those of others "run-1-" and so on.
const readRuns = () => {
    const runs = [];
    for (let k = 0; ; k++) {
        const prefix = k ? `run-${k}-` : '',
            head = json(`${prefix}head`);
        if (!head) return tellApart(runs);
        const summary = json(`${prefix}summary`) || {};
        const name = head.name || summary.scene?.variant || `Run ${k + 1}`;
        head.sweep = json(`${prefix}sweep`);
        runs.push({ prefix, head, summary, name, series: new Series(head.series || '') });
    }
};

const tellNotes = (runs) =>
    runs.forEach(({ head, summary, series, name }) => {
        const warnings = (summary.warnings || []).map((w) => (typeof w === 'string' ? w : w.text || JSON.stringify(w)));
        const empty =
            head.series !== undefined && !series.rows.length && 'series.csv holds no row, so there are no curves.';
        const notes = [summary.error, ...(head.notes || []), ...series.troubles, empty, ...warnings].filter(Boolean);
        notes.forEach((note) => say(runs.length > 1 ? `${name}: ${note}` : note));
    });

const showHeader = (runs) => {
    const titles = [
        ...new Set(
            runs.map(({ summary, head }) => summary.scene?.title || head.title || head.sweep?.title).filter(Boolean),
        ),
    ];
    $('verdict').replaceChildren();
    $('title').textContent = document.title = titles.join(' · ') || 'Repose report';
    if (runs.length === 1 && !runs[0].head.sweep) {
        const variant = runs[0].summary.scene?.variant;
        $('verdict').append(
            ...[variant, endOf(runs[0])]
                .filter(Boolean)
                .map((text) => make('span', { className: 'chip', textContent: text })),
        );
        $('verdict').append(verdictOf(runs[0]));
    } else if (runs.length > 1) {
        const items = legendOfRuns(runs);
        runs.forEach((run, k) => {
            if (!run.head.sweep) items[k].append(verdictOf(run));
        });
        $('verdict').append(make('ul', {}, ...items));
    }
    $('size').textContent = runs
        .map(({ head }) => head.told)
        .filter(Boolean)
        .join(' ');
};

const showSeries = (runs) => {
    attempt('A curve', () => showProbes(runs));
    attempt('The energy', () => showEnergy(runs));
};

const showSweep = (run) => attempt('A sweep', () => showSweeps([run]));

const showParts = (runs) => {
    attempt('The verdict', () => showHeader(runs));
    showSeries(runs);
    showTables(runs.filter(({ head }) => !head.sweep));
    attempt('The scene', () => showScenes(runs));
    attempt('A sweep', () => showSweeps(runs.filter(({ head }) => head.sweep)));
};

const draw = (runs) => {
    const report = new Report(runs).begin();
    report.onTime(markTime);
    return report;
};

// For programs, where no frame can be shown.
const nothing = { ready: Promise.resolve(), frames: 0, times: [], show: () => Promise.resolve() };

const start = () => {
    const runs = readRuns();
    if (!runs.length) throw new Error('the page holds no results, so it was cut off when it was copied');
    document.body.classList.toggle('several', runs.filter(({ head }) => !head.sweep).length > 1);
    showParts(runs);
    attempt('A warning', () => tellNotes(runs));
    const drawn = runs.filter(({ head }) => head.frames?.length);
    if (!drawn.length) {
        if (!runs.every(({ head }) => head.sweep)) say('The results hold no frame, so there is nothing to draw.');
        $('views').closest('section').hidden = true;
        return nothing;
    }
    try {
        return draw(drawn);
    } catch (error) {
        say(`The 3D view cannot be shown: ${error.message}. It needs WebGL 2.`);
        $('views').closest('section').hidden = true;
        return nothing;
    }
};

$('loading').hidden = true;
try {
    window.repose = $('live') ? live({ showParts, showSeries, showSweep, draw }) : start();
    window.repose.ready.catch((error) => say(`The frame cannot be shown: ${error.message}`));
} catch (error) {
    say(`The report cannot be shown: ${error.message}.`);
}
