#compdef repose
# Zsh completion of the command repose. It asks the command itself what it takes (`repose COMMAND --help`), so that it
# offers what the installed version knows.
_repose() {
    local program=$words[1] word=$words[CURRENT] before=$words[CURRENT-1] command= k
    local -a offers
    for ((k = 2; k < CURRENT; k++)); do
        [[ $words[k] == -* ]] || { command=$words[k]; break; }
    done
    if [[ -z $command ]]; then
        offers=(${(f)"$($program --help 2>/dev/null | awk '/^Commands/ { on = 1; next } on && NF == 0 { exit }
            on { name = $1; sub(/^ *[^ ]+ +/, ""); gsub(/:/, "\\:"); print name ":" $0 }')"} '--help:what it takes' '--version:the version')
        _describe command offers
        return
    fi
    case $before in
        --isa) compadd sse2 avx2 avx512; return ;;
        --from | --to) [[ $command == convert ]] && { compadd results dump data vtu ply csv xyz; return; } ;;
        --view) compadd corner front back left right top bottom; return ;;
        --walls) compadd clear solid hidden; return ;;
        --color | --range | --clip | --size | --time | --frame | --fps | --wait) return ;;
        --bodies) compadd free held all; return ;;
        --output | -o) _files -/; return ;;
        --threads | --port | --linger | --jobs | -j | --set | -s | --until | --vary | --find | --measure | -m | --frames | --times | --fields | --types | --density) return ;;
        --variant) # the names below `variants:` of the scene on the line
            local scene
            for scene in ${words[3,-1]}; do
                [[ -f $scene ]] || continue
                offers=(${(f)"$(sed -n '/^variants:/,/^[^ #]/s/^  \([^ :{]*\):.*/\1/p' $scene)"})
                compadd -a offers
                return
            done
            return ;;
    esac
    if [[ $word == -* ]]; then
        offers=(${(f)"$($program $command --help 2>/dev/null | awk '/^Options/ { on = 1; next } on && NF == 0 { exit }
            on { name = $1 ~ /^--/ ? $1 : $2; what = substr($0, 30); gsub(/:/, "\\:", what); print name ":" what }')"})
        _describe -o option offers
    elif [[ $command == list ]]; then
        offers=(${(s:|:)"$($program list --help 2>/dev/null | sed -n '1s/^usage: repose list \([^ ]*\).*/\1/p')"})
        compadd -a offers
    elif [[ $command == new && $before == new ]]; then
        offers=(${(f)"$($program new 2>/dev/null | awk 'NF == 0 { exit } { print $1 }')"})
        compadd -a offers
    else
        _files
    fi
}
_repose "$@"
