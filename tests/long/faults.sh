#!/bin/bash
# Failing calls of the system in a run with many checkpoints, hundreds instead of twenty: see tests/determinism/faults.c.
# Environment: BUILD (build)
cd "$(dirname "$0")/../.." || exit 1
FAULTS=600 exec "${BUILD:-build}/tests/determinism/faults"
