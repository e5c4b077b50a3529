// Bundles the page of reports into one file: styles, script and the licences of the libraries inside, nothing to fetch. The
// content security policy admits this script and these styles alone, by their hashes.
// Usage: node build.mjs OUTPUT.html
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

const bundle = async (entry) => {
    const result = await build({
        entryPoints: [entry],
        bundle: true,
        minify: true,
        write: false,
        format: 'iife',
        target: 'es2022',
        legalComments: 'none',
        logLevel: 'error',
    });
    return result.outputFiles[0].text.replaceAll('</script', '<\\/script').trim();
};
const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const script = await bundle('main.js');
const style = await bundle('page.css');
const policy = [
    `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}`,
    "img-src data:; base-uri 'none'; form-action 'none'",
].join('; ');
const licences = ['three', 'uplot'].map(
    (name) => `${name}\n${readFileSync(`node_modules/${name}/LICENSE`, 'utf8').trim()}`,
);

let page = readFileSync('page.html', 'utf8');
const put = (mark, text) => {
    page = page.replace(mark, () => text);
};
put('@POLICY@', policy);
put('@STYLE@', style);
put('@SCRIPT@', script);
put('@LICENCES@', licences.join('\n\n').replaceAll('--', '- -'));
writeFileSync(process.argv[2], page);
