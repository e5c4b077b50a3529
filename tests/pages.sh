# Runs the commands that the pages of docs/ show, each page in a folder of its own, and checks what they quote. In a page
#   ```console       is a dialogue: lines that begin with "$ " are commands, which must succeed, in their order
#   ```console long  is one that takes more than a second or two; it is run where LONG is set
#   ```console view  is one that prints an address and waits for a reader; it is stopped as by Ctrl-C as soon as it has
#   # file: NAME     as the first line of a block makes it a file that the commands use
#   # from: PATH     as the first line of a block makes it a quotation: all its lines are in this file of the tree, in their order
#   <!-- from: PATH -->   before a block does the same
#   <!-- scene: NAME -->  before a block makes it a part of a scene, NAME.part.yaml, which tests/pages/NAME.yaml includes and which runs
#   <!-- number: VALUE within TOLERANCE: COMMAND -->   says which command gives a number of the text, where LONG is set
# Needs $repose, $work, $tree and tests/check.sh.
pages=(README.md docs/*.md docs/tutorials/*.md)

page_files() { # page folder
    awk -v folder="$2" '
        /^<!-- scene: / { part = folder "/" $3 ".part.yaml" }
        /^```/ { if (name) close(name); inside = !inside; first = inside; name = part; part = ""; next }
        inside && first { first = 0; if ($0 ~ /^# file: /) { name = folder "/" substr($0, 9); next } }
        name { print >name }' "$1"
}

page_commands() { # page
    awk -v long="${LONG:-}" '
        /^```/ { on = !on && ($0 == "```console" || ($0 == "```console long" && long)); next }
        on && /^\$ / { print substr($0, 3) }' "$1"
}

# Prints the lines of quotations that are not in the files they are from.
page_misquotes() { # page
    awk '
        function missing() { print FILENAME ":" FNR ": not in " from ": " $0 }
        /^<!-- from: / { said = $3 }
        /^```/ { inside = !inside; first = inside; if (from) close(from); from = said; said = ""; next }
        inside && first { first = 0; if ($0 ~ /^# from: /) { from = substr($0, 9); next } }
        from && NF {
            while ((more = (getline line <from)) > 0) if (line == $0) next
            missing()
        }' "$1"
}

# For numbers: a column of DIR/series.csv, reduced (final, min, max or mean) over a time; a cell of a table; a formula.
series() { # DIR COLUMN REDUCTION [FROM TO]
    awk -F, -v column="$2" -v how="$3" -v from="${4:--1}" -v to="${5:-1e30}" '
        NR == 1 { for (i = 1; i <= NF; i++) { name = $i; sub(/ \[.*/, "", name); if (name == column) c = i } next }
        $c != "" && $1 >= from && $1 <= to { x = $c; sum += x; n++; if (n == 1 || x > most) most = x; if (n == 1 || x < least) least = x }
        END { if (!c || !n) exit 1; print how == "final" ? x : how == "max" ? most : how == "min" ? least : sum / n }' "$1/series.csv"
}
cell() { # FILE COLUMN ROW
    awk -F, -v c="$2" -v r="$3" 'NR == r + 1 { print $c }' "$1"
}
calc() { # FORMULA: of awk, with pi and deg
    awk "BEGIN { pi = atan2(0, -1); deg = 180 / pi; print $1 }"
}
export -f series cell calc

