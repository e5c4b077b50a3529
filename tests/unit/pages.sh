#!/bin/bash
# The pages of docs/: their commands work, apart from those that take long (tests/long/pages.sh), and links within the tree
# lead to something.
set -u
cd "$(dirname "$0")/../.." || exit 1
tree=$PWD
repose=${REPOSE:-build/repose}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
. tests/check.sh
. tests/pages.sh

for page in "${pages[@]}"; do
    run_page "$page"
    page_misquotes "$page" >"$work/out"
    [ ! -s "$work/out" ]
    check "$page quotes files as they are"
    page_strays "$page" >"$work/out"
    [ ! -s "$work/out" ]
    check "$page has no scene, command or program that nothing tests"
done
[ "$passed" -gt 20 ]
check "the pages have commands"

# Commands that stand elsewhere, in sentences too: they and their options are those of the program, and the files of the tree
# are there. `repose analyse` is of the Python module, whose tests run it.
shown_commands() { # page
    {
        awk '/^```/ { on = !on; skip = /^```console/; next } on ? !skip && /^repose [a-z]/ : /^    repose [a-z]/' "$1"
        awk '/^```/ { on = !on; next } !on' "$1" | tr '\n' ' ' | grep -oE '`repose [a-z]+[^`]*`' | tr -d '`'
    } | sed 's/  *#.*//; s/^ *//; /^repose analyse/d'
}
shown=0
for page in "${pages[@]}"; do
    while read -r line; do
        read -r -a word <<<"$line"
        shown=$((shown + 1))
        "$repose" "${word[1]}" --help >"$work/out" 2>"$work/err"
        check "$page: there is the command: $line"
        for option in $(grep -oE -e ' \[?--?[a-z][a-z-]*' <<<"$line" | tr -d ' ['); do
            grep -qE -e "^ .*$option\b" "$work/out"
            check "$page: it takes $option: $line"
        done
    done < <(shown_commands "$page")
    for file in $(grep -oP '(?<![\w/.-])(scenes|src|include|tests|tools|bench|python|docs)/[A-Za-z0-9_./-]*[A-Za-z0-9_]' "$page" | LC_ALL=C sort -u); do
        [ -e "$file" ] || [ -e "$file.yaml" ] || [[ $file == docs/examples/* && -e $file.c ]]
        check "$page: there is $file"
    done
done
[ "$shown" -gt 50 ]
check "the pages show other commands: $shown"

for page in "${pages[@]}" docs/reference/*.md; do
    for link in $(awk '/^```/ { code = !code; next } !code' "$page" | grep -o ']([^)]*)' | sed 's/^](//; s/)$//; s/#.*//'); do
        case $link in http:* | https:* | *gallery.md) continue ;; esac
        [ -e "$(dirname "$page")/$link" ]
        check "$page: the link $link leads to something"
    done
done

# Messages that docs/troubleshooting.md quotes are those of the program: each part between "..." is in a string of src/.
cat src/*/*.c src/*/*.h | tr '\n' ' ' | sed -E 's/"[ ]*"//g' >"$work/strings"
sed -n 's/^| ``*\([^`].*[^`]\)```* | .*/\1/p; s/^| ``` \(.*\) ``` | .*/\1/p' docs/troubleshooting.md | sed 's/^ //; s/ $//' >"$work/messages"
[ "$(wc -l <"$work/messages")" -gt 35 ]
check "docs/troubleshooting.md quotes messages"
while read -r message; do
    sed 's/`*\.\.\.`*/\n/g' <<<"$message" | sed 's/^ *//; s/ *$//' | grep . >"$work/parts"
    whole=yes
    while read -r part; do grep -qF -- "$part" "$work/strings" || whole=; done <"$work/parts"
    [ "$whole" ]
    check "docs/troubleshooting.md: the program says: $message"
done <"$work/messages"

# Laws that pages for those who come from elsewhere name are there.
grep -ohE '\b(normal|damping|slide|roll|spin): (\{law: )?[a-z_0-9]+' docs/coming-from.md docs/faq.md | sed 's/{law: //' | LC_ALL=C sort -u >"$work/names"
[ "$(wc -l <"$work/names")" -gt 10 ]
check "docs/coming-from.md names laws"
while read -r role law; do
    grep -qF "## ${role%:} \`$law\`" docs/reference/laws.md
    check "docs/coming-from.md: there is the law $role $law"
done <"$work/names"

# The page of theory has an equation for each law and shape of the program.
sed -n 's/^## \([a-z]* `[a-z_0-9]*`\)$/\1/p' docs/reference/laws.md >"$work/names"
[ "$(wc -l <"$work/names")" -gt 25 ]
check "the reference has laws"
while read -r law; do
    grep -qF "$law" docs/theory.md
    check "docs/theory.md has the law $law"
done <"$work/names"
sed -n 's/^## \([a-z_]*\)$/\1/p' docs/reference/shapes.md >"$work/names"
[ "$(wc -l <"$work/names")" -gt 15 ]
check "the reference has shapes"
while read -r shape; do
    grep -qF "| \`$shape\` |" docs/theory.md
    check "docs/theory.md has the shape $shape"
done <"$work/names"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
