# Runs the commands that the pages of docs/ show, each page in a folder of its own. In a page
#   ```console       is a dialogue: lines that begin with "$ " are commands, which must succeed, in their order
#   ```console long  is one that takes more than a second or two; it is run where LONG is set
#   a block whose first line is "# file: NAME" is a file that the commands use
# Needs $repose, $work and tests/check.sh.
page_files() { # page folder
    awk -v folder="$2" '
        /^```/ { if (name) close(name); inside = !inside; first = inside; name = ""; next }
        inside && first { first = 0; if ($0 ~ /^# file: /) { name = folder "/" substr($0, 9); next } }
        name { print >name }' "$1"
}

page_commands() { # page
    awk -v long="${LONG:-}" '
        /^```/ { on = !on && ($0 == "```console" || ($0 == "```console long" && long)); next }
        on && /^\$ / { print substr($0, 3) }' "$1"
}

run_page() { # page
    local folder line
    folder=$work/page-$(basename "$1" .md)
    mkdir -p "$folder" "$work/bin"
    ln -sf "$(realpath "$repose")" "$work/bin/repose"
    page_files "$1" "$folder"
    while read -r line; do
        (cd "$folder" && PATH=$work/bin:$PATH REPOSE_TREE=$tree bash -c "$line") </dev/null >"$work/out" 2>"$work/err"
        check "$1: $line"
    done < <(page_commands "$1")
}
