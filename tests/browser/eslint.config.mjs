// What the scripts of the page and of its test are held to; how they are written is said in .prettierrc.json.
const browser = [
    ...['document', 'window', 'location', 'getComputedStyle', 'requestAnimationFrame', 'setTimeout', 'clearTimeout'],
    ...[
        'ResizeObserver',
        'DecompressionStream',
        'Blob',
        'Response',
        'Option',
        'Node',
        'Event',
        'atob',
        'fetch',
        'performance',
    ],
];
const node = ['process', 'console'];
const globals = Object.fromEntries([...browser, ...node].map((name) => [name, 'readonly']));
const wrong = [
    ...['no-undef', 'no-unused-vars', 'no-shadow', 'no-var', 'eqeqeq', 'no-eval', 'no-implied-eval', 'no-dupe-keys'],
    ...['no-unreachable', 'no-fallthrough', 'no-self-assign', 'no-empty', 'consistent-return', 'require-await'],
];

export default [
    {
        languageOptions: { ecmaVersion: 2024, sourceType: 'module', globals },
        linterOptions: { reportUnusedDisableDirectives: true },
        rules: {
            ...Object.fromEntries(wrong.map((rule) => [rule, 'error'])),
            'prefer-const': ['error', { destructuring: 'all' }],
            'no-restricted-properties': [
                'error',
                { property: 'innerHTML', message: 'text of results is no HTML; use textContent' },
            ],
            'max-len': ['error', { code: 130 }],
            'max-lines-per-function': ['error', 50],
            complexity: ['error', 16],
        },
    },
];
