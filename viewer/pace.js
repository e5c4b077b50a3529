// Keeps frames that play, and views that turn, in step with the reader where drawing is slow, as it is for many grains without a
// graphics card. While something moves, the stages draw less (Stage.setCoarse) as soon as pictures take too long; when it stops,
// they draw all again.
const SLOW = 120; // ms between pictures
const LIMIT = 2; // of the coarseness: still coarser points save little more
const REST = 300; // ms after which what has stopped stands still: a wheel that zooms stops between its notches
const LOOKED = 3; // pictures, of which most are slow: a single one may have other causes

// Comes when the browser is ready for another picture, which it is not while it draws the last one.
export const nextPicture = () => new Promise((resolve) => requestAnimationFrame(resolve));

export class Pace {
    constructor(stages) {
        this.stages = stages;
        this.coarse = 0; // of what moves
        this.movers = new Set();
        this.times = []; // ms, of the last pictures
    }

    // `what` moves, or has stopped.
    moves(what, does) {
        this.movers[does ? 'add' : 'delete'](what);
        this.times = [];
        clearTimeout(this.rest);
        if (does) this.apply();
        else this.rest = setTimeout(() => this.apply(), REST);
    }

    // A picture of what moves took so many ms.
    took(time) {
        this.times.push(time);
        if (this.times.length > LOOKED) this.times.shift();
        if (this.times.filter((t) => t > SLOW).length <= LOOKED / 2 || this.coarse === LIMIT) return;
        this.times = [];
        this.coarse++;
        this.apply();
    }

    apply() {
        this.stages.forEach((stage) => stage.setCoarse(this.movers.size ? this.coarse : 0));
    }
}
