# Bash completion of the command repose. It asks the command itself what it takes (`repose COMMAND --help`), so that it
# offers what the installed version knows.
_repose() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} program=${COMP_WORDS[0]} command= k
    for ((k = 1; k < COMP_CWORD; k++)); do
        case ${COMP_WORDS[k]} in
            -*) ;;
            *) command=${COMP_WORDS[k]}; break ;;
        esac
    done
    COMPREPLY=()
    if [ -z "$command" ]; then
        local commands
        commands=$("$program" --help 2>/dev/null | awk '/^Commands/ { on = 1; next } on && NF == 0 { exit } on { print $1 }')
        COMPREPLY=($(compgen -W "$commands --help --version" -- "$word"))
        return
    fi
    local help argument= words=
    help=$("$program" "$command" --help 2>/dev/null)
    case $before in # what the option before takes, as the help calls it
        -*) argument=$(awk -v option="$before" '/^Options/ { on = 1; next } on && NF == 0 { exit }
            on { n = split(substr($0, 3, 26), word, " ") }
            on && (word[1] == option || word[1] == option "," || word[2] == option) && word[n] !~ /^-/ { print word[n] }' <<<"$help") ;;
    esac
    case "$command $before" in
        *" --isa") words="sse2 avx2 avx512" ;;
        "convert --from" | "convert --to") words="results dump data vtu ply csv xyz" ;;
        "convert --bodies") words="free held all" ;;
        "picture --view" | "movie --view") words="corner front back left right top bottom" ;;
        "picture --walls" | "movie --walls") words="auto clear solid hidden" ;;
        "picture --color" | "movie --color" | "convert --fields")
            words=$("$program" list fields 2>/dev/null | awk '/^\// { on = $1 == "/bodies"; next } on && /^  [a-z]/ { print $1 }') ;;
        "solve --cone") words="coulomb convex" ;;
        "solve --method") words="auto nsgs apgd newton" ;;
        "mesh --side") words="outer inner both" ;;
        "mesh --unit" | "mesh -u") words="m cm mm um" ;;
        "plot -x" | "plot --x" | "plot -y" | "plot --y") # columns of the run on the line
            words=$(for k in "${COMP_WORDS[@]:2}"; do head -qn 1 "${k#*=}/series.csv" 2>/dev/null; done | tr , '\n' | sed 's/ \[.*//' | sort -u) ;;
        *" --variant") # the names below `variants:` of the scene on the line
            words=$(for k in "${COMP_WORDS[@]:2}"; do [ -f "$k" ] && sed -n '/^variants:/,/^[^ #]/s/^  \([^ :{]*\):.*/\1/p' "$k"; done) ;;
    esac
    case $argument in
        "") ;;
        DIR) COMPREPLY=($(compgen -d -- "$word")); compopt -o filenames 2>/dev/null; return ;;
        FILE | DIR*) COMPREPLY=($(compgen -f -- "$word")); compopt -o filenames 2>/dev/null; return ;;
        *) COMPREPLY=($(compgen -W "$words" -- "$word")); return ;;
    esac
    case $word in
        -*)
            local options
            options=$(awk '/^Options/ { on = 1; next } on && NF == 0 { exit }
                on { for (k = 1; k <= 2; k++) if ($k ~ /^--/) print $k }' <<<"$help")
            COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
        *)
            if [ "$command" = list ]; then
                COMPREPLY=($(compgen -W "$(sed -n '1s/^usage: repose list \([^ ]*\).*/\1/p' <<<"$help" | tr '|' ' ')" -- "$word"))
            elif [ "$command" = new ] && [ "$before" = new ]; then
                COMPREPLY=($(compgen -W "$("$program" new 2>/dev/null | awk 'NF == 0 { exit } { print $1 }')" -- "$word"))
            else
                COMPREPLY=($(compgen -f -- "$word"))
                compopt -o filenames 2>/dev/null
            fi ;;
    esac
}
complete -F _repose repose
