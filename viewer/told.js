// What the page tells of a picked body: its values, its contacts and its bonds.
import { contactLoads } from './arrange.js';
import { make, plain, short, unitText } from './words.js';

const MOST = 12; // contacts or bonds that are listed
const ORDER = [
    'position',
    'velocity',
    'angular_velocity',
    'force',
    'torque',
    'stress',
    'mass',
    'sphere_radius',
    'radius',
];
const KINDS = ['free', 'fixed', 'driven'];

const valueText = ({ name, names, components, unit }, all, row) => {
    const value = all.subarray(row * components, (row + 1) * components);
    if (name === 'kind') return KINDS[value[0]] || short(value[0]);
    if (names) return names.split('\n')[value[0]] || short(value[0]);
    return `${Array.from(value, short).join(', ')} ${unitText(unit)}`.trim();
};

// Columns in an order that people look for; those that are not named come last.
const place = ({ name }) => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length);

const valueRows = ({ head, shown }, row) =>
    head.bodies
        .filter(({ name }) => !['orientation', 'id'].includes(name))
        .sort((a, b) => place(a) - place(b))
        .map((column) => [plain(column.name), valueText(column, shown.bodies[column.name], row)]);

// Contacts of a body: the id of the other and the load, largest first.
const contactsOf = ({ shown, picked }) => {
    const { contacts } = shown;
    if (!contacts.id_i || !contacts.id_j) return null;
    const load = contactLoads(contacts),
        out = [];
    contacts.id_i.forEach((i, k) => {
        const j = contacts.id_j[k];
        if (i === picked || j === picked) out.push({ other: i === picked ? j : i, load: load[k] });
    });
    return out.sort((a, b) => b.load - a.load);
};

// Bonds of a body: the id of the other and the tension, largest first; broken ones last.
const bondsOf = ({ shown, picked }) => {
    const { id_first: first, id_second: second, tension, broken } = shown.bonds;
    if (!first || !second) return null;
    const out = [];
    first.forEach((i, k) => {
        const j = second[k];
        if (i !== picked && j !== picked) return;
        out.push({ other: i === picked ? j : i, tension: tension?.[k], broken: broken?.[k] > 0 });
    });
    const size = ({ tension: pull, broken: gone }) => (gone ? -1 : Math.abs(pull ?? 0));
    return out.sort((a, b) => size(b) - size(a));
};

// Items {other, says} as buttons that pick the other body.
const neighbours = (view, all) => {
    const items = all.slice(0, MOST).map(({ other, says }) => {
        const button = make('button', { type: 'button', textContent: `body ${other}` });
        button.addEventListener('click', () => view.choose(other));
        return make('li', {}, button, ` ${says}`);
    });
    if (all.length > MOST) items.push(make('li', { textContent: `and ${all.length - MOST} more` }));
    return make('ul', {}, ...items);
};

const counted = (count, name) => `${count} ${name}${count === 1 ? '' : 's'}`;

const tellContacts = (view) => {
    const contacts = contactsOf(view);
    if (!contacts) return;
    const some = view.head.contactsLeftOut ? ' among the strongest of the frame' : '';
    const items = contacts.map(({ other, load }) => ({ other, says: `${short(load)} N` }));
    view.panel.append(
        make('h3', { textContent: `${counted(contacts.length, 'contact')}${some}` }),
        neighbours(view, items),
    );
};

const tellBonds = (view) => {
    const bonds = bondsOf(view);
    if (!bonds?.length) return;
    const gone = bonds.filter(({ broken }) => broken).length;
    const says = ({ tension, broken }) =>
        broken ? 'broken' : tension === undefined ? '' : `tension ${short(tension)} N`;
    view.panel.append(
        make('h3', { textContent: `${counted(bonds.length, 'bond')}${gone ? `, ${gone} broken` : ''}` }),
        neighbours(
            view,
            bonds.map((bond) => ({ other: bond.other, says: says(bond) })),
        ),
    );
};

// Fills the panel of a view; row: of the body in the frame, or -1.
export const tellBody = (view, row) => {
    const panel = view.panel;
    panel.hidden = row < 0;
    panel.replaceChildren();
    if (row < 0) return;
    const close = make('button', { type: 'button', className: 'close', textContent: '×' });
    close.setAttribute('aria-label', 'Let the body go');
    close.addEventListener('click', () => view.choose(null));
    const list = make('dl');
    valueRows(view, row).forEach(([name, value]) =>
        list.append(make('dt', { textContent: name }), make('dd', { textContent: value })),
    );
    panel.append(close, make('h3', { textContent: `Body ${view.picked}` }), list);
    tellContacts(view);
    tellBonds(view);
};
