// Pages of several runs, of sweeps, of a run that does not fit its page, and of results that are not whole.
// Usage: node others.mjs FOLDER, with the pages several, sweeps, small, unfinished, torn, empty, cut
// and those of `expected` below (.html) in it.
import { check, checkAccess, checkNarrow, end, openPage } from './session.mjs';

const [folder] = process.argv.slice(2);
const text = (page, id) => page.locator(`#${id}`).textContent();
const quiet = (what, errors) =>
    check(`no message of ${what} on the console: ${errors.join('; ')}`, errors.length === 0);

const several = async () => {
    const { page, errors } = await openPage(`${folder}/several.html`);
    check('two runs have two views', (await page.locator('.view').count()) === 2);
    check(
        'with the names of their folders',
        /run/.test(await text(page, 'views')) && /low/.test(await text(page, 'views')),
    );
    check('nothing is loading', await page.locator('#loading').isHidden());
    await page.evaluate(() => window.repose.show({ frame: 3, picked: null }));
    const times = await page.locator('.time').allTextContents();
    check(`they show one time: ${times}`, times.length === 2 && times[0] === times[1]);
    await page.getByRole('button', { name: 'Top' }).click();
    const different = await page.locator('#pairs tr.different').allTextContents();
    check(
        'the parameters that differ are marked',
        different.length === 2 && different.every((row) => /0\.4.*0\.1/.test(row)),
    );
    check('curves name both runs', /run.*low/.test(await page.locator('#curves .u-legend').first().textContent()));
    await checkAccess(page, 'the page of two runs');
    await checkNarrow(page, 'the page of two runs');
    quiet('two runs', errors);
};

const sweeps = async () => {
    const { page, errors } = await openPage(`${folder}/sweeps.html`);
    const cells = await page.locator('#sweeps .map tbody td').allTextContents();
    check(`a sweep over two keys is a map: ${cells}`, cells.length === 4 && cells.every((cell) => Number(cell) > 0));
    await page.locator('#sweeps .uplot').first().waitFor(); // drawn once its place has a width
    check('a sweep over one key is a curve', (await page.locator('#sweeps .uplot').count()) === 1);
    check('its points are listed', (await page.locator('#points tbody tr').count()) === 2);
    check('there is no view', await page.locator('#views').isHidden());
    await checkAccess(page, 'the page of sweeps');
    await checkNarrow(page, 'the page of sweeps');
    quiet('sweeps', errors);
};

const messages = async () => {
    const expected = {
        small: /Of the 11 frames one in 2 is shown/,
        unfinished: /There is no summary.json/,
        torn: /The summary of the results is damaged/,
        empty: /There is no run.h5.*nothing to draw/s,
        short: /series.csv is damaged: 1 row cut off/,
        zeroed: /series.csv is damaged: [12] rows? cut off/,
        words: /words in place of numbers in 3 rows/,
        odd: /A check cannot be shown.*A pair cannot be shown/s,
        going: /1 row is cut off.*There is no sweep.json/s,
        lost: /There is no sweep.csv/,
        spoilt: /up to 1 of the bodies are not shown.*`velocity` holds values that are not finite/s,
        stray: /up to 1 of the bodies are not shown/,
    };
    for (const [name, sentence] of Object.entries(expected)) {
        const { page, errors } = await openPage(`${folder}/${name}.html`);
        check(
            `${name}.html says ${sentence}: ${await text(page, 'message')}`,
            sentence.test(await text(page, 'message')),
        );
        const shown = ['going', 'lost', 'empty'].includes(name) ? '#views' : '#loading';
        check(`${name}.html shows the rest`, await page.locator(shown).isHidden());
        if (name === 'stray') {
            const size = await page.evaluate(() => window.repose.views[0].stage.size);
            check(`its view is as large as the other grains: ${size} m`, size > 0.1 && size < 0.2); // their box: 0.16 m
        }
        quiet(`${name}.html`, errors);
        await page.close();
    }
};

const going = async () => {
    const { page } = await openPage(`${folder}/going.html`);
    const cells = await page.locator('#sweeps .map tbody td').allTextContents();
    check(
        `a sweep that has not ended has a map with gaps: ${cells}`,
        cells.filter((cell) => cell === '–').length === 1,
    );
    check('and says how far it is', /: 3 of 4 points$/.test(await page.locator('#sweeps .count').textContent()));
};

// The script stands behind the data, so that a file that was cut off has none.
const cut = async () => {
    const { page, errors } = await openPage(`${folder}/cut.html`);
    check('a page that was cut off says so', await page.locator('#loading', { hasText: 'not whole' }).isVisible());
    quiet('cut.html', errors);
};

await several();
await sweeps();
await messages();
await going();
await cut();
await end();
