// Elements, numbers and tables of the page.
export const $ = (id) => document.getElementById(id);
export const short = (x) => (typeof x === 'number' ? String(Number(x.toPrecision(5))) : x === null || x === undefined ? '–' : String(x));

export const say = (sentence) => {
    $('message').hidden = false;
    $('message').textContent += `${sentence}\n`;
};

export const table = (id, head, rows) => {
    const add = (row, cells, tag) => cells.forEach((cell) => {
        const e = document.createElement(tag);
        e.textContent = short(cell);
        if (cell === 'pass' || cell === 'fail') e.className = cell;
        row.append(e);
    });
    if (head && rows.length) add($(id).insertRow(), head, 'th');
    rows.forEach((cells) => add($(id).insertRow(), cells, 'td'));
    if (!rows.length) $(id).parentElement.hidden = true;
};
