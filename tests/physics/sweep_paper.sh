#!/bin/sh
# A few points of the paper's sweeps, on both sides of each border; tests/long/sweeps.sh makes them whole.
QUICK=1 exec "$(dirname "$0")/../long/sweeps.sh"
