#!/bin/sh
# The checks of the scenes that take too long for every test run.
cd "$(dirname "$0")/../.." || exit 1
exec tests/physics/scenes.sh scenes/long scenes/templates
