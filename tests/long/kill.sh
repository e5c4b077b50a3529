#!/bin/bash
# Fifty kills instead of five, and more disks that are full: see tests/determinism/kill.sh.
cd "$(dirname "$0")/../.." || exit 1
KILLS=50 DISKS="2 5 10 15 20 30 40 50 60 70 80 85 90 95" exec tests/determinism/kill.sh
