// The page of a run with bonds: each is a stick between the points that run.h5 has, in the colour of its tension, broken ones
// have vanished, and a picked grain lists its own. Usage: node bonds.mjs PAGE.html RUN.h5, beside node_modules.
import { TENSIONS } from './viewer/colours.js';
import { CAMERA, SIZE, pixel, readBonds, readResults } from './results.mjs';
import { check, checkAccess, checkNarrow, end, openPage, readPixels } from './session.mjs';

const NEAR = 8; // of 255: rounding to bytes, tensions of 16 bits, and a middle up to half a pixel beside the pixel that is read

const [html, file] = process.argv.slice(2);
const frames = readBonds(file);
const { page, errors } = await openPage(html);
const last = frames.length - 1;
const most = Math.max(...frames.flat().map(({ tension }) => Math.abs(tension)));
const show = (options) => page.evaluate((o) => window.repose.show(o), options);
const text = () => page.locator('#bonded').textContent();

// The colour of a tension between the ends of the map.
const shade = (tension) => {
    const x = 2 + (2 * tension) / most,
        k = Math.min(Math.floor(x), 3);
    return TENSIONS[k].map((stop, c) => stop + (x - k) * (TENSIONS[k + 1][c] - stop));
};
const middle = ({ from, to }) => from.map((x, c) => (x + to[c]) / 2);

const checkFrame = async (frame) => {
    await show({ frame });
    const pixels = await readPixels(
        page,
        'canvas',
        frames[frame].map((bond) => pixel(middle(bond))),
    );
    frames[frame].forEach((bond, k) => {
        const want = bond.broken ? [0, 0, 0, 0] : [...shade(bond.tension), 255];
        const near = want.every((x, c) => Math.abs(x - pixels[k][c]) <= NEAR);
        check(
            `bond ${k} of frame ${frame}, broken ${bond.broken}: ${pixels[k]}, expected ${want.map(Math.round)}`,
            near,
        );
    });
};

// A click on the picture; the panel lists the bonds of the grain there, those of run.h5 and no others.
const checkPicked = async (frame, body) => {
    const box = await page.locator('#canvas').boundingBox();
    const [x, y] = pixel(body.at);
    await page.mouse.click(box.x + x, box.y + y);
    const own = frames[frame].filter(({ ids }) => ids.includes(body.id));
    const gone = own.filter(({ broken }) => broken).length;
    const title = page.locator('#picked h3', { hasText: /bond/ });
    const wanted = `${own.length} bond${own.length === 1 ? '' : 's'}${gone ? `, ${gone} broken` : ''}`;
    check(`body ${body.id} of frame ${frame} has ${wanted}`, (await title.textContent()) === wanted);
    const told = await title.locator('xpath=following-sibling::ul[1]/li').allTextContents();
    check(`each of its bonds has a line: ${told}`, told.length === own.length);
    own.forEach(({ ids, tension, broken }) => {
        const other = ids.find((id) => id !== body.id);
        const line = told.find((said) => said.startsWith(`body ${other} `)) || '';
        const number = Number(line.match(/tension (\S+) N/)?.[1]);
        // 16 bits between the ends of the tension, which are at most `most` away from zero
        const same = broken ? line.endsWith(' broken') : Math.abs(number - tension) <= most / 30000;
        check(`the bond to body ${other} is told as run.h5 has it: ${line}, tension ${tension}`, same);
    });
};

check('no bond is broken at first', frames[0].length === 3 && frames[0].every(({ broken }) => !broken));
check('one is at last', frames[last].filter(({ broken }) => broken).length === 1);
await page.check('#bonds');
await show({});
check(`bonds are counted: ${await text()}`, (await text()) === '2 bonds, 1 broken: tension [N]');
await checkAccess(page, 'the page of a run with bonds');
await page.evaluate(() => window.scrollTo(0, 0));
await show({ chrome: false, size: SIZE, camera: CAMERA, walls: 'hidden' });
for (let frame = 0; frame <= last; frame++) await checkFrame(frame);
await show({ grains: 'small', frame: 2 });
await checkFrame(2);
const bodies = readResults(file).bodies;
await show({ grains: 'solid', bonds: false, frame: last });
for (const body of bodies[last].filter(({ radius }) => radius > 0)) await checkPicked(last, body);
await page
    .locator('#picked h3', { hasText: /bond/ })
    .locator('xpath=following-sibling::ul[1]//button')
    .first()
    .evaluate((b) => b.click());
check(
    'a bond leads to the body at its other end',
    /^Body \d+$/.test(await page.locator('#picked h3').first().textContent()),
);
await show({ frame: 0, picked: null });
const [gone] = await readPixels(page, 'canvas', [pixel(middle(frames[0][1]))]);
check('they can be hidden', gone[3] === 0 && (await page.locator('#tensions').isHidden()));
await show({ chrome: true, bonds: true, clip: 0, share: 0 });
const [cut] = await readPixels(page, 'canvas', [pixel(middle(frames[0][1]))]);
check('the cut takes them away', cut[3] === 0);
await page.evaluate(() => (document.getElementById('canvas').style.width = ''));
await checkNarrow(page, 'the page of a run with bonds');
check(`no message on the console: ${errors.join('; ')}`, errors.length === 0);
await end();
