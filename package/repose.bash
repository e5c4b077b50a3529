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
    case $before in
        --isa) COMPREPLY=($(compgen -W "sse2 avx2 avx512" -- "$word")); return ;;
        --from | --to) [ "$command" = convert ] && COMPREPLY=($(compgen -W "results dump data vtu ply csv xyz" -- "$word")) && return ;;
        --view) COMPREPLY=($(compgen -W "corner front back left right top bottom" -- "$word")); return ;;
        --walls) COMPREPLY=($(compgen -W "clear solid hidden" -- "$word")); return ;;
        --color | --range | --clip | --size | --time | --frame | --fps | --wait) return ;;
        --bodies) COMPREPLY=($(compgen -W "free held all" -- "$word")); return ;;
        --frames | --times | --fields | --types | --density) return ;;
        --output | -o) COMPREPLY=($(compgen -d -- "$word")); compopt -o nospace -o filenames 2>/dev/null; return ;;
        --threads | --port | --linger | --jobs | -j | --set | -s | --until | --vary | --find | --measure | -m) return ;;
        --variant) # the names below `variants:` of the scene on the line
            local scene names
            for scene in "${COMP_WORDS[@]:2}"; do
                if [ -f "$scene" ]; then
                    names=$(sed -n '/^variants:/,/^[^ #]/s/^  \([^ :{]*\):.*/\1/p' "$scene")
                    COMPREPLY=($(compgen -W "$names" -- "$word"))
                    break
                fi
            done
            return ;;
    esac
    local help
    help=$("$program" "$command" --help 2>/dev/null)
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
