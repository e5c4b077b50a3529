// What the page tells of a picked body: its values and its contacts.
import { contactLoads } from './arrange.js';
import { make, plain, short, unitText } from './words.js';

const MOST = 12; // contacts that are listed
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

const contactList = (view, contacts) => {
    const items = contacts.slice(0, MOST).map(({ other, load }) => {
        const button = make('button', { type: 'button', textContent: `body ${other}` });
        button.addEventListener('click', () => view.choose(other));
        return make('li', {}, button, ` ${short(load)} N`);
    });
    if (contacts.length > MOST) items.push(make('li', { textContent: `and ${contacts.length - MOST} more` }));
    return make('ul', {}, ...items);
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
    const contacts = contactsOf(view);
    if (!contacts) return;
    const some = view.head.contactsLeftOut ? ' among the strongest of the frame' : '';
    const count = contacts.length === 1 ? '1 contact' : `${contacts.length} contacts`;
    panel.append(make('h3', { textContent: `${count}${some}` }), contactList(view, contacts));
};
