// The page of a run that goes on, in Chromium: frames come as the run writes them, and the page pauses, steps and stops the
// run. Usage: node live.mjs URL RESULTS, beside node_modules. The last line is "N passed, N failed".
import { existsSync, readFileSync } from 'node:fs';
import axe from 'axe-core';
import { chromium } from 'playwright-core';

const [url, results] = process.argv.slice(2);
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

// As in report.mjs.
const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM,
    args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
});
const page = await browser.newPage({ viewport: { width: 600, height: 500 } });
// Long, for a slow machine is no fault of the page; shorter than tools/run_tests waits, so that the place is told.
page.setDefaultTimeout(200e3);
const errors = [];
page.on('console', (m) => {
    if (['error', 'warning'].includes(m.type()) && !/GPU stall due to ReadPixels/.test(m.text())) errors.push(m.text());
});
page.on('pageerror', (e) => errors.push(e.message));
page.on('request', (r) => {
    if (!r.url().startsWith(url) && !r.url().startsWith('data:') && !r.url().startsWith('blob:'))
        errors.push(`asks for ${r.url()}`);
});
page.on('dialog', (dialog) => dialog.accept());
await page.goto(url);
await page.evaluate(() => window.repose.ready);

const button = (name) => page.getByRole('button', { name, exact: true });
const frames = () => page.evaluate(() => window.repose.frames);
const told = () => page.locator('#run-bar [role=status]').textContent();
const tells = (words) =>
    page.waitForFunction((w) => document.querySelector('#run-bar [role=status]').textContent.includes(w), words);
const more = (count) => page.waitForFunction((n) => window.repose.frames > n, count);

const first = await frames();
await more(first);
check('frames come while the run goes on', (await frames()) > first);
check('the last one is shown', await page.locator('#slider').evaluate((e) => Number(e.value) > 0));
await page.waitForSelector('#curves canvas');
check('curves are drawn', (await page.locator('#curves canvas').count()) > 0);

await button('Pause the run').click();
await tells('paused');
await page.waitForTimeout(1500); // what was written before the pause is read by then
const paused = await frames();
await page.waitForTimeout(1500);
check('a paused run writes no frame', (await frames()) === paused);
check(`its time is told: ${await told()}`, /t = [\d.e-]+ of [\d.e]+ s/.test(await told()));
check('it cannot be paused twice', await button('Pause the run').isDisabled());
const { violations } = await page.evaluate(`(() => { ${axe.source}; return axe.run(); })()`);
check(
    `axe finds no fault: ${violations.map((v) => `${v.id} at ${v.nodes.map((n) => n.target).join(', ')}`)}`,
    violations.length === 0,
);

await button('Next frame of the run').click();
await more(paused);
await tells('paused');
check('a step is one frame', (await frames()) === paused + 1);
await page.waitForFunction((n) => Number(document.getElementById('slider').value) === n, paused);
check('which is shown', (await page.locator('#time').textContent()).startsWith('t = '));
const drawn = await page.locator('#canvas').evaluate((source) => {
    const copy = document.createElement('canvas');
    copy.width = source.width;
    copy.height = source.height;
    const paper = copy.getContext('2d');
    paper.drawImage(source, 0, 0);
    return paper
        .getImageData(0, 0, copy.width, copy.height)
        .data.filter((_, k) => k % 4 === 3)
        .some((alpha) => alpha === 255);
});
check('the picture is not blank', drawn);

await button('Go on').click();
await tells('goes on');
await more(paused + 3);
await button('Stop the run').click();
await tells('has ended');
check('the run has written its summary', existsSync(`${results}/summary.json`));
check('which says that it was stopped', JSON.parse(readFileSync(`${results}/summary.json`)).end === 'stopped');
check('as the page does', /Stopped before its end/.test(await page.locator('#verdict').textContent()));
check('an ended run takes no commands', !(await button('Pause the run').isVisible()));
check(`no message on the console: ${errors.join('; ')}`, errors.length === 0);
await browser.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
