// Tables of comma-separated values: a field in quotes may hold commas and, doubled, quotes.
const FIELD = /(?:"((?:[^"]|"")*)"|([^",]*))(,|$)/y;

const fields = (line) => {
    if (!line.includes('"')) return line.split(',');
    const out = [];
    FIELD.lastIndex = 0;
    for (let found = FIELD.exec(line); found; found = FIELD.exec(line)) {
        out.push(found[1] === undefined ? found[2] : found[1].replaceAll('""', '"'));
        if (found[3] === '') break;
    }
    return out;
};

// The names of the columns and the rows below them. A row that was cut off, at the end of the text too, is left out and counted.
export const readCsv = (text) => {
    const [first = [], ...all] = text.split('\n').filter(Boolean).map(fields);
    const whole = text.endsWith('\n') ? all : all.slice(0, -1),
        rows = whole.filter((row) => row.length === first.length);
    return { names: first, rows, damaged: all.length - rows.length };
};
