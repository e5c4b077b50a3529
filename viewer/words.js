// Elements, numbers, sentences and tables of the page.
export const $ = (id) => document.getElementById(id);

// An element with properties (class names as `className`) and children.
export const make = (tag, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
};

// A number with five digits; a dash stands for what is not there.
export const short = (x) => {
    if (x === null || x === undefined || x === '') return '–';
    const size = Math.abs(x);
    if (typeof x !== 'number' || Number.isInteger(x) || !Number.isFinite(x)) return String(x);
    if (size >= 1e-3 && size < 1e6) return String(Number(x.toPrecision(5)));
    const [digits, power] = x.toExponential(4).split('e');
    return `${Number(digits)} × 10${raise(null, String(Number(power)))}`;
};
const RAISED = { '-': '⁻', 0: '⁰', 1: '¹', 2: '²', 3: '³', 4: '⁴', 5: '⁵', 6: '⁶', 7: '⁷', 8: '⁸', 9: '⁹' };
const raise = (_, power) => Array.from(power, (digit) => RAISED[digit]).join('');

// m/s^2 as m/s²; a unit of 1 is none.
export const unitText = (unit) => (!unit || unit === '1' || unit === '-' ? '' : unit.replace(/\^(-?\d+)/g, raise));
export const withUnit = (name, unit) => (unitText(unit) ? `${name} [${unitText(unit)}]` : name);
export const plain = (name) => name.replaceAll('_', ' ');

// A sentence above the run, once.
export const say = (sentence) => {
    const place = $('message');
    if ([...place.children].some((said) => said.textContent === sentence)) return;
    place.hidden = false;
    place.append(make('p', { textContent: sentence }));
};

// Shows a part of the page; what is damaged leaves it out, and a sentence says so.
export const attempt = (what, show) => {
    try {
        show();
    } catch (error) {
        say(`${what} cannot be shown, since the results are damaged: ${error.message}.`);
    }
};

const cell = (tag, content) => {
    const element = make(tag);
    if (content instanceof Node) element.append(content);
    else element.textContent = short(content);
    if (content === 'pass' || content === 'fail') element.className = content;
    if (typeof content === 'number') element.classList.add('number');
    return element;
};

// Fills a table; the section around it is hidden where there are no rows. A row is an array of cells.
export const table = (id, head, rows) => {
    const place = $(id);
    place.replaceChildren();
    if (head && rows.length) {
        const names = head.map((name) => Object.assign(cell('th', name), { scope: 'col' }));
        place
            .createTHead()
            .insertRow()
            .append(...names);
    }
    const body = place.createTBody();
    rows.forEach((cells) => {
        const row = body.insertRow();
        row.append(...cells.map((content) => cell('td', content)));
        if (cells.different) row.className = 'different';
    });
    place.closest('section').hidden = !rows.length;
};
