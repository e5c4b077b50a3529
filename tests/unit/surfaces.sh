#!/bin/sh
# The surfaces and beds of the machines are those that tools/make_surfaces makes, and the program finds no fault in them.
# Environment: REPOSE, the command (default build/repose)
set -u
cd "$(dirname "$0")/../.." || exit 1
repose=${REPOSE:-build/repose}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

verdict() { # whether what
    if [ "$1" -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $2"; fi
}

python3 tools/make_surfaces "$work"
verdict $? "tools/make_surfaces must run"
for file in scenes/machines/surfaces/* "$work"/*.stl "$work"/*.csv; do
    name=$(basename "$file")
    cmp -s "$work/$name" "scenes/machines/surfaces/$name"
    verdict $? "$name: scenes/machines/surfaces must hold what tools/make_surfaces makes"
done
! python3 tools/make_surfaces "$work" dram 2>"$work/said" && grep -q 'there is no surface dram; there are drum' "$work/said"
verdict $? "an unknown name must be refused with those that there are"

# Particles stand about their centre of mass; `explain` says where that is in the file, as `repose mesh` does, and at which size.
"$repose" mesh scenes/machines/surfaces/stone_flat.stl -u mm >"$work/mesh" && "$repose" explain scenes/machines/rocks.yaml >"$work/scene"
verdict $? "repose must describe a stone of a file and of a scene"
centre=$(sed -n 's/.*centre of mass (\(.*\)) m$/\1/p' "$work/mesh" | tr -d ' ' | tr ',' '\n' | awk '{ printf "%s%.6g", (NR > 1 ? ", " : ""), $1 }')
grep -q "center of mass in the file $centre m" "$work/scene"
verdict $? "explain must give the centre of mass of a stone in its file, $centre"
grep -q 'stone_flat.stl, 0.85 of its size$' "$work/scene"
verdict $? "explain must tell the size of a stone that is scaled"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