check_numbers() { # page folder
    local line value tolerance command found
    while read -r line; do
        value=${line#*number: } && value=${value%% within *}
        tolerance=${line#* within } && tolerance=${tolerance%%: *}
        command=${line#* within *: } && command=${command% -->}
        sed '/<!--/d' "$1" | grep -qF -- "$value"
        check "$1: $value is in the text"
        found=$(cd "$2" && bash -c "$command" 2>&1)
        awk -v a="$value" -v b="$found" -v t="$tolerance" 'BEGIN { exit !(b ~ /^[-+0-9.e]+$/ && a - b <= t && b - a <= t) }'
        check "$1: $value within $tolerance, found $found by $command"
    done < <(grep '^<!-- number: ' "$1")
}

# Runs the scenes that the fragments of a page belong to: tests/pages/NAME.yaml has what the fragment leaves out.
run_fragments() { # page folder
    local name word from to
    while read -r name; do
        while read -r word word from to; do cp "$from" "$2/$to"; done < <(grep '^# copy: ' "tests/pages/$name.yaml")
        cp "tests/pages/$name.yaml" "$2/$name.yaml"
        word=run
        grep -q '^sweep:' "$2/$name.part.yaml" && word=sweep
        (cd "$2" && "$work/bin/repose" $word "$name.yaml" -q -o "out/$name") </dev/null >"$work/out" 2>"$work/err"
        check "$1: the scene of the fragment $name"
    done < <(sed -n 's/^<!-- scene: \(.*\) -->$/\1/p' "$1")
}

# Commands that serve a page: each says where, and ends in order when it is interrupted.
run_views() { # page folder
    local line process wait
    while read -r line; do
        : >"$work/out" # the address of the view before must not be taken for that of this one
        : >"$work/err"
        (cd "$2" && PATH=$work/bin:$PATH exec bash -c "exec $line") </dev/null >"$work/out" 2>"$work/err" &
        process=$!
        # on a busy machine that may take long; run_tests finds what hangs
        while kill -0 $process 2>/dev/null && ! grep -qs 'http://127\.0\.0\.1:' "$work/out" "$work/err"; do sleep 0.1; done
        grep -qs 'http://127\.0\.0\.1:' "$work/out" "$work/err"
        check "$1: an address is printed by: $line"
        kill -INT $process 2>/dev/null # the view of a run that is over may have ended by itself
        wait $process
        wait=$?
        [ $wait -eq 0 ] || [ $wait -eq 130 ] # 130: a run that had not ended yet
        check "$1: $line"
    done < <(awk '/^```/ { on = !on && $0 == "```console view"; next } on && /^\$ / { print substr($0, 3) }' "$1")
}

# Blocks that no test would see: each is run, quoted, a part of a scene, or names the test that does the same. Python of the module is
# run by python/tests.
page_strays() { # page
    awk '
        /^<!-- (scene|from): / { said = 1 }
        /^<!-- tested: / { said = system("test -s " $3) == 0 }
        /^```/ {
            inside = !inside
            if (inside) { kind = $0; sub(/^```/, "", kind); known = said || kind ~ /^(console( long| view)?|\{toctree\})$/
                if (kind == "python" && FILENAME ~ /(python|notebook).md$/) known = 1
                first = 1; where = FNR }
            else if (!known) print FILENAME ":" where ": a block " kind " that nothing tests"
            said = 0
            next
        }
        inside && first { first = 0; if ($0 ~ /^# (file|from): /) known = 1 }' "$1"
}

# The picture of the tree that a page has of a curve which its commands drew.
drawn_curve() { # page curve
    local name
    name=$(basename "$2")
    [ "$name" != sweep.svg ] || name=$(basename "$(dirname "$2")").svg
    [ -e "$2" ] && [ -e "$(dirname "$1")/$name" ] && echo "$(dirname "$1")/$name"
}

# Curves of the tree are those that the commands draw, where the same gnuplot drew them.
check_curves() { # page folder
    local drawn curve
    for drawn in "$2"/*.svg "$2"/out/calibration/sweep.svg; do
        curve=$(drawn_curve "$1" "$drawn") || continue
        [ "$(grep -o 'GNUPLOT [^<]*' "$drawn")" = "$(grep -o 'GNUPLOT [^<]*' "$curve")" ] || continue
        diff "$drawn" "$curve" >"$work/out"
        check "$curve is what the commands of $1 draw (tools/make_pictures FOLDER $(basename "$1" .md))"
    done
}

run_page() { # page
    local folder line
    folder=$work/page-$(basename "$1" .md)
    mkdir -p "$folder" "$work/bin"
    ln -sf "$(realpath "$repose")" "$work/bin/repose"
    ln -sfn "$work/bin" "$folder/build" # README.md calls build/repose
    [ ! -x /usr/bin/python3 ] || ln -sf /usr/bin/python3 "$work/bin/python3" # the one that has h5py
    page_files "$1" "$folder"
    while read -r line; do
        (cd "$folder" && PATH=$work/bin:$PATH REPOSE_TREE=$tree bash -c "$line") </dev/null >"$work/out" 2>"$work/err"
        check "$1: $line"
    done < <(page_commands "$1")
    run_fragments "$1" "$folder"
    run_views "$1" "$folder"
    [ -z "${LONG:-}" ] || { check_numbers "$1" "$folder" && check_curves "$1" "$folder"; }
}

# The commands in the comment at the head of a template, which the gallery shows, work.
run_template() { # scene
    local folder line
    folder=$work/template-$(basename "$1" .yaml)
    mkdir -p "$folder" "$work/bin"
    ln -sf "$(realpath "$repose")" "$work/bin/repose"
    cp "$1" "$folder/"
    while read -r line; do
        (cd "$folder" && PATH=$work/bin:$PATH bash -c "$line") </dev/null >"$work/out" 2>"$work/err"
        check "$1: $line"
    done < <(sed -n '/^#/!q; s/^#   \(repose .*\)/\1/p' "$1" | sed 's/  .*//')
}
