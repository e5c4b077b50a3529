// Grains that others hide are left out of pictures: a picture has the same pixels with all of them, from any camera, behind a
// cut and with small grains. The reckoning is exact (viewer/hidden.js), so that no pixel may differ. The page does the same while
// frames play or a view turns, if drawing is slow (viewer/pace.js).
// Usage: node hidden.mjs PAGE.html. The last line is "N passed, N failed".
import { check, end, openPage } from './session.mjs';

const WIDTH = 640,
    HEIGHT = 480;
const FIGURE = {
    size: [WIDTH, HEIGHT],
    width: WIDTH,
    letter: 14,
    bar: false,
    text: false,
    held: false,
    component: -1,
    load: 0,
    loads: false,
    label: '',
    unit: '',
    tips: [false, false],
    cut: [0, 0, 0, 0],
    depth: [-0.07, 0.07], // m, of the grains about the middle
};
const looks = {
    'a corner': {},
    'the side': { position: [0, -0.3, 0] },
    'far away': { position: [3, -4, 2] },
    'beside the grains': { position: [0.052, -0.01, 0.01], target: [-0.03, 0.01, 0] },
    'among the grains': { position: [0.01, 0.013, 0.002], target: [-0.03, -0.03, 0] },
    'the side, with a cut': { position: [0, -0.3, 0], cut: [0, -1, 0, 0.011] },
    'a corner, with small grains': { grains: 'small' },
};

const [html] = process.argv.slice(2);
let { page, errors } = await openPage(html);

// Shows a picture, once as it is and once with all grains, the hidden ones last: where two grains cut each other, a point can be
// as far away on both, and the one that is drawn later is seen. Tells how many were drawn each time, how many bytes differ, and
// how many are not of the white ground.
const compare = (options) =>
    page.evaluate(async (given) => {
        await window.repose.show(given);
        const { stage, shown } = window.repose.views[0];
        const count = () => stage.spheres.geometry.index.count / 6;
        const pixels = () => {
            const copy = document.createElement('canvas');
            copy.width = stage.canvas.width;
            copy.height = stage.canvas.height;
            const paper = copy.getContext('2d');
            paper.drawImage(stage.canvas, 0, 0);
            return paper.getImageData(0, 0, copy.width, copy.height).data;
        };
        const few = count(),
            before = pixels(),
            { figure, coarse } = stage,
            { balls, sphere, sphereValue } = shown,
            seen = new Set(stage.setSpheres(shown)),
            number = new Map(balls.map((row, n) => [row, n])),
            order = [...seen, ...balls.filter((row) => !seen.has(row))].map((row) => number.get(row));
        stage.figure = null; // the page draws all of them
        stage.coarse = 0;
        stage.setSpheres({
            balls,
            sphere: Float32Array.from(order.flatMap((n) => [...sphere.subarray(4 * n, 4 * n + 4)])),
            sphereValue: Float32Array.from(order, (n) => sphereValue[n]),
        });
        stage.figure = figure;
        stage.draw();
        const after = pixels();
        stage.coarse = coarse;
        return {
            few,
            all: count(),
            different: before.filter((x, n) => x !== after[n]).length,
            inked: before.filter((x) => x !== 255).length,
        };
    }, options);

for (const [
    name,
    { position = [0.2, -0.25, 0.15], target = [0, 0, 0], cut = FIGURE.cut, grains = 'solid' },
] of Object.entries(looks)) {
    const camera = { position, target, up: [0, 0, 1], angle: 25 };
    const figure = { ...FIGURE, cut };
    const found = await compare({
        chrome: false,
        frame: 0,
        size: [WIDTH, HEIGHT],
        walls: 'auto',
        colour: 'radius',
        camera,
        figure,
        grains,
    });
    const told = JSON.stringify(found);
    check(`${name}: no pixel is another without the hidden grains: ${told}`, found.different === 0);
    check(`${name}: there are grains to be seen: ${told}`, found.inked > 1000);
    const half = grains === 'small' ? found.all : found.all / 2;
    check(`${name}: many are left out: ${told}`, found.few < half);
}

// The page: first as it stands, then with a camera that the reader has turned since the frame was set.
check(`no message on the console: ${errors.join('; ')}`, errors.length === 0);
({ page, errors } = await openPage(html));
for (const turned of [false, true]) {
    const what = turned ? 'the page, turned' : 'the page';
    const share = await page.evaluate((turns) => {
        const { stage } = window.repose.views[0];
        stage.setCoarse(1);
        if (turns) stage.look([0.3, 1, 0.2]);
        return stage.spheres.geometry.index.count / 6 / window.repose.views[0].shown.balls.length;
    }, turned);
    const found = await compare({ colour: 'radius' });
    check(`${what}: no pixel is another without the hidden grains: ${JSON.stringify(found)}`, found.different === 0);
    check(`${what}: many are left out: ${share}`, share < 0.5 && found.few < found.all / 2);
}

// The pace: two slow pictures of three make the page draw less while something moves, and half the points each way at most; at
// rest it draws all.
const paced = await page.evaluate(async () => {
    const { pace, views } = window.repose,
        { stage } = views[0];
    stage.setCoarse(0);
    const read = () => [stage.coarse, stage.canvas.width];
    const out = { rest: read() };
    [50, 500, 50, 50, 500, 50].forEach((time) => pace.took(time));
    out.quick = pace.coarse;
    pace.moves('frames', true);
    const after = (times) => {
        for (let k = 0; k < times; k++) pace.took(500);
        return read();
    };
    out.first = after(2);
    out.second = after(2);
    out.last = after(10);
    pace.moves('frames', false);
    out.stopped = read();
    await new Promise((done) => setTimeout(done, 1000));
    return { ...out, after: read(), all: stage.spheres.geometry.index.count / 6 === views[0].shown.balls.length };
});
const wide = paced.rest[1],
    toldPace = JSON.stringify(paced);
check(`single slow pictures change nothing: ${toldPace}`, paced.rest[0] === 0 && paced.quick === 0);
check(`two drop what is hidden: ${toldPace}`, paced.first[0] === 1 && paced.first[1] === wide);
check(`four halve the width: ${toldPace}`, paced.second[0] === 2 && Math.abs(paced.second[1] - wide / 2) <= 1);
check(`more do nothing: ${toldPace}`, paced.last.join() === paced.second.join());
check(
    `at rest all is drawn: ${toldPace}`,
    paced.stopped[0] === 2 && paced.after.join() === paced.rest.join() && paced.all,
);
check(`no message on the console: ${errors.join('; ')}`, errors.length === 0);
await end();
