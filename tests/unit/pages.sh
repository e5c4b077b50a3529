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

# The page of theory has a row for each law, shape, joint and bond law of the program, with an equation and a source. The law `none`
# and what is defined below the table need none; laws `tracked` have a paragraph each.
row() { # name: does its row in docs/theory.md have an equation and, unless it is one of `none`, a source?
    awk -v name="| $1 |" -F' \\| ' '
        index($0, name) == 1 {
            source = $NF
            sub(/ *\|$/, "", source)
            if (/\$/ && (source ~ /[0-9][0-9][0-9][0-9]|definition|below/ || name ~ /none|joint/)) good = 1
        }
        END { exit !good }' docs/theory.md
}
sed -n 's/^## \([a-z]* `[a-z_0-9]*`\)$/\1/p' docs/reference/laws.md >"$work/names"
[ "$(wc -l <"$work/names")" -gt 25 ]
check "the reference has laws"
while read -r law; do
    row "$law" || { [[ $law == *'`tracked`' || $law == *'`none`' ]] && grep -qE "^\*\*$law\*\*.*(\\$|has no)" docs/theory.md; }
    check "docs/theory.md has an equation and a source of the law $law"
done <"$work/names"
sed -n 's/^## \([a-z_]*\)$/`\1`/p' docs/reference/shapes.md >"$work/names"
[ "$(wc -l <"$work/names")" -gt 15 ]
check "the reference has shapes"
sed -n 's/^| `joints\[\].type` | \([^ ]*\) |.*/\1/p' docs/reference/keys.md | sed 's/\\|/\n/g' | sed 's/.*/joint `&`/' >"$work/joints"
[ "$(wc -l <"$work/joints")" -ge 6 ]
check "the reference has joints"
cat "$work/names" "$work/joints" >"$work/rows"
while read -r name; do
    row "$name"
    check "docs/theory.md has an equation and a source of $name"
done <"$work/rows"
for law in $(sed -n 's/^RPS_BOND_LAW(rps_bond_law_\(.*\))/\1/p' src/law/bond_list.inc); do
    grep -qF "bond \`$law\`" docs/theory.md
    check "docs/theory.md has the bond \`$law\`"
done
sed -n 's/^| `run.\(integrator\|stepper\)` | \([^ ]*\) |.*/\2/p' docs/reference/keys.md | sed 's/\\|/\n/g' >"$work/names"
[ "$(wc -l <"$work/names")" -ge 4 ]
check "the reference has steppers"
while read -r stepper; do
    grep -qiE "^## The $stepper stepper|\`integrator: $stepper\`" docs/theory.md
    check "docs/theory.md has the stepper $stepper"
done <"$work/names"

# Each value of docs/materials.md says what kind it is and which source it has.
awk -F' *\\| *' '
    /^\| material \|/ || /^\| pair \|/ { on = 1; next }
    !/^\|/ { on = 0 }
    on && !/^\|--/ { n++; if ($6 !~ /^(class|measured|nominal|fitted)$/ || $7 !~ /[0-9][0-9][0-9][0-9]/) { print; bad = 1 } }
    END { exit bad || n < 25 }' docs/materials.md >"$work/out" 2>"$work/err"
check "docs/materials.md says of each value its kind and its source"

# A key of the scene language is shown or explained beside its row in the reference: its name stands in code of some page.
for page in "${pages[@]}"; do
    awk '/^```/ { on = !on; next } on' "$page"
    awk '/^```/ { on = !on; next } !on' "$page" | tr '\n' ' ' | grep -oE '`[^`]+`'
done >"$work/code"
sed -n 's/^| `\([^` ]*\)` .*/\1/p' docs/reference/keys.md | sed 's/\[\]//g; s/\.\*$//; s/.*\.//' | LC_ALL=C sort -u >"$work/names"
[ "$(wc -l <"$work/names")" -gt 200 ]
check "the reference has keys"
while read -r key; do
    grep -qwF -- "$key" "$work/code"
    check "a page shows the key $key"
done <"$work/names"

# Who is cited on a page, in a law or in a scene is among the sources, and the other way round. By first author and year, ö as oe.
by_author='s/ö/oe/g; s/ä/ae/g; s/ü/ue/g; s/é/e/g'
name="(?:(?:van|de|den|do|De|Di) )*\p{Lu}[\p{L}'-]+"
first='s/^(((van|de|den|do|De|Di) )*[^ ,]+).*(....)$/\1 \4/'
cited=()
for page in "${pages[@]}" docs/reference/*.md scenes/*/*.yaml; do [ "$page" = docs/sources.md ] || cited+=("$page"); done
cat "${cited[@]}" | tr '\n' ' ' | sed 's/  */ /g; s/ # / /g' | sed "$by_author" >"$work/text"
grep -oP "$name(?:(?:, $name)*,? (?:&|and) $name| et al\.)?,? \(?(?:1[89]|20)\d\d\b" "$work/text" | sed -E "$first" |
    grep -vxE 'YADE 2023|About 2000|Xiv 1909' | LC_ALL=C sort -u >"$work/cited"
[ "$(wc -l <"$work/cited")" -gt 70 ]
check "the pages cite"
sed -n 's/^- \*\*\(.*\)\*\*:.*/\1/p' docs/sources.md | sed "$by_author" >"$work/names"
sed -E "$first" "$work/names" >"$work/sources"
while read -r who; do
    grep -qxF "$who" "$work/sources"
    check "docs/sources.md has $who"
done <"$work/cited"
while read -r whole <&3 && read -r who <&4; do
    grep -qxF "$who" "$work/cited" || grep -qF "$whole" "$work/text"
    check "docs/sources.md has $whole, which something cites"
done 3<"$work/names" 4<"$work/sources"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
