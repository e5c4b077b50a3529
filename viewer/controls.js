// The controls below the views: what a person chooses goes to Report.show.
import { fieldName } from './arrange.js';
import { fieldsOf, VIEWS } from './view.js';
import { $, make, plain } from './words.js';

const fillFields = ({ views, lead, state }) => {
    const everywhere = fieldsOf(lead.head).filter(({ name }) => views.every((view) => view.column(name)));
    everywhere.forEach(({ name, components }) => $('colour').add(new Option(plain(fieldName(name, components)), name)));
    $('colour').value = state.colour;
};

const fillPresets = (report) => {
    Object.keys(VIEWS).forEach((name) => {
        const button = make('button', { type: 'button', textContent: name });
        button.addEventListener('click', () => report.look(name));
        $('presets').append(button);
    });
};

export const fillControls = (report) => {
    const on = (id, event, options) => $(id).addEventListener(event, () => report.want(options($(id))));
    $('slider').max = report.frames - 1;
    fillFields(report);
    fillPresets(report);
    on('slider', 'input', (e) => ({ frame: Number(e.value) }));
    on('colour', 'change', (e) => ({ colour: e.value, range: $('range').value || null }));
    on('range', 'change', (e) => ({ range: e.value || null }));
    on('contacts', 'change', (e) => ({ contacts: e.checked }));
    on('bonds', 'change', (e) => ({ bonds: e.checked }));
    on('walls', 'change', (e) => ({ walls: e.value }));
    on('grains', 'change', (e) => ({ grains: e.value }));
    on('clip', 'change', (e) => ({ clip: e.value === '' ? null : Number(e.value) }));
    on('share', 'input', (e) => ({ share: Number(e.value) }));
    $('play').addEventListener('click', () => report.play());
    $('contacts').parentElement.hidden = !report.views.some(({ head }) => head.contacts.some((c) => c.name === 'line'));
    $('bonds').parentElement.hidden = !report.views.some(({ head }) => head.bonds.length);
};

// Shows in the controls what programs and keys have chosen.
export const tellControls = ({ colour, contacts, bonds, walls, grains, clip, share }) => {
    Object.assign($('contacts'), { checked: contacts });
    Object.assign($('bonds'), { checked: bonds });
    Object.entries({ colour, walls, grains, share, clip: clip ?? '' }).forEach(([id, value]) => {
        if ($(id).value !== String(value)) $(id).value = value;
    });
    $('share').disabled = clip === null;
};
