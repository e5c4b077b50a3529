// The page of repose report in Chromium: what it draws is where a projection of run.h5 puts it, and its controls work.
// Usage: node report.mjs PAGE.html RUN.h5, beside node_modules. The last line is "N passed, N failed".
import { execFileSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import axe from 'axe-core';
import { chromium } from 'playwright-core';

const [html, results] = process.argv.slice(2);
const NEAR = 8; // of 255: rounding to bytes, and a centre up to half a pixel beside the pixel that is read
const WIDE = 1000,
    HIGH = 700,
    ANGLE = 35;
const EYE = [0, -0.3, 0.12],
    TARGET = [0, 0, 0.01];
let passed = 0,
    failed = 0;
const check = (what, holds) => {
    if (holds) {
        passed++;
        return;
    }
    failed++;
    console.log(`failed: ${what}`);
};

/* --- what run.h5 holds, read by h5dump, and a projection ------------------------------------------------------------ */

const column = (name) => {
    const text = execFileSync('h5dump', ['-y', '-w', '1', '-m', '%.17g', '-d', `/${name}`, results], {
        encoding: 'utf8',
        maxBuffer: 1 << 28,
    });
    return text
        .split('DATA {')[1]
        .split('}')[0]
        .match(/-?\d[\d.e+-]*/g)
        .map(Number);
};
const frames = { rows: column('frames/bodies'), offset: column('frames/body_offset'), time: column('frames/time') };
const bodies = {
    id: column('bodies/id'),
    radius: column('bodies/sphere_radius'),
    position: column('bodies/position'),
    kind: column('bodies/kind'),
};
const grainsOf = (frame) =>
    Array.from({ length: frames.rows[frame] }, (_, k) => frames.offset[frame] + k).map((n) => ({
        id: bodies.id[n],
        radius: bodies.radius[n],
        at: bodies.position.slice(3 * n, 3 * n + 3),
    }));

const minus = (a, b) => a.map((x, k) => x - b[k]);
const dot = (a, b) => a.reduce((sum, x, k) => sum + x * b[k], 0);
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => a.map((x) => x / Math.sqrt(dot(a, a)));
const ahead = unit(minus(TARGET, EYE)),
    right = unit(cross(ahead, [0, 0, 1])),
    up = cross(right, ahead);
const seen = (place) => [dot(minus(place, EYE), right), dot(minus(place, EYE), up), dot(minus(place, EYE), ahead)];
const pixel = (place) => {
    const [x, y, z] = seen(place),
        f = HIGH / 2 / Math.tan((ANGLE * Math.PI) / 360);
    return [WIDE / 2 + (f * x) / z, HIGH / 2 - (f * y) / z];
};
// Grains whose middle no other sphere hides, of those with a radius.
const open = (grains) =>
    grains.filter(
        (g) =>
            g.radius > 0 &&
            grains.every((other) => {
                const ray = unit(minus(g.at, EYE)),
                    along = dot(minus(other.at, EYE), ray);
                const beside = Math.sqrt(Math.max(dot(minus(other.at, EYE), minus(other.at, EYE)) - along * along, 0));
                return (
                    other.id === g.id ||
                    !(other.radius > 0) ||
                    beside > 1.2 * other.radius ||
                    along > dot(minus(g.at, EYE), ray)
                );
            }),
    );
// Viridis of five stops under the light of the page, at a point that faces the eye.
const STOPS = [
    [68, 1, 84],
    [59, 82, 139],
    [33, 145, 140],
    [94, 201, 98],
    [253, 231, 37],
];
const tint = (t, place) => {
    const x = 4 * Math.min(Math.max(t, 0), 1),
        k = Math.min(Math.floor(x), 3),
        [a, b, c] = unit(seen(place)),
        light = unit([0.3, 0.5, 0.8]);
    const lit = 0.35 + 0.65 * Math.max(-a * light[0] - b * light[1] + c * light[2], 0);
    return STOPS[k].map((s, i) => lit * (s + (x - k) * (STOPS[k + 1][i] - s)));
};

/* --- the page ------------------------------------------------------------------------------------------------------- */

// A file of the results shows in a browser that draws by the processor; the sandbox needs rights that a container may not give.
const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM,
    args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
});
const page = await browser.newPage({ viewport: { width: 1200, height: 1000 } });
page.setDefaultTimeout(300e3); // a slow machine is no fault of the page
const errors = [];
page.on('console', (m) => {
    if (['error', 'warning'].includes(m.type()) && !/GPU stall due to ReadPixels/.test(m.text())) errors.push(m.text());
});
page.on('pageerror', (e) => errors.push(e.message));
page.on('request', (r) => {
    if (!r.url().startsWith('file:') && !r.url().startsWith('data:') && !r.url().startsWith('blob:'))
        errors.push(`asks for ${r.url()}`);
});
await page.goto(pathToFileURL(html).href);
await page.evaluate(() => window.repose.ready);

