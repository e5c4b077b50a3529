# Types each line of standard input and Tab at the prompt of a zsh in a terminal of its own, and writes what the line is then.
# Usage: zsh -f press_tab.zsh FUNCTIONS COMMANDS OUTPUT    the folders of _repose and of repose, and a file
zmodload zsh/zpty
OUT=$3
lines=0
# Waits until the next line is written; what the terminal shows meanwhile is thrown away, so that it is not held up.
wait_for_line() {
    local k shown
    ((lines++))
    for ((k = 0; k < 1000; k++)); do
        [[ -e $OUT ]] && (($(wc -l <$OUT) >= lines)) && return
        zpty -r -t terminal shown
        sleep 0.02
    done
    print "no answer" >>$OUT
    return 1
}
zpty terminal env TERM=dumb PS1= OUT=$OUT zsh -f -i
zpty -w terminal "fpath=($1 \$fpath); path=($2 \$path); autoload -U compinit; compinit -D -u; unsetopt beep"
zpty -w terminal 'told() { print -r -- "$BUFFER" >>$OUT; BUFFER= }; zle -N told; bindkey "^X" told; print ready >>$OUT'
wait_for_line
while read -r line; do
    zpty -w -n terminal "$line"$'\t\x18'
    wait_for_line || break
done
zpty -d terminal
