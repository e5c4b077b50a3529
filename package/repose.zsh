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
    local help="$($program $command --help 2>/dev/null)" argument=
    # what the option before takes, as the help calls it
    [[ $before == -* ]] && argument=$(awk -v option="$before" '/^Options/ { on = 1; next } on && NF == 0 { exit }
        on { n = split(substr($0, 3, 26), word, " ") }
        on && (word[1] == option || word[1] == option "," || word[2] == option) && word[n] !~ /^-/ { print word[n] }' <<<"$help")
    case "$command $before" in
        *" --isa") offers=(sse2 avx2 avx512) ;;
        "convert --from" | "convert --to") offers=(results dump data vtu ply csv xyz) ;;
        "convert --bodies") offers=(free held all) ;;
        "picture --view" | "movie --view") offers=(corner front back left right top bottom) ;;
        "picture --walls" | "movie --walls") offers=(auto clear solid hidden) ;;
        "picture --color" | "movie --color" | "convert --fields")
            offers=(${(f)"$($program list fields 2>/dev/null | awk '/^\// { on = $1 == "/bodies"; next } on && /^  [a-z]/ { print $1 }')"}) ;;
        "solve --cone") offers=(coulomb convex) ;;
        "solve --method") offers=(auto nsgs apgd newton) ;;
        "mesh --side") offers=(outer inner both) ;;
        "mesh --unit" | "mesh -u") offers=(m cm mm um) ;;
        "plot -x" | "plot --x" | "plot -y" | "plot --y") # columns of the run on the line
            offers=(${(f)"$(for k in ${words[3,-1]}; do head -qn 1 ${k#*=}/series.csv 2>/dev/null; done | tr , '\n' | sed 's/ \[.*//' | sort -u)"}) ;;
        *" --variant") # the names below `variants:` of the scene on the line
            offers=(${(f)"$(for k in ${words[3,-1]}; do [[ -f $k ]] && sed -n '/^variants:/,/^[^ #]/s/^  \([^ :{]*\):.*/\1/p' $k; done)"}) ;;
    esac
    case $argument in
        "") ;;
        DIR) _files -/; return ;;
        FILE | DIR*) _files; return ;;
        *) compadd -a offers; return ;;
    esac
    if [[ $word == -* ]]; then
        offers=(${(f)"$(awk '/^Options/ { on = 1; next } on && NF == 0 { exit }
            on { name = $1 ~ /^--/ ? $1 : $2; what = substr($0, 30); gsub(/:/, "\\:", what); print name ":" what }' <<<"$help")"})
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
