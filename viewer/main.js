// The page of a report: reads what the command put into it and fills the parts. A message stands in the place of what cannot
// be shown. Programs use window.repose: {ready, frames, times, show}.
import { drawCurves, keepDrawn, readSeries } from './curves.js';
import { view } from './view.js';
import { $, say, short, table } from './words.js';

const text = (id) => ($(id) ? $(id).textContent : '');
const ENDS = {
    until: 'Reached its end time', rest: 'Came to rest', stages: 'All stages done',
    stopped: 'Stopped before its end', failed: 'Stopped by an error',
};

const describe = (summary, head) => {
    const checks = summary.checks || [], machine = summary.machine || {}, limit = summary.step?.limit;
    const passed = checks.filter((c) => c.verdict === 'pass').length;
    $('title').textContent = document.title = summary.scene?.title || head?.title || 'Repose report';
    const verdict = checks.length ? `${passed} of ${checks.length} checks pass` : 'No checks';
    $('verdict').textContent = [summary.scene?.variant, ENDS[summary.end] || summary.end, verdict].filter(Boolean).join(' · ');
    table('checks', ['Verdict', 'Check', 'Expected', 'Measured', 'Tolerance', 'Unit'],
        checks.map((c) => [c.verdict, c.check, c.expected, c.measured, c.tolerance, c.unit]));
    table('pairs', ['Materials', 'Role', 'Law', 'Parameter', 'Value', 'Unit'],
        (summary.pairs || []).flatMap((p) => p.values.map((v) => [p.between.join(', '), v.role, v.law, v.parameter, v.value, v.unit])));
    const rows = [['End', ENDS[summary.end] || summary.end], ['Time', `${short(summary.time)} s`], ['Steps', summary.steps],
        ['Step', `${short(summary.step?.value)} s`]];
    if (limit) rows.push(['Limited by', `${limit.mode}, ${limit.by}, between ${(limit.materials || []).join(' and ')}: ${short(limit.value)} s`]);
    rows.push(['Threads', machine.threads], ['Instruction set', machine.isa], ['Wall time', machine.wall_seconds && `${short(machine.wall_seconds)} s`],
        ['Steps per second', machine.steps_per_second], ['Version', summary.version]);
    table('run', null, summary.end ? rows : []);
    if (summary.error) say(summary.error);
    (summary.warnings || []).forEach((w) => say(typeof w === 'string' ? w : w.text || JSON.stringify(w)));
};

const curves = (csv) => {
    const series = readSeries(csv), ledger = /^ledger_/;
    const usable = series.names.map((_, k) => k).filter((k) => k > 0 && series.column(k).some((v) => Number.isFinite(v)));
    if (series.rows < 2 || !usable.length) { $('curve').parentElement.hidden = $('energy').parentElement.hidden = true; return; }
    usable.forEach((k) => $('quantity').add(new Option(series.names[k], k)));
    const first = usable.find((k) => !/^(bodies|contacts|residual|ledger_)/.test(series.names[k]));
    if (first) $('quantity').value = first;
    const draw = () => {
        const k = Number($('quantity').value);
        drawCurves($('curve'), series, [{ k, name: series.names[k], pen: 0 }], series.names[k]);
    };
    $('quantity').addEventListener('change', draw);
    keepDrawn($('curve'), draw);
    const terms = usable.filter((k) => ledger.test(series.names[k]) && series.column(k).some((v) => v !== 0));
    $('energy').parentElement.hidden = !terms.length;
    const named = terms.map((k, pen) => ({ k, pen, name: series.names[k].replace(ledger, '').replace(/ \[J\]$/, '').replaceAll('_', ' ') }));
    if (terms.length) keepDrawn($('energy'), () => drawCurves($('energy'), series, named, 'energy [J]'));
};

const start = () => {
    const summary = text('summary') ? JSON.parse(text('summary')) : {};
    const head = text('head') ? JSON.parse(text('head')) : null;
    describe(summary, head);
    $('scene').textContent = head?.scene || '';
    $('scene').parentElement.hidden = !head?.scene;
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
