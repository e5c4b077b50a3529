# Counts and the check of a suite. The commands of a suite write to $work/out and $work/err, which a failure shows.
passed=0
failed=0

check() { # what; the last command's status says whether it holds
    if [ $? -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "failed: $1"
        sed 's/^/    /' "$work/out" "$work/err" 2>/dev/null | head -20
    fi
}
