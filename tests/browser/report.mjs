// The page of one run: what it draws is where a projection of run.h5 puts it, and its controls work.
// Usage: node report.mjs PAGE.html RUN.h5, beside node_modules. The last line is "N passed, N failed".
import { CAMERA, SIZE, STOPS, openSpheres, pixel, readResults, tint } from './results.mjs';
import { check, checkAccess, checkNarrow, end, openPage, readPixels } from './session.mjs';

const NEAR = 8; // of 255: rounding to bytes, and a centre up to half a pixel beside the pixel that is read
const RANGE = [0.003, 0.007]; // m, of radii
const EGG = 0.0085; // m, above the middle of the ellipsoid: on it, and hidden by nothing
const FLOOR = [0, -0.06, 0]; // a place where nothing else is in sight

const [html, file] = process.argv.slice(2);
const results = readResults(file);
const { page, errors } = await openPage(html);
const canvas = page.locator('#canvas');
const last = results.times.length - 1;
const show = (options) => page.evaluate((o) => window.repose.show(o), options);
const settle = () => show({});
const read = (places) => readPixels(page, 'canvas', places);
const opacity = async (place) => (await read([place]))[0][3];
const text = (id) => page.locator(`#${id}`).textContent();
const near = (a, b) => a.slice(0, 3).every((x, k) => Math.abs(x - b[k]) <= NEAR);

const checkHead = async () => {
    check('all frames are there', (await page.evaluate(() => window.repose.frames)) === results.times.length);
    const times = await page.evaluate(() => window.repose.times);
    check(
        'times are those of run.h5',
        times.every((t, k) => Math.abs(t - results.times[k]) < 1e-9),
    );
    check('the verdict counts the checks', /1 of 1 checks pass/.test(await text('verdict')));
    check('the size is told', /11 frames of 18 bodies/.test(await text('size')));
};

const checkFrame = async (frame) => {
    await show({ frame });
    const spheres = openSpheres(results.bodies[frame]);
    const pixels = await read(spheres.map((body) => pixel(body.at)));
    check(`frame ${frame} has spheres in the open`, spheres.length >= 8);
    spheres.forEach(({ id, radius, at }, k) => {
        const want = tint((radius - RANGE[0]) / (RANGE[1] - RANGE[0]), at);
        const found = `${pixels[k]} at ${pixel(at)}, expected ${want.map(Math.round)}`;
        check(`body ${id} of frame ${frame}: ${found}`, near(pixels[k], want));
    });
    check('the ground is clear', (await opacity([3, 3])) === 0);
};

const checkEllipsoid = async () => {
    // The ellipsoid has no radius of a sphere: the first colour of the map, under some light.
    const egg = results.bodies[last].find(({ radius, kind }) => radius === 0 && kind === 0);
    const [shade] = await read([pixel([egg.at[0], egg.at[1], egg.at[2] + EGG])]);
    const lit = shade[2] / STOPS[0][2];
    check(
        `the ellipsoid is drawn: ${shade}`,
        lit > 0.3 &&
            near(
                shade,
                STOPS[0].map((c) => lit * c),
            ),
    );
};

const checkPicture = async () => {
    await show({ chrome: false, size: SIZE, camera: CAMERA, colour: 'sphere_radius', range: RANGE, walls: 'hidden' });
    await checkFrame(last);
    await checkFrame(0);
    await show({ chrome: true, frame: last });
    await checkEllipsoid();
    await page.evaluate(() => window.scrollTo(0, 0));
};

const press = async ([x, y]) => {
    const box = await canvas.boundingBox();
    await page.mouse.click(box.x + x, box.y + y);
    await settle();
};

const checkPicking = async (body) => {
    const value = page.locator('#picked dt', { hasText: 'sphere radius' }).locator('xpath=following-sibling::dd[1]');
    await press(pixel(body.at));
    check(
        `a click picks body ${body.id}`,
        (await page.locator('#picked h3').first().textContent()) === `Body ${body.id}`,
    );
    const radius = parseFloat(await value.textContent());
    check(`its radius is told: ${radius}`, Math.abs(radius - body.radius) < 1e-6); // of 16 bits between 0 and 6 mm
    check('so is its material', /materialgrain/.test(await text('picked')));
    check('and its contacts', /\d+ contacts?/.test(await text('picked')));
    await press([SIZE[0] - 20, SIZE[1] - 20]);
    check('a click beside lets it go', (await text('picked')) === '');
};

