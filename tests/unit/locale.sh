#!/bin/bash
# The library writes and reads numbers with a point in every locale of the program around it (src/base/c_locale.h): its
# sources format no floating-point number by printf itself, pass on no format to it, and read none by strtod or scanf.
# The command is exempt: it is a program of its own and stays in the C locale.
set -u
export LC_ALL=C # awk and printf write and read a decimal point
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

# Prints FILE:LINE of each statement that obeys the locale. A statement is read from the call to its semicolon.
find_calls() { # file...
    awk '
        FNR == 1 { text = "" }
        {
            line = $0
            sub(/\/\/.*/, "", line)
            if (line ~ /(^|[^a-zA-Z0-9_])(strto(d|f|ld)|atof|setlocale|v?(s|f|as|d)?printf|putf|v(s|f)?scanf)\(/) print FILENAME ":" FNR
            if (text == "" && line ~ /(^|[^a-zA-Z0-9_])(v?snprintf|s?scanf|sscanf|fscanf)\(/) { text = line; at = FNR }
            else if (text != "") text = text line
            if (text == "" || line !~ /;[^"]*$/) next
            if (text ~ /%[-+ #0-9.*]*[lL]?[aefgAEFG]/ || text ~ /(^|[^a-zA-Z0-9_])vsnprintf\(/ || text ~ /__VA_ARGS__/)
                print FILENAME ":" at
            text = ""
        }' "$@"
}

expect() { # verdict(good|bad) text
    printf '%s\n' "$2" >"$work/a.c"
    local found
    found=$(find_calls "$work/a.c")
    case $1:${found:+found} in
        good: | bad:found) passed=$((passed + 1)) ;;
        *) failed=$((failed + 1)); echo "self-test: '$2' should be $1, found: ${found:-nothing}" ;;
    esac
}
expect good 'snprintf(text, sizeof text, "%s %zu", name, n);'
expect good 'rps_snprintf(text, sizeof text, "%.3g s", time);'
expect good 'rps_text_addf(&text, err, "%g", x);'
expect good 'rps_fail(err, RPS_BAD_INPUT, "%g", x);'
expect good '// printf("%g") would write a comma'
expect bad 'snprintf(text, sizeof text, "%.3g s", time);'
expect bad 'used += snprintf(text + used, room, "%s at "
    "%-8.3e", name, time);'
expect bad 'vsnprintf(text, sizeof text, format, list);'
expect bad 'if (a) snprintf(out, room, __VA_ARGS__);'
expect bad 'printf("%d", 1);'
expect bad 'fprintf(file, "x");'
expect bad 'x = strtod(text, &end);'
expect bad 'sscanf(text, "%lf", &x);'
expect bad 'setlocale(LC_ALL, "C");'

# These two are what all others use.
exempt='^src/base/(c_locale|text)\.c:'
for folder in base shape law cone world detect step io scene run; do
    found=$(find_calls src/"$folder"/*.[ch] $(ls src/"$folder"/*.inc 2>/dev/null) | sort -u | while IFS=: read -r file line; do
        echo "$file:$line $(sed -n "${line}s/.*\(setlocale\).*/\1/p" "$file")"
    done | grep -vE "$exempt")
    if [ -z "$found" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "obeys the locale of the program; use rps_snprintf, rps_double_format or rps_parse_double:"
        echo "$found" | sed 's/^/    /'
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
