// A page that `repose view` serves: asks the server for what is new and gives it to the parts of the page, and tells the run what
// the reader wants. The other parts do not know where frames come from.
import { $, say } from './words.js';

const EVERY = 1000, SOON = 50; // ms between two questions; while more frames wait to be read
const TRIES = 20, PAUSE = 200; // for a frame, while the run writes the next
const SAYS = {
    waits: 'The run is being set up.', runs: 'The run goes on.', paused: 'The run is paused.', steps: 'The run goes on to its next frame.',
    ended: 'The run has ended.', cut: 'The run was cut off.',
};
const COMMANDS = [['pause', 'Pause the run'], ['next', 'Next frame of the run'], ['resume', 'Go on'], ['stop', 'Stop the run']];
// Commands that make sense in a state.
const FITS = { pause: ['runs', 'steps'], next: ['runs', 'paused'], resume: ['paused', 'steps'], stop: ['runs', 'paused', 'steps'] };

const wait = (ms) => new Promise((done) => { setTimeout(done, ms); });
const ask = async (what, options) => {
    for (let k = 0; k < TRIES; k++) {
        const answer = await fetch(what, { cache: 'no-store', ...options });
        if (answer.ok) return answer;
        if (answer.status !== 503) throw new Error((await answer.text()).trim());
        await wait(PAUSE);
    }
    throw new Error('the run writes all the time');
};
const span = (s) => (s >= 3600 ? `${Math.floor(s / 3600)} h ${Math.round(s / 60) % 60} min` : s >= 60 ? `${Math.floor(s / 60)} min ${Math.round(s) % 60} s` : `${Math.round(s)} s`);

// The bar above the picture: the state of the run and the commands.
const bar = () => {
    const place = document.createElement('div'), told = document.createElement('span'), follow = document.createElement('input');
    place.id = 'run-bar';
    place.setAttribute('role', 'group');
    place.setAttribute('aria-label', 'Run');
    told.setAttribute('role', 'status');
    place.append(told);
    const buttons = COMMANDS.map(([name, label]) => {
        const b = document.createElement('button');
        b.type = 'button';
        b.textContent = label;
        b.addEventListener('click', async () => {
            if (name === 'stop' && !window.confirm('Stop the run? It writes a checkpoint, and repose run --resume goes on from there.')) return;
            try { await ask(name, { method: 'POST' }); } catch (error) { told.textContent = error.message; }
        });
        place.append(b);
        return [name, b];
    });
    const label = document.createElement('label');
    follow.type = 'checkbox';
    follow.checked = true;
    label.append(follow, ' Follow');
    label.title = 'Show each new frame as it comes';
    place.append(label);
    $('view').before(place);
    const show = ({ state, control, progress, frames, count }) => {
        const words = [SAYS[state]];
        if (progress && state !== 'waits') {
            words.push(`t = ${Number(progress.time.toPrecision(4))}${progress.until > 0 ? ` of ${Number(progress.until.toPrecision(4))}` : ''} s`);
            if (progress.remaining !== null && state === 'runs') words.push(`${span(progress.remaining)} to go`);
            if (progress.steps_per_second !== null) words.push(`${Math.round(progress.steps_per_second)} steps/s`);
        }
        if (frames < count) words.push(`${frames} of ${count} frames read`);
        if (told.textContent !== words.join(' · ')) told.textContent = words.join(' · ');
        buttons.forEach(([name, b]) => { b.hidden = !control; b.disabled = !FITS[name].includes(state); });
        label.hidden = state === 'ended' || state === 'cut';
    };
    return { show, follow };
};

// parts: describe(summary, head), curves(series) that returns one to draw longer series, view(head).
export const live = async ({ describe, curves, view }) => {
    const head = { frames: [], block: async (id) => new Uint8Array(await (await ask(id)).arrayBuffer()) }, top = bar();
    let series = '', bytes = 0, version = 0, redraw = null, ended = false, notes = '', ready = () => {};
    const first = new Promise((done) => { ready = done; });
    let shown = null;
    window.repose = { ready: first, get frames() { return head.frames.length; }, get times() { return head.frames.map((f) => f.time); }, show: (options) => shown?.show(options) ?? Promise.resolve() };
    $('view').hidden = $('controls').hidden = true;
    describe({}, head);
    $('verdict').textContent = '';

    const learn = async (news) => {
        if (version && news.version !== version) { location.reload(); return; }
        version = news.version;
        const before = head.frames.length;
        ['bodies', 'contacts'].forEach((part) => { // what the controls hold stays the same, and its ranges grow
            if (head[part]?.length !== news[part].length) head[part] = news[part];
            else head[part].forEach((c, k) => Object.assign(c, news[part][k]));
        });
        Object.assign(head, { low: news.low, high: news.high });
        if (news.first === before) head.frames.push(...news.frames);
        if (news.scene !== undefined) Object.assign(head, { scene: news.scene, title: news.title });
        $('scene').textContent = head.scene || '';
        $('scene').parentElement.hidden = !head.scene;
        if (news.series) {
            series += news.series;
            bytes = news.series_end;
            if (redraw) redraw(series);
            else if (series.split('\n').length > 3) redraw = curves(series);
        }
        const over = news.state === 'ended';
        if (over !== ended || before === 0) {
            ended = over;
            const text = over ? await (await ask('summary')).text() : '';
            notes = '';
            $('message').textContent = '';
            $('message').hidden = true;
            describe(text ? JSON.parse(text) : {}, head);
            if (!text) $('verdict').textContent = '';
        }
        if (notes !== news.notes.join('\n')) {
            notes = news.notes.join('\n');
            if (notes) say(notes);
        }
        top.show({ ...news, frames: head.frames.length });
        if (head.frames.length === before) return;
        if (!shown) {
            $('view').hidden = $('controls').hidden = false;
            shown = view(head);
            await shown.ready;
            ready();
        } else {
            await shown.grow(before, top.follow.checked);
        }
    };

    for (;;) {
        let news = null;
        try {
            news = await (await ask(`news?frames=${head.frames.length}&series=${bytes}`)).json();
            await learn(news);
        } catch (error) {
            if (news) say(`The page cannot show what is new: ${error.message}`);
            else $('run-bar').firstChild.textContent = 'The server has ended. The page keeps what it has read.';
            if (!news) $('run-bar').querySelectorAll('button').forEach((b) => { b.disabled = true; });
            if (!news) return;
        }
        await wait(news && head.frames.length < news.count ? SOON : EVERY);
    }
};