const checkCut = async (spot) => {
    await page.selectOption('#clip', '0');
    await page.locator('#share').evaluate((input) => {
        input.value = 0;
        input.dispatchEvent(new Event('input'));
    });
    await settle();
    check('the cut takes bodies away', (await opacity(spot)) === 0);
    await press(spot);
    check('and what is cut cannot be picked', (await text('picked')) === '');
    await page.selectOption('#clip', '');
    await settle();
    check('without the cut they are back', (await opacity(spot)) === 255);
};

const checkStyle = async (spot) => {
    const [before] = await read([spot]);
    await page.selectOption('#colour', 'mass');
    await settle();
    check('another field has its name and unit', (await text('field')) === 'mass [kg]');
    check('and other colours', !near((await read([spot]))[0], before));
    await page.selectOption('#range', 'frame');
    await settle();
    check('the range of the frame is told', parseFloat(await text('high')) > parseFloat(await text('low')));
    check('walls are hidden', (await opacity(pixel(FLOOR))) === 0);
    await page.selectOption('#walls', 'solid');
    await settle();
    check('walls can be drawn', (await opacity(pixel(FLOOR))) === 255);
    await page.selectOption('#grains', 'hidden');
    await page.selectOption('#walls', 'hidden');
    await settle();
    check('grains can be hidden', (await opacity(spot)) === 0);
};

// Contacts alone are in sight: one of the last frame is yellow to red where it is drawn.
const checkContacts = async () => {
    await page.check('#contacts');
    await settle();
    const many = Array.from({ length: 40000 }, (_, k) => [5 * (k % 200), 3.5 * Math.floor(k / 200)]);
    const drawn = (await read(many)).filter((shade) => shade[3] === 255);
    check(`contacts are drawn: ${drawn.length}`, drawn.length > 0 && drawn.every(([r, g, b]) => r > g && r > b));
    await page.uncheck('#contacts');
    await page.selectOption('#grains', 'solid');
    await settle();
};

const checkTime = async () => {
    await page.focus('#slider');
    await page.keyboard.press('Home');
    await settle();
    check('the slider goes to the first frame', (await text('time')) === 't = 0 s');
    await canvas.focus();
    await page.keyboard.press('ArrowRight');
    await settle();
    check('an arrow goes to the second', (await text('time')) === `t = ${Number(results.times[1].toPrecision(5))} s`);
    await page.keyboard.press('End');
    await settle();
    check('end goes to the last', (await text('time')) === `t = ${Number(results.times[last].toPrecision(5))} s`);
    await page.keyboard.press(' ');
    check('space plays', (await page.locator('#play').getAttribute('aria-label')) === 'Pause');
    await page.waitForFunction((t) => document.getElementById('time').textContent !== t, await text('time'));
    await page.keyboard.press(' ');
    check('and pauses', (await page.locator('#play').getAttribute('aria-label')) === 'Play');
    await settle();
    await page.keyboard.press('4');
    check('keys turn the view', (await opacity(pixel(FLOOR))) !== undefined);
};

const checkZoom = async (id) => {
    const drawn = () => page.evaluate((at) => document.querySelector(`#${at} canvas`).toDataURL(), id);
    await page.locator(`#${id}`).scrollIntoViewIfNeeded();
    await page.waitForSelector(`#${id} canvas`);
    const whole = await drawn();
    const box = await page.locator(`#${id} .u-over`).first().boundingBox();
    await page.mouse.move(box.x + 0.2 * box.width, box.y + 50);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.5 * box.width, box.y + 60, { steps: 3 });
    await page.mouse.up();
    const changed = ([at, old]) => document.querySelector(`#${at} canvas`).toDataURL() !== old;
    const zoomed = await page.waitForFunction(changed, [id, whole], { timeout: 60e3 }).then(
        () => true,
        () => false,
    );
    check(`a drag zooms into #${id}`, zoomed);
};

await checkHead();
await checkPicture();
const target = openSpheres(results.bodies[last]).sort((a, b) => b.radius - a.radius)[0];
await checkPicking(target);
await checkCut(pixel(target.at));
await checkStyle(pixel(target.at));
await checkContacts();
await checkTime();
await checkZoom('curves');
await checkZoom('energies');
check('the energy is told by mechanism', /Damping of impacts/.test(await text('ledger')));
check('the step and its limit are told', /Limited by.*damper/.test(await text('step')));
await checkAccess(page, 'the page of a run');
await page.evaluate(() => (document.getElementById('canvas').style.width = ''));
await checkNarrow(page, 'the page of a run');
check(`no message on the console: ${errors.join('; ')}`, errors.length === 0);
await end();