const canvas = page.locator('#canvas');
const show = (options) => page.evaluate((o) => window.repose.show(o), options);
const read = (points) =>
    page.evaluate((at) => {
        const source = document.getElementById('canvas'),
            copy = document.createElement('canvas');
        copy.width = source.width;
        copy.height = source.height;
        const paper = copy.getContext('2d', { willReadFrequently: true });
        paper.drawImage(source, 0, 0);
        return at.map(([x, y]) => [...paper.getImageData(Math.floor(x), Math.floor(y), 1, 1).data]);
    }, points);
const text = (id) => page.locator(`#${id}`).textContent();
const last = frames.rows.length - 1;
const near = (a, b) => a.slice(0, 3).every((x, k) => Math.abs(x - b[k]) <= NEAR);

check('all frames are there', (await page.evaluate(() => window.repose.frames)) === frames.rows.length);
check(
    'times are those of run.h5',
    (await page.evaluate(() => window.repose.times)).every((t, k) => Math.abs(t - frames.time[k]) < 1e-9),
);
check('the verdict counts the checks', /1 of 1 checks pass/.test(await text('verdict')));

const range = [0.003, 0.007],
    camera = { position: EYE, target: TARGET, up: [0, 0, 1], angle: ANGLE };
await show({ chrome: false, size: [WIDE, HIGH], camera, colour: 'sphere_radius', range, walls: 'hidden', frame: last });
for (const frame of [last, 0]) {
    await show({ frame });
    const grains = open(grainsOf(frame)),
        pixels = await read(grains.map((g) => pixel(g.at)));
    check(`frame ${frame} has grains in the open`, grains.length >= 8);
    grains.forEach((g, k) => {
        const want = tint((g.radius - range[0]) / (range[1] - range[0]), g.at);
        check(
            `grain ${g.id} of frame ${frame} at ${pixel(g.at)}: ${pixels[k]}, expected ${want.map(Math.round)}`,
            near(pixels[k], want),
        );
    });
    const [corner] = await read([[3, 3]]);
    check('the ground is clear', corner[3] === 0);
}
const egg = grainsOf(last).find((g, k) => g.radius === 0 && bodies.kind[frames.offset[last] + k] === 0);
check('the ellipsoid is drawn', (await read([pixel(egg.at)]))[0][3] === 255);

/* --- controls ------------------------------------------------------------------------------------------------------- */

const settle = () => page.evaluate(() => window.repose.show());
await show({ chrome: true, frame: last });
await page.evaluate(() => window.scrollTo(0, 0));
const target = open(grainsOf(last)).sort((a, b) => b.radius - a.radius)[0],
    spot = pixel(target.at);
const press = async ([x, y]) => {
    const box = await canvas.boundingBox();
    await page.mouse.click(box.x + x, box.y + y);
    await settle();
};
await press(spot);
const radius = await page
    .locator('#picked dt', { hasText: 'sphere radius' })
    .locator('xpath=following-sibling::dd[1]')
    .textContent();
