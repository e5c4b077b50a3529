// A page that `repose view` serves: asks the server for what is new and gives it to the parts of the page, and tells the run
// what the reader wants. A frame is asked for when it is shown: the head of the run has a function for that. A sweep has no
// frames, but a table that grows.
import { Series } from './series.js';
import { $, make, say, short } from './words.js';

const EVERY = 1000; // ms between two questions,
const SOON = 50; // while more frames wait to be read
const SPARSE = 20; // curves take at most a part of the time
const TRIES = 20;
const TOLD = 3; // failures one after the other, before they are told
const PAUSE = 200; // ms between two, for a frame while the run writes the next
const SAYS = {
    waits: 'is being set up',
    runs: 'goes on',
    paused: 'is paused',
    steps: 'goes on to its next frame',
    ended: 'has ended',
    cut: 'was cut off',
};
// Commands, their buttons, and the states in which they make sense.
const COMMANDS = [
    ['pause', 'Pause the run', ['runs', 'steps']],
    ['next', 'Next frame of the run', ['runs', 'paused']],
    ['resume', 'Go on', ['paused', 'steps']],
    ['stop', 'Stop the run', ['runs', 'paused', 'steps']],
];

const wait = (ms) =>
    new Promise((done) => {
        setTimeout(done, ms);
    });

const ask = async (what, options) => {
    for (let k = 0; k < TRIES; k++) {
        const answer = await fetch(what, { cache: 'no-store', ...options });
        if (answer.ok) return answer;
        if (answer.status !== 503) throw new Error((await answer.text()).trim());
        await wait(PAUSE);
    }
    throw new Error('the run writes all the time');
};

const span = (s) => {
    if (s >= 3600) return `${Math.floor(s / 3600)} h ${Math.floor(s / 60) % 60} min`;
    return s >= 60 ? `${Math.floor(s / 60)} min ${Math.round(s) % 60} s` : `${Math.round(s)} s`;
};

// The bar above the picture: the state of the run, the commands, and whether each new frame is shown.
class Bar {
    constructor() {
        this.told = make('span');
        this.told.setAttribute('role', 'status');
        this.buttons = COMMANDS.map(([name, label]) => {
            const button = make('button', { type: 'button', textContent: label });
            button.addEventListener('click', () => this.command(name));
            return button;
        });
        this.follow = make('input', { type: 'checkbox', checked: true });
        this.label = make('label', { title: 'Show each new frame as it comes' }, this.follow, ' Follow');
        const bar = make('div', { id: 'run-bar' }, this.told, ...this.buttons, this.label);
        bar.setAttribute('role', 'group');
        bar.setAttribute('aria-label', 'Run');
        $('views').before(bar);
    }

    async command(name) {
        const sure = 'Stop the run? It writes a checkpoint, and repose run --resume goes on from there.';
        if (name === 'stop' && !window.confirm(sure)) return;
        try {
            await ask(name, { method: 'POST' });
        } catch (error) {
            this.say(error.message);
        }
    }

    say(text) {
        if (this.told.textContent !== text) this.told.textContent = text;
    }

    show({ state, control, progress, count, sweep }, frames) {
        const words = [`The ${sweep ? 'sweep' : 'run'} ${SAYS[state]}.`];
        if (progress && state !== 'waits') {
            const { time, until, remaining, steps_per_second: speed } = progress;
            words.push(`t = ${short(time)}${until > 0 ? ` of ${short(until)}` : ''} s`);
            if (remaining !== null && state === 'runs') words.push(`${span(remaining)} to go`);
            if (speed !== null) words.push(`${Math.round(speed)} steps/s`);
        }
        if (frames < count) words.push(`${frames} of ${count} frames read`);
        this.say(words.join(' · '));
        this.buttons.forEach((button, k) => {
            button.hidden = !control;
            button.disabled = !COMMANDS[k][2].includes(state);
        });
        this.label.hidden = !!sweep || state === 'ended' || state === 'cut';
    }

    end() {
        this.say('The server has ended. The page keeps what it has read.');
        this.buttons.forEach((button) => {
            button.disabled = true;
        });
    }
}

// The run of a live page. `parts` are functions of main.js: showParts and showSeries of runs, showSweep of one, and draw, which
// gives a Report.
class Live {
    constructor(parts) {
        this.parts = parts;
        this.head = { frames: [], ask: async (id) => new Uint8Array(await (await this.block(id)).arrayBuffer()) };
        this.run = { prefix: '', head: this.head, summary: {}, name: 'run', series: new Series('') };
        this.text = '';
        this.bytes = 0;
        this.curvesAfter = 0;
        this.due = false;
        this.failures = 0;
        this.bar = new Bar();
        this.ready = new Promise((done) => {
            this.drawn = done;
        });
        $('controls').hidden = true;
    }

    // Corners of surfaces are asked for up to the last frame.
    block(id) {
        return ask(id === 'surface' ? `surface-${this.asked}` : id);
    }

