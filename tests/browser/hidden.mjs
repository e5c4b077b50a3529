// Grains that others hide are left out of pictures: a picture has the same pixels with all of them, from any camera, behind a
// cut and with small grains. The reckoning is exact (viewer/hidden.js), so that no pixel may differ.
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
const { page, errors } = await openPage(`${html}`);

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
            { figure } = stage,
            { balls, sphere, sphereValue } = shown,
            seen = new Set(stage.setSpheres(shown)),
            number = new Map(balls.map((row, n) => [row, n])),
            order = [...seen, ...balls.filter((row) => !seen.has(row))].map((row) => number.get(row));
        stage.figure = null; // the page draws all of them
        stage.setSpheres({
            balls,
            sphere: Float32Array.from(order.flatMap((n) => [...sphere.subarray(4 * n, 4 * n + 4)])),
            sphereValue: Float32Array.from(order, (n) => sphereValue[n]),
        });
        stage.figure = figure;
        stage.draw();
        const after = pixels();
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
check(`no message on the console: ${errors.join('; ')}`, errors.length === 0);
await end();
