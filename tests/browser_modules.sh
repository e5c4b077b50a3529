# The driver of the browser, axe, eslint and prettier, as tests/browser/package-lock.json has them, and what they look at. Needs $modules,
# the folder for them; suites that run at the same time wait for each other.
browser_modules() (
    mkdir -p "$modules/viewer" && cp tests/browser/*.mjs tests/browser/*.json tests/browser/.prettierrc.json "$modules" &&
        cp viewer/*.js viewer/*.mjs "$modules/viewer" && cd "$modules" || exit
    flock 9
    cmp -s package-lock.json installed.json && exit
    npm ci --silent --no-audit --no-fund --fetch-retries=1 --fetch-timeout=30000 && cp package-lock.json installed.json
) 9>"$modules.lock"