    // While the run writes, the server tells neither frames nor their columns.
    takeFrames(news) {
        if (!news.bodies) return;
        ['bodies', 'contacts', 'bonds'].forEach((part) => {
            // columns stay the same, and their ranges grow
            if (this.head[part]?.length !== news[part].length) this.head[part] = news[part];
            else this.head[part].forEach((column, k) => Object.assign(column, news[part][k]));
        });
        Object.assign(this.head, { low: news.low, high: news.high });
        if (news.first === this.head.frames.length) this.head.frames.push(...news.frames);
        const last = this.head.frames.at(-1);
        if (!last) return;
        this.head.surface = { points: last.points, triangles: last.triangles, rigid: false };
        this.asked = this.head.frames.length - 1;
    }

    takeSeries(news) {
        this.text += news.series;
        this.bytes = news.series_end;
        this.fresh = this.fresh || news.series !== '';
        if (!this.fresh || performance.now() < this.curvesAfter) return;
        const begun = performance.now();
        if (this.head.sweep) {
            this.head.table = this.text;
            this.parts.showSweep(this.run);
        } else {
            this.run.series = new Series(this.text);
            this.parts.showSeries([this.run]);
        }
        this.fresh = false;
        this.curvesAfter = performance.now() + SPARSE * (performance.now() - begun);
    }

    takeSweep({ sweep }) {
        if (sweep === undefined || sweep === this.plan) return;
        this.plan = sweep; // in its place comes the summary
        this.head.sweep = this.read(sweep, 'The plan of the sweep');
        this.run.name = ''; // the title says enough
        this.fresh = true;
        this.curvesAfter = 0;
    }

    // What is shown once, and again when the run has ended.
    async tell(news) {
        const ended = news.state === 'ended',
            first = this.ended === undefined;
        if (news.scene !== undefined) Object.assign(this.head, { scene: news.scene, title: news.title });
        if (ended === this.ended && (this.titled || news.title === undefined)) return;
        this.ended = ended;
        this.titled = news.title !== undefined || this.titled;
        this.run.summary = ended ? await this.askSummary() : {};
        $('scenes').replaceChildren();
        if (first && !this.head.sweep) this.run.series = new Series(this.text);
        this.parts.showParts([this.run]);
        if (!ended) $('verdict').replaceChildren();
    }

    async askSummary() {
        try {
            return this.read(await (await ask('summary')).text(), 'summary.json');
        } catch (error) {
            this.torn = error.message;
            return {};
        }
    }

    read(text, what) {
        try {
            return text ? JSON.parse(text) : {};
        } catch (error) {
            this.torn = `${what} is damaged (${error.message}); what it holds is not shown.`;
            return {};
        }
    }

    // Takes sentences away that hold no longer; those of others stay.
    forget(...sentences) {
        const place = $('message');
        [...place.children].filter((said) => sentences.includes(said.textContent)).forEach((said) => said.remove());
        place.hidden = !place.children.length;
    }

    tellNotes(news) {
        const { error, warnings } = this.run.summary;
        const warned = Array.isArray(warnings) ? warnings.map((w) => w?.text || String(w)) : [];
        const notes = [error, this.torn, ...news.notes, ...this.run.series.troubles, ...warned].filter(Boolean);
        if (this.notes?.join('\n') === notes.join('\n')) return;
        this.forget(...(this.notes || []));
        this.notes = notes;
        notes.forEach(say);
    }

    async draw(before) {
        if (this.report) {
            await this.report.grow(before, this.bar.follow.checked);
        } else {
            $('controls').hidden = false;
            this.report = this.parts.draw([this.run]);
            await this.report.ready;
        }
        this.due = false;
        this.drawn();
    }

    async learn(news) {
        const before = this.head.frames.length;
        if (this.version !== undefined && news.version !== this.version) {
            window.location.reload(); // the results are others
            return;
        }
        this.version = news.version;
        this.takeFrames(news);
        this.due ||= this.head.frames.length > before; // until it is drawn: what fails is tried again
        this.takeSweep(news);
        await this.tell(news);
        this.takeSeries(news);
        this.tellNotes(news);
        this.bar.show(news, this.head.frames.length);
        if (this.due) await this.draw(before);
        if (this.head.sweep) this.drawn();
    }

    async go() {
        for (;;) {
            const frames = this.head.frames.length;
            let news;
            try {
                news = await (await ask(`news?frames=${frames}&series=${this.bytes}`)).json();
            } catch {
                this.bar.end();
                return;
            }
            try {
                await this.learn(news);
                if (this.failures >= TOLD) this.forget(this.failed);
                this.failures = 0;
            } catch (error) {
                if (++this.failures === TOLD) {
                    this.failed = `The page cannot show what is new: ${error.message}`;
                    say(this.failed);
                }
            }
            await wait(this.head.frames.length < news.count && this.head.frames.length > frames ? SOON : EVERY);
        }
    }
}

export const live = (parts) => {
    const page = new Live(parts);
    page.go();
    return {
        ready: page.ready,
        get frames() {
            return page.head.frames.length;
        },
        get times() {
            return page.head.frames.map((frame) => frame.time);
        },
        show: (options) => (page.report ? page.report.show(options) : Promise.resolve()),
    };
};
