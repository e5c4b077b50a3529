// The page of `repose view` for a sweep that goes on, in Chromium: the map fills as rows are written, and the page says when
// the sweep has ended. Usage: node live_sweep.mjs URL PART WHOLE, beside node_modules: the folder that the page shows, with two
// rows of four, and that of the whole sweep. The last line is "N passed, N failed".
import { appendFileSync, copyFileSync, readFileSync } from 'node:fs';
import { check, checkAccess, end, openAddress } from './session.mjs';

const [url, part, whole] = process.argv.slice(2);
const { page, errors } = await openAddress(url);
const rows = readFileSync(`${whole}/sweep.csv`, 'utf8').split('\n');
const filled = async () => {
    const cells = await page.locator('#sweeps .map tbody td').allTextContents();
    return cells.filter((cell) => Number(cell) > 0).length;
};
const told = (id, words) =>
    page.waitForFunction(([at, w]) => document.querySelector(at)?.textContent.includes(w), [id, words]);

await told('#run-bar [role=status]', 'The sweep goes on.');
await told('#sweeps .count', '2 of 4 points');
check('the map has the rows so far', (await filled()) === 2);
check(
    'there is no view of grains',
    (await page.locator('#controls').isHidden()) && (await page.locator('.view').count()) === 0,
);
await checkAccess(page, 'the page of a sweep that goes on');
appendFileSync(`${part}/sweep.csv`, `${rows[3]}\n`);
await told('#sweeps .count', '3 of 4 points');
check('it fills', (await filled()) === 3);
check('so does the table', (await page.locator('#points tbody tr').count()) === 3);
appendFileSync(`${part}/sweep.csv`, `${rows[4]}\n`);
copyFileSync(`${whole}/sweep.json`, `${part}/sweep.json`);
await told('#run-bar [role=status]', 'The sweep has ended.');
check(
    'it is whole at the end',
    (await filled()) === 4 && (await page.locator('#sweeps .count').textContent()) === '4 points',
);
check(`no message on the console: ${errors.join('; ')}`, errors.length === 0);
await end();
