# Fish completion of the command repose. It asks the command itself what it takes (`repose COMMAND --help`), so that it
# offers what the installed version knows.
function __repose_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    set -l before $words[-1]
    set -l program $words[1]
    set -l command
    for k in $words[2..-1]
        string match -q -- '-*' $k; or begin; set command $k; break; end
    end
    if test -z "$command"
        $program --help 2>/dev/null | awk '/^Commands/ { on = 1; next } on && NF == 0 { exit }
            on { name = $1; sub(/^ *[^ ]+ +/, ""); print name "\t" $0 }'
        printf '%s\n' --help --version
        return
    end
    set -l help ($program $command --help 2>/dev/null)
    set -l argument # what the option before takes, as the help calls it
    if string match -q -- '-*' $before
        set argument (printf '%s\n' $help | awk -v option="$before" '/^Options/ { on = 1; next } on && NF == 0 { exit }
            on { n = split(substr($0, 3, 26), word, " ") }
            on && (word[1] == option || word[1] == option "," || word[2] == option) && word[n] !~ /^-/ { print word[n] }')
    end
    set -l offers
    switch "$command $before"
        case '* --isa'
            set offers sse2 avx2 avx512
        case 'convert --from' 'convert --to'
            set offers results dump data vtu ply csv xyz
        case 'convert --bodies'
            set offers free held all
        case 'picture --view' 'movie --view'
            set offers corner front back left right top bottom
        case 'picture --walls' 'movie --walls'
            set offers auto clear solid hidden
        case 'picture --color' 'movie --color' 'convert --fields'
            set offers ($program list fields 2>/dev/null | awk '/^\// { on = $1 == "/bodies"; next } on && /^  [a-z]/ { print $1 }')
        case 'solve --cone'
            set offers coulomb convex
        case 'solve --method'
            set offers auto nsgs apgd newton
        case 'mesh --side'
            set offers outer inner both
        case 'mesh --unit' 'mesh -u'
            set offers m cm mm um
        case 'plot -x' 'plot --x' 'plot -y' 'plot --y' # columns of the run on the line
            for k in $words[3..-1]
                set -l table (string replace -r '^[^=]*=' '' -- $k)/series.csv
                test -f $table; and set -a offers (head -n 1 $table | string split , | string replace -r ' \[.*' '')
            end
        case '* --variant' # the names below `variants:` of the scene on the line
            for k in $words[3..-1]
                test -f $k; and set -a offers (sed -n '/^variants:/,/^[^ #]/s/^  \([^ :{]*\):.*/\1/p' $k)
            end
    end
    switch "$argument"
        case ''
        case DIR
            __fish_complete_directories $word
            return
        case FILE 'DIR*'
            __fish_complete_path $word
            return
        case '*'
            test -n "$offers"; and printf '%s\n' $offers
            return
    end
    if string match -q -- '-*' $word
        printf '%s\n' $help | awk '/^Options/ { on = 1; next } on && NF == 0 { exit }
            on { print ($1 ~ /^--/ ? $1 : $2) "\t" substr($0, 30) }'
    else if test $command = list
        $program list --help 2>/dev/null | sed -n '1s/^usage: repose list \([^ ]*\).*/\1/p' | string split '|'
    else if test $command = new -a $before = new
        $program new 2>/dev/null | awk 'NF == 0 { exit } { print $1 }'
    else
        __fish_complete_path $word
    end
end
complete -c repose -f -a '(__repose_complete)'
