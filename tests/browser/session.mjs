// A browser, pages whose messages are kept, and the count of checks.
import { pathToFileURL } from 'node:url';
import axe from 'axe-core';
import { chromium } from 'playwright-core';

const PATIENCE = 200e3; // ms: a slow machine is no fault of the page, and tools/run_tests waits longer
const counts = { passed: 0, failed: 0 };

export const check = (what, holds) => {
    counts[holds ? 'passed' : 'failed']++;
    if (!holds) console.log(`failed: ${what}`);
};

// Pictures are drawn by the processor; the sandbox of the browser needs rights that a container may not give.
const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM,
    args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
    timeout: PATIENCE,
});

// Opens an address; `errors` gets what the page writes to the console and what it asks others for.
export const openAddress = async (address, { width = 1200, height = 1000 } = {}) => {
    const page = await browser.newPage({ viewport: { width, height } });
    const errors = [];
    page.setDefaultTimeout(PATIENCE);
    page.on('console', (message) => {
        const wrong = ['error', 'warning'].includes(message.type());
        if (wrong && !/GPU stall due to ReadPixels/.test(message.text())) errors.push(message.text());
    });
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('request', (request) => {
        const own = request.url().startsWith(address) || /^(data|blob):/.test(request.url());
        if (!own) errors.push(`asks for ${request.url()}`);
    });
    await page.goto(address);
    await page.evaluate(() => window.repose?.ready);
    return { page, errors };
};

// The same of a file.
export const openPage = (file, size) => openAddress(pathToFileURL(file).href, size);

// Pixels of the canvas with an id: red, green, blue and opacity of each.
export const readPixels = (page, id, points) =>
    page.evaluate(
        ([canvas, at]) => {
            const source = document.getElementById(canvas);
            const copy = document.createElement('canvas');
            copy.width = source.width;
            copy.height = source.height;
            const paper = copy.getContext('2d', { willReadFrequently: true });
            paper.drawImage(source, 0, 0);
            return at.map(([x, y]) => [...paper.getImageData(Math.floor(x), Math.floor(y), 1, 1).data]);
        },
        [id, points],
    );

export const checkAccess = async (page, what) => {
    for (const scheme of ['light', 'dark']) {
        await page.emulateMedia({ colorScheme: scheme });
        const { violations } = await page.evaluate(`(() => { ${axe.source}; return axe.run(); })()`);
        const faults = violations.map((v) => `${v.id} at ${v.nodes.map((n) => n.target).join(', ')}`).join('; ');
        check(`axe finds no fault in ${what}, ${scheme}: ${faults}`, violations.length === 0);
    }
};

// A telephone has 375 pixels.
export const checkNarrow = async (page, what) => {
    await page.setViewportSize({ width: 375, height: 700 });
    const fits = () => document.scrollingElement.scrollWidth <= 375;
    const narrow = await page.waitForFunction(fits, null, { timeout: 60e3 }).then(
        () => true,
        () => false,
    );
    const wide = await page.evaluate(() => document.scrollingElement.scrollWidth);
    check(`${what} fits a telephone of 375 pixels: ${wide}`, narrow);
};

export const end = async () => {
    await browser.close();
    console.log(`${counts.passed} passed, ${counts.failed} failed`);
    process.exit(counts.failed ? 1 : 0);
};
