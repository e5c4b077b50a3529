// Series of a run: the columns of series.csv, read by name.
import { readCsv } from './csv.js';

const HEAD = /^(.*?)(?: \[(.*)\])?$/;

export class Series {
    constructor(text) {
        Object.assign(this, readCsv(text));
        this.kept = new Map();
        this.unread = new Set(); // rows with a word in place of a number
    }

    // Numbers of a column; null where a value is missing. A word in the column `undefined` says why.
    column(name) {
        if (!this.kept.has(name)) {
            const k = this.names.indexOf(name);
            const value = (text, n) => {
                if (text === '' || !Number.isNaN(Number(text))) return text === '' ? null : Number(text);
                if (name !== 'undefined') this.unread.add(n);
                return null;
            };
            this.kept.set(name, k < 0 ? [] : this.rows.map((row, n) => value(row[k], n)));
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

    // Sentences about rows that cannot be drawn.
    get troubles() {
        const count = (n) => `${n} ${n === 1 ? 'row' : 'rows'}`;
        const out = [];
        if (this.damaged > 0)
            out.push(`series.csv is damaged: ${count(this.damaged)} cut off, left out of the curves.`);
        if (this.usable && this.unread.size > 0)
            out.push(
                `series.csv has words in place of numbers in ${count(this.unread.size)}: the curves have gaps there.`,
            );
        return out;
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
