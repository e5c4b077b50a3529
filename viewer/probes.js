// Curves of the probes and counts of all runs, each quantity on its own axes; one may be chosen.
import { PEN, pen } from './colours.js';
import { forgetDrawn, joined, keepDrawn, renew } from './curves.js';
import { nameAndUnit } from './series.js';
import { $, make, plain, withUnit } from './words.js';

const MOST = 12; // curves that are drawn at once
const COUNTS = /^(bodies|contacts)$/;

// Quantities of all runs, probes of the scene before counts of the world.
const quantities = (runs) => {
    const all = [...new Set(runs.flatMap((run) => run.series.probes))];
    return [...all.filter((name) => !COUNTS.test(name)), ...all.filter((name) => COUNTS.test(name))];
};

const curveOf = (runs, head) => {
    const having = runs.filter((run) => run.series.usable.includes(head));
    const { name, unit } = nameAndUnit(head);
    return {
        data: joined(having.map((run) => [run.series.time, run.series.column(head)])),
        lines: having.map((run) => ({
            label: runs.length > 1 ? run.name : plain(name),
            stroke: PEN[runs.indexOf(run) % PEN.length],
        })),
        label: withUnit(plain(name), unit),
    };
};

let drawn = []; // quantities that have curves

const drawAll = (runs, heads) => {
    drawn = heads;
    [...$('curves').children].forEach(forgetDrawn);
    const places = heads.map((head) =>
        make('div', { className: 'curve' }, make('h3', { textContent: plain(nameAndUnit(head).name) })),
    );
    $('curves').replaceChildren(...places);
    places.forEach((place, k) => keepDrawn(place, curveOf(runs, heads[k])));
};

let known = ''; // quantities that may be chosen

// Called again with longer series, it goes on with the curves that are there.
export const showProbes = (runs) => {
    const heads = quantities(runs),
        few = heads.slice(0, MOST),
        choice = $('quantity');
    $('curves').closest('section').hidden = !heads.length;
    if (!heads.length) return;
    if (known === heads.join()) {
        [...$('curves').children].forEach((place, k) => renew(place, curveOf(runs, drawn[k])));
        return;
    }
    known = heads.join();
    choice.replaceChildren();
    choice.add(new Option(heads.length > MOST ? `first ${MOST}` : 'all', ''));
    heads.forEach((head) => choice.add(new Option(plain(head), head)));
    choice.parentElement.hidden = heads.length < 2;
    choice.onchange = () => drawAll(runs, choice.value ? [choice.value] : few);
    drawAll(runs, few);
};

export const legendOfRuns = (runs) =>
    runs.map((run, k) => {
        const sample = make('span', { className: 'pen' });
        sample.style.background = pen(k);
        return make('li', {}, sample, run.name);
    });