check(
    `a click picks grain ${target.id}: ${await text('picked')}`,
    (await page.locator('#picked h3').first().textContent()) === `Body ${target.id}`,
);
check(`its radius is told: ${radius}`, Math.abs(parseFloat(radius) - target.radius) < 1e-6);
check('and its contacts', /\d+ contacts?/.test(await text('picked')));
await press([WIDE - 20, HIGH - 20]);
check('a click beside lets it go', (await text('picked')) === '');

await page.selectOption('#clip', '0');
await page.locator('#share').evaluate((e) => {
    e.value = 0;
    e.dispatchEvent(new Event('input'));
});
await settle();
check('the cut takes grains away', (await read([spot]))[0][3] === 0);
await press(spot);
check('and what is cut cannot be picked', (await text('picked')) === '');
await page.selectOption('#clip', '');
await settle();
check('without the cut they are back', (await read([spot]))[0][3] === 255);

const [before] = await read([spot]);
await page.selectOption('#colour', 'mass');
await settle();
check('another field has its name and unit', (await text('field')) === 'mass [kg]');
check('and other colours', !near((await read([spot]))[0], before));
check('walls can be hidden', (await read([pixel([0, -0.06, 0])]))[0][3] === 0);
await page.selectOption('#walls', 'solid');
await settle();
check('walls can be drawn', (await read([pixel([0, -0.06, 0])]))[0][3] === 255);
await page.check('#contacts');
await settle();

await page.focus('#slider');
await page.keyboard.press('Home');
await settle();
check('the slider goes to the first frame', (await text('time')) === 't = 0 s');
await canvas.focus();
await page.keyboard.press('ArrowRight');
await settle();
check('an arrow goes to the second', (await text('time')) === `t = ${Number(frames.time[1].toPrecision(5))} s`);
await page.keyboard.press(' ');
check('space plays', (await page.locator('#play').getAttribute('aria-label')) === 'Pause');
await page.waitForFunction((t) => document.getElementById('time').textContent !== t, await text('time'));
await page.keyboard.press(' ');
check('and pauses', (await page.locator('#play').getAttribute('aria-label')) === 'Play');
await page.keyboard.press('4');

const drawnCurve = (id) =>
    page
        .locator(`#${id} canvas`)
        .first()
        .evaluate((c) => c.toDataURL());
for (const id of ['curves', 'energies']) {
    await page.locator(`#${id}`).scrollIntoViewIfNeeded();
    await page.waitForSelector(`#${id} canvas`);
    const whole = await drawnCurve(id),
        box = await page.locator(`#${id} .u-over`).first().boundingBox();
    await page.mouse.move(box.x + 0.2 * box.width, box.y + 50);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.5 * box.width, box.y + 60, { steps: 3 });
    await page.mouse.up();
    const zoomed = await page
        .waitForFunction(([at, old]) => document.querySelector(`#${at} canvas`).toDataURL() !== old, [id, whole])
        .then(
            () => true,
            () => false,
        );
    check(`a drag zooms into #${id}`, zoomed);
}

/* --- everybody ------------------------------------------------------------------------------------------------------ */

for (const scheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme: scheme });
    const { violations } = await page.evaluate(`(() => { ${axe.source}; return axe.run(); })()`);
    check(
        `axe finds no fault in ${scheme}: ${violations.map((v) => `${v.id} at ${v.nodes.map((n) => n.target).join(', ')}`)}`,
        violations.length === 0,
    );
}
await page.evaluate(() => {
    document.getElementById('canvas').style.width = '';
});
await page.setViewportSize({ width: 375, height: 700 });
const width = () => page.evaluate(() => document.scrollingElement.scrollWidth);
await page.waitForFunction(() => document.scrollingElement.scrollWidth <= 375, null, { timeout: 20e3 }).catch(() => {});
check(`the page fits a telephone of 375 pixels: ${await width()}`, (await width()) <= 375);
check(`no message on the console: ${errors.join('; ')}`, errors.length === 0);
await browser.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
