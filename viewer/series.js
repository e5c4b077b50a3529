// Series of a run: the columns of series.csv, read by name.
import { readCsv } from './csv.js';

const HEAD = /^(.*?)(?: \[(.*)\])?$/;

export class Series {
    constructor(text) {
        Object.assign(this, readCsv(text));
        this.kept = new Map();
    }

    // Numbers of a column; null where a value is missing. A word in the column `undefined` says why.
    column(name) {
        if (!this.kept.has(name)) {
            const k = this.names.indexOf(name);
            const value = (text) =>
                text === undefined || text === '' || Number.isNaN(Number(text)) ? null : Number(text);
            this.kept.set(name, k < 0 ? [] : this.rows.map((row) => value(row[k])));
        }
        return this.kept.get(name);
    }

    get time() {
        return this.column(this.names[0]);
    }

    // Columns that hold a number, but for time.
    get usable() {
        return this.names.slice(1).filter((name) => this.rows.length > 1 && this.column(name).some((v) => v !== null));
    }

    get probes() {
        return this.usable.filter((name) => !name.startsWith('ledger_'));
    }

    get ledger() {
        return this.usable.filter((name) => name.startsWith('ledger_'));
    }
}

// "top [m]" as {name: 'top', unit: 'm'}.
export const nameAndUnit = (head) => {
    const [, name, unit] = HEAD.exec(head);
    return { name, unit };
};
