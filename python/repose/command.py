"""The command `repose`: replaces this process by the program that the wheel holds, or, in Debian's package, by that of the package
repose. `repose analyse` is of this module."""

import os
import sys
from pathlib import Path


def main() -> None:
    if sys.argv[1:2] == ["analyse"]:
        from repose.analyse import main as analyse

        sys.exit(analyse(sys.argv[2:]))
    program = Path(__file__).with_name("bin") / "repose-command"
    if not program.exists():
        program = Path("/usr/bin/repose")
        if not program.exists():
            sys.exit("repose: the command is not installed; apt-get install repose")
    os.execv(program, ["repose", *sys.argv[1:]])
