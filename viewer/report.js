// The views of all runs of a page under one set of controls: time, colour, cut, style and camera.
import { $, say, short } from './words.js';
import { VIEWS, View } from './view.js';
import { fillControls, tellControls } from './controls.js';
import { Pace, nextPicture } from './pace.js';

const PAUSE = 60; // ms between frames that play
const FIRST = ['velocity', 'radius', 'sphere_radius', 'mass']; // fields that colour a page at first, if they are there

export class Report {
    constructor(runs) {
        this.views = runs.map((run, number) => new View(run, number));
        this.lead = this.views.reduce((a, b) => (b.frames.count > a.frames.count ? b : a));
        const named = this.lead.head.bodies.map((b) => b.name);
        const colour =
            FIRST.find((name) => named.includes(name)) || named.find((name) => name !== 'position') || named[0];
        // range: [low, high], 'frame' (of the frame), 'middle' (all but the outermost of the frame), or null: of all frames
        this.state = {
            frame: 0,
            colour,
            range: null,
            contacts: false,
            bonds: false,
            walls: 'clear',
            grains: 'solid',
            clip: null,
            share: 0.5,
        };
        this.drawn = Promise.resolve();
        this.timer = 0;
        this.told = [];
    }

    get frames() {
        return this.lead.frames.count;
    }

    get times() {
        return this.lead.head.frames.map((frame) => frame.time);
    }

    begin() {
        $('views').append(...this.views.map((view) => view.element));
        $('views').classList.toggle('single', this.views.length === 1);
        this.views.forEach((view) => view.begin((by) => this.follow(by)));
        this.pace = new Pace(this.views.map(({ stage }) => stage));
        this.views.forEach(({ stage }) => stage.onTurn((turns) => this.turn(stage, turns)));
        fillControls(this);
        this.listen();
        // A picture waits for what it shall show.
        this.ready = location.hash === '#picture' ? Promise.resolve() : this.show({ frame: this.frames - 1 });
        return this;
    }

    // Calls `listener` with the time of each frame that is shown.
    onTime(listener) {
        this.told.push(listener);
    }

    // Options: frame, colour, range, contacts, bonds, walls (clear, solid, hidden), grains (solid, small, hidden), clip (axis 0
    // to 2, or null), share, picked (an id or null), camera {preset} or {position, target, up, angle}, chrome (false: the
    // picture alone), size [width, height], figure (see figureValues, Stage.dress and annotate: soft light, and bars in place
    // of controls; `load` has the last colour of contacts, if `loads` asks for these colours).
    // Frames are those of the run that has most; the others show the last one until then.
    // The promise fails if a frame cannot be read; the next call draws all the same.
    show(options = {}) {
        const shown = this.drawn.then(() => this.showNow(options));
        this.drawn = shown.catch(() => {});
        return shown;
    }

    // For the reader's wishes: a frame that cannot be read is told.
    want(options) {
        return this.show(options).catch((error) => say(`The frame cannot be shown: ${error.message}`));
    }

    async showNow({ camera, chrome, size, picked, ...rest }) {
        Object.assign(this.state, rest);
        this.state.frame = Math.min(Math.max(this.state.frame, 0), this.frames - 1);
        if (chrome !== undefined) document.documentElement.classList.toggle('bare', !chrome);
        document.documentElement.classList.toggle('figure', !!this.state.figure);
        for (const view of this.views) {
            view.stage.quiet = !!this.state.figure; // until all is set
            if (size) Object.assign(view.canvas.style, { width: `${size[0]}px`, height: `${size[1]}px` });
            if (size) view.stage.fit();
            if (camera) view.stage.look(VIEWS[camera.preset] || VIEWS[view.natural()], camera);
            if (picked !== undefined) view.picked = picked;
        }
        const time = this.lead.frames.time(this.state.frame);
        await Promise.all(
            this.views.map((view) =>
                view.render(this.state, view === this.lead ? this.state.frame : view.frames.at(time)),
            ),
        );
        tellControls(this.state);
        $('slider').value = this.state.frame;
        $('slider').setAttribute('aria-valuetext', `${short(time)} seconds`);
        this.told.forEach((listener) => listener(time));
    }

    // Frames were added to those `before`; the last one is shown if the last one was shown, and the reader follows.
    grow(before, follow) {
        $('slider').max = this.frames - 1;
        this.views.forEach(({ stage, head }) => stage.grow(head.low, head.high));
        const goes = follow && !this.timer && this.state.frame === before - 1;
        return this.show(goes ? { frame: this.frames - 1 } : {});
    }

    step(by) {
        return this.want({ frame: (this.state.frame + by + this.frames) % this.frames });
    }

    look(name) {
        this.views.forEach((view) => view.stage.look(VIEWS[name]));
    }

    zoom(factor) {
        this.views[0].stage.zoom(factor);
    }

    // The reader begins or ends to turn a view: until then each picture is timed.
    async turn(stage, turns) {
        this.pace.moves(stage, turns);
        stage.turns = turns;
        while (stage.turns && !this.timer) {
            const began = performance.now();
            await nextPicture();
            this.pace.took(performance.now() - began);
        }
    }

    // All cameras follow the one that was moved.
    follow(by) {
        if (this.following || this.views.length === 1) return;
        this.following = true;
        this.views.forEach((view) => {
            if (view !== by) view.stage.follow(by.stage);
        });
        this.following = false;
    }

    play() {
        const go = async () => {
            const began = performance.now();
            await this.step(1);
            this.lead.frames.prepare(this.state.frame + 1);
            await nextPicture();
            const took = performance.now() - began;
            if (!this.timer) return;
            this.pace.took(took);
            this.timer = setTimeout(go, Math.max(PAUSE - took, 0));
        };
        clearTimeout(this.timer);
        this.timer = this.timer ? 0 : setTimeout(go, PAUSE);
        this.pace.moves('frames', this.timer !== 0);
        $('play').textContent = this.timer ? '❚❚' : '▶';
        $('play').setAttribute('aria-label', this.timer ? 'Pause' : 'Play');
    }

    listen() {
        const keys = {
            ' ': () => this.play(),
            ArrowRight: () => this.step(1),
            ArrowLeft: () => this.step(-1),
            Home: () => this.want({ frame: 0 }),
            End: () => this.want({ frame: this.frames - 1 }),
            '+': () => this.zoom(0.8),
            '-': () => this.zoom(1.25),
        };
        Object.keys(VIEWS).forEach((name, k) => {
            keys[k + 1] = () => this.look(name);
        });
        this.views.forEach(({ canvas }) =>
            canvas.addEventListener('keydown', (event) => {
                if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
                event.preventDefault();
                keys[event.key]();
            }),
        );
    }
}
