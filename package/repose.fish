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
    switch $before
        case --isa
            printf '%s\n' sse2 avx2 avx512
            return
        case --from --to
            if test $command = convert
                printf '%s\n' results dump data vtu ply csv xyz
                return
            end
        case --view
            printf '%s\n' corner front back left right top bottom
            return
        case --walls
            printf '%s\n' clear solid hidden
            return
        case --color --range --clip --size --time --frame --fps --wait
            return
        case --bodies
            printf '%s\n' free held all
            return
        case --output -o
            __fish_complete_directories $word
            return
        case --threads --port --linger --jobs -j --set -s --until --vary --find --measure -m --frames --times --fields --types --density
            return
        case --variant # the names below `variants:` of the scene on the line
            for scene in $words[3..-1]
                if test -f $scene
                    sed -n '/^variants:/,/^[^ #]/s/^  \([^ :{]*\):.*/\1/p' $scene
                    return
                end
            end
            return
    end
    if string match -q -- '-*' $word
        $program $command --help 2>/dev/null | awk '/^Options/ { on = 1; next } on && NF == 0 { exit }
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
