// Tables of checks, pairs, the step and the machine; several runs stand in columns side by side.
import { $, attempt, make, short, table, unitText } from './words.js';

const ENDS = {
    until: 'Reached its end time',
    rest: 'Came to rest',
    stages: 'All stages done',
    stopped: 'Stopped before its end',
    failed: 'Stopped by an error',
};
const percent = (x) => (typeof x === 'number' ? `${short(100 * x)} %` : null);
const seconds = (x) => (typeof x === 'number' ? `${short(x)} s` : null);

/* --- checks -------------------------------------------------------------------------------------------------------- */

const checkRows = (run, several) =>
    (run.summary.checks || []).map((c) => [
        ...(several ? [run.name] : []),
        c.verdict,
        c.check,
        c.expected,
        c.measured,
        c.tolerance,
        unitText(c.unit),
        c.source || '',
    ]);

const showChecks = (runs) => {
    const several = runs.length > 1,
        head = ['Verdict', 'Check', 'Expected', 'Measured', 'Tolerance', 'Unit', 'Source'];
    table(
        'checks',
        several ? ['Run', ...head] : head,
        runs.flatMap((run) => checkRows(run, several)),
    );
};

export const verdictOf = ({ summary }) => {
    const checks = summary.checks || [],
        passed = checks.filter((c) => c.verdict === 'pass').length;
    const text = checks.length ? `${passed} of ${checks.length} checks pass` : 'No checks';
    return make('span', {
        className: checks.length ? (passed === checks.length ? 'chip pass' : 'chip fail') : 'chip',
        textContent: text,
    });
};

export const endOf = ({ summary }) => ENDS[summary.end] || summary.end || 'Not ended';

/* --- pairs --------------------------------------------------------------------------------------------------------- */

// Rows of the parameters of one run by a key, so that those of others find their place.
const pairValues = ({ summary }) =>
    new Map(
        (summary.pairs || []).flatMap((pair) =>
            pair.values.map((v) => {
                const materials = [...new Set(pair.between)].join(' – ');
                return [[materials, v.role, v.parameter || v.law].join('\n'), { materials, ...v }];
            }),
        ),
    );

const valueText = (v) => {
    if (!v) return '–';
    if (v.parameter === undefined) return v.law;
    const value = v.value === null || v.value === undefined ? 'chosen by the law' : short(v.value);
    return v.given === false
        ? make('span', { className: 'derived', textContent: value, title: 'not given, but chosen' })
        : value;
};

const showPairs = (runs) => {
    const values = runs.map(pairValues),
        keys = [...new Set(values.flatMap((map) => [...map.keys()]))];
    const rows = keys.map((key) => {
        const all = values.map((map) => map.get(key)),
            first = all.find(Boolean);
        const row = [
            first.materials,
            first.role,
            first.law,
            (first.parameter || '').replaceAll('_', ' '),
            ...all.map(valueText),
            unitText(first.unit),
        ];
        row.different = runs.length > 1 && new Set(all.map((v) => `${v?.law} ${v?.value}`)).size > 1;
        return row;
    });
    table(
        'pairs',
        [
            'Materials',
            'Role',
            'Law',
            'Parameter',
            ...(runs.length > 1 ? runs.map((run) => run.name) : ['Value']),
            'Unit',
        ],
        rows,
    );
};

/* --- the step and the run ------------------------------------------------------------------------------------------ */

const limitText = (limit) => {
    if (!limit) return null;
    const between = (limit.materials || []).join(' and ');
    const bodies = (limit.bodies || []).join(' and ');
    const cause = [limit.mode, limit.by, between && `between ${between}`].filter(Boolean).join(', ');
    return `${cause}${bodies ? ` (bodies ${bodies})` : ''}: ${seconds(limit.value)}`;
};

const STEP = [
    ['Step', ({ step }) => step && seconds(step.value)],
    ['Chosen by', ({ step }) => step && (step.chosen ? 'Repose' : 'the scene')],
    ['Limited by', ({ step }) => limitText(step?.limit)],
    [
        'Fastest impact',
        ({ step }) =>
            step?.impact &&
            `${short(step.impact.speed)} m/s, ${seconds(step.impact.duration)}, ${short(step.impact.steps)} steps`,
    ],
    ['Error of restitution', ({ step }) => percent(step?.impact?.restitution_error)],
    ['Error of the energy balance', ({ step }) => percent(step?.impact?.balance_error)],
    ['Largest overlap', ({ step }) => percent(step?.impact?.overlap)],
];
const RUN = [
    ['End', (summary) => endOf({ summary })],
    ['Time', ({ time }) => seconds(time)],
    ['Steps', ({ steps }) => steps],
    ['Bodies', ({ counts }) => counts?.bodies],
    ['Contacts', ({ counts }) => counts?.contacts],
    ['Shapes', ({ shapes }) => shapes?.map(({ shape, count }) => `${count} × ${shape}`).join(', ')],
    ['Residual of the energy', ({ ledger }) => percent(ledger?.residual_relative)],
    ['Threads', ({ machine }) => machine?.threads],
    ['Instruction set', ({ machine }) => machine?.isa],
    ['Wall time', ({ machine }) => seconds(machine?.wall_seconds)],
    ['Steps per second', ({ machine }) => machine && Math.round(machine.steps_per_second)],
    [
        'Body steps per second',
        ({ machine, counts }) =>
            machine && counts && `${short((machine.steps_per_second * counts.bodies) / 1e6)} million`,
    ],
    ['Version', ({ version }) => version],
];

const showFacts = (id, runs, facts) => {
    const rows = facts.map(([name, of]) => [name, ...runs.map(({ summary }) => of(summary))]);
    const told = rows.filter((row) => row.slice(1).some((v) => v !== null && v !== undefined && v !== ''));
    const ended = runs.some(({ summary }) => summary.end);
    table(id, runs.length > 1 ? ['', ...runs.map((run) => run.name)] : null, ended ? told : []);
};

export const showTables = (runs) => {
    attempt('A check', () => showChecks(runs));
    attempt('A pair', () => showPairs(runs));
    attempt('The step', () => showFacts('step', runs, STEP));
    attempt('A fact of the run', () => showFacts('run', runs, RUN));
};

export const showScenes = (runs) => {
    const scenes = runs.filter((run) => run.head?.scene),
        seen = new Set();
    scenes.forEach((run) => {
        if (seen.has(run.head.scene)) return;
        seen.add(run.head.scene);
        const text = make('pre', { textContent: run.head.scene, tabIndex: 0 });
        text.setAttribute('aria-label', `Scene of ${run.name}`);
        text.setAttribute('role', 'region');
        $('scenes').append(
            make(
                'details',
                {},
                make('summary', { textContent: seen.size > 1 ? `Scene of ${run.name}` : 'Scene' }),
                text,
            ),
        );
    });
};
