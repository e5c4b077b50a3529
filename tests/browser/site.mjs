// The site of the documentation, opened from files: every page at the width of a screen and of a telephone, its equations and
// pictures, and a search.
// Usage: node site.mjs FOLDER, the folder of index.html.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import axe from 'axe-core';
import { check, end, openAddress } from './session.mjs';

const [folder] = process.argv.slice(2);
const names = readdirSync(folder, { recursive: true }).filter(
    (name) => name.endsWith('.html') && !/^(genindex|_)/.test(name),
);
check(`the site has pages: ${names.length}`, names.length > 40);

const here = pathToFileURL(folder).href;
const { page, errors } = await openAddress(here + '/index.html');
const elsewhere = []; // requests that leave the folder; those within it are what a page is made of
page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith('data:') && !url.startsWith(here)) elsewhere.push(url);
});
let equations = 0;
for (const name of names) {
    errors.length = 0;
    await page.setViewportSize({ width: 1200, height: 900 });
    await page.goto(pathToFileURL(join(folder, name)).href);
    const found = await page.evaluate(async () => {
        const pictures = [...document.images];
        pictures.forEach((picture) => (picture.loading = 'eager'));
        await Promise.all(pictures.map((picture) => picture.decode().catch(() => null)));
        const places = [...document.querySelectorAll('.equation')];
        return {
            places: places.length,
            plain: places.filter((place) => !place.querySelector('.katex')).map((place) => place.textContent),
            wrong: [...document.querySelectorAll('.katex-error')].map((place) => place.title),
            raw: /\$\$|\\(frac|mathbf|lvert)/.test(
                [...document.querySelectorAll('article :is(p, li, td)')]
                    .filter((part) => !part.querySelector('.katex, code, pre'))
                    .map((part) => part.textContent)
                    .join(' '),
            ),
            missing: pictures.filter((picture) => picture.naturalWidth === 0).map((picture) => picture.src),
        };
    });
    equations += found.places;
    check(`${name}: equations are typeset: ${found.plain}`, found.plain.length === 0);
    check(`${name}: none is wrong: ${found.wrong}`, found.wrong.length === 0);
    check(`${name}: none is left as it was written`, !found.raw);
    check(`${name}: its pictures are there: ${found.missing}`, found.missing.length === 0);
    await page.setViewportSize({ width: 375, height: 700 });
    const wide = await page.evaluate(() => document.scrollingElement.scrollWidth);
    check(`${name} fits a telephone of 375 pixels: ${wide}`, wide <= 375);
    const said = errors.filter((error) => !error.startsWith('asks for'));
    check(`${name}: no message on the console: ${said}`, said.length === 0);
}
check(`the site has equations: ${equations}`, equations > 150);
check(`nothing comes from elsewhere: ${elsewhere}`, elsewhere.length === 0);

await page.setViewportSize({ width: 1200, height: 900 });
for (const [words, result] of [
    ['hopper', 'tutorials/hopper.html'],
    ['restitution', 'materials.html'],
    ['superquadric', 'theory.html'],
]) {
    await page.goto(`${here}/index.html`);
    await page.locator('input[name=q]').first().fill(words);
    await page.keyboard.press('Enter');
    await page.waitForURL(/search\.html/);
    const link = page.locator(`#search-results a[href^="${result}"]`).first();
    const shown = await link.waitFor({ timeout: 60e3 }).then(
        () => true,
        () => false,
    );
    check(`a search for ${words} finds ${result}`, shown);
}
for (const name of ['start.html', 'tutorials/heap.html', 'theory.html', 'materials.html']) {
    await page.goto(`${here}/${name}`);
    // What the theme puts around the text is its own.
    const { violations } = await page.evaluate(`(() => { ${axe.source}; return axe.run('article'); })()`);
    const faults = violations.map((v) => `${v.id} at ${v.nodes.map((n) => n.target).join(', ')}`).join('; ');
    check(`axe finds no fault in the text of ${name}: ${faults}`, violations.length === 0);
}
await end();
